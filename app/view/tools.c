// Pour, drill, add, throw, stir, paint. The stream falls on the surface under the mouse. A ball
// that drills stands out of the surface and sinks in at an even pace while the button is held, so
// that a click makes a dent and a long press a hole; one that adds grows out of it in the same way.
// A body is thrown from over the point where a drag began, level, in the drag's direction and the
// faster the longer it is. A rod that stirs follows the mouse in the plane through the point where
// it went in: a level one in columns, one that faces the viewer among particles. A wax pencil
// paints the bed along the mouse's way.
#include "app/view/tools.h"
#include "app/view/vectors.h"

#include "rivulet/pick.h"
#include "rivulet_gl/aim.h"

#include <math.h>

#define FIRST 0.5     // of the radius: how deep the ball goes at once
#define PACE 1.2      // radii a second, while the button is held
#define STEP_MAX 0.35 // of the radius, in one frame

#define LIFT 0.1     // of the scene's length: from how high over the surface a body is thrown
#define PULL 2.5     // of a throw: √(gravity / length) a second for each metre of the drag
#define PULL_MAX 0.8 // of the scene's length, a longer drag counts for this

#define ROD_FASTEST 4.0 // of √(gravity · length): a mouse that jumps leaves the rod behind
#define ROD_PLAIN 10.0  // lengths a second, where nothing falls

const char *const rv_tool_names[RV_TOOLS] = {"look",  "pour", "drill", "add",
                                             "throw", "stir", "paint"};

static double length_of(const rv_params *p)
{
    return p->grid_dx * (p->grid_nx > p->grid_ny ? p->grid_nx : p->grid_ny);
}

// To two digits, because people read it.
static double rounded(double value)
{
    double power = pow(10, floor(log10(value)) - 1);
    return round(value / power) * power;
}

void rv_tools_suit(rv_tools *t, const rv_params *p)
{
    double dx = p->grid_dx, length = length_of(p);
    t->radius_low = 0.5 * dx, t->radius_high = fmax(0.15 * length, 4 * dx);
    t->radius[RV_TOOL_LOOK] = t->radius[RV_TOOL_POUR] = rounded(fmax(0.018 * length, 1.5 * dx));
    t->radius[RV_TOOL_DRILL] = t->radius[RV_TOOL_ADD] = rounded(fmax(0.025 * length, 3 * dx));
    t->radius[RV_TOOL_THROW] = rounded(fmax(0.04 * length, 2 * dx));
    t->radius[RV_TOOL_STIR] = rounded(fmax(0.05 * length, 3 * dx));
    t->radius[RV_TOOL_PAINT] = rounded(fmax(0.02 * length, 2 * dx));
    // What floats in one scene floats in all: the density stays as it was set.
    if (!(t->body.density > 0)) {
        t->body = rv_default_body_def();
        t->body.restitution = 0.4;
    }
    // 5 ml/s on 20 cm. Of two scenes that look alike the flow goes with length^5/2, as gravity has
    // it.
    t->rate = rounded(5e-6 * pow(length / 0.2, 2.5));
    t->rate_low = t->rate / 50, t->rate_high = t->rate * 50;
    t->on = t->begun = t->over = false;
}

void rv_tools_nowhere(rv_tools *t)
{
    t->over = false;
}

// Where the ray meets the plane through a point. false: behind the viewer, or nowhere.
static bool meet_plane(const rv_ray *ray, rv_vec3 through, rv_vec3 normal, rv_vec3 *at)
{
    double along = rv_aim_dot(ray->toward, normal);
    double way = rv_aim_dot(rv_plus(through, ray->from, -1), normal);
    if (!(fabs(along) > 1e-3 * sqrt(rv_aim_dot(ray->toward, ray->toward))) || !(way / along > 0))
        return false;
    *at = rv_plus(ray->from, ray->toward, way / along);
    return true;
}

// From over the point of the drag's beginning, along the level plane through it; in a slice from
// that point, along the slice.
static void aim_throw(rv_tools *t, const rv_world *world, const rv_ray *ray)
{
    const rv_params *p = rv_world_params(world);
    bool slice = rv_scope_of(p) == RV_SCOPE_SLICE;
    double length = length_of(p), radius = t->radius[RV_TOOL_THROW];
    rv_vec3 plane = slice ? (rv_vec3){0, -1, 0} : (rv_vec3){0, 0, 1}, pull;
    if (!t->on) t->held = t->at;
    t->from = t->held, t->velocity = (rv_vec3){0};
    if (!slice) t->from.z += LIFT * length + 1.5 * radius;
    if (!t->on || !meet_plane(ray, t->held, plane, &pull)) return;
    pull = rv_plus(pull, t->held, -1);
    double far = sqrt(rv_aim_dot(pull, pull)), most = PULL_MAX * length;
    double pace = PULL * sqrt(rv_gravity_size(p) / length) * (far > most ? most / far : 1);
    t->velocity = (rv_vec3){pace * pull.x, pace * pull.y, pace * pull.z};
    if (slice)
        t->velocity.y = 0;
    else
        t->velocity.z = 0;
}

// Where the rod was put in, and from then on where the mouse is in the plane through that point.
static void aim_rod(rv_tools *t, const rv_pick *pick, const rv_ray *ray)
{
    if (!t->on) {
        t->held = t->at, t->facing = pick->plane;
        return;
    }
    t->over = meet_plane(ray, t->held, t->facing, &t->at);
    t->normal = t->facing;
}

void rv_tools_point(rv_tools *t, const rv_world *world, const rv_ray *ray)
{
    bool solid = t->tool == RV_TOOL_DRILL || t->tool == RV_TOOL_ADD || t->tool == RV_TOOL_PAINT;
    rv_pick pick;
    rv_world_pick(world, ray, solid, &pick);
    t->over = pick.over, t->at = pick.at, t->normal = pick.normal;
    if (t->tool == RV_TOOL_THROW) aim_throw(t, world, ray);
    if (t->tool == RV_TOOL_STIR) aim_rod(t, &pick, ray);
}

void rv_tools_begin(rv_tools *t)
{
    t->on = true, t->begun = false;
}

void rv_tools_end(rv_tools *t)
{
    t->on = t->begun = false;
}

void rv_tools_pour(rv_tools *t, rv_world *world, double dt)
{
    if (!t->on || !t->over || t->tool != RV_TOOL_POUR) return;
    // From as high over the surface as the stream is wide, so that it does not fall past a rise
    // into a hollow below, but never from over a roof.
    rv_vec3 from = t->at;
    rv_sample under;
    from.z += 0.25 * rv_world_params(world)->grid_dx;
    rv_world_sample(world, &from, 1, &under);
    double room = under.inside ? 0.9 * (under.ceiling - from.z) : 0;
    from.z += fmax(0, fmin(t->radius[RV_TOOL_POUR], room));
    t->poured += rv_world_pour(world, from, t->radius[RV_TOOL_POUR], t->rate * dt);
}

void rv_tools_stir(rv_tools *t, rv_world *world, double dt, int left)
{
    if (!t->on || !t->over || t->tool != RV_TOOL_STIR) return;
    const rv_params *p = rv_world_params(world);
    double length = length_of(p), free_fall = ROD_FASTEST * sqrt(rv_gravity_size(p) * length);
    double most = (free_fall > 0 ? free_fall : ROD_PLAIN * length) * dt;
    if (!t->begun) t->last = t->at;
    t->begun = true;
    rv_vec3 way = rv_plus(t->at, t->last, -1);
    double far = sqrt(rv_aim_dot(way, way)) / left, share = 1.0 / left;
    if (far > most) share *= most / far;
    rv_vec3 to = rv_plus(t->last, way, share);
    rv_world_stir(world, t->last, to, t->radius[RV_TOOL_STIR], dt);
    t->last = to;
}

bool rv_tools_paint(rv_tools *t, rv_world *world, rv_messages *messages)
{
    if (!t->on || !t->over || t->tool != RV_TOOL_PAINT) return false;
    double radius = t->radius[RV_TOOL_PAINT];
    rv_vec3 from = t->begun ? t->last : t->at, way = rv_plus(t->at, from, -1);
    // close enough for a stroke without gaps
    double far = sqrt(rv_aim_dot(way, way)), steps = fmin(ceil(far / (0.5 * radius)), 1000);
    for (double k = 1; k <= fmax(steps, 1); k++) {
        rv_vec3 at = rv_plus(from, way, steps > 0 ? k / steps : 1);
        if (rv_world_paint(world, at, radius, t->affinity) == RV_OK) continue;
        rv_messages_add(messages, "there is no bed of columns with surface tension to paint on");
        rv_tools_end(t);
        return false;
    }
    t->last = t->at, t->begun = true;
    return true;
}

bool rv_tools_work(rv_tools *t, rv_world *world, double seconds, rv_messages *messages)
{
    bool drills = t->tool == RV_TOOL_DRILL;
    if (t->tool == RV_TOOL_STIR || t->tool == RV_TOOL_PAINT) return false;
    if (!t->on || !t->over || (!drills && t->tool != RV_TOOL_ADD)) {
        t->begun = false;
        return false;
    }
    if (rv_scope_of(rv_world_params(world)) == RV_SCOPE_PANE) {
        rv_messages_add(messages, "nothing stands on a pane: there is no solid to %s",
                        drills ? "drill" : "add to");
        rv_tools_end(t);
        return false;
    }
    double radius = t->radius[t->tool];
    double deep = t->begun ? fmin(PACE * seconds, STEP_MAX) : FIRST;
    rv_vec3 now = rv_plus(t->at, t->normal, (drills ? 1 : -1) * (1 - deep) * radius);
    rv_solid_def ball = rv_default_solid_def();
    ball.shape = RV_SHAPE_SPHERE, ball.radius = radius;
    rv_event_def edit = rv_default_event_def();
    rv_vec3 path[2] = {t->begun ? t->last : now, now};
    edit.kind = drills ? RV_EVENT_CARVE : RV_EVENT_ADD;
    edit.tool = &ball, edit.tool_count = 1;
    edit.path = path, edit.path_count = t->begun ? 2 : 1;
    rv_edit_report report = {0};
    if (rv_world_edit(world, &edit, &report, messages) != RV_OK) {
        rv_tools_end(t);
        return false;
    }
    t->last = now, t->begun = true;
    return report.changed > 0 || report.bricks > 0;
}

// ---- Bodies -------------------------------------------------------------------------------------

// Inside the walls, and not in or over a roof. false: there is no room.
static bool fit_in(const rv_world *world, double radius, rv_vec3 held, rv_vec3 *from)
{
    const rv_params *p = rv_world_params(world);
    double half_x = 0.5 * p->grid_nx * p->grid_dx - radius;
    double half_y = 0.5 * p->grid_ny * p->grid_dx - radius;
    bool slice = rv_scope_of(p) == RV_SCOPE_SLICE;
    if (!(half_x > 0) || (!slice && !(half_y > 0))) return false;
    from->x = fmin(fmax(from->x, p->grid_x - half_x), p->grid_x + half_x);
    if (slice) {
        from->y = p->grid_y;
        from->z = fmin(fmax(from->z, p->grid_bottom + radius), p->grid_top - radius);
        return from->z >= p->grid_bottom + radius;
    }
    from->y = fmin(fmax(from->y, p->grid_y - half_y), p->grid_y + half_y);
    rv_sample under;
    held.z += 0.25 * p->grid_dx;
    rv_world_sample(world, &held, 1, &under);
    bool roof = under.inside && under.ceiling < p->grid_top - 1e-3 * p->grid_dx;
    if (roof) from->z = fmin(from->z, under.ceiling - radius);
    return from->z >= held.z + (roof ? radius : 0);
}

int rv_tools_throw(rv_tools *t, rv_world *world, rv_messages *messages)
{
    rv_body_def body = t->body;
    double r = t->radius[RV_TOOL_THROW];
    int number = rv_world_body_count(world), index = -1;
    rv_tools_end(t);
    if (rv_scope_of(rv_world_params(world)) == RV_SCOPE_PANE) {
        rv_messages_add(messages, "a pane has no bodies: nothing is thrown");
        return -1;
    }
    body.at = t->from, body.velocity = t->velocity;
    body.radius = r, body.size = (rv_vec3){2 * r, 1.6 * r, 1.3 * r};
    // So dense, so it looks.
    body.material = body.density < 800    ? RV_MATERIAL_WOOD
                    : body.density < 2500 ? RV_MATERIAL_PLAIN
                                          : RV_MATERIAL_STEEL;
    // It rolls in the air as it will on the ground, and no two lie alike.
    body.spin = (rv_vec3){-0.5 * t->velocity.y / r, 0.5 * t->velocity.x / r, 0};
    body.rotate = (rv_vec3){0.7 * number + 0.4, 1.1 * number + 0.3, 0};
    if (rv_scope_of(rv_world_params(world)) == RV_SCOPE_SLICE) body.rotate.x = 0;
    if (!fit_in(world, r, t->held, &body.at)) {
        rv_messages_add(messages, "there is no room for a body of that size here");
        return -1;
    }
    return rv_world_add_body(world, &body, &index, messages) == RV_OK ? index : -1;
}

int rv_tools_clear(rv_world *world)
{
    int gone = 0;
    for (int n = 0; n < rv_world_body_count(world); n++)
        gone += rv_world_remove_body(world, n) == RV_OK;
    return gone;
}

rv_mark rv_tools_mark(const rv_tools *t)
{
    static const float rgb[RV_TOOLS][3] = {
        {1, 1, 1},        {0.35f, 0.75f, 1}, {1, 0.55f, 0.2f}, {0.45f, 0.95f, 0.45f},
        {1, 0.9f, 0.35f}, {0.85f, 0.6f, 1},  {1, 0.98f, 0.85f}};
    rv_mark mark = {.shown = t->over && t->tool != RV_TOOL_LOOK,
                    .at = t->at,
                    .normal = t->normal,
                    .radius = t->radius[t->tool]};
    // What will be thrown is shown where it starts, and turned to where it goes.
    double speed = sqrt(rv_aim_dot(t->velocity, t->velocity));
    if (t->tool == RV_TOOL_THROW && t->on) mark.shown = true, mark.at = t->from;
    if (t->tool == RV_TOOL_THROW && t->on && speed > 0)
        mark.normal =
            (rv_vec3){t->velocity.x / speed, t->velocity.y / speed, t->velocity.z / speed};
    for (int i = 0; i < 3; i++) mark.rgb[i] = rgb[t->tool][i] * (t->on ? 1.0f : 0.8f);
    return mark;
}
