/* A tensor's elements, as model.h describes them. */
#include "model.h"

#include "dtype.h"
#include "wire.h"

uint64_t shp_tensor_bytes(const shp_tensor *t)
{
    uint64_t bits = (uint64_t)shp_dtype_bits(t->elem_type), count = (uint64_t)t->count;
    if (t->count < 0 || !bits || count > (UINT64_MAX - 7) / bits) return UINT64_MAX;
    return (count * bits + 7) / 8;
}

/* Entries that a typed field must have. */
static uint64_t entries(const shp_tensor *t)
{
    uint64_t bits = (uint64_t)shp_dtype_bits(t->elem_type), count = (uint64_t)t->count;
    if (shp_dtype_kind(t->elem_type) == 'C') return count * 2;
    if (t->field != SHP_DATA_INT32 || (bits != 4 && bits != 2)) return count;
    uint64_t each = 8 / bits;
    return count / each + (count % each != 0);
}

/* Whether the field that the data stand in is one for that element type (of the types that elements are read of). */
static bool field_holds(const shp_tensor *t, char kind)
{
    bool wide = t->elem_type == SHP_INT64 || t->elem_type == SHP_UINT64 || t->elem_type == SHP_UINT32 || t->elem_type == SHP_FLOAT ||
                t->elem_type == SHP_DOUBLE;     /* types that int32_data does not hold */
    if (t->external) return true;
    switch (t->field) {
    case SHP_DATA_RAW:    return true;
    case SHP_DATA_FLOAT:  return t->elem_type == SHP_FLOAT;
    case SHP_DATA_DOUBLE: return t->elem_type == SHP_DOUBLE;
    case SHP_DATA_INT64:  return t->elem_type == SHP_INT64;
    case SHP_DATA_UINT64: return t->elem_type == SHP_UINT64 || t->elem_type == SHP_UINT32;
    case SHP_DATA_INT32:  return !wide && kind != 'S' && kind != 'C';
    default:              return false;
    }
}

bool shp_tensor_data_fits(const shp_tensor *t, uint64_t *have, uint64_t *want)
{
    *have = *want = 0;
    if (t->sparse || t->count < 0 || t->count > INT64_MAX / 2 || (!t->external && t->field == SHP_DATA_NONE)) return true;
    if (t->external || t->field == SHP_DATA_RAW) {
        *have = t->external ? t->external_length : t->data_len;
        *want = shp_tensor_bytes(t);
        return *want == UINT64_MAX || *have == *want || (t->external && !*have);
    }
    *have = t->elements;
    *want = entries(t);
    char kind = shp_dtype_kind(t->elem_type);
    if ((kind == 'I' || kind == 'U' || kind == 'F' || kind == 'B') && !field_holds(t, kind)) {
        *have = 0;                  /* another type's field: as good as none */
        return !*want;
    }
    if (*have != UINT64_MAX) return *have == *want;
    *have = t->data_len;            /* varints, still to be counted: 1 to 10 bytes each */
    return *want <= t->data_len && *want >= t->data_len / 10;
}

/* ---- raw bytes ---- */
static uint64_t raw_bits(const uint8_t *bytes, unsigned bits, uint64_t i)
{
    if (bits >= 8) return shp_little(bytes + i * (bits / 8), bits / 8);
    return (uint64_t)(bytes[i * bits / 8] >> (i * bits % 8)) & ((1u << bits) - 1);
}

/* How many of the elements from `first` on lie within len bytes. */
static uint64_t raw_count(unsigned bits, uint64_t len, uint64_t first, uint64_t n)
{
    uint64_t there = bits >= 8 ? len / (bits / 8) : len > UINT64_MAX / 8 ? UINT64_MAX / bits : len * 8 / bits;
    return first >= there ? 0 : n < there - first ? n : there - first;
}

/* An integer of so many bits, sign-extended where it has a sign. false: beyond int64. */
static bool integer(char kind, unsigned bits, uint64_t value, int64_t *out)
{
    if (bits < 64) value &= ((uint64_t)1 << bits) - 1;
    if (kind == 'B') value = value != 0;
    if (kind == 'I' && bits < 64 && value >> (bits - 1)) value |= UINT64_MAX << bits;
    if (kind == 'U' && value > INT64_MAX) return false;
    *out = value <= INT64_MAX ? (int64_t)value : -(int64_t)(UINT64_MAX - value) - 1;
    return true;
}

static double half(uint32_t bits)
{
    uint32_t exponent = bits >> 10 & 31, fraction = bits & 1023, sign = (bits & 0x8000) << 16;
    if (exponent == 0) {
        double value = fraction / 16777216.0;
        return sign ? -value : value;
    }
    return (double)shp_float32(exponent == 31 ? sign | 0x7f800000 | fraction << 13 : sign | (exponent + 112) << 23 | fraction << 13);
}

static bool floating(int dtype, uint64_t bits, double *out)
{
    switch (dtype) {
    case SHP_FLOAT:    *out = (double)shp_float32((uint32_t)bits); return true;
    case SHP_DOUBLE:   *out = shp_float64(bits); return true;
    case SHP_FLOAT16:  *out = half((uint32_t)bits & 0xffff); return true;
    case SHP_BFLOAT16: *out = (double)shp_float32((uint32_t)bits << 16); return true;
    default:           return false;
    }
}

/* ---- elements as bits, whatever field they are in ---- */
typedef struct elements {
    shp_wire varints;               /* where is_varint: what is left of the field, in_entry elements of `entry` taken */
    const uint8_t *raw;
    uint64_t entry, i, left;
    unsigned bits, in_entry;
    bool is_varint;
} elements;

static bool next(elements *e, uint64_t *bits)
{
    if (!e->left) return false;
    e->left--;
    if (!e->is_varint) { *bits = raw_bits(e->raw, e->bits, e->i++); return true; }
    unsigned each = e->bits == 4 ? 2 : e->bits == 2 ? 4 : 1;
    if (!e->in_entry) {
        if (e->varints.at == e->varints.end) return false;
        e->entry = shp_varint(&e->varints);
        if (e->varints.failed) return false;
    }
    *bits = each == 1 ? e->entry : e->entry >> (e->in_entry * e->bits) & ((1u << e->bits) - 1);
    e->in_entry = (e->in_entry + 1) % each;
    return true;
}

static elements from(const shp_tensor *t, const uint8_t *bytes, uint64_t len, uint64_t first, uint64_t n)
{
    elements e = { .raw = bytes, .i = first, .bits = (unsigned)shp_dtype_bits(t->elem_type) };
    if (!bytes || !e.bits || len > SIZE_MAX || !field_holds(t, shp_dtype_kind(t->elem_type))) return e;
    e.is_varint = !t->external && (t->field == SHP_DATA_INT32 || t->field == SHP_DATA_INT64 || t->field == SHP_DATA_UINT64);
    e.left = e.is_varint ? UINT64_MAX : raw_count(e.bits, len, first, n);
    if (!e.is_varint) return e;
    e.varints = shp_wire_of(bytes, (size_t)len);
    uint64_t skipped;
    for (uint64_t i = 0; i < first && next(&e, &skipped); i++) {}
    if (e.left) e.left = n;
    return e;
}

uint64_t shp_tensor_ints(const shp_tensor *t, const uint8_t *bytes, uint64_t len, uint64_t first, uint64_t n, int64_t *out)
{
    char kind = shp_dtype_kind(t->elem_type);
    uint64_t i = 0, bits;
    if (kind != 'I' && kind != 'U' && kind != 'B') return 0;
    for (elements e = from(t, bytes, len, first, n); next(&e, &bits) && integer(kind, e.bits, bits, &out[i]); i++) {}
    return i;
}

uint64_t shp_tensor_floats(const shp_tensor *t, const uint8_t *bytes, uint64_t len, uint64_t first, uint64_t n, double *out)
{
    uint64_t i = 0, bits;
    if (shp_dtype_kind(t->elem_type) != 'F') return 0;
    for (elements e = from(t, bytes, len, first, n); next(&e, &bits) && floating(t->elem_type, bits, &out[i]); i++) {}
    return i;
}

bool shp_tensor_int(const shp_tensor *t, const uint8_t *bytes, uint64_t len, uint64_t i, int64_t *out)
{
    return shp_tensor_ints(t, bytes, len, i, 1, out) == 1;
}

bool shp_tensor_float(const shp_tensor *t, const uint8_t *bytes, uint64_t len, uint64_t i, double *out)
{
    return shp_tensor_floats(t, bytes, len, i, 1, out) == 1;
}
