// A plain solver of columns, to compare the engine with: the same physics of one pipe, but columns
// in a list, pipes found by looking at every pair, and each column and pipe by itself. No planes of
// rows, blocks, bands, vectors or threads.
#ifndef RV_TESTS_PLAIN_COLUMNS_H
#define RV_TESTS_PLAIN_COLUMNS_H

#include "columns/columns.h"
#include "columns/laws/flow.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct plain_pipe {
    int a, b; // columns; b < 0 beyond a border
    int side; // of a
    rv_way way;
    bool regular; // both ends are columns of one plane
    float slope, rise, opening, beyond;
    int gaps;
    float flux, speed, last_flux, last_speed;
} plain_pipe;

enum { PLAIN_MOST = 40 }; // pipes of a column

typedef struct plain_column {
    uint32_t slot;
    int x, y, plane;
    float depth, out, in;
    int pipe[PLAIN_MOST], pipes; // regular ones first, then by the other's plane
    bool has_odd, was_live;      // odd pipes; something flowed in them in the last substep
} plain_column;

typedef struct plain {
    const rv_engine *s;
    plain_column *column;
    plain_pipe *pipe;
    int columns, pipes;
    const float *press; // by slot
    int *at;            // [planes][ny][nx]: column, or -1
} plain;

// ---- What is where ------------------------------------------------------------------------------

static int plain_at(const plain *p, int plane, int x, int y)
{
    const rv_grid *g = &p->s->columns->grid;
    if (x < 0 || y < 0 || x >= g->nx || y >= g->ny) return -1;
    return p->at[((size_t)plane * (size_t)g->ny + (size_t)y) * (size_t)g->nx + (size_t)x];
}

static float plain_depth(const plain *p, int plane, int x, int y)
{
    int k = plain_at(p, plane, x, y);
    return k < 0 ? 0.0f : p->column[k].depth;
}

// The regular pipe of a way whose low end is a cell of a plane; NULL: there is none.
static const plain_pipe *plain_regular(const plain *p, int plane, int x, int y, rv_way way)
{
    int k = plain_at(p, plane, x, y);
    for (int i = 0; k >= 0 && i < p->column[k].pipes; i++) {
        const plain_pipe *q = &p->pipe[p->column[k].pipe[i]];
        if (q->regular && q->way == way && q->a == k) return q;
    }
    return NULL;
}

static float plain_speed(const plain *p, int plane, int x, int y, rv_way way)
{
    const plain_pipe *q = plain_regular(p, plane, x, y, way);
    return q ? q->last_speed : 0.0f;
}

static float plain_flux(const plain *p, int plane, int x, int y, rv_way way)
{
    const plain_pipe *q = plain_regular(p, plane, x, y, way);
    return q ? q->last_flux : 0.0f;
}

static int plain_side(const plain_pipe *q, int k)
{
    static const int opposite[8] = {RV_EAST,       RV_WEST,       RV_NORTH,      RV_SOUTH,
                                    RV_NORTH_EAST, RV_SOUTH_WEST, RV_NORTH_WEST, RV_SOUTH_EAST};
    return q->a == k ? q->side : opposite[q->side];
}

// ---- Pipes --------------------------------------------------------------------------------------

// How steep the bed is at a pipe is not this solver's concern; it takes that from the other.
static void plain_bed(const rv_engine *s, uint32_t a, uint32_t b, plain_pipe *q)
{
    for (uint32_t i = 0; i < s->odd_count; i++)
        if (s->odd[i].a == a && s->odd[i].b == b) {
            q->slope = (float)s->odd[i].slope;
            return;
        }
    q->slope = (float)s->slope[q->way][a];
    q->rise = q->way < RV_WAY_NE ? (float)s->rise[q->way][a] : 0.0f;
}

static float plain_opening(const plain *p, int a, int b)
{
    const rv_column_set *c = p->s->columns;
    uint32_t sa = p->column[a].slot, sb = p->column[b].slot;
    return fminf(c->max[sa], c->max[sb]) - fmaxf(c->base[sa], c->base[sb]);
}

// A diagonal pipe needs a third column, at the corner between its ends, that is open to both.
static bool plain_corner(const plain *p, int a, int b)
{
    const plain_column *of = p->column;
    for (int k = 0; k < p->columns; k++) {
        bool one = of[k].x == of[a].x && of[k].y == of[b].y;
        bool two = of[k].x == of[b].x && of[k].y == of[a].y;
        if ((one || two) && plain_opening(p, k, a) > 0 && plain_opening(p, k, b) > 0) return true;
    }
    return false;
}

static void plain_join(plain *p, int a, int b, rv_way way)
{
    plain_pipe q = {.a = a, .b = b, .way = way, .opening = plain_opening(p, a, b)};
    if (!(q.opening > 0) || (way >= RV_WAY_NE && !plain_corner(p, a, b))) return;
    q.side = (int)rv_side_of(way, true), q.regular = p->column[a].plane == p->column[b].plane;
    plain_bed(p->s, p->column[a].slot, p->column[b].slot, &q);
    assert_true(q.slope > 0); // the solver knows this pipe too
    p->pipe[p->pipes++] = q;
}

// Whether column k has a diagonal pipe to some column of a cell.
static bool plain_reaches(const plain *p, int k, int x, int y)
{
    for (int i = 0; i < p->pipes; i++) {
        const plain_pipe *q = &p->pipe[i];
        if (q->way < RV_WAY_NE || (q->a != k && q->b != k)) continue;
        const plain_column *other = &p->column[q->a == k ? q->b : q->a];
        if (other->x == x && other->y == y) return true;
    }
    return false;
}

static void plain_gaps(plain *p)
{
    for (int i = 0; i < p->pipes; i++) {
        plain_pipe *q = &p->pipe[i];
        if (q->way >= RV_WAY_NE) continue;
        int ends[2] = {q->a, q->b};
        for (int k = 0; k < 2; k++) {
            const plain_column *own = &p->column[ends[k]], *other = &p->column[ends[1 - k]];
            for (int side = -1; side <= 1; side += 2) {
                int x = other->x, y = other->y;
                *(own->y == y ? &y : &x) += side;
                q->gaps += !plain_reaches(p, ends[k], x, y);
            }
        }
    }
}

static void plain_borders(plain *p)
{
    const rv_engine *s = p->s;
    for (uint32_t i = 0; i < s->odd_count; i++) {
        if (s->odd[i].b != RV_NO_SLOT) continue;
        for (int k = 0; k < p->columns; k++)
            if (p->column[k].slot == s->odd[i].a)
                p->pipe[p->pipes++] =
                    (plain_pipe){.a = k,
                                 .b = -1,
                                 .side = s->odd[i].side,
                                 .way = s->odd[i].side < RV_SOUTH ? RV_WAY_X : RV_WAY_Y,
                                 .gaps = 4,
                                 .slope = (float)s->odd[i].slope,
                                 .opening = s->odd[i].opening,
                                 .beyond = s->odd[i].beyond};
    }
}

// Tells the columns of their pipes: regular ones first, then planes upward, as the solver promises
// to add them.
static void plain_list(plain *p)
{
    for (int k = 0; k < p->columns; k++) {
        plain_column *c = &p->column[k];
        for (int l = -1; l < RV_LAYERS_MAX; l++)
            for (int i = 0; i < p->pipes; i++) {
                const plain_pipe *q = &p->pipe[i];
                if (q->a != k && q->b != k) continue;
                int other = q->a == k ? q->b : q->a, plane = other < 0 ? 0 : p->column[other].plane;
                if (l != (q->regular ? -1 : plane)) continue;
                assert_true(c->pipes < PLAIN_MOST);
                c->pipe[c->pipes++] = i;
                c->has_odd |= !q->regular;
            }
    }
}

static void plain_take_columns(plain *p)
{
    const rv_column_set *c = p->s->columns;
    int *at = p->at;
    for (int l = 0; l < c->planes; l++)
        for (int y = 0; y < c->grid.ny; y++)
            for (int x = 0; x < c->grid.nx; x++, at++) {
                *at = -1;
                if (!rv_plane_has(&c->plane[l], x, y)) continue;
                size_t slot = rv_slot(&c->plane[l], x, y);
                if (!rv_column_exists(c, slot)) continue;
                *at = p->columns++;
                p->column[*at] = (plain_column){
                    .slot = (uint32_t)slot, .x = x, .y = y, .plane = l, .depth = p->s->depth[slot]};
            }
}

static plain make_plain(const rv_engine *s)
{
    const rv_column_set *c = s->columns;
    size_t n = (size_t)c->columns, cells = (size_t)(c->grid.nx * c->grid.ny);
    plain p = {.s = s,
               .column = calloc(n, sizeof(plain_column)),
               .pipe = calloc(n * 32 + 1000, sizeof(plain_pipe)),
               .at = calloc(cells * (size_t)c->planes, sizeof(int))};
    plain_take_columns(&p);
    for (int a = 0; a < p.columns; a++)
        for (int b = 0; b < p.columns; b++) {
            int dx = p.column[b].x - p.column[a].x, dy = p.column[b].y - p.column[a].y;
            if (dx == 1 && dy == 0) plain_join(&p, a, b, RV_WAY_X);
            if (dx == 0 && dy == 1) plain_join(&p, a, b, RV_WAY_Y);
            if (s->eight && dx == 1 && dy == 1) plain_join(&p, a, b, RV_WAY_NE);
            if (s->eight && dx == -1 && dy == 1) plain_join(&p, a, b, RV_WAY_NW);
        }
    if (s->eight) plain_gaps(&p);
    assert_int_equal(p.pipes, s->pipe_count);
    plain_borders(&p);
    plain_list(&p);
    return p;
}

static void free_plain(plain *p)
{
    free(p->column), free(p->pipe), free(p->at);
}

// ---- Both laws ----------------------------------------------------------------------------------

static float plain_press(const plain *p, int k)
{
    return p->press ? p->press[p->column[k].slot] : 0.0f;
}

static float plain_level_beyond(const plain *p, int side)
{
    const rv_params *q = &p->s->params;
    const rv_border kind[] = {q->border_west, q->border_east, q->border_south, q->border_north};
    const double level[] = {q->border_west_level, q->border_east_level, q->border_south_level,
                            q->border_north_level};
    return kind[side] == RV_BORDER_LEVEL ? (float)level[side] : -1e30f;
}

static bool plain_is_back(const plain_pipe *q)
{
    return q->b < 0 && (q->side == RV_WEST || q->side == RV_SOUTH);
}

static float plain_slant(const rv_law *law, const plain_pipe *q)
{
    float dx = q->way == RV_WAY_Y ? 0.0f : q->way == RV_WAY_NW ? -1.0f : 1.0f;
    float dy = q->way == RV_WAY_X ? 0.0f : 1.0f;
    float slant = dx * law->slant[0] + dy * law->slant[1];
    return plain_is_back(q) ? -slant : slant;
}

static float plain_share(const plain *p, const plain_pipe *q)
{
    bool flow = p->s->flow;
    if (!p->s->eight) return 1.0f;
    if (q->way >= RV_WAY_NE) return flow ? (float)(1.0 / 6) : (float)sqrt(0.5);
    return flow ? (float)(2.0 / 3) + (float)q->gaps * (float)(1.0 / 12) : 1.0f;
}

// ---- Law `cell` ---------------------------------------------------------------------------------

static rv_pipe_end plain_cell_end(const plain *p, const plain_pipe *q, int k)
{
    if (k < 0) {
        float depth = fmaxf(plain_level_beyond(p, q->side) - q->beyond, 0.0f);
        return (rv_pipe_end){depth, q->beyond + depth, 0.0f};
    }
    float depth = p->column[k].depth;
    return (rv_pipe_end){depth, p->s->columns->base[p->column[k].slot] + depth, plain_press(p, k)};
}

static void plain_cell(const plain *p, const rv_law *law, plain_pipe *q)
{
    rv_pipe pipe = {q->slope, plain_share(p, q), plain_slant(law, q), q->flux};
    q->flux = rv_pipe_flux(law, plain_cell_end(p, q, q->a), plain_cell_end(p, q, q->b), pipe, 0);
}

// ---- Law `flow`: what is carried ----------------------------------------------------------------

// What flowed through a side of a column, of several pipes the sum and the mean weighted by what
// flows; positive toward high.
typedef struct plain_through {
    float flux, speed;
} plain_through;

static plain_through plain_side_flow(const plain *p, int k, int side)
{
    const plain_column *c = &p->column[k];
    plain_through sum = {0.0f, 0.0f};
    float weight = 0.0f, speed = 0.0f;
    for (int i = 0; i < c->pipes; i++) {
        const plain_pipe *q = &p->pipe[c->pipe[i]];
        if (plain_side(q, k) != side) continue;
        float sign = plain_is_back(q) ? -1.0f : 1.0f, flux = sign * q->last_flux;
        sum.flux += flux;
        weight += fabsf(flux), speed += fabsf(flux) * (sign * q->last_speed);
        if (!c->has_odd) sum.speed = q->last_speed;
    }
    if (c->has_odd) sum.speed = weight > 0.0f ? speed / weight : 0.0f;
    return sum;
}

static float plain_upstream(float q, float low, float high)
{
    return q * (q > 0.0f ? low : high);
}

static rv_flow_past plain_past_odd(const plain *p, const plain_pipe *q)
{
    rv_flow_past past = {0};
    int low_side = q->way == RV_WAY_X ? RV_WEST : RV_SOUTH, high_side = low_side + 1;
    bool back = plain_is_back(q);
    plain_through low = plain_side_flow(p, q->a, back ? high_side : low_side);
    plain_through high = {q->last_flux, q->last_speed};
    if (q->b >= 0) high = plain_side_flow(p, q->b, high_side);
    if (back) low.flux = -low.flux, low.speed = -low.speed;
    past.in = low.flux + q->last_flux, past.out = q->last_flux + high.flux;
    past.low = plain_upstream(past.in, low.speed, q->last_speed);
    past.high = plain_upstream(past.out, q->last_speed, high.speed);
    return past;
}

// Beside odd pipes: to first order, with all that flows through the sides of both columns.
static rv_flow_past plain_past_seam(const plain *p, const plain_pipe *q)
{
    const plain_column *a = &p->column[q->a];
    bool y = q->way == RV_WAY_Y;
    int low = y ? RV_SOUTH : RV_WEST, across = y ? RV_WEST : RV_SOUTH;
    plain_through before = plain_side_flow(p, q->a, low), after = plain_side_flow(p, q->b, low + 1);
    float own = q->last_speed;
    float south = plain_speed(p, a->plane, a->x - y, a->y - !y, q->way);
    float north = plain_speed(p, a->plane, a->x + y, a->y + !y, q->way);
    rv_flow_past past = {.in = before.flux + q->last_flux, .out = q->last_flux + after.flux};
    past.in_side = plain_side_flow(p, q->a, across).flux + plain_side_flow(p, q->b, across).flux;
    past.out_side =
        plain_side_flow(p, q->a, across + 1).flux + plain_side_flow(p, q->b, across + 1).flux;
    past.low = plain_upstream(past.in, before.speed, own);
    past.high = plain_upstream(past.out, own, after.speed);
    past.south = plain_upstream(past.in_side, south, own);
    past.north = plain_upstream(past.out_side, own, north);
    return past;
}

// Twice the flux half way between a pipe at (x, y) and the next one `step` cells further along x or
// y, and that times the velocity there.
static void plain_between(const plain *p, const rv_law *law, int plane, int x, int y, rv_way way,
                          bool step_y, float flux, float *q, float *product)
{
    float u[4];
    for (int k = 0; k < 4; k++)
        u[k] = plain_speed(p, plane, x + (step_y ? 0 : k - 1), y + (step_y ? k - 1 : 0), way);
    *q = flux;
    *product = flux * rv_flow_between(law, u[0], u[1], u[2], u[3], flux);
}

// Twice the flux along `way` half way between two pipes of that way, or across it from one row of
// them to the next: the mean of the two fluxes there.
static float plain_two(const plain *p, int plane, int x, int y, int bx, int by, rv_way way)
{
    return plain_flux(p, plane, x, y, way) + plain_flux(p, plane, bx, by, way);
}

static rv_flow_past plain_past(const plain *p, const rv_law *law, const plain_pipe *q)
{
    const plain_column *a = &p->column[q->a];
    int l = a->plane, x = a->x, y = a->y;
    rv_flow_past f;
    if (q->way == RV_WAY_X) {
        plain_between(p, law, l, x - 1, y, RV_WAY_X, false,
                      plain_two(p, l, x - 1, y, x, y, RV_WAY_X), &f.in, &f.low);
        plain_between(p, law, l, x, y, RV_WAY_X, false, plain_two(p, l, x, y, x + 1, y, RV_WAY_X),
                      &f.out, &f.high);
        plain_between(p, law, l, x, y - 1, RV_WAY_X, true,
                      plain_two(p, l, x, y - 1, x + 1, y - 1, RV_WAY_Y), &f.in_side, &f.south);
        plain_between(p, law, l, x, y, RV_WAY_X, true, plain_two(p, l, x, y, x + 1, y, RV_WAY_Y),
                      &f.out_side, &f.north);
        return f;
    }
    plain_between(p, law, l, x, y - 1, RV_WAY_Y, true, plain_two(p, l, x, y - 1, x, y, RV_WAY_Y),
                  &f.in, &f.low);
    plain_between(p, law, l, x, y, RV_WAY_Y, true, plain_two(p, l, x, y, x, y + 1, RV_WAY_Y),
                  &f.out, &f.high);
    plain_between(p, law, l, x - 1, y, RV_WAY_Y, false,
                  plain_two(p, l, x - 1, y, x - 1, y + 1, RV_WAY_X), &f.in_side, &f.south);
    plain_between(p, law, l, x, y, RV_WAY_Y, false, plain_two(p, l, x, y, x, y + 1, RV_WAY_X),
                  &f.out_side, &f.north);
    return f;
}

// The velocity of a regular pipe traced back (swe.advection: semi).
static float plain_traced(const plain *p, const rv_law *law, const plain_pipe *q)
{
    const plain_column *a = &p->column[q->a];
    int l = a->plane, x = a->x, y = a->y, dx = q->way == RV_WAY_X, dy = !dx;
    rv_way other = dx ? RV_WAY_Y : RV_WAY_X;
    float own = q->last_speed, v[4]; // beside it: at both ends, on both sides
    for (int k = 0; k < 4; k++) {
        int end = k & 1, low = k >> 1;
        v[k] = plain_speed(p, l, x + dx * end - dy * low, y + dy * end - dx * low, other);
    }
    float mean = 0.25f * ((v[0] + v[1]) + (v[2] + v[3]));
    int back = own > 0.0f ? -1 : 1, aside = mean > 0.0f ? -1 : 1;
    float along = plain_speed(p, l, x + dx * back, y + dy * back, q->way);
    float across = plain_speed(p, l, x + dy * aside, y + dx * aside, q->way);
    float both = plain_speed(p, l, x + dx * back + dy * aside, y + dy * back + dx * aside, q->way);
    float far_x = fminf(fabsf(own) * law->lead, 1.0f), far_y = fminf(fabsf(mean) * law->lead, 1.0f);
    float near = own + far_x * (along - own), far = across + far_x * (both - across);
    return near + far_y * (far - near);
}

// ---- Law `flow`: one pipe -----------------------------------------------------------------------

static rv_flow_end plain_flow_end(const plain *p, const plain_pipe *q, int k, bool high)
{
    if (k < 0) {
        float depth = fmaxf(plain_level_beyond(p, q->side) - q->beyond, 0.0f);
        return (rv_flow_end){q->beyond, depth, depth, 0.0f, 0.0f};
    }
    const plain_column *c = &p->column[k];
    rv_flow_end end = {p->s->columns->base[c->slot], c->depth, c->depth, 0.0f, plain_press(p, k)};
    if (!q->regular) return end;
    int dx = q->way == RV_WAY_Y ? 0 : q->way == RV_WAY_NW ? -1 : 1, dy = q->way != RV_WAY_X;
    if (!high) dx = -dx, dy = -dy;
    int l = c->plane, x = c->x, y = c->y;
    end.behind = plain_depth(p, l, x + dx, y + dy);
    end.spread = (plain_speed(p, l, x, y, RV_WAY_X) - plain_speed(p, l, x - 1, y, RV_WAY_X)) +
                 (plain_speed(p, l, x, y, RV_WAY_Y) - plain_speed(p, l, x, y - 1, RV_WAY_Y));
    return end;
}

// Twice the rise of depths across a pipe at a column.
static float plain_lean(const plain *p, const plain_pipe *q, int k)
{
    const plain_column *c = &p->column[k];
    int dx = q->way == RV_WAY_Y, dy = !dx;
    return plain_depth(p, c->plane, c->x + dx, c->y + dy) -
           plain_depth(p, c->plane, c->x - dx, c->y - dy);
}

static void plain_flow(const plain *p, const rv_law *law, plain_pipe *q)
{
    const rv_engine *s = p->s;
    rv_flow_end a = plain_flow_end(p, q, q->a, false), b = plain_flow_end(p, q, q->b, true);
    bool seam = q->regular && (p->column[q->a].was_live || p->column[q->b].was_live);
    bool straight = q->way < RV_WAY_NE, timed = s->timed && q->regular;
    q->flux = q->speed = 0.0f;
    if (!q->regular && !(a.depth > law->film) && !(b.depth > law->film)) return;
    rv_flow_pipe pipe = {.slope = q->slope,
                         .u = q->last_speed,
                         .both = fmaxf(a.depth + b.depth, law->film),
                         .rise = q->rise,
                         .slant = plain_slant(law, q),
                         .opening = q->opening,
                         .share = plain_share(p, q)};
    if (q->regular && straight) pipe.side = plain_lean(p, q, q->a) + plain_lean(p, q, q->b);
    if (s->traced && q->regular) pipe.u = plain_traced(p, law, q);
    if (s->carries && !s->traced) {
        rv_flow_past past = !q->regular ? plain_past_odd(p, q)
                            : seam      ? plain_past_seam(p, q)
                                        : plain_past(p, law, q);
        pipe.carried = rv_flow_carried(law, past, pipe.u);
        pipe.both = fmaxf(pipe.both, rv_flow_comes(law, past));
        timed = timed && !seam;
    }
    if (timed) {
        const plain_column *c = &p->column[q->a];
        int dx = q->way == RV_WAY_X, dy = !dx;
        pipe.low = plain_speed(p, c->plane, c->x - dx, c->y - dy, q->way);
        pipe.high = plain_speed(p, c->plane, c->x + dx, c->y + dy, q->way);
    }
    rv_flow f = rv_flow_through(law, a, b, pipe, (rv_flow_ease){1, 1, timed});
    q->speed = f.speed, q->flux = f.flux;
}

// ---- A substep ----------------------------------------------------------------------------------

// Flux out of column k by side.
static void plain_sides(const plain *p, int k, float out[8], float in[8], float net[8])
{
    const plain_column *c = &p->column[k];
    memset(out, 0, 32), memset(in, 0, 32), memset(net, 0, 32);
    for (int i = 0; i < c->pipes; i++) {
        const plain_pipe *q = &p->pipe[c->pipe[i]];
        int side = plain_side(q, k);
        float flux = q->a == k ? q->flux : -q->flux;
        out[side] += fmaxf(flux, 0), in[side] += fmaxf(-flux, 0), net[side] += flux;
    }
}

static float plain_sum(const float v[8])
{
    return ((v[0] + v[1]) + (v[2] + v[3])) + ((v[4] + v[5]) + (v[6] + v[7]));
}

static void plain_keep_last(plain *p)
{
    for (int i = 0; i < p->pipes; i++)
        p->pipe[i].last_flux = p->pipe[i].flux, p->pipe[i].last_speed = p->pipe[i].speed;
    for (int k = 0; k < p->columns; k++) {
        plain_column *c = &p->column[k];
        c->was_live = false;
        for (int i = 0; i < c->pipes; i++)
            c->was_live |= !p->pipe[c->pipe[i]].regular && p->pipe[c->pipe[i]].flux != 0.0f;
    }
}

// Where liquid flows through a column without room, the other solver lets in more than surely fits
// (scales.c). How much is not looked at here, but that it starts from the same share.
static void plain_relax(plain *p)
{
    const rv_engine *s = p->s;
    for (uint32_t i = 0; i < s->cut_count; i++)
        for (int k = 0; k < p->columns; k++)
            if (p->column[k].slot == s->cut[i].slot) {
                assert_true(p->column[k].in == s->cut[i].safe);
                p->column[k].in = s->in_scale[s->cut[i].slot];
            }
}

// What columns cannot give or take is cut, and what finds no room is stopped.
static void plain_cut(plain *p, const rv_law *law)
{
    for (int k = 0; k < p->columns; k++) {
        plain_column *c = &p->column[k];
        float out[8], in[8], net[8], cap = rv_cap(p->s, c->slot);
        plain_sides(p, k, out, in, net);
        c->out = rv_share(rv_to_give(c->depth), law->dt_area * plain_sum(out));
        c->in = rv_share(rv_to_take(c->depth, cap), law->dt_area * plain_sum(in));
    }
    plain_relax(p);
    for (int i = 0; i < p->pipes; i++) {
        plain_pipe *q = &p->pipe[i];
        const plain_column *a = &p->column[q->a];
        float out_b = q->b < 0 ? 1 : p->column[q->b].out, in_b = q->b < 0 ? 1 : p->column[q->b].in;
        q->speed *= q->speed > 0 ? in_b : a->in;
        q->flux *= q->flux > 0 ? fminf(a->out, in_b) : fminf(out_b, a->in);
    }
}

static void plain_step(plain *p, const rv_law *law)
{
    rv_law slanted = *law; // along diagonals
    slanted.fall *= 1.41421356f, slanted.bend *= 0.5f;
    plain_keep_last(p);
    for (int i = 0; i < p->pipes; i++) {
        const rv_law *own = p->pipe[i].way >= RV_WAY_NE ? &slanted : law;
        if (p->s->flow)
            plain_flow(p, own, &p->pipe[i]);
        else
            plain_cell(p, own, &p->pipe[i]);
    }
    plain_cut(p, law);
    for (int k = 0; k < p->columns; k++) {
        float out[8], in[8], net[8], *depth = &p->column[k].depth;
        plain_sides(p, k, out, in, net);
        *depth = rv_depth_after(*depth, law->dt_area * -plain_sum(net), law->salt);
    }
}

#endif
