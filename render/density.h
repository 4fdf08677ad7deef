// Liquid of particles in space: the density that they make, as a texture that rays go through.
#ifndef RENDER_DENSITY_H
#define RENDER_DENSITY_H

#include "render/extent.h"
#include "render/splat_gl.h"

#include <epoxy/gl.h>

enum { RV_BRICK = 4 }; // cells along a side of the boxes that tell where there is liquid

typedef struct rv_density_box {
    bool there;     // the world has such liquid
    bool any;       // and some of it is dense enough to be seen
    int n[3];       // cells
    int bricks[3];  // boxes of cells
    vec3 low, size; // of the grid, the renderer's cells
    vec3 from, to;  // around what is seen, the renderer's cells
    float level;    // density of the surface, 1: as at rest
    GLuint texture; // density
    GLuint coarse;  // by box: red, some of it is liquid; green, some of it is not
    GLuint solids;  // distance to solids, cells
    GLuint froth;   // by cell: foam, 0 … 1; 0: there is none
    uint8_t (*brick)[4];
    size_t brick_room;
    float *slice; // distances of a slice of cells, and its points
    rv_vec3 *points;
    size_t slice_room, point_room;
    uint8_t *foam; // as it is sent
    size_t foam_room;
    bool solid_known; // `solids` is that of the terrain as it is
    size_t uploaded;  // bytes, by the last update
} rv_density_box;

// Takes over a density; `level` is that of the surface.
rv_result rv_density_update(rv_density_box *box, const rv_density *density, const rv_extent *extent,
                            double level);
// The same from particles on the card, whose density never leaves it: what grid they have (false: none of this form),
// and taking it over. Where there is liquid is then not known here: rays go through the whole grid.
bool rv_density_follow(const rv_splat_gl *splat, rv_splat_form form, rv_density *out);
rv_result rv_density_fill(rv_density_box *box, rv_splat_gl *splat, const rv_density *density,
                          const rv_extent *extent, double level);
// The same from a card's buffer.
rv_result rv_density_take_card(rv_density_box *box, const rv_density_card *card,
                               const rv_extent *extent, double level);
// Takes over the terrain around it, if `solid_known` is false. After an update.
rv_result rv_density_take_solids(rv_density_box *box, const rv_world *world,
                                 const rv_density *density);
// Tells a program that is in use where the box is.
void rv_density_numbers(const rv_density_box *box, GLuint program);
void rv_density_free(rv_density_box *box);

#endif
