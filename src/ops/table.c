#include "nn.h"
#include "../schema_ops.h"

#include <string.h>

/* The patterns' numbers, and their texts, each NUL-terminated. */
#define OP(domain, op_type, rule)
#define OPN(domain, op_type, rule, number)
enum {
#define PATTERN(domain, op_type, text) PATTERN_##domain##_##op_type,
#include "ops.def"
#undef PATTERN
};

static const char patterns[] =
#define PATTERN(domain, op_type, text) text "\0"
#include "ops.def"
#undef PATTERN
;
#undef OP
#undef OPN

static void infer_pattern(shp_node *n)
{
    const char *text = patterns;
    for (int i = shp_variant(n); i > 0; i--) text += strlen(text) + 1;
    shp_patterns(n, text);
}

static shp_rule *const rules[SHP_OP_COUNT] = {
#define OP(domain, op_type, rule) [SHP_OP_##domain##_##op_type] = rule,
#define OPN(domain, op_type, rule, number) OP(domain, op_type, rule)
#define PATTERN(domain, op_type, text) OP(domain, op_type, infer_pattern)
#include "ops.def"
#undef OP
#undef OPN
#undef PATTERN
};

static const uint8_t variants[SHP_OP_COUNT] = {
#define OP(domain, op_type, rule)
#define OPN(domain, op_type, rule, number) [SHP_OP_##domain##_##op_type] = number,
#define PATTERN(domain, op_type, text) OPN(domain, op_type, infer_pattern, PATTERN_##domain##_##op_type)
#include "ops.def"
#undef OP
#undef OPN
#undef PATTERN
};

shp_rule *shp_op_rule(int op) { return rules[op]; }
int shp_variant(const shp_node *n) { return variants[n->schema->op]; }
