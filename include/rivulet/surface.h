// rivulet/surface.h: the liquid's surface as triangles: what is drawn and exported.
//
//     rv_surface *surface;
//     rv_surface_create(world, &surface);
//     ... rv_world_step(world, dt) ...
//     rv_surface_update(surface, world);
//     rv_surface_mesh mesh;
//     rv_surface_get_mesh(surface, &mesh);
//
// One mesh over all layers: continuous where the liquid is, tight at walls, over the terrain that is drawn
// (rv_world_terrain_mesh), ending inside cells where the liquid ends. The same liquid gives the same mesh, bit for
// bit, for any number of threads. A warm update allocates nothing. The settings are the world's parameters
// surface.*, and view.opaque.
#ifndef RIVULET_SURFACE_H
#define RIVULET_SURFACE_H

#include "world.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rv_surface rv_surface;

// Memory comes from the world's allocator. A surface belongs to its world and must not outlive it.
RV_API rv_result rv_surface_create(const rv_world *world, rv_surface **out);
RV_API void rv_surface_destroy(rv_surface *surface);
// Makes the surface of the liquid as it is now.
RV_API rv_result rv_surface_update(rv_surface *surface, const rv_world *world);

// The same for who draws: where the world's columns are on a card (rv_world_def.device), it is made there, in the
// card's memory, and there is no mesh here until rv_surface_update is called. Else, and for what the card does not do
// (docs/card.md), it is rv_surface_update. By the thread that steps the world.
RV_API rv_result rv_surface_update_drawn(rv_surface *surface, const rv_world *world);

// Borrowed: valid until the next update.
typedef struct rv_surface_mesh {
    size_t vertex_count, triangle_count;
    const float *positions; // x, y, z, m
    const float *normals;   // unit
    const float *opacity;   // 0 … 1: depth over view.opaque
    const float *depth;     // m, of the liquid under it; 0 where it ends
    const float *velocity;  // x, y, z, m/s, mean over the depth; z as the surface rises along it
    // Where the surface meets a solid it is bent (surface.meniscus): by vertex, the distance to the nearest
    // contact (m, surface.meniscus_length where there is none nearer), the direction toward it (x, y; unit, but
    // shorter, down to 0, where contacts on several sides are equally near, and 0 where there is none), and
    // the angle by which the normal tilts at the contact (rad; > 0: the liquid climbs and the normal leans away from
    // the solid). NULL with surface.meniscus off. All four may be interpolated over triangles as they are, without
    // making the direction unit; rv_surface_bend says what they are for.
    const float *contact;
    const uint32_t *indices; // three per triangle, counter-clockwise seen from above; curtains face outward
    const float *roughness;  // 0 … 1: how much of the shortest waves was taken out of the normal
    const float *drop;       // m, of curtains: how far the liquid has fallen there; < 0: no curtain
    // What changed since another update: the mesh's version, one more with each update that changed something and
    // never the same of two surfaces; and of the vertices and triangles that the last such update may have changed the
    // first and after the last. All others are those of the version before.
    uint64_t version;
    size_t changed_vertices[2], changed_triangles[2];
} rv_surface_mesh;

// Whether a droplet of that radius (m) is part of the mesh, with surface.droplets: those as small as particles of emitters
// are. Who draws rv_world_get_droplets leaves these out.
RV_API bool rv_surface_has_droplet(const rv_params *params, double radius);

// RV_BAD_ARGUMENT: the last update made it on the card.
RV_API rv_result rv_surface_get_mesh(const rv_surface *surface, rv_surface_mesh *out);

// A surface in the card's memory; valid until the next update.
typedef struct rv_surface_card {
    // As the host's graphics library calls them: arrays of floats, one behind the other, each with room for
    // `vertex_room` vertices (positions 3, normals 3, depth 1, velocity 3, contact 4, roughness 1, drop 1, as
    // rv_surface_mesh has them); three indices a triangle; five words of an indexed indirect draw, `draw_at` bytes in.
    // The draw has, behind the surface's own, vertices and triangles that close it at the sides of the grid (drop -2,
    // of flooded columns -2.25: upright faces there).
    uint32_t vertices, indices, draw;
    size_t draw_at, vertex_room;
    size_t vertex_count, triangle_count; // of the surface alone, droplets of the mesh behind columns
    bool contact;                        // there is a meniscus
    rv_vec3 low, high;                   // m, a box around it, not the least
    float deepest, fastest;              // m, m/s
    uint64_t version;                    // as of rv_surface_mesh
} rv_surface_card;

// RV_BAD_ARGUMENT: the last update did not make it there.
RV_API rv_result rv_surface_get_card(const rv_surface *surface, rv_surface_card *out);

// The normal of a vertex, or of a place in a triangle, as the meniscus bends it: tilted about the horizontal axis
// across the direction by the angle, falling linearly to 0 at `length` (m, surface.meniscus_length) and as the direction
// is short. A steep convex one may point below the horizon: what is drawn must not turn away from the eye.
RV_API void rv_surface_bend(const float normal[3], const float contact[4], double length,
                            float out[3]);

typedef struct rv_surface_stats {
    int64_t columns;  // that the surface passes over
    int64_t extra;    // vertices that close the surface at walls under overhangs and at edges
    int64_t edge;     // vertices on the line where the liquid ends
    int64_t curtain;  // triangles of curtains
    double ms;        // wall clock of the last update, the meniscus included
    double ms_meniscus;
    double volume;    // m³ between the surface and the bed, where it is drawn
    size_t bytes;     // memory
    int64_t islands;  // parts of the surface that nothing joins
    int64_t made;     // those of them that the last update made anew; the others were kept
    bool on_card;     // it was made on the card: no edge, curtain and volume are known here
    double ms_card, ms_card_meniscus; // then: what an update that changed something took there, the last that is known
} rv_surface_stats;

RV_API rv_result rv_surface_get_stats(const rv_surface *surface, rv_surface_stats *out);
// The same at no cost, without the volume, for which all triangles are looked at: it is 0.
RV_API rv_result rv_surface_get_counters(const rv_surface *surface, rv_surface_stats *out);

#ifdef __cplusplus
}
#endif
#endif
