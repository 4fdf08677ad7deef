// Finds passages: which columns are full, which pipes touch them, which of them hang together
// (docs/pipes-inside.md, Passages; pipes paper §3.3 and §7). What flows through them is decided in
// pressure.c, unified.c or axis.c.
#include "columns/passages/passages.h"
#include "columns/card/card.h"
#include "columns/joints.h"

#include <stdlib.h>
#include <string.h>

#define ARRAYS_MOST 24 // that grow together

bool rv_passages_grow(rv_engine *s, const rv_passage_array *arrays, int n, uint32_t used,
                      uint32_t old, uint32_t fresh)
{
    void *memory[ARRAYS_MOST];
    int got = 0;
    while (got < n && (memory[got] = rv_new(&s->allocator, fresh, arrays[got].size))) got++;
    for (int i = 0; i < got; i++) {
        size_t size = arrays[i].size;
        void *gone = memory[i]; // not all could be had: these go back
        if (got == n) {
            memcpy(&gone, arrays[i].at, sizeof gone);
            if (gone) memcpy(memory[i], gone, used * size);
            memcpy(arrays[i].at, &memory[i], sizeof gone);
        }
        rv_free(&s->allocator, gone, got == n ? old : fresh, size);
    }
    return got == n;
}

// ---- The full columns ---------------------------------------------------------------------------

#define COLUMN_ARRAYS(DO)                                                                          \
    DO(slot)                                                                                       \
    DO(found)                                                                                      \
    DO(group)                                                                                      \
    DO(group_top)                                                                                  \
    DO(group_open)                                                                                 \
    DO(member)                                                                                     \
    DO(head)                                                                                       \
    DO(right)                                                                                      \
    DO(residual)                                                                                   \
    DO(direction)                                                                                  \
    DO(product)                                                                                    \
    DO(scaled)                                                                                     \
    DO(through)                                                                                    \
    DO(limit)                                                                                      \
    DO(share)                                                                                      \
    DO(suspect)                                                                                    \
    DO(scratch[0])                                                                                 \
    DO(scratch[1])                                                                                 \
    DO(scratch[2])

static bool grow_columns(rv_engine *s, uint32_t used)
{
    rv_passage_work *w = s->passage;
#define ARRAY(name) {&w->name, sizeof *w->name},
    const rv_passage_array arrays[] = {COLUMN_ARRAYS(ARRAY)};
#undef ARRAY
    uint32_t fresh = w->capacity ? 2 * w->capacity : 256;
    if (!rv_passages_grow(s, arrays, sizeof arrays / sizeof *arrays, used, w->capacity, fresh))
        return false;
    w->capacity = fresh;
    return true;
}

bool rv_still_full(const rv_engine *s, uint32_t i)
{
    return rv_column_flooded(s->columns, i, s->depth[i], s->full[i]);
}

static bool list_if_full(rv_engine *s, uint32_t i, uint32_t *found)
{
    s->full[i] = rv_still_full(s, i);
    if (!s->full[i]) return true;
    if (*found == s->passage->capacity && !grow_columns(s, *found)) return false;
    s->passage->found[(*found)++] = i;
    return true;
}

static bool list_full_block(rv_engine *s, uint32_t first, uint32_t count, uint32_t *found)
{
    const rv_column_set *c = s->columns;
    if (!s->loops.rows->any_full(c->base + first, c->max + first, s->depth + first,
                                 (float)c->grid.top, RV_FREE_SHARE, (int)count))
        return true;
    for (uint32_t i = first; i < first + count; i++)
        if (!list_if_full(s, i, found)) return false;
    return true;
}

// Whether the columns are on a card, and those that matter were brought here for this substep.
static bool is_on_card(const rv_engine *s)
{
    return s->card && s->card->flooding;
}

static bool find_full_there(rv_engine *s, uint32_t *found)
{
    const rv_card_words *w = s->card->words;
    for (uint32_t k = 0; k < w->near_count; k++)
        if (!list_if_full(s, w->near[k], found)) return false;
    return true;
}

static bool find_full(rv_engine *s, uint32_t *found)
{
    uint32_t block = (uint32_t)s->block_width;
    if (is_on_card(s)) return find_full_there(s, found);
    for (uint32_t r = 0; r < s->row_count; r++) {
        if (!s->row_full[r]) continue;
        for (uint32_t x = 0; x < s->row[r].count; x += block) {
            uint32_t count = s->row[r].count - x < block ? s->row[r].count - x : block;
            if ((s->wet[r] >> (x >> s->block_shift) & 1) &&
                !list_full_block(s, s->row[r].first + x, count, found))
                return false;
        }
    }
    return true;
}

// No full columns: what flows there does so through their ordinary pipes.
static void list_none(rv_passage_work *w)
{
    for (uint32_t k = 0; k < w->count; k++) w->index[w->slot[k]] = -1;
    w->count = 0;
    w->known.lists = false;
}

static bool list_full(rv_engine *s)
{
    rv_passage_work *w = s->passage;
    uint32_t found = 0;
    if (!find_full(s, &found)) return false;
    if (found != w->count || (found && memcmp(w->found, w->slot, found * sizeof *w->slot) != 0)) {
        list_none(w);
        for (uint32_t k = 0; k < found; k++) {
            w->slot[k] = w->found[k];
            w->index[w->slot[k]] = (int32_t)k;
        }
        w->count = found;
    }
    for (uint32_t k = 0; k < found; k++) {
        if (!w->member[k]) w->known.conducts = false;
        w->member[k] = 1;
    }
    for (uint32_t p = 0; w->freed && p < w->pipes; p++) w->pipe[p].shut = false;
    w->freed = false;
    return true;
}

// ---- Their pipes --------------------------------------------------------------------------------

static bool add_pipe(rv_engine *s, rv_passage_pipe pipe)
{
    rv_passage_work *w = s->passage;
    if (w->pipes == w->pipe_capacity) {
        uint32_t fresh = w->pipe_capacity ? 2 * w->pipe_capacity : 1024;
        const rv_passage_array array = {&w->pipe, sizeof *w->pipe};
        if (!rv_passages_grow(s, &array, 1, w->pipes, w->pipe_capacity, fresh)) return false;
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
static bool regular_pipe(rv_engine *s, uint32_t a, uint32_t b, rv_way way)
{
    rv_passage_work *w = s->passage;
    const rv_column_set *c = s->columns;
    uint16_t code = s->slope[way][a];
    if (code == 0) return true;
    const uint16_t *gaps = rv_gaps_of(s, way);
    return add_pipe(s, (rv_passage_pipe){.flux = &s->flux[way][a],
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

float rv_pipes_level_beyond(const rv_engine *s, const rv_odd_pipe *p)
{
    const rv_params *q = &s->params;
    const double levels[] = {q->border_west_level, q->border_east_level, q->border_south_level,
                             q->border_north_level};
    bool level = rv_pipes_border(s, (rv_side)p->side) == RV_BORDER_LEVEL;
    float held = level ? (float)levels[p->side] : p->beyond;
    return rv_f_max(held, p->beyond);
}

static bool odd_pipes(rv_engine *s, uint32_t slot)
{
    rv_passage_work *w = s->passage;
    const rv_odd_column *column = rv_pipes_odd_column(s, slot);
    bool fine = true;
    for (uint32_t e = 0; column && e < column->count && fine; e++) {
        const rv_odd_entry *entry = &s->odd_of[column->first + e];
        const rv_odd_pipe *p = &s->odd[entry->pipe];
        if (p->b == slot && position(w, p->a) >= 0) continue; // listed by a
        bool border = p->b == RV_NO_SLOT;
        fine = add_pipe(
            s, (rv_passage_pipe){.flux = &s->odd_flux[entry->pipe],
                                 .a = p->a,
                                 .b = p->b,
                                 .ia = position(w, p->a),
                                 .ib = position(w, p->b),
                                 .opening = p->opening,
                                 .slope = (double)p->slope / (double)RV_SLOPE_ONE,
                                 .share = rv_pipe_share(s, (rv_way)p->way, p->gaps),
                                 .way = p->way,
                                 .outward = border && (p->side == RV_WEST || p->side == RV_SOUTH),
                                 .beyond = border ? rv_pipes_level_beyond(s, p) : 0.0f});
    }
    return fine;
}

static bool list_pipes(rv_engine *s)
{
    rv_passage_work *w = s->passage;
    bool fine = true;
    w->pipes = 0;
    for (uint32_t k = 0; k < w->count && fine; k++) {
        if (!w->member[k]) continue;
        uint32_t i = w->slot[k];
        ptrdiff_t pitch = rv_plane_of(s->columns, i)->pitch;
        for (int way = 0; way < rv_ways(s) && fine; way++) {
            uint32_t step = (uint32_t)rv_way_step((rv_way)way, pitch);
            if (position(w, i - step) < 0) fine = regular_pipe(s, i - step, i, (rv_way)way);
            fine = fine && regular_pipe(s, i, i + step, (rv_way)way);
        }
        fine = fine && odd_pipes(s, i);
    }
    return fine;
}

static void count_pipes(rv_passage_work *w)
{
    uint32_t *count = w->scratch[0];
    w->most_pipes = 1;
    memset(count, 0, w->count * sizeof *count);
    for (uint32_t p = 0; p < w->pipes; p++) {
        int32_t ends[] = {w->pipe[p].ia, w->pipe[p].ib};
        for (int e = 0; e < 2; e++)
            if (ends[e] >= 0 && ++count[ends[e]] > w->most_pipes) w->most_pipes = count[ends[e]];
    }
}

// ---- Groups -------------------------------------------------------------------------------------

static uint32_t root(rv_passage_work *w, uint32_t k)
{
    while (w->group[k] != k) k = w->group[k] = w->group[w->group[k]];
    return k;
}

static float gate_level(const rv_engine *s, const rv_passage_pipe *p)
{
    if (p->b == RV_NO_SLOT) return p->beyond;
    uint32_t gate = p->ia < 0 ? p->a : p->b;
    return s->depth[gate] > s->law.film ? rv_total(s, gate) : -3e38f;
}

static void find_groups(rv_engine *s)
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
static bool release_unheld(rv_engine *s)
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

static bool survey(rv_engine *s)
{
    if (!list_pipes(s)) return false;
    find_groups(s);
    rv_passage_work *w = s->passage;
    w->groups = 0;
    for (uint32_t k = 0; k < w->count; k++) w->groups += w->member[k] && w->group[k] == k;
    return true;
}

// The lists of `pressure`, made anew only where other columns are full, or where a pipe may be
// another: after parameters were changed, and in worlds whose terrain is being edited.
static bool survey_again(rv_engine *s)
{
    rv_passage_work *w = s->passage;
    bool same = memcmp(&w->known.params, &s->params, sizeof s->params) == 0;
    if (w->known.lists && same) return true;
    memcpy(&w->known.params, &s->params, sizeof s->params);
    w->known.lists = w->known.conducts = false;
    if (!survey(s)) return false;
    count_pipes(w);
    if (!rv_pressure_prepare(s)) return false;
    w->known.lists = true;
    return true;
}

static bool survey_unified(rv_engine *s)
{
    s->passage->known.lists = false;
    return survey(s) && (!release_unheld(s) || survey(s));
}

static bool make_work(rv_engine *s)
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

static bool any_row_full(const rv_engine *s)
{
    if (is_on_card(s)) return s->card->words->near_count > 0;
    for (uint32_t r = 0; r < s->row_count; r++)
        if (s->row_full[r]) return true;
    return false;
}

bool rv_passages_active(const rv_engine *s)
{
    return s->passage && s->passage->count > 0;
}

bool rv_passages_add_run(rv_engine *s, rv_passage_run run)
{
    rv_passage_work *w = s->passage;
    if (w->runs == w->run_capacity) {
        uint32_t fresh = w->run_capacity ? 2 * w->run_capacity : 256;
        const rv_passage_array array = {&w->run, sizeof *w->run};
        if (!rv_passages_grow(s, &array, 1, w->runs, w->run_capacity, fresh)) return false;
        w->run_capacity = fresh;
    }
    w->run[w->runs++] = run;
    return true;
}

// ---- Stages of a substep ------------------------------------------------------------------------

void rv_passages_forget(rv_engine *s)
{
    if (s->passage) s->passage->known.lists = false;
}

void rv_passages_none(rv_engine *s)
{
    if (s->passage) list_none(s->passage);
}

void rv_passages_prepare(rv_engine *s)
{
    s->totals.passages = 0;
    // Heads mean nothing without gravity. Where the last ceiling went, lifted off what it had
    // flooded, pipes that were in a passage are ordinary ones again.
    if (!s->has_ceilings || s->params.pipes_passages == RV_PASSAGES_NONE ||
        !(rv_gravity_down(&s->params) > 0.0)) {
        if (s->passage) list_none(s->passage);
        return;
    }
    if (!any_row_full(s) && !rv_passages_active(s)) return;
    if (!make_work(s)) return;
    bool pressure = s->params.pipes_passages == RV_PASSAGES_PRESSURE, fine = list_full(s);
    if (fine && !rv_passages_active(s)) return;
    if (fine && s->params.pipes_passages == RV_PASSAGES_AXIS) {
        s->passage->known.lists = false;
        rv_axis_prepare(s);
        return;
    }
    fine = fine && (pressure ? survey_again(s) : survey_unified(s));
    if (!fine) {
        list_none(s->passage);
        return;
    }
    s->totals.passages = s->passage->groups;
    if (pressure) rv_pressure_solve(s);
}

// What one kind of passages does at each stage; NULL: nothing.
typedef struct stages {
    void (*fluxes)(rv_engine *s);
    void (*scales)(rv_engine *s);
    void (*finish)(rv_engine *s);
    void (*levels)(rv_engine *s);
} stages;

static const stages kinds[] = {
    [RV_PASSAGES_NONE] = {NULL, NULL, NULL, NULL},
    [RV_PASSAGES_AXIS] = {rv_axis_fluxes, rv_axis_scales, rv_axis_finish, NULL},
    [RV_PASSAGES_UNIFIED] = {rv_unified_fluxes, rv_unified_scales, rv_unified_finish,
                             rv_unified_levels},
    [RV_PASSAGES_PRESSURE] = {rv_pressure_fluxes, rv_pressure_scales, NULL, NULL},
};

static void at_stage(rv_engine *s, void (*act)(rv_engine *s))
{
    if (act && rv_passages_active(s)) act(s);
}

void rv_passages_fluxes(rv_engine *s)
{
    at_stage(s, kinds[s->params.pipes_passages].fluxes);
}

void rv_passages_scales(rv_engine *s)
{
    at_stage(s, kinds[s->params.pipes_passages].scales);
}

void rv_passages_finish(rv_engine *s)
{
    at_stage(s, kinds[s->params.pipes_passages].finish);
}

// In pipes that touch full columns the flux is the state: their equation has no momentum that is
// carried, so they hand none on to open columns either, which would gain energy from nothing. A
// pipe between columns that are not full any more goes on with the velocity it has.
static void set_speed(rv_engine *s, uint32_t a, uint32_t b, float flux, float *speed)
{
    const rv_column_set *c = s->columns;
    float opening = rv_f_min(c->max[a], c->max[b]) - rv_f_max(c->base[a], c->base[b]);
    *speed = s->full[a] || s->full[b] ? 0.0f : flux / (s->law.width * opening);
}

static void set_speeds(rv_engine *s)
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

// The rows whose velocities changed after their pace was found; slots are listed row by row.
static void pace_again(rv_engine *s)
{
    uint32_t next = 0; // rows before it are done
    for (uint32_t k = 0; k < s->passage->count; k++) {
        uint32_t r = rv_pipes_row_of(s, s->passage->slot[k]);
        uint32_t low = s->row[r].below >= 0 ? r - 1 : r, high = s->row[r].above >= 0 ? r + 1 : r;
        for (uint32_t i = low > next ? low : next; i <= high; i++) rv_pipes_pace_row(s, i);
        next = high + 1 > next ? high + 1 : next;
    }
}

void rv_passages_levels(rv_engine *s)
{
    at_stage(s, kinds[s->params.pipes_passages].levels);
    if (!rv_passages_active(s)) return;
    // So that the flags alone say what the next substep starts from.
    for (uint32_t k = 0; k < s->passage->count; k++) {
        uint32_t i = s->passage->slot[k];
        s->full[i] = s->full[i] && rv_still_full(s, i);
        if (!s->full[i]) s->head[i] = 0.0f;
    }
    if (!s->flow) return;
    set_speeds(s);
    if (!is_on_card(s)) pace_again(s); // else the card looks again
}

// ---- Memory -------------------------------------------------------------------------------------

void rv_passages_free(rv_engine *s)
{
    rv_passage_work *w = s->passage;
    if (!w) return;
    const rv_allocator *a = &s->allocator;
#define FREE(name) rv_free(a, w->name, w->capacity, sizeof *w->name);
    COLUMN_ARRAYS(FREE)
#undef FREE
    rv_free(a, w->index, s->slots, sizeof *w->index);
    rv_free(a, w->pipe, w->pipe_capacity, sizeof *w->pipe);
    rv_free(a, w->link_pipe, w->link_pipe_capacity, sizeof *w->link_pipe);
    for (int i = 0; i < RV_PASSAGE_LEVELS; i++) rv_level_free(a, &w->level[i]);
    rv_free(a, w->run_pipe, w->run_pipe_capacity, sizeof *w->run_pipe);
    rv_free(a, w->run, w->run_capacity, sizeof *w->run);
    rv_free(a, w->run_flux, w->run_flux_capacity, sizeof *w->run_flux);
    rv_free(a, w, 1, sizeof *w);
    s->passage = NULL;
}

size_t rv_passages_bytes(const rv_engine *s)
{
    const rv_passage_work *w = s->passage;
    if (!w) return 0;
    size_t each = 0, levels = 0;
#define SIZE(name) each += sizeof *w->name;
    COLUMN_ARRAYS(SIZE)
#undef SIZE
    for (int i = 0; i < RV_PASSAGE_LEVELS; i++) levels += rv_level_bytes(&w->level[i]);
    return sizeof *w + w->capacity * each + s->slots * sizeof *w->index + levels +
           w->pipe_capacity * sizeof *w->pipe + w->link_pipe_capacity * sizeof *w->link_pipe +
           w->run_pipe_capacity * sizeof *w->run_pipe + w->run_capacity * sizeof *w->run +
           w->run_flux_capacity * sizeof *w->run_flux;
}
