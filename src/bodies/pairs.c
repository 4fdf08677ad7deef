// Which bodies may meet: a hash of places. Space is divided into cubes about twice as wide as the
// middle-sized body; each body stands in the cubes that the box around it touches, and meets those
// that stand there too. A pair that shares several cubes counts in the first of them only.
#include "bodies/bodies.h"

#include <string.h>

#define CUBES_MOST 64 // a body over more cubes is compared with all others instead

// The greatest whole number not above x, within what a number of a cube can be.
static inline int64_t whole_under(double x)
{
    double held = rv_greater(rv_lesser(x, 1e15), -1e15);
    int64_t n = (int64_t)held;
    return n - (held < (double)n);
}

static rv_cubes cubes_of(const rv_body *body, double margin, double a_side)
{
    double r = body->reach + margin;
    const double at[3] = {body->state.at.x, body->state.at.y, body->state.at.z};
    rv_cubes c;
    for (int a = 0; a < 3; a++) {
        c.low[a] = whole_under((at[a] - r) * a_side);
        c.high[a] = whole_under((at[a] + r) * a_side);
    }
    return c;
}

static bool is_large(const rv_cubes *c)
{
    double n = 1;
    for (int a = 0; a < 3; a++) n *= (double)(c->high[a] - c->low[a] + 1);
    return n > CUBES_MOST;
}

// Four times the mean reach, mostly of the smaller ones: one giant does not make all cubes giant.
static double cube_side(const rv_bodies *bodies, double margin)
{
    double sum = 0;
    int count = 0;
    for (int i = 0; i < bodies->count; i++)
        if (bodies->work[i].here) sum += log(bodies->body[i].reach + margin), count++;
    return count ? 4 * exp(sum / count) : 1;
}

static bool boxes_meet(const rv_body *a, const rv_body *b, double margin)
{
    double r = a->reach + b->reach + 2 * margin;
    rv_vec3 d = rv_sub(a->state.at, b->state.at);
    return rv_dot(d, d) < r * r;
}

static bool add_pair(rv_bodies *bodies, int a, int b)
{
    if (!rv_array_grow(&bodies->allocator, &bodies->pair, &bodies->pair_room,
                       bodies->pair_count + 1, sizeof *bodies->pair))
        return false;
    bodies->pair[bodies->pair_count++] = (rv_body_pair){a < b ? a : b, a < b ? b : a};
    return true;
}

static bool worth_it(const rv_bodies *bodies, int a, int b, double margin)
{
    return (bodies->work[a].free || bodies->work[b].free) &&
           boxes_meet(&bodies->body[a], &bodies->body[b], margin);
}

static unsigned hash_of(const int64_t cube[3])
{
    uint64_t h = (uint64_t)cube[0] * 0x9e3779b97f4a7c15ull ^
                 (uint64_t)cube[1] * 0xc2b2ae3d27d4eb4full ^
                 (uint64_t)cube[2] * 0x165667b19e3779f9ull;
    return (unsigned)(h >> 40 ^ h >> 20);
}

// Each link of a chain holds a body and the next link. A body stands in a chain once, however many
// of its cubes have the same hash.
static bool add_link(rv_bodies *bodies, unsigned bucket, int body)
{
    int last = bodies->bucket[bucket];
    if (last >= 0 && bodies->chain[last] == body) return true;
    if (!rv_array_grow(&bodies->allocator, &bodies->chain, &bodies->chain_room,
                       bodies->chain_count + 2, sizeof *bodies->chain))
        return false;
    bodies->chain[bodies->chain_count] = body;
    bodies->chain[bodies->chain_count + 1] = bodies->bucket[bucket];
    bodies->bucket[bucket] = bodies->chain_count;
    bodies->chain_count += 2;
    return true;
}

// Pairs of body i with those that stand in the cube already.
static bool meet_cube(rv_bodies *bodies, int i, const int64_t cube[3], const rv_cubes *own,
                      unsigned bucket, double margin)
{
    for (int k = bodies->bucket[bucket]; k >= 0; k = bodies->chain[k + 1]) {
        int j = bodies->chain[k];
        const rv_cubes *other = &bodies->work[j].cubes;
        bool first = j != i;
        for (int a = 0; a < 3 && first; a++)
            first = cube[a] == (own->low[a] > other->low[a] ? own->low[a] : other->low[a]);
        if (first && worth_it(bodies, i, j, margin) && !add_pair(bodies, i, j)) return false;
    }
    return true;
}

static bool place(rv_bodies *bodies, int i, const rv_cubes *c, unsigned mask, double margin)
{
    int64_t cube[3];
    for (cube[2] = c->low[2]; cube[2] <= c->high[2]; cube[2]++)
        for (cube[1] = c->low[1]; cube[1] <= c->high[1]; cube[1]++)
            for (cube[0] = c->low[0]; cube[0] <= c->high[0]; cube[0]++) {
                unsigned bucket = hash_of(cube) & mask;
                if (!meet_cube(bodies, i, cube, c, bucket, margin) || !add_link(bodies, bucket, i))
                    return false;
            }
    return true;
}

// A large body against all others; of two large ones the first has it.
static bool meet_all(rv_bodies *bodies, int i, double margin)
{
    for (int j = 0; j < bodies->count; j++) {
        if (j == i || !bodies->work[j].here || !worth_it(bodies, i, j, margin)) continue;
        if (j < i && is_large(&bodies->work[j].cubes)) continue;
        if (!add_pair(bodies, i, j)) return false;
    }
    return true;
}

bool rv_bodies_pairs(rv_bodies *bodies, double margin)
{
    unsigned buckets = 64;
    while (buckets < 4u * (unsigned)bodies->count) buckets *= 2;
    bodies->pair_count = bodies->chain_count = 0;
    if (bodies->count < 2) return true;
    if (!rv_array_grow(&bodies->allocator, &bodies->bucket, &bodies->bucket_room, (int)buckets,
                       sizeof *bodies->bucket))
        return false;
    memset(bodies->bucket, 0xff, buckets * sizeof *bodies->bucket); // all -1
    double a_side = 1 / cube_side(bodies, margin);
    for (int i = 0; i < bodies->count; i++)
        if (bodies->work[i].here)
            bodies->work[i].cubes = cubes_of(&bodies->body[i], margin, a_side);
    for (int i = 0; i < bodies->count; i++) {
        if (!bodies->work[i].here) continue;
        const rv_cubes *c = &bodies->work[i].cubes;
        if (!(is_large(c) ? meet_all(bodies, i, margin) : place(bodies, i, c, buckets - 1, margin)))
            return false;
    }
    return true;
}
