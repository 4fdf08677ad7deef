// Pour, drill, add. The stream falls on the surface under the mouse. A ball that drills stands out
// of the surface and sinks in at an even pace while the button is held, so that a click makes a
// dent and a long press a hole; one that adds grows out of it in the same way.
#include "app/view/tools.h"

#include "app/view/aim.h"

#include <math.h>

#define FIRST 0.5     // of the radius: how deep the ball goes at once
#define PACE 1.2      // radii a second, while the button is held
#define STEP_MAX 0.35 // of the radius, in one frame

const char *const rv_tool_names[RV_TOOLS] = {"look", "pour", "drill", "add"};

// To two digits, because people read it.
static double rounded(double value)
{
    double power = pow(10, floor(log10(value)) - 1);
    return round(value / power) * power;
}

void rv_tools_suit(rv_tools *t, const rv_params *p)
{
    double dx = p->grid_dx, length = dx * (p->grid_nx > p->grid_ny ? p->grid_nx : p->grid_ny);
    t->radius_low = 0.5 * dx, t->radius_high = fmax(0.15 * length, 4 * dx);
    t->radius[RV_TOOL_LOOK] = t->radius[RV_TOOL_POUR] = rounded(fmax(0.018 * length, 1.5 * dx));
    t->radius[RV_TOOL_DRILL] = t->radius[RV_TOOL_ADD] = rounded(fmax(0.025 * length, 3 * dx));
    // 5 ml/s on 20 cm. Of two scenes that look alike the flow goes with length^5/2, as gravity has
    // it.
    t->rate = rounded(5e-6 * pow(length / 0.2, 2.5));
    t->rate_low = t->rate / 50, t->rate_high = t->rate * 50;
    t->on = t->begun = t->over = false;
}

void rv_tools_nowhere(rv_tools *t)
{
    t->over = false;
    t->hit = (rv_hit){0};
}

void rv_tools_point(rv_tools *t, const rv_world *world, const rv_ray *ray)
{
    rv_world_cast(world, ray, 1, &t->hit);
    bool liquid = t->hit.liquid && t->hit.liquid_distance <= t->hit.terrain_distance &&
                  t->tool != RV_TOOL_DRILL && t->tool != RV_TOOL_ADD;
    t->over = liquid || t->hit.terrain;
    t->at = liquid ? t->hit.liquid_point : t->hit.terrain_point;
    t->normal = liquid ? t->hit.liquid_normal : t->hit.terrain_normal;
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

bool rv_tools_work(rv_tools *t, rv_world *world, double seconds, rv_messages *messages)
{
    bool drills = t->tool == RV_TOOL_DRILL;
    if (!t->on || !t->over || (!drills && t->tool != RV_TOOL_ADD)) {
        t->begun = false;
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

rv_mark rv_tools_mark(const rv_tools *t)
{
    static const float rgb[RV_TOOLS][3] = {
        {1, 1, 1}, {0.35f, 0.75f, 1}, {1, 0.55f, 0.2f}, {0.45f, 0.95f, 0.45f}};
    rv_mark mark = {.shown = t->over && t->tool != RV_TOOL_LOOK,
                    .at = t->at,
                    .normal = t->normal,
                    .radius = t->radius[t->tool]};
    for (int i = 0; i < 3; i++) mark.rgb[i] = rgb[t->tool][i] * (t->on ? 1.0f : 0.8f);
    return mark;
}
