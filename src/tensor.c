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
    const uint8_t *p = bytes + i * (bits / 8);
    if (bits == 32) return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;      /* most: compilers make it one load */
    if (bits >= 8) return shp_little(p, bits / 8);
    return (uint64_t)(bytes[i * bits / 8] >> (i * bits % 8)) & ((1u << bits) - 1);
}

/* How many elements lie within len bytes. */
static uint64_t raw_count(unsigned bits, uint64_t len)
{
    return bits >= 8 ? len / (bits / 8) : len > UINT64_MAX / 8 ? UINT64_MAX / bits : len * 8 / bits;
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

/* ---- elements, whatever field they are in ---- */

shp_elements shp_tensor_elements(const shp_tensor *t, const uint8_t *bytes, uint64_t len)
{
    shp_elements e = { .raw = bytes, .dtype = t->elem_type, .bits = (unsigned)shp_dtype_bits(t->elem_type), .kind = shp_dtype_kind(t->elem_type) };
    if (!bytes || !e.bits || len > SIZE_MAX || !field_holds(t, e.kind)) return e;
    e.is_varint = !t->external && (t->field == SHP_DATA_INT32 || t->field == SHP_DATA_INT64 || t->field == SHP_DATA_UINT64);
    e.left = e.is_varint ? UINT64_MAX : raw_count(e.bits, len);
    if (e.is_varint) e.varints = shp_wire_of(bytes, (size_t)len);
    return e;
}

static bool next(shp_elements *e, uint64_t *bits)
{
    if (!e->left) return false;
    e->left--;
    if (!e->is_varint) { *bits = raw_bits(e->raw, e->bits, e->i++); return true; }
    unsigned each = e->bits == 4 ? 2 : e->bits == 2 ? 4 : 1;
    if (!e->in_entry) {
        e->entry = shp_varint(&e->varints);
        if (e->varints.failed) {
            e->left = 0;
            return false;
        }
    }
    *bits = each == 1 ? e->entry : e->entry >> (e->in_entry * e->bits) & ((1u << e->bits) - 1);
    e->in_entry = (e->in_entry + 1) % each;
    return true;
}

bool shp_next_int(shp_elements *e, int64_t *out)
{
    uint64_t bits;
    return (e->kind == 'I' || e->kind == 'U' || e->kind == 'B') && next(e, &bits) && integer(e->kind, e->bits, bits, out);
}

bool shp_next_float(shp_elements *e, double *out)
{
    uint64_t bits;
    return e->kind == 'F' && next(e, &bits) && floating(e->dtype, bits, out);
}
