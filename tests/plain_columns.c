// The plain solver of columns: what is carried from pipe to pipe, and a substep.
#include "plain_laws.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// ---- What is where ------------------------------------------------------------------------------

int plain_at(const plain *p, int plane, int x, int y)
{
    if (plane >= p->planes || x < 0 || y < 0 || x >= p->nx || y >= p->ny) return -1;
    return p->at[(plane * p->ny + y) * p->nx + x];
}

static float depth_at(const plain *p, int plane, int x, int y)
{
    int k = plain_at(p, plane, x, y);
    return k < 0 ? 0.0f : p->column[k].depth;
}

// The regular pipe of a way whose low end is a cell of a plane; NULL: there is none.
static const plain_pipe *regular_at(const plain *p, int plane, int x, int y, plain_way way)
{
    int k = plain_at(p, plane, x, y);
    for (int i = 0; k >= 0 && i < p->column[k].pipes; i++) {
        const plain_pipe *q = &p->pipe[p->column[k].pipe[i]];
        if (q->regular && q->way == way && q->a == k) return q;
    }
    return NULL;
}

static float speed_at(const plain *p, int plane, int x, int y, plain_way way)
{
    const plain_pipe *q = regular_at(p, plane, x, y, way);
    return q ? q->old_speed : 0.0f;
}

static float flux_at(const plain *p, int plane, int x, int y, plain_way way)
{
    const plain_pipe *q = regular_at(p, plane, x, y, way);
    return q ? q->old_flux : 0.0f;
}

// The side of column k on which a pipe of its is.
static plain_side side_at(const plain_pipe *q, int k)
{
    static const plain_side opposite[SIDES] = {E, W, N, S, NE, SW, NW, SE};
    return q->a == k ? q->side : opposite[q->side];
}

static void take_columns(plain *p, const rv_column_set *set)
{
    for (int i = 0; i < p->planes * p->nx * p->ny; i++) p->at[i] = -1;
    for (int l = 0; l < p->planes; l++)
        for (int y = 0; y < p->ny; y++)
            for (int x = 0; x < p->nx; x++) {
                float stack[RV_LAYERS_MAX][3];
                if (rv_columns_get(set, x, y, stack) <= l) continue;
                p->at[(l * p->ny + y) * p->nx + x] = p->columns;
                p->column[p->columns++] = (plain_column){
                    .x = x, .y = y, .plane = l, .base = stack[l][1], .max = stack[l][2]};
            }
}

plain make_plain(const rv_column_set *set, const rv_params *params)
{
    const rv_params *q = params;
    bool swe = q->solver == RV_SOLVER_SWE;
    plain p = {.params = *q, .nx = set->grid.nx, .ny = set->grid.ny, .planes = set->planes};
    p.column = calloc((size_t)set->columns, sizeof *p.column);
    p.at = calloc((size_t)(p.planes * p.nx * p.ny), sizeof *p.at);
    assert_true(p.column && p.at);
    p.flow = swe || q->pipes_area == RV_AREA_WET;
    p.eight = !swe && q->pipes_neighbours == RV_NEIGHBOURS_EIGHT;
    p.carries = swe || (p.flow && !p.eight && q->pipes_momentum);
    p.traced = swe && q->swe_advection == RV_SWE_SEMI;
    p.timed = swe && q->swe_order == 2 && !p.traced;
    rv_switch slopes = swe ? q->swe_slope : q->pipes_slope;
    p.has_slopes = slopes == RV_SWITCH_ON || (slopes == RV_SWITCH_AUTO && p.flow);
    take_columns(&p, set);
    plain_find_pipes(&p);
    return p;
}

void free_plain(plain *p)
{
    free(p->column), free(p->pipe), free(p->at);
}

// ---- What is carried ----------------------------------------------------------------------------

// A border in the west or south: its pipe points outward, against x or y.
static bool is_backward(const plain_pipe *q)
{
    return q->b < 0 && (q->side == W || q->side == S);
}

// What flowed through a side of a column, of several pipes the sum and the mean weighted by what
// flows; positive toward high.
typedef struct through {
    float flux, speed;
} through;

static through through_side(const plain *p, int k, plain_side side)
{
    const plain_column *c = &p->column[k];
    through sum = {0.0f, 0.0f};
    float weight = 0.0f, speed = 0.0f;
    for (int i = 0; i < c->pipes; i++) {
        const plain_pipe *q = &p->pipe[c->pipe[i]];
        if (side_at(q, k) != side) continue;
        float sign = is_backward(q) ? -1.0f : 1.0f, flux = sign * q->old_flux;
        sum.flux += flux;
        weight += fabsf(flux), speed += fabsf(flux) * (sign * q->old_speed);
        if (!c->has_odd) sum.speed = q->old_speed;
    }
    if (c->has_odd) sum.speed = weight > 0.0f ? speed / weight : 0.0f;
    return sum;
}

static float from_upstream(float flux, float low, float high)
{
    return flux * (flux > 0.0f ? low : high);
}

// Past a pipe between planes or through a border: along it only, to first order.
static plain_past past_odd(const plain *p, const plain_pipe *q)
{
    plain_past past = {0};
    plain_side low_side = q->way == ALONG_X ? W : S, high_side = q->way == ALONG_X ? E : N;
    bool backward = is_backward(q);
    through low = through_side(p, q->a, backward ? high_side : low_side);
    through high = {q->old_flux, q->old_speed};
    if (q->b >= 0) high = through_side(p, q->b, high_side);
    if (backward) low.flux = -low.flux, low.speed = -low.speed;
    past.in = low.flux + q->old_flux, past.out = q->old_flux + high.flux;
    past.low = from_upstream(past.in, low.speed, q->old_speed);
    past.high = from_upstream(past.out, q->old_speed, high.speed);
    return past;
}

// Beside such pipes: to first order, with all that flows through the sides of both columns.
static plain_past past_seam(const plain *p, const plain_pipe *q)
{
    const plain_column *a = &p->column[q->a];
    bool y = q->way == ALONG_Y;
    plain_side low = y ? S : W, high = y ? N : E, left = y ? W : S, right = y ? E : N;
    through before = through_side(p, q->a, low), after = through_side(p, q->b, high);
    float own = q->old_speed;
    float south = speed_at(p, a->plane, a->x - y, a->y - !y, q->way);
    float north = speed_at(p, a->plane, a->x + y, a->y + !y, q->way);
    plain_past past = {.in = before.flux + q->old_flux, .out = q->old_flux + after.flux};
    past.in_side = through_side(p, q->a, left).flux + through_side(p, q->b, left).flux;
    past.out_side = through_side(p, q->a, right).flux + through_side(p, q->b, right).flux;
    past.low = from_upstream(past.in, before.speed, own);
    past.high = from_upstream(past.out, own, after.speed);
    past.south = from_upstream(past.in_side, south, own);
    past.north = from_upstream(past.out_side, own, north);
    return past;
}

// `flux` times the velocity half way between the pipe at (x, y) and the next one along x or y.
static float times_velocity(const plain *p, const plain_law *law, int plane, int x, int y,
                            plain_way way, bool along_y, float flux)
{
    float u[4];
    for (int k = 0; k < 4; k++)
        u[k] = speed_at(p, plane, x + (along_y ? 0 : k - 1), y + (along_y ? k - 1 : 0), way);
    return flux * plain_between_two(law, u[0], u[1], u[2], u[3], flux);
}

// Past a regular pipe, to second order. Coordinates (i, j): along it and across it.
static plain_past past_regular(const plain *p, const plain_law *law, const plain_pipe *q)
{
    const plain_column *a = &p->column[q->a];
    bool y = q->way == ALONG_Y;
    plain_way along = q->way, across = y ? ALONG_X : ALONG_Y;
    int l = a->plane, i = a->x, j = a->y, ix = !y, iy = y, jx = y, jy = !y;
    float own = flux_at(p, l, i, j, along);
    plain_past f;
    f.in = flux_at(p, l, i - ix, j - iy, along) + own;
    f.out = own + flux_at(p, l, i + ix, j + iy, along);
    f.in_side =
        flux_at(p, l, i - jx, j - jy, across) + flux_at(p, l, i - jx + ix, j - jy + iy, across);
    f.out_side = flux_at(p, l, i, j, across) + flux_at(p, l, i + ix, j + iy, across);
    f.low = times_velocity(p, law, l, i - ix, j - iy, along, y, f.in);
    f.high = times_velocity(p, law, l, i, j, along, y, f.out);
    f.south = times_velocity(p, law, l, i - jx, j - jy, along, !y, f.in_side);
    f.north = times_velocity(p, law, l, i, j, along, !y, f.out_side);
    return f;
}

// The velocity of a regular pipe traced back (swe.advection: semi).
static float traced_back(const plain *p, const plain_law *law, const plain_pipe *q)
{
    const plain_column *a = &p->column[q->a];
    int l = a->plane, x = a->x, y = a->y, dx = q->way == ALONG_X, dy = !dx;
    plain_way other = dx ? ALONG_Y : ALONG_X;
    float own = q->old_speed, v[4]; // beside it: at both ends, on both sides
    for (int k = 0; k < 4; k++) {
        int end = k & 1, low = k >> 1;
        v[k] = speed_at(p, l, x + dx * end - dy * low, y + dy * end - dx * low, other);
    }
    float mean = 0.25f * ((v[0] + v[1]) + (v[2] + v[3])), lead = law->last_courant;
    int back = own > 0.0f ? -1 : 1, aside = mean > 0.0f ? -1 : 1;
    float along = speed_at(p, l, x + dx * back, y + dy * back, q->way);
    float across = speed_at(p, l, x + dy * aside, y + dx * aside, q->way);
    float both = speed_at(p, l, x + dx * back + dy * aside, y + dy * back + dx * aside, q->way);
    float far_x = fminf(fabsf(own) * lead, 1.0f), far_y = fminf(fabsf(mean) * lead, 1.0f);
    float near = own + far_x * (along - own), far = across + far_x * (both - across);
    return near + far_y * (far - near);
}

// ---- One pipe -----------------------------------------------------------------------------------

static float level_beyond(const plain *p, plain_side side)
{
    const rv_params *q = &p->params;
    const rv_border kind[] = {q->border_west, q->border_east, q->border_south, q->border_north};
    const double level[] = {q->border_west_level, q->border_east_level, q->border_south_level,
                            q->border_north_level};
    return kind[side] == RV_BORDER_LEVEL ? (float)level[side] : -1e30f; // open: dry
}

// Of pipes along the axes and the diagonals, docs/pipes-inside.md, "A tank".
static float share_of(const plain *p, const plain_pipe *q)
{
    bool diagonal = q->way == ALONG_NE || q->way == ALONG_NW;
    if (!p->eight) return 1.0f;
    if (!p->flow) return diagonal ? (float)sqrt(0.5) : 1.0f;
    if (diagonal) return (float)(1.0 / 6);
    return (float)(2.0 / 3) + (float)q->gaps * (float)(1.0 / 12);
}

static float slant_of(const plain_law *law, const plain_pipe *q)
{
    float dx = q->way == ALONG_Y ? 0.0f : q->way == ALONG_NW ? -1.0f : 1.0f;
    float dy = q->way == ALONG_X ? 0.0f : 1.0f;
    float slant = dx * law->slant_x + dy * law->slant_y;
    return is_backward(q) ? -slant : slant;
}

static plain_end end_of(const plain *p, const plain_pipe *q, int k, bool high)
{
    if (k < 0) {
        float depth = fmaxf(level_beyond(p, q->side) - q->beyond, 0.0f);
        return (plain_end){.base = q->beyond, .depth = depth, .behind = depth};
    }
    const plain_column *c = &p->column[k];
    plain_end end = {.base = c->base, .depth = c->depth, .behind = c->depth};
    if (p->press) end.press = p->press[k];
    if (!q->regular) return end;
    int dx = q->way == ALONG_Y ? 0 : q->way == ALONG_NW ? -1 : 1, dy = q->way != ALONG_X;
    if (!high) dx = -dx, dy = -dy;
    int l = c->plane, x = c->x, y = c->y;
    end.behind = depth_at(p, l, x + dx, y + dy);
    end.spread = (speed_at(p, l, x, y, ALONG_X) - speed_at(p, l, x - 1, y, ALONG_X)) +
                 (speed_at(p, l, x, y, ALONG_Y) - speed_at(p, l, x, y - 1, ALONG_Y));
    return end;
}

// Twice the rise of depths across a pipe at a column.
static float leans(const plain *p, const plain_pipe *q, int k)
{
    const plain_column *c = &p->column[k];
    int dx = q->way == ALONG_Y, dy = !dx;
    return depth_at(p, c->plane, c->x + dx, c->y + dy) -
           depth_at(p, c->plane, c->x - dx, c->y - dy);
}

static void carry(const plain *p, const plain_law *law, const plain_pipe *q, bool seam,
                  plain_look *look)
{
    plain_past past = !q->regular ? past_odd(p, q)
                      : seam      ? past_seam(p, q)
                                  : past_regular(p, law, q);
    look->carried = plain_carried(law, &past, look->u);
    look->both = fmaxf(look->both, plain_comes(law, &past));
}

static void flow_through(const plain *p, const plain_law *law, plain_pipe *q)
{
    plain_end a = end_of(p, q, q->a, false), b = end_of(p, q, q->b, true);
    plain_look look = {.slope = q->slope,
                       .rise = q->rise,
                       .opening = q->opening,
                       .share = share_of(p, q),
                       .slant = slant_of(law, q),
                       .u = q->old_speed,
                       .both = fmaxf(a.depth + b.depth, law->film)};
    q->speed = 0.0f;
    if (!p->flow) {
        q->flux = plain_cell_flux(law, a, b, &look, q->flux);
        return;
    }
    q->flux = 0.0f;
    if (!q->regular && !(a.depth > law->film) && !(b.depth > law->film)) return;
    bool straight = q->way == ALONG_X || q->way == ALONG_Y, timed = p->timed && q->regular;
    bool seam = q->regular && (p->column[q->a].was_live || p->column[q->b].was_live);
    if (q->regular && straight) look.side = leans(p, q, q->a) + leans(p, q, q->b);
    if (p->traced && q->regular) look.u = traced_back(p, law, q);
    if (p->carries && !p->traced) carry(p, law, q, seam, &look), timed = timed && !seam;
    if (timed) {
        const plain_column *c = &p->column[q->a];
        int dx = q->way == ALONG_X, dy = !dx;
        look.low = speed_at(p, c->plane, c->x - dx, c->y - dy, q->way);
        look.high = speed_at(p, c->plane, c->x + dx, c->y + dy, q->way);
    }
    plain_flow f = plain_wet_flow(law, a, b, &look, timed);
    q->speed = f.speed, q->flux = f.flux;
}

// ---- Shares of what columns can give and take ---------------------------------------------------

// Of what it has and of its room a column gives and takes all but a millionth.
#define ALMOST 0.999999f

// What flows through a column's sides, m³/s, each not negative.
typedef struct sides {
    float out[SIDES], in[SIDES], asked[SIDES];
} sides;

static float sum_of(const float v[SIDES])
{
    return ((v[W] + v[E]) + (v[S] + v[N])) + ((v[SW] + v[NE]) + (v[SE] + v[NW]));
}

// `scaled`: by the smaller of the source's share and the target's; `asked` never is.
static sides sides_of(const plain *p, int k, bool scaled)
{
    const plain_column *c = &p->column[k];
    sides sum;
    memset(&sum, 0, sizeof sum);
    for (int i = 0; i < c->pipes; i++) {
        const plain_pipe *q = &p->pipe[c->pipe[i]];
        int side = side_at(q, k), other = q->a == k ? q->b : q->a;
        float flux = q->a == k ? q->flux : -q->flux, share = 1.0f;
        float out = other < 0 ? 1.0f : p->column[other].out;
        float in = other < 0 ? 1.0f : p->column[other].in;
        if (scaled) share = flux > 0.0f ? fminf(c->out, in) : fminf(out, c->in);
        if (flux > 0.0f) sum.out[side] += flux * share;
        if (flux < 0.0f) sum.in[side] -= flux * share, sum.asked[side] -= flux;
    }
    return sum;
}

static float room_of(const plain_column *c)
{
    return fmaxf((c->max - c->base) * ALMOST - c->depth, 0.0f);
}

static float share_that_fits(float have, float ask)
{
    return ask > have ? have / ask : 1.0f;
}

// Where a column has no room for all that comes, what surely leaves counts as room too. From above:
// all comes in, and is cut until it fits; true if it does after some rounds.
static bool cut_until_it_fits(plain *p, const plain_law *law, const bool *cut, float *share)
{
    for (int k = 0; k < p->columns; k++)
        if (cut[k]) p->column[k].in = 1.0f;
    for (int round = 0; round < 48; round++) {
        bool fits = true;
        for (int k = 0; k < p->columns; k++) {
            if (!cut[k]) continue;
            sides s = sides_of(p, k, true);
            float room = room_of(&p->column[k]) + law->dt_area * sum_of(s.out);
            share[k] = p->column[k].in;
            if (law->dt_area * sum_of(s.in) <= room) continue;
            share[k] = fminf(share[k], ALMOST * room / (law->dt_area * sum_of(s.asked)));
            fits = false;
        }
        if (fits) return true;
        for (int k = 0; k < p->columns; k++)
            if (cut[k]) p->column[k].in = share[k];
    }
    return false;
}

// From below: the shares start from what fits whatever leaves, and grow with what does.
static void grow_while_it_fits(plain *p, const plain_law *law, const bool *cut, float *share)
{
    for (int round = 0; round < 32; round++) {
        bool grown = false;
        for (int k = 0; k < p->columns; k++) {
            if (!cut[k]) continue;
            sides s = sides_of(p, k, true);
            float room = room_of(&p->column[k]) + law->dt_area * sum_of(s.out);
            float asked = law->dt_area * sum_of(s.asked);
            share[k] = fmaxf(asked > room ? ALMOST * room / asked : 1.0f, p->column[k].in);
            grown |= share[k] > p->column[k].in * 1.0001f;
        }
        for (int k = 0; k < p->columns; k++)
            if (cut[k]) p->column[k].in = share[k];
        if (!grown) return;
    }
}

static void let_in_more(plain *p, const plain_law *law)
{
    size_t n = (size_t)p->columns;
    bool *cut = calloc(n, sizeof *cut);
    float *share = calloc(n, sizeof *share), *safe = calloc(n, sizeof *safe);
    assert_true(cut && share && safe);
    for (int k = 0; k < p->columns; k++) safe[k] = p->column[k].in, cut[k] = p->column[k].in < 1.0f;
    if (!cut_until_it_fits(p, law, cut, share)) {
        for (int k = 0; k < p->columns; k++) p->column[k].in = safe[k];
        grow_while_it_fits(p, law, cut, share);
    }
    free(cut), free(share), free(safe);
}

// What columns cannot give or take is cut, and what finds no room is stopped.
static void cut(plain *p, const plain_law *law)
{
    for (int k = 0; k < p->columns; k++) {
        plain_column *c = &p->column[k];
        sides s = sides_of(p, k, false);
        c->out = share_that_fits(c->depth * ALMOST, law->dt_area * sum_of(s.out));
        c->in = share_that_fits(room_of(c), law->dt_area * sum_of(s.in));
    }
    let_in_more(p, law);
    for (int i = 0; i < p->pipes; i++) {
        plain_pipe *q = &p->pipe[i];
        const plain_column *a = &p->column[q->a];
        float out_b = q->b < 0 ? 1 : p->column[q->b].out, in_b = q->b < 0 ? 1 : p->column[q->b].in;
        q->speed *= q->speed > 0 ? in_b : a->in;
        q->flux *= q->flux > 0 ? fminf(a->out, in_b) : fminf(out_b, a->in);
    }
}

// ---- A substep ----------------------------------------------------------------------------------

static void remember(plain *p)
{
    for (int i = 0; i < p->pipes; i++)
        p->pipe[i].old_flux = p->pipe[i].flux, p->pipe[i].old_speed = p->pipe[i].speed;
    for (int k = 0; k < p->columns; k++) {
        plain_column *c = &p->column[k];
        c->was_live = false;
        for (int i = 0; i < c->pipes; i++)
            c->was_live |= !p->pipe[c->pipe[i]].regular && p->pipe[c->pipe[i]].flux != 0.0f;
    }
}

// Depth that a column loses, m: the sum over its sides of what leaves less what enters.
static float lost_by(const plain *p, const plain_law *law, int k)
{
    const plain_column *c = &p->column[k];
    float net[SIDES] = {0};
    for (int i = 0; i < c->pipes; i++) {
        const plain_pipe *q = &p->pipe[c->pipe[i]];
        net[side_at(q, k)] += q->a == k ? q->flux : -q->flux;
    }
    return law->dt_area * sum_of(net);
}

void plain_step(plain *p, double dt, bool clipped)
{
    plain_law law = plain_law_of(p, dt, clipped), diagonal = plain_law_diagonal(law);
    remember(p);
    for (int i = 0; i < p->pipes; i++) {
        bool along_axis = p->pipe[i].way == ALONG_X || p->pipe[i].way == ALONG_Y;
        flow_through(p, along_axis ? &law : &diagonal, &p->pipe[i]);
    }
    cut(p, &law);
    for (int k = 0; k < p->columns; k++) {
        float *depth = &p->column[k].depth;
        *depth = plain_new_depth(*depth, -lost_by(p, &law, k), law.salt);
    }
    p->substeps++, p->last = (double)(float)dt; // the engine's clock keeps it as a float
}
