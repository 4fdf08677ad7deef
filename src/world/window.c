// A window of a world whose rows are shared out among processes, as a small world on rank 0: so one
// that fits nowhere as a whole can still be looked at. The small one is made from the same solids
// on a grid that is a part of the large one's cells; the state of its columns comes from their
// owners, row by row.
#include "world/state_rows.h"

#include <string.h>

typedef struct window {
    const rv_world *from;
    rv_world *to; // of rank 0; NULL on others
    int x, y;     // cell of the large grid that is the small one's first
    int nx, ny;
    unsigned char *row;
} window;

// The state of `nx` columns side by side, zeros where there is none.
static void take_row(const window *w, const rv_state_field *field, int plane, int y)
{
    const unsigned char *bytes = field->data;
    memset(w->row, 0, (size_t)w->nx * field->item);
    for (int x = 0; x < w->nx; x++) {
        size_t slot;
        if (!rv_column_at(&w->from->columns, plane, w->x + x, w->y + y, &slot)) continue;
        memcpy(w->row + (size_t)x * field->item, bytes + slot * field->item, field->item);
    }
}

static void put_row(const window *w, const rv_state_field *field, int plane, int y)
{
    unsigned char *bytes = field->data;
    for (int x = 0; x < w->nx; x++) {
        size_t slot;
        if (!rv_column_at(&w->to->columns, plane, x, y, &slot)) continue;
        memcpy(bytes + slot * field->item, w->row + (size_t)x * field->item, field->item);
    }
}

// A liquid depth fits its column, also where the small grid's rounding is another.
static void fit(rv_world *to, float *depth)
{
    const rv_column_set *set = &to->columns;
    for (size_t i = 0; i < set->slots; i++)
        if (rv_column_exists(set, i)) depth[i] = fminf(depth[i], set->max[i] - set->base[i]);
}

static void copy_field(const window *w, const rv_state_field *field, const rv_state_field *there)
{
    rv_cut *cut = w->from->cut;
    for (int plane = 0; plane < w->from->columns.planes; plane++)
        for (int y = 0; y < w->ny; y++) {
            int owner = cut ? rv_cut_owner(cut, w->y + y) : 0;
            int rank = cut ? cut->ranks->rank : 0;
            if (rank == owner) take_row(w, field, plane, y);
            if (cut) rv_cut_pass(cut, owner, 0, w->row, (size_t)w->nx * field->item);
            if (there && plane < w->to->columns.planes) put_row(w, there, plane, y);
        }
}

static rv_state_field *find(rv_state_field *fields, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(fields[i].name, name) == 0) return &fields[i];
    return NULL;
}

rv_result rv_world_get_window(const rv_world *world, int x, int y, int nx, int ny, rv_world *out)
{
    if (!world || nx < 1 || ny < 1 || x < 0 || y < 0 || !world->api->columns)
        return RV_BAD_ARGUMENT;
    const rv_grid *g = &world->columns.grid;
    bool first = !world->cut || world->cut->ranks->rank == 0;
    if (nx > g->nx - x || ny > g->ny - y) return RV_BAD_ARGUMENT;
    bool bad = first && (!out || out->columns.grid.nx != nx || out->columns.grid.ny != ny ||
                         out->api != world->api);
    if (world->cut ? rv_cut_any(world->cut, bad) : bad) return RV_BAD_ARGUMENT; // rank 0 alone sees
    rv_state_field own[RV_STATE_FIELDS_MAX], there[RV_STATE_FIELDS_MAX];
    int n = world->api->fields(world->solver, own);
    int others = first ? out->api->fields(out->solver, there) : 0;
    window w = {world, first ? out : NULL, x, y, nx, ny, NULL};
    w.row = rv_new(&world->allocator, (size_t)nx, 8);
    bool starved = world->cut ? rv_cut_any(world->cut, !w.row) : !w.row;
    for (int i = 0; i < n && !starved; i++)
        if (own[i].by_slot && own[i].item <= 8)
            copy_field(&w, &own[i], first ? find(there, others, own[i].name) : NULL);
    rv_free(&world->allocator, w.row, (size_t)nx, 8);
    if (starved) return RV_OUT_OF_MEMORY;
    if (world->cut && world->cut->lost) return RV_RANK_LOST;
    if (!first) return RV_OK;
    rv_state_field *depth = find(there, others, "depth");
    if (depth) fit(out, depth->data);
    out->counters.time = world->counters.time, out->counters.steps = world->counters.steps;
    out->api->restored(out->solver);
    return RV_OK;
}
