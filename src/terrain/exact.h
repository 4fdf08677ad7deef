// The solids themselves, not their samples: for the little that samples cannot tell.
#ifndef RV_TERRAIN_EXACT_H
#define RV_TERRAIN_EXACT_H

#include "terrain/field.h"

typedef struct rv_exact {
    const rv_terrain *t;
    const rv_node *nodes; // the solids that stay, then the tools of edits
    int node_count;
    rv_part *parts; // of the tools, and room for nodes where there are some
    rv_node *all;
    size_t part_count, all_room;
    rv_node *near; // scratch: nodes that matter around a place
    size_t room;
    int near_count;
    rv_ball ball; // where they do
    bool usable;  // solids are few enough to be asked again and again
    rv_allocator allocator;
} rv_exact;

// Without memory for it, it is not usable.
rv_exact rv_exact_of(const rv_terrain *terrain, const rv_allocator *allocator);
void rv_exact_free(rv_exact *exact);

// The distance of the moving solids, INFINITY where none is near.
double rv_exact_movers(const rv_exact *exact, rv_vec3 p);

// Of all of them.
double rv_exact_distance(rv_exact *exact, rv_vec3 p);
// How much its slope changes at a place, from one step of so many metres to the next, along the
// axis where it does most: little where the surface is round, on an edge of the solids at once.
double rv_exact_kink(rv_exact *exact, rv_vec3 p, double step);

// Where the surface crosses the edge from a sample along an axis, between samples `from` and `to`
// of the field, and its unit normal. False: there the field is no longer what the solids say.
bool rv_exact_crossing(rv_exact *exact, const int at[3], int axis, float from, float to,
                       double place[3], double normal[3]);
// Unit, at a place of the surface; false: it has none, as on an edge it may.
bool rv_exact_normal(rv_exact *exact, rv_vec3 place, double out[3]);
// Moves a place along a unit normal onto the surface. False: that is farther than `reach`, m.
bool rv_exact_settle(rv_exact *exact, const double normal[3], double reach, double place[3]);

#endif
