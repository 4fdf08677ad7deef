// Which columns are joined by pipes and how steep the bed is there, for the plain solver: every
// pair of columns is looked at (docs/pipes-inside.md, "Slopes and falls").
#include "plain_laws.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#define TAN_60 1.7320508f // steeper is a fall

static bool is_diagonal(plain_way way)
{
    return way == ALONG_NE || way == ALONG_NW;
}

// ---- Who is joined ------------------------------------------------------------------------------

static float opening(const plain *p, int a, int b)
{
    const plain_column *ca = &p->column[a], *cb = &p->column[b];
    return fminf(ca->max, cb->max) - fmaxf(ca->base, cb->base);
}

// A diagonal pipe needs a third column, at the corner between its ends, that is open to both.
static bool has_corner(const plain *p, int a, int b)
{
    const plain_column *of = p->column;
    for (int k = 0; k < p->columns; k++) {
        bool one = of[k].x == of[a].x && of[k].y == of[b].y;
        bool two = of[k].x == of[b].x && of[k].y == of[a].y;
        if ((one || two) && opening(p, k, a) > 0 && opening(p, k, b) > 0) return true;
    }
    return false;
}

static void join(plain *p, int a, int b, plain_way way)
{
    static const plain_side side[] = {E, N, NE, NW};
    plain_pipe q = {.a = a, .b = b, .way = way, .side = side[way], .opening = opening(p, a, b)};
    if (!(q.opening > 0) || (is_diagonal(way) && !has_corner(p, a, b))) return;
    q.regular = p->column[a].plane == p->column[b].plane;
    p->pipe[p->pipes++] = q;
}

static void join_all(plain *p)
{
    for (int a = 0; a < p->columns; a++)
        for (int b = 0; b < p->columns; b++) {
            int dx = p->column[b].x - p->column[a].x, dy = p->column[b].y - p->column[a].y;
            if (dx == 1 && dy == 0) join(p, a, b, ALONG_X);
            if (dx == 0 && dy == 1) join(p, a, b, ALONG_Y);
            if (p->eight && dx == 1 && dy == 1) join(p, a, b, ALONG_NE);
            if (p->eight && dx == -1 && dy == 1) join(p, a, b, ALONG_NW);
        }
}

// Whether column k has a diagonal pipe to some column of a cell.
static bool reaches(const plain *p, int k, int x, int y)
{
    for (int i = 0; i < p->pipes; i++) {
        const plain_pipe *q = &p->pipe[i];
        if (!is_diagonal(q->way) || (q->a != k && q->b != k)) continue;
        const plain_column *other = &p->column[q->a == k ? q->b : q->a];
        if (other->x == x && other->y == y) return true;
    }
    return false;
}

// Diagonals that are missing on both sides of the pipes along x and y.
static void count_gaps(plain *p)
{
    for (int i = 0; i < p->pipes; i++) {
        plain_pipe *q = &p->pipe[i];
        if (is_diagonal(q->way)) continue;
        int ends[2] = {q->a, q->b};
        for (int k = 0; k < 2; k++) {
            const plain_column *own = &p->column[ends[k]], *other = &p->column[ends[1 - k]];
            for (int side = -1; side <= 1; side += 2) {
                int x = other->x, y = other->y;
                *(own->y == y ? &y : &x) += side;
                q->gaps += !reaches(p, ends[k], x, y);
            }
        }
    }
}

// ---- How steep it is ----------------------------------------------------------------------------

static float fall_of(const plain *p)
{
    return TAN_60 * (float)p->params.grid_dx;
}

// Rise of the bed to the next column of the same plane; false where there is none, or a wall, or a
// fall.
static bool rise_to(const plain *p, int k, int dx, int dy, float *rise)
{
    const plain_column *c = &p->column[k];
    int other = plain_at(p, c->plane, c->x + dx, c->y + dy);
    *rise = 0.0f;
    if (other < 0 || opening(p, k, other) <= 0.0f) return false;
    float up = p->column[other].base - c->base;
    if (fabsf(up) > fall_of(p)) return false;
    *rise = up;
    return true;
}

// Mean rise a cell along x or y.
static float mean_rise(const plain *p, int k, int dx, int dy)
{
    float ahead, behind;
    int found = rise_to(p, k, dx, dy, &ahead) + rise_to(p, k, -dx, -dy, &behind);
    return found ? (ahead - behind) / (float)found : 0.0f;
}

// cos²α of a bed that rises by these two in a cell, m, as a whole number of 1/65535.
static float cosine_of(const plain *p, float along, float across)
{
    float dx = (float)p->params.grid_dx, square = (along * along + across * across) / (dx * dx);
    if (!p->has_slopes || square > TAN_60 * TAN_60) return SLOPE_ONE;
    return floorf(SLOPE_ONE / (1.0f + square) + 0.5f);
}

// Rise from the middle of a diagonal pipe to the cell (x, y) beside it, in the plane of its end k.
static bool rise_beside(const plain *p, int k, int x, int y, float middle, float *rise)
{
    int other = plain_at(p, p->column[k].plane, x, y);
    *rise = 0.0f;
    if (other < 0 || opening(p, other, k) <= 0.0f) return false;
    float up = p->column[other].base - middle;
    if (fabsf(up) > fall_of(p)) return false;
    *rise = up;
    return true;
}

static float rise_across_diagonal(const plain *p, const plain_pipe *q, int end, float middle)
{
    const plain_column *a = &p->column[q->a];
    float beside, north;
    bool has = rise_beside(p, end, a->x + (q->way == ALONG_NE ? 1 : -1), a->y, middle, &beside);
    bool has_north = rise_beside(p, end, a->x, a->y + 1, middle, &north);
    if (has && has_north) return beside - north;
    return has ? 2.0f * beside : -2.0f * north;
}

static void set_slope(const plain *p, plain_pipe *q)
{
    const float half_diagonal = 0.70710678f; // the length of a diagonal is √2 cells
    float along = p->column[q->b].base - p->column[q->a].base, dx = (float)p->params.grid_dx;
    if (is_diagonal(q->way)) {
        float middle = 0.5f * (p->column[q->a].base + p->column[q->b].base);
        float across = 0.5f * (rise_across_diagonal(p, q, q->a, middle) +
                               rise_across_diagonal(p, q, q->b, middle));
        q->slope = cosine_of(p, half_diagonal * along, half_diagonal * across);
        return;
    }
    int x = q->way == ALONG_Y, y = !x; // across it
    float across = 0.5f * (mean_rise(p, q->a, x, y) + mean_rise(p, q->b, x, y));
    q->slope = cosine_of(p, along, across);
    along = along / dx, across = across / dx;
    if (p->has_slopes && along * along + across * across <= TAN_60 * TAN_60)
        q->rise = (float)lroundf(across * RISE_ONE);
}

// ---- Borders ------------------------------------------------------------------------------------

// Beyond an open border the bed goes on as it comes, if that is downhill.
static void add_border(plain *p, int k, plain_side side, rv_border kind)
{
    static const int inward_x[] = {1, -1, 0, 0}, inward_y[] = {0, 0, 1, -1};
    const plain_column *c = &p->column[k];
    bool along_y = side == S || side == N;
    float fall;
    rise_to(p, k, inward_x[side], inward_y[side], &fall);
    if (kind != RV_BORDER_OPEN || !(fall > 0.0f)) fall = 0.0f;
    p->pipe[p->pipes++] =
        (plain_pipe){.a = k,
                     .b = -1,
                     .side = side,
                     .way = along_y ? ALONG_Y : ALONG_X,
                     .gaps = 4, // beyond, all directions are one
                     .slope = cosine_of(p, fall, mean_rise(p, k, along_y, !along_y)),
                     .opening = c->max - c->base,
                     .beyond = c->base - fall};
}

static void add_borders(plain *p)
{
    const rv_params *q = &p->params;
    const rv_border kind[] = {q->border_west, q->border_east, q->border_south, q->border_north};
    for (int k = 0; k < p->columns; k++) {
        const plain_column *c = &p->column[k];
        const bool there[] = {c->x == 0, c->x == p->nx - 1, c->y == 0, c->y == p->ny - 1};
        for (int side = W; side <= N; side++)
            if (there[side] && (kind[side] == RV_BORDER_OPEN || kind[side] == RV_BORDER_LEVEL))
                add_border(p, k, (plain_side)side, kind[side]);
    }
}

// ---- All of it ----------------------------------------------------------------------------------

// Tells the columns of their pipes: regular ones first, then planes upward, which is the order in
// which they are summed.
static void tell_columns(plain *p)
{
    for (int k = 0; k < p->columns; k++) {
        plain_column *c = &p->column[k];
        for (int l = -1; l < p->planes; l++)
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

void plain_find_pipes(plain *p)
{
    p->pipe = calloc((size_t)p->columns * 32 + 1000, sizeof *p->pipe);
    assert_non_null(p->pipe);
    join_all(p);
    if (p->eight) count_gaps(p);
    for (int i = 0; i < p->pipes; i++) set_slope(p, &p->pipe[i]);
    p->inner_pipes = p->pipes;
    add_borders(p);
    tell_columns(p);
}
