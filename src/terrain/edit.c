// Changing the field: carving and adding tools, and moving solids through it.
//
// The field itself is what is edited: max(f, -d) carves a tool at distance d, min(f, d) adds it.
// Only samples within the margin of the tool's surface or inside it can matter to columns, normals
// and triangles; the rest keeps values that are too large, which rv_terrain_distance knows how to
// bound (rv_terrain.touched). Near the surface the result has the bits of a field built from all
// solids.
//
// Moving solids are kept apart: `still` is the terrain without them, `brick` with them, and where
// none of them is near both share their samples. Bricks keep what they were built as (`born`) once
// edited, so that a snapshot needs only them and a world can go back.
#include "terrain/field.h"

#include "base/memory.h"
#include "terrain/sampled_form.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#define B RV_BRICK
#define FEW_BRICKS 48 // fewer are done sooner by one thread
#define POSITIONS 16  // of a tool along its path, at a time

// ---- Memory of samples --------------------------------------------------------------------------

void rv_put_spare(rv_terrain *t, float *samples)
{
    memcpy(samples, &t->spare, sizeof t->spare);
    t->spare = samples, t->spares++;
}

float *rv_take_spare(rv_terrain *t)
{
    float *samples = t->spare;
    memcpy(&t->spare, samples, sizeof t->spare);
    t->spares--;
    return samples;
}

bool rv_ensure_spares(rv_terrain *t, int64_t count)
{
    while (t->spares < count) {
        rv_sample_block *block = rv_new(&t->allocator, 1, sizeof *block);
        float *samples =
            block ? rv_new(&t->allocator, RV_BLOCK_BRICKS * RV_BRICK_SAMPLES, sizeof(float)) : NULL;
        if (!samples) {
            rv_free(&t->allocator, block, 1, sizeof *block);
            return false;
        }
        block->samples = samples, block->next = t->block, t->block = block;
        for (size_t i = 0; i < RV_BLOCK_BRICKS; i++)
            rv_put_spare(t, samples + i * RV_BRICK_SAMPLES);
    }
    return true;
}

static void free_mover(rv_terrain *t, rv_mover *m)
{
    rv_free(&t->allocator, m->parts, (size_t)m->part_count, sizeof(rv_part));
    rv_free(&t->allocator, m->nodes, (size_t)m->node_count, sizeof(rv_node));
    rv_form_free(m->form);
    rv_looks_free(&m->looks, &t->allocator);
    rv_looks_free(&m->angle_looks, &t->allocator);
    rv_looks_free(&m->solids, &t->allocator);
    *m = (rv_mover){0};
}

void rv_terrain_free_edits(rv_terrain *t)
{
    const rv_allocator *a = &t->allocator;
    for (rv_sample_block *block = t->block, *next; block; block = next) {
        next = block->next;
        rv_free(a, block->samples, RV_BLOCK_BRICKS * RV_BRICK_SAMPLES, sizeof(float));
        rv_free(a, block, 1, sizeof *block);
    }
    for (int m = 0; m < t->mover_count; m++) free_mover(t, &t->mover[m]);
    rv_free(a, t->mover, RV_MOVERS_MAX, sizeof *t->mover);
    rv_free(a, t->still, t->bricks, sizeof *t->still);
    rv_free(a, t->born, t->bricks, sizeof *t->born);
    rv_stamps_free(t);
    rv_tools_free(t);
    rv_free(a, t->edit.parts, (size_t)t->edit.part_room, sizeof(rv_part));
    rv_free(a, t->edit.nodes, (size_t)t->edit.node_room, sizeof(rv_node));
    rv_free(a, t->edit.bricks, (size_t)t->edit.brick_room, sizeof(uint32_t));
}

size_t rv_terrain_edit_bytes(const rv_terrain *t)
{
    size_t bytes = 0;
    for (const rv_sample_block *block = t->block; block; block = block->next)
        bytes += sizeof *block + RV_BLOCK_BRICKS * RV_BRICK_SAMPLES * sizeof(float);
    if (t->still) bytes += t->bricks * sizeof *t->still;
    if (t->born) bytes += t->bricks * sizeof *t->born;
    return bytes + rv_stamps_bytes(t) + (size_t)t->tool_room * sizeof *t->tool;
}

// ---- Bricks within reach ------------------------------------------------------------------------

typedef enum verdict { APART, NEAR, COVERED } verdict;
#define VERDICT_SHIFT 30 // the list's entries: a brick's number, and what was found, above

typedef struct job {
    rv_terrain *t;
    const rv_node *nodes; // the tool's; NULL: the moving solids'
    int node_count;
    bool carve;
    rv_stamping stamping;
    rv_node *scratch; // [workers][2][scratch_nodes]
    int scratch_nodes, workers;
    int count; // bricks in t->edit.bricks
    atomic_int next;
    void (*task)(struct job *job, uint32_t *entry, rv_node *scratch);
} job;

static int clamp_brick(double at, double step, int count)
{
    double b = floor(at / step / B);
    return b < 0 ? 0 : b >= count ? count - 1 : (int)b;
}

typedef struct brick_range {
    int x0, x1, y0, y1, z0, z1; // both ends are in it
    int64_t count;
} brick_range;

static brick_range bricks_within(const rv_terrain *t, rv_box reach)
{
    const rv_grid *g = &t->grid;
    if (!(reach.low.x <= reach.high.x)) return (brick_range){0};
    brick_range r = {.x0 = clamp_brick(reach.low.x - t->x_first, g->dx, t->bx),
                     .x1 = clamp_brick(reach.high.x - t->x_first, g->dx, t->bx),
                     .y0 = clamp_brick(reach.low.y - t->y_first, g->dx, t->by),
                     .y1 = clamp_brick(reach.high.y - t->y_first, g->dx, t->by),
                     .z0 = clamp_brick(reach.low.z - g->bottom, g->dz, t->bz),
                     .z1 = clamp_brick(reach.high.z - g->bottom, g->dz, t->bz)};
    rv_rows here = rv_field_bands(t);
    if (r.y0 < here.from) r.y0 = here.from;
    if (r.y1 >= here.to) r.y1 = here.to - 1;
    if (r.y1 < r.y0) return (brick_range){0};
    r.count = (int64_t)(r.x1 - r.x0 + 1) * (r.y1 - r.y0 + 1) * (r.z1 - r.z0 + 1);
    return r;
}

// The bricks whose margin meets the box, appended to the list; those of `but` left out.
static bool list_bricks(rv_terrain *t, rv_box box, const rv_box *but, int *count)
{
    brick_range r = bricks_within(t, rv_box_grow(box, t->margin));
    if (r.count == 0) return true;
    if (*count == 0 && !but) {
        if (!rv_array_grow(&t->allocator, &t->edit.bricks, &t->edit.brick_room, r.count,
                           sizeof(uint32_t)))
            return false;
    }
    for (int y = r.y0; y <= r.y1; y++) {
        for (int x = r.x0; x <= r.x1; x++) {
            for (int z = r.z0; z <= r.z1; z++) {
                rv_box own = rv_brick_box(t, x, y, z);
                if (!rv_box_meets(own, box) || (but && rv_box_meets(own, *but))) continue;
                t->edit.bricks[(*count)++] =
                    (uint32_t)((size_t)y * t->step_y + (size_t)x * t->step_x + (size_t)z);
            }
        }
    }
    return true;
}

static void brick_place(const rv_terrain *t, uint32_t brick, int *bx, int *by, int *bz)
{
    *by = (int)(brick / t->step_y), *bx = (int)(brick % t->step_y / t->step_x);
    *bz = (int)(brick % t->step_x);
}

static void work(void *context, int worker)
{
    job *j = context;
    rv_node *scratch = j->scratch + (size_t)worker * 2 * (size_t)j->scratch_nodes;
    for (int i; (i = atomic_fetch_add(&j->next, 1)) < j->count;)
        j->task(j, &j->t->edit.bricks[i], scratch);
}

static void each_brick(job *j, rv_pool *pool, void (*task)(job *, uint32_t *, rv_node *))
{
    j->task = task;
    atomic_store(&j->next, 0);
    if (j->count < FEW_BRICKS || j->workers == 1)
        work(j, 0);
    else
        rv_parallel_for(pool, j->workers, work, j);
}

static verdict judge(const rv_node *nodes, int count, rv_box box, rv_node *scratch)
{
    double far = rv_nodes_far(nodes, count, box, 1, scratch);
    return far > 0 ? APART : far < 0 ? COVERED : NEAR;
}

static void set_far(rv_brick *brick, bool solid, double margin)
{
    brick->samples = NULL;
    brick->least = (float)(margin * (1 - 1e-6));
    brick->middle = solid ? -brick->least : brick->least;
}

static void fill_far(const rv_terrain *t, const rv_brick *brick, float *samples)
{
    float size = fmaxf(brick->least, (float)(t->margin * (1 - 1e-6)));
    for (int n = 0; n < RV_BRICK_SAMPLES; n++) samples[n] = brick->middle < 0 ? -size : size;
}

// ---- Tools --------------------------------------------------------------------------------------

rv_brick *rv_still_bricks(rv_terrain *t)
{
    return t->still ? t->still : t->brick;
}

// What the tool can change of a brick; APART also where it can change nothing.
static void judge_tool(job *j, uint32_t *entry, rv_node *scratch)
{
    rv_terrain *t = j->t;
    int bx, by, bz;
    brick_place(t, *entry, &bx, &by, &bz);
    verdict v = judge(j->nodes, j->node_count, rv_brick_box(t, bx, by, bz), scratch);
    const rv_brick *brick = &rv_still_bricks(t)[*entry];
    if (!brick->samples && (brick->middle > 0) == j->carve) v = APART;
    *entry |= (uint32_t)v << VERDICT_SHIFT;
}

static uint32_t brick_of(uint32_t entry)
{
    return entry & ((1u << VERDICT_SHIFT) - 1);
}

static verdict verdict_of(uint32_t entry)
{
    return (verdict)(entry >> VERDICT_SHIFT);
}

bool rv_never_edited(const rv_terrain *t, size_t i)
{
    return t->born[i].least == RV_NOT_BORN;
}

// Makes room in a brick for what the tool will change: keeps what it was built as, gives it samples
// of its own where it needs some. Spares were ensured.
static void open_brick(rv_terrain *t, uint32_t entry, bool carve)
{
    uint32_t i = brick_of(entry);
    rv_brick *s = &rv_still_bricks(t)[i];
    bool first = rv_never_edited(t, i);
    float *old = s->samples;
    if (t->still && t->brick[i].samples == old) t->brick[i].samples = NULL; // shared with it
    if (first) t->born[i] = *s;
    if (verdict_of(entry) == COVERED) {
        set_far(s, !carve, t->margin);
        if (old && !first) rv_put_spare(t, old);
    } else if (!old || first) {
        s->samples = rv_take_spare(t);
        if (old)
            memcpy(s->samples, old, RV_BRICK_SAMPLES * sizeof(float));
        else
            fill_far(t, s, s->samples);
        s->least = -1;
    }
}

// One tool over one eighth. false: it is too far away to matter there.
static bool sample_near(const rv_node *nodes, int count, const rv_eighth *e, double margin,
                        rv_node *scratch, double *value)
{
    int needed;
    rv_range range = rv_nodes_cull(nodes, count, e->ball, scratch, &needed);
    if (range.low > margin) return false;
    rv_nodes_sample(scratch, needed, e->ball, e->point, RV_BATCH, value);
    return true;
}

// All of a brick that the tool covers is of it.
static void stamp_covered(job *j, uint32_t brick)
{
    int bx, by, bz;
    brick_place(j->t, brick, &bx, &by, &bz);
    for (int part = 0; part < 8; part++) {
        rv_eighth e;
        rv_eighth_of(&j->t->grid, bx * B, by * B, bz * B, part, &e);
        rv_stamp(&j->stamping, &e, ~0ull, NULL, j->t->stamp[brick]);
    }
}

static void apply_tool(job *j, uint32_t *entry, rv_node *scratch)
{
    rv_terrain *t = j->t;
    if (verdict_of(*entry) == COVERED && !j->carve && j->stamping.wanted)
        stamp_covered(j, brick_of(*entry));
    if (verdict_of(*entry) != NEAR) return;
    int bx, by, bz;
    brick_place(t, brick_of(*entry), &bx, &by, &bz);
    float *samples = rv_still_bricks(t)[brick_of(*entry)].samples;
    for (int part = 0; part < 8; part++) {
        rv_eighth e;
        double value[RV_BATCH];
        rv_eighth_of(&t->grid, bx * B, by * B, bz * B, part, &e);
        if (!sample_near(j->nodes, j->node_count, &e, t->margin, scratch, value)) continue;
        uint64_t changed = 0;
        for (int n = 0; n < RV_BATCH; n++) {
            float *f = &samples[e.index[n]], d = (float)value[n];
            bool wins = j->carve ? -d > *f : d < *f;
            if (wins) *f = j->carve ? -d : d;
            changed |= (uint64_t)wins << n;
        }
        if (j->stamping.wanted)
            rv_stamp(&j->stamping, &e, changed, value, t->stamp[brick_of(*entry)]);
    }
}

typedef struct corner {
    int i, j, k; // a first sample
} corner;

// ---- Moving solids ------------------------------------------------------------------------------

// What the moving solids are to a brick, all together.
static void judge_movers(job *j, uint32_t *entry, rv_node *scratch)
{
    rv_terrain *t = j->t;
    int bx, by, bz;
    brick_place(t, brick_of(*entry), &bx, &by, &bz);
    rv_box box = rv_brick_box(t, bx, by, bz);
    verdict all = APART;
    for (int m = 0; m < t->mover_count && all != COVERED; m++) {
        const rv_mover *mover = &t->mover[m];
        if (mover->node_count == 0 || !rv_box_meets(box, mover->now)) continue;
        verdict v = judge(mover->nodes, mover->node_count, box, scratch);
        if (v > all) all = v;
    }
    const rv_brick *still = &t->still[brick_of(*entry)];
    if (!still->samples && still->middle < 0) all = APART; // deep in the terrain
    *entry = brick_of(*entry) | (uint32_t)all << VERDICT_SHIFT;
}

static void open_composed(rv_terrain *t, uint32_t entry)
{
    uint32_t i = brick_of(entry);
    const rv_brick *s = &t->still[i];
    rv_brick *b = &t->brick[i];
    float *own = b->samples && b->samples != s->samples ? b->samples : NULL;
    if (verdict_of(entry) == NEAR) {
        if (!own) own = rv_take_spare(t);
        if (s->samples)
            memcpy(own, s->samples, RV_BRICK_SAMPLES * sizeof(float));
        else
            fill_far(t, s, own);
        *b = (rv_brick){own, s->middle, -1};
        return;
    }
    if (own) rv_put_spare(t, own);
    if (verdict_of(entry) == COVERED)
        set_far(b, true, t->margin);
    else
        *b = *s;
}

// A sampled solid, by looking all of a brick up at once.
static void lower_sampled(const rv_terrain *t, const rv_mover *m, corner c, float *samples)
{
    const rv_part *frame = &m->parts[0];
    const rv_grid *g = &t->grid;
    rv_vec3 first, p = rv_field_point(g, c.i, c.j, c.k);
    double per;
    rv_sampled_lattice lattice = rv_form_lattice(m->form, &first, &per);
    rv_vec3 q = rv_part_frame(frame, p, 0);
    const float at[3] = {(float)((q.x - first.x) * per), (float)((q.y - first.y) * per),
                         (float)((q.z - first.z) * per)};
    const rv_vec3 *r = frame->row;
    double x = g->dx * per, z = g->dz * per;
    const float step[3][3] = {{(float)(r[0].x * x), (float)(r[1].x * x), (float)(r[2].x * x)},
                              {(float)(r[0].y * x), (float)(r[1].y * x), (float)(r[2].y * x)},
                              {(float)(r[0].z * z), (float)(r[1].z * z), (float)(r[2].z * z)}};
    double radius = 1.5 * sqrt(2 * g->dx * g->dx + g->dz * g->dz); // of an eighth
    rv_lower_brick_best()(&lattice, at, step, (float)(t->margin + radius), samples);
}

static void lower_parts(const rv_terrain *t, const rv_mover *m, corner c, rv_node *scratch,
                        float *samples)
{
    for (int part = 0; part < 8; part++) {
        rv_eighth e;
        double value[RV_BATCH];
        rv_eighth_of(&t->grid, c.i, c.j, c.k, part, &e);
        if (!sample_near(m->nodes, m->node_count, &e, t->margin, scratch, value)) continue;
        for (int n = 0; n < RV_BATCH; n++) {
            float *f = &samples[e.index[n]];
            if ((float)value[n] < *f) *f = (float)value[n];
        }
    }
}

static void apply_movers(job *j, uint32_t *entry, rv_node *scratch)
{
    rv_terrain *t = j->t;
    if (verdict_of(*entry) != NEAR) return;
    int bx, by, bz;
    brick_place(t, brick_of(*entry), &bx, &by, &bz);
    float *samples = t->brick[brick_of(*entry)].samples;
    rv_box box = rv_brick_box(t, bx, by, bz);
    corner c = {bx * B, by * B, bz * B};
    for (int m = 0; m < t->mover_count; m++) {
        const rv_mover *mover = &t->mover[m];
        if (mover->node_count == 0 || !rv_box_meets(box, mover->now)) continue;
        if (mover->form)
            lower_sampled(t, mover, c, samples);
        else
            lower_parts(t, mover, c, scratch, samples);
    }
}

// Brings `brick` up to date with `still` and the moving solids for the listed bricks.
static rv_result compose(job *j, rv_pool *pool)
{
    rv_terrain *t = j->t;
    each_brick(j, pool, judge_movers);
    if (!rv_ensure_spares(t, j->count)) return RV_OUT_OF_MEMORY;
    for (int i = 0; i < j->count; i++) open_composed(t, t->edit.bricks[i]);
    each_brick(j, pool, apply_movers);
    return RV_OK;
}

static int most_nodes(const rv_terrain *t, int tool)
{
    int most = tool;
    for (int m = 0; m < t->mover_count; m++)
        if (t->mover[m].node_count > most) most = t->mover[m].node_count;
    return most;
}

// ---- Edits --------------------------------------------------------------------------------------

// Cells whose columns can change when the surface does within the box; beside the grid, where
// samples of the mesh still can, those at its border. A tool changes a sample where it is nearer
// than the surface, and a column hangs on the samples next to the surface, at most a spacing away
// from it. Noise makes fields that grow up to twice as fast as the distance does.
static rv_rect cells_of(const rv_terrain *t, rv_box box)
{
    const rv_grid *g = &t->grid;
    rv_box near = rv_box_grow(box, (t->rough ? 2 : 1) * fmax(g->dx, g->dz));
    double x0 = ceil((near.low.x - g->x0) / g->dx - 0.5),
           y0 = ceil((near.low.y - g->y0) / g->dx - 0.5);
    double x1 = floor((near.high.x - g->x0) / g->dx - 0.5);
    double y1 = floor((near.high.y - g->y0) / g->dx - 0.5);
    int reach = rv_terrain_mesh_reach(t);
    if (x0 >= g->nx + reach || y0 >= g->ny + reach || x1 < -reach || y1 < -reach)
        return (rv_rect){0, 0, 0, 0};
    rv_rect r = {(int)fmin(fmax(x0, 0), g->nx - 1), (int)fmin(fmax(y0, 0), g->ny - 1),
                 (int)fmin(fmax(x1 + 1, 1), g->nx), (int)fmin(fmax(y1 + 1, 1), g->ny)};
    if (r.x1 <= r.x0 || r.y1 <= r.y0) return (rv_rect){0, 0, 0, 0};
    return r;
}

// Forms may say less than the true distance (m), and so reach farther than from their box, within
// the bricks that are sampled again.
static double slack_of(const rv_terrain *t, const rv_part *parts, int count)
{
    for (int i = 0; i < count; i++)
        if (rv_part_has_form(&parts[i])) return RV_BRICK * t->grid.dx + t->margin;
    return 0;
}

bool rv_remember_birth(rv_terrain *t)
{
    if (t->born) return true;
    t->born = rv_new_sparse(&t->allocator, t->bricks, sizeof *t->born);
    for (size_t i = rv_first_brick(t); t->born && i < rv_end_brick(t); i++)
        t->born[i].least = RV_NOT_BORN;
    return t->born != NULL;
}

static bool prepare_nodes(rv_terrain *t, int part_count, rv_pool *pool, job *j)
{
    int64_t needed = rv_nodes_needed(t->edit.parts, part_count);
    if (needed > RV_COPIES_MAX) return false;
    j->workers = rv_pool_threads(pool);
    j->scratch_nodes = most_nodes(t, (int)needed);
    int64_t all = needed + (int64_t)j->workers * 2 * j->scratch_nodes;
    if (!rv_array_grow(&t->allocator, &t->edit.nodes, &t->edit.node_room, all, sizeof(rv_node)))
        return false;
    j->node_count = rv_nodes_of(t->edit.parts, part_count, t->edit.nodes);
    j->nodes = t->edit.nodes, j->scratch = t->edit.nodes + needed;
    return true;
}

// Memory for how the listed bricks will look.
static bool open_stamps(rv_terrain *t, const job *j)
{
    if (j->stamping.wanted && t->grid.cut && !rv_stamps_begin(t)) return false; // as other ranks
    for (int i = 0; i < j->count && j->stamping.wanted; i++) {
        uint32_t entry = t->edit.bricks[i];
        bool gone = j->carve && verdict_of(entry) == COVERED;
        if (!gone && !rv_stamps_open(t, brick_of(entry))) return false;
    }
    return true;
}

// The parts in t->edit.parts, once.
static rv_result edit_once(rv_terrain *t, int part_count, bool carve, rv_pool *pool,
                           rv_terrain_change *change)
{
    job j = {.t = t, .carve = carve};
    rv_box box = rv_parts_box(t->edit.parts, part_count);
    for (int i = 0; i < part_count; i++) t->rough = t->rough || t->edit.parts[i].noise > 0;
    rv_looks_resolve(t->edit.parts, part_count, carve ? RV_LOOK_CLEAR : RV_LOOK_SCENE);
    if (!prepare_nodes(t, part_count, pool, &j) || !rv_remember_birth(t)) return RV_OUT_OF_MEMORY;
    if (!list_bricks(t, box, NULL, &j.count)) return RV_OUT_OF_MEMORY;
    each_brick(&j, pool, judge_tool);
    int kept = 0;
    for (int i = 0; i < j.count; i++)
        if (verdict_of(t->edit.bricks[i]) != APART) t->edit.bricks[kept++] = t->edit.bricks[i];
    j.count = kept;
    // every brick listed may need samples of its own, and again when the moving solids are added
    j.stamping = rv_stamping_of(t, j.nodes, j.node_count, carve);
    if (!rv_ensure_spares(t, 2 * (int64_t)kept) || !open_stamps(t, &j)) return RV_OUT_OF_MEMORY;
    for (int i = 0; i < j.count; i++) open_brick(t, t->edit.bricks[i], carve);
    each_brick(&j, pool, apply_tool);
    t->touched = rv_box_join(t->touched, rv_box_grow(box, t->margin));
    box = rv_box_grow(box, slack_of(t, t->edit.parts, part_count));
    change->cells = rv_rect_join(change->cells, cells_of(t, box));
    change->bricks += kept;
    return t->still ? compose(&j, pool) : RV_OK;
}

static bool is_plain_ball(const rv_solid_def *tool, int count)
{
    return count == 1 && tool->shape == RV_SHAPE_SPHERE && tool->op == RV_UNION &&
           tool->mirror == RV_MIRROR_NONE && tool->noise == 0;
}

// A ball along a straight line is a capsule.
static rv_result edit_ball(rv_terrain *t, const rv_solid_def *ball, rv_vec3 from, rv_vec3 to,
                           bool carve, rv_pool *pool, rv_terrain_change *change)
{
    rv_solid_def swept = *ball;
    swept.shape = RV_SHAPE_CAPSULE, swept.radius2 = -1;
    swept.radius = ball->radius * ball->scale, swept.scale = 1;
    swept.rotate = (rv_vec3){0, 0, 0}, swept.from = from, swept.to = to;
    if (from.x == to.x && from.y == to.y && from.z == to.z) {
        swept = *ball;
        swept.at = (rv_vec3){ball->at.x + from.x, ball->at.y + from.y, ball->at.z + from.z};
    }
    if (!rv_array_grow(&t->allocator, &t->edit.parts, &t->edit.part_room, 1, sizeof(rv_part)))
        return RV_OUT_OF_MEMORY;
    t->edit.parts[0] = rv_part_of(&swept);
    rv_result r = edit_once(t, 1, carve, pool, change);
    return r != RV_OK || rv_tools_keep(t, &swept, NULL, carve) ? r : RV_OUT_OF_MEMORY;
}

// Any tool: set down again and again, half a cell apart.
static rv_result edit_steps(rv_terrain *t, const rv_solid_def *tool, int count, rv_vec3 from,
                            rv_vec3 to, bool carve, rv_pool *pool, rv_terrain_change *change)
{
    rv_vec3 way = {to.x - from.x, to.y - from.y, to.z - from.z};
    double length = sqrt(way.x * way.x + way.y * way.y + way.z * way.z);
    int64_t steps = (int64_t)ceil(2 * length / fmin(t->grid.dx, t->grid.dz)), at = 0;
    if (!rv_array_grow(&t->allocator, &t->edit.parts, &t->edit.part_room,
                       (int64_t)POSITIONS * (count + 1), sizeof(rv_part)))
        return RV_OUT_OF_MEMORY;
    while (at <= steps) {
        int parts = 0;
        for (int k = 0; k < POSITIONS && at <= steps; k++, at++) {
            double s = steps > 0 ? (double)at / (double)steps : 0;
            rv_solid_def group = rv_default_solid_def();
            group.shape = RV_SHAPE_GROUP, group.children = count;
            group.at = (rv_vec3){from.x + s * way.x, from.y + s * way.y, from.z + s * way.z};
            t->edit.parts[parts++] = rv_part_of(&group);
            for (int i = 0; i < count; i++) t->edit.parts[parts++] = rv_part_of(&tool[i]);
            if (!rv_tools_keep(t, &group, tool, carve)) return RV_OUT_OF_MEMORY;
        }
        rv_result r = edit_once(t, parts, carve, pool, change);
        if (r != RV_OK) return r;
    }
    return RV_OK;
}

rv_result rv_terrain_edit(rv_terrain *t, const rv_solid_def *tool, int count, const rv_vec3 *path,
                          int points, bool carve, rv_pool *pool, rv_terrain_change *change)
{
    static const rv_vec3 here = {0, 0, 0};
    *change = (rv_terrain_change){0};
    if (points < 1) path = &here, points = 1;
    for (int i = points > 1 ? 1 : 0; i < points; i++) {
        rv_vec3 from = path[i > 0 ? i - 1 : 0], to = path[i];
        rv_result r = is_plain_ball(tool, count)
                          ? edit_ball(t, tool, from, to, carve, pool, change)
                          : edit_steps(t, tool, count, from, to, carve, pool, change);
        if (r != RV_OK) return r;
    }
    return RV_OK;
}

// ---- Moving -------------------------------------------------------------------------------------

// The solids, as they were defined.
static bool take_parts(rv_terrain *t, const rv_solid_def *solids, int count, rv_mover *m)
{
    const rv_allocator *a = &t->allocator;
    m->parts = rv_new(a, (size_t)count + 1, sizeof(rv_part));
    if (!m->parts) return false;
    m->part_count = count + 1;
    rv_solid_def group = rv_default_solid_def();
    group.shape = RV_SHAPE_GROUP, group.children = count;
    m->parts[0] = rv_part_of(&group);
    for (int i = 0; i < count; i++) m->parts[i + 1] = rv_part_of(&solids[i]);
    int64_t needed = rv_nodes_needed(m->parts, m->part_count);
    if (needed > RV_COPIES_MAX) return false;
    m->nodes = rv_new(a, (size_t)needed, sizeof(rv_node));
    if (!m->nodes) return false;
    m->node_count = rv_nodes_of(m->parts, m->part_count, m->nodes);
    for (int i = 0; i < m->part_count; i++) t->rough = t->rough || m->parts[i].noise > 0;
    m->own = m->now = rv_parts_box(m->parts + 1, count);
    return true;
}

// Samples the solids once, in their own frame, and lets that stand for them.
static bool sample_mover(rv_terrain *t, rv_pool *pool, rv_mover *m)
{
    double step = 0.5 * fmin(t->grid.dx, t->grid.dz), around = 2 * t->margin;
    rv_form *form;
    if (!rv_form_sampled_fits(m->own, around, step)) step *= 2;
    if (!rv_form_sampled_fits(m->own, around, step)) return true; // as it is, then
    rv_result r =
        rv_form_sampled(m->nodes, m->node_count, m->own, around, step, pool, &t->allocator, &form);
    if (r != RV_OK) return false;
    rv_solid_def solid = rv_default_solid_def();
    solid.shape = RV_SHAPE_MESH, solid.form = form;
    rv_mover was = *m;
    m->looks = m->angle_looks = m->solids = (rv_looks){0};
    free_mover(t, m);
    m->form = form, m->own = m->now = was.own;
    m->looks = was.looks, m->look = was.look;
    m->angle_looks = was.angle_looks, m->angle_look = was.angle_look;
    m->solids = was.solids;
    m->parts = rv_new(&t->allocator, 1, sizeof(rv_part));
    m->nodes = rv_new(&t->allocator, 1, sizeof(rv_node));
    m->part_count = m->parts ? 1 : 0, m->node_count = m->nodes ? 1 : 0;
    if (!m->parts || !m->nodes) return false;
    m->parts[0] = rv_part_of(&solid);
    rv_nodes_of(m->parts, 1, m->nodes);
    return true;
}

// Keeps the solids where they have more than one look.
static bool take_looks(rv_terrain *t, const rv_solid_def *solids, int count, rv_mover *m)
{
    if (!rv_looks_are_said(solids, count)) return true;
    if (!rv_looks_make(&m->looks, solids, count, NULL, &t->allocator)) return false;
    if (rv_nodes_one_look(m->looks.nodes, m->looks.node_count, &m->look))
        rv_looks_free(&m->looks, &t->allocator);
    return true;
}

rv_result rv_terrain_add_mover(rv_terrain *t, int number, const rv_solid_def *solids, int count,
                               rv_pool *pool)
{
    if (!t->mover) t->mover = rv_new(&t->allocator, RV_MOVERS_MAX, sizeof *t->mover);
    if (!t->mover) return RV_OUT_OF_MEMORY;
    if (!t->still) {
        size_t from = rv_first_brick(t), bricks = rv_end_brick(t) - from;
        t->still = rv_new_sparse(&t->allocator, t->bricks, sizeof *t->still);
        if (!t->still) return RV_OUT_OF_MEMORY;
        memcpy(t->still + from, t->brick + from, bricks * sizeof *t->still);
    }
    if (t->mover_count < number) t->mover_count = number;
    rv_mover *m = &t->mover[number - 1];
    bool good = take_looks(t, solids, count, m) && rv_angles_take(t, solids, count, m) &&
                rv_looks_make(&m->solids, solids, count, NULL, &t->allocator) &&
                take_parts(t, solids, count, m) && sample_mover(t, pool, m);
    return good ? RV_OK : RV_OUT_OF_MEMORY;
}

bool rv_terrain_has_mover(const rv_terrain *t, int number)
{
    return number >= 1 && number <= t->mover_count && t->mover[number - 1].node_count > 0;
}

double rv_terrain_mover_distance(const rv_terrain *t, int number, rv_vec3 p)
{
    const rv_mover *m = &t->mover[number - 1];
    return fabs(rv_nodes_distance(m->nodes, m->node_count, p));
}

rv_rect rv_terrain_mover_cells(const rv_terrain *t, int number)
{
    const rv_grid *g = &t->grid;
    const rv_box *b = &t->mover[number - 1].now;
    return (rv_rect){(int)fmin(fmax(floor((b->low.x - g->x0) / g->dx), 0.0), g->nx),
                     (int)fmin(fmax(floor((b->low.y - g->y0) / g->dx), 0.0), g->ny),
                     (int)fmin(fmax(ceil((b->high.x - g->x0) / g->dx), 0.0), g->nx),
                     (int)fmin(fmax(ceil((b->high.y - g->y0) / g->dx), 0.0), g->ny)};
}

int64_t rv_terrain_mover_bricks(const rv_terrain *t, int number)
{
    if (!rv_terrain_has_mover(t, number)) return 0;
    return bricks_within(t, rv_box_grow(t->mover[number - 1].now, t->margin)).count;
}

rv_result rv_terrain_move(rv_terrain *t, int number, const rv_motion *motion, rv_pool *pool,
                          rv_terrain_change *change)
{
    rv_mover *m = &t->mover[number - 1];
    rv_part *frame = &m->parts[0];
    job j = {.t = t};
    *change = (rv_terrain_change){0};
    if (!prepare_nodes(t, 0, pool, &j)) return RV_OUT_OF_MEMORY;
    rv_box before = m->now;
    rv_part moved = *frame;
    memcpy(moved.row, motion->row, sizeof moved.row);
    moved.at = motion->at, moved.turned = true;
    rv_box now = rv_part_box_outside(&moved, m->own), both = rv_box_join(before, now);
    int64_t cap = (int64_t)(rv_end_brick(t) - rv_first_brick(t));
    if (!rv_array_grow(&t->allocator, &t->edit.bricks, &t->edit.brick_room, cap, sizeof(uint32_t)))
        return RV_OUT_OF_MEMORY;
    list_bricks(t, before, NULL, &j.count);
    rv_box seen = before; // bricks are listed once
    list_bricks(t, now, &seen, &j.count);
    if (!rv_ensure_spares(t, j.count)) return RV_OUT_OF_MEMORY;
    *frame = moved, m->now = now;
    rv_result r = compose(&j, pool);
    t->touched = rv_box_join(t->touched, rv_box_grow(both, t->margin));
    double slack = m->form ? 0 : slack_of(t, m->parts, m->part_count); // a sampled one is exact
    change->cells =
        rv_rect_join(cells_of(t, rv_box_grow(before, slack)), cells_of(t, rv_box_grow(now, slack)));
    change->bricks = j.count;
    return r;
}
