// A substep on the card: the passes of narrow.c, pressure.c and sort.c as kernels. How many cycles
// the pressure takes is not known before; as many are asked for as it took last time, those that
// are not needed do nothing, and where more are needed all that follows waits for the processor.
#include "particles/card/card.h"

#include <string.h>

#define CYCLES 16u // at most
#define ALONE 2752 // cells of all levels that one group does alone, at most: kernels/small.glsl
#define ALONE_PLANE 1024 // cells of two of their axes
#define BAND_ROW 512 // cells of a row in a plane that a group has room for, with those around it
#define ALONE_ROW 64 // and cells of a row of it
#define LEAST_TOGETHER 8u // groups that are worth it
#define WHOLE_CELLS 8000000
#define WHOLE_ROW 1024 // cells of a row that a group of kernels/whole.glsl takes
#define GROUPS 32768u  // of a call along x; every card takes 65,535

// ---- Constants ----------------------------------------------------------------------------------

void rv_grain_set_sizes(rv_splat *s)
{
    rv_grain_constants *k = &s->card->constants;
    const rv_splat_grid *g = &s->grid;
    uint32_t base = 0, row = (uint32_t)g->n[1];
    for (int i = 0; i < s->levels; i++) {
        const rv_narrow_level *l = &s->level[i];
        for (int c = 0; c < 3; c++) k->levels[3 * i][c] = (uint32_t)l->n[c];
        k->levels[3 * i][3] = (uint32_t)l->pitch;
        k->levels[3 * i + 1][0] = (uint32_t)l->layer, k->levels[3 * i + 1][1] = (uint32_t)l->origin;
        k->levels[3 * i + 1][2] = base, k->levels[3 * i + 1][3] = (uint32_t)l->slots;
        k->levels[3 * i + 2][0] = row;
        base += (uint32_t)l->slots * RV_GRAIN_ARRAYS;
        row += (uint32_t)l->n[1] * (uint32_t)l->n[2];
    }
    k->pressed_at = base;
    for (int c = 0; c < 3; c++) k->cells[c] = g->n[c], k->high[c] = (float)g->n[c];
    k->cells[3] = g->axes;
    k->grid[0] = (uint32_t)g->pitch, k->grid[1] = (uint32_t)g->layer;
    k->grid[2] = (uint32_t)g->origin, k->grid[3] = (uint32_t)g->slots;
    k->bins = (uint32_t)s->bins;
    k->wide = ((uint32_t)g->n[0] + RV_SPLAT_BIN - 1) / RV_SPLAT_BIN;
    k->blocks = (k->bins + RV_GRAIN_GROUP - 1) / RV_GRAIN_GROUP;
    k->last = (uint32_t)s->levels - 1, k->coarse = k->last;
    size_t cells = 0;
    for (int i = s->levels - 1; i > 0; i--) {
        const rv_narrow_level *l = &s->level[i];
        size_t plane = (size_t)l->n[0] * (size_t)l->n[1];
        cells += plane * (size_t)l->n[2];
        if (cells > ALONE || l->n[0] > ALONE_ROW || (g->axes == 3 && plane > ALONE_PLANE)) break;
        k->coarse = (uint32_t)i;
    }
}

size_t rv_grain_alone_cells(const rv_splat *s)
{
    size_t cells = 0;
    for (int i = (int)s->card->constants.coarse; i < s->levels; i++) {
        const rv_narrow_level *l = &s->level[i];
        cells += (size_t)l->n[0] * (size_t)l->n[1] * (size_t)l->n[2];
    }
    return cells;
}

// Of the substep that is the i-th to be looked at.
static void set_constants(rv_splat *s, int i)
{
    rv_grain_constants *k = &s->card->constants;
    const rv_narrow_law *l = &s->narrow_law;
    const rv_vec3 g = s->params.gravity;
    float rest = 1.0f / l->per_rest;
    for (int c = 0; c < s->grid.axes; c++) {
        k->fall[c] = l->fall[c];
        k->open[c] = (l->open[c][0] ? 1u : 0u) | (l->open[c][1] ? 2u : 0u);
    }
    k->per_rest = l->per_rest, k->twice_rest = 2.0f * rest, k->two_tiny = 2.0f * RV_SPLAT_TINY;
    k->fill = l->fill, k->move = l->move, k->pic = l->pic, k->keep = 1.0f - l->pic;
    k->even = l->even, k->hold = l->hold;
    const rv_narrow_limits limits = rv_narrow_limits_of(s);
    k->enough = limits.enough, k->omega = limits.omega, k->slow = limits.slow;
    k->doubt = limits.doubt, k->stuck = limits.stuck, k->ahead = limits.ahead;
    k->most_ahead = limits.most_ahead;
    k->done = s->body_count > 0 ? -1.0f : limits.done; // among bodies the processor says when
    k->edge = RV_NARROW_EDGE, k->tiny = RV_SPLAT_TINY;
    k->clear = RV_SPLAT_CLEAR, k->inset = RV_SPLAT_INSET;
    k->deep = s->law.depth * s->law.per_rest;
    k->along = (float)(g.x * s->dx), k->beside = (float)(g.y * s->dx);
    k->record = (uint32_t)i;
    k->foam = l->foam, k->foam_left = l->foam_left;
}

// ---- Calls --------------------------------------------------------------------------------------

static bool is_one_of(const char *name, const char *const *list)
{
    while (*list && strcmp(name, *list) != 0) list++;
    return *list;
}

// What a kernel is made for.
static unsigned words_of(const rv_splat *s, const char *name)
{
    static const char *const solid[] = {"faces", "ask", "apply", "move", NULL};
    static const char *const flat[] = {"splat", "nodes", "edges", "move", NULL};
    return (s->grid.axes == 3 ? RV_GRAIN_SPACE : 0) |
           (s->grid.up < 0 && is_one_of(name, flat) ? RV_GRAIN_HEIGHT : 0) |
           (s->any_solid && is_one_of(name, solid) ? RV_GRAIN_IN_SOLID : 0);
}

void rv_grain_call(rv_splat *s, const char *name, unsigned words, const uint32_t groups[3])
{
    unsigned all = words_of(s, name) | (words & ~(unsigned)RV_GRAIN_LISTED);
    rv_device_kernel *kernel = rv_grain_kernel_for(s, name, all);
    if (!kernel) return;
    rv_grain_card *c = s->card;
    rv_device_buffer *drawn = c->buffer[RV_GRAIN_SHOWN];
    if (words & RV_GRAIN_LISTED) c->buffer[RV_GRAIN_SHOWN] = c->listed;
    rv_device_call what = {.kernel = kernel,
                           .buffers = c->buffer,
                           .buffer_count = RV_GRAIN_BINDINGS,
                           .constants = &c->constants,
                           .constant_bytes = sizeof c->constants,
                           .groups = {groups[0], groups[1], groups[2]}};
    rv_result result = c->device->dispatch(c->device->user, &what);
    c->buffer[RV_GRAIN_SHOWN] = drawn;
    if (result != RV_OK) rv_grain_fail(s, result);
}

// Over cells in groups of 32 by 4, with `more` beyond the last ones.
static void call_cells(rv_splat *s, const char *name, unsigned words, const int n[3], int more)
{
    bool deep = s->grid.axes == 3;
    const uint32_t groups[3] = {((uint32_t)(n[0] + more) + 31) / 32,
                                ((uint32_t)(n[1] + more) + 3) / 4,
                                (uint32_t)(n[2] + (deep ? more : 0))};
    rv_grain_call(s, name, words, groups);
}

void rv_grain_call_grid(rv_splat *s, const char *name, unsigned words, int more)
{
    call_cells(s, name, words, s->grid.n, more);
}

// Groups of 64 in a row, and in more rows where a row is as long as every card takes.
void rv_grain_call_many(rv_splat *s, const char *name, unsigned words, size_t count)
{
    uint32_t all = (uint32_t)((count + 63) / 64), wide = all < RV_GRAIN_WIDE ? all : RV_GRAIN_WIDE;
    if (all == 0) return;
    rv_grain_call(s, name, words, (const uint32_t[3]){wide, (all + wide - 1) / wide, 1});
}

static void call_particles(rv_splat *s, const char *name, unsigned words)
{
    rv_grain_call_many(s, name, words, (size_t)s->count);
}

static void call_one(rv_splat *s, const char *name, unsigned words)
{
    rv_grain_call(s, name, words, (const uint32_t[3]){1, 1, 1});
}

static void call_level(rv_splat *s, const char *name, int level, int cells_of)
{
    if (!s->card) return;
    s->card->constants.level = (uint32_t)level;
    call_cells(s, name, 0, s->level[cells_of].n, 0);
}

// ---- Sorting ------------------------------------------------------------------------------------

// Counts by bin must be there.
static void order(rv_splat *s, unsigned words, int64_t count)
{
    if (!s->card) return;
    const uint32_t groups[3] = {s->card->constants.blocks, 1, 1};
    rv_grain_call(s, "scan", 0, groups);
    call_one(s, "sums", words);
    rv_grain_call_many(s, "place", 0, (size_t)count);
    rv_grain_call_many(s, "order", 0, (size_t)count);
    if (!s->card) return;
    rv_device_buffer **b = s->card->buffer, *sorted = b[RV_GRAIN_OTHERS];
    b[RV_GRAIN_OTHERS] = b[RV_GRAIN_PARTICLES], b[RV_GRAIN_PARTICLES] = sorted;
}

// ---- Pressure -----------------------------------------------------------------------------------

// `half_way`: 0 before the first cycle, 1 in the first half of one, 2 in the second.
static void relax(rv_splat *s, int level, bool odd, uint32_t half_way)
{
    const rv_narrow_level *l = &s->level[level];
    const uint32_t groups[3] = {((uint32_t)l->n[1] + 1) / 2, (uint32_t)l->n[2], 1};
    if (!s->card) return;
    s->card->constants.level = (uint32_t)level;
    s->card->constants.odd = odd, s->card->constants.half_way = half_way;
    rv_grain_call(s, "relax", 0, groups);
}

static void make_levels(rv_splat *s)
{
    int small = s->card ? (int)s->card->constants.coarse : 0;
    for (int i = 1; i < small; i++) call_level(s, "coarsen", i, i);
    call_one(s, "small", RV_GRAIN_MAKES | RV_GRAIN_ALONE);
}

bool rv_grain_has_bands(const rv_splat *s)
{
    return s->grid.axes == 2 && s->grid.n[0] <= BAND_ROW;
}

static void call_bands(rv_splat *s, const char *name, int level)
{
    if (!s->card) return;
    s->card->constants.level = (uint32_t)level;
    rv_grain_call(s, name, 0, (const uint32_t[3]){((uint32_t)s->level[level].n[1] + 3) / 4, 1, 1});
}

static void cycle(rv_splat *s, int number)
{
    if (!s->card) return;
    int small = (int)s->card->constants.coarse;
    s->card->constants.cycle = (uint32_t)number;
    make_levels(s);
    bool bands = rv_grain_has_bands(s);
    for (int i = 0; i < small; i++) {
        if (bands) call_bands(s, "sink", i);
        for (int k = 0; k < 4 && !bands; k++) relax(s, i, k & 1, i > 0 ? 2 : 1);
        if (!bands) call_level(s, "restrict", i, i + 1);
    }
    call_one(s, "small", 0);
    for (int i = small - 1; i >= 0; i--) {
        if (bands) call_bands(s, "rise", i);
        if (!bands) call_level(s, "correct", i, i);
        for (int k = 0; k < 4 && !bands; k++) relax(s, i, !(k & 1), 2);
    }
}

// All cycles are one call, on a card that runs so many groups at the same time. Of very many cells
// every pass is long, and calls that each have all of the card are better.
static bool at_once(const rv_splat *s)
{
    const rv_splat_grid *g = &s->grid;
    size_t cells = (size_t)g->n[0] * (size_t)g->n[1] * (g->axes == 3 ? (size_t)g->n[2] : 1);
    return s->card && s->card->together > 0 && g->up >= 0 && g->n[0] <= WHOLE_ROW &&
           cells <= WHOLE_CELLS && s->body_count == 0;
}

// It did not.
static void fewer_together(rv_splat *s)
{
    uint32_t *together = s->card ? &s->card->together : NULL;
    if (together) *together = *together >= 2 * LEAST_TOGETHER ? *together / 2 : 0;
}

static void begin_pressure(rv_splat *s)
{
    rv_grain_call_grid(s, "faces", 0, 1);
    rv_grain_call_grid(s, "ask", 0, 0);
    if (s->body_count > 0) return; // they are to be asked first
    if (at_once(s)) {
        rv_grain_call(s, "whole", RV_GRAIN_ALONE, (const uint32_t[3]){s->card->together, 1, 1});
        return;
    }
    for (int k = 0; k < 4; k++) relax(s, 0, k & 1, 0);
}

void rv_grain_cycle(rv_splat *s, int number)
{
    s->card->constants.cycle = (uint32_t)number;
    for (int k = 0; k < 4 && number == 0; k++) relax(s, 0, k & 1, 0);
    cycle(s, number);
}

// ---- A substep ----------------------------------------------------------------------------------

// Whoever drew the particles as they are has made their sums.
static bool has_sums(const rv_splat *s)
{
    const rv_grain_card *c = s->card;
    return c && c->gathered &&
           memcmp(c->gathered_open, c->constants.open, sizeof c->gathered_open) == 0;
}

static void gather(rv_splat *s, int i)
{
    set_constants(s, i);
    s->card->constants.given = CYCLES;
    s->card->constants.before = (uint32_t)s->card->given_before;
    call_one(s, "begin", 0);
    if (has_sums(s)) return;
    rv_grain_call_grid(s, "splat", 0, 2);
    rv_grain_call_grid(s, "fold", 0, 2);
    rv_grain_call_grid(s, "blur", 0, 0);
}

static void begin(rv_splat *s, int i)
{
    if (!s->card) return;
    gather(s, i);
    if (s->card) s->card->gathered = false; // particles are about to move
    if (s->card && s->grid.up >= 0) begin_pressure(s);
}

static void move(rv_splat *s)
{
    bool bodies = s->body_count > 0, flat = s->grid.up < 0;
    if (bodies && flat) rv_grain_answer_bodies(s);
    if (!bodies || flat || !s->card) {
        call_particles(s, "move", 0);
        return;
    }
    rv_grain_list_boxes(s);
    call_particles(s, "move", RV_GRAIN_BODIES | RV_GRAIN_LISTED);
    if (s->card) rv_grain_push_out(s);
}

// What follows once `given` cycles were asked for.
static void end(rv_splat *s, int given)
{
    if (!s->card) return;
    s->card->constants.given = (uint32_t)given;
    s->card->given_before = given;
    if (s->grid.up >= 0) {
        rv_grain_call_grid(s, "apply", 0, 2);
    } else {
        rv_grain_call_grid(s, "level", 0, 0);
        if (s->any_solid) rv_grain_call_grid(s, "closed", 0, 0);
        if (s->any_solid) rv_grain_call_grid(s, "closed", RV_GRAIN_AGAIN, 0);
        if (s->body_count > 0) rv_grain_float_bodies(s);
        rv_grain_call_grid(s, "edges", 0, 2);
    }
    rv_grain_call_grid(s, "nodes", 0, 2);
    move(s);
    order(s, RV_GRAIN_ENDS, s->count);
}

static void stir(rv_splat *s)
{
    if (!s->card) return;
    rv_grain_constants *k = &s->card->constants;
    const rv_narrow_rod r = rv_narrow_rod_now(s);
    for (int c = 0; c < 3; c++)
        k->rod_from[c] = r.from[c], k->rod_way[c] = r.way[c], k->rod_speed[c] = r.speed[c];
    k->rod_from[3] = r.per_radius, k->rod_way[3] = r.per_way, k->rod_speed[3] = r.pull;
    s->card->gathered = false;
    call_particles(s, "stir", 0);
}

// `again`: its particles were stirred.
static void substep(rv_splat *s, int i, bool again)
{
    bool bodies = s->body_count > 0 && s->grid.up >= 0;
    bool all = s->grid.up < 0 || at_once(s) || bodies;
    int given = all ? (int)CYCLES : s->card->given;
    if (s->stirring && !again) stir(s);
    begin(s, i);
    while (bodies && s->card && !rv_grain_press_bodies(s)) {
        static const uint32_t zero = 0;
        rv_grain_send(s, RV_GRAIN_STATUS, RV_GRAIN_HALT * sizeof zero, &zero, sizeof zero);
        fewer_together(s);
        begin(s, i);
    }
    for (int k = 0; k < given && !all; k++) cycle(s, k);
    end(s, given);
}

// All cycles there may be, of those that were left out, or all of it again; then the substeps after
// it, in the place of those that waited.
void rv_grain_go_on(rv_splat *s, int from)
{
    rv_grain_card *c = s->card;
    static const uint32_t zero = 0;
    int count = c->ahead_count, first = c->given;
    if (!rv_grain_send(s, RV_GRAIN_STATUS, RV_GRAIN_HALT * sizeof zero, &zero, sizeof zero)) return;
    // what is sorted went to and fro as if nothing had waited
    if ((count - from) % 2) {
        rv_device_buffer *sorted = c->buffer[RV_GRAIN_OTHERS];
        c->buffer[RV_GRAIN_OTHERS] = c->buffer[RV_GRAIN_PARTICLES];
        c->buffer[RV_GRAIN_PARTICLES] = sorted;
    }
    bool again = at_once(s);
    if (again) { // its groups did not run at the same time: from the beginning, with fewer
        fewer_together(s);
    } else {
        rv_splat_set_law(s, c->ahead[from]);
        set_constants(s, from);
        for (int k = first; k < (int)CYCLES; k++) cycle(s, k);
        end(s, (int)CYCLES);
        from++;
    }
    for (int k = from; k < count && s->card; k++) {
        rv_splat_set_law(s, c->ahead[k]);
        s->dt = c->ahead[k];
        substep(s, k, again && k == from);
    }
}

// What the columns follow from stays as it is while other sums are made.
static void spare_fields(rv_grain_card *c)
{
    if (!c->columns_due || c->columns_in_twin) return;
    rv_device_buffer *fields = c->buffer[RV_GRAIN_FIELDS];
    c->buffer[RV_GRAIN_FIELDS] = c->twin, c->twin = fields;
    c->columns_in_twin = true;
}

static void keep_columns(rv_splat *s)
{
    rv_grain_card *c = s->card;
    if (!c->first_substep) return;
    c->first_substep = false;
    if (c->columns_due && rv_splat_settles(s)) rv_grain_columns(s); // as they were before
    if (s->card) spare_fields(c);
}

void rv_grain_sort(rv_splat *s, int64_t count)
{
    s->card->gathered = false;
    set_constants(s, s->card->ahead_count);
    s->card->constants.given = CYCLES;
    rv_grain_call_many(s, "count", 0, (size_t)count);
    order(s, 0, count);
}

// Particles that are new here go there, and all are in order.
static bool bring(rv_splat *s)
{
    bool sent = false;
    if (s->card && s->sent != s->count) rv_grain_sync(s);
    if (!s->card || !rv_grain_push(s, &sent)) return false;
    if (s->card->ahead_count == 0) s->card->given_before = 0;
    if (sent) rv_grain_sort(s, s->count);
    if (sent && s->card) s->away = s->count > 0;
    return s->card;
}

bool rv_grain_gather(rv_splat *s)
{
    rv_grain_sync(s);
    if (!s->card) return false;
    // who only looks leaves the particles in their order: where some are new, it is that here
    bool fresh = s->sent != s->count;
    if (fresh) rv_grain_fetch(s);
    rv_splat_set_law(s, s->params.time_step);
    if (!bring(s)) return false;
    rv_grain_card *c = s->card;
    spare_fields(c);
    gather(s, 0);
    if (!s->card) return false;
    c->gathered = !fresh;
    memcpy(c->gathered_open, c->constants.open, sizeof c->gathered_open);
    if (fresh) s->sent = 0, s->away = false;
    return true;
}

void rv_grain_step(rv_splat *s, double dt)
{
    s->dt = dt;
    rv_splat_set_law(s, dt);
    keep_columns(s);
    bool bodies = s->body_count > 0 || s->box_count > 0;
    if (s->card && (bodies || s->card->ahead_count == RV_GRAIN_AHEAD)) rv_grain_sync(s);
    if (s->card && bodies) rv_grain_place_bodies(s);
    rv_splat_settle(s, false);
    if (!bring(s)) {
        rv_splat_step(s, dt); // the card failed: from what is here
        return;
    }
    substep(s, s->card->ahead_count, false);
    if (s->card) s->card->ahead[s->card->ahead_count++] = dt, s->card->pressed_away = true;
    s->clock.substeps++;
    if (s->card) s->away = s->count > 0, s->sorted = s->sent = s->count;
}

void rv_grain_end(rv_splat *s)
{
    rv_grain_sync(s);
    if (!s->card) {
        rv_splat_columns(s);
        return;
    }
    s->card->asked = 0;
    s->card->columns_due = s->card->first_substep = true, s->card->columns_in_twin = false;
    s->card->columns_count = s->count;
}

// ---- Kernels ------------------------------------------------------------------------------------

// All that a world may ask for, so that what a driver cannot do is known, and said, beforehand, and
// no step waits for its compiler; those of a pressure call by call only where it is not found at
// once.
void rv_grain_make_kernels(rv_splat *s)
{
    enum { BOTH, SOLVED, FLAT, SPACE, PLANE, CALLS, BANDS, WHOLE };
    static const struct {
        const char *name;
        unsigned words;
        int form;
    } list[] = {{"count", 0, BOTH},
                {"scan", 0, BOTH},
                {"sums", 0, BOTH},
                {"sums", RV_GRAIN_ENDS, BOTH},
                {"place", 0, BOTH},
                {"order", 0, BOTH},
                {"begin", 0, BOTH},
                {"splat", 0, BOTH},
                {"fold", 0, BOTH},
                {"blur", 0, BOTH},
                {"faces", 0, SOLVED},
                {"ask", 0, SOLVED},
                {"relax", 0, CALLS},
                {"coarsen", 0, CALLS},
                {"restrict", 0, CALLS},
                {"whole", RV_GRAIN_ALONE, WHOLE},
                {"small", 0, CALLS},
                {"small", RV_GRAIN_ALONE | RV_GRAIN_MAKES, CALLS},
                {"correct", 0, CALLS},
                {"sink", 0, BANDS},
                {"rise", 0, BANDS},
                {"apply", 0, SOLVED},
                {"level", 0, FLAT},
                {"closed", 0, FLAT},
                {"closed", RV_GRAIN_AGAIN, FLAT},
                {"edges", 0, FLAT},
                {"columns", 0, FLAT},
                {"nodes", 0, BOTH},
                {"move", 0, BOTH},
                {"mend", 0, SOLVED},
                {"lone", 0, SOLVED},
                {"cut", 0, PLANE},
                {"soften", 0, SPACE},
                {"froth", 0, BOTH},
                {"move", RV_GRAIN_BODIES, SOLVED},
                {"placed", 0, SOLVED},
                {"skins", 0, SOLVED},
                {"pressed", 0, SOLVED},
                {"put", 0, SOLVED},
                {"unmark", 0, FLAT},
                {"stir", 0, BOTH},
                {"beside", 0, BOTH},
                {"gone", 0, BOTH},
                {"show", 0, SPACE},
                {"boxes", 0, SPACE}};
    int own = s->grid.up < 0 ? FLAT : s->grid.axes == 3 ? SPACE : PLANE;
    for (size_t i = 0; i < sizeof list / sizeof *list && s->card; i++)
        if (list[i].form == BOTH || list[i].form == own ||
            (list[i].form == SOLVED && own != FLAT) || (list[i].form == WHOLE && at_once(s)) ||
            (list[i].form == CALLS && own != FLAT && !at_once(s)) ||
            (list[i].form == BANDS && rv_grain_has_bands(s) && own == PLANE && !at_once(s)))
            rv_grain_kernel_for(s, list[i].name, words_of(s, list[i].name) | list[i].words);
}
