// One substep of the narrow form of solver `splat`. Cells have their middles at i + ½ along each
// axis, in cells from the low corner of the grid; a face stands between two of them. u: velocity,
// m/s. In this order:
//
//  1. Splat: each particle weighs on the 2^axes cell middles around it, linearly along each axis:
//     W += w, M += w u_p. Walls of the grid are mirrors: what fell beyond one is added to the
//     mirrored cell, the component of M along the normal with its sign changed. Then W and M are
//     smoothed by (¼, ½, ¼) along each axis. Together that is a kernel with a spread of 0.82 cells,
//     as the paper's is of 0.95, for a fifth of the work.
//  2. Faces: mass m = ½ (W + W'), velocity u = ½ (M + M')/m, both over those at rest. S, from 0 to
//     1, is the share of that kernel that is free of solids; liquid at rest has W = S W_rest.
//  3. Pressure π (times dt/dx, m/s; pressure.c): u' = u + dt g - (S/m)(π - π'), so that
//         Σ_faces ± S u' + Σ ± (1 - S) v >= S dx/dt wanted(q),  π >= 0,
//     and one of the two holds with =. v: the velocity of solids, q = W/(S W_rest), and wanted:
//     0.03 (q - 1.01) where it is over 0, at most 0.0075; 0.03 (q - 1) under 1, under q = 0.6 the
//     gap to it at once. Of what is under 0, thin liquid that may contract, the share
//     8 (2.9 q (1 - q) - s) from 0 to 1, s the greatest difference of q between the two cells around
//     along an axis: where density falls off as at a sharp surface, nothing contracts. Cells with q
//     under 0.05 have no pressure. Form height: π = dt/dx g (bed + splat.depth dx q), S/m = 1.
//  4. Cells: the mean over their two faces of u' and of its change Δ = u' - u. To u' the way out of
//     dense cells is added, d = dx/dt (e - e') on a face, e = q - 1 from 0 to 0.25, and a/(1 - a) d
//     is taken from Δ: particles are moved by it, their velocities do not change. Both are smoothed
//     as in 1, mirrored at walls.
//  5. Particles: u_p ← a u'(x) + (1 - a)(u_p + Δ(x)), x ← x + dt u'(x + dt/2 u'(x)), linear between
//     the middles of cells, and kept inside walls and out of solids as in the wide form. The share
//     a is that of step.c, at most 0.98.
//
// Why it cannot gain energy: what is gathered is weighed by the very kernel that was splatted, so
// Σ_p m u_p Δ(x_p) = Σ_faces m u Δ and Σ_p m Δ(x_p)² <= Σ_faces m Δ². The pressure moves the mass
// that is there, so its work is Σ π div(S u'), 0 where the liquid is as dense as it may be. With
// gravity, kinetic and potential energy change by -½ Σ m Δ² and by what `wanted` pushes apart. For
// the same reason momentum is kept: what solids get is what particles lose.
#include "particles/splat.h"

#include <math.h>
#include <string.h>

#define MOST_PIC 0.98 // that some of a particle's own motion is left, which evening out needs
#define SPREAD 1.5    // cells²: what splatting, smoothing and gathering spread, along an axis

// ---- The law ------------------------------------------------------------------------------------

static float pic_share(const rv_splat *s, double dt)
{
    const rv_params *p = &s->params;
    double kept = 1 - 2 * p->liquid_viscosity * dt / (SPREAD * s->dx * s->dx);
    double share = pow(1 - p->splat_pic, rv_splat_sound(s) * dt / s->dx);
    return (float)fmin(1 - share * fmax(kept, 0), MOST_PIC);
}

void rv_narrow_set_law(rv_splat *s, double dt)
{
    const rv_splat_law *wide = &s->law;
    s->law.reach = 2, s->law.mirror = true, s->law.smooth = false;
    s->narrow_law = (rv_narrow_law){.axes = s->grid.axes,
                                    .per_rest = wide->per_rest,
                                    .fill = (float)(s->dx / dt),
                                    .move = (float)(dt / s->dx),
                                    .pic = pic_share(s, dt)};
    if (s->params.splat_foam > 0) {
        s->narrow_law.foam = (float)(s->params.splat_foam * RV_NARROW_FOAMS * dt);
        s->narrow_law.foam_left = (float)exp(-dt / s->params.splat_foam_life);
    }
    s->narrow_law.even = RV_NARROW_EVEN * s->narrow_law.fill;
    s->narrow_law.hold = s->narrow_law.pic / (1.0f - s->narrow_law.pic);
    for (int c = 0; c < s->grid.axes; c++) s->narrow_law.fall[c] = 0.0f - wide->fall[c];
    memcpy(s->narrow_law.high, wide->high, sizeof wide->high);
    memcpy(s->narrow_law.open, wide->open, sizeof wide->open);
    s->nf = (rv_narrow_fields){
        .weight = s->f.weight, .share = s->share, .cell = s->cell, .node = s->f.node};
    for (int c = 0; c < 3; c++)
        s->nf.motion[c] = s->f.motion[c], s->nf.speed[c] = s->speed[c],
        s->nf.light[c] = s->light[c];
}

// ---- Walls --------------------------------------------------------------------------------------

// One cell beyond a wall and the cell before it. `add`: the first is added to the second; else it
// becomes its mirror image, at open borders (`beyond`) the same. Of `size` floats, those at `turn`
// and `turn` + `half` change sign.
typedef struct mirror {
    float *array;
    int size, turn, half;
    bool add, beyond;
} mirror;

// Of one size of cells, so that the compiler knows it.
static inline void mirror_some(const mirror *m, bool open, size_t beyond, size_t before,
                               size_t count, size_t size)
{
    float *restrict out = m->array + beyond * size, *restrict in = m->array + before * size;
    float sign[8];
    for (size_t c = 0; c < size; c++) {
        bool turns = !open && ((int)c == m->turn || (int)c == m->turn + m->half);
        sign[c] = turns ? -1.0f : 1.0f;
    }
    if (m->add)
        for (size_t i = 0; i < count * size; i += size)
            for (size_t c = 0; c < size; c++) in[i + c] += sign[c] * out[i + c];
    else
        for (size_t i = 0; i < count * size; i += size)
            for (size_t c = 0; c < size; c++) out[i + c] = sign[c] * in[i + c];
}

static void mirror_cells(const mirror *m, bool open, size_t beyond, size_t before, size_t count)
{
    if (open && !m->beyond) return;
    if (m->size == 8)
        mirror_some(m, open, beyond, before, count, 8);
    else if (m->size == 4)
        mirror_some(m, open, beyond, before, count, 4);
    else
        mirror_some(m, open, beyond, before, count, 1);
}

// One wall after the other, in space by layers or rows that do not know of each other.
typedef struct mirroring {
    const rv_splat *s;
    mirror m;
    int axis, beyond;
} mirroring;

static void mirror_layer(void *context, int item)
{
    const mirroring *w = context;
    const rv_splat *s = w->s;
    const rv_splat_grid *g = &s->grid;
    int b = g->axes == 3 ? item - w->beyond : 0, n = g->n[0];
    for (int a = -w->beyond; a < g->n[1] + w->beyond; a++) {
        rv_splat_span span = s->span[rv_splat_row(g, a, b)];
        if (span.low >= span.high) continue;
        size_t row = rv_splat_slot(g, 0, a, b), last = row + (size_t)n - 1;
        if (span.low <= 0) mirror_cells(&w->m, s->law.open[0][0], row - 1, row, 1);
        if (span.high >= n) mirror_cells(&w->m, s->law.open[0][1], last + 1, last, 1);
    }
}

static void mirror_x(const rv_splat *s, mirror m, int beyond)
{
    mirroring w = {s, m, 0, beyond};
    rv_parallel_for(s->pool, s->grid.axes == 3 ? s->grid.n[2] + 2 * beyond : 1, mirror_layer, &w);
}

static void mirror_rows(void *context, int item)
{
    const mirroring *w = context;
    const rv_splat *s = w->s;
    const rv_splat_grid *g = &s->grid;
    int axis = w->axis, n = g->n[axis], o = item - w->beyond;
    for (int side = 0; side < 2; side++) {
        int far = side ? n : -1, near = side ? n - 1 : 0;
        int fa = axis == 1 ? far : o, fb = axis == 1 ? o : far;
        int na = axis == 1 ? near : o, nb = axis == 1 ? o : near;
        rv_splat_span span = s->span[rv_splat_row(g, fa, fb)];
        if (span.low >= span.high) continue;
        int low = span.low < -1 ? -1 : span.low;
        int high = span.high > g->n[0] + 1 ? g->n[0] + 1 : span.high;
        mirror_cells(&w->m, s->law.open[axis][side], rv_splat_slot(g, low, fa, fb),
                     rv_splat_slot(g, low, na, nb), (size_t)(high - low));
    }
}

// Walls along axis 1 or 2. Cells one beyond the other walls go along.
static void mirror_axis(const rv_splat *s, mirror m, int axis, int beyond)
{
    const rv_splat_grid *g = &s->grid;
    int others = g->axes == 3 ? g->n[axis == 1 ? 2 : 1] : 1;
    mirroring w = {s, m, axis, g->axes == 2 ? 0 : beyond};
    rv_parallel_for(s->pool, others + 2 * w.beyond, mirror_rows, &w);
}

// What fell beyond walls, back into the grid.
static void fold(rv_splat *s)
{
    mirror m = {s->sum, RV_NARROW_SUM, 1, 0, true, false};
    mirror_x(s, m, 1);
    for (int c = 1; c < s->grid.axes; c++) {
        m.turn = 1 + c;
        mirror_axis(s, m, c, c == 1 ? 1 : 0);
    }
}

// The cells beyond walls as those before them, for smoothing. `first`: where the components along
// the axes begin among the floats of a cell, and again `half` later.
static void reflect(rv_splat *s, float *array, int size, int first, int half)
{
    mirror m = {array, size, first, half, false, array != s->sum};
    mirror_x(s, m, 0);
    for (int c = 1; c < s->grid.axes; c++) {
        m.turn = first + c;
        mirror_axis(s, m, c, c == 2 ? 1 : 0);
    }
}

// ---- Splat --------------------------------------------------------------------------------------

static void blur_pass(rv_splat *s, int a, int b, int x, int count)
{
    s->narrow->blur_sums(&s->grid, s->sum, rv_splat_slot(&s->grid, x, a, b), count, s->f.weight,
                         s->f.motion);
}

// Takes what the last substep left off cells [low, high) of a row.
static void clear_fields(rv_splat *s, int a, int b, int low, int high)
{
    if (low >= high) return;
    size_t at = rv_splat_slot(&s->grid, low, a, b), bytes = (size_t)(high - low) * sizeof(float);
    memset(s->f.weight + at, 0, bytes);
    for (int c = 0; c < s->grid.axes; c++) memset(s->f.motion[c] + at, 0, bytes);
}

// Of the last substep's rows: the sums, and the fields of those cells that this one does not write
// to anyway, when it smooths the sums.
static void clear_rows(void *context, int item)
{
    rv_splat *s = context;
    const rv_splat_grid *g = &s->grid;
    int a = item - g->pad, pad = g->axes == 3 ? g->pad : 0, layers = g->axes == 3 ? g->n[2] : 1;
    for (int b = -pad; b < layers + pad; b++) {
        size_t row = rv_splat_row(g, a, b);
        rv_splat_span old = s->span_last[row], new = s->span[row];
        if (old.low >= old.high) continue;
        memset(s->sum + RV_NARROW_SUM * rv_splat_slot(g, old.low, a, b), 0,
               (size_t)(old.high - old.low) * RV_NARROW_SUM * sizeof(float));
        bool inside = a >= 0 && a < g->n[1] && b >= 0 && b < layers;
        int low = new.low > 0 ? new.low : 0, high = new.high < g->n[0] ? new.high : g->n[0];
        if (!inside || low >= high) low = high = old.high;
        clear_fields(s, a, b, old.low, old.high < low ? old.high : low);
        clear_fields(s, a, b, old.low > high ? old.low : high, old.high);
    }
}

// Particles must be sorted.
void rv_narrow_gather(rv_splat *s)
{
    memcpy(s->span_last, s->span, s->span_count * sizeof *s->span);
    rv_splat_spans(s);
    rv_parallel_for(s->pool, s->grid.n[1] + 2 * s->grid.pad, clear_rows, s);
    rv_splat_slabs(s);
    rv_splat_splat_slabs(s);
    fold(s);
    reflect(s, s->sum, RV_NARROW_SUM, 1, 0);
    rv_splat_over_rows(s, blur_pass, false);
}

// ---- Faces --------------------------------------------------------------------------------------

static void no_face(rv_splat *s, int c, size_t at, int count)
{
    memset(s->speed[c] + at, 0, (size_t)count * sizeof(float));
    memset(s->light[c] + at, 0, (size_t)count * sizeof(float));
}

static void faces_pass(rv_splat *s, int a, int b, int x, int count)
{
    const rv_splat_grid *g = &s->grid;
    const ptrdiff_t step[3] = {1, (ptrdiff_t)g->pitch, (ptrdiff_t)g->layer};
    const int row[3] = {0, a, b};
    size_t at = rv_splat_slot(g, x, a, b);
    bool solid = rv_splat_near_solid(s, a, b), last = x + count == g->n[0];
    s->narrow->faces(&s->narrow_law, &s->nf, 0, 1, at, count + last, solid);
    if (x == 0 && !s->law.open[0][0]) no_face(s, 0, at, 1);
    if (last && !s->law.open[0][1]) no_face(s, 0, at + (size_t)count, 1);
    for (int c = 1; c < g->axes; c++) {
        if (row[c] == 0 && !s->law.open[c][0])
            no_face(s, c, at, count);
        else
            s->narrow->faces(&s->narrow_law, &s->nf, c, step[c], at, count, solid);
        if (row[c] < g->n[c] - 1) continue;
        if (!s->law.open[c][1])
            no_face(s, c, at + (size_t)step[c], count);
        else
            s->narrow->faces(&s->narrow_law, &s->nf, c, step[c], at + (size_t)step[c], count,
                             false);
    }
}

// ---- Pressure -----------------------------------------------------------------------------------

static void ask_pass(rv_splat *s, int a, int b, int x, int count)
{
    const rv_narrow_level *l = &s->level[0];
    size_t at = rv_splat_slot(&s->grid, x, a, b), end = at + (size_t)count;
    float most = s->narrow->ask(&s->narrow_law, &s->nf, l, at, count, rv_splat_near_solid(s, a, b));
    memset(l->p + end, 0, RV_NARROW_BEYOND * sizeof *l->p);
    memset(l->inverse + end, 0, RV_NARROW_BEYOND * sizeof *l->inverse);
    s->row_most[(size_t)a + (size_t)b * (size_t)s->grid.n[1]] = most;
}

static void join_pass(rv_splat *s, int a, int b, int x, int count)
{
    const rv_narrow_level *l = &s->level[0];
    size_t row = (size_t)a + (size_t)b * (size_t)l->n[1], at = rv_splat_slot(&s->grid, x, a, b);
    s->pressing->join(&s->nf, l, at, count, rv_splat_near_solid(s, a, b));
    int low = 0, high = count;
    while (low < high && !(l->p[at + (size_t)low] > 0.0f)) low++;
    while (high > low && !(l->p[at + (size_t)high - 1] > 0.0f)) high--;
    l->low[row] = low < high ? (x + low) & ~1 : 0;
    l->high[row] = low < high ? (x + high + 1) & ~1 : 0;
}

static void press(rv_splat *s)
{
    const rv_narrow_level *l = &s->level[0];
    size_t rows = (size_t)l->n[1] * (size_t)l->n[2];
    float most = 0.0f;
    memset(s->row_most, 0, rows * sizeof *s->row_most);
    rv_splat_over_rows(s, ask_pass, false);
    for (size_t i = 0; i < rows; i++) most = most > s->row_most[i] ? most : s->row_most[i];
    s->clock.densest = most;
    for (size_t i = 0; i < rows; i++) l->low[i] = l->high[i] = 0;
    rv_splat_over_rows(s, join_pass, false);
    if (s->body_count > 0) rv_splat_begin_bodies(s);
    rv_narrow_solve(s);
    if (s->body_count > 0) rv_splat_press_bodies(s);
    rv_narrow_keep(s);
}

// ---- Form height --------------------------------------------------------------------------------

// The pressure is the level; with the mean velocity of the particles it makes the nodes.
static void level_pass(rv_splat *s, int a, int b, int x, int count)
{
    size_t at = rv_splat_slot(&s->grid, x, a, b);
    float deep = s->law.depth * s->law.per_rest, most = 0.0f;
    // gravity's horizontal parts are a level that falls along them, m²/s²
    float along = (float)(s->params.gravity.x * s->dx), up = (float)(s->params.gravity.y * s->dx);
    const float *weight = s->f.weight + at, *bed = s->bed + at;
    const float *mx = s->f.motion[0] + at, *my = s->f.motion[1] + at;
    float *cell = s->cell + 4 * at, move = s->narrow_law.move, across = up * (float)a;
    for (int i = 0; i < count; i++) {
        float w = weight[i], per = w > RV_SPLAT_TINY ? 1.0f / w : 0.0f;
        float fall = along * (float)(x + i) + across;
        cell[4 * i] = move * (bed[i] + deep * w - fall), cell[4 * i + 1] = 0.0f;
        cell[4 * i + 2] = mx[i] * per, cell[4 * i + 3] = my[i] * per;
    }
    for (int i = 0; i < count; i++) most = most > weight[i] ? most : weight[i];
    s->row_most[a] = most * s->law.per_rest;
}

// Cells that are closed have no level of their own: the mean of those around them that have one, or
// in a second round got one.
static void fill_closed(rv_splat *s, int round)
{
    const rv_splat_grid *g = &s->grid;
    for (int a = 0; a < g->n[1]; a++) {
        if (!rv_splat_near_solid(s, a, 0)) continue;
        for (int x = 0; x < g->n[0]; x++) {
            size_t at = rv_splat_slot(g, x, a, 0);
            float sum = 0.0f, count = 0.0f;
            if (s->still[at] > 0.0f || (round == 1 && s->cell[4 * at + 1] > 0.0f)) continue;
            for (int j = a > 0 ? -1 : 0; j <= (a + 1 < g->n[1]); j++)
                for (int i = x > 0 ? -1 : 0; i <= (x + 1 < g->n[0]); i++) {
                    size_t o = (size_t)((ptrdiff_t)at + i + j * (ptrdiff_t)g->pitch);
                    bool has = s->still[o] > 0.0f || (round == 1 && s->cell[4 * o + 1] == 1.0f);
                    sum += has ? s->cell[4 * o] : 0.0f, count += has ? 1.0f : 0.0f;
                }
            if (!(count > 0.0f)) continue;
            s->cell[4 * at] = sum / count, s->cell[4 * at + 1] = round == 0 ? 1.0f : 2.0f;
        }
    }
}

static void nodes_pass(rv_splat *s, int a, int b, int x, int count);

// What particles slide down: the gradient of the smoothed level, which is just how the energy
// Σ g h (bed + h/2) changes as a particle moves. So what they gain in speed the level loses.
static void use_levels(rv_splat *s)
{
    float most = 0.0f;
    memset(s->row_most, 0, (size_t)s->grid.n[1] * sizeof *s->row_most);
    rv_splat_over_rows(s, level_pass, false);
    for (int round = 0; round < 2 && s->any_solid; round++) fill_closed(s, round);
    if (s->body_count > 0) rv_splat_float_bodies(s);
    reflect(s, s->cell, 4, 2, 0);
    rv_splat_over_rows(s, nodes_pass, false);
    reflect(s, s->f.node, 4, 2, 0);
    for (int i = 0; i < s->grid.n[1]; i++) most = most > s->row_most[i] ? most : s->row_most[i];
    s->clock.densest = most;
    if (s->body_count > 0) rv_splat_answer_bodies(s, s->particle, s->count);
}

// ---- Velocities ---------------------------------------------------------------------------------

static void apply_pass(rv_splat *s, int a, int b, int x, int count)
{
    s->narrow->apply(&s->narrow_law, &s->nf, s->f.pressure, &s->grid,
                     rv_splat_slot(&s->grid, x, a, b), count, rv_splat_near_solid(s, a, b));
}

static void nodes_pass(rv_splat *s, int a, int b, int x, int count)
{
    s->narrow->blur_nodes(&s->grid, s->cell, rv_splat_slot(&s->grid, x, a, b), count, s->f.node);
}

// Weights beyond walls as those before them: a cell at a wall is none of the surface.
static void reflect_weights(rv_splat *s)
{
    const mirror m = {s->f.weight, 1, -1, 0, false, false};
    mirror_x(s, m, 0);
    for (int c = 1; c < s->grid.axes; c++) mirror_axis(s, m, c, 0);
}

static void make_velocities(rv_splat *s)
{
    int size = rv_splat_size(s);
    reflect_weights(s);
    rv_splat_over_rows(s, faces_pass, false);
    press(s);
    rv_splat_over_rows(s, apply_pass, false);
    reflect(s, s->cell, 2 * size, 0, size);
    rv_splat_over_rows(s, nodes_pass, false);
    reflect(s, s->f.node, 2 * size, 0, size);
}

// ---- Stirring -----------------------------------------------------------------------------------

rv_narrow_rod rv_narrow_rod_now(const rv_splat *s)
{
    const rv_solver_rod *r = &s->rod;
    const double from[3] = {r->from.x, r->from.y, r->from.z}, to[3] = {r->to.x, r->to.y, r->to.z};
    rv_narrow_rod out = {0};
    double length = 0, speed = 0, radius = r->radius / s->dx;
    for (int w = 0; w < 3; w++) {
        int c = s->axis_of[w];
        if (c < 0) continue;
        double way = to[w] - from[w];
        out.from[c] = (float)((from[w] - s->low[c]) / s->dx), out.way[c] = (float)(way / s->dx);
        out.speed[c] = (float)(way / r->seconds);
        length += way * way / (s->dx * s->dx), speed += way * way;
    }
    out.per_way = length > 0 ? (float)(1 / length) : 0.0f;
    out.per_radius = (float)(1 / (radius * radius));
    out.pull = (float)fmin(1, 4 * s->dt * sqrt(speed) / r->seconds / r->radius);
    return out;
}

// Particles near a rod are pulled toward its velocity, before they are splatted: the pressure hears
// of it. kernels/stir.glsl does the same.
static void stir(rv_splat *s)
{
    const rv_narrow_rod r = rv_narrow_rod_now(s);
    const int axes = s->grid.axes, size = rv_splat_size(s);
    for (int64_t i = 0; i < s->count; i++) {
        float *p = rv_splat_particle(s, i), off[3], along = 0.0f, square = 0.0f;
        for (int c = 0; c < axes; c++) off[c] = p[c] - r.from[c], along += off[c] * r.way[c];
        along *= r.per_way;
        along = along < 0.0f ? 0.0f : along > 1.0f ? 1.0f : along;
        for (int c = 0; c < axes; c++) off[c] -= along * r.way[c], square += off[c] * off[c];
        float left = 1.0f - square * r.per_radius;
        if (!(left > 0.0f)) continue;
        float share = left * r.pull;
        for (int c = 0; c < axes; c++) p[size + c] += share * (r.speed[c] - p[size + c]);
    }
}

void rv_narrow_step(rv_splat *s, double dt)
{
    s->dt = dt;
    rv_splat_set_law(s, dt);
    rv_splat_place_bodies(s); // before liquid is put beside them, which stays out of them
    rv_splat_settle(s, false);
    if (s->sorted != s->count) rv_splat_sort(s);
    if (s->stirring) stir(s);
    rv_narrow_gather(s);
    if (s->grid.up >= 0)
        make_velocities(s);
    else
        use_levels(s);
    rv_splat_move_particles(s);
    int64_t before = s->count;
    rv_splat_sort(s);
    s->totals.border_out += (double)(before - s->count) * s->each;
    s->clock.substeps++;
}
