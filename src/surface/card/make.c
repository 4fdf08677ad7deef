// The order of the surface's kernels: nodes of what changed; extra nodes; normals of what changed;
// triangles and vertices counted, numbered and made; the meniscus; the sides of the grid.
#include "surface/card/card.h"

#include <math.h>

// As meniscus.c has them.
#define RING 0.92f
#define FIRST_RING (0.7f + RING)
#define FOLD 0.5f
// As line.c has them.
#define ROUNDS 4
#define THERE 0.5f
#define BACK -0.53f

// As fair.c has them.
#define FAIR_TURNS 6
#define FAIR_THERE 0.6f
#define FAIR_BACK -0.45f

// Of a meniscus that one group makes alone; half as many more are not more than 32 columns a thread.
#define INSIDE_ALONE 1024
#define TRIANGLES_ALONE 4096

static uint32_t in_groups(uint32_t count, uint32_t of)
{
    return (count + of - 1) / of;
}

// Whether there is so little that one group does it.
static bool is_alone(const rv_card_sheet *c, uint32_t count)
{
    return c->ends_most > 0 && count <= c->ends_most;
}

// Kernels over squares of a list, for each plane or once.
static void use_list(rv_card_sheet *c, int list)
{
    c->constants.list_at = (uint32_t)((size_t)list * c->square_count);
    c->constants.groups = list == RV_LIST_MADE ? c->made_count : c->all_count;
    c->constants.from = (uint32_t)(RV_LIST_ISLAND * c->square_count);
    c->constants.to = rv_sheet_sums_at(c);
}

static void over_squares(rv_card_sheet *c, rv_sheet_kernel kernel)
{
    rv_card_sheet_call(c, kernel, c->constants.groups, c->constants.planes);
}

// Columns, and extra nodes after them.
static void over_nodes(rv_card_sheet *c, rv_sheet_kernel kernel, uint32_t extras)
{
    rv_card_sheet_call(c, kernel, c->constants.groups + in_groups(extras, 256),
                       c->constants.planes);
}

static void over_extras(rv_card_sheet *c, rv_sheet_kernel kernel)
{
    rv_card_sheet_call(c, kernel, in_groups(c->constants.extras, 64), 1);
}

// A card that is timed stops for it; what is made twice is timed once.
static void begin_timer(rv_card_sheet *c, int k)
{
    if (c->times_wanted == 0 || c->timed[k] || !c->device->timers || c->trouble != RV_OK) return;
    c->timing = c->device->begin_timer(c->device->user) == RV_OK;
}

static void end_timer(rv_card_sheet *c, int k)
{
    if (!c->timing || c->trouble != RV_OK) return;
    c->timed[k] = c->device->end_timer(c->device->user, &c->timer[k]) == RV_OK;
    c->timing = false;
}

// ---- Nodes --------------------------------------------------------------------------------------

// As rv_surface_make_fair.
static void make_fair(rv_card_sheet *c)
{
    if (!(c->constants.has & RV_HAS_BENDS)) return;
    if (is_alone(c, c->uneven_count)) { // as far as the last update tells
        rv_card_sheet_call(c, RV_DO_FAIR_ALONE, 1, 1);
        return;
    }
    over_squares(c, RV_DO_FAIR_BEGIN);
    for (uint32_t turn = 0; turn < FAIR_TURNS; turn++) {
        c->constants.pass = turn % 2, c->constants.ring = turn % 2 ? FAIR_BACK : FAIR_THERE;
        over_squares(c, RV_DO_FAIR);
    }
    over_squares(c, RV_DO_FAIR_END);
}

static void find_nodes(rv_card_sheet *c)
{
    use_list(c, RV_LIST_MADE);
    over_squares(c, RV_DO_KINDS);
    over_squares(c, RV_DO_NODES);
    c->constants.to = (uint32_t)(RV_LIST_IS_MADE * c->square_count);
    rv_card_sheet_call(c, RV_DO_STEPS, in_groups(c->constants.steps, 64), 1);
    over_squares(c, RV_DO_DRY);
    make_fair(c);
}

static void extend(rv_card_sheet *c)
{
    use_list(c, RV_LIST_ALL);
    over_squares(c, RV_DO_CLEAR);
    if (!c->extends) return;
    c->constants.count = c->constants.groups, c->constants.pass = 0;
    rv_card_sheet_call(c, RV_DO_FIND_FULL, c->constants.groups, 1);
    over_squares(c, RV_DO_JOIN_FULL);
    if (c->constants.planes > 1) {
        over_squares(c, RV_DO_FIND_TO_FULL);
        over_squares(c, RV_DO_JOIN_FULL);
    }
    rv_card_sheet_call(c, RV_DO_EXTRAS, c->constants.groups, 1);
    rv_card_sheet_call(c, RV_DO_SCAN, 1, 1);
    rv_card_sheet_call(c, RV_DO_EXTRAS_EMIT, c->constants.groups, 1);
    over_extras(c, RV_DO_JOIN_EXTRAS);
    over_extras(c, RV_DO_JOIN_AGREED);
}

static void find_normals(rv_card_sheet *c)
{
    use_list(c, RV_LIST_MADE);
    over_squares(c, RV_DO_NORMALS);
    for (uint32_t pass = 0; pass < 4; pass++) {
        c->constants.pass = pass;
        over_squares(c, RV_DO_SMOOTH);
    }
}

static void count_all(rv_card_sheet *c)
{
    uint32_t extras = c->extends ? c->constants.extras : 0;
    use_list(c, RV_LIST_ALL);
    over_nodes(c, RV_DO_QUARTETS, extras);
    if (c->extends && (c->constants.has & RV_HAS_CURTAIN)) {
        over_extras(c, RV_DO_HANG_FIRST);
        over_extras(c, RV_DO_HANG);
        over_extras(c, RV_DO_HANG_LAST);
    }
    over_nodes(c, RV_DO_COUNT, extras);
    c->constants.count = c->constants.groups * c->constants.planes + in_groups(extras, 256);
    c->constants.pass = 1;
    rv_card_sheet_call(c, RV_DO_SCAN, 1, 1);
}

// ---- The mesh -----------------------------------------------------------------------------------

// Along the sides of the grid an edge is between two cells, or between one and an end: two a cell
// and layer at most, on either side of a triangle; six vertices each, eleven at a corner. A flooded
// column has eight.
static uint32_t side_room(const rv_card_sheet *c)
{
    const rv_sheet_constants *k = &c->constants;
    uint32_t each = c->flooded_count > 0 ? 24u + 8u : 24u;
    return c->at_side ? (each * 2u * (k->nx + k->ny) + 44u) * k->planes : 0;
}

static uint32_t with_slack(uint32_t count)
{
    return count + count / 4 + 256;
}

// Room for what was counted last, and somewhat more.
static bool take_mesh(rv_card_sheet *c)
{
    rv_sheet_constants *k = &c->constants;
    k->inside = with_slack(c->status[RV_SHEET_INSIDE]);
    k->fresh = with_slack(c->status[RV_SHEET_OTHERS]);
    // one group does them alone as long as they are not more than that
    if (is_alone(c, c->status[RV_SHEET_OTHERS]) && !is_alone(c, k->fresh)) k->fresh = c->ends_most;
    k->triangles = with_slack(c->status[RV_SHEET_TRIANGLES]);
    k->side_vertices = side_room(c);
    uint32_t need = k->inside + k->fresh + k->more + k->side_vertices;
    if (need > k->vertices || !c->buffer[RV_SHEET_MESH])
        k->vertices = (need + need / 2 + 1023) / 1024 * 1024;
    size_t triangles = (size_t)k->triangles + (size_t)c->more->triangles;
    size_t fresh = k->fresh;
    return rv_card_sheet_take(c, RV_SHEET_MESH, 64 * (size_t)k->vertices, NULL) &&
           rv_card_sheet_grow(c, RV_SHEET_INDEX, 12 * triangles + 8 * (size_t)k->side_vertices) &&
           rv_card_sheet_grow(c, RV_SHEET_FRESH, 4 * (2 * fresh + k->inside)) &&
           rv_card_sheet_grow(c, RV_SHEET_CONTACTS, 64 * fresh);
}

// As the kernels ask.
static bool has_room(const rv_card_sheet *c)
{
    const rv_sheet_constants *k = &c->constants;
    return c->status[RV_SHEET_INSIDE] <= k->inside && c->status[RV_SHEET_OTHERS] <= k->fresh &&
           c->status[RV_SHEET_TRIANGLES] <= k->triangles;
}

// As rv_surface_smooth_line.
static void smooth_line(rv_card_sheet *c)
{
    rv_sheet_constants *k = &c->constants;
    uint32_t fresh = in_groups(k->fresh, 64);
    if (!(k->has & RV_HAS_BENDS)) return;
    if (is_alone(c, k->fresh)) {
        rv_card_sheet_call(c, RV_DO_SLIDE_ALONE, 1, 1);
        return;
    }
    for (uint32_t n = 0; n < 2 * ROUNDS; n++) {
        k->from = n % 2, k->ring = n % 2 ? BACK : THERE;
        rv_card_sheet_call(c, RV_DO_SLIDE, fresh, 1);
    }
    k->from = 0;
    rv_card_sheet_call(c, RV_DO_SLIDE_PUT, fresh, 1);
}

static void make_mesh(rv_card_sheet *c)
{
    uint32_t extras = c->extends ? c->constants.extras : 0;
    use_list(c, RV_LIST_ALL);
    over_nodes(c, RV_DO_NUMBER, extras);
    rv_card_sheet_call(c, RV_DO_FRESH, in_groups(c->constants.fresh, 64), 1);
    over_nodes(c, RV_DO_QUARTETS_EMIT, extras);
    smooth_line(c);
}

// ---- The meniscus -------------------------------------------------------------------------------

static void swap_halves(rv_card_sheet *c)
{
    c->constants.from = 1 - c->constants.from, c->constants.to = 1 - c->constants.to;
}

// The first after that of columns in one triangle with a contact.
static void begin_rings(rv_sheet_constants *k)
{
    k->least = (0.7f - FOLD) * k->dx, k->least *= k->least;
    k->ring = fminf(FIRST_RING * k->dx, k->reach);
}

// As spread_rings of meniscus.c.
static void spread_rings(rv_card_sheet *c)
{
    rv_sheet_constants *k = &c->constants;
    k->ring = RING * k->dx, k->least = 0.0f;
    over_squares(c, RV_DO_RINGS_FIRST);
    begin_rings(k);
    for (;;) {
        over_squares(c, RV_DO_RINGS);
        swap_halves(c);
        if (!(k->ring < k->reach) || c->trouble != RV_OK) return;
        k->least = fmaxf(k->ring - FOLD * k->dx, 0.0f), k->least *= k->least;
        k->ring = fminf(k->ring + RING * k->dx, k->reach);
    }
}

static void make_meniscus(rv_card_sheet *c)
{
    rv_sheet_constants *k = &c->constants;
    uint32_t fresh = in_groups(k->fresh, 64), triangles = in_groups(k->triangles, 256);
    bool few = c->status[RV_SHEET_INSIDE] <= INSIDE_ALONE &&
               c->status[RV_SHEET_TRIANGLES] <= TRIANGLES_ALONE;
    use_list(c, RV_LIST_ALL);
    over_squares(c, RV_DO_RINGS_BEGIN);
    if (is_alone(c, k->fresh) && few) {
        k->from = 0;
        begin_rings(k);
        rv_card_sheet_call(c, RV_DO_MENISCUS, 1, 1);
        return;
    }
    rv_card_sheet_call(c, RV_DO_CONTACTS, fresh, 1);
    rv_card_sheet_call(c, RV_DO_LINES, triangles, 1);
    rv_card_sheet_call(c, RV_DO_LINES_GUESS, triangles, 1);
    rv_card_sheet_call(c, RV_DO_SETTLE, fresh, 1);
    rv_card_sheet_call(c, RV_DO_EVEN, fresh, 1);
    k->from = 0, k->to = 1; // halves of what is near
    spread_rings(c);
    over_squares(c, RV_DO_FIELD);
    rv_card_sheet_call(c, RV_DO_LIPS, fresh, 1);
}

static void make_sides(rv_card_sheet *c)
{
    const rv_sheet_constants *k = &c->constants;
    if (!c->at_side) return;
    rv_card_sheet_call(c, RV_DO_SIDES, in_groups(k->triangles, 256), 1);
    if (c->flooded_count > 0)
        rv_card_sheet_call(c, RV_DO_FLOODED, in_groups(2 * (k->nx + k->ny), 64), 1);
}

// ---- All of it ----------------------------------------------------------------------------------

// Whether there is more than was counted on. What columns want that were not made is known from when
// they were.
static bool is_more(rv_card_sheet *c)
{
    bool bends = c->constants.has & RV_HAS_BENDS, wants = c->status[RV_SHEET_WANTS];
    bool many = is_alone(c, c->uneven_count) && c->status[RV_SHEET_UNEVEN] > c->ends_most;
    bool first = wants && c->may_extend && !c->extends;
    bool all = c->fresh_islands == (int64_t)c->islands;
    c->uneven_count = c->status[RV_SHEET_UNEVEN];
    c->extends = c->may_extend && (wants || (c->extends && !all));
    return (many && bends) || first || c->status[RV_SHEET_EXTRA_COUNT] > c->constants.extras;
}

// From what is counted to the picture.
static void make_rest(rv_card_sheet *c)
{
    if (!take_mesh(c)) return;
    begin_timer(c, 1);
    make_mesh(c);
    end_timer(c, 1);
    begin_timer(c, 2);
    if (c->constants.has & RV_HAS_MENISCUS) make_meniscus(c);
    end_timer(c, 2);
    make_sides(c);
}

static void read_counts(rv_card_sheet *c, rv_device_ticket *ticket)
{
    if (c->trouble != RV_OK) return;
    rv_result result = c->device->read(c->device->user, c->buffer[RV_SHEET_STATUS], 0,
                                       sizeof c->status, ticket);
    if (result != RV_OK) rv_card_sheet_fail(c, result);
}

static void take_counts(rv_card_sheet *c, rv_device_ticket ticket)
{
    bool done = false;
    if (c->trouble != RV_OK) return;
    rv_result result = c->device->collect(c->device->user, ticket, c->status, true, &done);
    if (result != RV_OK) rv_card_sheet_fail(c, result);
    c->counted = result == RV_OK;
}

// While the counts come the card goes on with room for those of the last time, and somewhat more.
void rv_card_sheet_make(rv_card_sheet *c)
{
    rv_device_ticket ticket = 0;
    bool early = c->counted;
    begin_timer(c, 0);
    find_nodes(c);
    extend(c);
    find_normals(c);
    count_all(c);
    end_timer(c, 0);
    read_counts(c, &ticket);
    if (early) make_rest(c);
    take_counts(c, ticket);
    if (c->trouble != RV_OK) return;
    c->again = is_more(c);
    if (c->again) return;
    if (!early || !has_room(c)) make_rest(c);
    rv_card_sheet_send_more(c);
    if (c->trouble == RV_OK) c->device->shown(c->device->user);
}
