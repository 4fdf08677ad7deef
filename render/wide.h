// Wide worlds: so many cells that most of them are smaller than a pixel (docs/rendering-inside.md,
// Wide worlds). Heights of the ground and depths of the liquid are textures, a texel a column; what
// is drawn of them are square patches of 64 × 64 squares, each of 1, 2, 4, … cells, as far as they
// are seen and as coarse as they are far. One draw shows all patches.
#ifndef RENDER_WIDE_H
#define RENDER_WIDE_H

#include "render/eye.h"
#include "render/openness.h"

#include <epoxy/gl.h>

enum {
    RV_WIDE_CELLS = 1 << 20, // a world of fewer is drawn whole
    RV_WIDE_PATCH = 64,      // squares of a patch along each side
    RV_WIDE_LEVELS = 12,
    RV_WIDE_SIDES = 4,
};

// Before what programs define, so that they look for liquid in the card's buffer.
#define RV_WIDE_LATER "#version 320 es\n#define BUFFERED 1\n"

typedef struct rv_wide_range {
    float low, high; // heights of the ground, cells
} rv_wide_range;

// Patches to be drawn: all, and those at the west, east, south and north side of the grid.
typedef struct rv_wide_list {
    float (*patch)[4]; // first column, x and y; cells of a square; 0
    size_t count, room;
} rv_wide_list;

typedef struct rv_wide {
    bool on; // the world that is shown is one
    int nx, ny, levels;
    rv_wide_range *range[RV_WIDE_LEVELS]; // by patch of a level, row by row
    int across[RV_WIDE_LEVELS], along[RV_WIDE_LEVELS];
    float deepest; // cells: how far above the ground liquid may stand
    GLuint heights, depth, open, lamp;
    GLuint words;  // depths in the card's memory, as a texture
    bool buffered; // it is what is drawn from, and not `depth`
    size_t first;  // there: the first column, and columns from row to row
    int pitch;
    GLuint lamp_framebuffer;
    int lamp_side[2];
    GLuint vertices, indices, edges;
    GLuint array[1 + RV_WIDE_SIDES], instances[1 + RV_WIDE_SIDES];
    GLuint wire;
    rv_wide_list list[1 + RV_WIDE_SIDES];
    uint64_t sent;  // how often the patches or the liquid changed
    uint64_t print; // of the patches
    float near;     // cells: squares of one cell up to here
    vec3 eye;
    size_t uploaded; // bytes, by the last call
    bool there;      // textures are those of the world
} rv_wide;

// Whether a world is drawn so.
bool rv_wide_suits(const rv_world *world);
// Sends the ground and how much of the sky each place of it sees. false: no memory.
bool rv_wide_take_ground(rv_wide *wide, const rv_columns *columns, const rv_extent *extent,
                         const rv_openness *openness);
// Sends the liquid: from here, or from the card's own buffer of depths, where `buffer` is not 0.
// `can`: programs can read the buffer itself; else it is copied.
rv_result rv_wide_take_liquid(rv_wide *wide, const rv_columns *columns, GLuint buffer, bool can);
// Finds the patches that an eye sees; `detail`: pixels of a cell that is drawn with the next one.
bool rv_wide_choose(rv_wide *wide, const rv_extent *extent, const rv_eye *eye, double detail);
// Finds patches of all of the ground, for a map in which a texel is so many cells.
bool rv_wide_choose_all(rv_wide *wide, float cells);
// Ground or liquid, as the program in use has it.
void rv_wide_draw(const rv_wide *wide);
void rv_wide_draw_wire(rv_wide *wide);
int64_t rv_wide_triangles(const rv_wide *wide);
void rv_wide_free(rv_wide *wide);

#endif
