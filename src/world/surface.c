// The surface of a world's liquid: minimum heights that follow its terrain, and the surface itself.
#include "surface/surface.h"

#include "base/clock.h"
#include "surface/blobs.h"
#include "surface/card/card.h"
#include "surface/density.h"
#include "world/world_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// What asks for the surface along with a step (rv_card_watcher): the surface has it, and so may the
// world that it was made of last; either may go first.
typedef struct surface_watch {
    rv_surface *surface; // NULL: it is gone
    const rv_world *world;
    rv_allocator allocator;
    int users;
} surface_watch;

struct rv_surface {
    rv_surface_work work;
    rv_density_work density; // of particles
    bool dense;              // the last update was of these
    rv_heights heights;
    size_t slots;    // of the columns that the heights are for
    int64_t changes; // of the terrain that they follow
    double over;     // as they were made
    rv_flank *flank; // [flank_room] of the edges that drip
    rv_brims brims;  // of the same
    size_t flank_room, flanks;
    int64_t flank_changes; // of the terrain that they follow
    double flank_clear;    // m, that is free under them
    float *angle;          // [angle_slots] as rv_surface_input.angle
    size_t angle_slots;
    int64_t angle_changes; // of the terrain that they follow
    double ms;
    uint64_t version; // of the mesh
    rv_bodies bodies; // room to work out what bodies displace
    float *raised;    // [raised_slots] depths with that
    size_t raised_slots;
    float *averaged; // [averaged_slots] depths with surface.average
    size_t averaged_slots;
    rv_card_sheet card;
    bool on_card; // the last update was made there
    surface_watch *watch;
    float *filled; // [filled_slots] depths with flooded columns up to their ceilings
    size_t filled_slots;
    rv_blob_work blobs;                               // of droplets
    uint32_t more_vertices, more_triangles;           // theirs, behind the columns' in the mesh
    size_t changed_vertices[2], changed_triangles[2]; // rv_surface_mesh
};

// ---- Droplets -----------------------------------------------------------------------------------

#define GRAIN_MOST 1.5 // times the radius of a particle of an emitter: larger ones are drawn alone

bool rv_surface_has_droplet(const rv_params *params, double radius)
{
    if (!params || !params->surface_droplets) return false;
    double h = params->spray_grain * params->grid_dx;
    return radius <= GRAIN_MOST * rv_ball_radius(h * h * h);
}

// Whether some droplet may be about to land. Where liquid is on a card its depths are fetched for
// these only.
static bool near_liquid(const rv_world *world)
{
    const rv_spray *d = &world->spray;
    for (int i = 0; i < d->count; i++)
        if (d->form[i] == 0 && d->velocity[i].z < 0) return true;
    return false;
}

static const float *depths_of(const rv_world *world)
{
    // what is where does not change it
    return rv_world_view_depths((rv_world *)(uintptr_t)world).depth;
}

static rv_result update_blobs(rv_surface *s, const rv_world *world)
{
    const rv_params *p = &world->params;
    const rv_spray *d = &world->spray;
    double h = p->spray_grain * p->grid_dx;
    s->blobs.vertices = s->blobs.triangles = 0;
    if (!p->surface_droplets || d->count == 0) return RV_OK;
    const rv_blob_input in = {.at = d->at,
                              .velocity = d->velocity,
                              .radius = d->radius,
                              .hangs = d->form,
                              .count = d->count,
                              .largest = GRAIN_MOST * rv_ball_radius(h * h * h),
                              .spacing = h,
                              .columns = &world->columns,
                              .depth = near_liquid(world) ? depths_of(world) : NULL,
                              .pool = world->pool};
    return rv_blobs_build(&s->blobs, &in);
}

// `count` times the same numbers.
static void fill(float *to, const float *same, size_t width, int count)
{
    for (int n = 0; n < count; n++) memcpy(to + (size_t)n * width, same, width * sizeof *to);
}

// Puts the droplets' mesh behind the columns'.
static rv_result append_blobs(rv_surface *s, const rv_world *world)
{
    const rv_blob_work *b = &s->blobs;
    rv_surface_work *w = &s->work;
    size_t first = w->vertices, corner = w->triangles, count = (size_t)b->vertices;
    const float far[4] = {(float)world->params.surface_meniscus_length}, one = 1.0f, none = 0.0f;
    const float stream = RV_BLOB_DROP;
    s->more_vertices = s->more_triangles = 0;
    if (b->vertices == 0) return RV_OK;
    if (!rv_surface_reserve(w, first + count, corner + (size_t)b->triangles))
        return RV_OUT_OF_MEMORY;
    memcpy(w->positions + 3 * first, b->positions, 3 * count * sizeof *b->positions);
    memcpy(w->normals + 3 * first, b->normals, 3 * count * sizeof *b->normals);
    memcpy(w->velocity + 3 * first, b->velocity, 3 * count * sizeof *b->velocity);
    memcpy(w->depth + first, b->depth, count * sizeof *b->depth);
    fill(w->opacity + first, &one, 1, b->vertices);
    fill(w->contact + 4 * first, far, 4, b->vertices);
    fill(w->roughness + first, &none, 1, b->vertices);
    fill(w->drop + first, &stream, 1, b->vertices);
    for (size_t n = 0; n < 3 * (size_t)b->triangles; n++)
        w->indices[3 * corner + n] = (uint32_t)first + b->indices[n];
    s->more_vertices = (uint32_t)b->vertices, s->more_triangles = (uint32_t)b->triangles;
    return RV_OK;
}

rv_result rv_surface_create(const rv_world *world, rv_surface **out)
{
    if (out) *out = NULL;
    if (!world || !out) return RV_BAD_ARGUMENT;
    const rv_allocator *host = &world->purse.host; // it may outlive the world
    rv_surface *s = rv_new(host, 1, sizeof *s);
    if (!s) return RV_OUT_OF_MEMORY;
    s->work.allocator = s->bodies.allocator = s->density.allocator = *host;
    s->blobs.allocator = s->card.allocator = *host;
    s->density.kept.host = *host;
    s->changes = -1;
    s->version = (uint64_t)(rv_wall_ms() * 1e6) << 12; // no two surfaces have the same
    *out = s;
    return RV_OK;
}

static void leave_watch(surface_watch *w)
{
    rv_allocator a = w->allocator;
    if (--w->users == 0) rv_free(&a, w, 1, sizeof *w);
}

void rv_surface_destroy(rv_surface *s)
{
    if (!s) return;
    rv_allocator a = s->work.allocator;
    if (s->watch) s->watch->surface = NULL, leave_watch(s->watch);
    rv_surface_work_free(&s->work);
    rv_card_sheet_free(&s->card);
    rv_density_work_free(&s->density);
    rv_heights_free(&s->heights);
    rv_bodies_free(&s->bodies);
    rv_free(&a, s->flank, s->flank_room, sizeof *s->flank);
    rv_brims_free(&s->brims, &a);
    rv_free(&a, s->angle, s->angle_slots, sizeof *s->angle);
    rv_free(&a, s->raised, s->raised_slots, sizeof *s->raised);
    rv_free(&a, s->averaged, s->averaged_slots, sizeof *s->averaged);
    rv_free(&a, s->filled, s->filled_slots, sizeof *s->filled);
    rv_blobs_free(&s->blobs);
    rv_free(&a, s, 1, sizeof *s);
}

// Brings the minimum heights up to date with the terrain.
static rv_result follow_terrain(rv_surface *s, const rv_world *world)
{
    const rv_column_set *c = &world->columns;
    // Without minimum heights as high as the columns say; 0 is no least height that there can be.
    double over = world->params.surface_minimum ? world->params.surface_over : 0;
    double least = over * world->params.grid_dx;
    const rv_terrain *terrain = over > 0 ? world->terrain : NULL;
    rv_rect area;
    rv_result r = RV_OK;
    if (s->changes == world->changes && s->slots == c->slots && s->over == over) return RV_OK;
    bool local =
        s->slots == c->slots && s->over == over && rv_changes_since(world, s->changes, &area);
    if (local) {
        if (area.x1 > area.x0) r = rv_heights_update(&s->heights, c, terrain, least, area);
    } else {
        rv_heights_free(&s->heights);
        s->slots = 0;
        r = rv_heights_build(&s->heights, c, terrain, least, world->pool, &s->work.allocator);
    }
    if (r != RV_OK) {
        s->slots = 0; // the heights are empty: build them anew next time
        return r;
    }
    s->slots = c->slots, s->changes = world->changes, s->over = over;
    return RV_OK;
}

// Which contact angle the bed of each column has, where solids say their own.
static rv_result follow_angles(rv_surface *s, const rv_world *world)
{
    const rv_column_set *c = &world->columns;
    const rv_angles *sets;
    size_t slots = world->terrain && rv_terrain_angles(world->terrain, &sets) > 0 ? c->slots : 0;
    if (s->angle_slots == slots && (slots == 0 || s->angle_changes == world->changes)) return RV_OK;
    rv_free(&s->work.allocator, s->angle, s->angle_slots, sizeof *s->angle);
    s->angle = NULL, s->angle_slots = 0;
    if (slots == 0) return RV_OK;
    s->angle = rv_new(&s->work.allocator, slots, sizeof *s->angle);
    if (!s->angle) return RV_OUT_OF_MEMORY;
    s->angle_slots = slots, s->angle_changes = world->changes;
    for (size_t i = 0; i < slots; i++) s->angle[i] = -1;
    for (int l = 0; l < c->planes; l++) {
        const rv_plane *p = &c->plane[l];
        for (int y = p->y0; y < p->y0 + p->ny; y++) {
            for (int x = p->x0; x < p->x0 + p->nx; x++) {
                size_t slot = rv_slot(p, x, y);
                if (!rv_column_exists(c, slot)) continue;
                s->angle[slot] =
                    (float)sets[rv_terrain_angles_at(world->terrain, x, y, (double)c->base[slot])]
                        .contact;
            }
        }
    }
    return RV_OK;
}

// Whether edges drip, and which they are is known.
static bool drips_now(const rv_world *world)
{
    const rv_edges *e = &world->spray.edges;
    return e->count > 0 && e->changes == world->changes && rv_world_drips(world);
}

// Finds the sides of the solids at edges that drip, if they are others than before.
static rv_result follow_edges(rv_surface *s, const rv_world *world)
{
    const rv_edges *e = &world->spray.edges;
    const rv_allocator *a = &s->work.allocator;
    size_t count = drips_now(world) && world->terrain ? (size_t)e->count : 0;
    bool same = s->flank_changes == world->changes && s->flank_clear == e->clear;
    if (s->flanks == count && (count == 0 || same)) return RV_OK;
    if (count > s->flank_room) {
        rv_free(a, s->flank, s->flank_room, sizeof *s->flank);
        s->flanks = 0, s->flank = rv_new(a, count, sizeof *s->flank);
        s->flank_room = s->flank ? count : 0;
        if (!s->flank) return RV_OUT_OF_MEMORY;
    }
    if (count > 0 &&
        !rv_brims_take(&s->brims, a, count, world->columns.grid.nx, world->columns.grid.ny)) {
        s->flanks = 0;
        return RV_OUT_OF_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        s->flank[i].slot = (uint32_t)e->slot[i];
        for (int k = 0; k < RV_EDGE_SIDES; k++) s->flank[i].next[k] = e->edge[i].next[k];
        rv_flank_find(&world->columns, world->terrain, &s->flank[i]);
        rv_brims_put(&s->brims, i, e->edge[i].x, e->edge[i].y);
    }
    s->flanks = count, s->flank_changes = world->changes, s->flank_clear = e->clear;
    return RV_OK;
}

// Room for a depth by slot. false: no memory.
static bool take_depths(rv_surface *s, float **depths, size_t *room, size_t slots)
{
    if (*room == slots) return true;
    rv_free(&s->work.allocator, *depths, *room, sizeof **depths);
    *depths = rv_new(&s->work.allocator, slots, sizeof **depths);
    *room = *depths ? slots : 0;
    return *depths != NULL;
}

// The depths that are shown: over a sunken body the liquid closes, in a floating one it is hidden.
static const float *shown_depths(rv_surface *s, const rv_world *world, const float *depth)
{
    if (world->bodies.count == 0) return depth;
    if (!take_depths(s, &s->raised, &s->raised_slots, world->columns.slots)) return depth;
    s->bodies.pool = world->pool;
    const float *raised = rv_world_raise_depths(world, &s->bodies, s->raised);
    return raised ? raised : depth;
}

// The tank paper draws control points at the corners of cells, each the mean of the four columns
// around it (§5.2). In the middle of a cell that surface is as high as the mean of its four
// corners: of the nine columns around, by 1 2 1, 2 4 2, 1 2 1. Only where all nine are one sheet of
// liquid. The sides of the grid are mirrors: without that the cut would keep the shortest waves,
// and be a comb.
static float mean_level(const rv_column_set *c, const float *depth, const rv_plane *plane, int px,
                        int py, float film)
{
    size_t i = rv_slot(plane, px, py);
    float own = c->base[i] + depth[i], sum = 0.0f;
    for (int n = 0; n < 9; n++) {
        int x = n % 3 - 1, y = n / 3 - 1;
        int ox = px + x < 0 || px + x >= c->grid.nx ? px : px + x;
        int oy = py + y < 0 || py + y >= c->grid.ny ? py : py + y;
        if (!rv_plane_has(plane, ox, oy)) return own;
        size_t o = rv_slot(plane, ox, oy);
        if (!rv_column_exists(c, o) || !(depth[o] > film)) return own;
        float level = c->base[o] + depth[o];
        if (!rv_levels_linked(c, i, (double)own, o, (double)level)) return own;
        sum += (float)((2 - abs(x)) * (2 - abs(y))) * level;
    }
    return sum / 16.0f;
}

// The same for all columns; `depth` itself where there is no memory for it.
static const float *average_depths(rv_surface *s, const rv_world *world, const float *depth)
{
    const rv_column_set *c = &world->columns;
    float film = (float)world->params.surface_film;
    if (!world->params.surface_average) return depth;
    if (!take_depths(s, &s->averaged, &s->averaged_slots, c->slots)) return depth;
    memcpy(s->averaged, depth, c->slots * sizeof *depth);
    for (int l = 0; l < c->planes; l++) {
        const rv_plane *plane = &c->plane[l];
        for (int64_t n = 0; n < (int64_t)plane->nx * plane->ny; n++) {
            int x = plane->x0 + (int)(n % plane->nx), y = plane->y0 + (int)(n / plane->nx);
            size_t i = rv_slot(plane, x, y);
            if (!rv_column_exists(c, i) || !(depth[i] > film)) continue;
            float mean = mean_level(c, depth, plane, x, y, film) - c->base[i];
            s->averaged[i] = mean > film ? mean : film;
        }
    }
    return s->averaged;
}

// A depth (m) with which a column's level is at its ceiling, whatever the last bit of the sum does.
static float depth_to_ceiling(const rv_column_set *c, size_t i)
{
    float depth = c->max[i] - c->base[i];
    while (c->base[i] + depth < c->max[i]) depth = nextafterf(depth, INFINITY);
    return depth;
}

#define PIECE ((size_t)1 << 15) // slots that are one task

typedef struct filling {
    const rv_column_set *columns;
    const uint8_t *full;
    const float *depth;
    float *to;
} filling;

static void fill_piece(void *context, int task)
{
    const filling *f = context;
    const rv_column_set *c = f->columns;
    size_t from = (size_t)task * PIECE, end = from + PIECE < c->slots ? from + PIECE : c->slots;
    const uint8_t *at = memchr(f->full + from, 1, end - from);
    memcpy(f->to + from, f->depth + from, (end - from) * sizeof *f->to);
    for (; at; at = memchr(at + 1, 1, (size_t)(f->full + end - at - 1))) {
        size_t i = (size_t)(at - f->full);
        if (rv_column_exists(c, i) && c->base[i] + f->depth[i] < c->max[i])
            f->to[i] = depth_to_ceiling(c, i);
    }
}

// A flooded column has no surface, and what is flooded the solver says: with a pressure its columns
// lack up to a thousandth of their height, and a sheet would hang there under the ceiling. `depth`
// itself where no column is flooded, or there is no memory.
static const float *fill_flooded(rv_surface *s, const rv_world *world, const uint8_t *full,
                                 const float *depth)
{
    const rv_column_set *c = &world->columns;
    if (!full || !memchr(full, 1, c->slots)) return depth;
    if (!take_depths(s, &s->filled, &s->filled_slots, c->slots)) return depth;
    filling f = {c, full, depth, s->filled};
    rv_parallel_for(world->pool, (int)((c->slots + PIECE - 1) / PIECE), fill_piece, &f);
    return s->filled;
}

// The same with what runs on along edges that drip, over columns that are dry. `depth`: as the
// solver has them, `shown`: with flooded columns; that itself where nothing is to be done.
static const float *fill_brims(rv_surface *s, const rv_surface_input *in, const float *depth,
                               const float *shown)
{
    size_t slots = in->columns->slots;
    float film = (float)in->film, *to = shown == depth ? NULL : s->filled;
    float least = fmaxf(film, RV_BRIM_LEAST * (float)in->columns->grid.dx);
    if (!in->flank) return shown;
    rv_brims_find(&s->brims, in->flank, depth, film, least, in->brim, in->pool);
    for (size_t k = 0; k < in->drips; k++) {
        float brim = s->brims.brim[k];
        if (!(brim > film)) continue;
        if (!to) {
            if (!take_depths(s, &s->filled, &s->filled_slots, slots)) return shown;
            memcpy(s->filled, depth, slots * sizeof *depth);
            to = s->filled;
        }
        to[in->flank[k].slot] = brim;
    }
    return to ? to : shown;
}

// Of liquid made of particles, in a plane or in space.
static rv_result update_density(rv_surface *s, const rv_world *world)
{
    rv_density_input in = {
        .terrain = world->terrain, .changes = world->changes, .level = world->params.surface_level};
    rv_result r = rv_world_get_drawn_density(world, in.level, &in.density);
    if (r == RV_OK) r = rv_world_get_particles(world, &in.particles);
    return r == RV_OK ? rv_density_build(&s->density, &in) : r;
}

// How far the front of a puddle is a wedge that cells can hold, 0 … 1: with tension it is as thick
// as a wide puddle, 2ℓ sin(θ/2), on a length of that over tan θ.
static float rim_of(const rv_world *world)
{
    const rv_params *p = &world->params;
    double weight = p->liquid_density * rv_gravity_down(p), angle = fmin(p->liquid_advancing, 1.2);
    if (!world->api->traits(p).has_tension || !(weight > 0) || !(angle > 0)) return 0.0f;
    double thick = 2.0 * sqrt(p->liquid_tension / weight) * sin(0.5 * angle);
    return (float)fmin(fmax(2.0 - p->grid_dx * tan(angle) / thick, 0.0), 1.0);
}

// How liquid falls. A rim goes √(2γ/(ρt)) fast into a sheet of thickness t (Taylor and Culick);
// thick liquid stretches as far as its own weight under it lets it, some (ν²/g)^⅓.
static rv_fall_law fall_of(const rv_params *p, bool tension)
{
    double g = rv_gravity_down(p), nu = p->liquid_viscosity;
    if (!(g > 0.1)) g = 0.1; // lying or upside down it hardly falls
    double rims = tension ? sqrt(2 * p->liquid_tension / p->liquid_density) : 0;
    return (rv_fall_law){(float)g, (float)rims, (float)(2 * cbrt(nu * nu / g))};
}

// The mesh of the columns and the droplets behind it.
static rv_surface_mesh mesh_of(const rv_surface *s)
{
    const rv_surface_work *w = &s->work;
    return (rv_surface_mesh){
        .vertex_count = (size_t)w->vertices + s->more_vertices,
        .triangle_count = (size_t)w->triangles + s->more_triangles,
        .positions = w->positions,
        .normals = w->normals,
        .opacity = w->opacity,
        .depth = w->depth,
        .velocity = w->velocity,
        .contact = w->meniscus.there ? w->contact : NULL,
        .indices = w->indices,
        .roughness = w->roughness,
        .drop = w->drop,
        .version = s->version,
        .changed_vertices = {s->changed_vertices[0], s->changed_vertices[1]},
        .changed_triangles = {s->changed_triangles[0], s->changed_triangles[1]}};
}

// The first and after the last of what the columns changed and what stands behind them.
static void tell_changed(size_t out[2], bool changed, const uint32_t of[2], size_t first,
                         size_t more)
{
    bool some = changed && of[1] > of[0];
    out[0] = some ? of[0] : first;
    out[1] = more > 0 || !some ? first + more : of[1];
}

// Films hold together along an edge over gaps of twice a capillary length, or of two cells.
static int brim_of(const rv_params *p)
{
    double weight = p->liquid_density * rv_gravity_down(p);
    double length = weight > 0 ? sqrt(p->liquid_tension / weight) : 0;
    return (int)fmin(fmax(2 * length / p->grid_dx, 2), RV_BRIM_FAR);
}

// All but the liquid.
static rv_surface_input input_of(const rv_surface *s, const rv_world *world)
{
    const rv_params *p = &world->params;
    rv_surface_input in = {.columns = &world->columns,
                           .heights = &s->heights,
                           .over = s->heights.over,
                           .film = p->surface_film,
                           .opaque = p->view_opaque,
                           .edge = p->surface_edge && p->surface_boundary,
                           .boundary = p->surface_boundary,
                           .links = p->surface_links,
                           .curtain = p->surface_curtain,
                           .meniscus = p->surface_meniscus,
                           .meniscus_length = p->surface_meniscus_length,
                           .contact = p->liquid_contact,
                           .angle = s->angle,
                           .bends = world->api->traits(p).has_tension,
                           .rim = rim_of(world),
                           .fall = fall_of(p, world->api->traits(p).has_tension),
                           .average = p->surface_average,
                           .changes = world->changes,
                           .least = p->surface_minimum ? p->surface_over : 0,
                           .pool = world->pool};
    if (drips_now(world)) {
        in.drip = world->spray.edges.of, in.sheet = world->spray.edges.sheet;
        in.drips = (size_t)world->spray.edges.count;
        in.flank = s->flanks == in.drips ? s->flank : NULL;
        in.brim = brim_of(p);
    }
    return in;
}

rv_result rv_surface_update(rv_surface *s, const rv_world *world)
{
    if (!s || !world) return RV_BAD_ARGUMENT;
    double began = rv_wall_ms();
    bool was_there = s->on_card;
    s->dense = world->traits.has_density;
    if (s->on_card) s->version++; // what is there may be older than what was drawn
    s->on_card = false;
    if (s->dense) {
        s->version++;
        rv_result made = update_density(s, world);
        s->ms = rv_wall_ms() - began;
        return made;
    }
    rv_result r = follow_terrain(s, world);
    if (r == RV_OK) r = follow_edges(s, world);
    if (r == RV_OK) r = follow_angles(s, world);
    if (r != RV_OK) return r;
    rv_liquid view = rv_world_view(world);
    rv_surface_input in = input_of(s, world);
    const float *depth = average_depths(s, world, shown_depths(s, world, view.depth));
    in.depth = fill_brims(s, &in, depth, fill_flooded(s, world, view.full, depth));
    in.flux_x = view.flux_x, in.flux_y = view.flux_y;
    bool had = s->more_vertices > 0;
    s->more_vertices = s->more_triangles = 0;
    r = rv_surface_build(&s->work, &in);
    if (r == RV_OK) r = update_blobs(s, world);
    if (r == RV_OK) r = append_blobs(s, world);
    const rv_surface_work *w = &s->work;
    if (w->changed || had || s->more_vertices > 0) {
        s->version++;
        tell_changed(s->changed_vertices, w->changed, w->changed_vertices, w->vertices,
                     s->more_vertices);
        tell_changed(s->changed_triangles, w->changed, w->changed_triangles, w->triangles,
                     s->more_triangles);
    } else if (was_there) { // the mesh here is the old one, but not what was drawn last
        s->changed_vertices[0] = s->changed_triangles[0] = 0;
        s->changed_vertices[1] = w->vertices, s->changed_triangles[1] = w->triangles;
    }
    s->ms = rv_wall_ms() - began;
    return r;
}

// ---- On the card --------------------------------------------------------------------------------

// What the kernels do not do: liquid raised by bodies, means beside edges that drip, ends at the
// middles of cells, and layers with a surface each.
static bool suits_card(const rv_world *world)
{
    const rv_params *p = &world->params;
    return !world->traits.has_density && p->surface_edge && p->surface_boundary &&
           p->surface_links && !(p->surface_average && drips_now(world)) &&
           world->bodies.count == 0;
}

static void drop_watch(void *user)
{
    leave_watch(user);
}

static void look_ahead(const rv_card_liquid *liquid, void *user)
{
    const surface_watch *w = user;
    const rv_world *world = w->world;
    if (w->surface && w->surface->on_card)
        rv_card_sheet_look_ahead(&w->surface->card, &world->columns, world->changes, liquid);
}

// The next step is waited for, and what the next update looks at first then too. The columns under
// particles are found when somebody asks: they have no watcher.
static void watch_step(rv_surface *s, const rv_world *world)
{
    if (!world->api->columns) return;
    if (!s->watch) {
        s->watch = rv_new(&s->work.allocator, 1, sizeof *s->watch);
        if (!s->watch) return; // it is done without
        *s->watch = (surface_watch){.surface = s, .allocator = s->work.allocator, .users = 1};
    }
    s->watch->world = world, s->watch->users++;
    world->api->columns->watch(world->solver, (rv_card_watcher){look_ahead, drop_watch, s->watch});
}

rv_result rv_surface_update_drawn(rv_surface *s, const rv_world *world)
{
    rv_card_liquid liquid;
    if (!s || !world) return RV_BAD_ARGUMENT;
    if (!suits_card(world) || !rv_world_liquid_on_card(world, &liquid))
        return rv_surface_update(s, world);
    double began = rv_wall_ms();
    rv_result r = follow_terrain(s, world);
    if (r == RV_OK) r = follow_edges(s, world);
    if (r == RV_OK) r = follow_angles(s, world);
    if (r != RV_OK) return r;
    rv_surface_input in = input_of(s, world);
    r = update_blobs(s, world);
    if (r == RV_OK) r = rv_card_sheet_build(&s->card, &in, &liquid, &s->blobs);
    if (r != RV_OK) return rv_surface_update(s, world);
    s->version += s->card.changed || !s->on_card;
    s->dense = false, s->on_card = true, s->more_vertices = s->more_triangles = 0;
    watch_step(s, world);
    s->ms = rv_wall_ms() - began;
    return RV_OK;
}

static float unordered(uint32_t bits)
{
    float v;
    bits = bits & 0x80000000u ? bits & 0x7fffffffu : ~bits;
    memcpy(&v, &bits, sizeof v);
    return v;
}

// A box around its squares: an end is no farther out than the cells beside them.
static void box_of(const rv_card_sheet *c, rv_surface_card *out)
{
    const rv_surface_squares *s = &c->squares;
    const rv_grid *g = &c->made.columns->grid;
    int x0 = s->across, x1 = 0, y0 = s->along, y1 = 0;
    for (int y = 0; y < s->along; y++)
        for (int x = 0; x < s->across; x++) {
            if (c->before[y * s->across + x] == RV_NO_NODE) continue;
            x0 = x < x0 ? x : x0, x1 = x + 1 > x1 ? x + 1 : x1;
            y0 = y < y0 ? y : y0, y1 = y + 1;
        }
    out->low = (rv_vec3){g->x0 + (x0 * RV_SQUARE - 1) * g->dx, g->y0 + (y0 * RV_SQUARE - 1) * g->dx,
                         (double)unordered(c->status[RV_SHEET_LOW])};
    out->high =
        (rv_vec3){g->x0 + (x1 * RV_SQUARE + 1) * g->dx, g->y0 + (y1 * RV_SQUARE + 1) * g->dx,
                  (double)unordered(c->status[RV_SHEET_HIGH])};
}

static void add_blobs_to(const rv_blob_work *b, rv_surface_card *out)
{
    float fast = 0.0f;
    for (int n = 0; n < b->vertices; n++) {
        const float *p = b->positions + 3 * n, *v = b->velocity + 3 * n;
        out->low.x = fmin(out->low.x, (double)p[0]), out->high.x = fmax(out->high.x, (double)p[0]);
        out->low.y = fmin(out->low.y, (double)p[1]), out->high.y = fmax(out->high.y, (double)p[1]);
        out->low.z = fmin(out->low.z, (double)p[2]), out->high.z = fmax(out->high.z, (double)p[2]);
        out->deepest = fmaxf(out->deepest, b->depth[n]);
        fast = fmaxf(fast, v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    }
    out->fastest = fmaxf(out->fastest, sqrtf(fast));
}

rv_result rv_surface_get_card(const rv_surface *s, rv_surface_card *out)
{
    if (!s || !out || !s->on_card) return RV_BAD_ARGUMENT;
    const rv_card_sheet *c = &s->card;
    const rv_device *d = c->device;
    *out = (rv_surface_card){
        .vertices = d->name_of(d->user, c->buffer[RV_SHEET_MESH]),
        .indices = d->name_of(d->user, c->buffer[RV_SHEET_INDEX]),
        .draw = d->name_of(d->user, c->buffer[RV_SHEET_STATUS]),
        .draw_at = 4 * RV_SHEET_DRAW,
        .vertex_room = c->constants.vertices,
        .vertex_count =
            (size_t)c->status[RV_SHEET_INSIDE] + c->status[RV_SHEET_OTHERS] + c->constants.more,
        .triangle_count = c->status[RV_SHEET_TRIANGLES] + (size_t)s->blobs.triangles,
        .contact = c->made.meniscus,
        .version = s->version,
    };
    if (out->triangle_count == 0) return RV_OK;
    out->low = (rv_vec3){INFINITY, INFINITY, INFINITY};
    out->high = (rv_vec3){-INFINITY, -INFINITY, -INFINITY};
    if (c->status[RV_SHEET_TRIANGLES] > 0) {
        box_of(c, out);
        out->deepest = unordered(c->status[RV_SHEET_DEEP]);
        out->fastest = sqrtf(unordered(c->status[RV_SHEET_FAST]));
    }
    add_blobs_to(&s->blobs, out);
    return RV_OK;
}

rv_result rv_surface_get_mesh(const rv_surface *s, rv_surface_mesh *out)
{
    if (!s || !out) return RV_BAD_ARGUMENT;
    const rv_density_work *d = &s->density;
    if (s->on_card) return RV_BAD_ARGUMENT;
    if (s->dense) {
        *out = (rv_surface_mesh){.vertex_count = d->mesh.vertex_count,
                                 .triangle_count = d->mesh.triangle_count,
                                 .positions = d->mesh.positions,
                                 .normals = d->mesh.normals,
                                 .opacity = d->opacity,
                                 .depth = d->depth,
                                 .velocity = d->velocity,
                                 .indices = d->mesh.indices,
                                 .version = s->version,
                                 .changed_vertices = {0, d->mesh.vertex_count},
                                 .changed_triangles = {0, d->mesh.triangle_count}};
        return RV_OK;
    }
    *out = mesh_of(s);
    return RV_OK;
}

rv_result rv_surface_get_counters(const rv_surface *s, rv_surface_stats *out)
{
    if (!s || !out) return RV_BAD_ARGUMENT;
    if (s->dense) {
        *out = (rv_surface_stats){.ms = s->ms,
                                  .bytes = sizeof *s + rv_density_work_bytes(&s->density)};
        return RV_OK;
    }
    if (s->on_card) {
        rv_card_sheet *c = (rv_card_sheet *)(uintptr_t)&s->card; // times come when they are asked
        double surface = 0, meniscus = 0;
        rv_card_sheet_times(c, &surface, &meniscus);
        *out = (rv_surface_stats){.columns = c->status[RV_SHEET_INSIDE],
                                  .extra = c->status[RV_SHEET_EXTRA_COUNT],
                                  .ms = s->ms,
                                  .islands = c->islands,
                                  .made = c->changed ? c->fresh_islands : 0,
                                  .on_card = true,
                                  .ms_card = surface + meniscus,
                                  .ms_card_meniscus = meniscus,
                                  .bytes = sizeof *s + rv_surface_work_bytes(&s->work)};
        return RV_OK;
    }
    *out = s->work.stats;
    out->ms = s->ms, out->ms_meniscus = s->work.meniscus.ms;
    out->bytes = sizeof *s + rv_surface_work_bytes(&s->work) +
                 (s->slots + s->raised_slots + s->averaged_slots + s->filled_slots) * sizeof(float);
    out->bytes += s->flank_room * sizeof *s->flank + s->angle_slots * sizeof *s->angle;
    out->bytes += rv_brims_bytes(&s->brims);
    out->bytes += rv_blobs_bytes(&s->blobs);
    return RV_OK;
}

rv_result rv_surface_get_stats(const rv_surface *s, rv_surface_stats *out)
{
    rv_result r = rv_surface_get_counters(s, out);
    if (r == RV_OK && !s->on_card)
        out->volume = s->dense ? s->density.volume : rv_surface_volume(&s->work);
    return r;
}
