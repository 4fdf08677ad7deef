// Drops that touch become one (glass paper §6).
//
// Contacts are joined by union–find while heads are drawn, so any number of drops merge in one
// substep in linear time. Volumes and momenta are summed as whole numbers, and the lowest drop
// gives its place: the result does not depend on the order.
#include "pane/glass.h"

static int root_of(rv_glass *s, int drop)
{
    while (s->parent[drop] != drop) {
        s->parent[drop] = s->parent[s->parent[drop]];
        drop = s->parent[drop];
    }
    return drop;
}

void rv_glass_touch(rv_glass *s, int a, int b)
{
    int i = root_of(s, a), j = root_of(s, b);
    if (i == j) return;
    if (i < j)
        s->parent[j] = i;
    else
        s->parent[i] = j;
    s->contacts++;
}

// Whether `a` is lower along the pull than `b`. Ties are broken by what does not depend on the
// order.
static bool is_lower(const rv_glass *s, const rv_drop *a, const rv_drop *b)
{
    double low_a = a->x * s->down_x + a->y * s->down_y, low_b = b->x * s->down_x + b->y * s->down_y;
    if (low_a != low_b) return low_a > low_b;
    if (a->x != b->x) return a->x < b->x;
    return a->key < b->key;
}

static int64_t momentum(const rv_drop *d, double way)
{
    double value = (double)d->volume * d->speed * way; // RV_QUANTUM m/s
    return (int64_t)fmin(fmax(value, -4e18), 4e18);    // all drops together have no more
}

// Of a group, kept with its root.
typedef struct group {
    int64_t volume, x, y; // RV_QUANTUM, RV_QUANTUM m/s
    int64_t drawn;
    int lowest, size;
} group;

static void join(rv_glass *s, int root, group g)
{
    rv_drop *d = &s->drops[root];
    if (g.volume <= 0) return;
    s->dead[root] = 0;
    double x = (double)g.x / (double)g.volume, y = (double)g.y / (double)g.volume;
    double speed = sqrt(x * x + y * y);
    rv_drop low = s->drops[g.lowest];
    *d = low;
    d->volume = g.volume, d->drawn = g.drawn;
    d->speed = s->params.glass_merge * speed;
    d->state = speed > 0.0 ? RV_DROP_RUNS : RV_DROP_SETTLES;
    // all that is not its head is a trail now; whose cells are whose where they overlap does not
    // count
    double units = rv_drop_volume(&low) / (s->dx * s->dx * RV_HEIGHT_UNIT);
    int64_t all = (int64_t)fmin(units, 1e17); // a drop on cells of a micrometre has more
    int64_t tail = g.drawn - (all - low.tail);
    d->tail = tail > 0 ? tail : 0;
    if (speed > 1e-9) d->way_x = x / speed, d->way_y = y / speed;
}

static void add_to(rv_glass *s, group *g, int i)
{
    const rv_drop *d = &s->drops[i];
    g->volume += d->volume, g->drawn += d->drawn;
    g->x += momentum(d, d->way_x), g->y += momentum(d, d->way_y);
    if (g->size++ == 0 || is_lower(s, d, &s->drops[g->lowest])) g->lowest = i;
}

// Members are strung to their root by `moved`, each once.
void rv_glass_merge(rv_glass *s)
{
    if (s->contacts == 0) return;
    for (int i = 0; i < s->count; i++) s->moved[i] = -1;
    for (int i = s->count - 1; i >= 0; i--) {
        int root = root_of(s, i);
        if (root == i) continue;
        s->moved[i] = s->moved[root]; // next of the same group
        s->moved[root] = i;
    }
    for (int root = 0; root < s->count; root++) {
        if (s->parent[root] != root || s->moved[root] < 0) continue;
        group g = {0};
        for (int i = root; i >= 0; i = s->moved[i]) {
            if (s->drops[i].state == RV_DROP_RESTS) rv_glass_loosen(s, i);
            add_to(s, &g, i);
        }
        for (int i = s->moved[root]; i >= 0; i = s->moved[i]) s->dead[i] = 1;
        join(s, root, g);
    }
}

// The last drop takes the place of a dead one. Cells of a dead drop go to the one it merged with.
void rv_glass_bury(rv_glass *s)
{
    bool any = false;
    for (int i = 0; i < s->count && !any; i++) any = s->dead[i];
    if (!any) return;
    int last = s->count - 1;
    for (int i = 0; i < s->count; i++) s->moved[i] = s->dead[i] ? -1 : i;
    for (int i = 0; i <= last; i++) {
        if (!s->dead[i]) continue;
        while (last > i && s->dead[last]) last--;
        if (last > i) s->moved[last--] = i;
    }
    for (int i = 0; i < s->count; i++)
        if (s->dead[i] && root_of(s, i) != i) s->moved[i] = s->moved[root_of(s, i)];
    rv_glass_renumber(s);
    int count = 0;
    for (int i = 0; i < s->count; i++) count += !s->dead[i];
    for (int i = 0; i < s->count; i++)
        if (!s->dead[i] && s->moved[i] != i) s->drops[s->moved[i]] = s->drops[i];
    for (int i = 0; i < s->count; i++) s->dead[i] = 0;
    s->count = count;
}
