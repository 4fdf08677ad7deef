// Liquid that falls from lips (docs/surface.md): a body with a front, a back and round sides. How
// thick it is follows from what flows: the faster it falls, the thinner it is. Tension draws its
// sides in along the edge, as fast as they may come, and a narrow fall becomes a round thread.
//
// Lips that liquid falls from follow each other along an edge: a chain, of which each lip knows the
// one before it and the one after it. Kernels do the same (card/kernels/falls.glsl).
#include "surface/mesher.h"

#include <math.h>

#define FAR 8            // lips along the chain, that are looked at on either side
#define OUTER 0.5f       // cells: so far beyond its last lip a fall ends
#define THINNEST 0.012f  // cells: half of what a fall is thick at least
#define OVERSHOOT 0.7f   // cells, and a quarter of its depth: no farther does it come out
#define SINKS 0.3f       // cells: so far its foot reaches into what it falls on
#define AN_ELLIPSE 0.27f // by how much one is thicker in the middle than in the mean

typedef struct plan {
    float x, y;
} plan;

static const rv_node_record *beside(const rv_surface_work *w, const rv_node_record *n, bool onward)
{
    uint8_t way = onward ? n->begins : n->ends;
    if (!way) return NULL;
    const rv_node_record *o = &w->records[w->record[n->link[way - 1]]];
    return o->falls ? o : NULL;
}

static plan cell_of(const rv_surface_work *w, const rv_node_record *n)
{
    return (plan){w->cell_x[n->x], w->cell_y[n->y]};
}

// Where a lip is along its chain: the steps of the grid are taken out.
static plan place_of(const rv_surface_work *w, const rv_node_record *n)
{
    const rv_node_record *a = beside(w, n, false), *b = beside(w, n, true);
    plan own = cell_of(w, n);
    if (!a || !b) return own;
    plan before = cell_of(w, a), after = cell_of(w, b);
    return (plan){0.5f * own.x + 0.25f * (before.x + after.x),
                  0.5f * own.y + 0.25f * (before.y + after.y)};
}

static float between(plan a, plan b)
{
    float x = b.x - a.x, y = b.y - a.y;
    return sqrtf(x * x + y * y);
}

// The last lip of a chain is there as soon as something is wet: by how much its fall stands back
// from it, so that it grows with the liquid and does not leap from cell to cell.
static float stands_back(const rv_surface_work *w, const rv_node_record *end, bool inward)
{
    const rv_node_record *o = beside(w, end, inward);
    float share = rv_lesser_f(2.0f * end->depth / rv_greater_f(o->depth, 1e-9f), 1.0f);
    float most = beside(w, o, inward) ? 0.8f : 0.4f;
    return rv_lesser_f(1.0f - share, most) * between(place_of(w, end), place_of(w, o));
}

// From a lip along its chain to the end of the fall; as far as it is looked for, if that is nearer.
static float way_to_end(const rv_surface_work *w, const rv_node_record *n, bool onward, float dx)
{
    const rv_node_record *at = n, *o;
    float way = 0.0f;
    for (int k = 0; k < FAR; k++) {
        o = beside(w, at, onward);
        if (!o) return k == 0 ? 0.0f : way - stands_back(w, at, !onward);
        way += between(place_of(w, at), place_of(w, o));
        at = o;
    }
    return rv_greater_f(way, (float)FAR * dx);
}

// A place on the chain, so far from a lip.
static plan slide(const rv_surface_work *w, const rv_node_record *n, bool onward, float way)
{
    const rv_node_record *at = n;
    plan here = place_of(w, at);
    for (int k = 0; k < FAR; k++) {
        const rv_node_record *o = beside(w, at, onward);
        if (!o) break;
        plan there = place_of(w, o);
        float length = between(here, there);
        if (way < length) {
            float share = way / length;
            return (plan){here.x + share * (there.x - here.x), here.y + share * (there.y - here.y)};
        }
        way -= length, at = o, here = there;
    }
    return here;
}

// A fall at one of its lips.
typedef struct fall {
    const rv_node_record *lip;
    plan out, away;           // level, unit: out of the solid; along the chain to its nearer end
    bool onward;              // the other way, into the fall, is that to the next lip
    float z, low;             // of the lip, and of what it falls on
    float depth, speed, over; // at the lip; how fast it goes over the edge
    float there;              // 0 … 1: films that are hardly there do not fall
    float end, half;          // from here to its end, and half of its width
    float back;               // stands back from its lip
} fall;

// What a fall is so far below its lip.
typedef struct slice {
    float speed, thick; // thick: half of it
    float rim, tilt;    // from here to its rim; how its front leans to the side
    float far, z;       // of its front, out from the lip
    float drawn;        // along the chain, from the lip into the fall
} slice;

static plan towards(plan a, plan b)
{
    float x = b.x - a.x, y = b.y - a.y, size = sqrtf(x * x + y * y);
    float per = 1.0f / rv_greater_f(size, 1e-12f);
    return (plan){x * per, y * per};
}

static float mean_depth(const rv_surface_work *w, const rv_node_record *n)
{
    const rv_node_record *a = beside(w, n, false), *b = beside(w, n, true);
    float before = a ? a->depth : b->depth, after = b ? b->depth : before;
    return 0.5f * n->depth + 0.25f * (before + after);
}

static fall fall_of(const rv_surface_pass *p, const rv_node_record *n, const rv_lip *lip)
{
    const rv_surface_work *w = p->w;
    const rv_node_record *a = beside(w, n, false), *b = beside(w, n, true);
    float dx = p->dx, to_last = way_to_end(w, n, false, dx), to_next = way_to_end(w, n, true, dx);
    fall f = {.lip = n, .z = lip->at[2], .low = lip->low, .depth = mean_depth(w, n)};
    plan along = towards(place_of(w, a ? a : n), place_of(w, b ? b : n));
    f.out = (plan){along.y, -along.x};
    f.onward = to_last < to_next;
    f.away = f.onward ? (plan){-along.x, -along.y} : along;
    f.end = rv_lesser_f(to_last, to_next);
    // where a film clings beside it the fall goes on from that, and does not stand back
    if (f.onward ? !n->ends : !n->begins) f.back = stands_back(w, n, f.onward);
    f.half = rv_greater_f(0.5f * (to_last + to_next - f.back), 0.05f * dx);
    f.there = rv_lesser_f(rv_greater_f(10.0f * (f.depth * p->per_dx) - 0.5f, 0.0f), 1.0f);
    float u = lip->velocity[0], v = lip->velocity[1], g = p->in->fall.gravity;
    float square = u * u + v * v + 0.5f * g * f.depth;
    f.speed = sqrtf(rv_greater_f(square, 1e-6f));
    f.over = rv_greater_f(u * f.out.x + v * f.out.y, 0.3f * f.speed);
    return f;
}

// How far down the rows of a fall's front are. First those round the edge, last those of its foot.
static float drop_of(const fall *f, float dx, int row)
{
    float tall = rv_greater_f(f->z - f->low, 0.1f * dx);
    float edge = rv_lesser_f(rv_greater_f(2.0f * dx, 1.5f * f->depth), 0.4f * tall);
    float foot = rv_lesser_f(1.5f * dx, 0.3f * tall), rest = tall - edge - foot;
    switch (row) {
    case 0:
        return 0.0f;
    case 1:
        return 0.15f * edge;
    case 2:
        return 0.5f * edge;
    case 3:
        return edge;
    case 4:
        return edge + 0.25f * rest;
    case 5:
        return edge + 0.5f * rest;
    case 6:
        return edge + 0.75f * rest;
    case 7:
        return tall - foot;
    case 8:
        return tall - 0.3f * foot;
    default:
        return tall + SINKS * dx;
    }
}

// By how much a foot spreads where it lands.
static float flare_of(const fall *f, float dx, float thick, int row)
{
    float foot = rv_lesser_f(1.5f * dx, 0.3f * rv_greater_f(f->z - f->low, 0.1f * dx));
    float most = rv_lesser_f(0.9f * foot, 0.5f * dx + 0.5f * thick);
    return row == RV_FALL_ROWS - 1 ? 1.2f * most : row == RV_FALL_ROWS - 2 ? 0.3f * most : 0.0f;
}

// By how much tension has drawn in the sides: as fast as a rim of that thickness goes, and until
// the fall is round, or half of what is looked at is drawn in. `outer`: half its width at the lip.
static float drawn_in(const rv_surface_pass *p, float thick, float time, float h, float outer)
{
    float dx = p->dx;
    float way = p->in->fall.rims * time / sqrtf(rv_greater_f(thick, 1e-3f * dx));
    way += 0.25f * dx * h / (h + 4.0f * dx);
    float round = rv_greater_f(sqrtf(0.63661977f * thick * outer), 0.06f * dx);
    float most = rv_lesser_f(outer - round, 0.5f * (float)FAR * dx);
    if (!(most > 0.0f)) return 0.0f;
    float share = way / most;
    return way / sqrtf(1.0f + share * share);
}

static slice slice_of(const rv_surface_pass *p, const fall *f, int row)
{
    float dx = p->dx, h = drop_of(f, dx, row), g = p->in->fall.gravity, held = p->in->fall.held;
    float cube = h * h * h, free = cube / (cube + held * held * held + 1e-30f);
    float speed = sqrtf(f->speed * f->speed + 2.0f * g * h * free);
    float time = 2.0f * h / (f->speed + speed);
    float thick = rv_greater_f(f->there * f->depth * f->speed / speed, 2.0f * THINNEST * dx);
    float outer = f->half + OUTER * dx, zone = rv_lesser_f(f->half, (float)FAR * dx) + OUTER * dx;
    float in = drawn_in(p, thick, time, h, outer), edge = f->end + OUTER * dx;
    float left = 1.0f - in / zone, inner = rv_greater_f(1.0f - edge / zone, 0.0f);
    // what is drawn in makes it thicker: all of a narrow one, and the sides of a broad one
    float narrow = rv_lesser_f(rv_greater_f(2.0f - f->half / (4.0f * dx), 0.0f), 1.0f);
    float share = rv_lesser_f(2.0f * inner, 1.0f);
    share += narrow * (1.0f - share);
    float half = 0.5f * (thick + share * (thick / left - thick));
    float wide = outer - in, round = rv_lesser_f(wide, rv_greater_f(2.0f * half, dx));
    float u = rv_lesser_f((edge - in + in * inner) / round, 1.0f);
    u = rv_greater_f(u, 0.02f);
    float arc = sqrtf(u * (2.0f - u)), full = half * (1.0f + AN_ELLIPSE * round / wide);
    slice s = {.speed = speed, .z = f->z - h};
    s.thick = rv_greater_f(full * arc, THINNEST * dx);
    s.tilt = full / round * (1.0f - u) / rv_greater_f(arc, 0.2f);
    s.rim = left * OUTER * dx;
    s.drawn = f->back + in * inner;
    float way = f->over * time, most = OVERSHOOT * dx + 0.25f * rv_lesser_f(f->depth, 6.0f * dx);
    s.far = way * most / (way + most) + rv_lesser_f(s.thick, 0.6f * dx) * h / (h + 0.5f * dx);
    return s;
}

// ---- Vertices -----------------------------------------------------------------------------------

static void put(const rv_surface_pass *p, uint32_t number, const float at[3], const float normal[3],
                const float velocity[3], float depth, float drop)
{
    const rv_surface_work *w = p->w;
    for (size_t k = 0, to = 3 * (size_t)number; k < 3; k++, to++) {
        w->positions[to] = at[k], w->normals[to] = normal[k];
        w->velocity[to] = velocity[k] + 0.0f; // fluxes at rest may be -0
    }
    w->opacity[number] = rv_lesser_f(depth * p->per_opaque, 1.0f), w->depth[number] = depth;
    w->roughness[number] = 0.0f, w->drop[number] = rv_greater_f(drop, 0.0f);
}

static void make_unit(float v[3])
{
    float size = sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]), per = 1.0f / size;
    if (!(size > 0.0f)) v[0] = v[1] = 0.0f, v[2] = per = 1.0f;
    for (int k = 0; k < 3; k++) v[k] *= per;
}

// Of the front's outline in an upright plane, at a row: how it faces, out and up.
static void facing_of(const slice s[RV_FALL_ROWS], int row, float *out, float *up)
{
    int above = row > 0 ? row - 1 : 0, below = row + 1 < RV_FALL_ROWS ? row + 1 : row;
    float x = s[above].z - s[below].z, z = s[below].far - s[above].far;
    float per = 1.0f / sqrtf(x * x + z * z);
    *out = x * per, *up = z * per;
}

// One of the three places of a fall at a row: its front, its back, its rim. Level: out from the
// lip's way, and along it to its end.
typedef struct spot {
    float out, along, z;
} spot;

static spot spot_of(const fall *f, const slice s[RV_FALL_ROWS], float dx, int side, int row)
{
    const slice *own = &s[row];
    float out, up, flare = flare_of(f, dx, own->thick, row);
    facing_of(s, row, &out, &up);
    if (side == RV_FALL_FRONT) return (spot){own->far + flare, 0.0f, own->z};
    // under the lip the back begins in the solid
    if (side == RV_FALL_BACK && row == 0)
        return (spot){-0.9f * dx, 0.0f, own->z - 2.0f * own->thick - 0.15f * dx};
    float deep = side == RV_FALL_BACK ? 2.0f * own->thick : own->thick;
    float x = own->far - deep * out, z = own->z - deep * up;
    if (side == RV_FALL_BACK) return (spot){x - flare, 0.0f, z};
    return (spot){x, own->rim + flare, z};
}

static void put_spot(const rv_surface_pass *p, const fall *f, const slice s[RV_FALL_ROWS], int side,
                     int row, const rv_lip *lip, uint32_t number)
{
    const slice *own = &s[row];
    spot at = spot_of(f, s, p->dx, side, row);
    int above = row > 0 ? row - 1 : 0, below = row + 1 < RV_FALL_ROWS ? row + 1 : row;
    spot high = spot_of(f, s, p->dx, side, above), low = spot_of(f, s, p->dx, side, below);
    // the outline's own slope: to the side that it faces, and up
    float forth = high.z - low.z, bulge = low.out - high.out, sideways = own->tilt * forth;
    if (side == RV_FALL_BACK) forth = -forth, bulge = -bulge;
    if (side == RV_FALL_RIM) sideways = forth, bulge = low.along - high.along, forth = 0.0f;
    plan middle = slide(p->w, f->lip, f->onward, own->drawn);
    const float place[3] = {middle.x + at.out * f->out.x + at.along * f->away.x,
                            middle.y + at.out * f->out.y + at.along * f->away.y, at.z};
    float normal[3] = {forth * f->out.x + sideways * f->away.x,
                       forth * f->out.y + sideways * f->away.y, bulge};
    make_unit(normal);
    const float velocity[3] = {lip->velocity[0], lip->velocity[1], -own->speed};
    float depth = side == RV_FALL_RIM ? own->thick : 2.0f * own->thick;
    if (row == 0 && side == RV_FALL_FRONT)
        put(p, number, lip->at, lip->normal, lip->velocity, f->there * f->lip->depth, 0.0f);
    else
        put(p, number, place, normal, velocity, f->there > 0.0f ? depth : 0.0f, f->z - at.z);
}

void rv_surface_put_fall(const rv_surface_pass *p, const rv_node_record *n, const rv_lip *lip,
                         uint32_t number)
{
    fall f = fall_of(p, n, lip);
    slice s[RV_FALL_ROWS];
    for (int row = 0; row < RV_FALL_ROWS; row++) s[row] = slice_of(p, &f, row);
    int sides = n->falls == RV_FALL_SIDE ? 3 : 2;
    for (int side = 0; side < sides; side++)
        for (int row = 0; row < RV_FALL_ROWS; row++) put_spot(p, &f, s, side, row, lip, number++);
}
