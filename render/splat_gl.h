// What the renderer draws from the particles that are stepped by drawing: their grid and themselves,
// as textures.
#ifndef RENDER_SPLAT_GL_H
#define RENDER_SPLAT_GL_H

#include "rivulet_gl/splat_gl.h"

// The grid as a texture of four channels: x, y, z of Σ weight · velocity (m/s) and Σ weight of the
// particles as they are now. Slices of the grid lie side by side as tiles, each with a rim of cells
// around the grid, and slices of such below and above it: cell (i, j, k) is the texel
//     ((k + a) % across · tile_x + i + a, (k + a) / across · tile_y + j + a), a = around,
// with i, j, k along x, y, z in form 3d; in form 2d (i, j along x, z) and form height (along x, y)
// it is (i + a, j + a). The texture has no filter; around the grid it is 0.
typedef struct rv_splat_gl_grid {
    unsigned texture;   // GL_TEXTURE_2D, RGBA32F or RGBA16F
    int width, height;  // texels
    int nx, ny, nz;     // cells, as i, j, k above
    int tile_x, tile_y; // texels, of a slice
    int across;         // slices in a row
    int around;         // cells
    double dx;          // m
    rv_vec3 low;        // low corner of the grid, m
    double rest;        // divide Σ weight by this: 1 is as dense as liquid at rest
    int form;           // rv_splat_form
} rv_splat_gl_grid;

// Of the world that was made with it last. false: there is none.
bool rv_splat_gl_get_grid(const rv_splat_gl *gl, rv_splat_gl_grid *out);

// Draws the density of form 3d (1: as dense as liquid at rest) into a texture in space that is as
// large as the grid, R16F, x along its width, z along its depth; and into another, RGBA8, for each
// box of 4³ cells (a quarter as large, rounded up) whether it and the cells around it have some as
// dense as `level` (red), and some that are not (green). Both keep their framebuffers until other
// textures come.
rv_result rv_splat_gl_fill(rv_splat_gl *gl, unsigned density, unsigned boxes, double level);

// The same for pictures of form 2d: into a texture as large as the grid, RGBA16F, x along its
// width: the density, light from above, how full the surroundings are, speed (cells/s). `walls`: as
// large, the distances to solids and to bodies (cells). `fade`: light that a column as high as the
// grid takes, as the power of e.
rv_result rv_splat_gl_fill_cut(rv_splat_gl *gl, unsigned cells, unsigned walls, double fade);

// The particles as textures of four 32-bit words, bits of floats (GLSL: uintBitsToFloat): position
// in cells from the low corner, velocity in m/s; particle n is the texel (n % wide, n / wide). The
// third component is 0 in forms 2d and height, the second is z in form 2d.
typedef struct rv_splat_gl_particles {
    unsigned places, motions; // GL_TEXTURE_2D, RGBA32UI
    int wide;                 // texels
    int64_t count;
} rv_splat_gl_particles;

bool rv_splat_gl_get_particles(const rv_splat_gl *gl, rv_splat_gl_particles *out);

#endif
