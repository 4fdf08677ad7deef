// Trails in a substep (glass paper §5.2, §5.5): all loose cells, tile by tile.
//
// Only tiles with loose cells are on the list; those of drops at rest cost nothing. New heights are
// worked out from the old ones for all tiles, then written; sums of heights by drop are whole
// numbers. So neither the order of tiles nor the number of threads matters.
#include "pane/glass.h"

#include <string.h>

#define RETREAT 0.01    // s, in which it draws back from there
#define TRAIL_MOST 0.6  // of a drop's volume
#define SMOOTH_MOST 0.3 // in a substep; from there on smoothing would make it rougher
#define ERODE_MOST 0.6

void rv_glass_wake_tiles(rv_glass *s, int x0, int y0, int x1, int y1)
{
    int left = x0 > 0 ? x0 / RV_GLASS_TILE : 0, low = y0 > 0 ? y0 / RV_GLASS_TILE : 0;
    int right = x1 < s->nx ? x1 : s->nx, high = y1 < s->ny ? y1 : s->ny;
    for (int j = low; j * RV_GLASS_TILE < high; j++) {
        for (int i = left; i * RV_GLASS_TILE < right; i++) {
            int tile = j * s->tiles_x + i;
            if (s->tile_on[tile]) continue;
            s->tile_on[tile] = 1;
            s->tiles[s->tile_count++] = tile;
        }
    }
}

void rv_glass_mark(rv_glass *s, int x0, int y0, int x1, int y1)
{
    int left = x0 > 0 ? x0 / RV_GLASS_TILE : 0, low = y0 > 0 ? y0 / RV_GLASS_TILE : 0;
    int right = x1 < s->nx ? x1 : s->nx, high = y1 < s->ny ? y1 : s->ny;
    for (int j = low; j * RV_GLASS_TILE < high; j++)
        for (int i = left; i * RV_GLASS_TILE < right; i++)
            s->height_changes[j * s->tiles_x + i] = s->changes;
}

void rv_glass_loosen(rv_glass *s, int drop)
{
    rv_drop *d = &s->drops[drop];
    for (int y = d->y0; y < d->y1; y++) {
        for (int x = d->x0; x < d->x1; x++) {
            size_t cell = rv_cell(s, x, y);
            if (s->id[cell] == drop && s->kind[cell] == RV_CELL_REST)
                rv_set_kind(s, x, y, RV_CELL_HEAD);
        }
    }
    rv_glass_wake_tiles(s, d->x0, d->y0, d->x1, d->y1);
    d->state = RV_DROP_SETTLES;
}

// The cells of a tile.
static rv_rect tile_cells(const rv_glass *s, int place)
{
    int tile = s->tiles[place];
    rv_rect r = {.x0 = tile % s->tiles_x * RV_GLASS_TILE, .y0 = tile / s->tiles_x * RV_GLASS_TILE};
    r.x1 = r.x0 + RV_GLASS_TILE < s->nx ? r.x0 + RV_GLASS_TILE : s->nx;
    r.y1 = r.y0 + RV_GLASS_TILE < s->ny ? r.y0 + RV_GLASS_TILE : s->ny;
    return r;
}

typedef struct job {
    rv_glass *s;
    rv_film_law law;
    float cutoff;   // m
    float repelled; // share of a trail that stays where water is repelled
} job;

// The groups of a tile with a loose cell, one after the other. Those further on are fetched ahead:
// rows are far apart in memory, which the machine does not foresee.
typedef struct walk {
    const rv_glass *s;
    uint16_t *bits; // of the tile's groups, two a row
    size_t first;   // cell of the tile
    int next, end;  // groups
    int group;      // this one
    size_t cell;    // its first
} walk;

static walk walk_tile(const rv_glass *s, int place)
{
    rv_rect r = tile_cells(s, place);
    return (walk){.s = s,
                  .bits = s->loose + rv_group(s, r.x0, r.y0),
                  .first = rv_cell(s, r.x0, r.y0),
                  .end = (r.y1 - r.y0) * 2};
}

static size_t cell_of(const walk *w, int group)
{
    unsigned g = (unsigned)group;
    return w->first + (size_t)(g / 2) * w->s->pitch + (size_t)(g % 2) * RV_GLASS_GROUP;
}

static bool next_group(walk *w)
{
    while (w->next < w->end && w->bits[w->next] == 0) {
        uint64_t four = 1;
        if (w->next % 4 == 0) memcpy(&four, w->bits + w->next, sizeof four);
        w->next += four == 0 ? 4 : 1;
    }
    if (w->next >= w->end) return false;
    w->group = w->next++;
    w->cell = cell_of(w, w->group);
    int far = w->group + 4;
    if (far < w->end && w->bits[far] != 0) {
        size_t cell = cell_of(w, far);
        __builtin_prefetch(w->s->height + cell + w->s->pitch);
        __builtin_prefetch(w->s->kind + cell + w->s->pitch);
        __builtin_prefetch(w->s->id + cell);
    }
    return true;
}

// Where the new heights of a group are: the tiles that are on, one after the other.
static float *heights_of(const rv_glass *s, int place, const walk *w)
{
    size_t tile = RV_GLASS_TILE * RV_GLASS_TILE;
    return s->next + (size_t)place * tile + (size_t)w->group * RV_GLASS_GROUP;
}

static void work_out(void *context, int place)
{
    job *j = context;
    rv_glass *s = j->s;
    walk w = walk_tile(s, place);
    while (next_group(&w)) {
        rv_film_row row = {s->height + w.cell, s->kind + w.cell, heights_of(s, place, &w),
                           (long)s->pitch};
        s->rows->film(&j->law, row, RV_GLASS_GROUP);
    }
}

static void give(rv_glass *s, int drop, int64_t sum)
{
    if (sum != 0) atomic_fetch_add_explicit(&s->sums[drop], sum, memory_order_relaxed);
}

// Sums are given for a run of cells of one drop at once.
typedef struct run {
    int drop, loose;
    int64_t sum; // RV_HEIGHT_UNIT
} run;

static void begin_run(rv_glass *s, run *r, int drop)
{
    if (drop == r->drop) return;
    if (r->drop >= 0) give(s, r->drop, r->sum);
    r->drop = drop, r->sum = 0;
}

// A group with cells of several drops, or where water is repelled: cell by cell.
static void write_cells(const job *j, const walk *w, const float *next, run *r)
{
    rv_glass *s = j->s;
    uint16_t left = w->bits[w->group];
    for (uint32_t bits = left; bits != 0; bits &= bits - 1) {
        int bit = __builtin_ctz(bits);
        size_t c = w->cell + (size_t)bit;
        begin_run(s, r, s->id[c]);
        float height = next[bit] * s->thin[r->drop];
        if (s->affinity[c] < RV_REPELLING) height *= j->repelled;
        if (height >= j->cutoff) {
            s->height[c] = height, s->kind[c] = RV_CELL_LOOSE;
            r->sum += rv_height_units(height);
            r->loose++;
        } else {
            s->height[c] = 0.0f, s->id[c] = -1, s->kind[c] = RV_CELL_DRY;
            left = (uint16_t)(left & ~(1u << bit));
        }
    }
    w->bits[w->group] = left;
}

static void write_group(const job *j, const walk *w, const float *next, run *r)
{
    rv_glass *s = j->s;
    uint32_t bits = w->bits[w->group], left = 0;
    float *height = s->height + w->cell;
    uint16_t *kind = s->kind + w->cell;
    int32_t *id = s->id + w->cell, drop = id[__builtin_ctz(bits)];
    rv_written sum = {.loose = -1};
    if (!s->repels[w->bits + w->group - s->loose])
        sum = s->rows->write(next, drop, s->thin[drop], j->cutoff, height, kind, id);
    if (sum.loose < 0) {
        write_cells(j, w, next, r);
        return;
    }
    begin_run(s, r, drop);
    r->sum += sum.units, r->loose += sum.loose;
    if (sum.loose == __builtin_popcount(bits)) return;
    for (int i = 0; i < RV_GLASS_GROUP; i++) left |= (uint32_t)(kind[i] >= RV_CELL_LOOSE) << i;
    w->bits[w->group] = (uint16_t)left;
}

static void write_back(void *context, int place)
{
    job *j = context;
    walk w = walk_tile(j->s, place);
    run own = {.drop = -1};
    while (next_group(&w)) write_group(j, &w, heights_of(j->s, place, &w), &own);
    if (own.drop >= 0) give(j->s, own.drop, own.sum);
    j->s->tile_loose[place] = own.loose;
    j->s->height_changes[j->s->tiles[place]] = j->s->changes;
}

// A trail holds no more than its share of the drop.
static void set_thin(rv_glass *s)
{
    for (int i = 0; i < s->count; i++) {
        const rv_drop *d = &s->drops[i];
        double most = TRAIL_MOST * rv_drop_volume(d), tail = rv_units_volume(s, d->tail);
        s->thin[i] = d->state != RV_DROP_LEAVES && tail > most ? (float)(most / tail) : 1.0f;
    }
}

void rv_glass_film(rv_glass *s, double dt)
{
    const rv_params *p = &s->params;
    job j = {.s = s,
             // where there are not as many substeps as they need, less than was asked for
             .law = {.smooth = (float)fmin(dt * p->glass_smooth / (s->dx * s->dx), SMOOTH_MOST),
                     .erode = (float)fmin(dt * p->glass_erode / s->dx, ERODE_MOST),
                     .film = (float)p->glass_film,
                     .kept = (float)rv_decay(dt / p->glass_drain)},
             .cutoff = (float)p->glass_cutoff,
             .repelled = (float)rv_decay(dt / RETREAT)};
    set_thin(s);
    for (int i = 0; i < s->count; i++) atomic_store_explicit(&s->sums[i], 0, memory_order_relaxed);
    rv_parallel_for(s->pool, s->tile_count, work_out, &j);
    rv_parallel_for(s->pool, s->tile_count, write_back, &j);
    int kept = 0;
    for (int i = 0; i < s->tile_count; i++) {
        int tile = s->tiles[i];
        s->touched += s->tile_loose[i];
        if (s->tile_loose[i] > 0)
            s->tiles[kept++] = tile;
        else
            s->tile_on[tile] = 0;
    }
    s->tile_count = kept;
    for (int i = 0; i < s->count; i++)
        if (s->drops[i].state != RV_DROP_RESTS)
            s->drops[i].drawn = atomic_load_explicit(&s->sums[i], memory_order_relaxed);
}

// ---- Numbers of drops ---------------------------------------------------------------------------

static void renumber_tile(void *context, int place)
{
    rv_glass *s = context;
    walk w = walk_tile(s, place);
    while (next_group(&w)) {
        for (uint32_t bits = w.bits[w.group]; bits != 0; bits &= bits - 1) {
            size_t cell = w.cell + (size_t)__builtin_ctz(bits);
            int drop = s->moved[s->id[cell]];
            s->id[cell] = drop;
            if (drop >= 0) continue;
            s->height[cell] = 0.0f, s->kind[cell] = RV_CELL_DRY;
            s->height_changes[s->tiles[place]] = s->changes;
            w.bits[w.group] = (uint16_t)(w.bits[w.group] & ~(bits & (0u - bits)));
        }
    }
}

// Loose cells are in tiles that are on; those of drops at rest are in their boxes. A box may hold
// cells of others, which have their new numbers already or not; so only its own are looked at.
void rv_glass_renumber(rv_glass *s)
{
    for (int i = 0; i < s->count; i++) {
        const rv_drop *d = &s->drops[i];
        if (d->state != RV_DROP_RESTS || s->moved[i] == i) continue;
        for (int y = d->y0; y < d->y1; y++) {
            for (int x = d->x0; x < d->x1; x++) {
                size_t cell = rv_cell(s, x, y);
                if (s->id[cell] != i || s->kind[cell] != RV_CELL_REST) continue;
                if (s->moved[i] >= 0)
                    s->id[cell] = s->moved[i];
                else
                    rv_set_dry(s, x, y);
            }
        }
    }
    rv_parallel_for(s->pool, s->tile_count, renumber_tile, s);
}
