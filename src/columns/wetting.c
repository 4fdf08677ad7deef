// Where liquid wets what (docs/tension.md): the contact angles of beds and walls. They are those of
// the solid whose surface it is, else the liquid's, shifted by the affinity that a map or
// rv_world_paint gave the cell.
//
// The cosine goes with the affinity, as it does with a surface's energy: of the solid's own angle
// at one half, of 0 at 1, and at 0 of 120 degrees, the most that wax or any smooth solid has, or of
// the own angle where that is larger.
#include "columns/tension.h"

#include "base/map.h"

#include <math.h>
#include <string.h>

#define HALF 127        // the affinity one half, as it is stored; 1 is twice that
#define REPELLED (-0.5) // cosine of 120 degrees

// Of the rows that are here; the first stands at cell 0.
static size_t cell_count(const rv_engine *s)
{
    rv_rows here = s->tension->cells;
    return (size_t)s->columns->grid.nx * (size_t)(here.to - here.from);
}

static size_t cell_at(const rv_engine *s, int x, int y)
{
    return (size_t)(y - s->tension->cells.from) * (size_t)s->columns->grid.nx + (size_t)x;
}

static uint8_t stored(double affinity)
{
    return (uint8_t)(fmin(fmax(affinity, 0.0), 1.0) * (2.0 * HALF) + 0.5);
}

rv_result rv_wetting_make(rv_engine *s, const rv_map *map)
{
    rv_tension *t = s->tension;
    const rv_grid *g = &s->columns->grid;
    const rv_angles *sets;
    t->cells = rv_grid_kept(g);
    t->affinity = rv_new(&s->allocator, cell_count(s), 1);
    if (!t->affinity) return RV_OUT_OF_MEMORY;
    memset(t->affinity, HALF, cell_count(s));
    for (int y = t->cells.from; map && y < t->cells.to; y++)
        for (int x = 0; x < g->nx; x++)
            t->affinity[cell_at(s, x, y)] =
                stored(rv_map_at(map, (x + 0.5) / g->nx, (y + 0.5) / g->ny));
    if (rv_terrain_angles(s->terrain, &sets) == 0) return RV_OK;
    t->set = rv_new(&s->allocator, s->slots, RV_SETS);
    return t->set ? RV_OK : RV_OUT_OF_MEMORY;
}

void rv_wetting_free(rv_engine *s)
{
    rv_free(&s->allocator, s->tension->affinity, cell_count(s), 1);
    rv_free(&s->allocator, s->tension->set, s->slots, RV_SETS);
}

size_t rv_wetting_bytes(const rv_engine *s)
{
    return cell_count(s) + (s->tension->set ? RV_SETS * s->slots : 0);
}

// ---- Whose surface it is ------------------------------------------------------------------------

static const int ways[4][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};

static bool is_inside(const rv_grid *g, int x, int y)
{
    return x >= 0 && y >= 0 && x < g->nx && y < g->ny;
}

void rv_wetting_ask(rv_engine *s, uint32_t slot, int x, int y)
{
    rv_tension *t = s->tension;
    const rv_grid *g = &s->columns->grid;
    if (!t->set) return;
    uint8_t *set = t->set + RV_SETS * (size_t)slot;
    double base = (double)s->columns->base[slot];
    set[0] = rv_terrain_angles_at(s->terrain, x, y, base);
    for (int side = 0; side < 4; side++) {
        int i = x + ways[side][0], j = y + ways[side][1];
        bool asked = t->end[slot] && is_inside(g, i, j);
        // walls stand higher than this, see is_wall in tension.c
        set[1 + side] = asked ? rv_terrain_angles_at(s->terrain, i, j, base + 0.5 * g->dx) : 0;
    }
}

// ---- Angles -------------------------------------------------------------------------------------

static double shifted(double angle, uint8_t affinity)
{
    if (affinity == HALF) return angle;
    double own = cos(angle), share = (affinity - HALF) * (1.0 / HALF);
    double to = share > 0.0 ? 1.0 : fmin(own, REPELLED);
    return acos(fmin(fmax(own + (to - own) * fabs(share), -1.0), 1.0));
}

static double either(double own, double liquid)
{
    return own >= 0.0 ? own : liquid;
}

// The set's angles, or the liquid's.
static rv_angles angles_of(const rv_engine *s, int set)
{
    const rv_params *p = &s->params;
    const rv_angles *sets;
    rv_angles own = {-1.0, -1.0, -1.0, 0.0};
    if (rv_terrain_angles(s->terrain, &sets) > set) own = sets[set];
    return (rv_angles){either(own.advancing, p->liquid_advancing),
                       either(own.receding, p->liquid_receding),
                       either(own.contact, p->liquid_contact), own.cold};
}

static uint8_t affinity_of(const rv_engine *s, int x, int y)
{
    const rv_grid *g = &s->columns->grid;
    bool here = is_inside(g, x, y) && rv_rows_have(s->tension->cells, y);
    return here ? s->tension->affinity[cell_at(s, x, y)] : HALF;
}

rv_angles rv_wetting_bed(const rv_engine *s, uint32_t slot, int x, int y)
{
    const uint8_t *set = s->tension->set;
    rv_angles a = angles_of(s, set ? set[RV_SETS * (size_t)slot] : 0);
    uint8_t affinity = affinity_of(s, x, y);
    a.advancing = fmax(shifted(a.advancing, affinity), RV_LEAST_ANGLE);
    a.receding = fmin(shifted(a.receding, affinity), a.advancing);
    return a;
}

double rv_wetting_wall(const rv_engine *s, uint32_t slot, int x, int y, int side)
{
    const uint8_t *set = s->tension->set;
    rv_angles a = angles_of(s, set ? set[RV_SETS * (size_t)slot + 1 + (size_t)side] : 0);
    return cos(shifted(a.contact, affinity_of(s, x + ways[side][0], y + ways[side][1])));
}

// The least and the greatest advancing angle that any bed may have: what is stable with both is
// stable everywhere.
void rv_wetting_range(rv_engine *s)
{
    rv_tension *t = s->tension;
    const rv_angles *sets;
    int count = rv_terrain_angles(s->terrain, &sets);
    uint8_t low = HALF, high = HALF;
    for (size_t i = 0; i < cell_count(s); i++) {
        if (t->affinity[i] < low) low = t->affinity[i];
        if (t->affinity[i] > high) high = t->affinity[i];
    }
    if (s->far) {
        double ends[2] = {-(double)low, high};
        rv_cut_greatest(s->columns->grid.cut, ends, 2);
        low = (uint8_t)-ends[0], high = (uint8_t)ends[1];
    }
    t->least = t->most = fmax(s->params.liquid_advancing, RV_LEAST_ANGLE);
    for (int k = 0; k < (count > 1 ? count : 1); k++) {
        double angle = angles_of(s, k).advancing;
        t->least = fmin(t->least, fmax(shifted(angle, high), RV_LEAST_ANGLE));
        t->most = fmax(t->most, shifted(angle, low));
    }
}

// ---- Changing it --------------------------------------------------------------------------------

// The law follows the range of angles, and the number of substeps the law.
static void settle(rv_engine *s)
{
    rv_pipes_set_law(s, s->params.time_step);
    rv_pipes_scan(s);
}

// Area `cell` knows no tension.
const uint8_t *rv_wetting_affinity(const rv_engine *s)
{
    return s->flow && s->tension ? s->tension->affinity : NULL;
}

bool rv_wetting_paint(rv_engine *s, double x, double y, double radius, double affinity)
{
    rv_tension *t = s->tension;
    const rv_grid *g = &s->columns->grid;
    if (!rv_wetting_affinity(s)) return false;
    double u = (x - g->x0) / g->dx, v = (y - g->y0) / g->dx, r = fmax(radius / g->dx, 0.5);
    rv_rect cells = {(int)fmax(floor(u - r), 0.0), (int)fmax(floor(v - r), 0.0),
                     (int)fmin(ceil(u + r), g->nx), (int)fmin(ceil(v + r), g->ny)};
    if (!(u > -r && v > -r && u < g->nx + r && v < g->ny + r)) return true; // beside the grid
    for (int j = cells.y0; j < cells.y1; j++)
        for (int i = cells.x0; i < cells.x1; i++) {
            double dx = i + 0.5 - u, dy = j + 0.5 - v;
            bool under = (int)floor(u) == i && (int)floor(v) == j;
            if ((under || dx * dx + dy * dy <= r * r) && rv_rows_have(t->cells, j))
                t->affinity[cell_at(s, i, j)] = stored(affinity);
        }
    // and what has one of these cells for a wall
    cells = (rv_rect){cells.x0 - 1, cells.y0 - 1, cells.x1 + 1, cells.y1 + 1};
    rv_tension_adjust(s, cells);
    rv_rest_stir_cells(s, cells);
    settle(s);
    return true;
}

void rv_wetting_changed(rv_engine *s, rv_rect cells)
{
    if (!s->tension || !s->tension->set) return;
    cells = (rv_rect){cells.x0 - 1, cells.y0 - 1, cells.x1 + 1, cells.y1 + 1};
    rv_tension_survey(s, cells);
    rv_rest_stir_cells(s, cells);
    settle(s);
}

void rv_wetting_restored(rv_engine *s)
{
    rv_tension *t = s->tension;
    const rv_grid *g = &s->columns->grid;
    for (size_t i = 0; t && i < cell_count(s); i++)
        if (t->affinity[i] > 2 * HALF) t->affinity[i] = 2 * HALF;
    if (t) rv_tension_adjust(s, (rv_rect){0, 0, g->nx, g->ny});
    rv_pipes_set_law(s, s->params.time_step);
}
