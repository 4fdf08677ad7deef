// Vertices made one by one: of columns that are not even, of extra nodes, where the surface ends,
// and at the bottom of curtains (docs/surface.md; pipes paper §4.3).
#include "surface/mesher.h"

#include <math.h>

typedef struct vec {
    float x, y, z;
} vec;

typedef struct flow {
    vec normal, velocity;
    float rough;
} flow;

static vec unit(vec v)
{
    float length = sqrtf(v.x * v.x + v.y * v.y + v.z * v.z);
    if (!(length > 0.0f)) return (vec){0, 0, 1};
    float per = 1.0f / length;
    return (vec){v.x * per, v.y * per, v.z * per};
}

static vec mix(vec a, vec b, float t)
{
    return (vec){a.x + t * (b.x - a.x), a.y + t * (b.y - a.y), a.z + t * (b.z - a.z)};
}

static vec sum(vec a, vec b)
{
    return (vec){a.x + b.x, a.y + b.y, a.z + b.z};
}

static vec load(const float *from, uint32_t number)
{
    from += 3 * (size_t)number;
    return (vec){from[0], from[1], from[2]};
}

static void store(float *to, uint32_t number, vec v)
{
    to += 3 * (size_t)number;
    to[0] = v.x, to[1] = v.y, to[2] = v.z;
}

static void put(const rv_surface_work *w, uint32_t number, vec at, flow f, float opacity,
                float depth)
{
    store(w->positions, number, at);
    store(w->normals, number, f.normal);
    // fluxes at rest may be -0: liquid at rest has one mesh, to the bit
    store(w->velocity, number, sum(f.velocity, (vec){0, 0, 0}));
    w->opacity[number] = opacity, w->depth[number] = depth;
    w->roughness[number] = f.rough, w->drop[number] = -1.0f;
}

// Where a node is drawn. Heights of extra nodes, of walls under overhangs and of lips, follow
// single columns, and differ from one to the next on a rounded edge: a mean with those beside them.
static float height_of(const rv_surface_work *w, const rv_node_record *n)
{
    float sum = w->z[n->node];
    int count = 1;
    for (int d = 0; d < RV_DIRECTIONS && n->node >= w->slots; d++) {
        uint32_t o = n->link[d];
        if (o == RV_NO_NODE || o < w->slots || w->kind[o] != w->kind[n->node]) continue;
        sum += w->z[o], count++;
    }
    return count > 1 ? sum * (1.0f / (float)count) : sum;
}

static vec place(const rv_surface_work *w, const rv_node_record *n)
{
    return (vec){w->cell_x[n->x], w->cell_y[n->y], height_of(w, n)};
}

// The least height at which a node may be drawn.
static float floor_of(const rv_surface_pass *p, uint32_t node)
{
    if (node >= p->w->slots) return height_of(p->w, &p->w->records[p->w->record[node]]);
    return p->in->columns->base[node] + p->in->over[node];
}

static float opacity_of(const rv_surface_pass *p, float depth)
{
    float share = depth * p->per_opaque;
    return share < 1.0f ? share : 1.0f;
}

// ---- Normals and velocities ---------------------------------------------------------------------

static vec normal_at(const rv_surface_pass *p, uint32_t slot)
{
    return (vec){p->nx[slot], p->ny[slot], p->nz[slot]};
}

// Flux over the deeper of two columns, one of them wet, m²/s.
static float through(const float *flux, const float *depth, size_t a, size_t b)
{
    return flux[a] / (depth[a] > depth[b] ? depth[a] : depth[b]);
}

// As the loops over rows have it, by all links.
static flow wet_flow(const rv_surface_pass *p, const rv_node_record *n)
{
    const rv_surface_input *in = p->in;
    size_t slot = n->node, pitch = (size_t)rv_surface_plane(in->columns, n->node)->pitch;
    float half = 0.5f * p->per_dx, slope_x, slope_y;
    rv_surface_slopes(p, n, &slope_x, &slope_y);
    float u = half * (through(in->flux_x, in->depth, slot - 1, slot) +
                      through(in->flux_x, in->depth, slot, slot + 1));
    float v = half * (through(in->flux_y, in->depth, slot - pitch, slot) +
                      through(in->flux_y, in->depth, slot, slot + pitch));
    return (flow){normal_at(p, n->node), {u, v, u * slope_x + v * slope_y}, p->w->rough[slot]};
}

// Dry columns and extra nodes: means of the wet ones around; a dry column does not move. `ready`:
// the mesh has the vertices of columns inside.
static flow other_flow(const rv_surface_pass *p, const rv_node_record *n, bool ready)
{
    const rv_surface_work *w = p->w;
    vec normal = {0, 0, 0}, velocity = {0, 0, 0};
    float rough = 0.0f;
    int count = 0;
    for (unsigned wet = n->wet; wet; wet &= wet - 1, count++) {
        uint32_t o = n->link[__builtin_ctz(wet)];
        normal = sum(normal, normal_at(p, o)), rough += w->rough[o];
        if (ready && w->inside[o])
            velocity = sum(velocity, load(w->velocity, w->vertex[o]));
        else
            velocity = sum(velocity, wet_flow(p, &w->records[w->record[o]]).velocity);
    }
    float share = count > 0 ? 1.0f / (float)count : 0.0f, moves = n->node < w->slots ? 0.0f : share;
    return (flow){
        unit(normal), {velocity.x * moves, velocity.y * moves, velocity.z * moves}, rough * share};
}

static flow flow_beside(const rv_surface_pass *p, const rv_node_record *n)
{
    return p->w->kind[n->node] == RV_NODE_WET ? wet_flow(p, n) : other_flow(p, n, true);
}

void rv_surface_put_odd(const rv_surface_pass *p, const rv_node_record *n)
{
    const rv_surface_work *w = p->w;
    flow f = w->kind[n->node] == RV_NODE_WET ? wet_flow(p, n) : other_flow(p, n, false);
    put(w, w->vertex[n->node], place(w, n), f, opacity_of(p, n->depth), n->depth);
}

// ---- What hangs ---------------------------------------------------------------------------------

// Adds the ways that the curtains at a lip face: to the right of the way from lip to lip.
static vec face(vec to, const rv_node_record *n)
{
    if (n->begins) {
        int d = n->begins - 1;
        vec out = {(float)rv_step_y(d), (float)-rv_step_x(d), 0};
        to = sum(to, unit(out));
    }
    if (n->ends) {
        int d = n->ends - 1;
        vec out = {(float)-rv_step_y(d), (float)rv_step_x(d), 0};
        to = sum(to, unit(out));
    }
    return to;
}

// Curtains look outward. They hang from the middles of cells, now along x and now along y: the mean
// over those that meet at a lip, and over their neighbours, takes the steps out.
static vec facing(const rv_surface_pass *p, const rv_node_record *n)
{
    const rv_surface_work *w = p->w;
    vec all = face(face((vec){0, 0, 0}, n), n);
    if (n->begins) all = face(all, &w->records[w->record[n->link[n->begins - 1]]]);
    if (n->ends) all = face(all, &w->records[w->record[n->link[n->ends - 1]]]);
    vec own = face((vec){0, 0, 0}, n);
    return unit(all.x * all.x + all.y * all.y > 0.01f ? all : own);
}

// A lip at which a curtain ends at its side.
static bool is_side(const rv_node_record *n)
{
    return !n->begins != !n->ends;
}

// Of a side: the way along the edge, away from the rest of its curtain.
static vec away_of(const rv_node_record *n)
{
    int d = (n->begins ? n->begins : n->ends) - 1;
    return unit((vec){(float)-rv_step_x(d), (float)-rv_step_y(d), 0});
}

// What hangs at a lip: where it is in plan, and the way out; by row how far out of the cell's
// middle, and how high.
typedef struct hanging {
    vec at, lip, out, beside; // beside: of a side, along the edge and away from the rest
    float back; // how much of that it stands back at its lip; and a tenth more from row to row
    float far[RV_CURTAIN_ROWS], z[RV_CURTAIN_ROWS];
} hanging;

// The columns that a lip belongs to, and the sides of their solids, if these are known.
typedef struct holding {
    vec middle; // of all of them
    vec seat, out;
    float reach[RV_FLANK_ROWS], base, low;
    bool known;
} holding;

#define THIN_REACH 0.4f // cells, that the side of something thin is believed to be away

static holding holding_of(const rv_surface_pass *p, const rv_node_record *n)
{
    const rv_surface_work *w = p->w;
    const rv_surface_input *in = p->in;
    holding h = {.known = false};
    int count = 0, all = 0;
    for (unsigned wet = n->apron > -INFINITY && in->flank ? n->wet : 0; wet; wet &= wet - 1) {
        int d = __builtin_ctz(wet);
        uint32_t o = n->link[d];
        vec at = {w->cell_x[n->x + rv_step_x(d)], w->cell_y[n->y + rv_step_y(d)], 0};
        h.middle = sum(h.middle, at), all++;
        if (in->drip[o] <= 0) continue;
        const rv_flank *f = &in->flank[in->drip[o] - 1];
        h.seat = sum(h.seat, at);
        h.out = sum(h.out, (vec){f->out[0], f->out[1], 0});
        for (int k = 0; k < RV_FLANK_ROWS; k++) h.reach[k] += f->reach[k];
        h.base += in->columns->base[o], h.low += in->columns->min[o];
        count++;
    }
    if (count == 0) return h;
    float per = 1.0f / (float)count, per_all = 1.0f / (float)all;
    // beds of a thin solid have sides all around: of these none is known, and it is the way to here
    bool sure = h.out.x * h.out.x + h.out.y * h.out.y > 0.25f;
    if (!sure) {
        h.out.x = w->cell_x[n->x] - h.seat.x * per, h.out.y = w->cell_y[n->y] - h.seat.y * per;
        for (int k = 0; k < RV_FLANK_ROWS; k++) h.reach[k] = THIN_REACH * (float)count;
    }
    h.middle = (vec){h.middle.x * per_all, h.middle.y * per_all, 0};
    h.seat = (vec){h.seat.x * per, h.seat.y * per, 0};
    h.out = unit(h.out), h.base *= per, h.low *= per, h.known = true;
    for (int k = 0; k < RV_FLANK_ROWS; k++) h.reach[k] *= per;
    return h;
}

// How tall the solid is that a lip belongs to: a mean with the lips beside it, since columns on a
// rounded edge differ.
static float tall_of(const rv_surface_pass *p, const rv_node_record *n, const holding *own)
{
    const rv_surface_work *w = p->w;
    float tall = own->base - own->low, sum = 2.0f * tall, count = 2.0f;
    for (int onward = 0; onward < 2; onward++) {
        uint8_t way = onward ? n->begins : n->ends;
        if (!way) continue;
        holding o = holding_of(p, &w->records[w->record[n->link[way - 1]]]);
        if (o.known) sum += o.base - o.low, count += 1.0f;
    }
    return sum * (1.0f / count);
}

static const float HEIGHT[RV_FLANK_ROWS] = RV_FLANK_HEIGHTS;

// How high the liquid under a lip stands, or its bed where it is dry.
static float height_below(const rv_surface_pass *p, const rv_node_record *n)
{
    const rv_surface_work *w = p->w;
    bool lands = rv_is_wet_node(w->kind[n->below]) && w->inside[n->below];
    return lands ? w->z[n->below] : p->in->columns->base[n->below] + p->in->over[n->below];
}

// What falls alone, or clings to a side that is not known: straight down from the middle of the
// cell.
static void hang_free(const rv_surface_pass *p, const rv_node_record *n, hanging *h)
{
    float low = n->apron > -INFINITY ? n->apron : height_below(p, n);
    // at the foot of a cliff the surface below may be drawn as high as the lip
    low = rv_lesser_f(low, h->z[0] - RV_END_NEAREST * p->dx);
    for (int k = 1; k < RV_CURTAIN_ROWS; k++) {
        float share = k < RV_CURTAIN_ROWS - 1 ? HEIGHT[k - 1] : 1.0f;
        h->z[k] = h->z[0] + share * (low - h->z[0]);
    }
}

#define ROUND 4 // lips from the end of what clings, from which on it reaches all the way down

// How far down the side of its solid what clings reaches, 0 … 1: its outline is round where it
// ends.
static float reaches(const rv_surface_work *w, const rv_node_record *n)
{
    int nearest = ROUND;
    for (int onward = 0; onward < 2; onward++) {
        const rv_node_record *at = n;
        for (int k = 0; k < nearest; k++) {
            uint8_t way = onward ? at->begins : at->ends;
            if (!way)
                nearest = k;
            else
                at = &w->records[w->record[at->link[way - 1]]];
        }
    }
    float left = 0.85f * (1.0f - (float)nearest * (1.0f / (float)ROUND));
    return sqrtf(1.0f - left * left);
}

#define SIDE_IN -0.1f  // cells: where what clings ends at its sides, it is so far inside the solid
#define LIP_BACK 0.65f // of the way back to its columns, that the lip of what clings is drawn

// What clings goes round the edge, over the solid's side, and ends on its underside, a little
// inside; where it ends at its sides it is inside all the way.
static void hang_close(const rv_surface_pass *p, const rv_node_record *n, const holding *e,
                       hanging *h)
{
    float way_x = h->at.x - e->seat.x, way_y = h->at.y - e->seat.y;
    float along = way_x * e->out.x + way_y * e->out.y, thick = n->depth * p->per_dx;
    // a film that is hardly there is not seen beyond the edge
    float over = rv_lesser_f(4.0f * thick - 0.25f, 0.12f + 0.5f * rv_lesser_f(thick, 0.6f));
    if (is_side(n)) over = SIDE_IN, h->z[0] -= 0.3f * p->dx;
    // toward its columns: so no triangle of the sheet turns over
    h->lip = mix(h->at, e->middle, LIP_BACK);
    float low = e->base - reaches(p->w, n) * tall_of(p, n, e);
    h->out = e->out;
    h->beside = (vec){way_x - along * e->out.x, way_y - along * e->out.y, 0}, h->back = 0.55f;
    for (int k = 0; k < RV_CURTAIN_ROWS; k++) {
        bool inner = k > 0 && k < RV_CURTAIN_ROWS - 1;
        float far = inner ? e->reach[k - 1] + over : k == 0 ? 0.2f : -0.1f;
        h->far[k] = far * p->dx - along;
        if (k == 0) continue;
        float share = inner ? HEIGHT[k - 1] : 1.0f;
        float z = e->base + share * (low - e->base);
        h->z[k] = rv_lesser_f(z, h->z[k - 1] - RV_END_NEAREST * p->dx);
    }
    // the lip on the straight way to the side
    float share = 0.2f / rv_greater_f(e->reach[0] + over, 0.4f);
    h->z[0] += share * (h->z[1] - h->z[0]);
}

static hanging hanging_of(const rv_surface_pass *p, const rv_node_record *n)
{
    hanging h = {.at = place(p->w, n)};
    h.lip = h.at;
    holding e = holding_of(p, n);
    vec away = is_side(n) ? away_of(n) : (vec){0, 0, 0};
    h.z[0] = h.at.z, h.out = facing(p, n), h.beside = (vec){away.x * p->dx, away.y * p->dx, 0};
    if (e.known)
        hang_close(p, n, &e, &h);
    else
        hang_free(p, n, &h);
    return h;
}

static vec row_place(const hanging *h, bool side, int row)
{
    if (row == 0) return (vec){h->lip.x, h->lip.y, h->z[0]};
    float back = side ? h->back + 0.1f * (float)row : 0.0f;
    return (vec){h->at.x + h->far[row] * h->out.x - back * h->beside.x,
                 h->at.y + h->far[row] * h->out.y - back * h->beside.y, h->z[row]};
}

// Where an extra node is drawn: a lip as its curtain's uppermost row.
static vec extra_place(const rv_surface_pass *p, const rv_node_record *n)
{
    if (p->w->kind[n->node] != RV_NODE_LIP || (!n->begins && !n->ends)) return place(p->w, n);
    hanging h = hanging_of(p, n);
    return row_place(&h, is_side(n), 0);
}

// A curtain looks outward, up where it bulges and down where it draws back.
static vec row_normal(const hanging *h, const rv_node_record *n, int row)
{
    vec out = h->out;
    // where a curtain ends at its side it faces that way too: what falls is round, not a ribbon
    if (is_side(n)) out = unit(sum(out, away_of(n)));
    int above = row > 0 ? row - 1 : 0, below = row + 1 < RV_CURTAIN_ROWS ? row + 1 : row;
    float fall = h->z[above] - h->z[below], bulge = h->far[below] - h->far[above];
    return unit((vec){out.x * fall, out.y * fall, bulge});
}

// ---- Ends ---------------------------------------------------------------------------------------

// Whether the way from a node inside to one outside is a bed that the straight line between them
// tells of (0), or a wall that stands somewhere between them (1).
static float wall_between(const rv_surface_pass *p, float low, float high, bool diagonal)
{
    float rise = (high - low) * p->per_dx * (diagonal ? 0.70710678f : 1.0f);
    return rv_lesser_f(rv_greater_f(rise - 1.0f, 0.0f), 1.0f);
}

// What an end is between: the node inside as it is drawn, the least heights of both, how far there
// is a wall, and by how much the surface rises all the way into it.
typedef struct span {
    vec at;
    float low, high, wall, rise;
} span;

#define RISE_MOST 1.0f // cells: of a surface that is rough at the wall no spike is drawn

// `direction`: to the node outside.
static span span_of(const rv_surface_pass *p, uint32_t in, const rv_node_record *o, int direction)
{
    const rv_surface_work *w = p->w;
    span s = {.low = floor_of(p, in), .high = floor_of(p, o->node)};
    s.at = in < w->slots ? load(w->positions, w->vertex[in])
                         : extra_place(p, &w->records[w->record[in]]);
    s.wall = wall_between(p, s.low, s.high, direction % 2);
    if (!(s.wall > 0.0f) || in >= w->slots || !p->in->bends) return s;
    s.wall *= 1.0f - rv_surface_clings(p, in, o->node, direction);
    vec n = load(w->normals, w->vertex[in]);
    s.wall *= 1.0f - rv_runs_down(n.z);
    float x = w->cell_x[o->x] - s.at.x, y = w->cell_y[o->y] - s.at.y;
    float most = RISE_MOST * p->dx, rise = -(n.x * x + n.y * y) / n.z;
    s.rise = rv_lesser_f(rv_greater_f(rise, -most), most);
    return s;
}

// On a bed it is on the least height there; at a wall it goes on as it came, into the wall: level,
// or climbing where tension draws it up, and not over the bed there.
static vec end_place(const rv_line_end *e, float t)
{
    float bed = e->z + t * e->way_z, share = rv_end_share(e, t);
    float onward = rv_lesser_f(e->top + share * e->rise, e->z + share * e->way_z);
    return (vec){e->x + share * e->way_x, e->y + share * e->way_y, bed + e->wall * (onward - bed)};
}

// Where the surface ends between a node inside and one outside, without depth.
static void put_end(const rv_surface_pass *p, uint32_t in, uint32_t out, int direction,
                    uint32_t number)
{
    const rv_surface_work *w = p->w;
    const rv_node_record *o = &w->records[out];
    const rv_node_record *n = rv_has_record(w, in) ? &w->records[w->record[in]] : NULL;
    float depth = rv_surface_inside_of(p, in);
    span s = span_of(p, in, o, direction);
    flow f, beside = flow_beside(p, o);
    if (in < w->slots) {
        uint32_t vertex = w->vertex[in];
        f = (flow){load(w->normals, vertex), load(w->velocity, vertex), w->roughness[vertex]};
    } else {
        f = flow_beside(p, n);
    }
    float t = rv_lesser_f(rv_greater_f(depth / (depth - o->inside), RV_END_NEAREST),
                          1.0f - RV_END_NEAREST);
    rv_line_end *e = w->line + (number - w->band[0].vertices);
    *e = (rv_line_end){.is = true,
                       .t = t,
                       .first = t,
                       .x = s.at.x,
                       .y = s.at.y,
                       .z = s.low,
                       .way_x = w->cell_x[o->x] - s.at.x,
                       .way_y = w->cell_y[o->y] - s.at.y,
                       .way_z = s.high - s.low,
                       .top = s.at.z,
                       .rise = s.rise,
                       .wall = s.wall,
                       .free = in < w->slots ? 1.0f - s.wall : 0.0f};
    float share = rv_end_share(e, t);
    // where between the two it ends says little of how it faces, and differs along the line
    flow mixed = {unit(mix(f.normal, beside.normal, 0.25f + 0.5f * share)),
                  mix(f.velocity, beside.velocity, share),
                  f.rough + share * (beside.rough - f.rough)};
    put(w, number, end_place(e, t), mixed, 0.0f, 0.0f);
}

void rv_surface_move_end(const rv_surface_work *w, const rv_line_end *e, uint32_t number)
{
    if (e->t != e->first) store(w->positions, number, end_place(e, e->t));
}

// ---- Curtains -----------------------------------------------------------------------------------

// The rows of a curtain at a lip. It has the lip's velocity in all of them, and thins out to
// nothing where it ends: at its sides, and downward.
#define LEAST_UP 0.2f
static const float THINS[RV_CURTAIN_ROWS] = {1.0f, 1.0f, 0.8f, 0.4f, 0.0f};

static void put_curtain(const rv_surface_pass *p, const rv_node_record *n, uint32_t number)
{
    const rv_surface_work *w = p->w;
    hanging h = hanging_of(p, n);
    flow f = flow_beside(p, n);
    f.rough = 0.0f;
    // what is hardly there does not go over an edge; where it ends a curtain is thinner
    float there = rv_lesser_f(rv_greater_f(10.0f * (n->depth * p->per_dx) - 0.5f, 0.0f), 1.0f);
    // on a steep edge columns are deeper than it is thick
    there *= rv_greater_f(f.normal.z, LEAST_UP);
    for (int row = 0; row < RV_CURTAIN_ROWS; row++, number++) {
        if (row > 0) f.normal = row_normal(&h, n, row);
        float share = is_side(n) ? 0.0f : THINS[row];
        float depth = share * there * n->depth;
        put(w, number, row_place(&h, is_side(n), row), f, opacity_of(p, depth), depth);
        w->drop[number] = h.z[0] - h.z[row];
    }
}

static void put_fall(const rv_surface_pass *p, const rv_node_record *n, uint32_t number)
{
    vec at = place(p->w, n);
    flow f = flow_beside(p, n);
    const rv_lip lip = {.at = {at.x, at.y, at.z},
                        .normal = {f.normal.x, f.normal.y, f.normal.z},
                        .velocity = {f.velocity.x, f.velocity.y, f.velocity.z},
                        .low = height_below(p, n)};
    rv_surface_put_fall(p, n, &lip, number);
}

void rv_surface_put_fresh(const rv_surface_pass *p, rv_fresh_vertex what, uint32_t number)
{
    const rv_surface_work *w = p->w;
    w->line[number - w->band[0].vertices].is = false;
    if (what.with < RV_TOP) {
        put_end(p, what.node, what.with / RV_DIRECTIONS,
                rv_opposite((int)(what.with % RV_DIRECTIONS)), number);
        return;
    }
    const rv_node_record *n = &w->records[w->record[what.node]];
    if (what.with == RV_NO_NODE) {
        put(w, number, extra_place(p, n), flow_beside(p, n), opacity_of(p, n->depth), n->depth);
    } else if (what.with == RV_TOP) { // with all that follow
        if (n->falls)
            put_fall(p, n, number);
        else
            put_curtain(p, n, number);
    }
}
