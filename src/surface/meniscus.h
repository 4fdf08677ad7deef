// The meniscus field: how far each vertex of the surface is from where the liquid meets a solid, in
// which direction that is, and by what angle the normal tilts there (docs/meniscus.md; pipes paper
// §5).
#ifndef RV_SURFACE_MENISCUS_H
#define RV_SURFACE_MENISCUS_H

#include "rivulet/base.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A vertex where the liquid meets a solid.
typedef struct rv_contact {
    float x, y;             // m; of walls, smoothed along the line of contacts
    float to_x, to_y;       // unit, from the liquid to the solid
    float tilt, rest;       // rad, by which the normal tilts: psi; what of it was found here
    uint32_t before, after; // contacts beside it on the line, but for very near ones; RV_NO_NODE
    float kind;             // 0: the vertex is none; 1: on a bed; up to 2: at a wall
    float at_x, at_y;       // m, as found; of a wall somewhere between two columns: halfway
    uint32_t last, next;    // contacts beside it, RV_NO_NODE; of a lip, `last` is the nearest
    uint32_t key; // where it is, by node and direction: of two that are equally near, or beside it
                  // on a line, this tells which counts, in whatever order they were made
} rv_contact;

#define RV_NEAR 1
#define RV_SEED 2
#define RV_ACROSS 4

typedef struct rv_meniscus {
    // by slot, of columns that are near a contact
    uint32_t *nearest; // vertex
    float *distance;   // m, to the line of contacts
    float *tilt;       // rad, on the line
    uint8_t *near;     // RV_NEAR: these are found; RV_SEED: `nearest` is a first guess;
                       // RV_ACROSS: not found yet, and linked to another plane
    uint8_t *found;    // the same, of the ring in work
    size_t slots;
    rv_contact *contacts; // by vertex, from the first that may be one on
    uint32_t first, contact_room;
    float *field; // four by vertex, as rv_surface_mesh.contact: the mesh's
    bool there;   // the mesh has it
    double ms;
} rv_meniscus;

typedef struct rv_surface_pass rv_surface_pass;

// Makes the field, after the mesh. It reads, as rv_surface_fill leaves them: the rows, `inside`,
// `kind`, `odd`, `vertex` and the links of nodes (rv_linked, rv_node_record.link and .wet); the
// fresh vertices of each band and what they are (rv_fresh_vertex) with `ends`; and the triangles
// besides those of rows, by name (`loose`) and by number (`indices` from the band's place on). All
// triangles with a vertex that is an end, an extra node or a dry column must be among these.
// false: no memory.
bool rv_meniscus_make(rv_surface_pass *p);
void rv_meniscus_free(rv_meniscus *m, const rv_allocator *allocator);
size_t rv_meniscus_bytes(const rv_meniscus *m);

#endif
