/* dtype - the element types of tensors, one row each.
 *
 * X(number, NAME, js, onnx, bits, kind): TensorProto.DataType number, C name, the name that results carry,
 * the name inside ONNX's `tensor(...)`, bits an element takes in raw_data (0: not fixed), and what its elements are:
 *   I signed integer   U unsigned integer   F floating point   B bool   S string   C complex
 * Source: onnx.proto, TensorProto.DataType (IR version 14).
 */
#ifndef SHP_DTYPE_H
#define SHP_DTYPE_H

#include <stddef.h>

#define SHP_DTYPES(X) \
    X( 1, FLOAT,          "float32",        "float",          32, 'F') \
    X( 2, UINT8,          "uint8",          "uint8",           8, 'U') \
    X( 3, INT8,           "int8",           "int8",            8, 'I') \
    X( 4, UINT16,         "uint16",         "uint16",         16, 'U') \
    X( 5, INT16,          "int16",          "int16",          16, 'I') \
    X( 6, INT32,          "int32",          "int32",          32, 'I') \
    X( 7, INT64,          "int64",          "int64",          64, 'I') \
    X( 8, STRING,         "string",         "string",          0, 'S') \
    X( 9, BOOL,           "bool",           "bool",            8, 'B') \
    X(10, FLOAT16,        "float16",        "float16",        16, 'F') \
    X(11, DOUBLE,         "float64",        "double",         64, 'F') \
    X(12, UINT32,         "uint32",         "uint32",         32, 'U') \
    X(13, UINT64,         "uint64",         "uint64",         64, 'U') \
    X(14, COMPLEX64,      "complex64",      "complex64",      64, 'C') \
    X(15, COMPLEX128,     "complex128",     "complex128",    128, 'C') \
    X(16, BFLOAT16,       "bfloat16",       "bfloat16",       16, 'F') \
    X(17, FLOAT8E4M3FN,   "float8e4m3fn",   "float8e4m3fn",    8, 'F') \
    X(18, FLOAT8E4M3FNUZ, "float8e4m3fnuz", "float8e4m3fnuz",  8, 'F') \
    X(19, FLOAT8E5M2,     "float8e5m2",     "float8e5m2",      8, 'F') \
    X(20, FLOAT8E5M2FNUZ, "float8e5m2fnuz", "float8e5m2fnuz",  8, 'F') \
    X(21, UINT4,          "uint4",          "uint4",           4, 'U') \
    X(22, INT4,           "int4",           "int4",            4, 'I') \
    X(23, FLOAT4E2M1,     "float4e2m1",     "float4e2m1",      4, 'F') \
    X(24, FLOAT8E8M0,     "float8e8m0",     "float8e8m0",      8, 'F') \
    X(25, UINT2,          "uint2",          "uint2",           2, 'U') \
    X(26, INT2,           "int2",           "int2",            2, 'I') \
    X(27, FLOAT6E2M3,     "float6e2m3",     "float6e2m3",      6, 'F') \
    X(28, FLOAT6E3M2,     "float6e3m2",     "float6e3m2",      6, 'F')

enum {
#define X(number, NAME, js, onnx, bits, kind) SHP_##NAME = number,
    SHP_DTYPES(X)
#undef X
    SHP_DTYPE_COUNT = 29
};

/* What the elements of a dtype are ('I', 'U', 'F', 'B', 'S', 'C'), 0 for a number that is no dtype. */
char shp_dtype_kind(int dtype);
/* Bits an element takes in raw_data; 0 for strings and for a number that is no dtype. */
int shp_dtype_bits(int dtype);
/* The name that results carry ("float32"), NULL for a number that is no dtype. */
const char *shp_dtype_name(int dtype);
/* The dtype that has that name, 0 for none. */
int shp_dtype_named(const char *text, size_t len);

#endif
