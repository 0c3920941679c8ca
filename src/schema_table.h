/* schema_table - how the generated operator schemas are laid out; only schema.c and tools/schema.mjs know it.
 *
 * shp_table_bytes holds every operator: its versions from the oldest to the newest, the newest preceded by the
 * operator's name. Names are NUL-terminated and stand where they are used, repeated or not: that packs better than
 * offsets into a pool. A version is
 *
 *     byte 0   since_version, + 64 deprecated, + 128 the specification gives a function body
 *     byte 1   bits 0 to 3: which of the four lists follow; one that does not is the list of the version before.
 *              bits 4 to 7 and byte 2: the distance back to the version before, 0 for the oldest
 *     then     the lists that follow, in this order
 *
 * and a list is a count in one byte and as many of
 *
 *     TYPES    the type set of a type variable
 *     OUTPUTS  a formal: its kind and name. Kind is a tensor's type code (1 to 28), or 32 + v for type variable v
 *     INPUTS   (v < 16), + 16 where its actuals may differ in type; + 64 variadic; + 128 optional, or a variadic one
 *              that may be empty
 *     ATTRS    an attribute: its AttributeType, + 16 required, + 32 with a default; its name; the default: an index
 *              of floats or numbers (ints: of their count, the elements follow it), a string, or a count and as many
 *              strings
 */
#ifndef SHP_SCHEMA_TABLE_H
#define SHP_SCHEMA_TABLE_H

#include "schema.h"

enum { SHP_LIST_TYPES, SHP_LIST_OUTPUTS, SHP_LIST_INPUTS, SHP_LIST_ATTRS, SHP_LIST_COUNT };
enum { SHP_VERSION_SINCE = 63, SHP_VERSION_DEPRECATED = 64, SHP_VERSION_FUNCTION = 128, SHP_VERSION_HEAD = 3 };
enum { SHP_KIND_VARIABLE = 32, SHP_KIND_DIFFER = 16, SHP_KIND_VARIADIC = 64, SHP_KIND_OPTIONAL = 128 };
enum { SHP_ATTR_TYPE = 15, SHP_ATTR_REQUIRED = 16, SHP_ATTR_DEFAULT = 32 };

typedef struct shp_table_domain {
    char name[30];
    uint16_t ops[27];       /* the first operator of that domain whose name begins with 'A' + i or later; [26] their end */
} shp_table_domain;

extern const uint8_t shp_table_bytes[];
extern const uint16_t shp_table_ops[];              /* where each operator's name is; by domain, then name, by bytes */
extern const shp_table_domain shp_table_domains[];  /* in order of name */
extern const uint8_t shp_table_sets[][5];           /* type sets: an index of masks for each 32 type codes */
extern const uint32_t shp_table_masks[];
extern const int64_t shp_table_numbers[];
extern const float shp_table_floats[];
extern const char shp_table_other[];                /* types from SHP_TYPE_OTHER on, each NUL-terminated; "" ends them */
extern const int shp_table_domain_count;

#endif
