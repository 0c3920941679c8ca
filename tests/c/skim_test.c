/* The skimmer: what it keeps, that windows do not matter, what it says of files that are no models. skim_test [MODEL…] */
#include "proto.h"
#include "skeleton.h"

static bytes model;                 /* with one of everything */

static void make_model(void)
{
    bytes type = sub(2, sub(1, num(1, 1), sub(2, sub(1, str(2, "N")), sub(1, num(1, 300)))));
    bytes x = sub(11, str(1, "x"), type, str(3, "an input"), sub(4, str(1, "k"), str(2, "v")));
    bytes weight = sub(5, num(1, 20), num(1, 20), num(2, 1), str(8, "w"), len_field(9, filled(1600, 0xff)), str(12, "doc"));
    bytes small = sub(5, num(1, 2), num(2, 7), str(8, "s"), len_field(7, all(varint(3), varint(UINT64_MAX))));
    bytes long_list = sub(5, str(1, "nodes_values"), times(1500, f32(7, 0.5f)), num(20, 6), len_field(13, filled(128, 'd')));
    bytes noted = sub(5, str(1, "axis"), num(3, 1), str(13, ""), num(20, 2));
    bytes body = sub(6, sub(1, str(1, "x"), str(2, "b"), str(4, "Relu")), str(2, "body"), sub(12, str(1, "b")));
    bytes nodes = all(sub(1, str(1, "x"), str(1, "w"), str(2, "y"), str(4, "MatMul"), str(6, "a doc"), str(3, "n0")),
                      sub(1, str(2, "t"), str(4, "TreeEnsemble"), long_list, str(7, "ai.onnx.ml"), len_field(6, filled(128, 'd'))),
                      sub(1, str(1, "c"), str(2, "z"), str(4, "If"), sub(5, str(1, "then_branch"), num(20, 5), body)),
                      sub(1, str(1, "x"), str(2, "k"), str(4, "Concat"), noted, len_field(6, filled(127, 'd'))));
    bytes group = all(varint(99 << 3 | 3), num(1, 5), varint(2 << 3 | 3), str(7, "in a group"), varint(2 << 3 | 4), varint(99 << 3 | 4));
    bytes graph = sub(7, nodes, group, str(2, "g"), weight, len_field(10, filled(3000, 'd')), small, x, sub(12, str(1, "y"), type), num(77, 1),
                      sub(14, str(1, "w")), sub(13, str(1, "t")));
    model = all(num(1, 8), str(2, "test"), sub(14, str(1, "key"), len_field(2, filled(5000, 'm'))), graph, sub(8, str(1, ""), num(2, 17)),
                sub(25, str(1, "F"), str(4, "a"), str(5, "b"), sub(7, str(1, "a"), str(2, "b"), str(4, "Relu"))),
                sub(20, sub(1, str(2, "training"))), all(varint(31 << 3 | 1), little(7, 8)), all(varint(30 << 3 | 5), little(7, 4)));
}

/* Every split of it gives the same skeleton, known size or not. */
static void same_for_windows(bytes source)
{
    memory m = { .budget = 1u << 30 }, m2;
    shp_arena a, b;
    shp_read_error error, again;
    shp_arena_init(&a, 1u << 30, grow, &m);
    bytes first = skimmed(&a, source, source.len + 1, true, &error, NULL);
    for (size_t window = 1; window <= 70; window++)
        for (int sized = 0; sized < 2; sized++) {
            m2 = (memory){ .budget = 1u << 30 };
            shp_arena_init(&b, 1u << 30, grow, &m2);
            bytes next = skimmed(&b, source, window, sized, &again, NULL);
            CHECK(same_skeleton(next.at, next.len, first.at, first.len));
            if (sized) CHECK(again.code == error.code && again.offset == error.offset && (!error.code || !strcmp(again.path, error.path)));
            release(&m2);
            if (source.len > 1 << 18) window += 6;
        }
    release(&m);
}

/* Walks the skeleton as plain protobuf and finds the n-th field `number` at a path of field numbers. */
static bytes field(bytes in, uint32_t number, int n)
{
    size_t at = 0;
    while (at < in.len) {
        uint64_t key = 0, len = 0;
        unsigned shift = 0;
        do key |= (uint64_t)(in.at[at] & 0x7f) << shift, shift += 7; while (in.at[at++] & 0x80);
        size_t start = at;
        if ((key & 7) == 0) while (in.at[at++] & 0x80) {}
        else if ((key & 7) == 1) at += 8;
        else if ((key & 7) == 5) at += 4;
        else {
            shift = 0;
            do len |= (uint64_t)(in.at[at] & 0x7f) << shift, shift += 7; while (in.at[at++] & 0x80);
            start = at;
            at += len;
        }
        if (key >> 3 == number && !n--) return (bytes){ in.at + start, at - start };
    }
    return (bytes){ NULL, 0 };
}

static uint64_t value(bytes in, uint32_t number)
{
    bytes v = field(in, number, 0);
    uint64_t out = 0;
    for (size_t i = 0; i < v.len; i++) out |= (uint64_t)(v.at[i] & 0x7f) << (7 * i);
    return out;
}

static void what_it_keeps(void)
{
    memory m = { .budget = 1u << 30 };
    shp_arena a;
    shp_read_error error;
    uint64_t fed = 0;
    shp_arena_init(&a, 1u << 30, grow, &m);
    bytes s = skimmed(&a, model, 100, true, &error, &fed);
    CHECK(!error.code);
    CHECK(fed < model.len - 5000 - 3000 - 1600 + 5 * 100);
    bytes graph = field(s, 7, 0), weight = field(graph, 5, 0), payload = field(weight, SHP_RECORD_PAYLOAD, 0);
    CHECK(value(payload, 1) == 9 && value(payload, 3) == 1600 && model.at[value(payload, 2)] == 0xff && model.at[value(payload, 2) - 1] != 0xff);
    CHECK(!field(weight, 12, 0).at && !field(weight, 9, 0).at && !field(graph, 10, 0).at && !field(graph, 99, 0).at && !field(s, 14, 0).at && !field(s, 20, 0).at);
    CHECK(field(field(graph, 5, 1), 7, 0).len == 11);
    /* short notes on nodes and attributes stay, for they are mostly empty; others go */
    CHECK(field(field(graph, 1, 0), 6, 0).len == 5 && field(field(graph, 1, 3), 6, 0).len == 127 && field(field(field(graph, 1, 3), 5, 0), 13, 0).at);
    CHECK(!field(field(graph, 1, 1), 6, 0).at && !field(field(field(graph, 1, 1), 5, 0), 13, 0).at);
    bytes list = field(field(graph, 1, 1), 5, 0), count = field(list, SHP_RECORD_COUNT, 0);
    CHECK(value(count, 1) == 7 && value(count, 2) == 476 && field(list, 7, 1023).at && !field(list, 7, 1024).at);
    /* trailers: the model, the graph, the node and attribute around a body, the body, value_infos, functions; not other nodes */
    bytes t = field(s, SHP_RECORD_TRAILER, 0);
    CHECK(t.at && value(t, 1) == 0 && value(t, 2) == model.len && value(t, 3) == 0);
    t = field(graph, SHP_RECORD_TRAILER, 0);
    CHECK(value(t, 3) == 2 && !memcmp(model.at + value(t, 1), "\x0a\x1c\x0a\x01x", 4) && model.at[value(t, 1) - 3] == 0x3a);
    CHECK(!field(field(graph, 1, 0), SHP_RECORD_TRAILER, 0).at && field(field(graph, 1, 2), SHP_RECORD_TRAILER, 0).at);
    bytes attribute = field(field(graph, 1, 2), 5, 0), body = field(attribute, 6, 0);
    CHECK(field(attribute, SHP_RECORD_TRAILER, 0).at && field(body, SHP_RECORD_TRAILER, 0).at);
    t = field(field(graph, 13, 0), SHP_RECORD_TRAILER, 0);
    CHECK(value(t, 2) == 3 && value(t, 3) == 1 && model.at[value(t, 1)] == 0x0a && model.at[value(t, 1) + 2] == 't');
    CHECK(field(field(s, 25, 0), SHP_RECORD_TRAILER, 0).at && !field(weight, SHP_RECORD_TRAILER, 0).at);
    release(&m);
}

#define TEXT(s) { (const uint8_t *)(s), sizeof(s) - 1 }
static const struct { bytes source; shp_code code; uint64_t offset; const char *path; } rows[] = {
    { TEXT(""),                                            SHP_E_EMPTY,     0, "" },
    { TEXT("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"), SHP_E_NOT_ONNX, 0, "a Git LFS pointer, not the model: run `git lfs pull`" },
    { TEXT("<!DOCTYPE html><html><head>"),                 SHP_E_NOT_ONNX,  0, "an HTML page or XML file, not the model: check the download" },
    { TEXT("\r\n\n  <html>\xc3\xa9"),                      SHP_E_NOT_ONNX,  0, "an HTML page or XML file, not the model: check the download" },
    { TEXT("<?xml version=\"1.0\"?><net>"),                SHP_E_NOT_ONNX,  0, "an XML file" },
    { TEXT("\x89PNG\r\n\x1a\n\0\0\0\rIHDR"),               SHP_E_NOT_ONNX,  0, "a PNG image" },
    { TEXT("\xff\xd8\xff\xe0\0\x10JFIF"),                  SHP_E_NOT_ONNX,  0, "a JPEG image" },
    { TEXT("PK\3\4\x14\0\0\0\x08\0"),                      SHP_E_NOT_ONNX,  0, "a zip archive (a PyTorch or Keras file, or a model still to be unpacked)" },
    { TEXT("\x1f\x8b\x08\0\0\0\0\0"),                      SHP_E_NOT_ONNX,  0, "a gzip file, still to be unpacked" },
    { TEXT("\x1c\0\0\0TFL3\x14\0\x20\0"),                  SHP_E_NOT_ONNX,  0, "a TensorFlow Lite model" },
    { TEXT("\x1c\0\0\0ORTM\x14\0\x20\0"),                  SHP_E_NOT_ONNX,  0, "a model in ONNX Runtime's own format (.ort)" },
    { TEXT("\x89HDF\r\n\x1a\n\0\0"),                       SHP_E_NOT_ONNX,  0, "an HDF5 file (Keras)" },
    { TEXT("\x80\2}q\0."),                                 SHP_E_NOT_ONNX,  0, "a Python pickle (PyTorch)" },
    { TEXT("\x40\0\0\0\0\0\0\0{\"__metadata__\":{"),       SHP_E_NOT_ONNX,  0, "a safetensors file" },
    { TEXT("{\"error\": \"Not found\"}"),                  SHP_E_NOT_ONNX,  0, "a JSON file" },
    { TEXT("ir_version: 8\nproducer_name: \"pytorch\"\n"), SHP_E_NOT_ONNX,  0, "a text file" },
    { TEXT("Entry not found"),                             SHP_E_NOT_ONNX,  0, "a text file" },
    { TEXT("\0\0\0\0\0\0\0\0"),                            SHP_E_NOT_ONNX,  0, "no format known here (weights, perhaps, or damaged from the start)" },
    { TEXT("\xcd\xcc\xcc\x3d\x9a\x99\x99\xbe"),            SHP_E_NOT_ONNX,  0, "no format known here (weights, perhaps, or damaged from the start)" },
    { TEXT("\x08\x07\x12\4test"),                          SHP_E_NOT_ONNX,  0, "protobuf, but no model: there is no graph in it" },
    { TEXT("\x08\x07\x3a\x0a\x12\1g"),                     SHP_E_TRUNCATED, 7, "graph" },
    { TEXT("\x08\x07\x3a"),                                SHP_E_TRUNCATED, 3, "graph" },
    { TEXT("\x08\x07\x12\4te"),                            SHP_E_TRUNCATED, 6, "producer_name" },
    { TEXT("\x08\x87"),                                    SHP_E_TRUNCATED, 2, "ir_version" },
    { TEXT("\x08\x07\x32\x0atoo"),                         SHP_E_TRUNCATED, 7, "doc_string" },
    { TEXT("\x08\x07\x3a\3\x0a\2\x0a"),                    SHP_E_WIRE,      4, "graph.node[0]" },
    { TEXT("\x08\x07\x3a\4\x0a\0\x0a\2"),                  SHP_E_WIRE,      6, "graph.node[1]" },
    { TEXT("\x08\x07\x3a\4\x0a\2\x0a\1"),                  SHP_E_WIRE,      6, "graph.node[0].input" },
    { TEXT("\x08\x07\x3a\2\x0f\0"),                        SHP_E_WIRE,      4, "graph" },          /* wire type 7 */
    { TEXT("\x08\x07\x3a\2\0\0"),                          SHP_E_WIRE,      4, "graph" },          /* field number 0 */
    { TEXT("\x08\x07\x3a\2\x9b\6"),                        SHP_E_WIRE,      6, "graph.#99" },      /* a group that nothing ends */
    { TEXT("\x08\x07\x3a\4\x9b\6\xa4\6"),                  SHP_E_WIRE,      6, "graph.#99" },      /* … that another number ends */
    { TEXT("\x08\x07\x3a\1\x0c"),                          SHP_E_WIRE,      4, "graph" },          /* an end without a group */
    { TEXT("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), SHP_E_WIRE, 0, "ir_version" },     /* a varint of 11 bytes: known only after it */
};

static void what_it_says(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t window = 1; window < 100; window += window < 10 ? 1 : 30)
            for (int sized = 0; sized < 2; sized++) {
                memory m = { .budget = 1u << 30 };
                shp_arena a;
                shp_read_error error;
                shp_arena_init(&a, 1u << 30, grow, &m);
                bytes s = skimmed(&a, rows[i].source, window, sized, &error, NULL);
                CHECK(!s.at);
                bool ok = error.code == rows[i].code && (!sized || (error.offset == rows[i].offset && !strcmp(error.path, rows[i].path)));
                CHECK(ok);
                if (!ok) fprintf(stderr, "row %zu, window %zu: %s at %" PRIu64 ": %s\n", i, window, shp_code_name(error.code), error.offset, error.path);
                release(&m);
            }
}

/* A message in a message in … is refused; so are groups. */
static void nesting(void)
{
    for (int groups = 0; groups < 2; groups++) {
        bytes b = none();
        for (int i = 0; i < 300; i++) b = groups ? all(varint(50 << 3 | 3), b, varint(50 << 3 | 4)) : i % 3 == 0 ? sub(6, b) : i % 3 == 1 ? sub(5, b) : sub(1, b);
        b = all(num(1, 8), sub(7, b));
        memory m = { .budget = 1u << 30 };
        shp_arena a;
        shp_read_error error;
        shp_arena_init(&a, 1u << 30, grow, &m);
        CHECK(!skimmed(&a, b, 64, true, &error, NULL).at && error.code == SHP_E_NESTING);
        CHECK(strlen(error.path) < 400);
        release(&m);
    }
}

/* A source of 9 GiB whose weights nobody has to read. */
static void nine_gigabytes(void)
{
    uint64_t weights = (uint64_t)9 << 30;
    bytes before = all(num(1, 16384), num(1, 147456), num(2, 1), str(8, "w"), varint(9 << 3 | 2), varint(weights));
    bytes after = all(sub(1, str(1, "x"), str(1, "w"), str(2, "y"), str(4, "MatMul")), str(2, "g"));
    bytes tensor = all(varint(5 << 3 | 2), varint(before.len + weights), before);
    bytes head = all(num(1, 10), varint(7 << 3 | 2), varint(tensor.len + weights + after.len), tensor);
    memory m = { .budget = 1u << 30 };
    shp_arena a;
    shp_read_error error;
    shp_arena_init(&a, 1u << 30, grow, &m);
    uint64_t size = head.len + weights + after.len, at, fed = 0, skipped = 0;
    shp_skim *s = shp_skim_new(&a, size, NESTING);
    while (shp_skim_wants(s, &at)) {
        uint8_t window[4096];
        size_t n = 0;
        for (; n < sizeof window && at + n < size; n++)
            window[n] = at + n < head.len ? head.at[at + n] : at + n < head.len + weights ? 0 : after.at[at + n - head.len - weights];
        shp_skim_feed(s, at, window, n);
        fed += n;
        skipped += shp_skim_skipped(s);
    }
    bytes out;
    out.at = shp_skim_done(s, &out.len, &error);
    CHECK(out.at && fed < 8192 && fed + skipped == size);
    CHECK(value(field(field(field(out, 7, 0), 5, 0), SHP_RECORD_PAYLOAD, 0), 3) == weights);
    release(&m);
}

/* Cut anywhere, flipped anywhere, in too little memory: an end, and a clean one. */
static void damaged(bytes source, size_t step)
{
    for (size_t at = 0; at < source.len; at += step) {
        memory m = { .budget = 1u << 30 };
        shp_arena a;
        shp_read_error error;
        shp_arena_init(&a, 1u << 30, grow, &m);
        bytes s = skimmed(&a, (bytes){ source.at, at }, 57, at & 1, &error, NULL);
        CHECK(s.at ? !error.code : error.code != SHP_OK && error.offset <= at);
        release(&m);
        uint8_t *copy = malloc(source.len);
        memcpy(copy, source.at, source.len);
        copy[at] ^= (uint8_t)(1 << (at % 8));
        shp_arena_init(&a, 1u << 30, grow, &m);
        s = skimmed(&a, (bytes){ copy, source.len }, 1000, true, &error, NULL);
        CHECK(!s.at == (error.code != SHP_OK));
        release(&m);
        free(copy);
    }
    for (size_t limit = 0; limit < 300000; limit += 997) {
        memory m = { .budget = limit };
        shp_arena a;
        shp_read_error error;
        shp_arena_init(&a, limit, grow, &m);
        bytes s = skimmed(&a, source, 4096, true, &error, NULL);
        CHECK(s.at ? !error.code : error.code == SHP_E_MEMORY);
        release(&m);
    }
}

int main(int argc, char **argv)
{
    make_model();
    what_it_keeps();
    same_for_windows(model);
    what_it_says();
    nesting();
    nine_gigabytes();
    damaged(model, 1);
    for (int i = 1; i < argc; i++) {
        FILE *f = fopen(argv[i], "rb");
        if (!f) { perror(argv[i]); return 2; }
        fseek(f, 0, SEEK_END);
        size_t size = (size_t)ftell(f);
        uint8_t *data = malloc(size ? size : 1);
        rewind(f);
        if (fread(data, 1, size, f) != size) return 2;
        fclose(f);
        same_for_windows((bytes){ data, size });
        damaged((bytes){ data, size }, size / 100 + 1);
        free(data);
    }
    return report("skim_test");
}
