/* schema_table - how the generated operator schemas are laid out; only schema.c and tools/schema.mjs know it.
 *
 * Operators are found by a walk, so what most models have stands first; a domain comes twice where it has such. Then like stands beside
 * like, which packs best: operators that are alike follow each other, and each kind of thing that they consist of has a table of its
 * own, in the operators' order. Text stands where it is used, repeated or not, and lists end in a byte 0.
 *
 *     names     of the operators; an empty one stands between two domains, two such at the end
 *     versions  of each operator, from the oldest to the newest; a byte 0: those of the operator before. A version is
 *               byte 0   bits 0 to 3: which of its four lists are in their tables; one that is not is the list of the version before.
 *                        + 16 in the newest version, + 32 where that one is deprecated
 *               byte 1   since_version
 *     inputs    formals' kinds: a tensor's type code (1 to 28), or 32 + v for type variable v (v < 16), + 16 where its
 *     outputs   actuals may differ in type; + 64 variadic; + 128 optional, or a variadic one that may be empty
 *     types     1 + the type set of each type variable
 *     attributes  the name; its AttributeType, + 16 required, + 32 with a default; the default: an index of numbers (ints: of their
 *               count, the elements follow it), or a string
 */
#ifndef SHP_SCHEMA_TABLE_H
#define SHP_SCHEMA_TABLE_H

#include "schema.h"

enum { SHP_LIST_INPUTS, SHP_LIST_OUTPUTS, SHP_LIST_TYPES, SHP_LIST_ATTRS, SHP_LIST_COUNT };
enum { SHP_VERSION_NEWEST = 16, SHP_VERSION_GONE = 32 };
enum { SHP_KIND_VARIABLE = 32, SHP_KIND_DIFFER = 16, SHP_KIND_VARIADIC = 64, SHP_KIND_OPTIONAL = 128 };
enum { SHP_ATTR_TYPE = 15, SHP_ATTR_REQUIRED = 16, SHP_ATTR_DEFAULT = 32 };

extern const uint8_t shp_table_names[], shp_table_versions[], shp_table_inputs[], shp_table_outputs[], shp_table_types[], shp_table_attributes[];
extern const char shp_table_domains[];              /* in the order of the names, each NUL-terminated */
extern const uint32_t shp_table_sets[];             /* type sets: a bit for each tensor's type code; */
extern const uint32_t shp_table_others[][4];        /* of the first shp_table_wide sets, a bit for each of the other type codes */
extern const int shp_table_wide;
extern const int64_t shp_table_numbers[];
extern const char shp_table_other[];                /* types from SHP_TYPE_OTHER on, each NUL-terminated; "" ends them */

#endif
