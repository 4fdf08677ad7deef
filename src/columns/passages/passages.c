// Finds passages: which columns are full, which pipes touch them, which of them hang together (SPEC
// §2, Passages; 003 §3.3 and §7). What flows through them is decided in pressure.c, unified.c or
// axis.c.
#include "columns/passages/passages.h"
#include "columns/joints.h"

#include <stdlib.h>
#include <string.h>

bool rv_passages_grow(rv_solver *s, void **array, uint32_t used, uint32_t old, uint32_t fresh,
                      size_t size)
{
    void *memory = rv_new(&s->allocator, fresh, size);
    if (!memory) return false;
    if (*array) memcpy(memory, *array, used * size);
    rv_free(&s->allocator, *array, old, size);
    *array = memory;
    return true;
}

// ---- The full columns ---------------------------------------------------------------------------

#define COLUMN_ARRAYS(DO)                                                                          \
    DO(slot)                                                                                       \
    DO(group)                                                                                      \
    DO(group_top)                                                                                  \
    DO(member)                                                                                     \
    DO(head)                                                                                       \
    DO(right)                                                                                      \
    DO(diagonal)                                                                                   \
    DO(residual)                                                                                   \
    DO(direction)                                                                                  \
    DO(product)                                                                                    \
    DO(scaled)                                                                                     \
    DO(share)

static bool grow_columns(rv_solver *s)
{
    rv_passage_work *w = s->passage;
    uint32_t fresh = w->capacity ? 2 * w->capacity : 256;
    bool fine = true;
#define GROW(name)                                                                                 \
    fine = fine &&                                                                                 \
           rv_passages_grow(s, (void **)&w->name, w->count, w->capacity, fresh, sizeof *w->name);
    COLUMN_ARRAYS(GROW)
#undef GROW
    uint32_t old = w->capacity ? w->capacity + 1 : 0;
    fine = fine && rv_passages_grow(s, (void **)&w->end_first, w->count, old, fresh + 1,
                                    sizeof *w->end_first);
    fine = fine && rv_passages_grow(s, (void **)&w->link_first, w->count, old, fresh + 1,
                                    sizeof *w->link_first);
    if (fine) w->capacity = fresh;
    return fine;
}

// A column becomes full at RV_FULL_SHARE of its height and stays so down to RV_FREE_SHARE.
bool rv_still_full(const rv_solver *s, uint32_t i)
{
    const rv_column_set *c = s->columns;
    if (!(c->max[i] < (float)c->grid.top) || !rv_column_exists(c, i)) return false;
    return s->depth[i] >= rv_cap(s, i) * (s->full[i] ? RV_FREE_SHARE : RV_FULL_SHARE);
}

static bool list_full_block(rv_solver *s, uint32_t first, uint32_t count)
{
    rv_passage_work *w = s->passage;
    const rv_column_set *c = s->columns;
    if (!s->loops.rows->any_full(c->base + first, c->max + first, s->depth + first,
                                 (float)c->grid.top, RV_FREE_SHARE, (int)count))
        return true;
    for (uint32_t i = first; i < first + count; i++) {
        s->full[i] = rv_still_full(s, i);
        if (!s->full[i]) continue;
        if (w->count == w->capacity && !grow_columns(s)) return false;
        w->index[i] = (int32_t)w->count;
        w->member[w->count] = 1;
        w->slot[w->count++] = i;
    }
    return true;
}

static void list_full(rv_solver *s)
{
    rv_passage_work *w = s->passage;
    uint32_t block = (uint32_t)s->block_width;
    for (uint32_t k = 0; k < w->count; k++) w->index[w->slot[k]] = -1;
    w->count = 0;
    for (uint32_t r = 0; r < s->row_count; r++) {
        if (!s->row_full[r]) continue;
        for (uint32_t x = 0; x < s->row[r].count; x += block) {
            uint32_t count = s->row[r].count - x < block ? s->row[r].count - x : block;
            if ((s->wet[r] >> (x >> s->block_shift) & 1) &&
                !list_full_block(s, s->row[r].first + x, count))
                return;
        }
    }
}

// ---- Their pipes --------------------------------------------------------------------------------

static bool add_end(rv_solver *s, rv_passage_end end)
{
    rv_passage_work *w = s->passage;
    if (w->ends == w->end_capacity) {
        uint32_t fresh = w->end_capacity ? 2 * w->end_capacity : 1024;
        if (!rv_passages_grow(s, (void **)&w->end, w->ends, w->end_capacity, fresh, sizeof *w->end))
            return false;
        if (!rv_passages_grow(s, (void **)&w->link, 0, w->end_capacity, fresh, sizeof *w->link))
            return false;
        w->end_capacity = fresh;
    }
    w->end[w->ends++] = end;
    return true;
}

static bool add_pipe(rv_solver *s, rv_passage_pipe pipe)
{
    rv_passage_work *w = s->passage;
    if (w->pipes == w->pipe_capacity) {
        uint32_t fresh = w->pipe_capacity ? 2 * w->pipe_capacity : 1024;
        if (!rv_passages_grow(s, (void **)&w->pipe, w->pipes, w->pipe_capacity, fresh,
                              sizeof *w->pipe))
            return false;
        w->pipe_capacity = fresh;
    }
    pipe.old = (double)*pipe.flux;
    w->pipe[w->pipes++] = pipe;
    return true;
}

static int32_t position(const rv_passage_work *w, uint32_t slot)
{
    if (slot == RV_NO_SLOT) return -1;
    int32_t i = w->index[slot];
    return i >= 0 && w->member[i] ? i : -1;
}

// A regular pipe between a and b, listed once: by a if a is full, else by b.
static void regular_pipe(rv_solver *s, uint32_t a, uint32_t b, rv_way way)
{
    rv_passage_work *w = s->passage;
    const rv_column_set *c = s->columns;
    uint16_t code = rv_slope_of(s, way)[a];
    if (code == 0) return;
    const uint16_t *gaps = rv_gaps_of(s, way);
    add_pipe(s, (rv_passage_pipe){.flux = &rv_flux_of(s, way)[a],
                                  .a = a,
                                  .b = b,
                                  .ia = position(w, a),
                                  .ib = position(w, b),
                                  .opening = rv_f_min(c->max[a], c->max[b]) -
                                             rv_f_max(c->base[a], c->base[b]),
                                  .slope = (double)code / (double)RV_SLOPE_ONE,
                                  .share = rv_pipe_share(s, way, gaps ? gaps[a] : 0),
                                  .way = (uint8_t)way});
}

float rv_pipes_level_beyond(const rv_solver *s, const rv_odd_pipe *p)
{
    const rv_params *q = &s->params;
    const double levels[] = {q->border_west_level, q->border_east_level, q->border_south_level,
                             q->border_north_level};
    bool level = rv_pipes_border(s, (rv_side)p->side) == RV_BORDER_LEVEL;
    float held = level ? (float)levels[p->side] : p->beyond;
    return rv_f_max(held, p->beyond);
}

static void odd_pipes(rv_solver *s, uint32_t slot)
{
    rv_passage_work *w = s->passage;
    const rv_odd_column *column = rv_pipes_odd_column(s, slot);
    if (!column) return;
    for (uint32_t e = column->first; e < column->first + column->count; e++) {
        const rv_odd_entry *entry = &s->odd_of[e];
        const rv_odd_pipe *p = &s->odd[entry->pipe];
        if (p->b == slot && position(w, p->a) >= 0) continue; // listed by a
        bool border = p->b == RV_NO_SLOT;
        add_pipe(s, (rv_passage_pipe){.flux = &s->odd_flux[entry->pipe],
                                      .a = p->a,
                                      .b = p->b,
                                      .ia = position(w, p->a),
                                      .ib = position(w, p->b),
                                      .opening = p->opening,
                                      .slope = (double)p->slope / (double)RV_SLOPE_ONE,
                                      .share = rv_pipe_share(s, (rv_way)p->way, p->gaps),
                                      .way = p->way,
                                      .beyond = border ? rv_pipes_level_beyond(s, p) : 0.0f});
    }
}

static void list_pipes(rv_solver *s)
{
    rv_passage_work *w = s->passage;
    w->pipes = 0;
    for (uint32_t k = 0; k < w->count; k++) {
        if (!w->member[k]) continue;
        uint32_t i = w->slot[k];
        ptrdiff_t pitch = rv_plane_of(s->columns, i)->pitch;
        for (int way = 0; way < rv_ways(s); way++) {
            uint32_t step = (uint32_t)rv_way_step((rv_way)way, pitch);
            if (position(w, i - step) < 0) regular_pipe(s, i - step, i, (rv_way)way);
            regular_pipe(s, i, i + step, (rv_way)way);
        }
        odd_pipes(s, i);
    }
}

static rv_side side_of(const rv_passage_pipe *p, bool is_a, uint8_t border_side)
{
    if (p->b == RV_NO_SLOT) return (rv_side)border_side;
    return rv_side_of((rv_way)p->way, is_a);
}

static uint64_t end_key(const rv_passage_work *w, const rv_passage_end *end)
{
    const rv_passage_pipe *p = &w->pipe[end->pipe];
    return (uint64_t)end->side << 32 | (end->sign > 0 ? p->b : p->a);
}

// By side, then by plane, so that a turned scene sums in the same order.
static void order_ends(rv_passage_work *w, uint32_t first, uint32_t end)
{
    for (uint32_t i = first + 1; i < end; i++) {
        rv_passage_end moving = w->end[i];
        uint64_t key = end_key(w, &moving);
        uint32_t j = i;
        for (; j > first && end_key(w, &w->end[j - 1]) > key; j--) w->end[j] = w->end[j - 1];
        w->end[j] = moving;
    }
}

// The pipes of each full column, in the order in which they were listed. Counting sort.
static void list_ends(rv_solver *s)
{
    rv_passage_work *w = s->passage;
    w->ends = 0;
    memset(w->end_first, 0, (w->count + 1) * sizeof *w->end_first);
    for (uint32_t p = 0; p < w->pipes; p++) {
        if (w->pipe[p].ia >= 0) w->end_first[w->pipe[p].ia + 1]++;
        if (w->pipe[p].ib >= 0) w->end_first[w->pipe[p].ib + 1]++;
    }
    for (uint32_t k = 0; k < w->count; k++) w->end_first[k + 1] += w->end_first[k];
    for (uint32_t e = 0; e < w->end_first[w->count]; e++)
        if (!add_end(s, (rv_passage_end){0, 0, 0})) return;
    for (uint32_t p = w->pipes; p-- > 0;) { // backward, filling each column's share from its end
        const rv_passage_pipe *pipe = &w->pipe[p];
        uint8_t border =
            pipe->way == RV_WAY_Y ? RV_NORTH : RV_EAST; // either side of the axis sums alike
        if (pipe->ia >= 0)
            w->end[--w->end_first[pipe->ia + 1]] =
                (rv_passage_end){p, (uint8_t)side_of(pipe, true, border), 1};
        if (pipe->ib >= 0)
            w->end[--w->end_first[pipe->ib + 1]] =
                (rv_passage_end){p, (uint8_t)side_of(pipe, false, border), -1};
    }
    for (uint32_t k = 0; k < w->count; k++) w->end_first[k] = w->end_first[k + 1];
    w->end_first[w->count] = w->ends;
    for (uint32_t k = 0; k < w->count; k++) order_ends(w, w->end_first[k], w->end_first[k + 1]);
}

// ---- Groups -------------------------------------------------------------------------------------

static uint32_t root(rv_passage_work *w, uint32_t k)
{
    while (w->group[k] != k) k = w->group[k] = w->group[w->group[k]];
    return k;
}

static float gate_level(const rv_solver *s, const rv_passage_pipe *p)
{
    if (p->b == RV_NO_SLOT) return p->beyond;
    uint32_t gate = p->ia < 0 ? p->a : p->b;
    return s->depth[gate] > s->law.film ? rv_total(s, gate) : -3e38f;
}

static void find_groups(rv_solver *s)
{
    rv_passage_work *w = s->passage;
    for (uint32_t k = 0; k < w->count; k++) w->group[k] = k, w->group_top[k] = -3e38f;
    for (uint32_t p = 0; p < w->pipes; p++) {
        const rv_passage_pipe *pipe = &w->pipe[p];
        if (pipe->ia < 0 || pipe->ib < 0) continue;
        uint32_t a = root(w, (uint32_t)pipe->ia), b = root(w, (uint32_t)pipe->ib);
        if (a < b)
            w->group[b] = a;
        else
            w->group[a] = b;
    }
    for (uint32_t k = 0; k < w->count; k++) w->group[k] = root(w, k);
    for (uint32_t p = 0; p < w->pipes; p++) {
        const rv_passage_pipe *pipe = &w->pipe[p];
        if (pipe->ia >= 0 && pipe->ib >= 0) continue;
        uint32_t g = w->group[pipe->ia >= 0 ? pipe->ia : pipe->ib];
        w->group_top[g] = rv_f_max(w->group_top[g], gate_level(s, pipe));
    }
}

// Liquid whose ceiling is above every gate's level is held up by nothing: it drains through its own
// pipes.
static bool release_unheld(rv_solver *s)
{
    rv_passage_work *w = s->passage;
    bool any = false;
    for (uint32_t k = 0; k < w->count; k++) {
        float ceiling = s->columns->max[w->slot[k]];
        if (!w->member[k] || ceiling <= w->group_top[w->group[k]]) continue;
        w->member[k] = 0;
        any = true;
    }
    return any;
}

static void survey(rv_solver *s)
{
    list_pipes(s);
    list_ends(s);
    find_groups(s);
}

static bool make_work(rv_solver *s)
{
    if (s->passage) return true;
    rv_passage_work *w = rv_new(&s->allocator, 1, sizeof *w);
    if (!w) return false;
    w->index = rv_new(&s->allocator, s->slots, sizeof *w->index);
    if (!w->index) {
        rv_free(&s->allocator, w, 1, sizeof *w);
        return false;
    }
    for (size_t i = 0; i < s->slots; i++) w->index[i] = -1;
    s->passage = w;
    return true;
}

static bool any_row_full(const rv_solver *s)
{
    for (uint32_t r = 0; r < s->row_count; r++)
        if (s->row_full[r]) return true;
    return false;
}

bool rv_passages_active(const rv_solver *s)
{
    return s->passage && s->passage->count > 0;
}

bool rv_passages_add_run(rv_solver *s, rv_passage_run run)
{
    rv_passage_work *w = s->passage;
    if (w->runs == w->run_capacity) {
        uint32_t fresh = w->run_capacity ? 2 * w->run_capacity : 256;
        if (!rv_passages_grow(s, (void **)&w->run, w->runs, w->run_capacity, fresh, sizeof *w->run))
            return false;
        w->run_capacity = fresh;
    }
    w->run[w->runs++] = run;
    return true;
}

// ---- Stages of a substep ------------------------------------------------------------------------

void rv_passages_prepare(rv_solver *s)
{
    s->totals.passages = 0;
    if (!s->has_ceilings || s->params.pipes_passages == RV_PASSAGES_NONE) return;
    if (!any_row_full(s) && !rv_passages_active(s)) return;
    if (!make_work(s)) return;
    list_full(s);
    if (!rv_passages_active(s)) return;
    if (s->params.pipes_passages == RV_PASSAGES_AXIS) {
        rv_axis_prepare(s);
        return;
    }
    survey(s);
    if (s->params.pipes_passages == RV_PASSAGES_UNIFIED && release_unheld(s)) survey(s);
    for (uint32_t k = 0; k < s->passage->count; k++)
        s->totals.passages += s->passage->member[k] && s->passage->group[k] == k;
    if (s->params.pipes_passages == RV_PASSAGES_PRESSURE) rv_pressure_solve(s);
}

// What one kind of passages does at each stage; NULL: nothing.
typedef struct stages {
    void (*fluxes)(rv_solver *s);
    void (*scales)(rv_solver *s);
    void (*finish)(rv_solver *s);
    void (*levels)(rv_solver *s);
} stages;

static const stages kinds[] = {
    [RV_PASSAGES_NONE] = {NULL, NULL, NULL, NULL},
    [RV_PASSAGES_AXIS] = {rv_axis_fluxes, rv_axis_scales, rv_axis_finish, NULL},
    [RV_PASSAGES_UNIFIED] = {rv_unified_fluxes, rv_unified_scales, rv_unified_finish,
                             rv_unified_levels},
    [RV_PASSAGES_PRESSURE] = {rv_pressure_fluxes, rv_pressure_scales, NULL, NULL},
};

static void at_stage(rv_solver *s, void (*act)(rv_solver *s))
{
    if (act && rv_passages_active(s)) act(s);
}

void rv_passages_fluxes(rv_solver *s)
{
    at_stage(s, kinds[s->params.pipes_passages].fluxes);
}

void rv_passages_scales(rv_solver *s)
{
    at_stage(s, kinds[s->params.pipes_passages].scales);
}

void rv_passages_finish(rv_solver *s)
{
    at_stage(s, kinds[s->params.pipes_passages].finish);
}

// In pipes that touch full columns the flux is the state: their equation has no momentum that is
// carried, so they hand none on to open columns either, which would gain energy from nothing. A
// pipe between columns that are not full any more goes on with the velocity it has.
static void set_speed(rv_solver *s, uint32_t a, uint32_t b, float flux, float *speed)
{
    const rv_column_set *c = s->columns;
    float opening = rv_f_min(c->max[a], c->max[b]) - rv_f_max(c->base[a], c->base[b]);
    *speed = s->full[a] || s->full[b] ? 0.0f : flux / (s->law.width * opening);
}

static void set_speeds(rv_solver *s)
{
    for (uint32_t k = 0; k < s->passage->count; k++) {
        uint32_t i = s->passage->slot[k];
        ptrdiff_t pitch = rv_plane_of(s->columns, i)->pitch;
        for (int way = 0; way < rv_ways(s); way++) {
            uint32_t step = (uint32_t)rv_way_step((rv_way)way, pitch);
            for (uint32_t a = i - step; a <= i; a += step)
                if (s->slope[way][a]) set_speed(s, a, a + step, s->flux[way][a], &s->speed[way][a]);
        }
        const rv_odd_column *column = rv_pipes_odd_column(s, i);
        for (uint32_t e = 0; column && e < column->count; e++) {
            uint32_t pipe = s->odd_of[column->first + e].pipe;
            const rv_odd_pipe *p = &s->odd[pipe];
            set_speed(s, p->a, p->b == RV_NO_SLOT ? p->a : p->b, s->odd_flux[pipe],
                      &s->odd_speed[pipe]);
        }
    }
}

void rv_passages_levels(rv_solver *s)
{
    at_stage(s, kinds[s->params.pipes_passages].levels);
    if (!rv_passages_active(s)) return;
    // So that the flags alone say what the next substep starts from.
    for (uint32_t k = 0; k < s->passage->count; k++) {
        uint32_t i = s->passage->slot[k];
        s->full[i] = s->full[i] && rv_still_full(s, i);
        if (!s->full[i]) s->head[i] = 0.0f;
    }
    if (s->flow) set_speeds(s);
}

// ---- Memory -------------------------------------------------------------------------------------

void rv_passages_free(rv_solver *s)
{
    rv_passage_work *w = s->passage;
    if (!w) return;
    const rv_allocator *a = &s->allocator;
#define FREE(name) rv_free(a, w->name, w->capacity, sizeof *w->name);
    COLUMN_ARRAYS(FREE)
#undef FREE
    if (w->end_first) rv_free(a, w->end_first, w->capacity + 1, sizeof *w->end_first);
    if (w->link_first) rv_free(a, w->link_first, w->capacity + 1, sizeof *w->link_first);
    rv_free(a, w->index, s->slots, sizeof *w->index);
    rv_free(a, w->pipe, w->pipe_capacity, sizeof *w->pipe);
    rv_free(a, w->end, w->end_capacity, sizeof *w->end);
    rv_free(a, w->link, w->end_capacity, sizeof *w->link);
    rv_free(a, w->run_pipe, w->run_pipe_capacity, sizeof *w->run_pipe);
    rv_free(a, w->run, w->run_capacity, sizeof *w->run);
    rv_free(a, w->run_flux, w->run_flux_capacity, sizeof *w->run_flux);
    rv_free(a, w, 1, sizeof *w);
    s->passage = NULL;
}

size_t rv_passages_bytes(const rv_solver *s)
{
    const rv_passage_work *w = s->passage;
    if (!w) return 0;
    size_t each = sizeof *w->end_first + sizeof *w->link_first;
#define SIZE(name) each += sizeof *w->name;
    COLUMN_ARRAYS(SIZE)
#undef SIZE
    return sizeof *w + w->capacity * each + s->slots * sizeof *w->index +
           w->pipe_capacity * sizeof *w->pipe +
           w->end_capacity * (sizeof *w->end + sizeof *w->link) +
           w->run_pipe_capacity * sizeof *w->run_pipe + w->run_capacity * sizeof *w->run +
           w->run_flux_capacity * sizeof *w->run_flux;
}
