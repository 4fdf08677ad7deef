// Bodies among particles. The solver knows the bodies themselves: it keeps its liquid out of them
// and tells what momentum the liquid gave each of them in a substep. Here is what it cannot know:
//
// A body that appears in liquid would find particles within it, pressed together, and be shot out.
// So what is there makes room first: it is taken and given to the columns around the body, whose
// level rises by it.
//
// Particles do not get into a gap narrower than they are far apart, and without their pressure a
// body that lies on the ground, or against a wall, would be held there by what presses from the
// other side. So near a solid the liquid pushes it away from that by its buoyancy at least.
#include "world/world_internal.h"

#define PI 3.14159265358979323846
#define STRIPS 12  // most, each way, into which a body is cut to empty it
#define AROUND 12  // places at which the level around a body is looked up
#define BESIDE 2   // cells from the body, where that is
#define NARROW 1.0 // cells: what a gap to a solid must have for particles to be in it
#define WIDE 2.0   // and from where on it is like any other place

// ---- A plane ------------------------------------------------------------------------------------

// In a vertical plane a body stands for its slice as thick as a cell, and what that slice gets
// counts for all of it: so it floats as its density says. This many slices it is.
static double slices(const rv_world *world, const rv_body *body)
{
    const rv_params *p = &world->params;
    if (!world->traits.in_plane) return 1;
    double face = body->def.shape == RV_BODY_SPHERE ? PI * body->half.x * body->half.x
                                                    : 4 * body->half.x * body->half.z;
    return body->volume / (face * p->grid_dx);
}

// A body of a vertical plane stays in it.
static void keep_in_plane(const rv_world *world, rv_body_state *s)
{
    const rv_params *p = &world->params;
    if (!world->traits.in_plane) return;
    s->at.y = p->grid_y, s->velocity.y = 0;
    s->spin.x = s->spin.z = 0;
}

// ---- Making room --------------------------------------------------------------------------------

// The part of a line along x, through (y, z) from the body's middle, that is in the body.
static bool chord(const rv_body *body, const rv_mat3 *turn, double y, double z, double *low,
                  double *high)
{
    if (body->def.shape == RV_BODY_SPHERE) {
        double square = body->half.x * body->half.x - y * y - z * z;
        if (!(square > 0)) return false;
        *high = sqrt(square), *low = -*high;
        return true;
    }
    rv_vec3 from = rv_apply_back(turn, (rv_vec3){0, y, z});
    rv_vec3 way = rv_apply_back(turn, (rv_vec3){1, 0, 0});
    const double o[3] = {from.x, from.y, from.z}, d[3] = {way.x, way.y, way.z};
    const double half[3] = {body->half.x, body->half.y, body->half.z};
    *low = -2 * body->reach, *high = 2 * body->reach;
    for (int k = 0; k < 3; k++) {
        if (fabs(d[k]) < 1e-12) {
            if (fabs(o[k]) > half[k]) return false;
            continue;
        }
        double a = (-half[k] - o[k]) / d[k], b = (half[k] - o[k]) / d[k];
        *low = fmax(*low, fmin(a, b)), *high = fmin(*high, fmax(a, b));
    }
    return *high > *low;
}

// Takes all liquid out of the body's shape, strip by strip; how much it was, m³.
static double empty(rv_world *world, const rv_body *body, const rv_mat3 *turn)
{
    double reach = body->reach, dx = world->params.grid_dx, taken = 0;
    int n = (int)fmin(fmax(ceil(2 * reach / dx), 1), STRIPS), rows = n;
    double thick = 2 * reach / n, low, high;
    bool plane = world->traits.in_plane;
    rv_vec3 at = body->state.at;
    if (plane) rows = 1;
    for (int k = 0; k < n; k++)
        for (int j = 0; j < rows; j++) {
            double z = (k + 0.5) * thick - reach, y = plane ? 0 : (j + 0.5) * thick - reach;
            if (!chord(body, turn, y, z, &low, &high)) continue;
            rv_vec3 from = {at.x + low, at.y + y - 0.5 * thick, at.z + z - 0.5 * thick};
            rv_vec3 to = {at.x + high, at.y + y + 0.5 * thick, at.z + z + 0.5 * thick};
            taken += world->api->bulk->take(world->solver, from, to, INFINITY);
        }
    return taken;
}

// The columns around a body, in the layer that it is in.
static rv_result find_around(rv_world *world, const rv_body *body, rv_feed *feed)
{
    const rv_column_set *set = &world->columns;
    const rv_grid *g = &set->grid;
    double near = body->reach + BESIDE * g->dx, far = 2 * body->reach + 3 * g->dx;
    rv_vec3 at = body->state.at;
    rv_result r = rv_feed_find(world, feed, (rv_vec3){at.x, at.y, at.z + body->reach}, far);
    if (r != RV_OK) return r;
    int kept = 0;
    for (int i = 0; i < feed->disk; i++) {
        int x, y;
        rv_cell_of_slot(set, feed->slots[i], &x, &y);
        double rx = rv_cell_x(world, x) - at.x, ry = rv_cell_y(world, y) - at.y;
        if (rx * rx + ry * ry > near * near) feed->slots[kept++] = feed->slots[i];
    }
    feed->disk = feed->all = kept;
    return RV_OK;
}

// What finds no room around is held, and placed when there is some.
static void make_room(rv_world *world, rv_body *body, const rv_mat3 *turn)
{
    double area = world->params.grid_dx * world->params.grid_dx;
    double taken = empty(world, body, turn), left = taken / area;
    bool room = false;
    if (!(taken > 0)) return;
    if (find_around(world, body, &world->poured) == RV_OK && world->poured.disk > 0)
        left = rv_world_spread(world, world->poured.slots, world->poured.disk, world->poured.all,
                               left, &room);
    world->counters.held += left * area;
    world->api->changed(world->solver);
}

// ---- A substep ----------------------------------------------------------------------------------

static void show(const rv_world *world, const rv_body *body, const rv_body_work *work,
                 rv_solver_body *out)
{
    const rv_mat3 *turn = &work->turn;
    bool moves = work->free && !body->state.resting;
    *out = (rv_solver_body){.shape = body->def.shape,
                            .radius = body->half.x,
                            .half = body->half,
                            .at = body->state.at,
                            .velocity = body->state.velocity,
                            .spin = body->state.spin,
                            .mass = moves ? body->mass / slices(world, body) : 0};
    for (int k = 0; k < 3; k++) {
        rv_vec3 axis = rv_apply(turn, (rv_vec3){k == 0, k == 1, k == 2});
        out->axes[k][0] = axis.x, out->axes[k][1] = axis.y, out->axes[k][2] = axis.z;
    }
}

// Without memory for them the solver sees no bodies in this substep.
void rv_world_carry_bodies(rv_world *world)
{
    rv_bodies *b = &world->bodies;
    int count = 0;
    bool room = rv_array_grow(&b->allocator, &world->carried, &world->carried_room, b->count,
                              sizeof *world->carried);
    rv_bodies_refresh(b);
    for (int i = 0; room && i < b->count; i++) {
        rv_body *body = &b->body[i];
        if (!b->work[i].here) continue;
        keep_in_plane(world, &body->state);
        // particles as a height are under it, and go aside as it comes down
        if (!body->afloat && world->traits.has_density) make_room(world, body, &b->work[i].turn);
        body->afloat = true; // it is among the particles
        show(world, body, &b->work[i], &world->carried[count++]);
    }
    world->carried_count = count;
    world->api->bulk->carry(world->solver, world->carried, count);
}

// How far a body reaches from its middle against direction n.
static double extent(const rv_body *body, const rv_mat3 *turn, rv_vec3 n)
{
    if (body->def.shape == RV_BODY_SPHERE) return body->half.x;
    rv_vec3 own = rv_apply_back(turn, n);
    return fabs(own.x) * body->half.x + fabs(own.y) * body->half.y + fabs(own.z) * body->half.z;
}

// Keeps an impulse from pressing a body onto a solid `far` (m) from its middle, n away from it.
static rv_vec3 release(rv_vec3 impulse, rv_vec3 lift, rv_vec3 n, double far, double reach,
                       double dx)
{
    double open = fmin(fmax(((far - reach) / dx - NARROW) / (WIDE - NARROW), 0), 1);
    double lacks = rv_dot(lift, n) - rv_dot(impulse, n);
    return lacks > 0 ? rv_along(impulse, (1 - open) * lacks, n) : impulse;
}

// The same for all solids around: floor, walls and terrain.
static rv_vec3 release_all(const rv_world *world, const rv_body *body, const rv_mat3 *turn,
                           rv_vec3 impulse, rv_vec3 lift)
{
    const rv_grid *g = &world->columns.grid;
    rv_vec3 at = body->state.at;
    bool plane = world->traits.in_plane;
    const struct {
        rv_vec3 n;
        double far;
    } walls[] = {{{0, 0, 1}, at.z - g->bottom},
                 {{1, 0, 0}, at.x - g->x0},
                 {{-1, 0, 0}, g->x0 + g->nx * g->dx - at.x},
                 {{0, 1, 0}, plane ? INFINITY : at.y - g->y0},
                 {{0, -1, 0}, plane ? INFINITY : g->y0 + g->ny * g->dx - at.y}};
    for (size_t i = 0; i < sizeof walls / sizeof walls[0]; i++)
        impulse =
            release(impulse, lift, walls[i].n, walls[i].far, extent(body, turn, walls[i].n), g->dx);
    if (!world->terrain) return impulse;
    rv_vec3 n = rv_terrain_normal(world->terrain, at);
    double far = (double)rv_terrain_distance(world->terrain, at);
    return release(impulse, lift, n, far, extent(body, turn, n), g->dx);
}

// How fast liquid at rest can make a body, m/s. Lifted by liquid that has to flow around it, even
// one that weighs nothing speeds up by 2 g at most (its added mass is half of what it displaces),
// over the height of the grid; and what jets and driven bodies bring may be handed on.
static double fastest_lift(const rv_world *world)
{
    const rv_params *p = &world->params;
    double given = 0;
    for (int i = 0; i < world->emitter_count; i++)
        given = fmax(given, rv_length(world->emitters[i].def.velocity));
    for (int i = 0; i < world->bodies.count; i++)
        if (world->bodies.work[i].here && !world->bodies.work[i].free)
            given = fmax(given, rv_length(world->bodies.body[i].state.velocity));
    return given + 2 * sqrt(rv_length(p->gravity) * (p->grid_top - p->grid_bottom));
}

// How much of a change a velocity takes, so that it is no faster than `most`, or than it was.
static double share_of_change(rv_vec3 now, rv_vec3 change, double most)
{
    double limit = fmax(most, rv_length(now)), a = rv_dot(change, change);
    double b = rv_dot(now, change), c = rv_dot(now, now) - limit * limit;
    rv_vec3 next = rv_add(now, change);
    if (rv_dot(next, next) <= limit * limit || !(a > 0)) return 1;
    return fmin(fmax((sqrt(fmax(b * b - a * c, 0)) - b) / a, 0), 1);
}

// Where bodies overlap, or one is squeezed between others, particles find no place and push with
// more than liquid could; a light body would be shot out, and take liquid along. No body is made
// faster than liquid at rest could make it, or than the liquid is. What that takes away is lost.
static void bound_push(const rv_world *world, rv_body_work *w, const rv_body *body, double lift)
{
    if (!w->free || !(body->mass > 0)) return;
    rv_vec3 push = rv_scaled(w->drag, 1 / body->mass), turn = rv_apply(&w->light, w->drag_turn);
    const rv_body_state *now = &body->state;
    if (share_of_change(now->velocity, push, lift) >= 1 &&
        share_of_change(now->spin, turn, lift / body->reach) >= 1)
        return;
    rv_solver_stats liquid;
    world->api->measure(world->solver, &liquid);
    double most = fmax(lift, liquid.fastest);
    w->drag = rv_scaled(w->drag, share_of_change(now->velocity, push, most));
    w->drag_turn = rv_scaled(w->drag_turn, share_of_change(now->spin, turn, most / body->reach));
}

// What the solver gave them acts as drag does: an impulse, once in the substep.
void rv_world_take_impulses(rv_world *world, double dt)
{
    const double fastest = fastest_lift(world);
    rv_bodies *b = &world->bodies;
    const rv_params *p = &world->params;
    const rv_solver_body *from = world->carried, *end = from + world->carried_count;
    for (int i = 0; i < b->count && from < end; i++) {
        rv_body_work *w = &b->work[i];
        const rv_body *body = &b->body[i];
        if (!w->here) continue;
        double all = slices(world, body);
        rv_vec3 lift = rv_scaled(p->gravity, 0.0 - p->liquid_density); // N/m³
        lift = rv_scaled(rv_scaled(lift, body->state.submerged), dt);
        w->drag = rv_scaled(from->impulse, all);
        w->drag_turn = rv_scaled(from->twist, all);
        if (rv_dot(lift, lift) > 0) w->drag = release_all(world, body, &w->turn, w->drag, lift);
        bound_push(world, w, body, fastest);
        w->touches = true;
        from++;
    }
}

// ---- How much is submerged ----------------------------------------------------------------------

// Mean level of the liquid around a body, m; -INFINITY where there is none.
static double level_around(const rv_world *world, const rv_body *body)
{
    const rv_column_set *set = &world->columns;
    const rv_grid *g = &set->grid;
    rv_liquid view = rv_world_view(world);
    double far = body->reach + BESIDE * g->dx, sum = 0;
    int found = 0;
    for (int k = 0; k < AROUND; k++) {
        double turn = 2 * PI * k / AROUND;
        double px = body->state.at.x + far * (world->traits.in_plane ? 1 - k % 2 * 2 : cos(turn));
        double py = body->state.at.y + far * (world->traits.in_plane ? 0 : sin(turn));
        int x = (int)floor((px - g->x0) / g->dx), y = (int)floor((py - g->y0) / g->dx);
        if (x < 0 || y < 0 || x >= g->nx || y >= g->ny) continue;
        int l = rv_columns_below(set, x, y, body->state.at.z + body->reach);
        if (l < 0) continue;
        size_t slot = rv_slot(&set->plane[l], x, y);
        if (!(view.depth[slot] > 0)) continue;
        sum += (double)set->base[slot] + (double)view.depth[slot], found++;
    }
    return found > 0 ? sum / found : -INFINITY;
}

// Share of a sphere, in a plane of a disk, that is lower than h over its lowest point; in radii.
static double share_of_ball(double h, bool disk)
{
    if (h <= 0) return 0;
    if (h >= 2) return 1;
    if (disk) return (acos(1 - h) - (1 - h) * sqrt(h * (2 - h))) / PI;
    return h * h * (3 - h) / 4;
}

static double share_of_box(const rv_body *body, const rv_mat3 *turn, double level)
{
    enum { N = 6 };
    int below = 0;
    for (int i = 0; i < N * N * N; i++) {
        const double u = (i % N + 0.5) / N, v = (i / N % N + 0.5) / N, w = (i / N / N + 0.5) / N;
        rv_vec3 own = {(2 * u - 1) * body->half.x, (2 * v - 1) * body->half.y,
                       (2 * w - 1) * body->half.z};
        below += body->state.at.z + rv_apply(turn, own).z < level;
    }
    return (double)below / (N * N * N);
}

void rv_world_measure_bodies(rv_world *world)
{
    rv_bodies *b = &world->bodies;
    bool plane = world->traits.in_plane;
    for (int i = 0; i < b->count; i++) {
        rv_body *body = &b->body[i];
        if (!b->work[i].here) continue;
        double level = level_around(world, body), r = body->half.x, share = 0;
        if (isfinite(level) && body->def.shape == RV_BODY_SPHERE)
            share = share_of_ball((level - body->state.at.z) / r + 1, plane);
        else if (isfinite(level))
            share = share_of_box(body, &b->work[i].turn, level);
        body->state.submerged = share * body->volume;
    }
}
