/* What JS calls in model.wasm, and nothing else: integers and addresses in, integers out. An instance serves one call (one start)
 * or any number of evaluations, and after model_reset another. src/shp.h is the manual. */
#include "../src/shp.h"

#include <string.h>

enum { PAGE = 65536 };

extern unsigned char __heap_base;

/* The heap's top moves up, and back at a reset. Below `used` an earlier call has written: that is cleared when it is handed out again. */
static uintptr_t top, used, pages_end;

static void *grow(void *host, size_t size)
{
    (void)host;
    if (!top) {
        top = ((uintptr_t)&__heap_base + 15) & ~(uintptr_t)15;
        pages_end = __builtin_wasm_memory_size(0) * (uintptr_t)PAGE;
    }
    size = (size + 7) & ~(size_t)7;         /* as the arena rounds, so that its blocks are neighbours */
    if (size > pages_end - top) {
        /* To twice its size where the host lets it: what is not touched costs nothing, and each growth takes a host long. */
        size_t more = (size - (pages_end - top) + PAGE - 1) / PAGE, ahead = pages_end / PAGE;
        if (more > PAGE) return NULL;
        if (ahead < more || __builtin_wasm_memory_grow(0, ahead) == SIZE_MAX) {
            ahead = more;
            if (__builtin_wasm_memory_grow(0, more) == SIZE_MAX) return NULL;
        }
        pages_end += ahead * PAGE;
    }
    void *p = (void *)top;
    if (top < used) memset(p, 0, size < used - top ? size : used - top);
    top += size;
    return p;
}

static shp_arena arena;
static shp_engine *engine;
static struct {
    shp_ask ask;
    int64_t value;
    uint32_t memory;
} request;                          /* SHP_REQUEST_WORDS */
_Static_assert(sizeof request.ask == SHP_WORD_VALUE_LOW * sizeof(uint32_t), "the request's words are not where shp.h says");

static shp_arena *memory(void)
{
    if (!arena.grow) shp_arena_init(&arena, SIZE_MAX / 2, grow, NULL);
    return &arena;
}

static uint64_t join(uint32_t low, uint32_t high) { return (uint64_t)high << 32 | low; }

static shp_status told(shp_status status)
{
    request.ask = *shp_engine_ask(engine);
    request.memory = (uint32_t)top;
    return status;
}

/* model_alloc - room for `size` bytes from the host, for the instance's life; 0 where there is none. */
void *model_alloc(uint32_t size)
{
    return shp_alloc(memory(), size);
}

/* model_start - begins the call; the options' bytes come from model_alloc. Returns a status, as all that follow. */
shp_status model_start(const uint8_t *options, uint32_t len, uint32_t size_low, uint32_t size_high)
{
    engine = shp_engine_new(memory());
    if (!engine) {
        request.ask = (shp_ask){ .offset = UINT64_MAX, .code = SHP_E_MEMORY };
        return SHP_ERROR;
    }
    return told(shp_engine_start(engine, options, len, join(size_low, size_high)));
}

shp_status model_step(void)
{
    return told(shp_engine_step(engine));
}

/* model_reset - forgets the call, so that the instance serves as a new one; memory stays as large as it is. */
void model_reset(void)
{
    if (top > used) used = top;
    top = 0;
    arena = (shp_arena){ .grow = NULL };
}

/* model_request - the address of the request block, fixed for the instance's life. */
const void *model_request(void)
{
    return &request;
}

void model_give(uint32_t ok, const uint8_t *bytes, uint32_t len)
{
    shp_engine_give(engine, ok, bytes, len);
}

void model_end(uint32_t size_low, uint32_t size_high)
{
    shp_engine_end(engine, join(size_low, size_high));
}

/* model_evaluate - shp_evaluate: the value in VALUE_…, a name without a value in MESSAGE. */
shp_evaluation model_evaluate(const char *text, uint32_t text_len, const uint8_t *bindings, uint32_t len)
{
    return shp_evaluate(memory(), (shp_str){ text, text_len }, bindings, len, &request.value, &request.ask.message);
}
