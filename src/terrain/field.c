// The sampled distance field: bricks of 8×8×8 samples, kept only where the surface may pass;
// elsewhere a brick is two numbers. Samples stand at cell centres, with one ring outside the grid
// so that the drawn terrain reaches the border, and at bottom + k dz.
//
// It is built band by band: judge the bricks, take memory for those near the surface, sample them,
// cast the columns of their cells. Memory is taken by the calling thread only, so the host's
// allocator need not be safe for threads.
#include "terrain/field.h"

#include "base/memory.h"
#include "terrain/parts.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#define B RV_BRICK
// How far around a brick, in samples, a surface wants it sampled: one so that no crossing lies
// between a sampled and another brick, one more so that normals at the surface are central
// differences of true samples, and one so that all that is said about other bricks is that the
// surface is two samples away or more.
#define MARGIN 3

typedef struct band_columns {
    float (*column)[3];
    size_t count;
} band_columns;

typedef struct build {
    rv_terrain *t;
    bool keep;
    rv_pool *pool;
    rv_part *parts;
    int part_count;
    rv_node *nodes; // all of them
    int node_count;
    int workers;
    rv_node *scratch; // [workers][2][node_count]
    size_t scratch_count;
    uint8_t *count;   // [ny][nx], columns of each cell
    rv_stack *stacks; // [8][nx + 2], of the band's cells
    size_t stack_count;
    band_columns *columns; // [by]
    // the band being built
    int by;
    atomic_int next;
    void (*task)(struct build *b, int bx, rv_node *scratch);
} build;

// ---- Bricks -------------------------------------------------------------------------------------

static rv_brick *brick_column(const build *b, int bx)
{
    const rv_terrain *t = b->t;
    return t->brick + (b->keep ? (size_t)b->by * t->step_y : 0) + (size_t)bx * t->step_x;
}

rv_box rv_brick_box(const rv_terrain *t, int bx, int by, int bz)
{
    const rv_grid *g = &t->grid;
    rv_vec3 p = rv_field_point(g, bx * B, by * B, bz * B);
    double side = (B - 1) * g->dx + t->margin, up = (B - 1) * g->dz + t->margin;
    return (rv_box){{p.x - t->margin, p.y - t->margin, p.z - t->margin},
                    {p.x + side, p.y + side, p.z + up}};
}

static float down(double value)
{
    return (float)(value * (1 - 1e-6));
}

// A bound over a ball that excludes 0 by `low` says that the surface is at least low + radius from
// its middle.
static void judge_brick(const rv_terrain *t, int bx, int by, int bz, const build *b,
                        rv_node *scratch, rv_brick *brick)
{
    rv_box whole = rv_brick_box(t, bx, by, bz);
    rv_ball ball = rv_ball_around(whole);
    int count;
    rv_range r = rv_nodes_cull(b->nodes, b->node_count, ball, scratch, &count);
    brick->samples = NULL;
    if (r.low > 0) {
        brick->middle = down(r.low + ball.radius), brick->least = down(r.low);
        return;
    }
    if (r.high < 0) {
        brick->middle = -down(ball.radius - r.high), brick->least = down(-r.high);
        return;
    }
    double far = rv_nodes_far(scratch, count, whole, 2, scratch + b->node_count);
    brick->least = far != 0 ? down(fabs(far)) : -1;
    brick->middle = far < 0 ? -brick->least : brick->least;
}

static void judge_column(build *b, int bx, rv_node *scratch)
{
    rv_brick *brick = brick_column(b, bx);
    for (int bz = 0; bz < b->t->bz; bz++) judge_brick(b->t, bx, b->by, bz, b, scratch, &brick[bz]);
}

typedef struct corner {
    int i, j, k; // a first sample
} corner;

void rv_eighth_of(const rv_grid *g, int i, int j, int k, int part, rv_eighth *out)
{
    int half = RV_BRICK / 2, n = 0;
    i += (part & 1) * half, j += (part >> 1 & 1) * half, k += (part >> 2) * half;
    double mid = 0.5 * (half - 1);
    rv_vec3 p = rv_field_point(g, i, j, k);
    out->ball.at = (rv_vec3){p.x + mid * g->dx, p.y + mid * g->dx, p.z + mid * g->dz};
    out->ball.radius = mid * sqrt(2 * g->dx * g->dx + g->dz * g->dz) * (1 + 1e-9);
    for (int c = k; c < k + half; c++) {
        for (int b = j; b < j + half; b++) {
            for (int a = i; a < i + half; a++, n++) {
                out->point[n] = rv_field_point(g, a, b, c);
                out->index[n] = (uint16_t)rv_brick_index(a, b, c);
            }
        }
    }
}

// An eighth needs fewer nodes than its brick; finding them costs as much as one or two samples.
static void sample_brick(const rv_grid *g, corner c, const rv_node *nodes, int count,
                         rv_node *scratch, float *out)
{
    for (int part = 0; part < 8; part++) {
        rv_eighth e;
        double value[RV_BATCH];
        int needed;
        rv_eighth_of(g, c.i, c.j, c.k, part, &e);
        rv_nodes_cull(nodes, count, e.ball, scratch, &needed);
        rv_nodes_sample(scratch, needed, e.ball, e.point, RV_BATCH, value);
        for (int n = 0; n < RV_BATCH; n++) out[e.index[n]] = (float)value[n];
    }
}

static void cast_cells(build *b, int bx)
{
    const rv_grid *g = &b->t->grid;
    const rv_brick *bricks = brick_column(b, bx);
    for (int j = 0; j < B; j++) {
        int y = b->by * B + j - 1;
        if (!rv_rows_have(rv_grid_kept(g), y)) continue;
        for (int i = 0; i < B; i++) {
            int x = bx * B + i - 1;
            if (x < 0 || x >= g->nx) continue;
            rv_stack *stack = &b->stacks[(size_t)j * (size_t)g->nx + (size_t)x];
            rv_stack_cast(g, bricks, i, j, stack);
            b->count[(size_t)y * (size_t)g->nx + (size_t)x] = (uint8_t)stack->count;
        }
    }
}

static void note_look(const rv_terrain *t, const rv_brick *brick, const rv_node *nodes, int count)
{
    uint8_t look;
    if (rv_nodes_one_look(nodes, count, &look)) t->brick_look[brick - t->brick] = look;
}

static void sample_column(build *b, int bx, rv_node *scratch)
{
    const rv_terrain *t = b->t;
    rv_brick *brick = brick_column(b, bx);
    for (int bz = 0; bz < t->bz; bz++, brick++) {
        if (!brick->samples) continue;
        int count;
        rv_ball ball = rv_ball_around(rv_brick_box(t, bx, b->by, bz));
        rv_nodes_cull(b->nodes, b->node_count, ball, scratch, &count);
        if (t->brick_look) note_look(t, brick, scratch, count);
        sample_brick(&t->grid, (corner){bx * B, b->by * B, bz * B}, scratch, count,
                     scratch + b->node_count, brick->samples);
    }
    cast_cells(b, bx);
}

// One of the threads: takes brick columns until none is left. Each has its own scratch.
static void work(void *context, int worker)
{
    build *b = context;
    rv_node *scratch = b->scratch + (size_t)worker * 2 * (size_t)b->node_count;
    for (int bx; (bx = atomic_fetch_add(&b->next, 1)) < b->t->bx;) b->task(b, bx, scratch);
}

static void each_brick_column(build *b, void (*task)(build *b, int bx, rv_node *scratch))
{
    b->task = task;
    atomic_store(&b->next, 0);
    rv_parallel_for(b->pool, b->workers, work, b);
}

// ---- Bands --------------------------------------------------------------------------------------

static rv_result take_samples(build *b, rv_field_band *band)
{
    rv_terrain *t = b->t;
    size_t bricks = (size_t)t->bx * (size_t)t->bz, wanted = 0, given = 0;
    rv_brick *brick = brick_column(b, 0);
    for (size_t i = 0; i < bricks; i++) wanted += brick[i].least < 0;
    if (wanted == 0) return RV_OK;
    band->samples = rv_new(&t->allocator, wanted * RV_BRICK_SAMPLES, sizeof(float));
    if (!band->samples) return RV_OUT_OF_MEMORY;
    band->sampled = wanted;
    for (size_t i = 0; i < bricks; i++)
        if (brick[i].least < 0) brick[i].samples = band->samples + given++ * RV_BRICK_SAMPLES;
    return RV_OK;
}

static void free_samples(rv_terrain *t, rv_field_band *band)
{
    rv_free(&t->allocator, band->samples, band->sampled * RV_BRICK_SAMPLES, sizeof(float));
    *band = (rv_field_band){0};
}

// Puts the columns of the band's cells into one block, cell by cell.
static rv_result collect(build *b, rv_column_set *set)
{
    const rv_grid *g = &b->t->grid;
    band_columns *columns = &b->columns[b->by];
    int y0 = b->by * B - 1;
    rv_rows here = rv_rows_both((rv_rows){y0, y0 + B}, rv_grid_kept(g));
    int first = here.from, end = here.to;
    if (end <= first) return RV_OK;
    const rv_stack *stack = b->stacks + (size_t)(first - y0) * (size_t)g->nx;
    size_t cells = (size_t)(end - first) * (size_t)g->nx, total = 0;
    for (size_t i = 0; i < cells; i++)
        total += (size_t)stack[i].count, set->dropped += stack[i].dropped;
    if (total == 0) return RV_OK;
    columns->column = rv_new(&b->t->allocator, total, sizeof *columns->column);
    if (!columns->column) return RV_OUT_OF_MEMORY;
    columns->count = total;
    float(*out)[3] = columns->column;
    for (size_t i = 0; i < cells; i++, out += stack[i - 1].count)
        memcpy(out, stack[i].column, (size_t)stack[i].count * sizeof *out);
    return RV_OK;
}

static rv_result build_band(build *b, int by, rv_column_set *set)
{
    rv_field_band *band = &b->t->band[by];
    b->by = by;
    each_brick_column(b, judge_column);
    rv_result r = take_samples(b, band);
    if (r != RV_OK) return r;
    each_brick_column(b, sample_column);
    r = collect(b, set);
    if (!b->keep) free_samples(b->t, band);
    return r;
}

// ---- Columns ------------------------------------------------------------------------------------

typedef struct laying {
    const build *b;
    rv_column_set *set;
} laying;

static void lay_band(void *context, int by)
{
    const laying *l = context;
    const rv_grid *g = &l->set->grid;
    const float(*from)[3] = (const float(*)[3])l->b->columns[by].column;
    for (int y = by * B - 1; y < by * B - 1 + B; y++) {
        if (!rv_rows_have(rv_grid_kept(g), y)) continue;
        const uint8_t *count = l->b->count + (size_t)y * (size_t)g->nx;
        for (int x = 0; x < g->nx; x++) {
            for (int p = 0; p < count[x]; p++, from++) {
                size_t slot = rv_slot(&l->set->plane[p], x, y);
                l->set->min[slot] = (*from)[0], l->set->base[slot] = (*from)[1];
                l->set->max[slot] = (*from)[2];
            }
        }
    }
}

static rv_result lay_columns(const build *b, rv_column_set *set)
{
    int64_t dropped = set->dropped;
    rv_result r = rv_columns_layout(set, &b->t->grid, b->count, b->pool, &b->t->allocator);
    if (r != RV_OK) return r;
    laying l = {b, set};
    rv_parallel_for(b->pool, b->t->by, lay_band, &l);
    set->dropped = dropped;
    rv_columns_snap(set);
    return RV_OK;
}

// ---- Building and freeing -----------------------------------------------------------------------

static rv_result prepare_nodes(build *b, const rv_solid_def *solids, int count)
{
    const rv_allocator *a = &b->t->allocator;
    b->parts = rv_new(a, (size_t)count, sizeof *b->parts);
    if (!b->parts) return RV_OUT_OF_MEMORY;
    b->part_count = count;
    for (int i = 0; i < count; i++) b->parts[i] = rv_part_of(&solids[i]);
    int64_t needed = rv_nodes_needed(b->parts, count);
    if (needed > RV_COPIES_MAX) return RV_BAD_ARGUMENT;
    b->nodes = rv_new(a, (size_t)needed, sizeof *b->nodes);
    if (!b->nodes) return RV_OUT_OF_MEMORY;
    b->node_count = (int)needed;
    rv_nodes_of(b->parts, count, b->nodes);
    if (b->keep && rv_looks_are_said(solids, count)) {
        rv_looks_resolve(b->parts, count, RV_LOOK_SCENE);
        rv_looks_mark(b->nodes, b->node_count);
    }
    b->scratch_count = (size_t)b->workers * 2 * (size_t)needed;
    b->scratch = rv_new(a, b->scratch_count, sizeof *b->scratch);
    return b->scratch ? RV_OK : RV_OUT_OF_MEMORY;
}

static rv_result prepare_field(rv_terrain *t, bool keep)
{
    const rv_grid *g = &t->grid;
    rv_vec3 first = rv_field_point(g, 0, 0, 0);
    t->x_first = first.x, t->y_first = first.y, t->per_dx = 1 / g->dx, t->per_dz = 1 / g->dz;
    t->margin = MARGIN * fmax(g->dx, g->dz);
    t->bx = (g->nx + 2 + B - 1) / B, t->by = (g->ny + 2 + B - 1) / B, t->bz = (g->nz + B - 1) / B;
    t->step_x = (size_t)t->bz, t->step_y = (size_t)t->bx * (size_t)t->bz;
    t->band = rv_new(&t->allocator, (size_t)t->by, sizeof *t->band);
    if (!t->band) return RV_OUT_OF_MEMORY;
    t->bricks = t->step_y * (keep ? (size_t)t->by : 1);
    t->brick = rv_new_sparse(&t->allocator, t->bricks, sizeof *t->brick);
    return t->brick ? RV_OK : RV_OUT_OF_MEMORY;
}

static rv_result prepare_looks(rv_terrain *t, const rv_solid_def *solids, int count)
{
    if (count > 0 && !rv_looks_make(&t->solids, solids, count, NULL, &t->allocator))
        return RV_OUT_OF_MEMORY;
    if (!rv_looks_are_said(solids, count)) return RV_OK;
    t->brick_look = rv_new(&t->allocator, t->bricks, sizeof *t->brick_look);
    if (!t->brick_look || !rv_looks_make(&t->looks, solids, count, NULL, &t->allocator))
        return RV_OUT_OF_MEMORY;
    memset(t->brick_look, RV_LOOK_SEVERAL, t->bricks);
    return RV_OK;
}

static rv_result prepare_columns(build *b)
{
    const rv_grid *g = &b->t->grid;
    const rv_allocator *a = &b->t->allocator;
    b->stack_count = (size_t)B * (size_t)g->nx;
    b->count = rv_new_sparse(a, (size_t)g->nx * (size_t)g->ny, 1);
    b->stacks = rv_new(a, b->stack_count, sizeof *b->stacks);
    b->columns = rv_new(a, (size_t)b->t->by, sizeof *b->columns);
    return b->count && b->stacks && b->columns ? RV_OK : RV_OUT_OF_MEMORY;
}

static void free_build(build *b)
{
    const rv_grid *g = &b->t->grid;
    const rv_allocator *a = &b->t->allocator;
    for (int i = 0; b->columns && i < b->t->by; i++)
        rv_free(a, b->columns[i].column, b->columns[i].count, sizeof *b->columns[i].column);
    rv_free(a, b->columns, (size_t)b->t->by, sizeof *b->columns);
    rv_free(a, b->stacks, b->stack_count, sizeof *b->stacks);
    rv_free(a, b->count, (size_t)g->nx * (size_t)g->ny, 1);
    rv_free(a, b->scratch, b->scratch_count, sizeof *b->scratch);
    rv_free(a, b->nodes, (size_t)b->node_count, sizeof *b->nodes);
    rv_free(a, b->parts, (size_t)b->part_count, sizeof *b->parts);
}

void rv_terrain_free(rv_terrain *t)
{
    if (!t) return;
    rv_terrain_free_edits(t);
    rv_looks_free(&t->looks, &t->allocator);
    rv_looks_free(&t->solids, &t->allocator);
    rv_angles_free(t);
    rv_free(&t->allocator, t->brick_look, t->bricks, sizeof *t->brick_look);
    for (int i = 0; t->band && i < t->by; i++) free_samples(t, &t->band[i]);
    rv_free(&t->allocator, t->band, (size_t)t->by, sizeof *t->band);
    rv_free(&t->allocator, t->brick, t->bricks, sizeof *t->brick);
    rv_allocator allocator = t->allocator;
    rv_free(&allocator, t, 1, sizeof *t);
}

size_t rv_terrain_bytes(const rv_terrain *t)
{
    if (!t) return 0;
    size_t bytes = sizeof *t + t->bricks * sizeof *t->brick + (size_t)t->by * sizeof *t->band;
    for (int i = 0; i < t->by; i++) bytes += t->band[i].sampled * RV_BRICK_SAMPLES * sizeof(float);
    if (t->brick_look) bytes += t->bricks * sizeof *t->brick_look;
    return bytes + rv_angles_bytes(t) + rv_terrain_edit_bytes(t);
}

static rv_result build_all(build *b, const rv_solid_def *solids, int count,
                           void (*progress)(double, void *), void *user, rv_column_set *columns)
{
    rv_result r = prepare_nodes(b, solids, count);
    if (r == RV_OK) r = prepare_field(b->t, b->keep);
    if (r == RV_OK) r = prepare_columns(b);
    if (r == RV_OK && b->keep) r = prepare_looks(b->t, solids, count);
    if (r == RV_OK && b->keep && !rv_angles_take(b->t, solids, count, NULL)) r = RV_OUT_OF_MEMORY;
    for (int i = 0; i < count; i++) b->t->rough = b->t->rough || solids[i].noise > 0;
    rv_rows bands = rv_field_bands(b->t);
    for (int by = bands.from; r == RV_OK && by < bands.to; by++) {
        r = build_band(b, by, columns);
        if (progress && r == RV_OK) progress((by + 1.0) / b->t->by, user);
    }
    return r == RV_OK ? lay_columns(b, columns) : r;
}

rv_result rv_terrain_build(const rv_solid_def *solids, int count, const rv_grid *grid, bool keep,
                           rv_pool *pool, const rv_allocator *allocator,
                           void (*progress)(double, void *), void *progress_user, rv_terrain **out,
                           rv_column_set *columns)
{
    *out = NULL;
    *columns = (rv_column_set){.grid = *grid, .allocator = *allocator};
    rv_terrain *t = rv_new(allocator, 1, sizeof *t);
    if (!t) return RV_OUT_OF_MEMORY;
    t->grid = *grid, t->allocator = *allocator, t->touched = rv_box_of_nothing();
    build b = {.t = t, .keep = keep, .pool = pool, .workers = rv_pool_threads(pool)};
    rv_result r = build_all(&b, solids, count, progress, progress_user, columns);
    free_build(&b);
    if (r == RV_OK && keep)
        *out = t;
    else
        rv_terrain_free(t);
    return r;
}
