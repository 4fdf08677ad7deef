// The renderer as others see it: follows a world, and answers questions about the camera. How a
// frame is drawn is in render/passes.c.
#include "rivulet_gl/renderer.h"

#include "render/noise.h"
#include "render/renderer_parts.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static double milliseconds(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

// ---- Create and destroy ------------------------------------------------------------------------

rv_result rv_renderer_create(rv_target *target, const rv_environment *environment,
                             rv_renderer **out, rv_messages *messages)
{
    if (out) *out = NULL;
    if (!target || !out) return RV_BAD_ARGUMENT;
    rv_renderer *r = calloc(1, sizeof *r);
    if (!r) return RV_OUT_OF_MEMORY;
    r->target = target;
    r->draws = rv_target_use(target);
    r->stats.ms = r->stats.ms_shadow = r->stats.ms_terrain = -1;
    r->stats.ms_liquid = r->stats.ms_post = -1;
    rv_result result = RV_OK;
    if (r->draws) {
        glGenVertexArrays(1, &r->nothing);
        glGenBuffers(1, &r->numbers_buffer);
        glBindBuffer(GL_UNIFORM_BUFFER, r->numbers_buffer);
        glBufferData(GL_UNIFORM_BUFFER, sizeof r->numbers, &r->numbers, GL_STREAM_DRAW);
        r->noise = rv_noise_make();
        rv_timers_make(&r->timers);
        rv_kernels_make(&r->kernels);
        if (!r->noise || !rv_views_make(r)) result = RV_OUT_OF_MEMORY;
        if (!rv_programs_make(r, RV_PROGRAMS_ALWAYS, messages) || !rv_shadow_make(&r->shadow))
            result = RV_BAD_ARGUMENT;
        if (result == RV_OK) result = rv_renderer_set_environment(r, environment);
    }
    if (result == RV_OK)
        *out = r;
    else
        rv_renderer_destroy(r);
    return result;
}

void rv_renderer_destroy(rv_renderer *r)
{
    if (!r) return;
    if (rv_target_use(r->target)) {
        rv_programs_free(r);
        rv_views_free(r);
        rv_timers_free(&r->timers);
        rv_shadow_free(&r->shadow);
        rv_gather_free(&r->gather);
        rv_kernels_free(&r->kernels);
        rv_cull_free(&r->cull);
        rv_room_free(&r->room);
        glDeleteTextures(1, &r->noise);
        rv_wide_drop_programs(r);
        rv_wide_free(&r->wide);
        rv_tiles_free(&r->tiles);
        rv_sheet_free(&r->sheet);
        rv_body_set_free(&r->bodies);
        rv_drops_free(&r->drops);
        rv_beads_free(&r->beads);
        rv_dew_set_free(&r->dew);
        rv_pane_part_free(&r->pane);
        rv_density_free(&r->box);
        rv_flat_free(&r->flat);
        rv_foam_free(&r->foam);
        rv_points_free(&r->points);
        rv_spots_free(&r->spots);
        rv_frame_free(&r->frame);
        glDeleteVertexArrays(1, &r->nothing);
        glDeleteBuffers(1, &r->numbers_buffer);
    }
    rv_openness_free(&r->openness);
    free(r);
}

rv_result rv_renderer_set_environment(rv_renderer *r, const rv_environment *environment)
{
    if (!r ||
        (environment && (!environment->rgb || environment->width < 1 || environment->height < 1)))
        return RV_BAD_ARGUMENT;
    r->kept = false;
    return rv_target_use(r->target) ? rv_room_make(&r->room, environment, r->room.kind) : RV_OK;
}

rv_result rv_renderer_set_backdrop(rv_renderer *r, const rv_backdrop *backdrop)
{
    if (!r || (backdrop && (!backdrop->rgb || backdrop->width < 1 || backdrop->height < 1)))
        return RV_BAD_ARGUMENT;
    return rv_target_use(r->target) ? rv_pane_part_backdrop(&r->pane, backdrop) : RV_OK;
}

void rv_renderer_set_splat(rv_renderer *r, rv_splat_gl *splat)
{
    if (r) r->splat = splat;
}

// ---- Following a world -------------------------------------------------------------------------

static uint64_t mixed(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

// Tells terrains apart: another world may stand where one stood that is gone.
static uint64_t print_of(const rv_columns *c, const rv_world_info *info)
{
    const double place[] = {c->dx, c->x0, c->y0, c->bottom, c->top};
    uint64_t hash = mixed((uint64_t)info->columns, (uint64_t)info->changes);
    for (size_t n = 0; n < sizeof place / sizeof place[0]; n++) {
        uint64_t bits;
        memcpy(&bits, &place[n], sizeof bits);
        hash = mixed(hash, bits);
    }
    size_t step = c->slots / 4096 + 1;
    for (size_t n = 0; n < c->slots; n += step) {
        uint32_t bits[2];
        memcpy(&bits[0], &c->base[n], sizeof bits[0]);
        memcpy(&bits[1], &c->max[n], sizeof bits[1]);
        hash = mixed(hash, (uint64_t)bits[0] << 32 | bits[1]);
    }
    return hash;
}

bool rv_renderer_casts(const rv_params *p)
{
    return p->solver == RV_SOLVER_SPLAT && p->splat_form == RV_SPLAT_3D;
}

bool rv_renderer_needs_surface(const rv_params *p)
{
    if (!p) return false;
    bool dense = p->solver == RV_SOLVER_SPLAT && p->splat_form != RV_SPLAT_HEIGHT;
    return p->solver != RV_SOLVER_GLASS && (!dense || p->view_mode == RV_VIEW_WIRE);
}

bool rv_renderer_wants_surface(const rv_world *world, const rv_params *p)
{
    return world && rv_renderer_needs_surface(p) && !rv_wide_suits(world);
}

static rv_result follow_terrain(rv_renderer *r, const rv_world *world, const rv_columns *c,
                                rv_messages *messages)
{
    rv_world_info info;
    rv_result result = rv_world_get_info(world, &info);
    if (result != RV_OK) return result;
    const rv_params *p = rv_world_params(world);
    uint64_t print = print_of(c, &info);
    bool same = world == r->world && info.made == r->made && p->view_material == r->material &&
                (r->draws && r->wide.on) == r->wide.there &&
                (info.changes == r->changes ? print == r->print : info.changes > r->changes);
    rv_tile_range range = {0, 0, 1 << 20, 1 << 20};
    r->tiles.uploaded = 0, r->tiles.tiles = 0;
    if (same && info.changes == r->changes) return RV_OK;
    if (same) result = rv_world_get_changed_tiles(world, r->changes, &range);
    if (!same) {
        rv_columns whole; // with the liquid, which is to be seen too
        result = rv_world_get_columns(world, &whole);
        if (result != RV_OK) return result;
        rv_extent_find(&r->extent, &whole);
        rv_body_set_peaks(world, &r->extent);
        // Particles fly: all of their room is to be seen.
        if (rv_renderer_casts(p))
            for (int n = 0; n < RV_EXTENT_PEAKS * RV_EXTENT_PEAKS; n++)
                r->extent.peak[n] = r->extent.top;
        r->azimuth = (float)p->view_azimuth, r->material = p->view_material;
        int across, along;
        result = rv_world_get_terrain_tiles(world, &across, &along);
        range.i1 = across, range.j1 = along;
    }
    r->world = NULL;                                     // until all of it is there
    if (r->draws && !r->wide.on) rv_wide_free(&r->wide); // of the world before
    r->shadow.fresh = false, r->kept = false, r->box.solid_known = false;
    if (result == RV_OK && r->draws) result = rv_openness_make(&r->openness, c, &r->extent);
    if (result == RV_OK && r->draws)
        result = r->wide.on
                     ? rv_wide_follow_ground(r, c, messages)
                     : rv_tiles_update(&r->tiles, world, &r->extent, &r->openness, range, messages);
    if (result == RV_OK)
        r->world = world, r->made = info.made, r->changes = info.changes, r->print = print,
        r->planes = c->planes;
    return result;
}

// A pane has neither terrain nor a surface of triangles.
static rv_result follow_pane(rv_renderer *r, const rv_world *world, const rv_pane *pane,
                             rv_messages *messages)
{
    const rv_params *p = rv_world_params(world);
    rv_pane_extent(pane, p, &r->extent);
    r->world = NULL, r->kept = false; // whatever follows is taken over whole
    r->azimuth = (float)p->view_azimuth;
    rv_result result = r->draws ? rv_pane_part_update(&r->pane, pane, messages) : RV_OK;
    rv_stats stats;
    if (rv_world_get_counters(world, &stats) == RV_OK) r->pane.time = stats.time;
    r->sheet.deepest = (float)(r->pane.maps.thickest / pane->dx);
    r->stats.terrain_triangles = r->stats.liquid_triangles = 0;
    r->stats.uploaded = (size_t)r->pane.maps.uploaded, r->stats.tiles = 0;
    return result;
}

// All particles, where they are to be seen themselves; else those that fly alone and make no
// surface.
static rv_result follow_points(rv_renderer *r, const rv_world *world)
{
    rv_particles particles;
    rv_density density;
    double level = rv_world_params(world)->surface_level;
    rv_result result = rv_world_get_particles(world, &particles);
    // In space those within a film are hidden in it; over a cut nothing hides them.
    if (result == RV_OK && !r->pointed && !r->flat.there)
        result = rv_world_get_density(world, &density);
    if (result == RV_OK && !r->pointed && r->flat.there) {
        result = rv_world_get_drawn_density(world, level, &density);
        level += RV_DENSITY_WITHIN;
    }
    if (result == RV_OK)
        result =
            rv_points_take(&r->points, &particles, r->pointed ? NULL : &density, level, &r->extent);
    if (result == RV_OK && (r->pointed || r->flat.there)) result = rv_points_send(&r->points);
    if (r->pointed) r->sheet.fastest = r->points.fastest;
    return result;
}

// Those that a card has found to lie alone.
static rv_result take_alone(rv_renderer *r, const rv_particles *alone)
{
    rv_result result = rv_points_take(&r->points, alone, NULL, 0, &r->extent);
    if (result == RV_OK && r->flat.there) return rv_points_send(&r->points);
    return result == RV_OK ? rv_drops_take(&r->drops, (const float(*)[8])r->points.point,
                                           r->points.count, r->points.radius)
                           : result;
}

// A plane of particles: the terrain is cut along it, and has no tiles.
static rv_result follow_flat(rv_renderer *r, const rv_world *world, rv_view_mode mode,
                             rv_messages *messages)
{
    rv_columns columns;
    rv_density density;
    rv_density_card card;
    rv_world_info info;
    rv_world *own = (rv_world *)(uintptr_t)world; // where its particles are does not change it
    rv_result result = rv_world_get_beds(world, &columns);
    if (result == RV_OK) result = rv_world_get_info(world, &info);
    bool on_card = rv_density_follow(r->splat, RV_SPLAT_2D, &density), made = false;
    double level = rv_world_params(world)->surface_level;
    // what is shown in colours has its greatest value beside it, which only the processor finds
    if (result == RV_OK && !on_card && r->draws && mode == RV_VIEW_SHADED)
        made = rv_world_get_density_card(own, level, &card) == RV_OK;
    if (made) density = card.grid;
    if (result == RV_OK && !on_card && !made)
        result = rv_world_get_drawn_density(world, level, &density);
    if (result != RV_OK) return result;
    rv_flat_extent(&density, &r->extent);
    r->world = NULL, r->kept = false; // whatever follows is taken over whole
    r->material = rv_world_params(world)->view_material;
    if (!r->draws) return RV_OK;
    if (!rv_flat_prepare(&r->flat, r->material, messages) ||
        !rv_points_prepare(&r->points, messages))
        return RV_BAD_ARGUMENT;
    uint64_t print = print_of(&columns, &info);
    result = made      ? rv_flat_take_card(&r->flat, world, &card, print, r->nothing, messages)
             : on_card ? rv_flat_fill(&r->flat, r->splat, world, &density, print)
                       : rv_flat_update(&r->flat, world, &density, print);
    r->sheet.fastest = r->flat.fastest, r->sheet.deepest = r->flat.densest;
    r->points.count = 0; // by drawing nobody looks for those that fly alone
    if (result == RV_OK && made) result = take_alone(r, &card.alone);
    if (result == RV_OK && !made && (!on_card || r->pointed)) result = follow_points(r, world);
    r->stats.terrain_triangles = r->stats.liquid_triangles = 0;
    r->stats.uploaded = r->flat.uploaded, r->stats.tiles = 0;
    return result;
}

// Liquid that is drawn from the density of its particles.
static rv_result follow_density(rv_renderer *r, const rv_world *world, rv_messages *messages)
{
    const rv_params *p = rv_world_params(world);
    rv_density density;
    rv_density_card card;
    rv_world *own = (rv_world *)(uintptr_t)world; // where its particles are does not change it
    r->box.there = false, r->box.uploaded = 0;
    if (!r->draws || !rv_renderer_casts(p)) return RV_OK;
    rv_result result;
    if (rv_density_follow(r->splat, RV_SPLAT_3D, &density)) {
        result = rv_density_fill(&r->box, r->splat, &density, &r->extent, p->surface_level);
    } else if (rv_world_get_density_card(own, p->surface_level, &card) == RV_OK) {
        density = card.grid;
        result = rv_density_take_card(&r->box, &card, &r->extent, p->surface_level);
        if (result == RV_OK && !r->pointed) result = take_alone(r, &card.alone);
    } else {
        result = rv_world_get_drawn_density(world, p->surface_level, &density);
        if (result == RV_OK)
            result = rv_density_update(&r->box, &density, &r->extent, p->surface_level);
    }
    // whether rays look for foam is told by what was taken over, here as where they are cast
    if (result == RV_OK && !rv_density_prepare(r, r->box.froth != 0, messages)) {
        r->box.there = false;
        return RV_BAD_ARGUMENT;
    }
    if (result == RV_OK) result = rv_density_take_solids(&r->box, world, &density);
    r->sheet.deepest = r->box.to.z - r->box.from.z;
    bool fetched = density.value != NULL; // else the particles are on the card
    if (result != RV_OK || (!fetched && !r->pointed)) return result;
    result = follow_points(r, world);
    if (result == RV_OK && !r->pointed)
        result = rv_drops_take(&r->drops, (const float(*)[8])r->points.point, r->points.count,
                               r->points.radius);
    return result;
}

// The surface's mesh, from here or in the card's memory.
static rv_result follow_surface(rv_renderer *r, const rv_world *world, const rv_surface *surface,
                                const rv_columns *columns, rv_view_mode mode)
{
    rv_surface_mesh mesh = {0};
    rv_surface_card card;
    double contact = rv_world_params(world)->liquid_contact;
    bool wired = mode == RV_VIEW_WIRE;
    if (surface && rv_surface_get_card(surface, &card) == RV_OK) {
        r->stats.liquid_triangles = (int64_t)card.triangle_count;
        return r->draws ? rv_sheet_show(&r->sheet, &card, &r->extent, contact, wired) : RV_OK;
    }
    rv_result result = surface ? rv_surface_get_mesh(surface, &mesh) : RV_OK;
    r->stats.liquid_triangles = (int64_t)mesh.triangle_count;
    if (result != RV_OK || !r->draws) return result;
    return rv_sheet_update(&r->sheet, &mesh, columns, &r->extent, contact, wired);
}

// Foam of particles as a height, which lies on their surface.
static rv_result follow_foam(rv_renderer *r, const rv_world *world)
{
    const rv_params *p = rv_world_params(world);
    rv_world *own = (rv_world *)(uintptr_t)world; // where its particles are does not change it
    bool foams = p->solver == RV_SOLVER_SPLAT && p->splat_form == RV_SPLAT_HEIGHT && p->splat_foam > 0;
    rv_density_card card;
    rv_density density = {0};
    if (!foams) return rv_foam_take(&r->foam, 0, 0, NULL);
    if (rv_world_get_density_card(own, 0, &card) == RV_OK)
        return rv_foam_take_card(&r->foam, card.grid.nx, card.grid.ny, card.values, card.froth_at);
    rv_result result = rv_world_get_density(world, &density);
    return result == RV_OK ? rv_foam_take(&r->foam, density.nx, density.ny, density.froth) : result;
}

// Liquid over terrain: its mesh, or what it is cast from.
static rv_result follow_terrain_and_liquid(rv_renderer *r, const rv_world *world,
                                           const rv_surface *surface, rv_view_mode mode,
                                           rv_messages *messages)
{
    rv_columns columns;
    r->wide.on = rv_wide_suits(world);
    bool there = r->wide.on
                     ? rv_world_card_depth(world) != 0
                     : surface && rv_surface_get_card(surface, &(rv_surface_card){0}) == RV_OK;
    there = there || rv_renderer_casts(rv_world_params(world));
    bool beds = there && !rv_views_of_columns(mode); // then the liquid is not asked for here
    rv_result result =
        beds ? rv_world_get_beds(world, &columns) : rv_world_get_columns(world, &columns);
    if (result == RV_OK) result = follow_terrain(r, world, &columns, messages);
    if (result == RV_OK && r->wide.on && r->draws)
        result = rv_wide_follow_liquid(r, world, &columns, messages);
    else if (result == RV_OK)
        result = follow_surface(r, world, surface, &columns, mode);
    if (result == RV_OK && r->draws) result = follow_foam(r, world);
    if (result == RV_OK && r->draws)
        result = rv_body_set_update(&r->bodies, world, &r->extent, &r->openness);
    if (result == RV_OK && r->draws) result = rv_drops_update(&r->drops, world, &r->extent);
    if (result == RV_OK && r->draws) result = rv_beads_update(&r->beads, world, &r->extent);
    if (result == RV_OK && r->draws) result = rv_dew_set_update(&r->dew, world, &r->extent);
    if (result == RV_OK) result = follow_density(r, world, messages);
    if (result == RV_OK && r->draws) result = rv_views_update(r, &columns, mode);
    if (!r->wide.on) r->stats.terrain_triangles = r->tiles.triangles;
    r->stats.tiles = r->tiles.tiles;
    r->stats.uploaded = r->tiles.uploaded + r->sheet.uploaded + r->bodies.uploaded +
                        r->drops.uploaded + r->beads.uploaded + r->dew.uploaded + r->box.uploaded +
                        r->wide.uploaded;
    r->wide.uploaded = 0;
    return result;
}

rv_result rv_renderer_update(rv_renderer *r, const rv_world *world, const rv_surface *surface,
                             rv_messages *messages)
{
    if (!r || !world) return RV_BAD_ARGUMENT;
    rv_params seen = *rv_world_params(world);
    if (!surface && rv_renderer_wants_surface(world, &seen)) return RV_BAD_ARGUMENT;
    // A view that the last frame showed, or that the scene asks for.
    if (r->wanted) seen.view_mode = r->wanted;
    if (!rv_renderer_needs_surface(&seen)) surface = NULL;
    // In space only the particles themselves have a speed that is known to the renderer.
    r->pointed = seen.view_mode == RV_VIEW_PARTICLES ||
                 (rv_renderer_casts(&seen) && seen.view_mode == RV_VIEW_SPEED);
    double start = milliseconds();
    rv_target_use(r->target);
    rv_pane pane;
    rv_result result;
    r->pane.shown = rv_world_get_pane(world, &pane) == RV_OK, r->wide.on = false;
    r->flat.there = seen.solver == RV_SOLVER_SPLAT && seen.splat_form == RV_SPLAT_2D;
    if (r->pane.shown)
        result = follow_pane(r, world, &pane, messages);
    else if (r->flat.there)
        result = follow_flat(r, world, seen.view_mode, messages);
    else
        result = follow_terrain_and_liquid(r, world, surface, seen.view_mode, messages);
    r->stats.ms_upload = milliseconds() - start;
    return result;
}

rv_result rv_renderer_draw(rv_renderer *r, const rv_params *params)
{
    if (!r || !params) return RV_BAD_ARGUMENT;
    int width, height;
    rv_target_get_size(r->target, &width, &height);
    // A window that is made small to an icon has no size.
    if (!rv_target_use(r->target) || width < 1 || height < 1) return RV_OK;
    if (r->room.studio && r->room.kind != params->view_studio) {
        rv_result made = rv_room_make(&r->room, NULL, params->view_studio);
        if (made != RV_OK) return made;
        r->kept = false;
    }
    return rv_renderer_frame(r, params, width, height);
}

rv_result rv_renderer_draw_through(rv_renderer *r, const rv_params *params, double across,
                                   double up)
{
    if (!r || !params || !isfinite(across) || !isfinite(up)) return RV_BAD_ARGUMENT;
    r->lens[0] = (float)across, r->lens[1] = (float)up;
    rv_result result = rv_renderer_draw(r, params);
    r->lens[0] = r->lens[1] = 0;
    return result;
}

// ---- Questions ---------------------------------------------------------------------------------

static rv_eye eye_now(const rv_renderer *r, const rv_params *params)
{
    int width, height;
    rv_target_get_size(r->target, &width, &height);
    rv_params seen = r->flat.there ? rv_flat_params(params) : *params;
    return rv_eye_of(&seen, &r->extent, width > 0 ? width : 1, height > 0 ? height : 1);
}

rv_ray rv_renderer_ray(const rv_renderer *r, const rv_params *params, double px, double py)
{
    rv_ray ray = {{0, 0, 0}, {0, 0, -1}};
    if (!r || !params || !(r->extent.dx > 0)) return ray;
    rv_eye eye = eye_now(r, params);
    vec3 d = rv_eye_ray(&eye, (float)px, (float)py);
    double dx = r->extent.dx;
    ray.from = (rv_vec3){r->extent.x0 + (double)eye.at.x * dx, r->extent.y0 + (double)eye.at.y * dx,
                         r->extent.bottom + (double)eye.at.z * dx};
    ray.toward = (rv_vec3){(double)d.x, (double)d.y, (double)d.z};
    return ray;
}

double rv_renderer_pixel(const rv_renderer *r, const rv_params *params)
{
    if (!r || !params || !(r->extent.dx > 0)) return 0;
    rv_eye eye = eye_now(r, params);
    float distance = dot(sub(eye.target, eye.at), eye.forward);
    return 2 * (double)(distance * eye.sy) * r->extent.dx / eye.height;
}

void rv_renderer_set_mark(rv_renderer *r, const rv_mark *mark)
{
    if (!r) return;
    r->mark = mark ? *mark : (rv_mark){.shown = false};
}

rv_result rv_renderer_get_stats(rv_renderer *r, rv_renderer_stats *out)
{
    if (!r || !out) return RV_BAD_ARGUMENT;
    const double *ms = r->timers.ms;
    if (rv_target_use(r->target)) rv_timers_want(&r->timers);
    r->stats.ms_map = r->timers.map_ms, r->stats.ms_near = r->timers.near_ms;
    if (r->timers.can && ms[0] >= 0) {
        rv_renderer_stats *s = &r->stats;
        memcpy(s->ms_pass, ms, sizeof s->ms_pass);
        s->ms_shadow = ms[RV_PASS_SHADOW] + ms[RV_PASS_GATHER];
        s->ms_terrain = ms[RV_PASS_SOLIDS], s->ms_post = ms[RV_PASS_FINISH];
        s->ms_liquid = ms[RV_PASS_NEAR];
        for (int n = RV_PASS_FRONT; n <= RV_PASS_MEAN; n++) s->ms_liquid += ms[n];
        s->ms = s->ms_shadow + s->ms_terrain + s->ms_liquid + s->ms_post;
        if (r->timers.whole_ms >= 0)
            s->ms = r->timers.whole_ms + ms[RV_PASS_GATHER] + ms[RV_PASS_NEAR];
    }
    *out = r->stats;
    return RV_OK;
}
