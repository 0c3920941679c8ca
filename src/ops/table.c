#include "ops.h"
#include "../schema_ops.h"

static shp_rule *const rules[SHP_OP_COUNT] = {
#define OP(domain, op_type, rule) [SHP_OP_##domain##_##op_type] = rule,
#include "ops.def"
#undef OP
};

shp_rule *shp_op_rule(int op) { return rules[op]; }
