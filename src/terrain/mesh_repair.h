// From any triangles to a mesh whose inside is as clear as can be: equal places welded, triangles
// that say nothing left out, turned alike within each piece, holes closed. Internal to src/terrain.
#ifndef RV_TERRAIN_MESH_REPAIR_H
#define RV_TERRAIN_MESH_REPAIR_H

#include "rivulet/form.h"

// Lengths are in the data's unit. Half edge 3 t + k goes from corner k of triangle t to the next.
typedef struct rv_faces {
    float (*place)[3];
    size_t places, place_room;
    uint32_t (*corner)[3]; // of each triangle
    uint8_t *mark;
    uint32_t *piece; // which part that hangs together by edges it belongs to
    size_t triangles, triangle_room;
    size_t pieces;
    rv_vec3 low, high; // its box
    bool steady;  // each edge is passed as often one way as the other: off the surface the winding
                  // number is whole, and the same wherever the surface does not lie between
    float *loose; // unless it is: for each triangle, length of its edges of which that is not so,
                  // each as often as it lacks a way
    rv_allocator allocator;
} rv_faces;

#define RV_MESH_FLAT 1  // no area: joins its neighbours, but is no part of the surface
#define RV_MESH_BOTH 2  // was given in both orientations
#define RV_MESH_DROP 4  // to be left out
#define RV_MESH_PATCH 8 // closes a hole
#define RV_MESH_TURN 16 // turned other than the first of its piece

#define RV_MESH_NONE UINT32_MAX

static inline uint32_t rv_half_from(const rv_faces *m, uint32_t half)
{
    return m->corner[half / 3][half % 3];
}

static inline uint32_t rv_half_to(const rv_faces *m, uint32_t half)
{
    return m->corner[half / 3][half % 3 == 2 ? 0 : half % 3 + 1];
}

static inline rv_vec3 rv_mesh_place(const rv_faces *m, uint32_t i)
{
    return (rv_vec3){(double)m->place[i][0], (double)m->place[i][1], (double)m->place[i][2]};
}

// The report's lengths are in the data's unit, too. What was made must be freed in any case.
rv_result rv_mesh_repair(const rv_triangles *given, const rv_form_def *def,
                         const rv_form_work *work, rv_faces *out, rv_form_report *report,
                         rv_messages *messages);
void rv_faces_free(rv_faces *mesh);

// Welds vertices at equal places and takes the triangles that have three of them (mesh_weld.c).
rv_result rv_mesh_take(rv_faces *mesh, const rv_triangles *given, rv_form_report *report);
// Makes one of places at the ends of the half edges that are within a length of each other. Marks
// triangles that lost an edge to be left out.
rv_result rv_mesh_weld_near(rv_faces *mesh, const uint32_t *halves, size_t count, double within,
                            bool *any);

// Closes rings of the open half edges with patches (mesh_holes.c). Adds to the report's holes and
// filled, and to the mesh.
rv_result rv_mesh_close(rv_faces *mesh, const uint32_t *open, size_t count, bool fill,
                        rv_form_report *report);

#endif
