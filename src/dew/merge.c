// Drops that touch become one: found with a table by place, joined in the order of the list.
#include "dew/dew.h"

#include <string.h>

#define TOUCH 0.98    // of both radii, from middle to middle
#define SAME_SIDE 0.3 // of the cosine between their normals: not through a thin wall

typedef struct table {
    double side; // m, of a box
    int mask;
} table;

static uint32_t box_of(const table *t, int64_t x, int64_t y, int64_t z)
{
    uint64_t h = (uint64_t)x * 0x8da6b343u ^ (uint64_t)y * 0xd8163841u ^ (uint64_t)z * 0xcb1ab31fu;
    return (uint32_t)(rv_scramble(h) & (uint64_t)t->mask);
}

static int64_t along(double v, double side)
{
    return (int64_t)floor(v / side);
}

static table fill_table(rv_dew *dew)
{
    double mean = 0, most = 0;
    int n = 0;
    for (int i = 0; i < dew->count; i++) {
        if (dew->drop[i].form != RV_DEW_SITS) continue;
        mean += dew->radius[i], n++;
        most = fmax(most, dew->radius[i]);
    }
    // a large one looks into up to eight boxes each way, a small one into two or three
    table t = {fmax(fmax(2 * mean / (n > 0 ? n : 1), 0.5 * most), 1e-9), dew->heads - 1};
    memset(dew->head, 0, (size_t)dew->heads * sizeof *dew->head);
    for (int i = dew->count - 1; i >= 0; i--) {
        const rv_dew_drop *d = &dew->drop[i];
        dew->group[i] = i, dew->next[i] = 0;
        if (d->form != RV_DEW_SITS) continue;
        uint32_t b =
            box_of(&t, along(d->at.x, t.side), along(d->at.y, t.side), along(d->at.z, t.side));
        dew->next[i] = dew->head[b], dew->head[b] = i + 1;
    }
    return t;
}

static int first_of(rv_dew *dew, int i)
{
    while (dew->group[i] != i) i = dew->group[i] = dew->group[dew->group[i]];
    return i;
}

static bool touches(const rv_dew *dew, int i, int j)
{
    const rv_dew_drop *a = &dew->drop[i], *b = &dew->drop[j];
    double reach = TOUCH * (dew->radius[i] + dew->radius[j]);
    rv_vec3 way = rv_dew_along(a->at, b->at, -1);
    return rv_dew_dot(way, way) < reach * reach && rv_dew_dot(a->normal, b->normal) > SAME_SIDE;
}

// The smaller of the two, or the later one, is found by the other.
static bool looks_for(const rv_dew *dew, int i, int j)
{
    return dew->radius[j] < dew->radius[i] || (dew->radius[j] == dew->radius[i] && j > i);
}

static bool find_groups(rv_dew *dew, const table *t)
{
    bool any = false;
    for (int i = 0; i < dew->count; i++) {
        const rv_dew_drop *d = &dew->drop[i];
        double r = 2 * dew->radius[i], s = t->side;
        if (d->form != RV_DEW_SITS) continue;
        for (int64_t z = along(d->at.z - r, s); z <= along(d->at.z + r, s); z++)
            for (int64_t y = along(d->at.y - r, s); y <= along(d->at.y + r, s); y++)
                for (int64_t x = along(d->at.x - r, s); x <= along(d->at.x + r, s); x++)
                    for (int j = dew->head[box_of(t, x, y, z)] - 1; j >= 0; j = dew->next[j] - 1) {
                        if (!looks_for(dew, i, j) || !touches(dew, i, j)) continue;
                        int a = first_of(dew, i), b = first_of(dew, j);
                        if (a == b) continue;
                        dew->group[a > b ? a : b] = a > b ? b : a;
                        any = true;
                    }
    }
    return any;
}

// Of the first, by whichever of them: mean place and velocity, by volume.
static void join(rv_dew *dew, int to, int from)
{
    rv_dew_drop *a = &dew->drop[to], *b = &dew->drop[from];
    double all = a->volume + b->volume, share = b->volume / all;
    a->at = rv_dew_along(a->at, rv_dew_along(b->at, a->at, -1), share);
    a->velocity = rv_dew_along(a->velocity, rv_dew_along(b->velocity, a->velocity, -1), share);
    a->normal = rv_dew_along(a->normal, rv_dew_along(b->normal, a->normal, -1), share);
    if (share > 0.5) a->way = b->way, a->set = b->set;
    a->volume = all, b->volume = 0;
}

void rv_dew_merge(rv_dew *dew, const rv_terrain *terrain)
{
    if (dew->count < 2) return;
    table t = fill_table(dew);
    if (!find_groups(dew, &t)) return;
    for (int i = 0; i < dew->count; i++)
        if (first_of(dew, i) != i) join(dew, first_of(dew, i), i), dew->next[first_of(dew, i)] = -1;
    for (int i = 0; i < dew->count; i++) {
        rv_dew_drop *d = &dew->drop[i];
        if (dew->next[i] != -1 || dew->group[i] != i) continue;
        rv_dew_set_volume(dew, i, d->volume);
        rv_vec3 at = d->at, normal;
        if (rv_dew_settle(terrain, fmax(dew->radius[i], 1e-6), &at, &normal))
            d->at = at, d->normal = normal;
        else
            d->normal = rv_terrain_normal(terrain, at);
        double off = rv_dew_dot(d->velocity, d->normal);
        d->velocity = rv_dew_along(d->velocity, d->normal, -off);
    }
    rv_dew_sweep(dew);
}
