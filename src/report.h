/* report - the result of a call as flat tables of u32 and one pool of text: what crosses to the host, all at once.
 *
 * Each table is an array of rows of 32-bit words; its columns are listed here and nowhere else (tools/layout.mjs makes
 * js/layout.js from these lists). Where a column holds
 *   a text    it is the number of a string: string i runs from byte text[i] to text[i + 1] of the pool, UTF-8 where the
 *             model's is. String 0 is "".
 *   a row     it is an index into the table named, SHP_NONE for none.
 *   a cell    it is an index into `cells`, SHP_NONE for none: two words, low and high, that are an int64, unless high
 *             is one of the SHP_CELL_… marks.
 * Rows are in the order in which the user sees them: the main graph, then subgraphs and functions' bodies depth first in node order.
 */
#ifndef SHP_REPORT_H
#define SHP_REPORT_H

#include "infer.h"

/* Graphs. node: row of the node that owns or calls it; attr: a text, the attribute that holds it, "" for a function; nodes: row of the
 * first of its `count` nodes; names: the text that is that one's name. The texts behind it are the names of the others. */
#define SHP_REPORT_SCOPES(X) X(PARENT) X(NODE) X(ATTR) X(NODES) X(COUNT) X(NAMES)
/* Values. node: row of the one that makes it; place: 4 * row of the scope + SHP_VALUE_…; fact: a row. */
#define SHP_REPORT_VALUES(X) X(NAME) X(NODE) X(PLACE) X(FACT)
/* What is known of values; those of equal type and shape share a row, unless they have a content. type: a text, "" where unknown; shape:
 * the first of `rank` cells, rank SHP_NONE where it is unknown; content: the first of `count` cells, or SHP_REPORT_REALS_FROM plus the first
 * of `count` reals, SHP_NONE where it is unknown; length: of a sequence, a cell. */
#define SHP_REPORT_REALS_FROM 0x80000000u
#define SHP_REPORT_FACTS(X) X(TYPE) X(SHAPE) X(RANK) X(CONTENT) X(COUNT) X(LENGTH)
/* What nodes call: texts. */
#define SHP_REPORT_OPS(X) X(DOMAIN) X(NAME)
/* Nodes. op: a row; args: where in `lists` stand the number of inputs and the
 * inputs, then the number of outputs and the outputs: 4 times the text of each, "" for an omitted one, + 1 where an input's type or shape
 * decided something + 2 where its content did. */
#define SHP_REPORT_NODES(X) X(SCOPE) X(OP) X(ARGS)
/* Symbols. origin: SHP_ORIGIN_…; node: row of the node that made it. */
#define SHP_REPORT_SYMBOLS(X) X(NAME) X(ORIGIN) X(NODE)
/* Where symbols stand alone: the axis of a value of the symbol's row. */
#define SHP_REPORT_PLACES(X) X(SYMBOL) X(VALUE) X(AXIS)
/* What symbols equal: texts. */
#define SHP_REPORT_EQUALS(X) X(SYMBOL) X(TEXT)
/* Assumptions. lhs and rhs: cells; reason: a text. */
#define SHP_REPORT_ASSUMPTIONS(X) X(LHS) X(RHS) X(SCOPE) X(NODE) X(REASON)
/* Diagnostics. severity: 'e', 'w', 'i'; code: number in error.h; value: a text, "" for none. */
#define SHP_REPORT_DIAGNOSTICS(X) X(SEVERITY) X(CODE) X(SCOPE) X(NODE) X(VALUE) X(MESSAGE)
/* Imported operator sets. version: a cell. */
#define SHP_REPORT_OPSETS(X) X(DOMAIN) X(VERSION)
/* The model, one row. ir_version: a cell. */
#define SHP_REPORT_MODEL(X) X(IR_VERSION) X(PRODUCER)
#define SHP_REPORT_LISTS(X) X(ITEM)
#define SHP_REPORT_CELLS(X) X(LOW) X(HIGH)
#define SHP_REPORT_REALS(X) X(LOW) X(HIGH)      /* a double's bits */
#define SHP_REPORT_TEXT(X) X(START)
#define SHP_REPORT_CHARS(X) X(BYTE)     /* the pool: bytes, not words */

#define SHP_REPORT_TABLES(X) \
    X(SCOPES) X(VALUES) X(FACTS) X(OPS) X(NODES) X(SYMBOLS) X(PLACES) X(EQUALS) X(ASSUMPTIONS) X(DIAGNOSTICS) X(OPSETS) X(MODEL) \
    X(LISTS) X(CELLS) X(REALS) X(TEXT) X(CHARS)

/* A high word that is no int64's. TEXT: low is an expression's text; BIG: low is the text of an int64 whose high word is such a mark;
 * REAL: low is a row of `reals`. */
#define SHP_REPORT_CELL_MARKS(X) X(TEXT, 0x80000000u) X(NULL, 0x80000001u) X(FALSE, 0x80000002u) X(TRUE, 0x80000003u) \
    X(REAL, 0x80000004u) X(BIG, 0x80000005u)

#define SHP_REPORT_KINDS(X) X(INPUT, "input") X(INITIALIZER, "initializer") X(OUTPUT, "output") X(INTERMEDIATE, "intermediate")

/* Where a symbol comes from, as users see it; then what --why says. The first names of dims, then SHP_WHY_… in its order. */
#define SHP_REPORT_ORIGINS(X) \
    X("declared", "a name that the file gives to an input's size") \
    X("adopted", "a name that the file gives to a size that nothing determines") \
    X("none", "nothing determines it") \
    X("rank", "a rank or shape that is unknown") \
    X("data", "the data decide") \
    X("content", "elements that are unknown") \
    X("input", "the file leaves an input's size open") \
    X("merge", "branches or turns of a loop differ") \
    X("float", "it goes through floating point") \
    X("limit", "an expression outgrew the limits") \
    X("unknown-op", "no rule tells it")

enum {
#define X(name) SHP_TABLE_##name,
    SHP_REPORT_TABLES(X)
#undef X
    SHP_TABLE_COUNT
};
enum {
#define X(name, high) SHP_CELL_##name = (int)(high),
    SHP_REPORT_CELL_MARKS(X)
#undef X
};
enum {
#define X(name, text) SHP_VALUE_##name,
    SHP_REPORT_KINDS(X)
#undef X
};
enum { SHP_ORIGIN_DECLARED, SHP_ORIGIN_ADOPTED, SHP_ORIGIN_WHY };

typedef struct shp_table {
    const void *at;             /* rows, in the arena */
    uint32_t rows;
} shp_table;

typedef struct shp_report {
    shp_table table[SHP_TABLE_COUNT];
} shp_report;

/* Makes the report of a finished call. NULL: no memory. */
const shp_report *shp_report_make(shp_infer *x);

/* One node as a host's rule sees it: values row i is input i (its name "" where it is omitted); nodes row 0 the node, in scope 0. Further
 * values are its attributes, as a tensor's facts, strings as texts; their `node` is the AttributeProto type. Cell 0 is the opset.
 * NULL: no memory. */
const shp_report *shp_report_node(shp_infer *x, shp_node *n);

#endif
