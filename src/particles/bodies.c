// Bodies among particles: where they are on the grid, joined to the terrain's distance in every
// substep (solids.c); what the pressure gives them, in the wide form once the grid has it, in the
// narrow one found together with it.
#include "particles/solids.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

// ---- A body -------------------------------------------------------------------------------------

// From the body's middle to a place, in the plane of form 2d.
static void from_middle(const rv_splat *s, const rv_solver_body *b, rv_vec3 p, double r[3])
{
    r[0] = p.x - b->at.x, r[1] = s->grid.up == 1 ? 0 : p.y - b->at.y, r[2] = p.z - b->at.z;
}

double rv_splat_body_distance(const rv_splat *s, const rv_solver_body *b, rv_vec3 p)
{
    double r[3], outside = 0, inside = -INFINITY;
    from_middle(s, b, p, r);
    if (b->shape == RV_BODY_SPHERE)
        return sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]) - b->radius;
    const double half[3] = {b->half.x, b->half.y, b->half.z};
    for (int k = 0; k < 3; k++) {
        double along = r[0] * b->axes[k][0] + r[1] * b->axes[k][1] + r[2] * b->axes[k][2];
        double over = fabs(along) - half[k];
        if (over > 0) outside += over * over;
        inside = fmax(inside, over);
    }
    return outside > 0 ? sqrt(outside) : inside;
}

// Velocity of a body at a place, m/s, along the grid's axes.
void rv_splat_body_velocity(const rv_splat *s, const rv_solver_body *b, rv_vec3 p, float out[3])
{
    double r[3];
    from_middle(s, b, p, r);
    double v[3] = {b->velocity.x + b->spin.y * r[2] - b->spin.z * r[1],
                   b->velocity.y + b->spin.z * r[0] - b->spin.x * r[2],
                   b->velocity.z + b->spin.x * r[1] - b->spin.y * r[0]};
    for (int w = 0; w < 3; w++)
        if (s->axis_of[w] >= 0) out[s->axis_of[w]] = (float)v[w];
}

// An impulse (N s, along the grid's axes) at a place.
void rv_splat_push_body(const rv_splat *s, rv_solver_body *b, rv_vec3 p, const double push[3])
{
    double r[3], f[3] = {0};
    from_middle(s, b, p, r);
    for (int w = 0; w < 3; w++)
        if (s->axis_of[w] >= 0) f[w] = push[s->axis_of[w]];
    b->impulse.x += f[0], b->impulse.y += f[1], b->impulse.z += f[2];
    b->twist.x += r[1] * f[2] - r[2] * f[1];
    b->twist.y += r[2] * f[0] - r[0] * f[2];
    b->twist.z += r[0] * f[1] - r[1] * f[0];
}

// Cells around a body that may feel it.
rv_splat_box rv_splat_body_box(const rv_splat *s, const rv_solver_body *b)
{
    double size = b->radius;
    if (b->shape != RV_BODY_SPHERE)
        size = sqrt(b->half.x * b->half.x + b->half.y * b->half.y + b->half.z * b->half.z);
    const double at[3] = {b->at.x, b->at.y, b->at.z};
    rv_splat_box box = {{0, 0, 0},
                        {s->grid.n[0], s->grid.n[1], s->grid.axes == 3 ? s->grid.n[2] : 1}};
    for (int w = 0; w < 3; w++) {
        int c = s->axis_of[w];
        if (c < 0) continue;
        double middle = (at[w] - s->low[c]) / s->dx, wide = size / s->dx + s->law.reach + 2;
        box.low[c] = (int)fmin(fmax(middle - wide, 0), s->grid.n[c]);
        box.high[c] = (int)fmin(fmax(middle + wide + 1, 0), s->grid.n[c]);
    }
    return box;
}

// ---- Bodies on the grid -------------------------------------------------------------------------

typedef void on_cells(rv_splat *s, int a, int b, int x0, int x1, int body);

static void over_box(rv_splat *s, const rv_splat_box *box, on_cells *each, int body)
{
    for (int b = box->low[2]; b < box->high[2]; b++)
        for (int a = box->low[1]; a < box->high[1]; a++)
            each(s, a, b, box->low[0], box->high[0], body);
}

static void put_back(rv_splat *s, int a, int b, int x0, int x1, int body)
{
    (void)body;
    for (int x = x0; x < x1; x++) {
        size_t slot = rv_splat_slot(&s->grid, x, a, b);
        s->solid[slot] = s->still[slot];
    }
}

static void join_body(rv_splat *s, int a, int b, int x0, int x1, int body)
{
    for (int x = x0; x < x1; x++) {
        const double at[3] = {x + 0.5, a + 0.5, b + 0.5};
        size_t slot = rv_splat_slot(&s->grid, x, a, b);
        float d =
            (float)(rv_splat_body_distance(s, &s->body[body], rv_splat_world_place(s, at)) / s->dx);
        if (d < s->solid[slot]) s->solid[slot] = d;
    }
}

static void derive_body(rv_splat *s, int a, int b, int x0, int x1, int body)
{
    (void)body;
    rv_splat_derive_row(s, a, b, x0, x1);
}

static void near_body(rv_splat *s, int a, int b, int x0, int x1, int body)
{
    for (int x = x0; x < x1; x++) {
        size_t slot = rv_splat_slot(&s->grid, x, a, b);
        const double at[3] = {x + 0.5, a + 0.5, b + 0.5};
        float reach = s->narrow ? RV_SPLAT_FELT + 1.0f : RV_SPLAT_BESIDE;
        if (!(s->solid[slot] < reach) || s->solid[slot] >= s->still[slot]) continue;
        float d =
            (float)(rv_splat_body_distance(s, &s->body[body], rv_splat_world_place(s, at)) / s->dx);
        if (d > s->solid[slot]) continue;
        if (s->narrow)
            rv_splat_add_skin(s, x, a, b, body);
        else
            rv_splat_add_wall(s, slot, body);
    }
}

// What the liquid gave a body in the last substep.
static void clear_given(rv_solver_body *b)
{
    b->impulse = b->twist = (rv_vec3){0, 0, 0};
    b->submerged = 0;
}

// Puts the bodies onto the grid as they are now, in place of where they were.
void rv_splat_place_bodies(rv_splat *s)
{
    if (s->grid.up < 0) { // they are no solids there, but float: floating.c
        for (int i = 0; i < s->body_count; i++) clear_given(&s->body[i]);
        return;
    }
    if (s->body_count == 0 && s->box_count == 0) return;
    for (int i = 0; i < s->box_count; i++) over_box(s, &s->boxes[i], put_back, i);
    int old = s->box_count,
        count = s->body_count < RV_SPLAT_BODIES ? s->body_count : RV_SPLAT_BODIES;
    rv_splat_box before[RV_SPLAT_BODIES];
    memcpy(before, s->boxes, sizeof before);
    s->box_count = count, s->near_count = s->near_still;
    for (int i = 0; i < count; i++) s->boxes[i] = rv_splat_body_box(s, &s->body[i]);
    for (int i = 0; i < count; i++) over_box(s, &s->boxes[i], join_body, i);
    rv_splat_spread_edges(s);
    for (int i = 0; i < old; i++) over_box(s, &before[i], derive_body, i);
    for (int i = 0; i < count; i++) over_box(s, &s->boxes[i], derive_body, i);
    rv_splat_spread_shares(s);
    for (int i = 0; i < count; i++) over_box(s, &s->boxes[i], near_body, i);
    for (int i = 0; i < s->body_count; i++) clear_given(&s->body[i]);
    s->any_solid = s->any_still || count > 0;
}

// Share of a cell that a solid takes, as a ramp over its surface that differences can be taken of.
static double solid_share(float distance)
{
    return fmin(fmax(0.5 - 0.5 * (double)distance, 0), 1);
}

// What an impulse against gravity in this substep lifts, as a volume, by the grid's axes: m³/(N s).
static void lift_along(const rv_splat *s, double out[3])
{
    const rv_vec3 g = s->params.gravity;
    const double pull[3] = {g.x, g.y, g.z};
    double size = rv_gravity_size(&s->params), weight = s->params.liquid_density * size * s->dt;
    out[0] = out[1] = out[2] = 0;
    for (int world = 0; world < 3; world++)
        if (s->axis_of[world] >= 0 && weight > 0)
            out[s->axis_of[world]] = (0.0 - pull[world]) / size * (1 / weight);
}

// Pressure on a body: ρ Σ P ∇(share) dx³. What it lifts, as a volume of liquid, is what is
// submerged.
static void press_body(rv_splat *s, int a, int b, int x0, int x1, int body)
{
    const rv_splat_grid *g = &s->grid;
    const size_t step[3] = {1, g->pitch, g->layer};
    double cell = s->dx * s->dx * s->dx;
    double scale = s->params.liquid_density * cell / (2 * s->dx) * s->dt;
    double lift[3];
    lift_along(s, lift);
    for (int x = x0; x < x1; x++) {
        size_t slot = rv_splat_slot(g, x, a, b);
        float d = s->solid[slot];
        if (!(d < 2.0f) || d >= s->still[slot]) continue;
        if (!(d > -2.0f) || !(s->f.weight[slot] > RV_SPLAT_TINY)) continue;
        double push[3] = {0}, pressure = (double)s->f.pressure[slot];
        for (int c = 0; c < g->axes; c++)
            push[c] =
                scale * pressure *
                (solid_share(s->solid[slot + step[c]]) - solid_share(s->solid[slot - step[c]]));
        const double at[3] = {x + 0.5, a + 0.5, b + 0.5};
        rv_splat_push_body(s, &s->body[body], rv_splat_world_place(s, at), push);
        for (int c = 0; c < g->axes; c++) s->body[body].submerged += push[c] * lift[c];
    }
}

void rv_splat_press_boxes(rv_splat *s)
{
    for (int i = 0; i < s->box_count && i < s->body_count; i++)
        over_box(s, &s->boxes[i], press_body, i);
    for (int i = 0; i < s->body_count; i++) s->body[i].submerged = fmax(s->body[i].submerged, 0);
}

// ---- Bodies of the narrow form ------------------------------------------------------------------

// How the pressure as it is changes each body's velocity: what it will be at the end of the
// substep, from that the liquid is asked to make room for. A body that is lighter than the liquid
// it would drag along is led there in smaller steps.
static void lead_body(rv_splat *s, int i, const double impulse[3], double *off)
{
    const rv_solver_body *b = &s->body[i];
    double volume = b->shape == RV_BODY_SPHERE ? 4.0 / 3.0 * PI * b->radius * b->radius * b->radius
                                               : 8 * b->half.x * b->half.y * b->half.z;
    if (s->grid.up == 1)
        volume = s->dx * (b->shape == RV_BODY_SPHERE ? PI * b->radius * b->radius
                                                     : 4 * b->half.x * b->half.z);
    double share = b->mass / (b->mass + s->params.liquid_density * volume);
    const double own[3] = {b->velocity.x, b->velocity.y, b->velocity.z};
    for (int w = 0; w < 3; w++) {
        int c = s->axis_of[w];
        if (c < 0) continue;
        double fall = (double)s->narrow_law.fall[c];
        double change = own[w] + fall + impulse[c] / b->mass - s->led[i][c];
        s->led[i][c] += share * change;
        *off = fmax(*off, fabs(share * change));
    }
}

// Velocity that a body's skin has at a cell, along the grid's axes.
static void skin_velocity(const rv_splat *s, const rv_splat_near *n, float out[3])
{
    rv_solver_body b = s->body[n->body];
    double at[3];
    const double *led = s->led[n->body];
    rv_splat_cell_of(&s->grid, n->slot, at);
    for (int w = 0; w < 3; w++)
        if (s->axis_of[w] >= 0)
            *(w == 0 ? &b.velocity.x : w == 1 ? &b.velocity.y : &b.velocity.z) = led[s->axis_of[w]];
    rv_splat_body_velocity(s, &b, rv_splat_world_place(s, at), out);
}

// What a body asks of the liquid in one of its cells, to make room for it, m/s.
float rv_splat_skin_asks(const rv_splat *s, const rv_splat_near *n)
{
    float v[3] = {0}, sum = 0.0f;
    skin_velocity(s, n, v);
    for (int c = 0; c < s->grid.axes; c++) sum += v[c] * n->normal[c];
    return sum;
}

// Asks the liquid around bodies to make room for them, or takes that back.
static void ask_skins(rv_splat *s, float sign)
{
    for (size_t i = 0; i < s->near_count; i++)
        if (s->near[i].body >= 0)
            s->f.dense[s->near[i].slot] += sign * rv_splat_skin_asks(s, &s->near[i]);
}

// Bodies are led from the velocities that they have.
void rv_splat_start_leads(rv_splat *s)
{
    int count = s->body_count < RV_SPLAT_BODIES ? s->body_count : RV_SPLAT_BODIES;
    for (int i = 0; i < count; i++) {
        const double v[3] = {s->body[i].velocity.x, s->body[i].velocity.y, s->body[i].velocity.z};
        for (int w = 0; w < 3; w++)
            if (s->axis_of[w] >= 0) s->led[i][s->axis_of[w]] = v[w];
    }
}

void rv_splat_begin_bodies(rv_splat *s)
{
    rv_splat_start_leads(s);
    ask_skins(s, 1.0f);
}

// Leads the bodies by the pressure as it is. Returns how far their velocities still are from what
// it makes them, m/s.
double rv_splat_lead(rv_splat *s)
{
    double impulse[RV_SPLAT_BODIES][3] = {{0}}, off = 0;
    double mass = s->params.liquid_density * s->dx * s->dx * s->dx;
    int count = s->body_count < RV_SPLAT_BODIES ? s->body_count : RV_SPLAT_BODIES;
    for (size_t i = 0; i < s->near_count; i++) {
        const rv_splat_near *n = &s->near[i];
        for (int c = 0; c < s->grid.axes && n->body >= 0; c++)
            impulse[n->body][c] -= mass * (double)s->f.pressure[n->slot] * (double)n->normal[c];
    }
    for (int i = 0; i < count; i++)
        if (s->body[i].mass > 0) lead_body(s, i, impulse[i], &off);
    return off;
}

double rv_splat_lead_bodies(rv_splat *s)
{
    ask_skins(s, -1.0f);
    double off = rv_splat_lead(s);
    ask_skins(s, 1.0f);
    return off;
}

// What the pressure gave the bodies. What lifts one, as a volume of liquid, is what is submerged.
void rv_splat_press_bodies(rv_splat *s)
{
    double mass = s->params.liquid_density * s->dx * s->dx * s->dx;
    double lift[3];
    lift_along(s, lift);
    for (size_t i = 0; i < s->near_count; i++) {
        const rv_splat_near *n = &s->near[i];
        double push[3] = {0}, at[3];
        if (n->body < 0) continue;
        for (int c = 0; c < s->grid.axes; c++)
            push[c] = -mass * (double)s->f.pressure[n->slot] * (double)n->normal[c];
        rv_splat_cell_of(&s->grid, n->slot, at);
        rv_splat_push_body(s, &s->body[n->body], rv_splat_world_place(s, at), push);
        for (int c = 0; c < s->grid.axes && s->grid.up >= 0; c++)
            s->body[n->body].submerged += push[c] * lift[c];
    }
    for (int i = 0; i < s->body_count; i++) s->body[i].submerged = fmax(s->body[i].submerged, 0);
}
