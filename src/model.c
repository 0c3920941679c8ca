/* ModelProto without its graphs' names and order (graph.c): types, tensors, attributes, functions. */
#include "reader.h"

#include "skim.h"

#include <string.h>

/* ---- errors and memory ---- */
void shp_enter(shp_reader *r, shp_where *here, const char *name, uint32_t index, const shp_wire *message)
{
    *here = (shp_where){ { r->where ? &r->where->path : NULL, name, index }, *message, r->where };
    r->where = here;
}

void shp_leave(shp_reader *r, const shp_where *here) { r->where = here->up; }

/* A record of what is not in the skeleton: payload { field, offset, length }, count { field, entries }, trailer { offset, … }. */
typedef struct record {
    uint64_t value[4];              /* 1-based */
} record;

static record read_record(shp_wire w)
{
    record rec = { { 0 } };
    for (shp_field f; shp_next(&w, &f); )
        if ((f.key & 7) == SHP_VARINT && f.key >> 3 < 4) rec.value[f.key >> 3] = f.value;
    return rec;
}

/* The number of a field, also of one that a record stands for. */
static uint32_t number_of(const shp_field *f, record *rec)
{
    bool is_record = f->key == SHP_KEY(SHP_RECORD_PAYLOAD, SHP_LEN) || f->key == SHP_KEY(SHP_RECORD_COUNT, SHP_LEN);
    *rec = (record){ { 0 } };
    if (is_record) *rec = read_record(f->sub);
    return is_record ? (uint32_t)rec->value[1] : f->key >> 3;
}

void shp_read_fail(shp_reader *r, shp_code code)
{
    bool found = false;
    if (r->error->code) return;
    r->error->code = code;
    for (const shp_where *where = r->where; where && !found; where = where->up) {
        shp_wire w = where->message;
        for (shp_field f; shp_next(&w, &f); ) {
            if (f.key != SHP_KEY(SHP_RECORD_TRAILER, SHP_LEN)) continue;
            r->error->offset = read_record(f.sub).value[1];
            found = true;
        }
    }
    if (r->where && code != SHP_E_MEMORY) r->error->path = shp_path_text(r->arena, &r->where->path);
}

bool shp_read_next(shp_reader *r, shp_wire *w, shp_field *f)
{
    if (r->error->code) return false;
    if (shp_next(w, f)) return true;
    if (w->failed) shp_read_fail(r, SHP_E_WIRE);
    return false;
}

/* Where singular fields go, and how many there are of repeated ones: rows of a field's key, what it becomes, and where in a struct. The
 * last row is all 0. */
enum { TO_TEXT, TO_DOMAIN, TO_32, TO_64, TO_COUNT };
typedef struct field_row {
    uint8_t key, become, offset;
} field_row;

static void set(const field_row *row, const shp_field *f, void *to)
{
    for (; row->key; row++) {
        if (row->key != f->key) continue;
        void *at = (uint8_t *)to + row->offset;
        if (row->become < TO_32) {
            *(shp_str *)at = row->become == TO_DOMAIN ? shp_domain(f->text) : f->text;
        } else if (row->become == TO_COUNT) ++*(uint32_t *)at;
        else memcpy(at, &f->value, row->become == TO_32 ? 4 : 8);      /* little-endian */
    }
}

/* All fields of a message. names: a payload is a name beyond 64 KiB, an error. */
static void read_rows(shp_reader *r, shp_wire w, const field_row *rows, void *to, bool names)
{
    for (shp_field f; shp_read_next(r, &w, &f); ) {
        set(rows, &f, to);
        if (names && f.key == SHP_KEY(SHP_RECORD_PAYLOAD, SHP_LEN)) shp_read_fail(r, SHP_E_WIRE);
    }
}

#define ROW(number, type, become, of, member) { SHP_KEY(number, type), become, offsetof(of, member) }

void *shp_take(shp_reader *r, size_t count, size_t size)
{
    void *p = shp_alloc_array(r->arena, count, size);
    if (!p) shp_read_fail(r, SHP_E_MEMORY);
    return p;
}

void *shp_append(shp_reader *r, void *items, size_t count, size_t *room, size_t size)
{
    void *more = shp_grow_array(r->arena, items, count, room, size);
    if (!more) shp_read_fail(r, SHP_E_MEMORY);
    return more;
}

shp_str shp_domain(shp_str domain)
{
    if (shp_str_is(domain, "ai.onnx")) domain.len = 0;
    return domain;
}

/* ---- fields of a message ---- */

/* Copies what fields of that key hold, one after another, to `to` where it is not NULL; returns the bytes. */
static size_t gather(shp_reader *r, shp_wire w, uint32_t key, uint32_t other, uint8_t *to)
{
    size_t size = 0;
    const uint8_t *at = w.at;
    for (shp_field f; at = w.at, shp_read_next(r, &w, &f); ) {
        if (f.key != key && f.key != other) continue;
        if ((f.key & 7) == SHP_LEN) at = f.sub.at;
        else while (*at++ >= 0x80) {}               /* over its tag */
        size_t part = (size_t)(w.at - at);
        if (to && part) memcpy(to + size, at, part);
        size += part;
    }
    return size;
}

/* A singular message's content; where it occurs more than once all its contents one after another, which is what merging means.
 * false: absent. */
static bool find(shp_reader *r, const shp_wire *message, uint32_t number, shp_wire *content)
{
    uint32_t key = SHP_KEY(number, SHP_LEN), times = 0;
    shp_wire w = *message;
    for (shp_field f; shp_read_next(r, &w, &f); ) {
        if (f.key != key) continue;
        *content = f.sub;
        times++;
    }
    if (times < 2) return times == 1;
    size_t size = gather(r, *message, key, key, NULL);
    uint8_t *all = shp_take(r, size, 1);
    if (!all) return false;
    gather(r, *message, key, key, all);
    *content = shp_wire_of(all, size);
    return true;
}

/* The last singular message that was seen in one: most often the only one. */
typedef struct single {
    shp_wire content;
    uint32_t number, times;
} single;

static void note(single *s, const shp_field *f)
{
    s->times++;
    s->number = f->key >> 3;
    s->content = f->sub;
}

static bool found(shp_reader *r, const shp_wire *message, single *s, uint32_t number)
{
    if (s->times == 1 && s->number == number) return true;
    return s->times && find(r, message, number, &s->content);
}

/* ---- repeated fields, numbers packed or not ---- */
typedef struct list {
    uint32_t number;
    unsigned type;                  /* of an entry; SHP_LEN for strings */
    uint64_t most;                  /* entries that are kept */
    uint64_t entries;               /* in the skeleton */
    uint64_t missing;               /* counted only; UINT64_MAX where a payload of varints hides how many */
    uint64_t size;                  /* bytes of entries in the skeleton, in packed form */
    const uint8_t *bytes;           /* where those are one packed field */
    uint32_t parts, payloads;
    uint64_t offset, length;        /* of the last payload; of all */
    void *item;                     /* int64, float or shp_str each, `room` of them at the end of the arena */
    size_t room;
    bool broken;                    /* packed numbers are not whole, or too long */
} list;

static unsigned width_of(unsigned type) { return type == SHP_FIXED32 ? 4 : type == SHP_FIXED64 ? 8 : 0; }
static size_t item_size(unsigned type) { return type == SHP_LEN ? sizeof(shp_str) : type == SHP_VARINT ? sizeof(int64_t) : sizeof(float); }

static uint64_t add(uint64_t a, uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }

static void add_entry(list *l, uint64_t value)
{
    if (l->entries < l->room) {
        if (l->type == SHP_VARINT) ((int64_t *)l->item)[l->entries] = (int64_t)value;
        else ((float *)l->item)[l->entries] = shp_float32((uint32_t)value);
    }
    l->entries++;
}

static void add_packed(list *l, shp_wire w)
{
    size_t size = (size_t)(w.end - w.at), width = width_of(l->type), count = width ? size / width : 0;
    l->broken |= width ? size % width : size && w.end[-1] >= 0x80;
    for (const uint8_t *p = w.at; !width && p < w.end; p++) count += *p < 0x80;
    l->bytes = w.at;
    l->size += size;
    if (count > l->room) { l->entries += count; return; }
    for (; count; count--, w.at += width) add_entry(l, width ? shp_little(w.at, (unsigned)width) : shp_varint(&w));
    l->broken |= w.failed;
}

static void add_record(list *l, const record *rec, bool payload)
{
    unsigned width = width_of(l->type);
    if (!payload) { l->missing = add(l->missing, rec->value[2]); return; }
    l->missing = add(l->missing, l->type == SHP_LEN ? 1 : width ? rec->value[3] / width : UINT64_MAX);
    l->payloads++;
    l->offset = rec->value[2];
    l->length += rec->value[3];
}

/* A field of the list, or a record of what is left out of it; it begins at `at` and ends at w->at. */
static void add_field(shp_reader *r, list *l, const shp_field *f, const record *rec, const shp_wire *w, const uint8_t *at)
{
    bool one = (f->key & 7) == l->type;
    if (rec->value[1]) { add_record(l, rec, f->key == SHP_KEY(SHP_RECORD_PAYLOAD, SHP_LEN)); return; }
    if (!one && (f->key & 7) != SHP_LEN) return;
    if (!l->parts++ && l->most) {
        l->room = (size_t)(w->end - at) / (l->type == SHP_FIXED32 ? 4 : l->type == SHP_LEN ? 2 : 1);
        if (l->room > l->most) l->room = (size_t)l->most;
        l->item = shp_take(r, l->room, item_size(l->type));
        if (!l->item) l->room = 0;
    }
    if (!one) { add_packed(l, f->sub); return; }
    while (*at++ >= 0x80) {}
    l->size += (uint64_t)(w->at - at);
    if (l->type != SHP_LEN) add_entry(l, f->value);
    else if (l->entries++ < l->room) ((shp_str *)l->item)[l->entries - 1] = f->text;
}

static void add_fields(shp_reader *r, list *l, shp_wire w)
{
    const uint8_t *at;
    record rec;
    for (shp_field f; at = w.at, shp_read_next(r, &w, &f); )
        if (number_of(&f, &rec) == l->number) add_field(r, l, &f, &rec, &w, at);
}

static uint32_t saturated(uint64_t n) { return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX; }

/* The items, where all of them are there and at most `most`; else NULL. *count: how many there are. Nothing may have been allocated since
 * the first was added: the arena takes the unused room back. */
static void *items_of(shp_reader *r, list *l, uint32_t *count)
{
    *count = saturated(l->missing == UINT64_MAX ? l->length : add(l->entries, l->missing));
    bool whole = !l->missing && l->entries <= l->most;
    if (l->broken) shp_read_fail(r, SHP_E_WIRE);
    if (!whole || r->error->code) return NULL;
    if (!l->item) return shp_take(r, 0, 1);
    shp_shrink(r->arena, l->item, (size_t)l->entries * item_size(l->type));
    return l->item;
}

/* The entries in packed form: in the skeleton where they are one packed field, else gathered. NULL and an error. */
static const uint8_t *packed(shp_reader *r, const shp_wire *message, const list *l)
{
    if (l->parts == 1 && l->bytes) return l->bytes;
    uint8_t *all = shp_take(r, (size_t)l->size, 1);
    if (all && l->parts) gather(r, *message, SHP_KEY(l->number, l->type), SHP_KEY(l->number, SHP_LEN), all);
    return all;
}

/* ---- types ---- */
static void read_dim(shp_reader *r, shp_wire w, shp_dim_proto *d)
{
    for (shp_field f; shp_read_next(r, &w, &f); )
        switch (f.key) {
        case SHP_KEY(1, SHP_VARINT): *d = (shp_dim_proto){ .kind = SHP_DIM_VALUE, .value = (int64_t)f.value }; break;
        case SHP_KEY(2, SHP_LEN):
            *d = (shp_dim_proto){ .param = f.text };
            if (d->param.len) d->kind = SHP_DIM_PARAM;
            break;
        case SHP_KEY(SHP_RECORD_PAYLOAD, SHP_LEN): *d = (shp_dim_proto){ 0 }; break;        /* a name beyond 64 KiB */
        }
}

static void read_shape(shp_reader *r, const shp_wire *message, shp_type_proto *t)
{
    shp_wire w = *message;
    uint32_t i = 0;
    t->has_shape = true;
    for (shp_field f; shp_read_next(r, &w, &f); ) t->rank += f.key == SHP_KEY(1, SHP_LEN);
    t->dim = shp_take(r, t->rank, sizeof *t->dim);
    w = *message;
    for (shp_field f; shp_read_next(r, &w, &f); )
        if (f.key == SHP_KEY(1, SHP_LEN)) read_dim(r, f.sub, &t->dim[i++]);
}

/* Tensor and SparseTensor { elem_type, shape }; Sequence and Optional { elem_type }; Map { key_type, value_type }. */
static void read_type(shp_reader *r, const shp_wire *message, shp_type_proto *t, uint32_t depth)
{
    static const uint8_t kinds[] = { [1] = SHP_T_TENSOR, [4] = SHP_T_SEQUENCE, [5] = SHP_T_MAP, [7] = SHP_T_OPAQUE, [8] = SHP_T_SPARSE,
                                     [9] = SHP_T_OPTIONAL };
    shp_wire w = *message;
    single content = { { 0 }, 0, 0 }, part = { { 0 }, 0, 0 };
    uint32_t member = 0;
    for (shp_field f; shp_read_next(r, &w, &f); ) {
        if (f.key >> 3 >= sizeof kinds || !kinds[f.key >> 3]) continue;
        member = f.key >> 3;        /* of a oneof, the last one counts */
        if ((f.key & 7) == SHP_LEN) note(&content, &f);
    }
    if (!found(r, message, &content, member)) return;
    *t = (shp_type_proto){ .kind = kinds[member] };
    w = content.content;
    for (shp_field f; shp_read_next(r, &w, &f); )
        if (f.key == SHP_KEY(1, SHP_VARINT)) t->elem_type = (int32_t)f.value;
        else if ((f.key & 7) == SHP_LEN) note(&part, &f);
    switch (t->kind) {
    case SHP_T_TENSOR: case SHP_T_SPARSE:
        if (found(r, &content.content, &part, 2)) read_shape(r, &part.content, t);
        break;
    case SHP_T_SEQUENCE: case SHP_T_OPTIONAL: case SHP_T_MAP:
        t->inner = shp_take(r, 1, sizeof *t->inner);
        if (depth >= r->nesting) shp_read_fail(r, SHP_E_NESTING);
        else if (t->inner && found(r, &content.content, &part, t->kind == SHP_T_MAP ? 2 : 1)) read_type(r, &part.content, t->inner, depth + 1);
        break;
    default: break;
    }
}

void shp_read_value_info(shp_reader *r, shp_wire message, shp_value_info *to)
{
    single type = { { 0 }, 0, 0 };
    shp_wire w = message;
    for (shp_field f; shp_read_next(r, &w, &f); )
        switch (f.key) {
        case SHP_KEY(1, SHP_LEN): to->name = f.text; break;
        case SHP_KEY(2, SHP_LEN): note(&type, &f); break;
        case SHP_KEY(SHP_RECORD_PAYLOAD, SHP_LEN): shp_read_fail(r, SHP_E_WIRE); break;     /* a name beyond 64 KiB */
        }
    if (found(r, &message, &type, 2)) read_type(r, &type.content, &to->type, 0);
}

/* ---- tensors ---- */
static uint64_t decimal(shp_str s)
{
    uint64_t value = 0;
    for (uint32_t i = 0; i < s.len; i++) {
        unsigned digit = (unsigned)((uint8_t)s.at[i] - '0');
        if (digit > 9 || value > (UINT64_MAX - digit) / 10) return UINT64_MAX;      /* no number: a range that no file has */
        value = value * 10 + digit;
    }
    return value;
}

static void read_external(shp_reader *r, shp_wire w, shp_tensor *t)
{
    typedef struct entry { shp_str key, value; } entry;
    static const field_row rows[] = { ROW(1, SHP_LEN, TO_TEXT, entry, key), ROW(2, SHP_LEN, TO_TEXT, entry, value), { 0, 0, 0 } };
    entry e = { { 0 }, { 0 } };
    read_rows(r, w, rows, &e, false);
    if (shp_str_is(e.key, "location")) t->location = e.value;
    else if (shp_str_is(e.key, "offset")) t->external_offset = decimal(e.value);
    else if (shp_str_is(e.key, "length")) t->external_length = decimal(e.value);
}

static void set_dims(shp_reader *r, list *dims, shp_tensor *t)
{
    t->dim = items_of(r, dims, &t->rank);
    if (!t->dim) { shp_read_fail(r, SHP_E_WIRE); return; }          /* more than 1,024 axes */
    bool zero = false, negative = false;
    for (uint32_t i = 0; i < t->rank; i++) {
        zero = zero || t->dim[i] == 0;
        negative = negative || t->dim[i] < 0;
    }
    t->count = negative ? -1 : !zero;
    for (uint32_t i = 0; i < t->rank && t->count > 0; i++)
        t->count = t->count > INT64_MAX / t->dim[i] ? -1 : t->count * t->dim[i];
}

static void set_data(shp_reader *r, const shp_wire *message, uint32_t number, shp_tensor *t)
{
    static const uint8_t fields[] = { [4] = SHP_DATA_FLOAT, [5] = SHP_DATA_INT32, [6] = SHP_DATA_STRING, [7] = SHP_DATA_INT64,
                                      [10] = SHP_DATA_DOUBLE, [11] = SHP_DATA_UINT64 };
    unsigned type = number == 4 ? SHP_FIXED32 : number == 10 ? SHP_FIXED64 : number == 6 ? SHP_LEN : SHP_VARINT;
    list l = { .number = number, .type = type };
    add_fields(r, &l, *message);
    if (l.broken) shp_read_fail(r, SHP_E_WIRE);
    t->elements = add(l.entries, l.missing);
    if (!t->elements || r->error->code) return;
    t->field = fields[number];
    t->data_len = l.length + l.size;
    if (number == 6) return;
    if (!l.missing) t->data = packed(r, message, &l);
    else if (l.payloads == 1 && !l.parts) t->data_offset = l.offset;
}

/* Of a tensor's bytes the parts before and after its name: where the name is makes no difference. */
static void hash_part(shp_tensor *t, const uint8_t *from, const uint8_t *to)
{
    if (from < to) t->wire = shp_hash(t->wire, from, (size_t)(to - from));
}

void shp_read_tensor(shp_reader *r, const shp_wire *message, shp_tensor *t)
{
    shp_wire w = *message;
    list dims = { .number = 1, .type = SHP_VARINT, .most = SHP_SKIM_LIST };
    uint32_t typed = 0;             /* the typed field that is set: the last one, if there are several */
    bool raw = false;
    const uint8_t *at, *from = w.at;
    for (shp_field f; at = w.at, shp_read_next(r, &w, &f); ) {
        record rec;
        uint32_t number = number_of(&f, &rec);
        bool payload = rec.value[1];
        switch (number) {
        case 1:  add_field(r, &dims, &f, &rec, &w, at); break;
        case 2:  t->elem_type = (int32_t)f.value; break;
        case 4: case 5: case 6: case 7: case 10: case 11: typed = number; break;
        case 8:
            t->name = f.text;
            if (payload) shp_read_fail(r, SHP_E_WIRE);                              /* a name beyond 64 KiB */
            break;
        case 9:                     /* raw_data counts before the typed fields, unless it is empty */
            t->data = payload ? NULL : f.sub.at;
            t->data_len = payload ? rec.value[3] : (uint64_t)(f.sub.end - f.sub.at);
            t->data_offset = rec.value[2];
            raw = t->data_len > 0;
            break;
        case 13: read_external(r, f.sub, t); break;
        case 14: t->external = f.value == 1; break;
        }
        if (number < 8) continue;   /* hashed with what follows */
        hash_part(t, from, number == 8 ? at : w.at);
        from = w.at;
    }
    hash_part(t, from, w.at);
    set_dims(r, &dims, t);
    if (raw && !t->external) { t->field = SHP_DATA_RAW; return; }
    t->data = NULL;
    t->data_len = t->data_offset = 0;
    if (typed && !t->external) set_data(r, message, typed, t);
}

void shp_read_sparse(shp_reader *r, const shp_wire *message, shp_tensor *t)
{
    shp_wire values;
    shp_tensor v = { 0 };
    list dims = { .number = 3, .type = SHP_VARINT, .most = SHP_SKIM_LIST };
    if (find(r, message, 1, &values)) shp_read_tensor(r, &values, &v);
    t->name = v.name;
    t->elem_type = v.elem_type;
    t->sparse = true;
    t->wire = shp_hash(1, message->at, (size_t)(message->end - message->at));
    add_fields(r, &dims, *message);
    set_dims(r, &dims, t);
}

/* ---- attributes ---- */

/* By field number: the AttributeType that it holds the value of. */
static const uint8_t attr_types[24] = { [2] = SHP_ATTR_FLOAT, [3] = SHP_ATTR_INT, [4] = SHP_ATTR_STRING, [5] = SHP_ATTR_TENSOR, [6] = SHP_ATTR_GRAPH,
    [7] = SHP_ATTR_FLOATS, [8] = SHP_ATTR_INTS, [9] = SHP_ATTR_STRINGS, [10] = SHP_ATTR_TENSORS, [11] = SHP_ATTR_GRAPHS, [14] = SHP_ATTR_TYPE_PROTO,
    [15] = SHP_ATTR_TYPE_PROTOS, [22] = SHP_ATTR_SPARSE_TENSOR, [23] = SHP_ATTR_SPARSE_TENSORS };

/* The list of field 7, 8 or 9. */
static void begin_list(const shp_reader *r, list *l, uint32_t number)
{
    *l = (list){ .number = number, .type = number == 7 ? SHP_FIXED32 : number == 8 ? SHP_VARINT : SHP_LEN, .most = r->elements };
}

/* Name, type and values: of lists, the one that comes first. count: how often each value field is there, by AttributeType. */
static void scan_attr(shp_reader *r, shp_wire w, shp_attr *a, uint32_t count[16], single *value, list *l)
{
    uint32_t guess = 0;
    const uint8_t *at;
    for (shp_field f; at = w.at, shp_read_next(r, &w, &f); ) {
        record rec;
        uint32_t number = number_of(&f, &rec);
        if (number < sizeof attr_types && attr_types[number]) count[guess = attr_types[number]]++;
        switch (number) {
        case 1:  a->name = f.text; break;
        case 2:  a->f = shp_float32((uint32_t)f.value); break;
        case 3:  a->i = (int64_t)f.value; break;
        case 4:  a->s = rec.value[1] ? (shp_str){ NULL, saturated(rec.value[3]) } : f.text; break;
        case 5: case 6: case 14: case 22: note(value, &f); break;
        case 7: case 8: case 9:
            if (!l->number) begin_list(r, l, number);
            if (l->number == number) add_field(r, l, &f, &rec, &w, at);
            break;
        case 20: a->type = (int32_t)f.value; break;
        case 21: a->ref = f.text; break;
        }
        if (rec.value[1] && (number == 1 || number == 21)) shp_read_fail(r, SHP_E_WIRE);    /* a name beyond 64 KiB */
    }
    if (!a->type) a->type = (int32_t)guess;
}

/* The entries of field 7, 8 or 9; l: those of the list that was scanned. */
static void *list_items(shp_reader *r, const shp_wire *message, list *l, uint32_t number, uint32_t *count)
{
    if (l->number != number) {
        begin_list(r, l, number);
        add_fields(r, l, *message);
    }
    return items_of(r, l, count);
}

static void add_pending(shp_reader *r, shp_pendings *p, shp_pending item)
{
    shp_pending *more = shp_append(r, p->item, p->count, &p->room, sizeof *more);
    if (!more) return;
    p->item = more;
    more[p->count++] = item;
}

static void read_graphs(shp_reader *r, shp_wire w, shp_attr *a, uint32_t count, shp_pendings *pending, uint32_t node, uint32_t index)
{
    a->graphs = shp_take(r, count, sizeof *a->graphs);
    for (shp_field f; shp_read_next(r, &w, &f); ) {
        if (f.key != SHP_KEY(11, SHP_LEN)) continue;
        add_pending(r, pending, (shp_pending){ &a->graphs[a->count], f.sub, node, index, a->count });
        a->count++;
    }
}

void shp_read_attr(shp_reader *r, const shp_wire *message, shp_attr *a, shp_pendings *pending, uint32_t node, uint32_t index)
{
    uint32_t count[16] = { 0 };     /* how often each value field is there, by AttributeType */
    single value = { { 0 }, 0, 0 };
    list l = { .number = 0 };
    shp_where here;
    shp_enter(r, &here, "attribute", index, message);
    scan_attr(r, *message, a, count, &value, &l);
    if (a->ref.len) r->refs++;
    switch (a->type) {
    case SHP_ATTR_TENSOR:
        if (found(r, message, &value, 5) && (a->t = shp_take(r, 1, sizeof *a->t))) shp_read_tensor(r, &value.content, a->t);
        break;
    case SHP_ATTR_SPARSE_TENSOR:
        if (found(r, message, &value, 22) && (a->t = shp_take(r, 1, sizeof *a->t))) shp_read_sparse(r, &value.content, a->t);
        break;
    case SHP_ATTR_TYPE_PROTO:
        if (found(r, message, &value, 14) && (a->tp = shp_take(r, 1, sizeof *a->tp))) read_type(r, &value.content, a->tp, 0);
        break;
    case SHP_ATTR_GRAPH:
        if (found(r, message, &value, 6)) add_pending(r, pending, (shp_pending){ &a->g, value.content, node, index, SHP_NONE });
        break;
    case SHP_ATTR_GRAPHS:  read_graphs(r, *message, a, count[SHP_ATTR_GRAPHS], pending, node, index); break;
    case SHP_ATTR_FLOATS: a->floats = list_items(r, message, &l, 7, &a->count); break;
    case SHP_ATTR_INTS: a->ints = list_items(r, message, &l, 8, &a->count); break;
    case SHP_ATTR_STRINGS: a->strings = list_items(r, message, &l, 9, &a->count); break;
    case SHP_ATTR_TENSORS: case SHP_ATTR_TYPE_PROTOS: case SHP_ATTR_SPARSE_TENSORS: a->count = count[a->type]; break;
    default: break;
    }
    shp_leave(r, &here);
}

/* ---- functions and the model ---- */
static void read_opset(shp_reader *r, shp_wire w, shp_opset *o)
{
    static const field_row rows[] = { ROW(1, SHP_LEN, TO_DOMAIN, shp_opset, domain), ROW(2, SHP_VARINT, TO_64, shp_opset, version), { 0, 0, 0 } };
    read_rows(r, w, rows, o, false);
}

static void read_default(shp_reader *r, const shp_wire *message, shp_attr *a, uint32_t index)
{
    shp_pendings pending = { 0 };
    shp_read_attr(r, message, a, &pending, 0, index);
    for (size_t i = 0; i < pending.count && !r->error->code; i++)
        *pending.item[i].to = shp_read_graph(r, &pending.item[i].message, NULL, false);
}

static void read_function(shp_reader *r, const shp_wire *message, shp_function *f, uint32_t index)
{
    static const field_row rows[] = { ROW(1, SHP_LEN, TO_TEXT, shp_function, name), ROW(6, SHP_LEN, TO_COUNT, shp_function, attrs),
        ROW(9, SHP_LEN, TO_COUNT, shp_function, opsets), ROW(10, SHP_LEN, TO_DOMAIN, shp_function, domain),
        ROW(11, SHP_LEN, TO_COUNT, shp_function, defaults), ROW(13, SHP_LEN, TO_TEXT, shp_function, overload), { 0, 0, 0 } };
    shp_wire w = *message;
    shp_where here;
    shp_enter(r, &here, "functions", index, message);
    read_rows(r, w, rows, f, true);
    shp_str *attr = shp_take(r, f->attrs, sizeof *attr);
    shp_attr *attr_default = shp_take(r, f->defaults, sizeof *attr_default);
    shp_opset *opset = shp_take(r, f->opsets, sizeof *opset);
    f->attr = attr;
    f->attr_default = attr_default;
    f->opset = opset;
    f->attrs = f->defaults = f->opsets = 0;
    for (shp_field field; shp_read_next(r, &w, &field); )
        switch (field.key) {
        case SHP_KEY(6, SHP_LEN):  attr[f->attrs++] = field.text; break;
        case SHP_KEY(9, SHP_LEN):  read_opset(r, field.sub, &opset[f->opsets++]); break;
        case SHP_KEY(11, SHP_LEN): read_default(r, &field.sub, &attr_default[f->defaults], f->defaults); f->defaults++; break;
        }
    if (!r->error->code) f->body = shp_read_graph(r, message, NULL, true);
    shp_leave(r, &here);
}

static void read_model(shp_reader *r, const shp_wire *message, shp_model *m)
{
    static const field_row rows[] = { ROW(1, SHP_VARINT, TO_64, shp_model, ir_version), ROW(2, SHP_LEN, TO_TEXT, shp_model, producer_name),
        ROW(3, SHP_LEN, TO_TEXT, shp_model, producer_version), ROW(4, SHP_LEN, TO_TEXT, shp_model, domain),
        ROW(5, SHP_VARINT, TO_64, shp_model, model_version), ROW(8, SHP_LEN, TO_COUNT, shp_model, opsets),
        ROW(25, SHP_LEN, TO_COUNT, shp_model, functions), { 0, 0, 0 } };
    shp_wire w = *message, graph;
    shp_where here;
    read_rows(r, w, rows, m, false);
    shp_opset *opset = shp_take(r, m->opsets, sizeof *opset);
    m->opset = opset;
    m->function = shp_take(r, m->functions, sizeof *m->function);
    m->opsets = m->functions = 0;
    for (shp_field f; shp_read_next(r, &w, &f); )
        if (f.key == SHP_KEY(8, SHP_LEN)) read_opset(r, f.sub, &opset[m->opsets++]);
        else if (f.key == SHP_KEY(25, SHP_LEN)) { read_function(r, &f.sub, &m->function[m->functions], m->functions); m->functions++; }
    if (!find(r, message, 7, &graph)) return;
    shp_enter(r, &here, "graph", SHP_NONE, &graph);
    m->graph = shp_read_graph(r, &graph, NULL, false);
    shp_leave(r, &here);
}

shp_model *shp_model_read(shp_arena *a, const uint8_t *skeleton, size_t size, uint64_t seed, uint32_t nesting, uint64_t values,
                          uint32_t elements, shp_read_error *error)
{
    *error = (shp_read_error){ SHP_OK, 0, "" };
    shp_reader r = { .arena = a, .seed = shp_mix(seed, size), .nesting = nesting, .elements = elements, .values = values, .error = error };
    shp_model *m = shp_take(&r, 1, sizeof *m);
    if (!m) return NULL;
    shp_wire w = shp_wire_of(skeleton, size);
    read_model(&r, &w, m);
    m->values = r.shown;
    return error->code ? NULL : m;
}
