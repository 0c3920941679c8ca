#include "ops.h"

static const shp_op table[] = {
#define OP(domain, op_type, since, rule) { domain, op_type, since, rule },
#include "ops.def"
#undef OP
};

enum { ROWS = sizeof table / sizeof *table };

const shp_op *shp_op_at(uint32_t i) { return i < ROWS ? &table[i] : NULL; }

/* A plain walk: the driver keeps what it found for each operator, so this runs once an operator kind. */
shp_rule *shp_op_find(shp_str domain, shp_str op_type, int64_t opset)
{
    const shp_op *best = NULL;
    for (uint32_t i = 0; i < ROWS; i++) {
        const shp_op *op = &table[i];
        if (op_type.len == 0 || op->op_type[0] != op_type.at[0] || op->since > opset) continue;
        if (best && best->since >= op->since) continue;
        if (shp_str_is(op_type, op->op_type) && shp_str_is(domain, op->domain)) best = op;
    }
    return best ? best->rule : NULL;
}
