// What the liquid does to bodies, and they to it. docs/bodies.md has the whole account.
//
// In a column of own level h a body displaces s: the mean over its chords of clamp(e - low, 0, high
// - low), and the head of the column becomes E = h + s, which is what the liquid flows by. If e
// were E, then under a body that covers the column E would have no bound: the body is a lid. So e =
// θ E + (1 - θ) Ē, with Ē the level around the body: at rest E = Ē and nothing is lost, and in
// motion the lid is a stiff spring,
//     E = Ē + (h - low) / (1 - θ),   1/(1 - θ) = 1 + RV_BODY_STIFFNESS.
//
// The body feels the pressure: up ρ g clamp(E - low, 0, high - low) on each chord's area, sideways
// ρ g dx ½(s_i + s_j)(E_i - E_j) between neighbouring columns. On a level bed the sum of the latter
// is, up to sign, what its heads do to the liquid; so the two exchange momentum and make none.
#include "bodies/bodies.h"

#define PI 3.14159265358979323846
#define SHARE (RV_BODY_STIFFNESS / (1 + RV_BODY_STIFFNESS)) // θ
#define NEWTON_MOST 40

// Spin drag over that of a plate of the same size: a sphere has only its skin.
#define SPIN_DRAG_SPHERE 0.05
#define SPIN_DRAG_BOX 0.5

// Share of the blow that reaches the surface; the rest is lost under it. Tuned against energy: from
// a half on a tank can gain some from a ball that drops in.
#define SLAM 0.33

typedef struct work {
    rv_bodies *bodies;
    const rv_surroundings *around;
    const rv_body_liquid *liquid;
    double dt; // s
} work;

static double clamp(double x, double high)
{
    return x < 0 ? 0 : x > high ? high : x;
}

// ---- Levels -------------------------------------------------------------------------------------

// What one body displaces in a column with total level E, as a height over the cell; *crossed: the
// share of the cell in which the surface cuts the body.
static inline double displaced(const rv_bodies *bodies, const rv_cover *c, double level,
                               float *crossed)
{
    const rv_body_work *w = &bodies->work[c->body];
    double e = SHARE * level + w->calm, sum = 0;
    int cut = 0;
    *crossed = 0;
    if (e <= c->low) return 0;
    if (e >= c->high || c->count == 0) return w->share * c->length;
    for (const rv_chord *k = bodies->chord + c->first, *end = k + c->count; k < end; k++) {
        sum += clamp(e - k->low, k->high - k->low);
        cut += e > k->low && e < k->high;
    }
    *crossed = (float)(w->share * cut);
    return w->share * sum;
}

// E of a column: E - s(E) = h, by Newton's steps in a bracket; s rises by less than E does.
static double solve_level(const rv_bodies *bodies, int first, double own, double guess)
{
    double low = own, high = INFINITY, level = rv_greater(guess, own);
    for (int n = 0; n < NEWTON_MOST; n++) {
        double sum = 0, slope = 1;
        float crossed;
        for (int k = first; k >= 0; k = bodies->cover[k].next) {
            sum += displaced(bodies, &bodies->cover[k], level, &crossed);
            slope -= SHARE * (double)crossed;
        }
        double off = level - sum - own;
        if (fabs(off) < 1e-13 * (1 + fabs(own))) break;
        if (off > 0)
            high = level;
        else
            low = level;
        double next = level - off / rv_greater(slope, 0.5 * (1 - SHARE));
        if (next <= low || next >= high) next = high < INFINITY ? 0.5 * (low + high) : own + sum;
        level = next;
    }
    return level;
}

// The same where there is one body only, and it is all above the level, all under it, or has a
// single chord there. false: it is none of these.
static inline bool solve_alone(const rv_body_work *w, rv_cover *c, double own)
{
    double whole = w->share * c->length;
    c->head = 0, c->crossed = 0;
    c->level = own;
    if (SHARE * own + w->calm <= c->low) return true;
    c->level = own + whole, c->head = whole;
    if (c->count == 0 || SHARE * c->level + w->calm >= c->high) return true;
    double slope = 1 - SHARE * w->share;
    if (c->count != 1 || slope < 0.5 * (1 - SHARE)) return false;
    c->level = (own + w->share * (w->calm - c->low)) / slope;
    c->head = rv_greater(c->level - own, 0), c->crossed = (float)w->share;
    return true;
}

// Sums over the part of a body's chords in a column that is below the level.
typedef struct wetted {
    double volume, mid; // m³, m⁴
    double x, y;        // m⁴, first moments of the volume
    double cut, cut2;   // m², m⁴, of the area that the surface cuts
} wetted;

static void add_wetted(const rv_chord *k, const rv_chord *end, double level, wetted *sum)
{
    wetted s = *sum;
    for (; k < end; k++) {
        double whole = k->high - k->low, height = clamp(level - k->low, whole);
        double x = (double)k->x, y = (double)k->y;
        double cut = height > 0 && height < whole ? 1 : 0;
        s.volume += height, s.mid += height * (k->low + 0.5 * height);
        s.x += x * height, s.y += y * height;
        s.cut += cut, s.cut2 += cut * (x * x + y * y);
    }
    *sum = s;
}

// Of a sphere, whose forces all go through its middle.
static void add_wetted_round(const rv_chord *k, const rv_chord *end, double level, wetted *sum)
{
    for (; k < end; k++) {
        double whole = k->high - k->low, height = clamp(level - k->low, whole);
        sum->volume += height;
        sum->cut += height > 0 && height < whole ? 1 : 0;
    }
}

// Force of the pressure on a body's chords, from below.
static void lift(rv_bodies *bodies, int index, double weight)
{
    rv_body_work *w = &bodies->work[index];
    bool round = bodies->body[index].def.shape == RV_BODY_SPHERE;
    wetted sum = {0, 0, 0, 0, 0, 0};
    for (const rv_cover *c = bodies->cover + w->first, *end = c + w->covers; c < end; c++) {
        const rv_chord *chord = bodies->chord + c->first;
        if (round && (c->count == 0 || c->level >= c->high))
            sum.volume += c->length;
        else if (c->level > c->low && round)
            add_wetted_round(chord, chord + c->count, c->level, &sum);
        else if (c->level > c->low)
            add_wetted(chord, chord + c->count, c->level, &sum);
    }
    w->immersed = sum.volume * w->sample;
    w->touches = w->immersed > 0;
    if (!w->touches) return;
    double area = weight * w->sample, stiff = (2 + RV_BODY_STIFFNESS) * area;
    w->force.z = weight * w->immersed;
    w->stiffness = stiff * sum.cut;
    if (round) return;
    w->mid = sum.mid / sum.volume;
    w->torque.x = area * sum.y, w->torque.y = -area * sum.x;
    w->turning = stiff * sum.cut2;
}

// The columns whose list of covers begins with one of this body's; so each column is done once.
static void levels(void *context, int index)
{
    const work *t = context;
    rv_bodies *bodies = t->bodies;
    const rv_column_set *set = t->around->columns;
    const rv_body_work *w = &bodies->work[index];
    for (int i = w->first; i < w->first + w->covers; i++) {
        rv_cover *c = &bodies->cover[i];
        if (bodies->first_cover[c->slot] != i + 1) continue;
        double own = (double)set->base[c->slot] + (double)t->liquid->depth[c->slot];
        if (c->next < 0 && solve_alone(w, c, own)) {
            bodies->head[c->slot] = (float)c->head;
            continue;
        }
        double level = solve_level(bodies, i, own, bodies->body[c->body].ambient), sum = 0;
        for (int k = i; k >= 0; k = bodies->cover[k].next) {
            rv_cover *each = &bodies->cover[k];
            each->level = level;
            each->head = displaced(bodies, each, level, &each->crossed);
            sum += each->head;
        }
        bodies->head[c->slot] = (float)sum;
    }
}

// ---- The level around ---------------------------------------------------------------------------

// What is known of the level around a body while its columns are looked at.
typedef struct outlook {
    double sum, all; // of the levels by how free they are of bodies
    double under;    // sum of those under bodies, where nothing better is known
    int covered;
    bool first; // nothing is known of the levels under it yet
} outlook;

static inline void look_at(const rv_bodies *bodies, double own, size_t slot, outlook *o)
{
    int k = bodies->first_cover[slot] - 1;
    double level = own, free = 1;
    if (k >= 0 && o->first) {
        o->under += own, o->covered++;
        return;
    }
    if (k >= 0) level = bodies->cover[k].level;
    for (; k >= 0; k = bodies->cover[k].next) free -= (double)bodies->cover[k].crossed;
    if (free > 0) o->sum += free * free * level, o->all += free * free;
}

// Mean level of the columns in and beside the body's cells, those that it covers left out as far as
// it does.
static void look_around(rv_bodies *bodies, int index, const rv_column_set *set,
                        const rv_body_liquid *liquid, bool first)
{
    rv_body *body = &bodies->body[index];
    const rv_body_work *w = &bodies->work[index];
    outlook o = {.first = first};
    for (int l = 0; l < set->planes; l++) {
        const rv_plane *p = &set->plane[l];
        int x0 = w->cells.x0 - 1, y0 = w->cells.y0 - 1, x1 = w->cells.x1, y1 = w->cells.y1;
        if (x0 < p->x0) x0 = p->x0;
        if (y0 < p->y0) y0 = p->y0;
        if (x1 >= p->x0 + p->nx) x1 = p->x0 + p->nx - 1;
        if (y1 >= p->y0 + p->ny) y1 = p->y0 + p->ny - 1;
        for (int y = y0; y <= y1; y++) {
            size_t slot = rv_slot(p, x0, y);
            for (int x = x0; x <= x1; x++, slot++) {
                double base = (double)set->base[slot], depth = (double)liquid->depth[slot];
                if (!rv_column_exists(set, slot) || !(depth > liquid->film)) continue;
                if (base >= w->high || (double)set->max[slot] <= w->low) continue;
                look_at(bodies, base + depth, slot, &o);
            }
        }
    }
    if (o.all > 0)
        body->ambient = o.sum / o.all;
    else if (first && o.covered > 0)
        body->ambient = o.under / o.covered;
    body->afloat = true;
}

// ---- Drag ---------------------------------------------------------------------------------------

// Area of a body across a direction.
static double area_across(const rv_body *body, const rv_mat3 *turn, rv_vec3 d)
{
    if (body->def.shape == RV_BODY_SPHERE) return PI * body->def.radius * body->def.radius;
    rv_vec3 own = rv_apply_back(turn, rv_unit(d)), h = body->half;
    return 4 * (fabs(own.x) * h.y * h.z + fabs(own.y) * h.x * h.z + fabs(own.z) * h.x * h.y);
}

// Momentum and mass of the liquid in the columns that a body displaces.
static void find_flow(rv_bodies *bodies, int index, const rv_surroundings *around,
                      const rv_body_liquid *liquid)
{
    const rv_column_set *set = around->columns;
    rv_body_work *w = &bodies->work[index];
    double x = 0, y = 0, depth = 0, cut = 0, dx = set->grid.dx;
    for (const rv_cover *c = bodies->cover + w->first, *end = c + w->covers; c < end; c++) {
        if (!(c->head > 0)) continue;
        size_t s = c->slot, row = (size_t)set->plane[c->plane].pitch;
        x += (double)liquid->flux_x[s - 1] + (double)liquid->flux_x[s];
        y += (double)liquid->flux_y[s - row] + (double)liquid->flux_y[s];
        depth += (double)liquid->depth[s], cut += (double)c->crossed;
    }
    w->flow_mass = around->density * dx * dx * depth;
    w->pierced = cut * dx * dx;
    if (depth > 0) w->flow = (rv_vec3){0.5 * x / (dx * depth), 0.5 * y / (dx * depth), 0};
}

// Drag (6 π μ r + ½ ρ C A |v|) v of the part in the liquid, taken at the end of the step, so that
// it stops a body and the liquid around it relative to each other but never turns them round.
static void drag(rv_bodies *bodies, int index, const rv_surroundings *around, double dt)
{
    const rv_body *body = &bodies->body[index];
    rv_body_work *w = &bodies->work[index];
    double share = fmin(w->immersed / body->volume, 1), rho = around->density;
    double viscous = rho * around->viscosity;
    rv_vec3 v = rv_sub(body->state.velocity, w->flow);
    v.z *= w->slowed;
    double speed = rv_length(v);
    // up and down with what weight and buoyancy will add, so that a slow sinker's balance is exact
    if (w->free) v.z += dt * (w->force.z - body->mass * around->gravity) / w->heave;
    double area = area_across(body, &w->turn, v);
    double k = share * (6 * PI * viscous * body->round + 0.5 * rho * body->def.drag * area * speed);
    double light = w->free ? 1 / body->mass : 0, heave = w->free ? 1 / w->heave : 0;
    double both = light + (w->flow_mass > 0 ? 1 / w->flow_mass : 0);
    double level = -dt * k / (1 + dt * k * both);
    w->drag = (rv_vec3){level * v.x, level * v.y, -dt * k * v.z / (1 + dt * k * heave)};
    if (!(w->flow_mass > 0)) w->drag.x = w->drag.y = 0;

    rv_vec3 spin = body->state.spin;
    double r3 = body->round * body->round * body->round, reach = body->reach;
    double plate = body->def.shape == RV_BODY_SPHERE ? SPIN_DRAG_SPHERE : SPIN_DRAG_BOX;
    double turn = share * (8 * PI * viscous * r3 + 0.5 * rho * body->def.drag * plate * r3 * reach *
                                                       reach * rv_length(spin));
    double least = fmin(body->inertia.x, fmin(body->inertia.y, body->inertia.z));
    double slow = -dt * turn / (1 + dt * turn * (w->free ? w->ease / least : 0));
    w->drag_turn = rv_scaled(spin, slow);
}

// The liquid that goes along with a body (half of what it displaces) has to get its speed when the
// body plunges in. The blow presses the surface where the body cuts it, by no more than the
// pressure of its speed.
static void plunge(rv_bodies *bodies, int index, const rv_surroundings *around, double dt)
{
    rv_body *body = &bodies->body[index];
    rv_body_work *w = &bodies->work[index];
    double taken = 0.5 * around->density * w->immersed;
    double before = 0.5 * around->density * body->immersed, down = -body->state.velocity.z;
    bool deeper = w->immersed > body->immersed && down > 0;
    w->slowed = deeper && w->free ? (body->mass + before) / (body->mass + taken) : 1;
    // a step so long that the buoyancy would throw the body out again is met with more inertia
    w->heave = fmax(body->mass + taken, dt * dt * w->stiffness);
    double least = fmin(body->inertia.x, fmin(body->inertia.y, body->inertia.z));
    w->ease = fmin(1, least / fmax(dt * dt * w->turning, 1e-300));
    body->immersed = w->immersed;
}

static void find_slam(rv_bodies *bodies, int index, const rv_surroundings *around, double dt)
{
    const rv_body *body = &bodies->body[index];
    rv_body_work *w = &bodies->work[index];
    double down = -body->state.velocity.z, weight = around->density * around->gravity;
    w->slam = 0;
    if (!(down > 0) || !(w->pierced > 0) || !(weight > 0)) return;
    double force = (body->mass * (1 - w->slowed) * down + w->drag.z) / dt;
    w->slam = SLAM * fmin(force / (weight * w->pierced), 0.5 * down * down / around->gravity);
}

// ---- Heads and sideways forces ------------------------------------------------------------------

// The blows are part of the heads. Of the columns that are this body's, as in levels().
static void add_slams(void *context, int index)
{
    const work *t = context;
    rv_bodies *bodies = t->bodies;
    const rv_body_work *w = &bodies->work[index];
    if (!(w->slam > 0) && !w->meets) return;
    for (int i = w->first; i < w->first + w->covers; i++) {
        size_t slot = bodies->cover[i].slot;
        bool alone = bodies->cover[i].next < 0;
        if (bodies->first_cover[slot] != i + 1 || (alone && !(w->slam > 0))) continue;
        double sum = 0, depth = (double)t->liquid->depth[slot];
        for (int k = i; k >= 0; k = bodies->cover[k].next) {
            rv_cover *c = &bodies->cover[k];
            double slam = bodies->work[c->body].slam;
            if (slam > 0) c->head += rv_lesser(slam, depth) * (double)c->crossed;
            sum += c->head;
        }
        bodies->head[slot] = (float)sum;
    }
}

// A column and the liquid in it, for looking at its neighbours.
typedef struct stand {
    const rv_bodies *bodies;
    const rv_column_set *set;
    const rv_body_liquid *liquid;
    float base, max, head; // m
    double level;          // m, the head from the zero of heights
} stand;

// How much lower the head is in column `s`; beside a dry one the body's own head is all that can
// push. Nothing changes if the two are joined by less than `open`.
static inline void drop_into(const stand *own, size_t s, double *open, double *drop)
{
    float base = own->set->base[s], max = own->set->max[s], depth = own->liquid->depth[s];
    float top = max < own->max ? max : own->max, sill = base > own->base ? base : own->base;
    double joined = (double)top - (double)sill; // under 0 if there is no column
    if (!(joined > *open)) return;
    double there = (double)base + (double)depth + (double)own->bodies->head[s];
    bool dry = !((double)depth > own->liquid->film);
    if (dry && there >= own->level) return;
    *open = joined, *drop = own->level - there;
    if (dry) *drop = rv_lesser(*drop, (double)own->head);
}

// The same for the column of cell (x, y) that is joined to it most; 0 at a wall.
static double drop_to(const stand *own, int x, int y)
{
    double open = 0, drop = 0;
    for (int l = 0; l < own->set->planes; l++)
        if (rv_plane_has(&own->set->plane[l], x, y))
            drop_into(own, rv_slot(&own->set->plane[l], x, y), &open, &drop);
    return drop;
}

// The ways to neighbours on both sides, and how much of the gradient of the head each one's
// difference is; with eight of them as their pipes share the push.
static const struct {
    int x, y;
    double four, eight;
} ways[4] = {{1, 0, 1, 2.0 / 3}, {0, 1, 1, 2.0 / 3}, {1, 1, 0, 1.0 / 6}, {-1, 1, 0, 1.0 / 6}};

// Adds how the head falls along x and y around a column.
static inline void add_fall(const stand *own, const rv_cover *c, bool eight, double *x, double *y)
{
    const rv_plane *plane = &own->set->plane[c->plane];
    size_t ahead = c->slot - plane->offset, pitch = (size_t)plane->pitch;
    int at_x = plane->x0 + (int)(ahead % pitch), at_y = plane->y0 + (int)(ahead / pitch);
    for (int k = 0; k < (eight ? 4 : 2); k++) {
        double drop = drop_to(own, at_x + ways[k].x, at_y + ways[k].y) -
                      drop_to(own, at_x - ways[k].x, at_y - ways[k].y);
        drop *= c->head * (eight ? ways[k].eight : ways[k].four);
        if (ways[k].x != 0) *x += ways[k].x * drop;
        if (ways[k].y != 0) *y += ways[k].y * drop;
    }
}

// What drop_to() finds where there is one plane only, around which no column exists.
static inline double drop_beside(const stand *own, size_t s)
{
    float base = own->set->base[s], max = own->set->max[s];
    float top = max < own->max ? max : own->max, sill = base > own->base ? base : own->base;
    if (!(top > sill)) return 0;
    double depth = (double)own->liquid->depth[s];
    double drop = own->level - ((double)base + depth + (double)own->bodies->head[s]);
    if (depth > own->liquid->film) return drop;
    return rv_lesser(rv_greater(drop, 0), (double)own->head);
}

// add_fall() with four neighbours in one plane, to the bit: a plane may come and go as solids move.
static inline void add_fall_plain(const stand *own, const rv_cover *c, double *x, double *y)
{
    size_t s = c->slot, row = (size_t)own->set->plane[0].pitch;
    *x += c->head * (drop_beside(own, s + 1) - drop_beside(own, s - 1));
    *y += c->head * (drop_beside(own, s + row) - drop_beside(own, s - row));
}

static void press_sideways(void *context, int index)
{
    const work *t = context;
    const rv_bodies *bodies = t->bodies;
    const rv_column_set *set = t->around->columns;
    const rv_body *body = &bodies->body[index];
    rv_body_work *w = &t->bodies->work[index];
    bool plain = set->planes == 1 && !t->around->eight;
    double x = 0, y = 0;
    if (!w->touches || !rv_body_is_home(t->bodies, index)) return;
    for (const rv_cover *c = bodies->cover + w->first, *end = c + w->covers; c < end; c++) {
        if (!(c->head > 0)) continue;
        stand own = {
            bodies, set, t->liquid, set->base[c->slot], set->max[c->slot], bodies->head[c->slot],
            0};
        own.level = (double)own.base + (double)t->liquid->depth[c->slot] + (double)own.head;
        if (plain)
            add_fall_plain(&own, c, &x, &y);
        else
            add_fall(&own, c, t->around->eight, &x, &y);
    }
    double weight = 0.5 * t->around->density * t->around->gravity * set->grid.dx;
    w->force.x = weight * x, w->force.y = weight * y;
    if (body->def.shape == RV_BODY_SPHERE) return;
    double arm = w->mid - body->state.at.z; // it acts where the displaced volume is
    w->torque.x -= arm * w->force.y, w->torque.y += arm * w->force.x;
}

static void forget(rv_bodies *bodies)
{
    for (int i = 0; i < bodies->count; i++) {
        rv_body_work *w = &bodies->work[i];
        w->force = w->torque = w->flow = w->drag = w->drag_turn = (rv_vec3){0, 0, 0};
        w->stiffness = w->turning = w->immersed = w->mid = w->flow_mass = w->pierced = 0;
        w->heave = w->slam = 0;
        w->ease = w->slowed = 1;
        w->touches = false;
    }
}

// Before the levels: what a body remembers of the liquid around it.
static void recall(void *context, int index)
{
    const work *t = context;
    rv_body *body = &t->bodies->body[index];
    if (!t->bodies->work[index].here || !rv_body_is_home(t->bodies, index)) return;
    if (t->bodies->work[index].covers == 0) {
        body->afloat = false, body->immersed = 0;
        return;
    }
    if (!body->afloat) look_around(t->bodies, index, t->around->columns, t->liquid, true);
}

// After the levels: lift and drag.
static void carry(void *context, int index)
{
    const work *t = context;
    rv_body_work *w = &t->bodies->work[index];
    if (!w->here || w->covers == 0 || !rv_body_is_home(t->bodies, index)) return;
    lift(t->bodies, index, t->around->density * t->around->gravity);
    look_around(t->bodies, index, t->around->columns, t->liquid, false);
    plunge(t->bodies, index, t->around, t->dt);
    if (!w->touches) return;
    find_flow(t->bodies, index, t->around, t->liquid);
    drag(t->bodies, index, t->around, t->dt);
    find_slam(t->bodies, index, t->around, t->dt);
}

bool rv_bodies_float(rv_bodies *bodies, const rv_surroundings *around, const rv_body_liquid *liquid,
                     double dt)
{
    work t = {bodies, around, liquid, dt};
    forget(bodies);
    if (!rv_bodies_find_homes(bodies, &around->columns->grid)) return false;
    rv_bodies_for_each(bodies, recall, &t);
    if (!rv_bodies_agree(bodies)) return false;
    for (int i = 0; i < bodies->count; i++)
        bodies->work[i].calm = (1 - SHARE) * bodies->body[i].ambient;
    rv_bodies_for_each(bodies, levels, &t);
    rv_bodies_for_each(bodies, carry, &t);
    if (bodies->cut) rv_bodies_agree(bodies); // on blows, which count in columns of other bodies
    rv_bodies_for_each(bodies, add_slams, &t);
    rv_bodies_for_each(bodies, press_sideways, &t);
    if (bodies->cut) rv_bodies_agree(bodies);
    return true;
}

// ---- For those who draw -------------------------------------------------------------------------

bool rv_bodies_raise(rv_bodies *scratch, const rv_bodies *bodies, const rv_surroundings *around,
                     const rv_body_liquid *liquid, double time)
{
    bool any = false;
    if (!rv_array_grow(&scratch->allocator, &scratch->work, &scratch->work_room, bodies->count,
                       sizeof *scratch->work))
        return false;
    scratch->body = bodies->body, scratch->count = bodies->count; // borrowed while this runs
    if (rv_bodies_begin(scratch, time)) {
        for (int i = 0; i < scratch->count; i++) // of others nothing is known of the level around
            scratch->work[i].here = scratch->work[i].here && bodies->body[i].afloat;
        work t = {scratch, around, liquid, 0};
        any = rv_bodies_cover(scratch, around->columns, liquid) && scratch->linked > 0;
        if (any) {
            for (int i = 0; i < scratch->count; i++)
                scratch->work[i].calm = (1 - SHARE) * bodies->body[i].ambient;
            rv_bodies_for_each(scratch, levels, &t);
        }
    }
    scratch->body = NULL, scratch->count = 0;
    return any;
}
