/* schema_table - how the generated operator schemas are laid out; only schema.c and tools/schema.mjs know it.
 *
 * shp_table_bytes holds the operators one after the other, by domain and name; a byte 0 stands between two domains, two
 * such bytes at the end. An operator is its name, NUL-terminated, and its versions from the oldest to the newest. Text
 * stands where it is used, repeated or not, and lists end in a byte 0: this packs better than offsets and counts. A version is
 *
 *     byte 0   bits 0 to 3: which of the four lists follow; one that does not is the list of the version before.
 *              + 16 in the newest version
 *     byte 1   since_version
 *     then     the lists that follow, in this order
 *
 * and a list is a byte 0 after
 *
 *     INPUTS   formals' kinds: a tensor's type code (1 to 28), or 32 + v for type variable v (v < 16), + 16 where its
 *     OUTPUTS  actuals may differ in type; + 64 variadic; + 128 optional, or a variadic one that may be empty
 *     TYPES    1 + the type set of each type variable
 *     ATTRS    attributes: the name, NUL-terminated; its AttributeType, + 16 required, + 32 with a default; the default:
 *              an index of floats or numbers (ints: of their count, the elements follow it), a string, or a count and as
 *              many strings
 */
#ifndef SHP_SCHEMA_TABLE_H
#define SHP_SCHEMA_TABLE_H

#include "schema.h"

enum { SHP_LIST_INPUTS, SHP_LIST_OUTPUTS, SHP_LIST_TYPES, SHP_LIST_ATTRS, SHP_LIST_COUNT };
enum { SHP_VERSION_NEWEST = 16 };
enum { SHP_KIND_VARIABLE = 32, SHP_KIND_DIFFER = 16, SHP_KIND_VARIADIC = 64, SHP_KIND_OPTIONAL = 128 };
enum { SHP_ATTR_TYPE = 15, SHP_ATTR_REQUIRED = 16, SHP_ATTR_DEFAULT = 32 };

extern const uint8_t shp_table_bytes[];
extern const char shp_table_domains[];              /* in the order of shp_table_bytes, each NUL-terminated */
extern const uint32_t shp_table_sets[][5];          /* type sets: a bit for each type code */
extern const int64_t shp_table_numbers[];
extern const float shp_table_floats[];
extern const char shp_table_other[];                /* types from SHP_TYPE_OTHER on, each NUL-terminated; "" ends them */

#endif
