#include "skim.h"
#include "wire.h"

#include <string.h>

/* ---- what onnx.proto says, as far as the skimmer must know it ---- */
enum kind { MODEL, OPSET, GRAPH, FUNCTION, NODE, ATTRIBUTE, TENSOR, SPARSE, VALUE_INFO, TYPE, TENSOR_TYPE, ELEMENT_TYPE, MAP_TYPE,
            OPAQUE_TYPE, SHAPE, DIM, ENTRY, KINDS, UNKNOWN = KINDS };

/* A field's cell: what it is, which counter of its message it has (0: none), and its child's kind or the longest content that is
 * copied. A cell of 0 is left out. NOTE is left out where it is longer: exporters write empty ones everywhere, sooner copied than not. */
enum { DROP, INT, FIXED32, FIXED64, TEXT, MESSAGE };
enum { NO_LIMIT, NOTE, SHORT, LIST, NAME };
static const uint32_t limits[] = { 0, 127, 1 << 10, 10 << 10, 64 << 10 };

#define CELL(what, counter, argument) (uint16_t)((what) | (counter) << 3 | (argument) << 6)
#define WHAT(cell) ((cell) & 7)
#define COUNTER(cell) ((cell) >> 3 & 7)
#define ARGUMENT(cell) ((cell) >> 6)
#define ONE(what) CELL(what, 0, NO_LIMIT)
#define SUB(kind) CELL(MESSAGE, 0, kind)
#define SUBS(counter, kind) CELL(MESSAGE, counter, kind)

#define FIELDS(X) \
    X(MODEL, 1, ONE(INT), "ir_version")             X(MODEL, 2, CELL(TEXT, 0, SHORT), "producer_name") \
    X(MODEL, 3, CELL(TEXT, 0, SHORT), "producer_version") X(MODEL, 4, CELL(TEXT, 0, SHORT), "domain") \
    X(MODEL, 5, ONE(INT), "model_version")          X(MODEL, 6, DROP, "doc_string") \
    X(MODEL, 7, SUB(GRAPH), "graph")                X(MODEL, 8, SUBS(1, OPSET), "opset_import") \
    X(MODEL, 14, DROP, "metadata_props")            X(MODEL, 20, DROP, "training_info") \
    X(MODEL, 25, SUBS(2, FUNCTION), "functions")    X(MODEL, 26, DROP, "configuration") \
    X(OPSET, 1, CELL(TEXT, 0, NAME), "domain")      X(OPSET, 2, ONE(INT), "version") \
    X(GRAPH, 1, SUBS(1, NODE), "node")              X(GRAPH, 2, CELL(TEXT, 0, NAME), "name") \
    X(GRAPH, 5, SUBS(2, TENSOR), "initializer")     X(GRAPH, 10, DROP, "doc_string") \
    X(GRAPH, 11, SUBS(3, VALUE_INFO), "input")      X(GRAPH, 12, SUBS(4, VALUE_INFO), "output") \
    X(GRAPH, 13, SUBS(5, VALUE_INFO), "value_info") X(GRAPH, 14, DROP, "quantization_annotation") \
    X(GRAPH, 15, SUBS(6, SPARSE), "sparse_initializer") X(GRAPH, 16, DROP, "metadata_props") \
    X(FUNCTION, 1, CELL(TEXT, 0, NAME), "name")     X(FUNCTION, 4, CELL(TEXT, 0, NAME), "input") \
    X(FUNCTION, 5, CELL(TEXT, 0, NAME), "output")   X(FUNCTION, 6, CELL(TEXT, 0, NAME), "attribute") \
    X(FUNCTION, 7, SUBS(1, NODE), "node")           X(FUNCTION, 8, DROP, "doc_string") \
    X(FUNCTION, 9, SUBS(2, OPSET), "opset_import")  X(FUNCTION, 10, CELL(TEXT, 0, NAME), "domain") \
    X(FUNCTION, 11, SUBS(3, ATTRIBUTE), "attribute_proto") X(FUNCTION, 12, SUBS(4, VALUE_INFO), "value_info") \
    X(FUNCTION, 13, CELL(TEXT, 0, NAME), "overload") X(FUNCTION, 14, DROP, "metadata_props") \
    X(NODE, 1, CELL(TEXT, 0, NAME), "input")        X(NODE, 2, CELL(TEXT, 0, NAME), "output") \
    X(NODE, 3, CELL(TEXT, 0, NAME), "name")         X(NODE, 4, CELL(TEXT, 0, NAME), "op_type") \
    X(NODE, 5, SUBS(1, ATTRIBUTE), "attribute")     X(NODE, 6, CELL(DROP, 0, NOTE), "doc_string") \
    X(NODE, 7, CELL(TEXT, 0, NAME), "domain")       X(NODE, 8, CELL(TEXT, 0, NAME), "overload") \
    X(NODE, 9, DROP, "metadata_props")              X(NODE, 10, DROP, "device_configurations") \
    X(ATTRIBUTE, 1, CELL(TEXT, 0, NAME), "name")    X(ATTRIBUTE, 2, ONE(FIXED32), "f") \
    X(ATTRIBUTE, 3, ONE(INT), "i")                  X(ATTRIBUTE, 4, CELL(TEXT, 0, SHORT), "s") \
    X(ATTRIBUTE, 5, SUB(TENSOR), "t")               X(ATTRIBUTE, 6, SUB(GRAPH), "g") \
    X(ATTRIBUTE, 7, CELL(FIXED32, 1, LIST), "floats") X(ATTRIBUTE, 8, CELL(INT, 2, LIST), "ints") \
    X(ATTRIBUTE, 9, CELL(TEXT, 3, SHORT), "strings") X(ATTRIBUTE, 10, SUBS(4, TENSOR), "tensors") \
    X(ATTRIBUTE, 11, SUBS(5, GRAPH), "graphs")      X(ATTRIBUTE, 13, CELL(DROP, 0, NOTE), "doc_string") \
    X(ATTRIBUTE, 14, SUB(TYPE), "tp")               X(ATTRIBUTE, 15, SUBS(6, TYPE), "type_protos") \
    X(ATTRIBUTE, 20, ONE(INT), "type")              X(ATTRIBUTE, 21, CELL(TEXT, 0, NAME), "ref_attr_name") \
    X(ATTRIBUTE, 22, SUB(SPARSE), "sparse_tensor")  X(ATTRIBUTE, 23, SUBS(7, SPARSE), "sparse_tensors") \
    X(TENSOR, 1, CELL(INT, 1, NAME), "dims")        X(TENSOR, 2, ONE(INT), "data_type") \
    X(TENSOR, 3, DROP, "segment")                   X(TENSOR, 4, CELL(FIXED32, 2, SHORT), "float_data") \
    X(TENSOR, 5, CELL(INT, 3, SHORT), "int32_data") X(TENSOR, 6, CELL(TEXT, 4, SHORT), "string_data") \
    X(TENSOR, 7, CELL(INT, 5, SHORT), "int64_data") X(TENSOR, 8, CELL(TEXT, 0, NAME), "name") \
    X(TENSOR, 9, CELL(TEXT, 0, SHORT), "raw_data")  X(TENSOR, 10, CELL(FIXED64, 6, SHORT), "double_data") \
    X(TENSOR, 11, CELL(INT, 7, SHORT), "uint64_data") X(TENSOR, 12, DROP, "doc_string") \
    X(TENSOR, 13, SUB(ENTRY), "external_data")      X(TENSOR, 14, ONE(INT), "data_location") \
    X(TENSOR, 16, DROP, "metadata_props") \
    X(SPARSE, 1, SUB(TENSOR), "values")             X(SPARSE, 2, SUB(TENSOR), "indices") \
    X(SPARSE, 3, CELL(INT, 1, NAME), "dims") \
    X(VALUE_INFO, 1, CELL(TEXT, 0, NAME), "name")   X(VALUE_INFO, 2, SUB(TYPE), "type") \
    X(VALUE_INFO, 3, DROP, "doc_string")            X(VALUE_INFO, 4, DROP, "metadata_props") \
    X(TYPE, 1, SUB(TENSOR_TYPE), "tensor_type")     X(TYPE, 4, SUB(ELEMENT_TYPE), "sequence_type") \
    X(TYPE, 5, SUB(MAP_TYPE), "map_type")           X(TYPE, 6, DROP, "denotation") \
    X(TYPE, 7, SUB(OPAQUE_TYPE), "opaque_type")     X(TYPE, 8, SUB(TENSOR_TYPE), "sparse_tensor_type") \
    X(TYPE, 9, SUB(ELEMENT_TYPE), "optional_type") \
    X(TENSOR_TYPE, 1, ONE(INT), "elem_type")        X(TENSOR_TYPE, 2, SUB(SHAPE), "shape") \
    X(ELEMENT_TYPE, 1, SUB(TYPE), "elem_type") \
    X(MAP_TYPE, 1, ONE(INT), "key_type")            X(MAP_TYPE, 2, SUB(TYPE), "value_type") \
    X(SHAPE, 1, SUBS(1, DIM), "dim") \
    X(DIM, 1, ONE(INT), "dim_value")                X(DIM, 2, CELL(TEXT, 0, NAME), "dim_param") \
    X(ENTRY, 1, CELL(TEXT, 0, NAME), "key")         X(ENTRY, 2, CELL(TEXT, 0, NAME), "value")

enum { LAST_FIELD = 26, COUNTERS = 8 };

static const struct { uint8_t kind, number; uint16_t cell; } fields[] = {
#define X(kind, number, cell, name) { kind, number, cell },
    FIELDS(X)
#undef X
};

static const char names[] =         /* of the fields, in that order */
#define X(kind, number, cell, name) name "\0"
    FIELDS(X)
#undef X
;

enum { FIELD_COUNT = sizeof fields / sizeof *fields };

/* ---- what else a file may be, by its first bytes ---- */
enum { HEAD = 64 };
/* Each: where, how many bytes, the bytes, what it is. */
static const char formats[] =
    "\0\27" "version https://git-lfs" "a Git LFS pointer, not the model: run `git lfs pull`" "\0"
    "\0\4" "\x89PNG" "a PNG image" "\0"
    "\0\3" "\xff\xd8\xff" "a JPEG image" "\0"
    "\0\4" "GIF8" "a GIF image" "\0"
    "\0\4" "RIFF" "a RIFF file (WebP, WAV)" "\0"
    "\0\4" "PK\3\4" "a zip archive (a PyTorch or Keras file, or a model still to be unpacked)" "\0"
    "\0\2" "\x1f\x8b" "a gzip file, still to be unpacked" "\0"
    "\0\3" "BZh" "a bzip2 file, still to be unpacked" "\0"
    "\0\6" "\xfd" "7zXZ" "an xz file, still to be unpacked" "\0"
    "\0\4" "7z\xbc\xaf" "a 7z archive, still to be unpacked" "\0"
    "\0\4" "\x28\xb5\x2f\xfd" "a Zstandard file, still to be unpacked" "\0"
    "\4\4" "TFL3" "a TensorFlow Lite model" "\0"
    "\4\4" "ORTM" "a model in ONNX Runtime's own format (.ort)" "\0"
    "\0\4" "\x89HDF" "an HDF5 file (Keras)" "\0"
    "\0\4" "GGUF" "a GGUF model" "\0"
    "\0\6" "\x93NUMPY" "a NumPy array" "\0"
    "\0\2" "\x80\2" "a Python pickle (PyTorch)" "\0"
    "\0\2" "\x80\3" "a Python pickle" "\0"
    "\0\2" "\x80\4" "a Python pickle" "\0"
    "\0\2" "\x80\5" "a Python pickle" "\0"
    "\4\5" "\0\0\0\0{" "a safetensors file" "\0"
    "\0\5" "%PDF-" "a PDF document" "\0"
    "\0\4" "\x7f" "ELF" "a program or library (ELF)" "\0"
    "\0\4" "\0asm" "a WebAssembly module" "\0";

/* ---- state ---- */
struct frame {                      /* a message that is being read; frame[0] is the model */
    uint64_t start, end;            /* of its content, in the source */
    size_t out;                     /* bytes of skeleton before its content, the last five its length, written when it ends */
    uint32_t field, index;          /* in the message around it */
    uint32_t count[COUNTERS];       /* fields seen so far, by counter */
    uint8_t kind, length_width, tag_width;
    bool holds;                     /* it is or holds what annotate writes into: it closes with a trailer */
    bool beyond;                    /* a list was longer than what is kept: it closes with a record */
};

enum { ROOM_MIN = 4 << 10, LENGTH = 5, FIELD_MAX = 48, VARINT_MAX = 10 };
enum { PLAIN = 1 << 10, PLAIN_NESTING = 8 };        /* the longest messages, and messages inside them, that need no frame */

struct shp_skim {
    shp_arena *arena;
    uint64_t size;                  /* of the source; UINT64_MAX while not known */
    uint64_t at, skipped;           /* source offset wanted; how far it is beyond the last window */
    struct frame *frame;
    size_t frames;                  /* room for them */
    uint32_t depth, nesting;
    uint64_t left;                  /* bytes of a text still to be copied */
    uint32_t carried;               /* bytes from `at` on, where the window ends within a field's tag, length or number */
    uint8_t carry[2 * VARINT_MAX];
    uint64_t field_at;              /* where the field's tag begins */
    uint32_t field;
    uint16_t cell;
    uint8_t tag_width;
    bool in_field;                  /* behind its tag */
    bool known, content;            /* a field of a model was seen; its graph or a function was */
    bool sniffed, done;
    uint32_t heads;
    uint8_t head[HEAD];             /* the source's first bytes, until they have been looked at */
    uint8_t *begin, *to, *end;      /* the skeleton, and its free part */
    uint16_t cells[KINDS + 1][LAST_FIELD + 1];
    uint8_t plain[KINDS + 1][256];  /* see short_fields */
    shp_read_error error;
};

/* ---- errors ---- */
static const char *field_name(uint8_t kind, uint32_t number)
{
    const char *name = names;
    for (size_t i = 0; i < FIELD_COUNT; i++, name += strlen(name) + 1)
        if (fields[i].kind == kind && fields[i].number == number) return name;
    return NULL;
}

static const char *path_of(shp_skim *s)
{
    shp_path *path = shp_alloc_array(s->arena, s->depth + 2, sizeof *path), *leaf = NULL;
    if (!path) return "";
    for (uint32_t i = 0; i <= s->depth; i++) {
        bool last = i == s->depth;
        if (last && !s->in_field) break;
        uint32_t number = last ? s->field : s->frame[i + 1].field;
        uint32_t index = last ? UINT32_MAX : s->frame[i + 1].index;
        if (last && WHAT(s->cell) == MESSAGE && COUNTER(s->cell)) index = s->frame[i].count[COUNTER(s->cell)];
        path[i] = (shp_path){ leaf, field_name(s->frame[i].kind, number), index };
        if (!path[i].name) path[i].index = number;
        leaf = &path[i];
    }
    return shp_path_text(s->arena, leaf);
}

static void fail(shp_skim *s, shp_code code, uint64_t offset)
{
    if (s->error.code) return;
    s->error.code = code;
    s->error.offset = offset;
    if (!s->known && (code == SHP_E_WIRE || code == SHP_E_TRUNCATED)) {
        s->error.code = SHP_E_NOT_ONNX;
        s->error.path = "no format known here (weights, perhaps, or damaged from the start)";
    } else s->error.path = code == SHP_E_MEMORY ? "" : path_of(s);
}

/* A field that is longer than the message around it; the model itself is as long as the source. */
static void overlong(shp_skim *s)
{
    if (s->depth == 0 && s->size != UINT64_MAX) fail(s, SHP_E_TRUNCATED, s->size);
    else fail(s, SHP_E_WIRE, s->field_at);
}

/* ---- the skeleton ---- */
static size_t total(const shp_skim *s) { return (size_t)(s->to - s->begin); }

/* The arena's allocations are mostly neighbours: then the skeleton goes on where it is, else it moves to where there is twice the room. */
static bool more_room(shp_skim *s)
{
    size_t have = total(s), size = (have / 4 & ~(size_t)7) + ROOM_MIN;
    uint8_t *fresh = shp_alloc(s->arena, size);
    if (fresh && fresh != s->end && have) fresh = shp_alloc(s->arena, size += have & ~(size_t)7);
    if (!fresh) { fail(s, SHP_E_MEMORY, s->at); return false; }
    if (fresh != s->end) {
        if (have) memcpy(fresh, s->begin, have);
        s->begin = fresh;
        s->to = fresh + have;
    }
    s->end = fresh + size;
    return true;
}

/* Makes room for n bytes. */
static inline bool room(shp_skim *s, size_t n) { return (size_t)(s->end - s->to) >= n || more_room(s); }

static void put(shp_skim *s, const uint8_t *bytes, size_t n)
{
    while (n && room(s, 1)) {
        size_t part = (size_t)(s->end - s->to) < n ? (size_t)(s->end - s->to) : n;
        memcpy(s->to, bytes, part);
        s->to += part;
        bytes += part;
        n -= part;
    }
}

/* Within `room`. */
static void put_varint(shp_skim *s, uint64_t value)
{
    for (; value >= 0x80; value >>= 7) *s->to++ = (uint8_t)(value | 0x80);
    *s->to++ = (uint8_t)value;
}

static unsigned varint_width(uint64_t value)
{
    unsigned width = 1;
    while (value >>= 7) width++;
    return width;
}

/* A message of up to four numbers; those that are UINT64_MAX are left out. */
static void put_record(shp_skim *s, uint32_t number, const uint64_t value[4])
{
    unsigned size = 0;
    for (unsigned i = 0; i < 4; i++)
        if (value[i] != UINT64_MAX) size += 1 + varint_width(value[i]);
    if (!room(s, FIELD_MAX)) return;
    put_varint(s, SHP_KEY(number, SHP_LEN));
    put_varint(s, size);
    for (unsigned i = 0; i < 4; i++) {
        if (value[i] == UINT64_MAX) continue;
        put_varint(s, SHP_KEY(i + 1, SHP_VARINT));
        put_varint(s, value[i]);
    }
}

/* ---- messages ---- */

/* What annotate writes into, or around. */
static inline bool has_trailer(unsigned kind) { return kind == GRAPH || kind == FUNCTION || kind == VALUE_INFO; }

/* The length of the message whose content is the skeleton's bytes from `out` on. It stands before them. */
static inline void put_length(const shp_skim *s, size_t out)
{
    uint8_t *at = s->begin + out - LENGTH;
    size_t length = total(s) - out;
    at[0] = (uint8_t)(length | 0x80);
    at[1] = (uint8_t)(length >> 7 | 0x80);
    at[2] = (uint8_t)(length >> 14 | 0x80);
    at[3] = (uint8_t)(length >> 21 | 0x80);
    at[4] = (uint8_t)(length >> 28 & 0x7f);
}

static void push(shp_skim *s, uint8_t kind, uint64_t end, uint8_t length_width)
{
    if (s->depth >= s->nesting) { fail(s, SHP_E_NESTING, s->field_at); return; }
    struct frame *more = shp_grow_array(s->arena, s->frame, s->depth + 1, &s->frames, sizeof *more);
    if (!more || !room(s, FIELD_MAX)) { fail(s, SHP_E_MEMORY, s->at); return; }
    s->frame = more;
    uint32_t counter = COUNTER(s->cell), index = UINT32_MAX;
    if (counter && kind != UNKNOWN) index = more[s->depth].count[counter]++;
    struct frame *f = &more[++s->depth];
    *f = (struct frame){ .start = s->at, .end = end, .field = s->field, .index = index, .kind = kind, .length_width = length_width,
                         .tag_width = s->tag_width, .holds = has_trailer(kind) };
    s->in_field = false;
    if (kind == UNKNOWN) return;    /* a group: nothing of it is kept */
    put_varint(s, SHP_KEY(s->field, SHP_LEN));
    s->to += LENGTH;
    f->out = total(s);
}

/* Records for what was only counted, and the trailer. */
static void close_message(shp_skim *s, const struct frame *f)
{
    for (uint32_t number = 1; f->beyond && number <= LAST_FIELD; number++) {
        uint16_t cell = s->cells[f->kind][number];
        if (WHAT(cell) == MESSAGE || !COUNTER(cell) || f->count[COUNTER(cell)] <= SHP_SKIM_LIST) continue;
        put_record(s, SHP_RECORD_COUNT, (uint64_t[4]){ number, f->count[COUNTER(cell)] - SHP_SKIM_LIST, UINT64_MAX, UINT64_MAX });
    }
    if (!f->holds) return;
    bool shortest = f->tag_width == varint_width(SHP_KEY(f->field, SHP_LEN)) || f == s->frame;
    put_record(s, SHP_RECORD_TRAILER, (uint64_t[4]){ f->start, s->at - f->start, f->length_width, shortest ? UINT64_MAX : f->tag_width });
}

static void pop(shp_skim *s)
{
    struct frame *f = &s->frame[s->depth];
    if (f->kind == UNKNOWN) { fail(s, SHP_E_WIRE, s->at); return; }     /* the message ends inside a group */
    close_message(s, f);
    put_length(s, f->out);
    s->depth--;
    if (f->holds && (s->frame[s->depth].kind == ATTRIBUTE || s->frame[s->depth].kind == NODE)) s->frame[s->depth].holds = true;
}

/* ---- fields ---- */

/* Whether a field of that wire type is copied, where it is no payload; and whether it is one of those that its counter counts. */
static inline bool kept(unsigned cell, unsigned type)
{
    if (type == SHP_LEN) return ARGUMENT(cell);
    return WHAT(cell) == (type == SHP_VARINT ? INT : type == SHP_FIXED32 ? FIXED32 : FIXED64);
}

static inline bool listed(unsigned cell, unsigned type) { return COUNTER(cell) && (type != SHP_LEN || WHAT(cell) == TEXT || WHAT(cell) == MESSAGE); }

/* One more entry of a list: false beyond those that are kept. */
static bool counted(shp_skim *s, struct frame *f)
{
    uint32_t *count = &f->count[COUNTER(s->cell)];
    if (!COUNTER(s->cell)) return true;
    if (*count < UINT32_MAX) ++*count;
    f->beyond |= *count > SHP_SKIM_LIST;
    return *count <= SHP_SKIM_LIST;
}

/* Bytes of the varint at p, its bits beyond 64 dropped; 0: more than n, VARINT_MAX + 1: more than there may be. */
static inline size_t varint(const uint8_t *p, size_t n, uint64_t *value)
{
    *value = 0;
    for (unsigned i = 0; i < VARINT_MAX; i++) {
        if (i == n) return 0;
        *value |= (uint64_t)(p[i] & 0x7f) << (7 * i);
        if (p[i] < 0x80) return i + 1;
    }
    return VARINT_MAX + 1;
}

/* A number of one of the wire types for them. */
static void take_number(shp_skim *s, struct frame *f, unsigned type, uint64_t value)
{
    unsigned bytes = type == SHP_FIXED32 ? 4 : 8;
    if (!kept(s->cell, type) || !counted(s, f) || !room(s, FIELD_MAX)) return;
    put_varint(s, SHP_KEY(s->field, type));
    if (type == SHP_VARINT) put_varint(s, value);
    else for (unsigned i = 0; i < bytes; i++) *s->to++ = (uint8_t)(value >> (8 * i));
}

/* What a length of `width` bytes says: a message, a text to be copied, or bytes to be skipped. */
static void take_length(shp_skim *s, struct frame *f, uint64_t len, uint8_t width)
{
    unsigned what = WHAT(s->cell), argument = ARGUMENT(s->cell);
    if (len > f->end - s->at) { overlong(s); return; }
    if (what == MESSAGE) {
        if (argument == GRAPH || argument == FUNCTION) s->content = true;
        push(s, (uint8_t)argument, s->at + len, width);
        return;
    }
    if (argument && (what != TEXT || counted(s, f))) {
        if (!room(s, FIELD_MAX)) return;
        if (len <= limits[argument]) {
            put_varint(s, SHP_KEY(s->field, SHP_LEN));
            put_varint(s, len);
            s->left = len;
            return;
        }
        if (what) put_record(s, SHP_RECORD_PAYLOAD, (uint64_t[4]){ s->field, s->at, len, UINT64_MAX });
    }
    s->at += len;
}

/* A field but for the content behind its length, from n bytes that it may take. false: there are too few, or an error. */
static bool take_field(shp_skim *s, const uint8_t *p, size_t n)
{
    struct frame *f = &s->frame[s->depth];
    uint64_t key, value = 0;
    size_t tag = varint(p, n, &key), size = 0;
    unsigned type = key & 7, what;
    s->field_at = s->at;
    s->in_field = false;
    if (!tag) return false;
    if (tag > VARINT_MAX || key > UINT32_MAX || key < SHP_KEY(1, 0) || type > SHP_FIXED32) { fail(s, SHP_E_WIRE, s->field_at); return false; }
    s->tag_width = (uint8_t)tag;
    s->field = (uint32_t)(key >> 3);
    s->cell = s->field <= LAST_FIELD ? s->cells[f->kind][s->field] : 0;
    what = WHAT(s->cell);
    if (type == SHP_GROUP_END && (f->kind != UNKNOWN || f->field != s->field)) { fail(s, SHP_E_WIRE, s->field_at); return false; }
    s->in_field = type != SHP_GROUP && type != SHP_GROUP_END;
    if (s->in_field && type != SHP_VARINT && type != SHP_LEN) {
        size = type == SHP_FIXED32 ? 4 : 8;
        if (size > f->end - s->at - tag) { overlong(s); return false; }
    }
    if (s->depth == 0 && s->in_field && (type == SHP_VARINT ? what == INT : what == TEXT || what == MESSAGE)) s->known = true;
    if (type == SHP_VARINT || type == SHP_LEN) {
        if (!(size = varint(p + tag, n - tag, &value))) return false;
        if (size > VARINT_MAX) { fail(s, SHP_E_WIRE, s->field_at); return false; }
    } else if (size > n - tag) return false;
    else value = shp_little(p + tag, (unsigned)size);
    s->at += tag + size;
    if (type == SHP_LEN) take_length(s, f, value, (uint8_t)size);
    else if (type == SHP_GROUP) push(s, UNKNOWN, f->end, 0);
    else if (type == SHP_GROUP_END) s->depth--;
    else take_number(s, f, type, value);
    return !s->error.code;
}

/* ---- most fields of most models: whole in the window, and not long ---- */

/* What `plain` says of a key: whether its field is kept, and what of the byte behind it is the length of a text. */
enum { PLAIN_NUMBER = 0x80, PLAIN_TEXT = 0xff };

/* Bytes of short fields ahead that are copied as they are: texts of up to 127 bytes, and numbers of one. */
static inline size_t short_fields(const uint8_t *plain, const uint8_t *p, size_t n)
{
    size_t i = 0, at;
    for (; i + 2 <= n; i = at) {
        unsigned is = plain[p[i]], value = p[i + 1];        /* also where the tag has a second byte, a 1 */
        at = i + 2;
        if (p[i] >= 0x80) {
            if (value != 1 || at == n) break;
            value = p[at++];
        }
        if (!(is & ~value & 0x80)) break;
        at += value & is;
        if (at > n) break;
    }
    return i;
}

/* The varint at p where it is written as the skeleton writes it, else 0. */
static inline size_t shortest(const uint8_t *p, size_t n, uint64_t *value)
{
    if (n && *p < 0x80) { *value = *p; return 1; }
    size_t size = varint(p, n, value);
    return size && size <= VARINT_MAX && p[size - 1] && (size < VARINT_MAX || p[size - 1] == 1) ? size : 0;
}

/* Bytes of fields ahead that are copied as they are: numbers, texts, and messages of nothing else. */
static size_t plain_fields(const shp_skim *s, unsigned kind, const uint8_t *p, size_t n, uint32_t levels)
{
    size_t i = 0;
    while ((i += short_fields(s->plain[kind], p + i, n - i)) < n) {
        uint64_t key, size;
        size_t tag = shortest(p + i, n - i, &key), width = tag ? shortest(p + i + tag, n - i - tag, &size) : 0, at = i + tag + width;
        if (!width || key < SHP_KEY(1, 0) || key > SHP_KEY(LAST_FIELD, 7) || (key & 5)) break;
        unsigned cell = s->cells[kind][key >> 3], sub = ARGUMENT(cell);
        if (!kept(cell, key & 7)) break;
        if ((key & 7) == SHP_LEN) {
            if (size > limits[WHAT(cell) == DROP ? NOTE : SHORT] || size > n - at) break;
            if (WHAT(cell) == MESSAGE && (!levels || has_trailer(sub) || plain_fields(s, sub, p + at, (size_t)size, levels - 1) < size)) break;
            at += (size_t)size;
        }
        i = at;
    }
    return i;
}

static size_t copy_fields(shp_skim *s, unsigned kind, uint32_t *count, const uint8_t *p, size_t n, uint32_t levels);

/* Copies a message whose tag says `key` and whose content is the `size` bytes at p, the first `plain` of them as they are; in the source
 * it begins at `start` (0: not known, within a message without a frame) and has a length of `width` bytes. false: it needs a frame. */
static bool copy_message(shp_skim *s, uint32_t key, unsigned kind, uint64_t start, size_t width, const uint8_t *p, size_t plain, size_t size, uint32_t levels)
{
    bool trailer = has_trailer(kind);
    if (size > PLAIN || !levels || (trailer && (kind != VALUE_INFO || !start))) return false;
    if (!room(s, 3 * size + FIELD_MAX + VARINT_MAX)) return false;      /* two bytes, an empty message, become six */
    size_t before = total(s), out;
    put_varint(s, key);
    s->to += LENGTH;
    out = total(s);
    put(s, p, plain);
    if (copy_fields(s, kind, NULL, p + plain, size - plain, levels - 1) != size - plain) { s->to = s->begin + before; return false; }
    if (trailer) put_record(s, SHP_RECORD_TRAILER, (uint64_t[4]){ start, size, width, UINT64_MAX });
    put_length(s, out);
    return true;
}

/* Copies fields of a message from p on, and the messages among them with all that is in them, as they are but for some lengths. Returns
 * the bytes taken, up to a field that is not whole, or not so plain: it is for take_field. count: the frame's, NULL inside of what
 * has no frame, where no list is too long. */
static size_t copy_fields(shp_skim *s, unsigned kind, uint32_t *count, const uint8_t *p, size_t n, uint32_t levels)
{
    size_t i = 0, done = 0;         /* bytes looked at; of them, copied or left out */
    uint64_t key, size, before = 0;
    unsigned type = 0, sub = 0;
    bool keep = false, note = false, message = false, trailer = false;
    uint32_t *list = NULL;
    while ((i += count ? 0 : short_fields(s->plain[kind], p + i, n - i)) < n) {
        size_t tag = shortest(p + i, n - i, &key), at = i + tag, width = 0;
        if (!tag || key < SHP_KEY(1, 0) || key > SHP_KEY(LAST_FIELD, 7)) break;
        if (key != before) {        /* in a graph mostly one node after the other */
            unsigned cell = s->cells[kind][key >> 3];
            before = key;
            type = key & 7;
            sub = ARGUMENT(cell);
            keep = kept(cell, type);
            note = WHAT(cell) == DROP;
            message = keep && WHAT(cell) == MESSAGE;
            trailer = message && has_trailer(sub);
            list = count && keep && listed(cell, type) ? &count[COUNTER(cell)] : NULL;
        }
        if (type == SHP_LEN || type == SHP_VARINT) {
            if (!(width = shortest(p + at, n - at, &size))) break;
            at += width;
            if (type == SHP_VARINT) size = 0;
        } else if (type == SHP_FIXED32 || type == SHP_FIXED64) size = type == SHP_FIXED32 ? 4 : 8;
        else break;
        if (size > n - at) break;
        bool leave = !keep || (note && size > limits[NOTE]);
        if (!leave && !message && (size > limits[SHORT] || (list && *list >= SHP_SKIM_LIST))) break;
        size_t as_is = 0;
        if (message && size <= PLAIN && levels && sub != GRAPH && (as_is = short_fields(s->plain[sub], p + at, (size_t)size)) < size)
            as_is += plain_fields(s, sub, p + at + as_is, (size_t)size - as_is, levels - 1);
        if (leave || (message && as_is < size) || trailer) {
            put(s, p + done, i - done);
            done = i;
            if (message && !copy_message(s, (uint32_t)key, sub, count ? s->at + at : 0, width, p + at, as_is, (size_t)size, levels)) break;
            done = at + (size_t)size;
        }
        if (list) ++*list;
        i = at + (size_t)size;
    }
    put(s, p + done, i - done);
    return i;
}

/* Where the window ends within a field, its bytes so far are kept for the next window. */
static bool take_or_carry(shp_skim *s, const uint8_t *p, size_t n)
{
    if (take_field(s, p, n)) return true;
    if (s->error.code) return false;
    if (s->depth && n == s->frame[s->depth].end - s->at) { fail(s, SHP_E_WIRE, s->field_at); return false; }
    memmove(s->carry, p, n);
    s->carried = (uint32_t)n;
    return false;
}

/* Bytes up to the end of the window or message, whichever comes first. */
static inline size_t ahead(const shp_skim *s, uint64_t stop)
{
    uint64_t end = s->frame[s->depth].end;
    return (size_t)((stop < end ? stop : end) - s->at);
}

/* Reads a window, as far as it goes. */
static void run(shp_skim *s, uint64_t base, const uint8_t *bytes, size_t len)
{
    uint64_t stop = base + len;
    if (s->carried) {
        uint64_t from = s->at + s->carried;
        size_t more = sizeof s->carry - s->carried;
        if (more > stop - from) more = (size_t)(stop - from);
        memcpy(s->carry + s->carried, bytes + (size_t)(from - base), more);
        s->carried = 0;
        if (!take_or_carry(s, s->carry, ahead(s, from + more))) return;
    }
    while (!s->error.code && s->at <= stop) {
        struct frame *f = &s->frame[s->depth];
        size_t n = ahead(s, stop);
        const uint8_t *p = bytes + (size_t)(s->at - base);
        s->in_field = s->left;
        if (s->at == f->end && s->depth) pop(s);
        else if (!n) return;
        else if (s->left) {
            if (n > s->left) n = (size_t)s->left;
            put(s, p, n);
            s->at += n;
            s->left -= n;
        } else {
            uint32_t levels = s->nesting - s->depth;
            size_t copied = s->depth ? copy_fields(s, f->kind, f->count, p, n, levels < PLAIN_NESTING ? levels : PLAIN_NESTING) : 0;
            s->at += copied;
            if (copied < n && !s->error.code && !take_or_carry(s, p + copied, n - copied)) return;
        }
    }
}

/* ---- beginning and end ---- */
static const char *looks_like(const uint8_t *head, uint32_t n)
{
    for (const char *f = formats; f < formats + sizeof formats - 1; ) {
        const char *bytes = f + 2, *what = bytes + f[1];
        if ((uint32_t)(f[0] + f[1]) <= n && !memcmp(head + f[0], bytes, (size_t)f[1])) return what;
        f = what + strlen(what) + 1;
    }
    uint32_t i = n >= 3 && !memcmp(head, "\xef\xbb\xbf", 3) ? 3 : 0, text = i;
    while (i < n && (head[i] == ' ' || (head[i] >= '\t' && head[i] <= '\r'))) i++;
    if (i + 1 < n && head[i] == '<') {
        uint8_t next = head[i + 1], lower = next | 0x20;
        if (next == '?') return "an XML file";
        if (next == '!' || (lower >= 'a' && lower <= 'z')) return "an HTML page or XML file, not the model: check the download";
    }
    while (text < n && (head[text] == '\t' || head[text] == '\n' || head[text] == '\r' || (head[text] >= ' ' && head[text] < 0x7f))) text++;
    if (text < n || n < 4) return NULL;
    return i < n && (head[i] == '{' || head[i] == '[') ? "a JSON file" : "a text file";
}

static void read_head(shp_skim *s)
{
    s->sniffed = true;
    const char *what = looks_like(s->head, s->heads);
    if (what) s->error = (shp_read_error){ SHP_E_NOT_ONNX, 0, what };
    else run(s, 0, s->head, s->heads);
}

static void finish(shp_skim *s, uint64_t size)
{
    if (s->error.code) return;
    if (size < s->at) { fail(s, SHP_E_TRUNCATED, size); return; }
    if (!s->left && !s->carried) s->in_field = false;
    while (s->depth && !s->left && !s->carried && s->at == s->frame[s->depth].end && !s->error.code) pop(s);
    if (s->error.code) return;
    if (s->depth || s->left || s->carried) { fail(s, SHP_E_TRUNCATED, size); return; }
    if (!s->known) { fail(s, SHP_E_WIRE, 0); return; }
    if (!s->content) {
        s->error = (shp_read_error){ SHP_E_NOT_ONNX, 0, "protobuf, but no model: there is no graph in it" };
        return;
    }
    close_message(s, &s->frame[0]);
    s->done = !s->error.code;
}

shp_skim *shp_skim_new(shp_arena *a, uint64_t size, uint32_t nesting)
{
    shp_skim *s = shp_alloc(a, sizeof *s);
    if (!s) return NULL;
    s->frames = 32;
    s->frame = shp_alloc_array(a, s->frames, sizeof *s->frame);
    if (!s->frame) return NULL;
    for (size_t i = 0; i < FIELD_COUNT; i++) {
        unsigned cell = s->cells[fields[i].kind][fields[i].number] = fields[i].cell;
        uint8_t *plain = &s->plain[fields[i].kind][SHP_KEY(fields[i].number, 0)];
        if (WHAT(cell) == INT) plain[SHP_VARINT] = PLAIN_NUMBER;
        if (WHAT(cell) != MESSAGE && ARGUMENT(cell)) plain[SHP_LEN] = PLAIN_TEXT;
    }
    s->arena = a;
    s->size = size;
    s->nesting = nesting;
    s->frame[0] = (struct frame){ .end = size, .kind = MODEL, .holds = true };
    s->error = (shp_read_error){ size ? SHP_OK : SHP_E_EMPTY, 0, "" };
    return s;
}

bool shp_skim_wants(const shp_skim *s, uint64_t *offset)
{
    *offset = s->sniffed ? s->at + s->carried : s->heads;
    return !s->done && !s->error.code;
}

void shp_skim_feed(shp_skim *s, uint64_t offset, const uint8_t *bytes, size_t len)
{
    uint64_t wanted;
    if (!shp_skim_wants(s, &wanted)) return;
    s->skipped = 0;
    if (!len) {
        if (!s->heads) s->error = (shp_read_error){ SHP_E_EMPTY, 0, "" };
        else if (!s->sniffed) read_head(s);
        finish(s, offset);
        return;
    }
    if (offset != wanted) { fail(s, SHP_E_WIRE, wanted); return; }
    if (len > s->size - offset) len = (size_t)(s->size - offset);
    if (!s->sniffed) {
        size_t part = HEAD - s->heads < len ? HEAD - s->heads : len;
        memcpy(s->head + s->heads, bytes, part);
        s->heads += (uint32_t)part;
        if (s->heads < HEAD && s->heads < s->size) return;
        read_head(s);
    }
    run(s, offset, bytes, len);
    if (s->at > offset + len) s->skipped = s->at - (offset + len);
    if (s->at + s->carried == s->size) finish(s, s->size);
}

uint64_t shp_skim_skipped(const shp_skim *s) { return s->skipped; }

const uint8_t *shp_skim_done(shp_skim *s, size_t *size, shp_read_error *error)
{
    *size = 0;
    if (!s->done && !s->error.code) fail(s, SHP_E_TRUNCATED, s->at);
    *error = s->error;
    if (s->error.code) return NULL;
    *size = total(s);
    if (s->end == s->arena->at)     /* its unused end, still zeros, goes back */
        s->arena->at -= (size_t)(s->end - s->to) & ~(size_t)7;
    s->end = s->to;
    return s->begin;
}
