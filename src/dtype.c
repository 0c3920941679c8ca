#include "dtype.h"

#include <string.h>

/* Columns, all from number 1 on; names NUL-terminated, one after the other. */
#define X(number, NAME, js, onnx, bits, kind) bits,
static const unsigned char widths[] = { SHP_DTYPES(X) };
#undef X
#define X(number, NAME, js, onnx, bits, kind) kind,
static const char kinds[] = { SHP_DTYPES(X) };
#undef X
#define X(number, NAME, js, onnx, bits, kind) js "\0"
static const char names[] = SHP_DTYPES(X);
#undef X

static int valid(int dtype) { return dtype > 0 && dtype < SHP_DTYPE_COUNT; }

char shp_dtype_kind(int dtype) { return valid(dtype) ? kinds[dtype - 1] : 0; }
int shp_dtype_bits(int dtype) { return valid(dtype) ? widths[dtype - 1] : 0; }

const char *shp_dtype_name(int dtype)
{
    const char *name = names;
    if (!valid(dtype)) return NULL;
    while (--dtype > 0) name += strlen(name) + 1;
    return name;
}

int shp_dtype_named(const char *text, size_t len)
{
    const char *name = names;
    for (int dtype = 1; dtype < SHP_DTYPE_COUNT; dtype++) {
        size_t size = strlen(name);
        if (size == len && memcmp(name, text, len) == 0) return dtype;
        name += size + 1;
    }
    return 0;
}
