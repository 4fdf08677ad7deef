// Edges that drip (docs/drips.md): liquid that runs over an overhanging edge gathers in
// beads under it, which let drops go or run off in threads. With l² = γ/(ρ g):
//
//   beads stand about 2π√2 l apart, the wavelength at which a film under a ceiling parts fastest;
//   a drop has Tate's volume 2π r l², r the half width of the bead, at most l;
//   drops merge into a thread from We = ρ v² r/γ = 1 on, v = Q/(π r²) the speed in a neck of that
//   width, or when the next one is full before the last one's neck is gone: of thick liquid it
//   shrinks with 0.0709 γ/μ (Papageorgiou 1995, Phys. Fluids 7, §IV);
//   a sheet is carried from We = ρ q u/γ = 1 on, q the flow per width and u = (q g)^(1/3) the speed
//   with which it comes over a brink.
//
// A bead is a droplet of the pool that hangs. What it holds is airborne.
#include "world/world_internal.h"

#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979324
#define CLEAR 2.0   // l, that must be free under an edge; where it is less liquid bridges it
#define LEFT 0.15   // of a drop, that stays behind when it lets go
#define BACK 0.7    // of the Weber numbers at which forms change back
#define NECK 0.0709 // times γ/μ: speed at which a thick liquid's neck shrinks
#define DROPS_A_SUBSTEP 8
#define PARTICLES_A_SUBSTEP 64 // of a thread that flies

typedef struct drip_law {
    double length;  // m, l
    double reach;   // m, half of how far beads are apart: so far they draw along a dry edge
    double tension; // N/m
    double density; // kg/m³
    double gravity; // m/s²
    double viscous; // Pa s
} drip_law;

static drip_law law_of(const rv_params *p)
{
    double weight = p->liquid_density * rv_gravity_down(p);
    double length = weight > 0 ? sqrt(p->liquid_tension / weight) : 0;
    return (drip_law){.length = length,
                      .reach = PI * 1.41421356237309505 * length,
                      .tension = p->liquid_tension,
                      .density = p->liquid_density,
                      .gravity = rv_gravity_down(p),
                      .viscous = p->liquid_density * p->liquid_viscosity};
}

static bool are_on(const rv_world *world, const rv_params *p)
{
    return p->drips_on && rv_gravity_down(p) > 0 && world->api->traits(p).has_tension;
}

bool rv_world_drips(const rv_world *world)
{
    return are_on(world, &world->params);
}

double rv_world_drip_clear(const rv_world *world)
{
    return CLEAR * law_of(&world->params).length;
}

// Half the width of a bead at an edge, m.
static double half_width(const drip_law *law, const rv_edge *edge)
{
    return fmin(law->length, edge->half);
}

static double tate_volume(const drip_law *law, double r)
{
    return 2 * PI * r * law->length * law->length;
}

// m³/s at which drops merge.
static double merging_flow(const drip_law *law, double r)
{
    double weber = PI * sqrt(law->tension * r * r * r / law->density);
    double neck = law->viscous * r / (NECK * law->tension); // s, until it is gone
    return 1 / (1 / weber + neck / tate_volume(law, r));
}

// Over which time the flow to a bead is smoothed, s: in which two drops fall clear of it.
static double smoothing(const drip_law *law, double r)
{
    return 2 * sqrt(4 * rv_ball_radius(tate_volume(law, r)) / law->gravity);
}

// Weber number of a sheet from an edge as wide as from one bead to the next.
static double sheet_weber(const drip_law *law, double flow)
{
    double q = flow / (2 * law->reach);
    return law->density * q * rv_cube_root(q * law->gravity) / law->tension;
}

// ---- Edges and sites ----------------------------------------------------------------------------

bool rv_world_list_edges(rv_world *world, const rv_params *params)
{
    rv_edges *e = &world->spray.edges;
    double clear = CLEAR * law_of(params).length;
    if (!are_on(world, params)) return false;
    if (!e->made || e->clear != clear || e->changes != world->changes) {
        e->made = rv_edges_list(e, &world->columns, clear, &world->allocator);
        e->clear = clear, e->changes = world->changes;
    }
    return e->count > 0;
}

static void let_fall(rv_spray *s, int i)
{
    s->goal[i] = 0, s->form[i] = RV_HANG_NOT, s->flow[i] = 0;
    s->root[i] = (rv_spray_cell){0, 0};
}

static rv_edge_reach reach_of(rv_world *world, const drip_law *law)
{
    const rv_edges *e = &world->spray.edges;
    rv_liquid view = rv_world_view_of(world, e->slot, e->count);
    return (rv_edge_reach){law->reach, world->params.grid_dx, view.film, view.depth};
}

// Finds the edge of a bead again; false: there is none any more.
static bool find_place(rv_world *world, const drip_law *law, int i)
{
    rv_spray *s = &world->spray;
    double dx = world->params.grid_dx;
    int edge = rv_edges_find(&s->edges, &world->columns, s->root[i], s->at[i].z, 2 * dx);
    if (edge < 0 || !(s->edges.far[edge] > 0)) return false;
    s->down[i] = rv_spray_slot_at(&world->columns, s->at[i]);
    if (s->down[i] == RV_NOWHERE) return false;
    rv_edge_reach reach = reach_of(world, law);
    rv_edges_claim(&s->edges, edge, i, &reach);
    return true;
}

static void note_sheets(rv_spray *s)
{
    rv_edges *e = &s->edges;
    for (int i = 0; i < e->count; i++)
        e->sheet[i] = e->site[i] > 0 && s->form[e->site[i] - 1] == RV_HANG_SHEET;
}

bool rv_world_begin_drips(rv_world *world)
{
    rv_spray *s = &world->spray;
    drip_law law = law_of(&world->params);
    // allocates only after the terrain changed
    bool any = rv_world_list_edges(world, &world->params) &&
               rv_spray_make_room(s, world->params.spray_droplets);
    if (any) rv_edges_clear(&s->edges);
    for (int i = 0; i < s->count; i++) {
        if (!rv_hangs_at_edge(s->form[i])) continue;
        s->came[i] = 0;
        if (!any || !find_place(world, &law, i)) let_fall(s, i);
    }
    if (any) note_sheets(s);
    return any;
}

// ---- Beads --------------------------------------------------------------------------------------

// A half ellipsoid as wide as it is high until it has its full width r: then it grows downward.
static double bead_radius(double volume, double r)
{
    return fmin(rv_cube_root(1.5 * volume / PI), r);
}

static double bead_height(double volume, double r)
{
    double a = bead_radius(volume, r);
    return a > 0 ? 1.5 * volume / (PI * a * a) : 0;
}

// A bead begins at an edge that has none within reach; -1: there is no room for one.
static int begin_bead(rv_world *world, const drip_law *law, const rv_fall *fall, int edge,
                      double volume)
{
    rv_spray *s = &world->spray;
    const rv_edge *e = &s->edges.edge[edge];
    double dx = world->params.grid_dx, back = (0.5 - RV_EDGE_INSIDE) * dx;
    rv_vec3 at = {rv_cell_x(world, fall->x) - back * fall->dx,
                  rv_cell_y(world, fall->y) - back * fall->dy,
                  (double)world->columns.min[fall->from]};
    int i = rv_spray_add(s, world->params.spray_droplets, at, (rv_vec3){0, 0, 0}, volume);
    if (i < 0) return i;
    s->form[i] = RV_HANG_BEAD, s->down[i] = fall->to;
    s->root[i] = (rv_spray_cell){e->x, e->y};
    s->goal[i] = (1 + LEFT) * tate_volume(law, half_width(law, e));
    rv_edge_reach reach = reach_of(world, law);
    rv_edges_claim(&s->edges, edge, i, &reach);
    return i;
}

// Half the width of the bead that lets go at a goal.
static double half_of_goal(const drip_law *law, double goal)
{
    return goal / ((1 + LEFT) * 2 * PI * law->length * law->length);
}

// Drops leave the bottom of the bead at rest.
static void let_drops_go(rv_world *world, const drip_law *law, int i, double elapsed)
{
    rv_spray *s = &world->spray;
    double drop = s->goal[i] / (1 + LEFT), r = half_of_goal(law, s->goal[i]);
    double low = (double)world->columns.base[s->down[i]];
    for (int k = 0; k < DROPS_A_SUBSTEP && s->volume[i] >= s->goal[i]; k++) {
        rv_vec3 at = s->at[i], v = {0, 0, 0};
        at.z = fmax(at.z - bead_height(s->volume[i], r) + rv_ball_radius(drop), low);
        rv_world_start_back(world, &at, &v, elapsed, low);
        if (rv_spray_add(s, world->params.spray_droplets, at, v, drop) < 0) break;
        rv_spray_set_volume(s, i, s->volume[i] - drop);
    }
}

// ---- A substep ----------------------------------------------------------------------------------

static double level_at(rv_world *world, size_t slot)
{
    double depth = (double)rv_world_view_of(world, &slot, 1).depth[slot];
    return (double)world->columns.base[slot] + depth;
}

// Liquid that falls otherwise: down a wall, a little way, or in a sheet.
static void fall_freely(rv_falling *f, const rv_fall *fall)
{
    rv_world *world = f->world;
    const rv_params *p = &world->params;
    if (!p->spray_on || !p->spray_edges || !(p->spray_share > 0)) return;
    if ((double)world->columns.base[fall->from] - level_at(world, fall->to) >= f->spray)
        rv_world_on_fall(f, fall);
}

static void on_drip(void *user, const rv_fall *fall)
{
    rv_falling *f = user;
    rv_world *world = f->world;
    rv_spray *s = &world->spray;
    const rv_column_set *set = &world->columns;
    int edge = s->edges.of[fall->from] - 1;
    double level = level_at(world, fall->to);
    if (edge < 0 || !((double)set->min[fall->from] - level >= s->edges.clear)) {
        fall_freely(f, fall);
        return;
    }
    drip_law law = law_of(&world->params);
    int i = s->edges.site[edge] - 1;
    if (i < 0) {
        rv_edge_reach reach = reach_of(world, &law);
        i = rv_edges_adopt(&s->edges, edge, &reach);
    }
    if (i >= 0) s->came[i] += fall->volume;
    if (i >= 0 && s->form[i] == RV_HANG_SHEET) {
        fall_freely(f, fall);
        return;
    }
    if (i < 0 && (s->count >= world->params.spray_droplets || s->count >= s->room)) {
        s->refused++;
        return;
    }
    double volume = rv_world_take(world, fall->to, fall->volume);
    if (!(volume > 0)) return;
    f->any = true;
    if (i >= 0)
        rv_spray_set_volume(s, i, s->volume[i] + volume);
    else
        i = begin_bead(world, &law, fall, edge, volume), s->came[i] = fall->volume;
    if (s->form[i] == RV_HANG_BEAD) let_drops_go(world, &law, i, f->past + f->dt);
}

// Height of what a thread falls on, m.
static double foot_of(const rv_world *world, size_t slot, double level)
{
    return fmin(level, (double)world->columns.max[slot]);
}

// Radius and head of speed of a thread at its top: the speed in a neck as wide as the bead.
static double thread_head(const drip_law *law, double flow, double r)
{
    double v = flow / (PI * r * r);
    return v * v / (2 * law->gravity);
}

static double thread_radius(double r, double head, double fallen)
{
    return r * sqrt(sqrt(head / (head + fallen)));
}

// A thread that flies: what its bead holds over a little leaves in particles, anywhere in the neck
// and at any time of the substep. They narrow as they fall faster, as streams do.
static bool fly_off(rv_world *world, const drip_law *law, int i, double past, double dt)
{
    rv_spray *s = &world->spray;
    double h = world->params.spray_grain * world->params.grid_dx, each = h * h * h;
    double r = half_of_goal(law, s->goal[i]), kept = LEFT / (1 + LEFT) * s->goal[i];
    double wide = fmax(r - rv_ball_radius(each), 0), low = (double)world->columns.base[s->down[i]];
    int count = (int)fmin((s->volume[i] - kept) / each, PARTICLES_A_SUBSTEP);
    if (count < 1) return false;
    uint64_t salt = (uint64_t)world->counters.steps ^ (uint64_t)world->params.seed << 32;
    for (int k = 0; k < count; k++) {
        uint64_t key = (uint64_t)s->count << 8;
        double far = wide * sqrt(rv_spray_chance(salt, key)), x, y;
        rv_sine(2 * PI * rv_spray_chance(salt, key + 1), &y, &x);
        rv_vec3 off = {far * x, far * y, 0}, at = s->at[i];
        at.x += off.x, at.y += off.y;
        at.z = fmax(at.z - bead_height(kept, r), low);
        if (rv_spray_slot_at(&world->columns, at) == RV_NOWHERE)
            at = s->at[i], off = (rv_vec3){0, 0, 0};
        rv_vec3 v = {0, 0, -s->flow[i] / (PI * r * r)};
        int n = rv_spray_add(s, world->params.spray_droplets, at, v, each);
        if (n < 0) return k > 0;
        s->off[n] = off, s->late[n] = past + dt * (k + rv_spray_chance(salt, key + 2)) / count;
        rv_spray_set_volume(s, i, s->volume[i] - each);
    }
    return true;
}

// All that a thread's bead holds but a little runs down, onto the columns under the thread.
static bool run_off(rv_world *world, const drip_law *law, int i)
{
    rv_spray *s = &world->spray;
    rv_feed *feed = &world->poured;
    double area = world->params.grid_dx * world->params.grid_dx;
    double over = s->volume[i] - LEFT / (1 + LEFT) * s->goal[i];
    if (!(over > 0)) return false;
    double r = half_of_goal(law, s->goal[i]), head = thread_head(law, s->flow[i], r);
    double foot = foot_of(world, s->down[i], level_at(world, s->down[i]));
    double fallen = fmax(s->at[i].z - foot, 0);
    double wide = head > 0 ? thread_radius(r, head, fallen) : 0;
    if (rv_feed_find(world, feed, s->at[i], wide) != RV_OK || feed->disk == 0) return false;
    bool room = false;
    double left = rv_world_spread(world, feed->slots, feed->disk, feed->all, over / area, &room);
    rv_spray_set_volume(s, i, s->volume[i] - (over - left * area));
    return true;
}

// Falls come in the order of the solver's pipes, which edits of the terrain change; beads begin in
// that of places.
static int by_place(const void *a, const void *b)
{
    const rv_fall *p = a, *q = b;
    if (p->y != q->y) return p->y < q->y ? -1 : 1;
    if (p->x != q->x) return p->x < q->x ? -1 : 1;
    if (p->dy != q->dy) return p->dy < q->dy ? -1 : 1;
    if (p->dx != q->dx) return p->dx < q->dx ? -1 : 1;
    if (p->from != q->from) return p->from < q->from ? -1 : 1; // of one cell: from below
    return p->to < q->to ? -1 : p->to > q->to;
}

void rv_world_make_fall_room(rv_world *world)
{
    rv_solver_info info;
    world->api->info(world->solver, &info);
    int64_t most = (int64_t)info.odd + (int64_t)world->spray.cliff_count;
    // without it falls are dropped one by one, and go on as without drips
    (void)rv_array_grow(&world->allocator, &world->falls, &world->fall_room, most,
                        sizeof *world->falls);
}

static void note_fall(void *user, const rv_fall *fall)
{
    rv_world *world = user;
    if (!rv_array_grow(&world->allocator, &world->falls, &world->fall_room,
                       (int64_t)world->fall_count + 1, sizeof *fall))
        return; // it falls as without drips
    world->falls[world->fall_count++] = *fall;
}

bool rv_world_drip(rv_falling *f)
{
    rv_world *world = f->world;
    rv_spray *s = &world->spray;
    drip_law law = law_of(&world->params);
    const rv_params *p = &world->params;
    bool sprays = p->spray_on && p->spray_edges;
    double drop = sprays ? fmin(f->spray, s->edges.clear) : s->edges.clear;
    world->fall_count = 0;
    rv_world_each_fall(world, drop, f->dt, note_fall, world);
    if (world->fall_count > 0)
        qsort(world->falls, (size_t)world->fall_count, sizeof *world->falls, by_place);
    for (int i = 0; i < world->fall_count; i++) on_drip(f, &world->falls[i]);
    int count = s->count; // threads that fly add to it
    for (int i = 0; i < count; i++) {
        if (s->form[i] != RV_HANG_THREAD) continue;
        bool ran = p->drips_fly && s->count < p->spray_droplets
                       ? fly_off(world, &law, i, f->past, f->dt)
                       : run_off(world, &law, i);
        f->any = ran || f->any;
    }
    return f->any;
}

static int fallen_by_place(const void *a, const void *b)
{
    return by_place(&((const rv_fallen *)a)->fall, &((const rv_fallen *)b)->fall);
}

// What on_drip does besides, at sites that there are: beads, and sheets that let it fall.
bool rv_world_dripped(rv_world *world, rv_fallen *falls, int count, double elapsed)
{
    rv_spray *s = &world->spray;
    drip_law law = law_of(&world->params);
    double area = world->params.grid_dx * world->params.grid_dx;
    bool any = false;
    qsort(falls, (size_t)count, sizeof *falls, fallen_by_place);
    for (const rv_fallen *f = falls; f < falls + count; f++) {
        int i = s->edges.site[s->edges.of[f->fall.from] - 1] - 1;
        double volume = -f->done * area;
        s->came[i] += f->fall.volume;
        if (s->form[i] == RV_HANG_SHEET || !(volume > 0)) continue;
        any = true;
        rv_spray_set_volume(s, i, s->volume[i] + volume);
        if (s->form[i] == RV_HANG_BEAD) let_drops_go(world, &law, i, elapsed);
    }
    return any;
}

// ---- A step -------------------------------------------------------------------------------------

static rv_hang next_form(const drip_law *law, rv_hang form, double flow, const rv_edge *edge)
{
    double most = merging_flow(law, half_width(law, edge));
    double weber = 2 * edge->half >= 2 * law->reach ? sheet_weber(law, flow) : 0;
    if (weber > (form == RV_HANG_SHEET ? BACK : 1)) return RV_HANG_SHEET;
    if (flow > (form == RV_HANG_BEAD ? 1 : sqrt(BACK)) * most) return RV_HANG_THREAD;
    return RV_HANG_BEAD;
}

void rv_world_end_drips(rv_world *world, double step)
{
    rv_spray *s = &world->spray;
    drip_law law = law_of(&world->params);
    for (int i = 0; i < s->count; i++) {
        if (!rv_hangs_at_edge(s->form[i])) continue;
        int edge = rv_edges_find(&s->edges, &world->columns, s->root[i], s->at[i].z,
                                 2 * world->params.grid_dx);
        if (edge < 0) continue;
        const rv_edge *e = &s->edges.edge[edge];
        double time = smoothing(&law, half_width(&law, e));
        s->flow[i] += (s->came[i] / step - s->flow[i]) * (1 - rv_decay(step / time));
        s->form[i] = (uint8_t)next_form(&law, (rv_hang)s->form[i], s->flow[i], e);
        if (s->form[i] == RV_HANG_BEAD) let_drops_go(world, &law, i, step);
    }
    note_sheets(s);
}

// ---- For those who draw -------------------------------------------------------------------------

int rv_world_get_beads(const rv_world *world, rv_bead *out, int room)
{
    if (!world) return 0;
    const rv_spray *s = &world->spray;
    drip_law law = law_of(&world->params);
    int count = 0;
    for (int i = 0; i < s->count; i++) {
        if (!rv_hangs_at_edge(s->form[i])) continue;
        int n = count++;
        if (!out || n >= room) continue;
        double r = half_of_goal(&law, s->goal[i]);
        out[n] = (rv_bead){.at = s->at[i],
                           .radius = bead_radius(s->volume[i], r),
                           .height = bead_height(s->volume[i], r),
                           .flow = s->flow[i],
                           .foot = s->at[i].z};
        size_t under = rv_spray_slot_at(&world->columns, s->at[i]);
        bool drawn = s->form[i] == RV_HANG_THREAD && !world->params.drips_fly;
        if (!drawn || under == RV_NOWHERE) continue;
        out[n].thread = r, out[n].head = thread_head(&law, s->flow[i], r);
        double level =
            (double)world->columns.base[under] + (double)rv_world_view(world).depth[under];
        out[n].foot = foot_of(world, under, level);
    }
    return count;
}
