/* pattern - the language of rules whose shapes are sizes named once and used again (nn.h). */
#include "nn.h"
#include "../infer.h"

#include <string.h>

typedef struct pattern {
    shp_node *n;
    shp_dim *letter;
    int64_t lead;                   /* axes of '.'; -1 not known yet */
    shp_dim dim[SHP_RANK_MAX];      /* their sizes */
} pattern;

/* The axes of one shape. */
typedef struct form {
    const char *word[8], *end;      /* no pattern has more */
    int32_t words, dot;             /* the word that '.' stands before; -1 none */
} form;

static bool is_letter(char c) { return c >= 'A' && c <= 'Z'; }
static bool ends_form(char c) { return strchr("|;>", c) != NULL; }      /* or 0 */

/* The end of a word. */
static const char *word_end(const char *at)
{
    while (*at != ' ' && !ends_form(*at)) at++;
    return at;
}

static form read_form(const char *at)
{
    form f = { .dot = -1 };
    for (; !ends_form(*at); at = *at == ' ' ? at + 1 : word_end(at)) {
        if (*at == '.') f.dot = f.words;
        else if (*at != ' ') f.word[f.words++] = at;
    }
    f.end = at;
    return f;
}

/* One letter or number. */
static shp_dim factor(pattern *p, const char **at)
{
    int64_t v = 0;
    if (is_letter(**at)) return p->letter[*(*at)++ - 'A'];
    for (; **at >= '0' && **at <= '9'; ++*at) v = v * 10 + (**at - '0');
    return num(p->n, v);
}

/* The value of what stands from `at` to `end`; 0 where a letter has none. */
static shp_dim value(pattern *p, const char *at, const char *end)
{
    shp_node *n = p->n;
    shp_dim a = factor(p, &at);
    while (at < end) {
        char op = *at++;
        shp_dim b = factor(p, &at);
        int64_t v;
        if (op == '*') a = mul(n, a, b);
        else if (op == '+') a = add(n, a, b);
        else if (op == '-') a = sub(n, a, b);
        else if (op == '~') a = floor_div(n, a, b);
        else a = a && is_num(n, b, &v) && v > 0 ? shp_whole_div(n, a, v) : 0;
    }
    return a;
}

/* Axis `axis` of input i has size d, and the pattern says this word. */
static void meet(pattern *p, uint32_t i, int64_t axis, shp_dim d, const char *at)
{
    shp_node *n = p->n;
    const char *end = word_end(at);
    shp_dim *to = NULL;
    int64_t v;
    if (at[1] == '=') {
        p->letter[*at - 'A'] = d;
        at += 2;
    }
    if (*at == '_') return;
    if (end[-1] == '?') {
        if (lo(n, d) < 2 && !is(n, d, 0)) return;         /* may be 1 */
        end--;
    }
    if (is_letter(end[-1])) {
        if (end - at == 1) to = &p->letter[*at - 'A'];
        else if (end[-2] == '*' && is_num(n, value(p, at, end - 2), &v)) {
            to = &p->letter[end[-1] - 'A'];
            d = shp_whole_div(n, d, v);
        }
    } else if (is_letter(*at) && (at[1] == '+' || at[1] == '-')) {
        shp_dim by = value(p, at + 2, end);
        to = &p->letter[*at - 'A'];
        d = at[1] == '+' ? sub(n, d, by) : add(n, d, by);
    }
    shp_dim have = to ? *to : value(p, at, end), both = shp_equal(n, d, have);
    if (!both) shp_fail3(n, SHP_D_SHAPE, "axis %d of %i is not %x", axis, i, value(p, at, end));
    else if (to) *to = both;
}

/* The axes of '.' in input i, from axis `first` on. */
static void meet_dots(pattern *p, uint32_t i, int64_t lead, int64_t first)
{
    shp_node *n = p->n;
    if (p->lead >= 0 && p->lead != lead) {
        shp_fail3(n, SHP_D_RANK, "%i has %d further axes, not %d", i, lead, p->lead);
        return;
    }
    for (int64_t k = 0; k < lead; k++) p->dim[k] = shp_want_dim(n, i, first + k, p->lead < 0 ? 0 : p->dim[k]);
    p->lead = lead;
}

/* Lays the form that fits the rank of input i over it. */
static void input(pattern *p, uint32_t i, const char *at)
{
    const shp_shape *s = shp_in_shape(p->n, i);
    int64_t lo = SHP_RANK_MAX, hi = 0, k = 0;
    for (; s; at++) {
        form f = read_form(at);
        bool dot = f.dot >= 0;
        if (!f.words && !dot && lo == SHP_RANK_MAX) return;
        if (dot ? s->rank < f.words : s->rank != f.words) {
            if (f.words < lo) lo = f.words;
            if (f.words > hi) hi = f.words;
            if (dot) hi = SHP_RANK_MAX;
            at = f.end;
            if (*at == '|') continue;
            shp_want_rank(p->n, i, lo, hi);
            return;
        }
        for (int32_t w = 0; w <= f.words && !p->n->failed; w++) {
            if (w == f.dot) meet_dots(p, i, s->rank - f.words, k), k += s->rank - f.words;
            if (w < f.words) meet(p, i, k, s->dim[k], f.word[w]), k++;
        }
        return;
    }
}

static void output(pattern *p, uint32_t o, const char *at)
{
    shp_node *n = p->n;
    form f = read_form(at);
    shp_dim d[2 * SHP_RANK_MAX];
    int64_t k = 0;
    if (f.dot < 0 ? !f.words : p->lead < 0) return;
    for (int32_t w = 0; w <= f.words; w++) {
        if (w == f.dot) {
            memcpy(d + k, p->dim, (size_t)p->lead * sizeof *d);
            k += p->lead;
        }
        if (w == f.words) break;
        const char *word = f.word[w], *end = word_end(word);
        if (word[1] == '=') {
            if (p->letter[*word - 'A']) end = word + 1;
            else word += 2;
        }
        for (const char *c = word; c < end && (*c == '*' || is_letter(*c)); c++)
            if (*c != '*' && !p->letter[*c - 'A'] && (c + 1 == end || c[1] == '*')) p->letter[*c - 'A'] = shp_fresh(n, o, (uint32_t)k, SHP_WHY_RANK);
        d[k] = *word == '_' ? shp_fresh(n, o, (uint32_t)k, SHP_WHY_DATA) : value(p, word, end);
        k++;
    }
    if (!n->failed) shp_out(n, o, k, d);
}

static const char *attributes(pattern *p, const char *at)
{
    for (; *at != ':'; at += *at == ' ') {
        const char *what = at;
        while (*at != ' ' && *at != ':') at++;
        shp_str name = { what + 2, (uint32_t)(at - what) - 2 };
        int64_t v = shp_attr_number(p->n, name, 0);
        if (v > 0) p->letter[*what - 'A'] = num(p->n, v);
        else if (what[1] == '!') shp_failf(p->n, SHP_D_ATTRIBUTE, "%n is %d", &name, v);
    }
    return at + 1;
}

static const char *until(const char *at, char end)
{
    while (*at && *at != ';' && *at != end) at++;
    return at;
}

shp_dim *shp_letters(shp_node *n) { return memset(n->x->letter, 0, sizeof n->x->letter); }

int shp_lay(shp_node *n, const char *text)
{
    pattern p;
    p.n = n;
    p.letter = n->x->letter;
    p.lead = -1;
    if (strchr(text, ':')) text = attributes(&p, text);
    for (uint32_t i = 0; *text && *text != '>' && !n->failed; i++) {
        input(&p, i, text);
        text = until(text, '>');
        text += *text == ';';
    }
    for (uint32_t o = 0; *text && !n->failed; o++) {
        output(&p, o, ++text);
        text = until(text, 0);
    }
    return n->failed;
}

void shp_patterns(shp_node *n, const char *text)
{
    shp_letters(n);
    shp_lay(n, text);
}
