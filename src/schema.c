#include "schema_table.h"

#include <string.h>

/* A schema is the address of its version in shp_table_bytes. */
static const uint8_t *bytes(const shp_schema *s)
{
    return (const uint8_t *)s;
}

static const shp_schema *schema(const uint8_t *version)
{
    return (const shp_schema *)version;
}

/* The version before, or NULL for the oldest. */
static const uint8_t *before(const uint8_t *version)
{
    unsigned distance = (version[1] & 0xf0u) << 4 | version[2];
    return distance ? version - distance : NULL;
}

static const uint8_t *past_name(const uint8_t *p)
{
    while (*p++ != 0) {}            /* names are short: faster than calling strlen */
    return p;
}

/* p is past the name of an attribute with that head byte. */
static const uint8_t *past_default(unsigned head, const uint8_t *p)
{
    if (!(head & SHP_ATTR_DEFAULT)) return p;
    switch (head & SHP_ATTR_TYPE) {
    case 3:
        return past_name(p);
    case 8:
        for (unsigned n = *p++; n > 0; n--) p = past_name(p);
        return p;
    default:
        return p + 1;
    }
}

static const uint8_t *past_attr(const uint8_t *p)
{
    return past_default(*p, past_name(p + 1));
}

static const uint8_t *past_list(const uint8_t *p, int which)
{
    unsigned n = *p++;
    if (which == SHP_LIST_TYPES) return p + n;
    for (; n > 0; n--) p = which == SHP_LIST_ATTRS ? past_attr(p) : past_name(p + 1);
    return p;
}

/* Where that list of s begins, at its count. */
static const uint8_t *list(const shp_schema *s, int which)
{
    const uint8_t *version = bytes(s);
    while (!(version[1] >> which & 1)) version = before(version);
    const uint8_t *p = version + SHP_VERSION_HEAD;
    for (int k = 0; k < which; k++)
        if (version[1] >> k & 1) p = past_list(p, k);
    return p;
}

/* < 0, 0 or > 0 as the NUL-terminated text is before, is or is after s. */
static int order(const char *text, shp_str s)
{
    for (uint32_t i = 0; i < s.len; i++) {
        int a = (uint8_t)text[i], b = (uint8_t)s.at[i];
        if (a == 0) return -1;
        if (a != b) return a - b;
    }
    return text[s.len] != 0;
}

static const char *op_name(int op)
{
    return (const char *)(shp_table_bytes + shp_table_ops[op]);
}

static const uint8_t *op_newest(int op)
{
    return past_name(shp_table_bytes + shp_table_ops[op]);
}

static const uint8_t *newest(shp_str domain, shp_str op_type)
{
    if (order("ai.onnx", domain) == 0) domain.len = 0;
    for (int d = 0; d < shp_table_domain_count; d++) {
        if (order(shp_table_domains[d].name, domain) != 0) continue;
        unsigned letter = op_type.len > 0 ? (unsigned)(uint8_t)op_type.at[0] - 'A' : 26;
        if (letter >= 26) return NULL;
        int low = shp_table_domains[d].ops[letter], high = shp_table_domains[d].ops[letter + 1];
        while (low < high) {
            int middle = (low + high) / 2;
            int way = order(op_name(middle), op_type);
            if (way == 0) return op_newest(middle);
            if (way < 0) low = middle + 1;
            else high = middle;
        }
        return NULL;
    }
    return NULL;
}

const shp_schema *shp_schema_find(shp_str domain, shp_str op_type, int64_t opset)
{
    const uint8_t *version = newest(domain, op_type);
    while (version && (version[0] & SHP_VERSION_SINCE) > opset) version = before(version);
    return schema(version);
}

int64_t shp_schema_first(shp_str domain, shp_str op_type)
{
    const uint8_t *version = newest(domain, op_type);
    if (!version) return 0;
    for (const uint8_t *older; (older = before(version)) != NULL;) version = older;
    return version[0] & SHP_VERSION_SINCE;
}

static int op_count(void)
{
    return shp_table_domains[shp_table_domain_count - 1].ops[26];
}

/* The operator that s is a version of. Only the newest version follows the name; the others precede it. */
static int op_of(const shp_schema *s)
{
    int low = 0, high = op_count() - 1;     /* the last operator whose name is before s */
    while (low < high) {
        int middle = (low + high + 1) / 2;
        if (shp_table_bytes + shp_table_ops[middle] < bytes(s)) low = middle;
        else high = middle - 1;
    }
    return low + (op_newest(low) < bytes(s));
}

const shp_schema *shp_schema_next(const shp_schema *s)
{
    if (!s) return schema(op_newest(0));
    const uint8_t *older = before(bytes(s));
    if (older) return schema(older);
    int op = op_of(s) + 1;
    return op < op_count() ? schema(op_newest(op)) : NULL;
}

const char *shp_schema_domain(const shp_schema *s)
{
    int op = op_of(s), d = 0;
    while (shp_table_domains[d].ops[26] <= op) d++;
    return shp_table_domains[d].name;
}

const char *shp_schema_name(const shp_schema *s)
{
    return op_name(op_of(s));
}

int shp_schema_since(const shp_schema *s)
{
    return bytes(s)[0] & SHP_VERSION_SINCE;
}

bool shp_schema_deprecated(const shp_schema *s)
{
    return bytes(s)[0] & SHP_VERSION_DEPRECATED;
}

bool shp_schema_function(const shp_schema *s)
{
    return bytes(s)[0] & SHP_VERSION_FUNCTION;
}

/* Formals */

/* ONNX counts a trailing optional formal as dispensable, and a variadic one as one actual or none. */
static int min_formals(const shp_schema *s, int which)
{
    const uint8_t *p = list(s, which);
    int n = *p++, min = 0;
    for (int i = 0; i < n; i++, p = past_name(p + 1)) {
        if (*p & SHP_KIND_VARIADIC) min = i + !(*p & SHP_KIND_OPTIONAL);
        else if (!(*p & SHP_KIND_OPTIONAL)) min = i + 1;
    }
    return min;
}

/* The formal of actual i, at its kind, or NULL past the end. */
static const uint8_t *formal(const shp_schema *s, int which, int i)
{
    const uint8_t *p = list(s, which), *at = NULL;
    int n = *p++;
    if (i < 0) return NULL;
    for (int k = 0; k < n && k <= i; k++, p = past_name(p + 1)) {
        at = p;
        if (k == i || *p & SHP_KIND_VARIADIC) return at;
    }
    return NULL;
}

/* The last formal, at its kind, if it is variadic, else NULL. */
static const uint8_t *variadic(const shp_schema *s, int which)
{
    return formal(s, which, INT32_MAX);
}

static int constraint(const uint8_t *f)
{
    if (!f) return SHP_FORMAL_NONE;
    return *f & SHP_KIND_VARIABLE ? *f & 15 : -1 - (*f & 31);
}

int shp_schema_min_inputs(const shp_schema *s)
{
    return min_formals(s, SHP_LIST_INPUTS);
}

int shp_schema_max_inputs(const shp_schema *s)
{
    return variadic(s, SHP_LIST_INPUTS) ? INT32_MAX : *list(s, SHP_LIST_INPUTS);
}

int shp_schema_min_outputs(const shp_schema *s)
{
    return min_formals(s, SHP_LIST_OUTPUTS);
}

int shp_schema_max_outputs(const shp_schema *s)
{
    return variadic(s, SHP_LIST_OUTPUTS) ? INT32_MAX : *list(s, SHP_LIST_OUTPUTS);
}

int shp_schema_input(const shp_schema *s, int i)
{
    return constraint(formal(s, SHP_LIST_INPUTS, i));
}

int shp_schema_output(const shp_schema *s, int i)
{
    return constraint(formal(s, SHP_LIST_OUTPUTS, i));
}

const char *shp_schema_input_name(const shp_schema *s, int i)
{
    const uint8_t *f = formal(s, SHP_LIST_INPUTS, i);
    return f ? (const char *)f + 1 : "";
}

const char *shp_schema_output_name(const shp_schema *s, int i)
{
    const uint8_t *f = formal(s, SHP_LIST_OUTPUTS, i);
    return f ? (const char *)f + 1 : "";
}

bool shp_schema_input_optional(const shp_schema *s, int i)
{
    const uint8_t *f = formal(s, SHP_LIST_INPUTS, i);
    return f && *f & SHP_KIND_OPTIONAL && !(*f & SHP_KIND_VARIADIC);
}

bool shp_schema_heterogeneous(const shp_schema *s, bool output)
{
    const uint8_t *f = variadic(s, output ? SHP_LIST_OUTPUTS : SHP_LIST_INPUTS);
    return f && *f & SHP_KIND_VARIABLE && *f & SHP_KIND_DIFFER;
}

/* Types */

static uint32_t mask(const shp_schema *s, int v, int word)
{
    const uint8_t *p = list(s, SHP_LIST_TYPES);
    return v < 0 || v >= *p ? 0 : shp_table_masks[shp_table_sets[p[1 + v]][word]];
}

bool shp_schema_allows(const shp_schema *s, int v, int type_code)
{
    if (type_code < 0 || type_code >= 160) return false;
    return mask(s, v, type_code / 32) >> type_code % 32 & 1;
}

int shp_schema_only_type(const shp_schema *s, int v)
{
    int only = 0;
    for (int word = 0; word < 5; word++) {
        uint32_t m = mask(s, v, word);
        if (m == 0) continue;
        if (only || m & (m - 1)) return 0;
        for (only = word * 32; !(m & 1); m >>= 1) only++;
    }
    return only;
}

const char *shp_schema_other_type(int type_code)
{
    const char *text = shp_table_other;
    if (type_code < SHP_TYPE_OTHER) return NULL;
    for (int code = SHP_TYPE_OTHER; *text; code++, text += strlen(text) + 1)
        if (code == type_code) return text;
    return NULL;
}

/* Attributes */

static shp_schema_attr attr(const uint8_t *p)
{
    unsigned head = *p;
    shp_schema_attr a = { .name = (const char *)p + 1, .type = (int)(head & SHP_ATTR_TYPE),
                          .required = head & SHP_ATTR_REQUIRED, .has_default = head & SHP_ATTR_DEFAULT, .s = "" };
    if (!a.has_default) return a;
    p = past_name(p + 1);
    switch (a.type) {
    case 1: a.f = shp_table_floats[*p]; break;
    case 2: a.i = shp_table_numbers[*p]; break;
    case 3: a.s = (const char *)p; break;
    case 7: a.count = (int)shp_table_numbers[*p], a.ints = shp_table_numbers + *p + 1; break;
    case 8: a.count = *p, a.s = (const char *)p + 1; break;
    }
    return a;
}

int shp_schema_attrs(const shp_schema *s)
{
    return *list(s, SHP_LIST_ATTRS);
}

shp_schema_attr shp_schema_attr_at(const shp_schema *s, int i)
{
    const uint8_t *p = list(s, SHP_LIST_ATTRS);
    if (i < 0 || i >= *p) return (shp_schema_attr){ .name = "", .s = "" };
    for (p++; i > 0; i--) p = past_attr(p);
    return attr(p);
}

static const uint8_t *attr_named(const shp_schema *s, shp_str name)
{
    const uint8_t *p = list(s, SHP_LIST_ATTRS);
    for (unsigned n = *p++; n > 0; n--) {
        const uint8_t *at = p++;
        uint32_t i = 0;
        while (i < name.len && *p != 0 && *p == (uint8_t)name.at[i]) p++, i++;
        if (i == name.len && *p == 0) return at;
        p = past_default(*at, past_name(p));
    }
    return NULL;
}

bool shp_schema_attr_find(const shp_schema *s, const char *name, shp_schema_attr *out)
{
    const uint8_t *p = attr_named(s, (shp_str){ name, (uint32_t)strlen(name) });
    if (p) *out = attr(p);
    return p != NULL;
}

bool shp_schema_has_attr(const shp_schema *s, shp_str name)
{
    return attr_named(s, name) != NULL;
}
