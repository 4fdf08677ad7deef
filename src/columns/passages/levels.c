// Coarse levels for the heads of passages: what makes the number of iterations independent of a
// passage's length. A step of conjugate gradients moves news by one column; here the columns of
// each block of 2 × 2 cells, as far as they hang together inside it, become one node of the next
// level, blocks of these the next, until a passage is a handful of nodes. A cycle smooths on each
// level what is rough there (one Jacobi sweep before and one after), and leaves the smooth rest to
// the next: aggregation multigrid, as a preconditioner (Braess, "Towards algebraic multigrid for
// elliptic problems of second order", 1995).
//
// Constants on aggregates cannot bend: taken as it is, the next level is too stiff, by the factor
// by which its nodes are longer. As in Braess its conducts are made smaller, here by geometry: a
// link between nodes that are each two columns long is twice as long, its conduct half the sum.
//
// Blocks are counted from the middle of the grid, so that they turn with the scene, and all sums
// are independent of the order of their terms (passages.h).
#include "columns/passages/passages.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SMOOTH 0.75    // share of a Jacobi step; tried from 0.67 (best in a row) to 0.8 (in a hall)
#define FEW 24         // nodes that need no further level
#define TOP_ROUNDS 200 // of the last level's iteration at most …
#define TOP_WORK 16    // … and this many times all columns' worth of its nodes …
#define TOP_SHARE 1e-6 // … until the square of its rest is this share of the first
#define SHRINK 0.8     // share of nodes that a level may have of those before it

// ---- Memory -------------------------------------------------------------------------------------

#define NODE_ARRAYS(DO)                                                                            \
    DO(first)                                                                                      \
    DO(into)                                                                                       \
    DO(x)                                                                                          \
    DO(y)                                                                                          \
    DO(merged)                                                                                     \
    DO(sink)                                                                                       \
    DO(leak)                                                                                       \
    DO(diagonal)                                                                                   \
    DO(inverse)                                                                                    \
    DO(value)                                                                                      \
    DO(right)                                                                                      \
    DO(rest)                                                                                       \
    DO(way)                                                                                        \
    DO(to)

#define LINK_ARRAYS(DO)                                                                            \
    DO(other)                                                                                      \
    DO(part)                                                                                       \
    DO(conduct)

#define ARRAY(name) {&l->name, sizeof *l->name},

static uint32_t room_for(uint32_t old, uint32_t need)
{
    uint32_t fresh = old ? old : 64;
    while (fresh < need) fresh *= 2;
    return fresh;
}

bool rv_level_reserve(rv_engine *s, rv_passage_level *l, uint32_t nodes)
{
    const rv_passage_array arrays[] = {NODE_ARRAYS(ARRAY)};
    if (nodes < l->capacity) return true; // `first` has one more than there are nodes
    uint32_t fresh = room_for(l->capacity, nodes + 1);
    if (!rv_passages_grow(s, arrays, sizeof arrays / sizeof *arrays, 0, l->capacity, fresh))
        return false;
    l->capacity = fresh;
    return true;
}

bool rv_level_reserve_links(rv_engine *s, rv_passage_level *l, uint32_t links)
{
    const rv_passage_array arrays[] = {LINK_ARRAYS(ARRAY)};
    if (l->link_capacity && links <= l->link_capacity) return true;
    uint32_t fresh = room_for(l->link_capacity, links);
    if (!rv_passages_grow(s, arrays, sizeof arrays / sizeof *arrays, 0, l->link_capacity, fresh))
        return false;
    l->link_capacity = fresh;
    return true;
}

void rv_level_free(const rv_allocator *a, rv_passage_level *l)
{
#define FREE_NODES(name) rv_free(a, l->name, l->capacity, sizeof *l->name);
#define FREE_LINKS(name) rv_free(a, l->name, l->link_capacity, sizeof *l->name);
    NODE_ARRAYS(FREE_NODES)
    LINK_ARRAYS(FREE_LINKS)
}

size_t rv_level_bytes(const rv_passage_level *l)
{
    size_t node = 0, link = 0;
#define NODE_SIZE(name) node += sizeof *l->name;
#define LINK_SIZE(name) link += sizeof *l->name;
    NODE_ARRAYS(NODE_SIZE)
    LINK_ARRAYS(LINK_SIZE)
    return l->capacity * node + l->link_capacity * link;
}

// ---- Nodes and links of the next level ----------------------------------------------------------

// Blocks are numbered …, -2, -1, 1, 2, … from the middle of the grid, with a 0 where a cell lies on
// it; the one of a block of twice the size.
static int32_t wider(int32_t block)
{
    int32_t half = (abs(block) + 1) / 2;
    return block < 0 ? -half : half;
}

static bool is_whole(const rv_passage_level *l)
{
    for (uint32_t i = 0; i < l->count; i++)
        if (abs(l->x[i]) > 1 || abs(l->y[i]) > 1) return false;
    return true;
}

static uint32_t root(uint32_t *of, uint32_t k)
{
    while (of[k] != k) k = of[k] = of[of[k]];
    return k;
}

// Sets `into`: nodes that hang together inside a block of twice the size are one. Returns how many
// there are.
static uint32_t merge_nodes(rv_passage_level *l, uint32_t *of)
{
    for (uint32_t i = 0; i < l->count; i++) l->x[i] = wider(l->x[i]), l->y[i] = wider(l->y[i]);
    for (uint32_t i = 0; i < l->count; i++) of[i] = i;
    for (uint32_t i = 0; i < l->count; i++)
        for (uint32_t e = l->first[i]; e < l->first[i + 1]; e++) {
            uint32_t j = l->other[e];
            if (j > i || l->x[i] != l->x[j] || l->y[i] != l->y[j]) continue;
            uint32_t a = root(of, i), b = root(of, j);
            of[a > b ? a : b] = a > b ? b : a;
        }
    uint32_t count = 0;
    for (uint32_t i = 0; i < l->count; i++) {
        uint32_t r = root(of, i);
        l->into[i] = r == i ? count++ : l->into[r];
    }
    return count;
}

static void set_nodes(const rv_passage_level *l, rv_passage_level *next, uint32_t count)
{
    next->count = count;
    for (uint32_t i = 0; i < count; i++) next->merged[i] = 2;
    for (uint32_t i = 0; i < l->count; i++) {
        uint32_t to = l->into[i];
        next->x[to] = l->x[i], next->y[to] = l->y[i];
        next->merged[to] = next->merged[to] == 2 ? 0 : 1;
    }
}

// Nodes in order of what they become: `order` from first[i] on those that become i.
static void order_nodes(const rv_passage_level *l, uint32_t count, uint32_t *first, uint32_t *order)
{
    memset(first, 0, count * sizeof *first);
    for (uint32_t i = 0; i < l->count; i++) first[l->into[i]]++;
    for (uint32_t i = 0, sum = 0; i < count; i++) sum += first[i], first[i] = sum;
    for (uint32_t i = l->count; i-- > 0;) order[--first[l->into[i]]] = i;
}

// Joins links between the same two nodes of the next level to one. `last` holds for each node the
// link to it that was found last, plus one.
static void set_links(rv_passage_level *l, rv_passage_level *next, const uint32_t *first,
                      const uint32_t *order, uint32_t *last)
{
    uint32_t links = 0;
    next->most_links = 0;
    memset(last, 0, next->count * sizeof *last);
    for (uint32_t n = 0; n < next->count; n++) {
        next->first[n] = links;
        uint32_t end = n + 1 < next->count ? first[n + 1] : l->count;
        for (uint32_t k = first[n]; k < end; k++)
            for (uint32_t e = l->first[order[k]]; e < l->first[order[k] + 1]; e++) {
                uint32_t to = l->into[l->other[e]];
                l->part[e] = RV_NO_SLOT;
                if (to == n) continue;
                if (last[to] <= next->first[n]) next->other[links] = to, last[to] = ++links;
                l->part[e] = last[to] - 1;
            }
        uint32_t own = links - next->first[n];
        if (own > next->most_links) next->most_links = own;
    }
    next->first[next->count] = next->links = links;
}

bool rv_levels_build(rv_engine *s)
{
    rv_passage_work *w = s->passage;
    w->levels = 1;
    while (w->levels < RV_PASSAGE_LEVELS) {
        rv_passage_level *l = &w->level[w->levels - 1], *next = l + 1;
        if (l->count <= FEW || is_whole(l)) break;
        uint32_t count = merge_nodes(l, w->scratch[0]);
        if ((double)count > SHRINK * (double)l->count) continue; // wider blocks still
        if (!rv_level_reserve(s, next, count) || !rv_level_reserve_links(s, next, l->links))
            return false;
        set_nodes(l, next, count);
        order_nodes(l, count, w->scratch[0], w->scratch[1]);
        set_links(l, next, w->scratch[0], w->scratch[1], w->scratch[2]);
        w->levels++;
    }
    return true;
}

// ---- Numbers ------------------------------------------------------------------------------------

static void add_parts(const rv_passage_level *l, rv_passage_level *next)
{
    double most = fmax(rv_most(l->count, l->sink), rv_most(l->count, l->leak));
    double node = rv_rounder(l->count, most), link = rv_rounder(l->links, l->most_conduct);
    memset(next->sink, 0, next->count * sizeof *next->sink);
    memset(next->leak, 0, next->count * sizeof *next->leak);
    memset(next->conduct, 0, next->links * sizeof *next->conduct);
    for (uint32_t i = 0; i < l->count; i++) {
        next->sink[l->into[i]] += rv_rounded(l->sink[i], node);
        next->leak[l->into[i]] += rv_rounded(l->leak[i], node);
    }
    for (uint32_t e = 0; e < l->links; e++)
        if (l->part[e] != RV_NO_SLOT) next->conduct[l->part[e]] += rv_rounded(l->conduct[e], link);
}

// Links and ways to gates are longer where nodes are: see above. What leaks does so everywhere.
static void stretch(rv_passage_level *l)
{
    static const double share[] = {1.0, 2.0 / 3.0, 0.5}; // by how many of the two nodes are longer
    for (uint32_t i = 0; i < l->count; i++) {
        if (l->merged[i]) l->sink[i] *= share[2];
        for (uint32_t e = l->first[i]; e < l->first[i + 1]; e++)
            l->conduct[e] *= share[l->merged[i] + l->merged[l->other[e]]];
    }
    l->most_conduct = rv_most(l->links, l->conduct);
}

static void set_diagonal(rv_passage_level *l)
{
    double rounder = rv_rounder(l->most_links, l->most_conduct);
    for (uint32_t i = 0; i < l->count; i++) {
        double sum = 0.0;
        for (uint32_t e = l->first[i]; e < l->first[i + 1]; e++)
            sum += rv_rounded(l->conduct[e], rounder);
        l->diagonal[i] = sum + (l->sink[i] + l->leak[i]);
    }
    rv_level_invert(l);
}

void rv_level_invert(rv_passage_level *l)
{
    for (uint32_t i = 0; i < l->count; i++)
        l->inverse[i] = l->diagonal[i] > 0.0 ? 1.0 / l->diagonal[i] : 0.0;
}

void rv_levels_fill(rv_engine *s)
{
    rv_passage_work *w = s->passage;
    rv_passage_level *l = w->level;
    if (w->filled) return;
    w->filled = true;
    l->most_conduct = rv_most(l->links, l->conduct);
    for (uint32_t k = 1; k < w->levels; k++) {
        add_parts(l + k - 1, l + k);
        stretch(l + k);
        set_diagonal(l + k);
    }
}

// ---- Products -----------------------------------------------------------------------------------

static double rounder_of(const rv_passage_level *l, double most)
{
    return rv_rounder(l->most_links, l->most_conduct * most);
}

// Two sums, since each addition waits for the one before it.
static inline double row_times(const rv_passage_level *l, const double *v, uint32_t k,
                               double rounder)
{
    const double *conduct = l->conduct;
    const uint32_t *other = l->other;
    uint32_t e = l->first[k], end = l->first[k + 1];
    double even = 0.0, odd = 0.0;
    for (; e + 2 <= end; e += 2) {
        even += rv_rounded(conduct[e] * v[other[e]], rounder);
        odd += rv_rounded(conduct[e + 1] * v[other[e + 1]], rounder);
    }
    if (e < end) even += rv_rounded(conduct[e] * v[other[e]], rounder);
    return l->diagonal[k] * v[k] - (even + odd);
}

void rv_level_times(const rv_passage_level *l, const double *v, double *restrict to)
{
    double rounder = rounder_of(l, rv_most(l->count, v));
    for (uint32_t k = 0; k < l->count; k++) to[k] = row_times(l, v, k, rounder);
}

double rv_level_rest(const rv_passage_level *l, const double *right, const double *v, double most,
                     double *restrict left)
{
    double rounder = rounder_of(l, most), greatest = 0.0;
    for (uint32_t k = 0; k < l->count; k++) {
        double rest = right[k] - row_times(l, v, k, rounder), size = fabs(rest);
        left[k] = rest;
        greatest = size > greatest ? size : greatest;
    }
    return greatest;
}

// ---- A cycle ------------------------------------------------------------------------------------

// The last level, by conjugate gradients scaled by the diagonal.
static void solve_top(rv_passage_level *l, uint32_t columns)
{
    uint32_t n = l->count;
    for (uint32_t k = 0; k < n; k++) {
        l->value[k] = 0.0, l->rest[k] = l->right[k];
        l->way[k] = l->to[k] = l->inverse[k] * l->rest[k];
    }
    double size = rv_passage_dot(n, l->rest, l->to), enough = TOP_SHARE * size;
    uint32_t rounds = n ? TOP_WORK * (columns / n) : 0;
    if (rounds > TOP_ROUNDS) rounds = TOP_ROUNDS;
    for (uint32_t round = 0; round < rounds && size > enough; round++) {
        rv_level_times(l, l->way, l->to);
        double curvature = rv_passage_dot(n, l->way, l->to);
        if (!(curvature > 0.0)) return;
        double step = size / curvature;
        for (uint32_t k = 0; k < n; k++) {
            l->value[k] += step * l->way[k];
            l->rest[k] -= step * l->to[k];
            l->to[k] = l->inverse[k] * l->rest[k];
        }
        double before = size;
        size = rv_passage_dot(n, l->rest, l->to);
        for (uint32_t k = 0; k < n; k++) l->way[k] = l->to[k] + size / before * l->way[k];
    }
}

// From zero: smooth, the rest to the next level.
static void go_down(const rv_passage_level *l, const double *right, double *restrict v,
                    rv_passage_level *next)
{
    double most = 0.0;
    for (uint32_t k = 0; k < l->count; k++) {
        double value = SMOOTH * (l->inverse[k] * right[k]), size = fabs(value);
        v[k] = value;
        most = size > most ? size : most;
    }
    double rounder = rv_rounder(l->count, rv_level_rest(l, right, v, most, l->rest));
    memset(next->right, 0, next->count * sizeof *next->right);
    for (uint32_t k = 0; k < l->count; k++)
        next->right[l->into[k]] += rv_rounded(l->rest[k], rounder);
}

// What the next level found, and smooth again.
static void come_up(const rv_passage_level *l, const double *right, double *restrict v,
                    const rv_passage_level *next)
{
    double most = 0.0;
    for (uint32_t k = 0; k < l->count; k++) {
        double value = v[k] + next->value[l->into[k]], size = fabs(value);
        v[k] = value;
        most = size > most ? size : most;
    }
    rv_level_rest(l, right, v, most, l->rest);
    for (uint32_t k = 0; k < l->count; k++) v[k] += SMOOTH * (l->inverse[k] * l->rest[k]);
}

void rv_levels_cycle(rv_passage_work *w, const double *right, double *to)
{
    rv_passage_level *l = w->level;
    uint32_t last = w->levels - 1;
    if (last == 0) {
        memcpy(l->right, right, l->count * sizeof *right);
        solve_top(l, l->count);
        memcpy(to, l->value, l->count * sizeof *to);
        return;
    }
    go_down(l, right, to, l + 1);
    for (uint32_t k = 1; k < last; k++) go_down(l + k, l[k].right, l[k].value, l + k + 1);
    solve_top(l + last, l->count);
    for (uint32_t k = last; k-- > 1;) come_up(l + k, l[k].right, l[k].value, l + k + 1);
    come_up(l, right, to, l + 1);
}
