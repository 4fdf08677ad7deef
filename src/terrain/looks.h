// Whose surface passes through a point: a number that the solid carries, its look. Of the terrain's
// materials that is a material's number + 1 (rv_solid_material), of its contact angles the place of
// the solid's in a table (angles.c), or one of these. Internal to src/terrain.
#ifndef RV_TERRAIN_LOOKS_H
#define RV_TERRAIN_LOOKS_H

#include "base/memory.h"
#include "terrain/parts.h"

#define RV_LOOK_SCENE 0     // as the scene says for all that says nothing
#define RV_LOOK_CLEAR 255   // of what cuts and says nothing: its walls look like what it cuts into
#define RV_LOOK_SEVERAL 254 // of a brick: more than one, or not known
#define RV_LOOKS (RV_SOLID_STEEL + 1)

// Solids kept for their looks; empty where none of them says one.
typedef struct rv_looks {
    rv_part *parts;
    rv_node *nodes;
    int part_count, node_count;
} rv_looks;

bool rv_looks_are_said(const rv_solid_def *solids, int count);
// Gives every part a look: its own word, else that of the group it is in, else `otherwise`. What
// cuts is clear without a word of its own.
void rv_looks_resolve(rv_part *parts, int count, uint8_t otherwise);
// Nodes so that culling them keeps what clear ones cut into.
void rv_looks_mark(rv_node *nodes, int count);
// `own`: each solid's look; NULL: its material.
bool rv_looks_make(rv_looks *looks, const rv_solid_def *solids, int count, const uint8_t *own,
                   const rv_allocator *allocator);
void rv_looks_free(rv_looks *looks, const rv_allocator *allocator);

// Whether all that the nodes can look like is one look.
bool rv_nodes_one_look(const rv_node *nodes, int count, uint8_t *look);
// The combined distance, as rv_nodes_distance, and the look there.
double rv_nodes_look(const rv_node *nodes, int count, rv_vec3 p, uint8_t *look);

#endif
