// Drops that run down and fall.
//
// The solid holds a drop along its foot, of width 2a, by the difference of the tension at its upper
// and lower rim: 2a γ (cos θ_receding - cos θ_advancing) (Furmidge 1962), times what the place has
// of it. It starts when its weight along the solid is more; running, it is held by dew.kinetic of
// that and slowed by dew.drag, which is solved exactly over a step. It turns toward the pull over a
// way of its own radius, and a little to the side that holds it less.
#include "base/noise.h"
#include "dew/dew.h"

#define PIECES_MOST 96  // of a way in a step
#define ASIDE 0.9       // how much what holds less to one side draws it there
#define HOLDS_SHARE 0.5 // of what holds: as large as a droplet that is left behind may be
#define TATE 1.0        // of its rim times tension that keeps a hanging drop

enum { KEY_LEFT = 73 };

// What the place has of the mean hold.
static double hold_at(const rv_params *p, rv_vec3 at)
{
    double s = 1 / p->dew_spots;
    rv_vec3 q = {at.x * s, at.y * s, at.z * s}, r = {2.3 * q.x, 2.3 * q.y, 2.3 * q.z};
    uint32_t seed = (uint32_t)p->seed;
    return 1 + p->dew_uneven * (0.7 * rv_noise(q, seed) + 0.3 * rv_noise(r, seed + 1));
}

static double mean_hold(const rv_dew *dew, const rv_params *p, const rv_dew_drop *d, double radius)
{
    double force = 2 * radius * p->liquid_tension * dew->foot[d->set].difference;
    return force / (p->liquid_density * d->volume);
}

// m/s²: how much of a pull along the solid holds a drop, at rest.
static double hold_of(const rv_dew *dew, const rv_params *p, const rv_dew_drop *d, double radius)
{
    return mean_hold(dew, p, d, radius) * hold_at(p, d->at);
}

static rv_vec3 across(rv_vec3 a, rv_vec3 normal)
{
    return rv_dew_along(a, normal, -rv_dew_dot(a, normal));
}

static bool make_unit(rv_vec3 *a)
{
    double size = rv_dew_length(*a);
    if (!(size > 0)) return false;
    *a = (rv_vec3){a->x / size, a->y / size, a->z / size};
    return true;
}

static double chance(const rv_dew *dew, const rv_params *p, uint32_t draw)
{
    return rv_chance(p->seed, rv_scramble(((uint64_t)dew->left << 8) + KEY_LEFT), draw);
}

// Whether a place is over the grid; else the drop ran off it, or stops at a wall.
static bool is_over(const rv_params *p, rv_vec3 *at)
{
    double x = 0.5 * p->grid_nx * p->grid_dx, y = 0.5 * p->grid_ny * p->grid_dx;
    double left = at->x - p->grid_x, up = at->y - p->grid_y;
    bool gone = (left < -x && p->border_west == RV_BORDER_OPEN) ||
                (left > x && p->border_east == RV_BORDER_OPEN) ||
                (up < -y && p->border_south == RV_BORDER_OPEN) ||
                (up > y && p->border_north == RV_BORDER_OPEN);
    double in = 1 - 1e-6;
    at->x = p->grid_x + fmin(fmax(left, -x * in), x * in);
    at->y = p->grid_y + fmin(fmax(up, -y * in), y * in);
    return !gone;
}

// ---- Running ------------------------------------------------------------------------------------

// Which way to run on: toward the pull, and a little to where less holds it.
static rv_vec3 wanted(const rv_params *p, const rv_dew_drop *d, rv_vec3 pull, double radius)
{
    rv_vec3 n = d->normal;
    rv_vec3 side = {n.y * pull.z - n.z * pull.y, n.z * pull.x - n.x * pull.z,
                    n.x * pull.y - n.y * pull.x};
    rv_vec3 ahead = rv_dew_along(d->at, pull, 1.5 * radius);
    double left = hold_at(p, rv_dew_along(ahead, side, 1.2 * radius));
    double right = hold_at(p, rv_dew_along(ahead, side, -1.2 * radius));
    rv_vec3 way = rv_dew_along(pull, side, ASIDE * (right - left));
    make_unit(&way);
    return way;
}

// Leaves a droplet behind a drop that runs along `way`.
static void leave(rv_dew *dew, const rv_dew_place *place, int i, rv_vec3 way)
{
    const rv_params *p = place->params;
    rv_dew_drop *d = &dew->drop[i];
    double gap = p->dew_spacing * dew->radius[i] * (0.5 + chance(dew, p, 0));
    if (!(p->dew_residual > 0) || d->way < gap) return;
    rv_dew_drop behind = *d;
    double size = chance(dew, p, 1); // many small ones, few large: 1 in the mean
    behind.volume = d->volume * p->dew_residual * (0.1 + 2.7 * size * size);
    behind.way = 0, behind.velocity = (rv_vec3){0, 0, 0};
    double shape = dew->foot[d->set].shape, a = rv_cube_root(behind.volume / shape);
    // not more than stays where it is
    double pull = rv_dew_length(across(p->gravity, d->normal));
    double hold = hold_of(dew, p, &behind, a);
    dew->left++, d->way = 0;
    if (hold < pull * 1.1) return;
    behind.at = rv_dew_along(d->at, way, -1.08 * (dew->radius[i] + a));
    if (!rv_dew_settle(place->terrain, 0.5 * p->grid_dx, &behind.at, &behind.normal)) return;
    behind.set = rv_terrain_angles_near(place->terrain, behind.at);
    if (rv_dew_add(dew, &behind) < 0) return;
    rv_dew_set_volume(dew, i, d->volume - behind.volume);
}

// One piece of its way; false: it has no solid under it any more, or is gone.
static bool run_piece(const rv_dew_place *place, rv_dew_drop *d, rv_vec3 way, double piece)
{
    const rv_params *p = place->params;
    rv_vec3 to = rv_dew_along(d->at, way, piece), normal;
    if (!is_over(p, &to)) {
        d->form = RV_DEW_GONE;
        return false;
    }
    if (!rv_dew_settle(place->terrain, 0.75 * p->grid_dx, &to, &normal)) {
        d->form = RV_DEW_FALLS;
        return false;
    }
    d->at = to, d->normal = normal;
    return true;
}

static void run_way(rv_dew *dew, const rv_dew_place *place, int i, double speed, double way)
{
    const rv_params *p = place->params;
    rv_dew_drop *d = &dew->drop[i];
    rv_vec3 going = d->velocity;
    bool runs = make_unit(&going);
    for (int k = 0; k < PIECES_MOST && way > 0; k++) {
        double radius = dew->radius[i], piece = fmin(way, 0.5 * fmin(radius, p->grid_dx));
        rv_vec3 pull = across(p->gravity, d->normal);
        if (!make_unit(&pull)) break;
        rv_vec3 want = wanted(p, d, pull, radius);
        double turn = runs ? fmin(piece / fmax(radius, 1e-9), 1) : 1;
        going = runs ? across(rv_dew_along(going, rv_dew_along(want, going, -1), turn), d->normal)
                     : want;
        if (!make_unit(&going)) going = want;
        runs = true;
        if (!run_piece(place, d, going, piece)) break;
        going = across(going, d->normal);
        if (!make_unit(&going)) break;
        way -= piece, d->way += piece;
        leave(dew, place, i, going);
    }
    d->velocity = (rv_vec3){going.x * speed, going.y * speed, going.z * speed};
    if (d->form == RV_DEW_SITS) d->set = rv_terrain_angles_near(place->terrain, d->at);
    rv_dew_set_volume(dew, i, d->volume); // the foot may be another there
}

// A drop that sits: whether it runs on or starts, how fast, and how far in this step.
static void run_one(rv_dew *dew, const rv_dew_place *place, int i)
{
    const rv_params *p = place->params;
    rv_dew_drop *d = &dew->drop[i];
    double pull = rv_dew_length(across(p->gravity, d->normal)), dt = place->dt;
    double off = rv_dew_dot(p->gravity, d->normal), a = dew->radius[i];
    double keeps = TATE * 2 * RV_PI * a * p->liquid_tension / (p->liquid_density * d->volume);
    if (off > keeps) { // it hangs, and is too heavy
        d->at = rv_dew_along(d->at, d->normal, a);
        d->form = RV_DEW_FALLS, d->velocity = (rv_vec3){0, 0, 0};
        rv_dew_set_volume(dew, i, d->volume);
        return;
    }
    double speed = rv_dew_length(d->velocity);
    // most are far from running: what the place has of the hold need not be known then
    double least = mean_hold(dew, p, d, a) * (1 - p->dew_uneven) * (1 - 1e-9);
    if (!(speed > 0) && !(pull > least)) return;
    double hold = hold_of(dew, p, d, a) * (speed > 0 ? p->dew_kinetic : 1);
    if (!(speed > 0) && !(pull > hold)) return;
    double force = pull - hold, kept = rv_decay(p->dew_drag * dt);
    double end = p->dew_drag > 0 ? force / p->dew_drag : 0;
    double now = p->dew_drag > 0 ? end + (speed - end) * kept : speed + force * dt;
    // a drop that comes to rest on its way stays there: friction does not turn it round
    double way = fmax(0.5 * (speed + fmax(now, 0)) * dt, 0);
    if (!(now > 1e-6)) now = 0;
    run_way(dew, place, i, now, way);
}

// ---- Falling ------------------------------------------------------------------------------------

static void fall_one(rv_dew *dew, const rv_dew_place *place, int i)
{
    const rv_params *p = place->params;
    rv_dew_drop *d = &dew->drop[i];
    rv_vec3 g = p->gravity, from = d->at, v = rv_dew_along(d->velocity, g, 0.5 * place->dt);
    rv_vec3 to = rv_dew_along(from, v, place->dt), along = rv_dew_along(to, from, -1);
    double far = rv_dew_length(along);
    d->velocity = rv_dew_along(d->velocity, g, place->dt);
    if (!make_unit(&along)) return;
    double met = (double)rv_terrain_distance(place->terrain, from) > 0
                     ? rv_terrain_cast(place->terrain, from, along)
                     : 0;
    if (met <= far || to.z <= p->grid_bottom) {
        rv_vec3 at = rv_dew_along(from, along, fmin(met, far));
        double volume = d->volume;
        at.z = fmax(at.z, p->grid_bottom);
        *d = rv_dew_sitting(place->terrain, at, volume);
        rv_dew_set_volume(dew, i, volume);
        return;
    }
    if (!is_over(p, &to)) d->form = RV_DEW_GONE;
    d->at = to;
}

void rv_dew_run(rv_dew *dew, const rv_dew_place *place)
{
    int count = dew->count; // those that are left behind do not run yet
    for (int i = 0; i < count; i++) {
        if (!(dew->drop[i].volume > 0)) continue; // all of it evaporated
        if (dew->drop[i].form == RV_DEW_FALLS)
            fall_one(dew, place, i);
        else if (dew->drop[i].form == RV_DEW_SITS)
            run_one(dew, place, i);
    }
}
