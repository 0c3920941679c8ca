#include "schema_table.h"
#include "schema_ops.h"

#include <string.h>

/* ---- finding a version ---- */

static const uint8_t *past_text(const uint8_t *p)
{
    while (*p++ != 0) {}            /* texts and lists are short: faster than calling strlen */
    return p;
}

/* p is past the name of an attribute. */
static const uint8_t *past_head(const uint8_t *p)
{
    unsigned head = *p++;
    return !(head & SHP_ATTR_DEFAULT) ? p : (head & SHP_ATTR_TYPE) == 3 ? past_text(p) : p + 1;
}

static const uint8_t *past_attrs(const uint8_t *p)
{
    while (*p != 0) p = past_head(past_text(p));
    return p + 1;
}

/* Where the next version and its lists stand. */
typedef struct cursor { const uint8_t *version, *list[SHP_LIST_COUNT]; } cursor;

struct shp_schemas {
    shp_arena *arena;
    cursor next;                    /* of the first operator that is not known */
    int known;
    cursor op[SHP_OP_COUNT];        /* each one's oldest version */
};

shp_schemas *shp_schemas_new(shp_arena *a)
{
    shp_schemas *t = shp_alloc(a, sizeof *t);
    if (!t) return NULL;
    t->arena = a;
    t->next = (cursor){ shp_table_versions, { shp_table_inputs, shp_table_outputs, shp_table_types, shp_table_attributes } };
    return t;
}

/* Reads the version at *at over s: lists that it lacks stay those of the version before. False after the newest. */
static bool read_version(cursor *at, shp_schema *s)
{
    unsigned own = *at->version++;
    s->since = *at->version++;
    s->gone = own & SHP_VERSION_GONE;
    for (int k = 0; k < SHP_LIST_COUNT; k++) {
        if (!(own >> k & 1)) continue;
        s->list[k] = at->list[k];
        at->list[k] = k == SHP_LIST_ATTRS ? past_attrs(at->list[k]) : past_text(at->list[k]);
    }
    return !(own & SHP_VERSION_NEWEST);
}

static int number_of(shp_str domain, shp_str op_type)
{
    const char *d = shp_table_domains;
    const uint8_t *name = shp_table_names;
    if (shp_str_is(domain, "ai.onnx")) domain.len = 0;
    for (int op = 0; *name; op++) {
        uint32_t same = 0;
        while (same < op_type.len && name[same] && name[same] == (uint8_t)op_type.at[same]) same++;
        if (same == op_type.len && !name[same] && shp_str_is(domain, d)) return op;
        name = past_text(name + same);
        if (!*name) { name++; d += strlen(d) + 1; }
    }
    return -1;
}

/* The oldest version of an operator to *out, and its number, which is -1 where there is none. */
static int oldest(shp_schemas *t, shp_str domain, shp_str op_type, cursor *out)
{
    int op = number_of(domain, op_type);
    for (shp_schema skipped; t->known <= op; t->known++) {
        bool own = *t->next.version != 0;
        t->op[t->known] = own ? t->next : t->op[t->known - 1];
        if (!own) t->next.version++;
        else while (read_version(&t->next, &skipped)) {}
    }
    if (op >= 0) *out = t->op[op];
    return op;
}

const shp_schema *shp_schema_find(shp_schemas *t, shp_str domain, shp_str op_type, int64_t opset)
{
    cursor at;
    shp_schema s = { .op = oldest(t, domain, op_type, &at) };
    for (bool more = s.op >= 0; more && at.version[1] <= opset;) more = read_version(&at, &s);
    shp_schema *out = s.since ? shp_alloc(t->arena, sizeof *out) : NULL;
    if (out) *out = s;
    return out;
}

int64_t shp_schema_first(shp_schemas *t, shp_str domain, shp_str op_type, shp_str attr)
{
    cursor at;
    shp_schema s;
    for (bool more = oldest(t, domain, op_type, &at) >= 0; more;) {
        more = read_version(&at, &s);
        if (!attr.len || shp_schema_has_attr(&s, attr)) return s.since;
    }
    return 0;
}

/* ---- formals ---- */

static int formals(const shp_schema *s, bool output)
{
    return (int)strlen((const char *)s->list[output]);
}

/* The kind of actual i, 0 past the end. */
static unsigned kind(const shp_schema *s, bool output, int i)
{
    int n = formals(s, output);
    if (i < 0 || n == 0) return 0;
    unsigned last = s->list[output][n - 1];
    return i < n ? s->list[output][i] : last & SHP_KIND_VARIADIC ? last : 0;
}

int shp_schema_min(const shp_schema *s, bool output)
{
    int n = formals(s, output);
    /* ONNX counts a trailing optional formal as dispensable, but not those before a variadic one. */
    while (n > 0 && s->list[output][n - 1] & SHP_KIND_OPTIONAL) {
        n--;
        if (s->list[output][n] & SHP_KIND_VARIADIC) break;
    }
    return n;
}

int shp_schema_max(const shp_schema *s, bool output)
{
    return kind(s, output, INT32_MAX) ? INT32_MAX : formals(s, output);
}

int shp_schema_formal(const shp_schema *s, bool output, int i)
{
    unsigned k = kind(s, output, i);
    return !k ? SHP_FORMAL_NONE : k & SHP_KIND_VARIABLE ? (int)(k & 15) : -1 - (int)(k & 31);
}

bool shp_schema_input_optional(const shp_schema *s, int i)
{
    return (kind(s, false, i) & (SHP_KIND_OPTIONAL | SHP_KIND_VARIADIC)) == SHP_KIND_OPTIONAL;
}

bool shp_schema_heterogeneous(const shp_schema *s, bool output)
{
    unsigned k = kind(s, output, INT32_MAX);
    return k & SHP_KIND_VARIABLE && k & SHP_KIND_DIFFER;
}

/* ---- types ---- */

static uint32_t word(const shp_schema *s, int v, int i)
{
    int set = v < 0 ? -1 : s->list[SHP_LIST_TYPES][v] - 1;
    return set < 0 ? 0 : i == 0 ? shp_table_sets[set] : set < shp_table_wide ? shp_table_others[set][i - 1] : 0;
}

bool shp_schema_allows(const shp_schema *s, int v, int type_code)
{
    return type_code >= 0 && type_code < 160 && word(s, v, type_code / 32) >> type_code % 32 & 1;
}

int shp_schema_only_type(const shp_schema *s, int v)
{
    int only = 0;
    for (int i = 0; i < 5; i++) {
        uint32_t codes = word(s, v, i);
        if (!codes) continue;
        if (only || codes & (codes - 1)) return 0;
        for (only = 32 * i; codes >>= 1;) only++;
    }
    return only;
}

const char *shp_schema_other_type(int type_code)
{
    const char *text = shp_table_other;
    if (type_code < SHP_TYPE_OTHER) return NULL;
    while (*text && type_code-- > SHP_TYPE_OTHER) text += strlen(text) + 1;
    return *text ? text : NULL;
}

/* ---- attributes ---- */

static void read_attr(const uint8_t *p, shp_schema_attr *a)
{
    *a = (shp_schema_attr){ .name = (const char *)p };
    p = past_text(p);
    a->len = (uint32_t)((const char *)p - a->name) - 1;
    a->next = past_head(p);
    a->type = *p & SHP_ATTR_TYPE;
    a->required = *p & SHP_ATTR_REQUIRED;
    a->has_default = *p & SHP_ATTR_DEFAULT;
    if (!a->has_default) return;
    p++;
    if (a->type == 3) a->s = (const char *)p;
    else a->i = shp_table_numbers[*p], a->ints = shp_table_numbers + *p + 1;
}

bool shp_schema_attr_next(const shp_schema *s, shp_schema_attr *a)
{
    const uint8_t *p = a->name ? a->next : s->list[SHP_LIST_ATTRS];
    if (*p) read_attr(p, a);
    return *p != 0;
}

bool shp_schema_has_attr(const shp_schema *s, shp_str name)
{
    const uint8_t *p = s->list[SHP_LIST_ATTRS];
    while (*p && !shp_str_is(name, (const char *)p)) p = past_head(past_text(p));
    return *p != 0;
}
