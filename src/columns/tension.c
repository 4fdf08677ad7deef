// Surface tension and wetting (docs/tension.md): before each substep every column gets a head from
// the curvature of its surface and from what wetting its bed costs (laws/tension.h), which its
// pipes then compare like levels.
//
// Columns in the open are worked out row by row, here; those beside walls, edges and borders are
// ends (ends.c). What is known of both was found before (survey.c).
#include "columns/tension.h"

#include "columns/joints.h"
#include "columns/laws/flow.h"
#include "columns/laws/tension.h"

#include <math.h>
#include <string.h>

#define RESIDUE 0.004 // of h*: thinner films do not flow

// ---- Memory -------------------------------------------------------------------------------------

// Arrays by slot, in one piece of memory.
#define ARRAYS 9
#define ROW_BITS 3 // words of bits a row, see rest.c

static size_t stride_of(const rv_engine *s)
{
    return (s->slots + 15) / 16 * 16 + 16;
}

static size_t row_stride(const rv_engine *s)
{
    size_t pitch = 0;
    for (int p = 0; p < s->columns->planes; p++)
        if ((size_t)s->columns->plane[p].pitch > pitch) pitch = (size_t)s->columns->plane[p].pitch;
    return pitch + 64;
}

// Faces of rows: along x, and along y of two rows, four numbers each.
#define ROWS_A_TASK 12
#define TASKS_A_THREAD 4 // rows differ in what they cost

rv_result rv_tension_make(rv_engine *s, const rv_map *affinity)
{
    rv_tension *t = rv_new(&s->allocator, 1, sizeof *t);
    if (!t) return RV_OUT_OF_MEMORY;
    s->tension = t;
    size_t stride = stride_of(s);
    t->count = stride * ARRAYS;
    t->memory = rv_new(&s->allocator, t->count, sizeof(float));
    t->end = rv_new(&s->allocator, s->slots, 1);
    t->pull = rv_new(&s->allocator, 4 * s->slots, sizeof *t->pull);
    t->rest = rv_new(&s->allocator, s->slots, 1);
    t->rested = rv_new(&s->allocator, ROW_BITS * s->row_count, sizeof *t->rested);
    t->end_at = rv_new(&s->allocator, s->slots, sizeof *t->end_at);
    t->tasks = rv_pool_threads(s->pool) > 1 ? TASKS_A_THREAD * rv_pool_threads(s->pool) : 1;
    t->per_half = (float)(2.0 / s->params.grid_dx);
    t->row_count = row_stride(s) * ROWS_A_TASK * (size_t)t->tasks;
    t->rows = rv_new(&s->allocator, t->row_count, sizeof(float));
    if (!t->memory || !t->end || !t->pull || !t->rest || !t->rested || !t->rows || !t->end_at)
        return RV_OUT_OF_MEMORY;
    t->asleep = t->rested + s->row_count, t->slept = t->asleep + s->row_count;
    float **arrays[ARRAYS] = {&t->head, &t->wetted, &t->lean,    &t->advance, &t->recede,
                              &t->full, &t->even,   &t->calm[0], &t->calm[1]};
    for (int k = 0; k < ARRAYS; k++) *arrays[k] = t->memory + stride * (size_t)k;
    for (size_t i = 0; i < s->slots; i++) t->full[i] = 1.0f; // where no column is, too
    return rv_wetting_make(s, affinity);
}

void rv_tension_free(rv_engine *s)
{
    rv_tension *t = s->tension;
    if (!t) return;
    rv_free(&s->allocator, t->memory, t->count, sizeof(float));
    rv_free(&s->allocator, t->end, s->slots, 1);
    rv_free(&s->allocator, t->end_at, s->slots, sizeof *t->end_at);
    rv_ends_free(s);
    rv_free(&s->allocator, t->pull, 4 * s->slots, sizeof *t->pull);
    rv_free(&s->allocator, t->rest, s->slots, 1);
    rv_free(&s->allocator, t->rested, ROW_BITS * s->row_count, sizeof *t->rested);
    rv_wetting_free(s);
    rv_free(&s->allocator, t->rows, t->row_count, sizeof(float));
    rv_free(&s->allocator, t, 1, sizeof *t);
    s->tension = NULL;
}

size_t rv_tension_bytes(const rv_engine *s)
{
    const rv_tension *t = s->tension;
    if (!t) return 0;
    return sizeof *t + (t->count + t->row_count) * sizeof(float) +
           s->slots * (2 + 4 * sizeof *t->pull + sizeof *t->end_at) +
           ROW_BITS * s->row_count * sizeof *t->rested + rv_ends_bytes(s) + rv_wetting_bytes(s);
}

// While tension is off nothing keeps up what was wetted, and snapshots leave it out.
void rv_tension_begin(rv_engine *s)
{
    memset(s->tension->wetted, 0, s->slots * sizeof(float));
    rv_rest_stir_all(s);
}

// ---- Heads --------------------------------------------------------------------------------------

typedef struct task {
    rv_engine *s;
    rv_tension_law law;
    int tasks;
} task;

static rv_tension_rows rows_at(const rv_engine *s, size_t i)
{
    const rv_tension *t = s->tension;
    return (rv_tension_rows){s->columns->base + i, s->depth + i,  t->lean + i,
                             t->advance + i,       t->recede + i, t->full + i};
}

static rv_tension_faces faces_at(rv_tension_faces f, int x)
{
    return (rv_tension_faces){f.bed + x, f.film + x, f.level + x, f.along + x};
}

// The first of some bytes from k on that is not 0; most are.
static int next_marked(const uint8_t *bytes, int k, int count)
{
    for (uint64_t eight; k + 8 <= count; k += 8) {
        memcpy(&eight, bytes + k, sizeof eight);
        if (eight) break;
    }
    while (k < count && !bytes[k]) k++;
    return k;
}

// Ends among the columns of a run.
static void add_ends(rv_engine *s, const rv_tension_law *law, uint32_t r, size_t first, int count,
                     rv_end_batch *batch)
{
    rv_tension *t = s->tension;
    bool pressed = rv_pipes_is_pressed(s, r);
    for (int k = next_marked(t->end + first, 0, count); k < count;
         k = next_marked(t->end + first, k + 1, count)) {
        uint32_t slot = (uint32_t)first + (uint32_t)k;
        int at = batch->count;
        t->head[slot] = pressed ? s->press[slot] : 0.0f;
        if (!rv_ends_add(s, batch, slot)) continue;
        batch->covered[at] = s->row[r].ceilings, batch->pressed[at] = pressed;
        if (batch->count == RV_END_BATCH) rv_ends_finish(s, law, batch);
    }
}

// Faces of a row of columns: two rows between rows, by y modulo 2, and one along x.
typedef struct work {
    rv_tension_faces rows[3];
    rv_end_batch batch;
} work;

// Whether no column of a row is so deep that the curvature of its level counts.
static bool is_thin(const rv_engine *s, const rv_tension_law *law, uint32_t r)
{
    return rv_tension_deep(law, s->row_most[r]) == 0.0f;
}

void rv_tension_clear_beyond(rv_engine *s, uint32_t r)
{
    uint32_t lanes = (uint32_t)s->loops.rows->lanes, count = s->row[r].count;
    memset(s->tension->head + s->row[r].first + count, 0,
           (lanes - count % lanes) % lanes * sizeof *s->tension->head);
}

// `kept`: strips whose faces to the south are those that the row before had to the north.
static void head_row(rv_engine *s, const rv_tension_law *law, uint32_t r, work *w, uint64_t kept)
{
    const rv_pipe_row *row = &s->row[r];
    const rv_tension_loops *loops = s->loops.tension;
    rv_tension *t = s->tension;
    ptrdiff_t pitch = s->columns->plane[row->plane].pitch;
    bool thin = is_thin(s, law, r);
    bool both = thin && (row->above < 0 || is_thin(s, law, (uint32_t)row->above));
    rv_tension_faces along = w->rows[2];
    rv_tension_faces south = w->rows[row->y & 1], north = w->rows[(row->y + 1) & 1];
    for (rv_run run = rv_first_run_in(s, r, s->busy[r] & ~kept); run.count;
         run = rv_next_run(s, r, run))
        loops->faces[thin](law, rows_at(s, row->first + (size_t)run.x - (size_t)pitch), pitch, 1,
                           faces_at(south, run.x), 0, run.count);
    for (rv_run run = rv_first_run(s, r); run.count; run = rv_next_run(s, r, run)) {
        size_t i = row->first + (size_t)run.x;
        int x = run.x;
        loops->faces[both](law, rows_at(s, i), pitch, 1, faces_at(north, x), 0, run.count);
        loops->faces[thin](law, rows_at(s, i), 1, pitch, faces_at(along, x), -1, run.count);
        loops->heads[thin](law, rows_at(s, i), faces_at(along, x), faces_at(south, x),
                           faces_at(north, x), t->wetted + i, t->head + i, run.count);
        for (int k = row->ceilings ? next_marked(s->full + i, 0, run.count) : run.count;
             k < run.count; k = next_marked(s->full + i, k + 1, run.count))
            t->head[i + (size_t)k] = 0.0f; // no surface
        if (rv_pipes_is_pressed(s, r))
            for (size_t k = i; k < i + (size_t)run.count; k++) t->head[k] += s->press[k];
        add_ends(s, law, r, i, run.count, &w->batch); // some are done now, some later
    }
    rv_tension_clear_beyond(s, r);
}

static void head_task(void *context, int index)
{
    const task *of = context;
    rv_engine *s = of->s;
    size_t stride = row_stride(s);
    float *memory = s->tension->rows + stride * ROWS_A_TASK * (size_t)index + 32;
    work w = {.batch.count = 0};
    for (int k = 0; k < 3; k++) {
        float *at = memory + stride * (size_t)(4 * k);
        w.rows[k] = (rv_tension_faces){at, at + stride, at + 2 * stride, at + 3 * stride};
    }
    uint32_t first, end;
    rv_tension_share(s, index, of->tasks, &first, &end);
    for (uint32_t r = first; r < end; r++) {
        bool next = r > first && s->row[r].below == (int32_t)r - 1;
        if (s->busy[r]) head_row(s, &of->law, r, &w, next ? s->busy[r - 1] : 0);
    }
    rv_ends_finish(s, &of->law, &w.batch);
}

rv_tension_law rv_tension_law_of(const rv_engine *s)
{
    const rv_params *p = &s->params;
    double square = rv_tension_length2(s), dx = p->grid_dx;
    return (rv_tension_law){
        .length2 = (float)square,
        .per = (float)(1.0 / dx),
        .quarter = (float)(0.25 / dx),
        .bend = (float)(1.0 / dx),
        .thin = (float)(1.0 / (1.5 * sqrt(square))),
    };
}

void rv_tension_heads(rv_engine *s, rv_pool *pool)
{
    int tasks = pool ? s->tension->tasks : 1;
    task w = {s, rv_tension_law_of(s), tasks};
    rv_parallel_for(pool, tasks, head_task, &w);
    rv_tension_calm(s, pool, tasks);
}

// What the cost of wetting adds to the stiffness of thin liquid.
static double stiffness(const rv_engine *s, double angle)
{
    double full = rv_tension_full(s, angle);
    return 6.0 * rv_tension_length2(s) * (1.0 - cos(angle)) / (full * full);
}

void rv_tension_set_law(rv_engine *s, double dt)
{
    const rv_params *p = &s->params;
    double dx = p->grid_dx, square = rv_tension_length2(s);
    double own = fmax(p->liquid_advancing, RV_LEAST_ANGLE); // while it is being made
    double least = s->tension ? s->tension->least : own, most = s->tension ? s->tension->most : own;
    double full = rv_tension_full(s, most);
    double stiff = fmax(stiffness(s, least), stiffness(s, most));
    rv_law *law = &s->law;
    law->stiff = (float)(8.0 * square / (dx * dx));
    law->stiff_thin = law->stiff + (float)stiff;
    law->thin = (float)full;
    // what is left behind as a film of some micrometres stays where it is
    law->film = rv_f_max(law->film, (float)(RESIDUE * full));
    law->drag_pace = (float)(3.0 * p->liquid_viscosity * dx);
    rv_tension_set_calm(s, dt);
}

bool rv_tension_is_on(const rv_engine *s)
{
    return s->flow && s->params.tension_on && rv_tension_length2(s) > 0.0;
}
