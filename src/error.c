#include "error.h"

static const struct {
    const char *name, *sentence;
    char severity;
} codes[SHP_CODE_COUNT] = {
    [SHP_OK] = { "", "", 0 },
#define X(name, code, severity, sentence) [SHP_##name] = { code, sentence, severity },
    SHP_CODES(X)
#undef X
};

const char *shp_code_name(shp_code code) { return (unsigned)code < SHP_CODE_COUNT ? codes[code].name : ""; }
char shp_code_severity(shp_code code) { return (unsigned)code < SHP_CODE_COUNT ? codes[code].severity : 0; }
const char *shp_code_sentence(shp_code code) { return (unsigned)code < SHP_CODE_COUNT ? codes[code].sentence : ""; }
