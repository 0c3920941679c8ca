/* The kernel against rows: those below, and the table that the Node tests run through shape.wasm. */
#include "shape.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANK = 8, LONG = 1000 };

static const int64_t DIMS[RANK] = { 2, 3, 5, 7, 11, 13, 17, 19 };
static int failures;

typedef struct {
    int64_t rank, start, end, begin, len;
} row;

static const row ROWS[] = {
    /* rank, start, end -> begin, len */
    { 0, 0, 0, 0, 0 },
    { 0, INT64_MIN, INT64_MAX, 0, 0 },
    { 0, -1, 1, 0, 0 },
    { 3, 0, 3, 0, 3 },                      /* the specification's examples: no attributes, */
    { 3, -1, 3, 2, 1 },                     /* start -1, */
    { 3, 0, -1, 0, 2 },                     /* end -1, */
    { 3, 1, 2, 1, 1 },                      /* start 1 and end 2 */
    { 4, INT64_MIN, INT64_MAX, 0, 4 },
    { 4, INT64_MAX, INT64_MIN, 4, 0 },
    { 4, INT64_MIN, INT64_MIN, 0, 0 },
    { 4, INT64_MAX, INT64_MAX, 4, 0 },
    { 4, INT64_MIN + 4, INT64_MAX - 4, 0, 4 },
    { 4, -4, -1, 0, 3 },
    { 4, -5, 5, 0, 4 },
    { 4, -9, -4, 0, 0 },                    /* the rank is added once, then clamped */
    { 4, 2, 2, 2, 0 },
    { 4, 3, 1, 3, 0 },
    { INT64_MAX, INT64_MIN, INT64_MAX, 0, INT64_MAX },
    { INT64_MAX, -1, INT64_MAX, INT64_MAX - 1, 1 },
    { INT64_MAX, INT64_MIN + 1, -1, 0, INT64_MAX - 1 },
};

static void fail(const row *r, const char *what, int64_t got)
{
    failures++;
    fprintf(stderr, "rank %" PRId64 " start %" PRId64 " end %" PRId64 ": %s is %" PRId64 "\n", r->rank, r->start,
            r->end, what, got);
}

static void check_range(const row *r)
{
    shp_range got = shp_shape_range(r->rank, r->start, r->end);
    /* Where nothing is kept, begin is any axis of [0, rank]. */
    if (r->len > 0 ? got.begin != r->begin : got.begin < 0 || got.begin > r->rank)
        fail(r, "begin", got.begin);
    if (got.len != r->len)
        fail(r, "len", got.len);
}

/* Copies of exact size, so that the address sanitizer sees a read or write beyond them. */
static void check_slice(const row *r, int in_place)
{
    size_t rank = (size_t)r->rank, room = in_place ? rank : (size_t)r->len;
    int64_t *dims = malloc(rank * sizeof *dims + 1), *out = in_place ? dims : malloc(room * sizeof *out + 1);
    if (!dims || !out)
        abort();
    memcpy(dims, DIMS, rank * sizeof *dims);
    int64_t len = shp_shape_slice(dims, r->rank, r->start, r->end, out);
    if (len != r->len)
        fail(r, "count", len);
    else if (len > 0 && memcmp(out, DIMS + r->begin, (size_t)len * sizeof *out) != 0)
        fail(r, in_place ? "first dim in place" : "first dim", out[0]);
    if (!in_place) {
        if (memcmp(dims, DIMS, rank * sizeof *dims) != 0)
            fail(r, "an input that changed", dims[0]);
        free(out);
    }
    free(dims);
}

static void check(const row *r)
{
    check_range(r);
    if (r->rank <= RANK) {
        check_slice(r, 0);
        check_slice(r, 1);
    }
}

/* A number up to the next comma or line end; what stands for an absent attribute where there is none. */
static int64_t field(char **at, int64_t absent)
{
    char *end = *at;
    int64_t value = strtoll(*at, &end, 10);
    if (end == *at)
        value = absent;
    *at = *end ? end + 1 : end;
    return value;
}

static int check_table(const char *path)
{
    char line[LONG];
    int rows = 0;
    FILE *file = fopen(path, "r");
    if (!file)
        return 0;
    while (fgets(line, sizeof line, file)) {
        if (line[0] < '0' || line[0] > '9')
            continue;                       /* the comment and the heading */
        char *at = line;
        row r = { 0, 0, 0, 0, 0 };
        r.rank = field(&at, 0);
        r.start = field(&at, 0);
        r.end = field(&at, r.rank);
        r.begin = field(&at, 0);
        int64_t hi = field(&at, 0);
        r.len = hi > r.begin ? hi - r.begin : 0;
        check(&r);
        rows++;
    }
    fclose(file);
    return rows;
}

/* Every range of a longer shape, against a slice counted axis by axis. */
static void check_long(void)
{
    int64_t rank = 37;
    for (int64_t start = -40; start <= 40; start++) {
        for (int64_t end = -40; end <= 40; end++) {
            row r = { rank, start, end, -1, 0 };
            for (int64_t axis = 0; axis < rank; axis++) {
                if (axis >= (start < 0 ? start + rank : start) && axis < (end < 0 ? end + rank : end)) {
                    r.begin = r.len ? r.begin : axis;
                    r.len++;
                }
            }
            check_range(&r);
        }
    }
}

int main(void)
{
    const char *table = "tests/data/shape_table.csv";
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++)
        check(&ROWS[i]);
    check_long();
    if (shp_shape_slice(NULL, 0, 0, 0, NULL) != 0)
        fail(&ROWS[0], "count of nothing", -1);
    if (check_table(table) != 6084) {
        failures++;
        fprintf(stderr, "%s: 6084 rows expected; run from the project's folder\n", table);
    }
    return failures > 0;
}
