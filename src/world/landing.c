// How droplets go into columns with `spray.impact` (docs/hand-over.md): what came down in a step
// goes into its columns in equal parts over the substeps of the next, with its momentum. So a jet
// does not come in lumps, and until then it counts as airborne.
//
// Sideways momentum V (u, v) goes to the pipes of the column; what finds no pipe is kept and goes
// with the next that lands. Downward momentum presses: Σ V w / dt over the columns, as a head. A
// jet of speed w and radius a has the thrust ρ π a² w², and its film leaves with the speed of the
// jet, since along its free surface nothing is lost. Pressed on the jet's own cross-section, p = ρ
// w², that thrust would make it √2 times as fast; spread wider the liquid in the jet mixes more,
// and is slower. With h u = w r/2 under the jet and (r h u²)' = -r h p'/ρ, a round jet whose
// pressure is spread by a Gaussian of 0.56 a gives u = w outside; its mean, weighed by itself, is
// then 0.426 ρ w². So the map is smoothed, by (¼, ½, ¼) along each axis, until its mean is that
// low: thrust and speed are both right, and no energy is made however coarse the cells.
//
// On liquid that is not level that pressure also pushes sideways, Σ H ∂p/∂x. A plate cannot: what a
// jet brings along it is all there is. So that sum is taken back, where the jet lands.
#include "world/world_internal.h"

#include <stdlib.h>
#include <string.h>

#define MEAN 0.426        // of the speed's square, of pressure over density: see above
#define PASSES_A_STRIDE 6 // then the smoothing goes twice as far
#define STRIDES 5         // 1 … 16 cells: jets of up to 50 cells
#define STEP_MOST 2       // cells between two beds that are pressed on as one
#define WIDE 0.5          // cells, from which radius on a droplet lands on several columns

bool rv_world_lands_softly(const rv_world *world)
{
    return world->params.spray_impact && world->api->columns;
}

static void free_maps(rv_world *world)
{
    const rv_allocator *a = &world->allocator;
    rv_landing_work *w = &world->landing;
    for (int k = 0; k < 3; k++) {
        rv_free(a, w->map[k], w->slots, sizeof *w->map[k]);
        w->map[k] = NULL;
    }
    rv_free(a, w->head, w->slots, sizeof *w->head);
    rv_free(a, w->sum, w->slots, sizeof *w->sum);
    w->head = w->sum = NULL, w->slots = 0;
}

void rv_landing_free(rv_world *world)
{
    rv_landing_work *w = &world->landing;
    free_maps(world);
    rv_free(&world->allocator, w->at, (size_t)w->room, sizeof *w->at);
    *w = (rv_landing_work){0};
}

static bool make_maps(rv_world *world)
{
    const rv_allocator *a = &world->allocator;
    rv_landing_work *w = &world->landing;
    size_t slots = world->columns.slots;
    bool good = true;
    if (w->slots == slots) return true;
    free_maps(world);
    w->slots = slots;
    for (int k = 0; k < 3; k++) {
        w->map[k] = rv_new(a, slots, sizeof *w->map[k]);
        good = good && w->map[k];
    }
    w->head = rv_new(a, slots, sizeof *w->head);
    w->sum = rv_new(a, slots, sizeof *w->sum);
    good = good && w->head && w->sum;
    if (!good) free_maps(world); // it lands without pressing
    return good;
}

// ---- What lands where ---------------------------------------------------------------------------

static bool note(rv_world *world, size_t slot, int i, double share)
{
    const rv_spray *s = &world->spray;
    rv_landing_work *w = &world->landing;
    if (!rv_array_grow(&world->allocator, &w->at, &w->room, (int64_t)w->count + 1, sizeof *w->at))
        return false;
    double volume = s->volume[i] * share, fall = fmax(-s->velocity[i].z, 0);
    w->at[w->count++] = (rv_landing){.slot = slot,
                                     .first = i,
                                     .volume = volume,
                                     .push = {volume * s->velocity[i].x, volume * s->velocity[i].y},
                                     .down = volume * fall,
                                     .fast = volume * fall * fall};
    return true;
}

// One as wide as several columns lands on all of them.
static bool note_wide(rv_world *world, int i)
{
    rv_spray *s = &world->spray;
    rv_feed *feed = &world->poured;
    rv_vec3 at = s->at[i];
    if (!(s->radius[i] > WIDE * world->params.grid_dx)) return false;
    at.z += 0.5 * s->radius[i];
    if (rv_feed_find(world, feed, at, s->radius[i]) != RV_OK || feed->disk == 0) return false;
    for (int k = 0; k < feed->disk; k++) {
        if (note(world, feed->slots[k], i, 1.0 / feed->disk)) continue;
        if (k == 0) return false;
        // no memory: all that is left goes to the last one
        rv_landing *last = &world->landing.at[world->landing.count - 1];
        double times = feed->disk - k + 1;
        last->volume *= times, last->down *= times, last->fast *= times;
        last->push[0] *= times, last->push[1] *= times;
        break;
    }
    return true;
}

static int by_slot(const void *a, const void *b)
{
    const rv_landing *p = a, *q = b;
    if (p->slot != q->slot) return p->slot < q->slot ? -1 : 1;
    return p->first < q->first ? -1 : p->first > q->first;
}

// One entry for each column, in the order of slots; sums in the order of the droplets.
static void join(rv_landing_work *w)
{
    int kept = 0;
    qsort(w->at, (size_t)w->count, sizeof *w->at, by_slot);
    for (int i = 1; i < w->count; i++) {
        rv_landing *to = &w->at[kept];
        const rv_landing *from = &w->at[i];
        if (from->slot != to->slot) {
            w->at[++kept] = *from;
            continue;
        }
        to->volume += from->volume, to->down += from->down, to->fast += from->fast;
        to->push[0] += from->push[0], to->push[1] += from->push[1];
    }
    w->count = kept + 1;
}

// Lists what lands; false: nothing does.
static bool collect(rv_world *world)
{
    rv_spray *s = &world->spray;
    rv_landing_work *w = &world->landing;
    w->count = 0;
    for (int i = 0; i < s->count; i++) {
        if (s->form[i] != RV_HANG_LANDS) continue;
        size_t slot = rv_spray_slot_at(&world->columns, s->at[i]);
        if (slot != RV_NOWHERE && (note_wide(world, i) || note(world, slot, i, 1))) continue;
        s->form[i] = RV_HANG_NOT, s->goal[i] = 0; // the terrain was changed: it flies on
    }
    if (w->count == 0) return false;
    join(w);
    w->at[0].volume += s->owed, s->owed = 0;
    for (int a = 0; a < 2; a++) w->at[0].push[a] += s->push[a], s->push[a] = 0;
    return true;
}

// ---- How it presses -----------------------------------------------------------------------------

static bool are_one_bed(const rv_column_set *set, size_t a, size_t b)
{
    if (!rv_column_exists(set, a) || !rv_column_exists(set, b)) return false;
    float sill = fmaxf(set->base[a], set->base[b]), roof = fminf(set->max[a], set->max[b]);
    float step = fabsf(set->base[a] - set->base[b]);
    return sill < roof && (double)step <= STEP_MOST * set->grid.dx;
}

// One pass along x or y: neighbours `stride` cells apart exchange a quarter of their difference.
static void smooth(const rv_column_set *set, const rv_plane *p, rv_rect r, int stride, bool along_y,
                   double *map, double *work)
{
    int dx = along_y ? 0 : stride, dy = along_y ? stride : 0;
    ptrdiff_t step = along_y ? (ptrdiff_t)stride * p->pitch : stride;
    for (int y = r.y0; y < r.y1; y++)
        for (int x = r.x0; x < r.x1; x++) {
            size_t i = rv_slot(p, x, y), j;
            double sum = map[i];
            for (int way = -1; way <= 1; way += 2) {
                if (!rv_plane_has(p, x + way * dx, y + way * dy)) continue;
                j = (size_t)((ptrdiff_t)i + way * step);
                if (are_one_bed(set, i, j)) sum += 0.25 * (map[j] - map[i]);
            }
            work[i] = sum;
        }
    for (int y = r.y0; y < r.y1; y++) {
        size_t i = rv_slot(p, r.x0, y);
        memcpy(map + i, work + i, (size_t)(r.x1 - r.x0) * sizeof *map);
    }
}

// Whether the pressure is low enough, in the mean over what presses: single droplets, which come by
// chance, hardly count in it. `per`: 1/(s m²), from momentum to pressure over density.
static bool is_low(const rv_landing_work *w, const rv_plane *p, rv_rect r, double per)
{
    double sum = 0, all = 0;
    for (int y = r.y0; y < r.y1; y++)
        for (int x = r.x0; x < r.x1; x++) {
            size_t i = rv_slot(p, x, y);
            double down = w->map[0][i], speed = down > 0 ? w->map[1][i] / down : 0;
            if (speed > 0) sum += down * (down * per / (speed * speed)), all += down;
        }
    return !(sum > MEAN * all);
}

static rv_rect widened(const rv_plane *p, rv_rect r, int by)
{
    rv_rect all = {p->x0, p->y0, p->x0 + p->nx, p->y0 + p->ny};
    r = (rv_rect){r.x0 - by, r.y0 - by, r.x1 + by, r.y1 + by};
    if (r.x0 < all.x0) r.x0 = all.x0;
    if (r.y0 < all.y0) r.y0 = all.y0;
    if (r.x1 > all.x1) r.x1 = all.x1;
    if (r.y1 > all.y1) r.y1 = all.y1;
    return r;
}

// The heads of one plane, from the momentum that lands in `r`.
static void press_plane(rv_world *world, const rv_plane *p, rv_rect r, double dt)
{
    rv_landing_work *w = &world->landing;
    const rv_column_set *set = &world->columns;
    double dx = set->grid.dx, per = 1 / (dt * dx * dx), down = rv_gravity_down(&world->params);
    for (int pass = 0; pass < PASSES_A_STRIDE * STRIDES && !is_low(w, p, r, per); pass++) {
        int stride = 1 << pass / PASSES_A_STRIDE;
        r = widened(p, r, stride);
        for (int k = 0; k < 2; k++)
            for (int along_y = 0; along_y < 2; along_y++)
                smooth(set, p, r, stride, along_y, w->map[k], w->map[2]);
    }
    for (int y = r.y0; y < r.y1; y++)
        for (int x = r.x0; x < r.x1; x++) {
            size_t i = rv_slot(p, x, y);
            w->head[i] = (float)(w->map[0][i] * per / down);
        }
    w->cells = rv_rect_join(w->cells, r);
}

static const rv_plane *plane_of(const rv_column_set *set, size_t slot)
{
    int l = 0;
    while (l + 1 < set->planes && slot >= set->plane[l + 1].offset) l++;
    return &set->plane[l];
}

static void press(rv_world *world, double dt)
{
    rv_landing_work *w = &world->landing;
    const rv_column_set *set = &world->columns;
    for (int k = 0; k < 2; k++) memset(w->map[k], 0, w->slots * sizeof(double));
    memset(w->head, 0, w->slots * sizeof *w->head);
    w->cells = (rv_rect){0, 0, 0, 0};
    for (int i = 0; i < w->count;) { // slots of one plane follow each other
        rv_rect r = {0, 0, 0, 0};
        const rv_plane *plane = NULL;
        for (; i < w->count; i++) {
            const rv_landing *at = &w->at[i];
            const rv_plane *own = plane_of(set, at->slot);
            int x, y;
            if (plane && own != plane) break;
            plane = own;
            if (!(at->down > 0)) continue;
            rv_cell_of_slot(set, at->slot, &x, &y);
            r = rv_rect_join(r, (rv_rect){x, y, x + 1, y + 1});
            w->map[0][at->slot] += at->down, w->map[1][at->slot] += at->fast;
        }
        if (r.x1 > r.x0) press_plane(world, plane, r, dt);
    }
    w->presses = w->cells.x1 > w->cells.x0;
}

const float *rv_world_add_landing(rv_world *world, const float *head, rv_rect *cells)
{
    rv_landing_work *w = &world->landing;
    if (!w->presses) return head;
    *cells = rv_rect_join(*cells, w->cells);
    if (!head) return w->head;
    for (size_t i = 0; i < w->slots; i++) w->sum[i] = w->head[i] + head[i];
    return w->sum;
}

// What the heads pushed the liquid sideways by in a substep, m⁴/s.
static void sideways(rv_world *world, double dt, double out[2])
{
    const rv_landing_work *w = &world->landing;
    const rv_column_set *set = &world->columns;
    rv_rect near = {w->cells.x0 - 1, w->cells.y0 - 1, w->cells.x1 + 2, w->cells.y1 + 2};
    // what comes of a column is eight words
    int64_t cells = (int64_t)(near.x1 - near.x0) * (near.y1 - near.y0) * set->planes;
    rv_liquid view = 8 * cells < (int64_t)set->slots ? rv_world_view_cells(world, near)
                                                     : rv_world_view_depths(world);
    double per = 0.5 * rv_gravity_down(&world->params) * dt * set->grid.dx;
    out[0] = out[1] = 0;
    for (int l = 0; l < set->planes; l++) {
        const rv_plane *p = &set->plane[l];
        rv_rect r = widened(p, w->cells, 1);
        for (int y = r.y0; y < r.y1; y++)
            for (int x = r.x0; x < r.x1; x++)
                for (int along_y = 0; along_y < 2; along_y++) {
                    if (!rv_plane_has(p, x + !along_y, y + along_y)) continue;
                    size_t i = rv_slot(p, x, y), j = i + (along_y ? (size_t)p->pitch : 1);
                    float by = w->head[i] - w->head[j];
                    if (by == 0.0f || !are_one_bed(set, i, j)) continue;
                    double deep = (double)view.depth[i] + (double)view.depth[j];
                    out[along_y] += (double)by * deep * per;
                }
    }
}

// ---- A step -------------------------------------------------------------------------------------

bool rv_world_begin_landing(rv_world *world, double dt)
{
    rv_landing_work *w = &world->landing;
    w->presses = false;
    if (world->spray.count == 0 || !collect(world)) return false;
    if (world->params.spray_impact && rv_gravity_down(&world->params) > 0 && make_maps(world))
        press(world, dt);
    return true;
}

rv_rows rv_landing_rows(rv_world *world, double dt)
{
    rv_spray *s = &world->spray;
    const rv_landing_work *w = &world->landing;
    const double owed = s->owed, push[2] = {s->push[0], s->push[1]};
    int ny = world->columns.grid.ny;
    rv_rows rows = {ny, 0};
    if (rv_world_begin_landing(world, dt) && w->presses)
        rows = rv_rows_both((rv_rows){w->cells.y0 - 1, w->cells.y1 + 1}, (rv_rows){0, ny});
    s->owed = owed, s->push[0] = push[0], s->push[1] = push[1]; // nothing has landed yet
    return rows;
}

void rv_world_land(rv_world *world, int substeps, double dt)
{
    rv_landing_work *w = &world->landing;
    double area = world->params.grid_dx * world->params.grid_dx, back[2] = {0, 0}, all = 0;
    if (w->presses) sideways(world, dt, back);
    for (int i = 0; i < w->count; i++) all += w->at[i].down;
    for (int i = 0; i < w->count; i++) {
        rv_landing *at = &w->at[i];
        double share = all > 0 ? at->down / all : 0;
        double x = at->push[0] / substeps + at->left_push[0] - share * back[0];
        double y = at->push[1] / substeps + at->left_push[1] - share * back[1];
        at->left += at->volume / substeps;
        at->left -= rv_world_add_still(world, at->slot, at->left / area) * area;
        bool taken = (x == 0 && y == 0) || rv_world_push(world, at->slot, x, y);
        at->left_push[0] = taken ? 0 : x, at->left_push[1] = taken ? 0 : y;
    }
}

void rv_world_end_landing(rv_world *world)
{
    rv_spray *s = &world->spray;
    const rv_landing_work *w = &world->landing;
    const rv_column_set *set = &world->columns;
    for (int i = 0; i < s->count; i++)
        if (s->form[i] == RV_HANG_LANDS) rv_spray_set_volume(s, i, 0);
    for (int i = 0; i < w->count; i++) {
        const rv_landing *at = &w->at[i];
        rv_liquid view = rv_world_view_of(world, &at->slot, 1);
        bool room = view.depth[at->slot] < set->max[at->slot] - set->base[at->slot];
        for (int a = 0; a < 2; a++) s->push[a] += at->left_push[a];
        // with room it is rounding; else it waits over the column
        if (room || !(at->left > 0)) {
            s->owed += at->left;
            continue;
        }
        rv_spray_set_volume(s, at->first, s->volume[at->first] + at->left);
        s->velocity[at->first] = (rv_vec3){0, 0, 0}; // its momentum has gone already
    }
}
