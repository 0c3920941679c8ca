#include "dtype.h"

#include <stddef.h>
#include <string.h>

static const struct {
    const char *name, *onnx;
    unsigned char bits;
    char kind;
} dtypes[SHP_DTYPE_COUNT] = {
#define X(number, NAME, js, onnx, bits, kind) [number] = { js, onnx, bits, kind },
    SHP_DTYPES(X)
#undef X
};

char shp_dtype_kind(int dtype) { return dtype > 0 && dtype < SHP_DTYPE_COUNT ? dtypes[dtype].kind : 0; }
int shp_dtype_bits(int dtype) { return dtype > 0 && dtype < SHP_DTYPE_COUNT ? dtypes[dtype].bits : 0; }
const char *shp_dtype_name(int dtype) { return dtype > 0 && dtype < SHP_DTYPE_COUNT ? dtypes[dtype].name : NULL; }

unsigned short shp_dtype_named(const char **at)
{
    size_t len = 0;
    while (((*at)[len] >= 'a' && (*at)[len] <= 'z') || ((*at)[len] >= '0' && (*at)[len] <= '9')) len++;
    for (unsigned short d = 1; d < SHP_DTYPE_COUNT; d++) {
        if (strlen(dtypes[d].onnx) != len || memcmp(dtypes[d].onnx, *at, len) != 0) continue;
        *at += len;
        return d;
    }
    return 0;
}
