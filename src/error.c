#include "error.h"

static const char severities[SHP_CODE_COUNT] = {
#define X(name, code, severity, sentence) [SHP_##name] = severity,
    SHP_CODES(X)
#undef X
};

static const char *const names[SHP_CODE_COUNT] = {
    [SHP_OK] = "",
#define X(name, code, severity, sentence) [SHP_##name] = code,
    SHP_CODES(X)
#undef X
};

const char *shp_code_name(shp_code code) { return (unsigned)code < SHP_CODE_COUNT ? names[code] : ""; }
char shp_code_severity(shp_code code) { return (unsigned)code < SHP_CODE_COUNT ? severities[code] : 0; }
