// Surface tension and wetting (docs/tension.md): before each substep every column gets a head from
// the curvature of its surface and from what wetting its bed costs (laws/tension.h), which its
// pipes then compare like levels.
//
// Columns in the open are worked out row by row. Those beside a wall, an edge, a border or a pipe
// to another plane are ends: their neighbours are looked up one by one, through the pipes.
#include "columns/tension.h"

#include "base/noise.h"
#include "columns/joints.h"
#include "columns/laws/flow.h"
#include "columns/laws/tension.h"

#include <math.h>
#include <string.h>

#define RESIDUE 0.004 // of h*: thinner films do not flow

// ---- Memory -------------------------------------------------------------------------------------

// Arrays by slot, in one piece of memory.
#define ARRAYS 9
#define ROW_BITS 3 // words of bits a row, see rest.c

static size_t stride_of(const rv_engine *s)
{
    return (s->slots + 15) / 16 * 16 + 16;
}

static size_t row_stride(const rv_engine *s)
{
    size_t pitch = 0;
    for (int p = 0; p < s->columns->planes; p++)
        if ((size_t)s->columns->plane[p].pitch > pitch) pitch = (size_t)s->columns->plane[p].pitch;
    return pitch + 64;
}

// Faces of rows: along x, and along y of two rows, four numbers each.
#define ROWS_A_THREAD 12

rv_result rv_tension_make(rv_engine *s, const rv_map *affinity)
{
    rv_tension *t = rv_new(&s->allocator, 1, sizeof *t);
    if (!t) return RV_OUT_OF_MEMORY;
    s->tension = t;
    size_t stride = stride_of(s);
    t->count = stride * ARRAYS;
    t->memory = rv_new(&s->allocator, t->count, sizeof(float));
    t->end = rv_new(&s->allocator, s->slots, 1);
    t->pull = rv_new(&s->allocator, 4 * s->slots, sizeof *t->pull);
    t->rest = rv_new(&s->allocator, s->slots, 1);
    t->rested = rv_new(&s->allocator, ROW_BITS * s->row_count, sizeof *t->rested);
    t->threads = rv_pool_threads(s->pool);
    t->row_count = row_stride(s) * ROWS_A_THREAD * (size_t)t->threads;
    t->rows = rv_new(&s->allocator, t->row_count, sizeof(float));
    if (!t->memory || !t->end || !t->pull || !t->rest || !t->rested || !t->rows)
        return RV_OUT_OF_MEMORY;
    t->asleep = t->rested + s->row_count, t->slept = t->asleep + s->row_count;
    float **arrays[ARRAYS] = {&t->head, &t->wetted, &t->lean,    &t->advance, &t->recede,
                              &t->full, &t->even,   &t->calm[0], &t->calm[1]};
    for (int k = 0; k < ARRAYS; k++) *arrays[k] = t->memory + stride * (size_t)k;
    for (size_t i = 0; i < s->slots; i++) t->full[i] = 1.0f; // where no column is, too
    return rv_wetting_make(s, affinity);
}

void rv_tension_free(rv_engine *s)
{
    rv_tension *t = s->tension;
    if (!t) return;
    rv_free(&s->allocator, t->memory, t->count, sizeof(float));
    rv_free(&s->allocator, t->end, s->slots, 1);
    rv_free(&s->allocator, t->pull, 4 * s->slots, sizeof *t->pull);
    rv_free(&s->allocator, t->rest, s->slots, 1);
    rv_free(&s->allocator, t->rested, ROW_BITS * s->row_count, sizeof *t->rested);
    rv_wetting_free(s);
    rv_free(&s->allocator, t->rows, t->row_count, sizeof(float));
    rv_free(&s->allocator, t, 1, sizeof *t);
    s->tension = NULL;
}

size_t rv_tension_bytes(const rv_engine *s)
{
    const rv_tension *t = s->tension;
    if (!t) return 0;
    return sizeof *t + (t->count + t->row_count) * sizeof(float) +
           s->slots * (2 + 4 * sizeof *t->pull) + ROW_BITS * s->row_count * sizeof *t->rested +
           rv_wetting_bytes(s);
}

// While tension is off nothing keeps up what was wetted, and snapshots leave it out.
void rv_tension_begin(rv_engine *s)
{
    memset(s->tension->wetted, 0, s->slots * sizeof(float));
    rv_rest_stir_all(s);
}

// What rv_tension.end has of a column that is looked at by itself.
enum { END = 1, END_SLANTED };

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

static double length2(const rv_engine *s)
{
    const rv_params *p = &s->params;
    double weight = p->liquid_density * rv_gravity_down(p);
    return weight > 0.0 ? p->liquid_tension / weight : 0.0;
}

// The thickness over which the cost of wetting is spread: what a front with this angle has in a
// cell, and less than a wide puddle has.
static double full_of(const rv_engine *s, double angle)
{
    double thick = 2.0 * sqrt(length2(s)) * sin(0.5 * angle);
    return fmax(fmin(s->params.grid_dx * tan(fmin(angle, 1.2)), 0.8 * thick), 1e-9);
}

static void set_angles(rv_engine *s, uint32_t slot, int x, int y)
{
    rv_tension *t = s->tension;
    rv_angles angles = rv_wetting_bed(s, slot, x, y);
    double square = length2(s), wet = 1.0 - cos(angles.advancing);
    t->advance[slot] = (float)(square * wet * (1.0 + unevenness(s, x, y)));
    t->recede[slot] = (float)(square * (1.0 - cos(angles.receding)));
    t->full[slot] = (float)full_of(s, angles.advancing);
}

// ---- Neighbours ---------------------------------------------------------------------------------

static bool is_steep(const rv_engine *s, uint32_t a, uint32_t b)
{
    const float *base = s->columns->base;
    return rv_f_abs(base[a] - base[b]) > s->law.fall;
}

// The column joined to one on a side: of the same plane, else the one with the nearest bed.
static uint32_t beside(const rv_engine *s, uint32_t slot, rv_side side, ptrdiff_t pitch)
{
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

static ptrdiff_t pitch_of(const rv_engine *s, uint32_t slot)
{
    return rv_plane_of(s->columns, slot)->pitch;
}

// Whether all eight neighbours are of the same plane, joined, and no steps.
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
        if (is_steep(s, i, near[k])) return false;
    return true;
}

// Rise of the bed a cell along x or y, by the joined neighbours that are no steps.
static float bed_slope(const rv_engine *s, uint32_t slot, rv_side low, rv_side high)
{
    ptrdiff_t pitch = pitch_of(s, slot);
    uint32_t near[2] = {beside(s, slot, low, pitch), beside(s, slot, high, pitch)};
    float base = s->columns->base[slot], sum = 0.0f;
    int found = 0;
    for (int k = 0; k < 2; k++) {
        if (near[k] == RV_NO_SLOT || is_steep(s, slot, near[k])) continue;
        float rise = s->columns->base[near[k]] - base;
        sum += k ? rise : -rise, found++;
    }
    return found ? sum / (float)found : 0.0f;
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
    ptrdiff_t pitch = pitch_of(s, slot);
    float base = s->columns->base[slot], per = (float)(1.0 / s->params.grid_dx);
    for (int way = 0; way < 2; way++) {
        float sum = 0.0f;
        int found = 0;
        for (int k = 0; k < 2; k++) {
            uint32_t other = beside(s, slot, (rv_side)(2 * way + k), pitch);
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
        if (is_slanted(s, slot, beside(s, slot, (rv_side)side, pitch_of(s, slot))))
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
    t->end[slot] = is_open(s, slot, pitch_of(s, slot)) ? 0 : slanted ? END_SLANTED : END;
    if (ask) rv_wetting_ask(s, slot, x, y);
    t->even[slot] = s->eight ? 0.0f : 1.0f;
    if (t->end[slot]) survey_walls(s, slot, x, y);
    set_angles(s, slot, x, y);
}

// What of the parameters the survey reads.
static rv_surveyed read_by_survey(const rv_engine *s)
{
    const rv_params *p = &s->params;
    return (rv_surveyed){length2(s),        p->liquid_advancing, p->liquid_receding,
                         p->liquid_contact, p->liquid_uneven,    p->seed};
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

// ---- Columns beside walls and edges -------------------------------------------------------------

typedef enum face_kind {
    FACE_OPEN, // liquid or bed goes on
    FACE_WALL, // a solid stands there
    FACE_EDGE, // nothing is known of what is beyond
    FACE_LIMIT // the grid ends, as at a mirror
} face_kind;

// The sides of the grid are no solids: whatever stands there wets nothing.
static bool at_border(const rv_engine *s, uint32_t slot, rv_side side)
{
    const rv_grid *g = &s->columns->grid;
    rv_place at = rv_place_of(s->columns, slot);
    switch (side) {
    case RV_WEST:
        return at.x == 0;
    case RV_EAST:
        return at.x == g->nx - 1;
    case RV_SOUTH:
        return at.y == 0;
    default:
        return at.y == g->ny - 1;
    }
}

// How far the liquid below a step stands over it, 0 … 1 from none to half a cell. A slanted wall is
// steps: were they walls at one moment and open at the next, the pull would jump from one column to
// another, and the liquid beside such a wall would never rest.
static float step_share(const rv_engine *s, uint32_t a, uint32_t b)
{
    const float *base = s->columns->base;
    uint32_t low = base[a] < base[b] ? a : b, high = low == a ? b : a;
    float over = rv_level(s, low) - base[high];
    return rv_f_max(rv_f_min(over * (float)(2.0 / s->params.grid_dx), 1.0f), 0.0f);
}

static face_kind kind_of(const rv_engine *s, uint32_t slot, uint32_t other, rv_side side)
{
    if (other == RV_NO_SLOT && at_border(s, slot, side))
        return rv_pipes_lets_through(s, side) ? FACE_EDGE : FACE_LIMIT;
    if (other == RV_NO_SLOT) return FACE_WALL;
    if (!is_steep(s, slot, other)) return FACE_OPEN;
    if (step_share(s, slot, other) > 0.0f) return FACE_OPEN;
    return s->columns->base[other] > s->columns->base[slot] ? FACE_WALL : FACE_EDGE;
}

// Around a column, by row from south west.
enum { SW, S, SE, W, MID, E, NW, N, NE, AROUND };

typedef struct patch {
    float base[AROUND], depth[AROUND], thick[AROUND];
    face_kind face[4]; // west, east, south, north
    int step[4];       // 1: a step up, -1: down, 0: none
    float over[4];     // of a step: how far liquid stands over it, 0 … 1
    const int16_t *pull;
    bool slanted; // the bed is as steep as steps are, along some way
} patch;

static void put(patch *p, int at, const rv_engine *s, uint32_t slot)
{
    p->base[at] = s->columns->base[slot], p->depth[at] = s->depth[slot];
    p->thick[at] = s->depth[slot] * s->tension->lean[slot];
}

static void put_like(patch *p, int at, int other)
{
    p->base[at] = p->base[other], p->depth[at] = p->depth[other], p->thick[at] = p->thick[other];
}

// Where there is no column: what the sides next to it have, or the one that is open.
static void put_mean(patch *p, int at, int one, int two)
{
    p->base[at] = 0.5f * (p->base[one] + p->base[two]);
    p->depth[at] = 0.5f * (p->depth[one] + p->depth[two]);
    p->thick[at] = 0.5f * (p->thick[one] + p->thick[two]);
}

// A corner is reached by way of either of the two sides next to it. Where these lead to columns one
// above the other, it is the one whose bed is nearer, whichever way: a scene may be turned.
static void put_corner(patch *p, int at, const rv_engine *s, const uint32_t near[4], rv_side along,
                       rv_side across, int like_along, int like_across)
{
    uint32_t best = RV_NO_SLOT;
    float nearest = INFINITY;
    for (int k = 0; k < 2; k++) {
        rv_side first = k ? across : along, then = k ? along : across;
        if (p->face[first] != FACE_OPEN) continue;
        uint32_t slot = beside(s, near[first], then, pitch_of(s, near[first]));
        if (slot == RV_NO_SLOT || is_steep(s, near[first], slot)) continue;
        float far = rv_f_abs(s->columns->base[slot] - p->base[MID]);
        if (far < nearest) nearest = far, best = slot;
    }
    bool one = p->face[along] == FACE_OPEN, two = p->face[across] == FACE_OPEN;
    if (best != RV_NO_SLOT)
        put(p, at, s, best);
    else
        put_mean(p, at, one || !two ? like_along : like_across,
                 two || !one ? like_across : like_along);
}

static void note_step(patch *p, const rv_engine *s, uint32_t slot, uint32_t other, int side)
{
    p->step[side] = 0, p->over[side] = 1.0f;
    if (other == RV_NO_SLOT || !(p->slanted || is_steep(s, slot, other))) return;
    p->step[side] = s->columns->base[other] > s->columns->base[slot] ? 1 : -1;
    p->over[side] = step_share(s, slot, other);
}

static bool gather(const rv_engine *s, uint32_t slot, patch *p)
{
    static const int place[4] = {W, E, S, N};
    ptrdiff_t pitch = pitch_of(s, slot);
    uint32_t near[4];
    bool wet = s->depth[slot] > 0.0f;
    put(p, MID, s, slot);
    p->pull = s->tension->pull + 4 * (size_t)slot;
    p->slanted = s->tension->end[slot] == END_SLANTED;
    for (int side = 0; side < 4; side++) {
        near[side] = beside(s, slot, (rv_side)side, pitch);
        p->face[side] = kind_of(s, slot, near[side], (rv_side)side);
        note_step(p, s, slot, near[side], side);
        if (p->face[side] == FACE_OPEN)
            put(p, place[side], s, near[side]);
        else
            put_like(p, place[side], MID);
        wet |= p->face[side] == FACE_OPEN && p->depth[place[side]] > 0.0f;
    }
    if (!wet) return false;
    put_corner(p, SW, s, near, RV_WEST, RV_SOUTH, W, S);
    put_corner(p, SE, s, near, RV_EAST, RV_SOUTH, E, S);
    put_corner(p, NW, s, near, RV_WEST, RV_NORTH, W, N);
    put_corner(p, NE, s, near, RV_EAST, RV_NORTH, E, N);
    return true;
}

static rv_tension_slope slopes(const rv_tension_law *law, const float *v, int low, int high,
                               int left)
{
    return rv_tension_slopes(law, v[low], v[high], v[low + left], v[high + left], v[low - left],
                             v[high - left]);
}

static rv_tension_face open_face(const rv_tension_law *law, const patch *p, int low, int high,
                                 int left)
{
    return rv_tension_through(slopes(law, p->base, low, high, left),
                              slopes(law, p->depth, low, high, left),
                              slopes(law, p->thick, low, high, left));
}

static rv_tension_face mix_faces(rv_tension_face a, rv_tension_face b, float t)
{
    return (rv_tension_face){a.bed + t * (b.bed - a.bed), a.film + t * (b.film - a.film),
                             a.level + t * (b.level - a.level), a.along + t * (b.along - a.along)};
}

// How far a wall pulls, 0 … 1. One beyond a step down is a slant, with no corner that would hold
// liquid: it pulls as far as the liquid stands over that step.
static float wall_acts(const patch *p, int side)
{
    int back = side ^ 1;
    return p->step[back] < 0 ? p->over[back] : 1.0f;
}

// Both faces along an axis. Toward an edge, bed and surface go on as they come; at a wall the level
// stands at the contact angle. A step is either, until liquid stands over it.
static void faces_along(const rv_tension_law *law, const patch *p, rv_side low_side, int low,
                        int high, int left, rv_tension_face out[2])
{
    const face_kind *kind = &p->face[low_side];
    const rv_tension_face none = {0.0f, 0.0f, 0.0f, 0.0f};
    const rv_tension_face open[2] = {
        kind[0] == FACE_OPEN ? open_face(law, p, low, MID, left) : none,
        kind[1] == FACE_OPEN ? open_face(law, p, MID, high, left) : none};
    for (int k = 0; k < 2; k++) {
        int side = (int)low_side + k;
        bool wall = kind[k] == FACE_WALL || p->step[side] > 0;
        rv_tension_face closed = none;
        if (!wall && kind[k] != FACE_LIMIT && kind[!k] == FACE_OPEN) closed = open[!k];
        if (wall || kind[k] == FACE_LIMIT) closed.bed = open[!k].bed;
        float pull = (float)p->pull[side] * (1.0f / RV_PULL_ONE) * wall_acts(p, side);
        if (wall) closed.level = k ? pull : -pull;
        closed.along = kind[!k] == FACE_OPEN && p->step[side ^ 1] == 0 ? open[!k].along : 0.0f;
        out[k] = kind[k] == FACE_OPEN ? mix_faces(closed, open[k], p->over[side]) : closed;
        if (p->step[side] != 0) out[k].along = closed.along; // a step is not a bed that leans
    }
}

// A wall's pull is one on the level: as far as there is one, liquid counts as deep.
static float deep_at(const rv_tension_law *law, const patch *p, float thick)
{
    float deep = rv_tension_deep(law, thick);
    for (int side = 0; side < 4; side++) {
        bool wall = p->face[side] == FACE_WALL, step = p->step[side] > 0;
        if (!wall && !step) continue;
        float share = wall_acts(p, side) * (wall ? 1.0f : 1.0f - p->over[side]);
        deep = rv_f_max(deep, share);
    }
    return deep;
}

// Whether a column and all that it may be joined to are dry, as far as that is told at a glance.
static bool is_dry(const rv_engine *s, uint32_t slot, ptrdiff_t pitch)
{
    const float *depth = s->depth + slot;
    return s->tension->wetted[slot] <= 0.0f && depth[0] <= 0.0f && depth[1] <= 0.0f &&
           depth[-1] <= 0.0f && depth[pitch] <= 0.0f && depth[-pitch] <= 0.0f &&
           !rv_pipes_odd_column(s, slot);
}

static float end_head(rv_engine *s, const rv_tension_law *law, uint32_t slot)
{
    rv_tension *t = s->tension;
    patch p;
    float thick = s->depth[slot] * t->lean[slot], full = t->full[slot];
    t->wetted[slot] = rv_tension_wetted(thick, full, t->wetted[slot]);
    if (!gather(s, slot, &p)) return 0.0f;
    rv_tension_face x[2], y[2];
    faces_along(law, &p, RV_WEST, W, E, 3, x);
    faces_along(law, &p, RV_SOUTH, S, N, 1, y);
    rv_tension_face sum = rv_tension_sum(x[0], x[1], y[0], y[1]);
    float cost = t->wetted[slot] > 0.0f ? t->recede[slot] : t->advance[slot];
    float deep = deep_at(law, &p, thick);
    float curve = rv_tension_curve(law, sum, t->lean[slot], deep);
    return rv_tension_head(law, curve, thick, cost, full) -
           rv_tension_leans(s->depth[slot], sum.along, deep);
}

// ---- Heads --------------------------------------------------------------------------------------

typedef struct task {
    rv_engine *s;
    rv_tension_law law;
    int tasks;
} task;

static rv_tension_rows rows_at(const rv_engine *s, size_t i)
{
    const rv_tension *t = s->tension;
    return (rv_tension_rows){s->columns->base + i, s->depth + i,  t->lean + i,
                             t->advance + i,       t->recede + i, t->full + i};
}

static rv_tension_faces faces_at(rv_tension_faces f, int x)
{
    return (rv_tension_faces){f.bed + x, f.film + x, f.level + x, f.along + x};
}

static void head_row(rv_engine *s, const rv_tension_law *law, uint32_t r, rv_tension_faces rows[3],
                     bool kept)
{
    const rv_pipe_row *row = &s->row[r];
    const rv_tension_loops *loops = s->loops.tension;
    rv_tension *t = s->tension;
    ptrdiff_t pitch = s->columns->plane[row->plane].pitch;
    rv_tension_faces along = rows[2], south = rows[row->y & 1], north = rows[(row->y + 1) & 1];
    for (rv_run run = rv_first_run(s, r); run.count; run = rv_next_run(s, r, run)) {
        size_t i = row->first + (size_t)run.x;
        int x = run.x;
        if (!kept)
            loops->faces(law, rows_at(s, i - (size_t)pitch), pitch, 1, faces_at(south, x), 0,
                         run.count);
        loops->faces(law, rows_at(s, i), pitch, 1, faces_at(north, x), 0, run.count);
        loops->faces(law, rows_at(s, i), 1, pitch, faces_at(along, x), -1, run.count);
        loops->heads(law, rows_at(s, i), faces_at(along, x), faces_at(south, x), faces_at(north, x),
                     t->wetted + i, t->head + i, run.count);
        for (size_t k = i; k < i + (size_t)run.count; k++)
            if (t->end[k])
                t->head[k] = is_dry(s, (uint32_t)k, pitch) ? 0.0f : end_head(s, law, (uint32_t)k);
        for (size_t k = i; row->ceilings && k < i + (size_t)run.count; k++)
            if (s->full[k]) t->head[k] = 0.0f; // no surface
        if (rv_pipes_is_pressed(s, r))
            for (size_t k = i; k < i + (size_t)run.count; k++) t->head[k] += s->press[k];
    }
}

static void head_task(void *context, int index)
{
    const task *w = context;
    rv_engine *s = w->s;
    rv_tension *t = s->tension;
    size_t stride = row_stride(s);
    float *memory = t->rows + stride * ROWS_A_THREAD * (size_t)index + 32;
    rv_tension_faces rows[3];
    for (int k = 0; k < 3; k++) {
        float *at = memory + stride * (size_t)(4 * k);
        rows[k] = (rv_tension_faces){at, at + stride, at + 2 * stride, at + 3 * stride};
    }
    uint32_t first, end;
    rv_tension_share(s, index, w->tasks, &first, &end);
    for (uint32_t r = first; r < end; r++) {
        bool kept =
            r > first && s->row[r].below == (int32_t)r - 1 && s->busy[r] == s->busy[r - 1];
        if (s->busy[r]) head_row(s, &w->law, r, rows, kept);
    }
}

static rv_tension_law law_of(const rv_engine *s)
{
    const rv_params *p = &s->params;
    double square = length2(s), dx = p->grid_dx;
    return (rv_tension_law){
        .length2 = (float)square,
        .per = (float)(1.0 / dx),
        .quarter = (float)(0.25 / dx),
        .bend = (float)(1.0 / dx),
        .thin = (float)(1.0 / (1.5 * sqrt(square))),
    };
}

void rv_tension_heads(rv_engine *s, rv_pool *pool)
{
    int tasks = pool ? rv_pool_threads(pool) : 1;
    if (tasks > s->tension->threads) tasks = s->tension->threads;
    task w = {s, law_of(s), tasks};
    rv_parallel_for(pool, tasks, head_task, &w);
    rv_tension_calm(s, pool, tasks);
}

// What the cost of wetting adds to the stiffness of thin liquid.
static double stiffness(const rv_engine *s, double angle)
{
    double full = full_of(s, angle);
    return 6.0 * length2(s) * (1.0 - cos(angle)) / (full * full);
}

void rv_tension_set_law(rv_engine *s)
{
    const rv_params *p = &s->params;
    double dx = p->grid_dx, square = length2(s);
    double own = fmax(p->liquid_advancing, RV_LEAST_ANGLE); // while it is being made
    double least = s->tension ? s->tension->least : own, most = s->tension ? s->tension->most : own;
    double full = full_of(s, most);
    double stiff = fmax(stiffness(s, least), stiffness(s, most));
    rv_law *law = &s->law;
    law->stiff = (float)(8.0 * square / (dx * dx));
    law->stiff_thin = law->stiff + (float)stiff;
    law->thin = (float)full;
    // what is left behind as a film of some micrometres stays where it is
    law->film = rv_f_max(law->film, (float)(RESIDUE * full));
    law->drag_pace = (float)(3.0 * p->liquid_viscosity * dx);
    rv_tension_set_calm(s);
}

bool rv_tension_is_on(const rv_engine *s)
{
    return s->flow && s->params.tension_on && length2(s) > 0.0;
}
