// What surface tension needs to know of beds, walls and neighbours (docs/tension.md), found when
// columns are made or edited: how far a bed leans, what wetting it costs, which columns are ends,
// beside a wall, an edge, a border or a pipe to another plane, and how walls there pull.
#include "columns/tension.h"

#include "base/noise.h"
#include "columns/joints.h"

#include <math.h>

// ---- Beds ---------------------------------------------------------------------------------------

#define SPOT 5e-3 // m, size of the spots that are wetted more or less easily

// How much more than the mean wetting costs at a place, as a share: spots of some millimetres, the
// same whatever the grid is.
static double unevenness(const rv_engine *s, int x, int y)
{
    const rv_params *p = &s->params;
    double dx = p->grid_dx, size = fmax(SPOT, dx);
    double u = (p->grid_x + (x + 0.5 - 0.5 * p->grid_nx) * dx) / size;
    double v = (p->grid_y + (y + 0.5 - 0.5 * p->grid_ny) * dx) / size;
    return p->liquid_uneven * rv_noise((rv_vec3){u, v, 0}, (uint32_t)p->seed);
}

double rv_tension_length2(const rv_engine *s)
{
    const rv_params *p = &s->params;
    double weight = p->liquid_density * rv_gravity_down(p);
    return weight > 0.0 ? p->liquid_tension / weight : 0.0;
}

// The thickness over which the cost of wetting is spread: what a front with this angle has in a
// cell, and less than a wide puddle has.
double rv_tension_full(const rv_engine *s, double angle)
{
    double thick = 2.0 * sqrt(rv_tension_length2(s)) * sin(0.5 * angle);
    return fmax(fmin(s->params.grid_dx * tan(fmin(angle, 1.2)), 0.8 * thick), 1e-9);
}

// ---- Neighbours ---------------------------------------------------------------------------------

bool rv_tension_is_step(const rv_engine *s, uint32_t a, uint32_t b)
{
    const float *base = s->columns->base;
    return rv_f_abs(base[a] - base[b]) > s->law.fall;
}

bool rv_tension_is_roof(const rv_engine *s, uint32_t slot, uint32_t other)
{
    const rv_column_set *c = s->columns;
    uint32_t there[RV_LAYERS_MAX];
    if (!(c->max[other] < c->max[slot])) return false;
    rv_place at = rv_place_of(c, other);
    int count = rv_pipes_cell(c, at.x, at.y, there);
    for (int k = 0; k < count; k++)
        if (c->base[there[k]] >= c->max[other]) return false; // it has a top, and no side to climb
    return true;
}

uint32_t rv_tension_beside(const rv_engine *s, uint32_t slot, rv_side side)
{
    ptrdiff_t pitch = rv_plane_of(s->columns, slot)->pitch;
    rv_way way = side < RV_SOUTH ? RV_WAY_X : RV_WAY_Y;
    bool high = side == RV_EAST || side == RV_NORTH;
    uint32_t step = (uint32_t)rv_way_step(way, pitch), low = high ? slot : slot - step;
    if (s->slope[way][low]) return high ? slot + step : low;
    const rv_odd_column *column = rv_pipes_odd_column(s, slot);
    uint32_t best = RV_NO_SLOT;
    float nearest = INFINITY;
    for (uint32_t e = 0; column && e < column->count; e++) {
        const rv_odd_entry *entry = &s->odd_of[column->first + e];
        const rv_odd_pipe *p = &s->odd[entry->pipe];
        if (entry->side != side || p->b == RV_NO_SLOT) continue;
        uint32_t other = p->a == slot ? p->b : p->a;
        float far = rv_f_abs(s->columns->base[other] - s->columns->base[slot]);
        if (far < nearest) nearest = far, best = other;
    }
    return best;
}

// Whether all eight neighbours are of the same plane, joined, and no steps or roofs.
static bool is_open(const rv_engine *s, uint32_t i, ptrdiff_t pitch)
{
    const uint16_t *x = s->slope[RV_WAY_X], *y = s->slope[RV_WAY_Y];
    uint32_t up = i + (uint32_t)pitch, down = i - (uint32_t)pitch;
    if (!x[i] || !x[i - 1] || !y[i] || !y[down]) return false;
    // corners by both ways, so that a scene may be turned
    if (!x[up] || !x[up - 1] || !x[down] || !x[down - 1]) return false;
    if (!y[i + 1] || !y[i - 1] || !y[down + 1] || !y[down - 1]) return false;
    const uint32_t near[] = {i + 1, i - 1, up, down, up + 1, up - 1, down + 1, down - 1};
    for (int k = 0; k < 8; k++)
        if (rv_tension_is_step(s, i, near[k]) || rv_tension_is_roof(s, i, near[k])) return false;
    return true;
}

// Rise of the bed a cell along x or y, by the joined neighbours that are no steps.
static float bed_slope(const rv_engine *s, uint32_t slot, rv_side low, rv_side high)
{
    uint32_t near[2] = {rv_tension_beside(s, slot, low), rv_tension_beside(s, slot, high)};
    float base = s->columns->base[slot], sum = 0.0f;
    int found = 0;
    for (int k = 0; k < 2; k++) {
        if (near[k] == RV_NO_SLOT || rv_tension_is_step(s, slot, near[k])) continue;
        float rise = s->columns->base[near[k]] - base;
        sum += k ? rise : -rise, found++;
    }
    return found ? sum / (float)found : 0.0f;
}

// ---- What wetting costs -------------------------------------------------------------------------

// How steeply the bed falls toward a side, rad.
static double falls_to(const rv_engine *s, uint32_t slot, rv_side side)
{
    bool along = side < RV_SOUTH, high = side == RV_EAST || side == RV_NORTH;
    float rise = bed_slope(s, slot, along ? RV_WEST : RV_SOUTH, along ? RV_EAST : RV_NORTH);
    return atan((double)(high ? -rise : rise) / s->params.grid_dx);
}

// Whether a column stands at the brink of a drop that liquid does not bridge, and how steeply the
// bed falls to it, rad.
static bool is_brink(const rv_engine *s, uint32_t slot, double *falls)
{
    float drop = (float)fmax(2.0 * sqrt(rv_tension_length2(s)), (double)s->law.fall);
    bool found = false;
    *falls = 0.0;
    for (int side = 0; side < 4; side++) {
        uint32_t other = rv_tension_beside(s, slot, (rv_side)side);
        if (other == RV_NO_SLOT) continue;
        if (!(s->columns->base[slot] - s->columns->base[other] > drop)) continue;
        found = true, *falls = fmax(*falls, falls_to(s, slot, (rv_side)side));
    }
    return found;
}

#define BRIM_MOST 3.0 // times what the bed costs, for liquids that wet nearly everything

// What wetting a dry brink costs, m², where the bed costs `bed`. Nothing lies beyond that draws
// liquid on, as dry bed does before a front, so the bed's own cost, which is the greater the
// smaller cells are, would dam it up. What holds liquid at a sharp edge is that it has to turn
// round it (Gibbs): it stands up to the thickness of a puddle with a contact angle larger by 90°,
// or by what is left to turn where the bed falls to the edge, so that a rounded one holds less. The
// sides of the grid hold nothing.
static double brink_cost(const rv_engine *s, double falls, double angle, double bed)
{
    const double half = 1.57079632679489662;
    double turned = fmin(angle + half - falls, 2.0 * half);
    double brim = 2.0 * sqrt(rv_tension_length2(s)) * sin(0.5 * turned);
    return fmin(0.5 * brim * rv_tension_full(s, angle), BRIM_MOST * bed);
}

static void set_angles(rv_engine *s, uint32_t slot, int x, int y)
{
    rv_tension *t = s->tension;
    rv_angles angles = rv_wetting_bed(s, slot, x, y);
    double square = rv_tension_length2(s), dry = square * (1.0 - cos(angles.advancing));
    double wet = square * (1.0 - cos(angles.receding));
    double falls;
    if (t->end[slot] && is_brink(s, slot, &falls))
        dry = brink_cost(s, falls, angles.advancing, dry), wet = 0.0;
    t->advance[slot] = (float)(dry * (1.0 + unevenness(s, x, y)));
    t->recede[slot] = (float)wet;
    t->full[slot] = (float)rv_tension_full(s, angles.advancing);
}

// ---- Walls --------------------------------------------------------------------------------------

// Whether a cell has no room at the height of a column `far` cells away: its bed would have to rise
// by more than a slope does.
static bool is_wall(const rv_engine *s, uint32_t slot, int x, int y, int far)
{
    const rv_column_set *c = s->columns;
    uint32_t there[RV_LAYERS_MAX];
    if (x < 0 || y < 0 || x >= c->grid.nx || y >= c->grid.ny) return false;
    float base = c->base[slot], rise = s->law.fall * (float)(far > 1 ? far : 1);
    int count = rv_pipes_cell(c, x, y, there);
    for (int k = 0; k < count; k++)
        if (c->base[there[k]] <= base + rise && c->max[there[k]] > base) return false;
    return true;
}

#define LOOK 2 // cells to each side
#define FAR 4  // cells ahead

// How far ahead the wall begins in a row beside a column, in cells; false: not near.
static bool wall_ahead(const rv_engine *s, uint32_t slot, int x, int y, const int way[2], int row,
                       int *ahead)
{
    int side = row < 0 ? -row : row;
    for (int k = -LOOK; k <= FAR; k++) {
        int far = k < 0 ? -k : k;
        // along the way, and the row to its left
        if (!is_wall(s, slot, x + k * way[0] - row * way[1], y + k * way[1] + row * way[0],
                     far > side ? far : side))
            continue;
        *ahead = k;
        return k > -LOOK;
    }
    return false;
}

// The share of a wall's pull that acts through a face: walls that are steps on the grid pull along
// their normal. A line through the wall's beginnings in the rows around gives it.
static float wall_share(const rv_engine *s, uint32_t slot, int x, int y, const int way[2])
{
    double n = 0, sum = 0, along = 0, square = 0, product = 0;
    for (int row = -LOOK; row <= LOOK; row++) {
        int ahead;
        if (!wall_ahead(s, slot, x, y, way, row, &ahead)) continue;
        n += 1, sum += row, along += ahead, square += row * row, product += row * ahead;
    }
    double under = n * square - sum * sum;
    double slope = under > 0 ? (n * product - sum * along) / under : 0;
    return (float)(1.0 / sqrt(1.0 + slope * slope));
}

#define SLANT_MOST 6.0f // cells a cell: what rises more is a wall that stands upright

static bool is_slanted(const rv_engine *s, uint32_t slot, uint32_t other)
{
    return other != RV_NO_SLOT && rv_f_abs(s->columns->base[other] - s->columns->base[slot]) <
                                      SLANT_MOST * (float)s->params.grid_dx;
}

// How the bed rises here, by all neighbours that are joined, steps or not, but upright walls: a
// slanted wall is steps, and how they fall on the grid must not count.
static void slant_of(const rv_engine *s, uint32_t slot, float rise[2])
{
    float base = s->columns->base[slot], per = (float)(1.0 / s->params.grid_dx);
    for (int way = 0; way < 2; way++) {
        float sum = 0.0f;
        int found = 0;
        for (int k = 0; k < 2; k++) {
            uint32_t other = rv_tension_beside(s, slot, (rv_side)(2 * way + k));
            if (!is_slanted(s, slot, other)) continue;
            sum += (s->columns->base[other] - base) * (k ? per : -per), found++;
        }
        rise[way] = found ? sum / (float)found : 0.0f;
    }
}

// The pull of a slanted wall through a face: along its normal, and less than an upright one's.
static float slant_pull(const rv_engine *s, uint32_t slot, int side, double angle)
{
    float rise[2];
    slant_of(s, slot, rise);
    double steep = sqrt((double)(rise[0] * rise[0] + rise[1] * rise[1]));
    double normal = fabs((double)rise[side / 2]) / fmax(steep, 1e-6);
    return (float)(sin(atan(steep) - angle) * normal);
}

static void survey_walls(rv_engine *s, uint32_t slot, int x, int y)
{
    static const int ways[4][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
    for (int side = 0; side < 4; side++) {
        bool wall = is_wall(s, slot, x + ways[side][0], y + ways[side][1], 1);
        float share = wall ? wall_share(s, slot, x, y, ways[side]) : 1.0f;
        double cosine = rv_wetting_wall(s, slot, x, y, side);
        float pull = share * (float)cosine;
        uint32_t other = rv_tension_beside(s, slot, (rv_side)side);
        if (is_slanted(s, slot, other) && !rv_tension_is_roof(s, slot, other))
            pull = slant_pull(s, slot, side, acos(cosine));
        s->tension->pull[4 * (size_t)slot + (size_t)side] = (int16_t)lrintf(pull * RV_PULL_ONE);
    }
}

static void survey_column(rv_engine *s, uint32_t slot, int x, int y, bool ask)
{
    rv_tension *t = s->tension;
    float dx = (float)s->params.grid_dx;
    float along = bed_slope(s, slot, RV_WEST, RV_EAST) / dx;
    float across = bed_slope(s, slot, RV_SOUTH, RV_NORTH) / dx;
    t->lean[slot] = 1.0f / sqrtf(1.0f + (along * along + across * across));
    float rise[2];
    slant_of(s, slot, rise);
    bool slanted = rise[0] * rise[0] + rise[1] * rise[1] > RV_FALL_TANGENT * RV_FALL_TANGENT;
    t->end[slot] = is_open(s, slot, rv_plane_of(s->columns, slot)->pitch) ? 0
                   : slanted                                              ? RV_END_SLANTED
                                                                          : RV_END;
    if (ask) rv_wetting_ask(s, slot, x, y);
    t->even[slot] = s->eight ? 0.0f : 1.0f;
    if (t->end[slot]) survey_walls(s, slot, x, y);
    set_angles(s, slot, x, y);
}

// What of the parameters the survey reads.
static rv_surveyed read_by_survey(const rv_engine *s)
{
    const rv_params *p = &s->params;
    return (rv_surveyed){.length2 = rv_tension_length2(s),
                         .advancing = p->liquid_advancing,
                         .receding = p->liquid_receding,
                         .contact = p->liquid_contact,
                         .uneven = p->liquid_uneven,
                         .seed = p->seed};
}

typedef enum depth_of_survey {
    ANGLES, // what wetting costs
    ADJUST, // … and what walls do: no solid is another
    ASK     // all
} depth_of_survey;

static void survey(rv_engine *s, rv_rect cells, depth_of_survey how)
{
    if (!s->tension) return;
    rv_wetting_range(s);
    for (uint32_t r = 0; r < s->row_count; r++) {
        const rv_pipe_row *row = &s->row[r];
        int from, to, x0 = s->columns->plane[row->plane].x0;
        if (!rv_row_within(s, r, cells, &from, &to)) continue;
        for (int x = from; x < to; x++) {
            uint32_t slot = row->first + (uint32_t)(x - x0);
            if (!rv_column_exists(s->columns, slot)) continue;
            if (how == ANGLES)
                set_angles(s, slot, x, row->y);
            else
                survey_column(s, slot, x, row->y, how == ASK);
        }
    }
    if (how == ASK) rv_ends_link(s, cells);
}

void rv_tension_survey(rv_engine *s, rv_rect cells)
{
    survey(s, cells, ASK);
}

void rv_tension_adjust(rv_engine *s, rv_rect cells)
{
    survey(s, cells, ADJUST);
}

static rv_rect all_cells(const rv_engine *s)
{
    return (rv_rect){0, 0, s->columns->grid.nx, s->columns->grid.ny};
}

void rv_tension_survey_all(rv_engine *s)
{
    rv_tension_survey(s, all_cells(s));
    s->tension->surveyed = read_by_survey(s);
}

void rv_tension_new_params(rv_engine *s)
{
    rv_surveyed now = read_by_survey(s), last = s->tension->surveyed;
    bool walls = now.contact != last.contact;
    bool beds = now.length2 != last.length2 || now.advancing != last.advancing ||
                now.receding != last.receding || now.uneven != last.uneven || now.seed != last.seed;
    if (walls || beds) survey(s, all_cells(s), walls ? ADJUST : ANGLES);
    s->tension->surveyed = now;
}
