/* data - the elements of tensors in the file: decoded where they are at hand, else asked of the host. */
#include "driver.h"

enum { REAL_SHOWN = 64 /* elements: longer lists of floats are weights, shown only where a rule has read them */ };

static const shp_content no_content;        /* marks a tensor whose content cannot be had */

static bool wants_content(const shp_tensor *t, uint32_t limit)
{
    char kind = shp_dtype_kind(t->elem_type);
    return t->count >= 0 && t->count <= limit && !t->sparse && (kind == 'I' || kind == 'U' || kind == 'F' || kind == 'B');
}

/* Whether its elements need not be asked for: the file's skeleton has them, or there are none. */
static bool at_hand(const shp_tensor *t) { return t->count == 0 || (!t->external && t->data); }

static const shp_content *decode(shp_infer *x, const shp_tensor *t, const uint8_t *bytes, uint64_t len)
{
    shp_content *c = shp_alloc(x->arena, sizeof *c + (size_t)t->count * sizeof(shp_elem));
    if (!c) return &no_content;
    c->count = (uint32_t)t->count;
    shp_elements all = shp_tensor_elements(t, bytes, len);
    bool real = shp_dtype_kind(t->elem_type) == 'F';
    c->fixed = true;
    for (uint32_t i = 0; i < c->count; i++) {
        double f;
        int64_t v;
        if (real && shp_next_float(&all, &f)) c->elem[i] = shp_elem_real(f);
        else if (!real && shp_next_int(&all, &v)) c->elem[i] = shp_elem_dim(shp_dim_const(x->dims, v));
        c->fixed &= c->elem[i] != 0;
    }
    return c;
}

/* Whether an external file was found missing before. */
static bool is_missing(const struct shp_private *p, shp_str location)
{
    for (size_t i = 0; i < p->missing_files; i++)
        if (shp_str_eq(p->missing[i], location)) return true;
    return false;
}

bool shp_has_place(shp_infer *x, const shp_scope *scope, const shp_tensor *t)
{
    const char *bad = t->external_offset == UINT64_MAX ? "offset" : t->external_length == UINT64_MAX ? "length" : t->location.len ? NULL : "location";
    if (!bad) return true;
    shp_diagnose(x, scope, NULL, SHP_D_EXTERNAL, &t->name, "the external data of tensor '%v' have no %s that can be used: its elements stay unknown", bad);
    ((shp_tensor *)t)->cache = &no_content;
    return false;
}

/* Asks the host for a tensor's bytes; the node is done again when they are there. */
static void ask_bytes(shp_infer *x, const shp_scope *scope, const shp_tensor *t)
{
    uint64_t want = shp_tensor_bytes(t);
    x->p->waiting = true;
    x->request = (shp_request){ .tensor = t, .scope = scope };
    if (t->external) {
        x->request.offset = t->external_offset;
        x->request.length = t->external_length && t->external_length < want ? t->external_length : want;
        x->request.location = t->location;
    } else {
        x->request.offset = t->data_offset;
        x->request.length = t->data_len;
    }
}

const shp_content *shp_tensor_content(shp_infer *x, const shp_scope *scope, const shp_tensor *t)
{
    if (x->p->probing && t->count > REAL_SHOWN && shp_dtype_kind(t->elem_type) == 'F') return NULL;     /* weights make no sizes */
    if (t->cache) return t->cache == &no_content ? NULL : t->cache;
    if (x->p->waiting || !wants_content(t, x->options.elements)) return NULL;
    const shp_content *c = &no_content;
    if (!t->data_len && !t->external && t->count && t->name.len)
        shp_diagnose(x, scope, NULL, SHP_D_NO_DATA, &t->name, "initializer '%v' has no data: what depends on its elements stays unknown");
    if (at_hand(t)) c = decode(x, t, t->data, t->data_len);
    else if (t->external ? shp_has_place(x, scope, t) && !is_missing(x->p, t->location) : t->field != SHP_DATA_NONE && t->data_len <= 16 * (uint64_t)SHP_ELEMENTS_MAX) {
        ask_bytes(x, scope, t);
        return NULL;
    }
    ((shp_tensor *)t)->cache = c;
    return c == &no_content ? NULL : c;
}

const shp_content *shp_known_content(shp_infer *x, const shp_fact *f)
{
    const shp_tensor *t = f->tensor;
    if (f->content || !t) return f->content && f->content->bounds ? NULL : f->content;
    if (!t->cache && (!at_hand(t) || !wants_content(t, shp_dtype_kind(t->elem_type) == 'F' ? REAL_SHOWN : x->options.elements))) return NULL;
    if (!t->cache) ((shp_tensor *)t)->cache = decode(x, t, t->data, t->data_len);
    return t->cache == &no_content ? NULL : t->cache;
}

/* Says once a file what cannot be read, and what stays unknown because of it. */
static void tell_missing(shp_infer *x, const shp_tensor *t, shp_str message)
{
    struct shp_private *p = x->p;
    shp_str *more = shp_grow_array(x->arena, p->missing, p->missing_files, &p->missing_room, sizeof *more);
    if (!more) return;
    p->missing = more;
    p->missing[p->missing_files++] = t->location;
    shp_diagnose(x, x->main, NULL, SHP_D_EXTERNAL, &t->name, "external file '%n' cannot be read (%m): the elements of tensor '%v' stay unknown, and so do the sizes that %p makes of them (give the file with options.externalData)",
                 &t->location, &message, &(shp_node){ .proto = p->asking, .index = p->asking_index });
}

void shp_infer_bytes(shp_infer *x, bool ok, const uint8_t *bytes, uint64_t len, shp_str message)
{
    const shp_tensor *t = x->request.tensor;
    if (!t || !x->p->waiting) return;
    x->p->waiting = false;
    ((shp_tensor *)t)->cache = ok ? decode(x, t, bytes, len) : &no_content;
    if (!ok) tell_missing(x, t, message);
    else if (len < x->request.length)
        shp_diagnose(x, x->request.scope, NULL, SHP_D_DATA_SIZE, &t->name, "tensor '%v': file '%n' has %d bytes from byte %d on, %d expected",
                     &t->location, (int64_t)len, (int64_t)x->request.offset, (int64_t)x->request.length);
}
