// What the liquid flows over: beds and how steep they are, and what stands beyond the borders.
#include "solvers/swe/swe.h"

#include <math.h>

#define SIDES 4 // west, east, south, north
// Slopes from 60° on are falls, not films: tan 60°.
#define FALL_SLOPE 1.7320508f

rv_border rv_swe_border(const rv_solver *s, int side)
{
    const rv_params *p = &s->params;
    const rv_border kinds[] = {p->border_west, p->border_east, p->border_south, p->border_north};
    return kinds[side];
}

static float held_level(const rv_solver *s, int side)
{
    const rv_params *p = &s->params;
    const double levels[] = {p->border_west_level, p->border_east_level, p->border_south_level,
                             p->border_north_level};
    return (float)rv_grid_snap(&s->columns->grid, levels[side]);
}

// ---- Beds ---------------------------------------------------------------------------------------

// Base of the topmost column of a cell of the grid.
static float top_bed(const rv_column_set *c, int x, int y)
{
    float bed = RV_SWE_WALL;
    for (int p = 0; p < c->planes; p++) {
        if (!rv_plane_has(&c->plane[p], x, y)) break;
        size_t slot = rv_slot(&c->plane[p], x, y);
        if (!rv_column_exists(c, slot)) break;
        bed = c->base[slot];
    }
    return bed;
}

static bool in_plane(const rv_solver *s, int x, int y)
{
    return x >= 0 && x < s->nx && y >= 0 && y < s->ny;
}

// Rise of the bed to the neighbour, 0 and *found unchanged where there is none or it is a fall.
static float rise_to(const rv_solver *s, int x, int y, int dx, int dy, int *found)
{
    if (!in_plane(s, x + dx, y + dy)) return 0.0f;
    float rise = s->bed[rv_swe_at(s, x + dx, y + dy)] - s->bed[rv_swe_at(s, x, y)];
    if (fabsf(rise) > FALL_SLOPE * (float)s->columns->grid.dx) return 0.0f;
    ++*found;
    return rise;
}

// Mean rise of the bed per cell along one axis.
static float slope_at(const rv_solver *s, int x, int y, int dx, int dy)
{
    int found = 0;
    float forward = rise_to(s, x, y, dx, dy, &found), backward = rise_to(s, x, y, -dx, -dy, &found);
    return found ? (forward - backward) / (float)found : 0.0f;
}

// 1 − cos²α of the steepest slope of the bed at a face, coded; falls have none.
static uint16_t tilt_code(const rv_solver *s, float along, float across)
{
    float dx = (float)s->columns->grid.dx;
    float tangent2 = (along * along + across * across) / (dx * dx);
    if (!(tangent2 <= FALL_SLOPE * FALL_SLOPE)) return 0;
    return (uint16_t)(RV_TILT_ONE * (tangent2 / (1.0f + tangent2)) + 0.5f);
}

static uint16_t tilt_at(const rv_solver *s, int x, int y, int dx, int dy)
{
    if (!in_plane(s, x + dx, y + dy)) return 0;
    float along = s->bed[rv_swe_at(s, x + dx, y + dy)] - s->bed[rv_swe_at(s, x, y)];
    float across = 0.5f * (slope_at(s, x, y, dy, dx) + slope_at(s, x + dx, y + dy, dy, dx));
    return tilt_code(s, along, across);
}

void rv_swe_ground(rv_solver *s, rv_rect cells)
{
    const rv_column_set *c = s->columns;
    for (int y = 0; y < s->ny; y++)
        for (int x = 0; x < s->nx; x++) {
            int gx = s->x0 + x, gy = s->y0 + y;
            if (gx < cells.x0 || gx >= cells.x1 || gy < cells.y0 || gy >= cells.y1) continue;
            s->bed[rv_swe_at(s, x, y)] = top_bed(c, gx, gy);
        }
    // tilts look one cell further, along and across
    s->highest_bed = (float)c->grid.bottom;
    for (int y = 0; y < s->ny; y++)
        for (int x = 0; x < s->nx; x++) {
            size_t i = rv_swe_at(s, x, y);
            if (s->bed[i] < RV_SWE_WALL) s->highest_bed = rv_f_max(s->highest_bed, s->bed[i]);
            int gx = s->x0 + x, gy = s->y0 + y;
            if (gx < cells.x0 - 2 || gx > cells.x1 + 1 || gy < cells.y0 - 2 || gy > cells.y1 + 1)
                continue;
            s->tilt_x[i] = tilt_at(s, x, y, 1, 0), s->tilt_y[i] = tilt_at(s, x, y, 0, 1);
        }
    for (int y = 0; y < s->ny; y++) {
        s->row_tilted[y] = 0;
        for (size_t i = rv_swe_at(s, 0, y); i < rv_swe_at(s, s->nx, y); i++)
            if (s->tilt_x[i] | s->tilt_y[i]) s->row_tilted[y] = 1;
    }
}

// ---- Borders ------------------------------------------------------------------------------------

// A slot of the ring is a wall, without flow.
static void wall_off(rv_solver *s, size_t out, size_t face, float *speed, float *last, float *flux)
{
    s->bed[out] = RV_SWE_WALL, s->depth[out] = 0.0f;
    speed[face] = last[face] = flux[face] = 0.0f;
}

static void close_side(rv_solver *s, int side)
{
    rv_swe_rim *rim = s->rim + (side == 2 ? s->columns->grid.ny : 0);
    int length = side < 2 ? s->ny : s->nx, from = side < 2 ? s->y0 : s->x0;
    for (int k = 0; k < length; k++) {
        int out_x = side == 0 ? -1 : side == 1 ? s->nx : k;
        int out_y = side == 2 ? -1 : side == 3 ? s->ny : k;
        int face_x = side == 1 ? s->nx - 1 : out_x, face_y = side == 3 ? s->ny - 1 : out_y;
        bool along_y = side > 1;
        wall_off(s, rv_swe_at(s, out_x, out_y), rv_swe_at(s, face_x, face_y),
                 along_y ? s->speed_y : s->speed_x, along_y ? s->last_y : s->last_x,
                 along_y ? s->flux_y : s->flux_x);
        if (side == 0 || side == 2) rim[from + k] = (rv_swe_rim){0.0f, 0.0f};
    }
}

void rv_swe_set_sides(rv_solver *s)
{
    const rv_grid *g = &s->columns->grid;
    const bool at[SIDES] = {s->x0 == 0, s->x0 + s->nx == g->nx, s->y0 == 0, s->y0 + s->ny == g->ny};
    for (int side = 0; side < SIDES; side++) {
        rv_border kind = rv_swe_border(s, side);
        s->passable[side] =
            s->ny > 0 && at[side] && (kind == RV_BORDER_OPEN || kind == RV_BORDER_LEVEL);
        if (!s->passable[side]) close_side(s, side);
    }
}

// Beyond an open border the bed goes on as it comes, if that is downhill, and is dry; beyond one
// that holds a level it is as high as here, and the liquid stands at that level.
static void set_beyond(rv_solver *s, int side, size_t in, size_t inner, size_t out)
{
    float bed = s->bed[in], depth = 0.0f;
    if (!s->passable[side] || !(bed < RV_SWE_WALL)) {
        s->bed[out] = RV_SWE_WALL, s->depth[out] = 0.0f;
        return;
    }
    if (rv_swe_border(s, side) == RV_BORDER_LEVEL) {
        depth = rv_f_max(held_level(s, side) - bed, 0.0f);
    } else {
        float rise = s->bed[inner] - bed;
        if (rise > 0.0f && rise <= FALL_SLOPE * (float)s->columns->grid.dx) bed -= rise;
    }
    s->bed[out] = bed, s->depth[out] = depth;
}

void rv_swe_set_ring(rv_solver *s)
{
    int far_x = s->nx - 1, far_y = s->ny - 1;
    for (int y = 0; y < s->ny; y++) {
        set_beyond(s, 0, rv_swe_at(s, 0, y), rv_swe_at(s, 1, y), rv_swe_at(s, -1, y));
        set_beyond(s, 1, rv_swe_at(s, far_x, y), rv_swe_at(s, far_x - 1, y),
                   rv_swe_at(s, s->nx, y));
    }
    for (int x = 0; x < s->nx; x++) {
        set_beyond(s, 2, rv_swe_at(s, x, 0), rv_swe_at(s, x, 1), rv_swe_at(s, x, -1));
        set_beyond(s, 3, rv_swe_at(s, x, far_y), rv_swe_at(s, x, far_y - 1),
                   rv_swe_at(s, x, s->ny));
    }
}
