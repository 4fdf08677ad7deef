// Liquid of particles in a vertical plane: what the renderer keeps of it.
#ifndef RENDER_FLAT_H
#define RENDER_FLAT_H

#include "render/extent.h"
#include "render/foam.h"
#include "render/splat_gl.h"

#include <epoxy/gl.h>

// What it takes to fill its textures from a density in the card's memory.
typedef struct rv_flat_card {
    int nx, nz;              // cells
    GLuint given, blocks[2]; // textures: what is given; light and thickness by blocks of cells
    GLuint frame[3], target; // framebuffers; the texture that the last one fills
    GLuint program[3];
} rv_flat_card;

typedef struct rv_flat {
    bool there;       // the world that was taken over last is such a plane
    int nx, nz;       // cells
    float level;      // density of the surface, 1: as at rest
    float fastest;    // speed, cells/s
    float densest;    // 1: as at rest
    float (*cell)[4]; // density, light from above, how thick around, speed; by cell, from below
    float *spare;     // to blur with
    float *solid;     // distance to solids, cells
    float (*both)[2]; // that, and the distance to bodies
    float *sum;       // momentum by cell
    size_t cell_room, spare_room, solid_room, both_room, sum_room;
    GLuint cells, solids; // textures
    rv_foam foam;
    GLuint program;
    rv_material material;  // that the program draws
    bool foams;            // and whether it draws foam
    const rv_world *world; // whose solids are known
    uint64_t print;        // of its terrain
    size_t uploaded;       // bytes, by the last update
    rv_flat_card card;
} rv_flat;

// Takes over the world as it is now. `print` tells terrains apart.
rv_result rv_flat_update(rv_flat *flat, const rv_world *world, const rv_density *density,
                         uint64_t print);
// The same from particles on the card, whose density never leaves it (d: without values).
rv_result rv_flat_fill(rv_flat *flat, rv_splat_gl *splat, const rv_world *world,
                       const rv_density *density, uint64_t print);
// The same where a world's own kernels have made it (rv_world_get_density_card).
rv_result rv_flat_take_card(rv_flat *flat, const rv_world *world, const rv_density_card *card,
                            uint64_t print, GLuint nothing, rv_messages *messages);
rv_result rv_flat_card_fill(rv_flat_card *c, const rv_flat *flat, const rv_density_card *card,
                            float fade, GLuint nothing, rv_messages *messages);
void rv_flat_card_free(rv_flat_card *c);
// Its program for a material. false: messages has why.
bool rv_flat_prepare(rv_flat *flat, rv_material material, rv_messages *messages);
// Draws it over the whole of the framebuffer that is bound; `nothing`: a vertex array without
// attributes; `empty`: without the liquid.
void rv_flat_draw(const rv_flat *flat, GLuint nothing, bool empty);
void rv_flat_free(rv_flat *flat);

// The block that the camera sees, and the camera's parameters: straight from the front.
void rv_flat_extent(const rv_density *density, rv_extent *extent);
rv_params rv_flat_params(const rv_params *params);

#endif
