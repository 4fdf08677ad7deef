// What the files render/splat_gl*.c share.
#ifndef RENDER_SPLAT_GL_PARTS_H
#define RENDER_SPLAT_GL_PARTS_H

#include "render/splat_gl.h"

#include <epoxy/gl.h>

// Where textures are bound, in all programs of splat.
enum {
    RV_SPLAT_AT_PLACES,  // particles
    RV_SPLAT_AT_MOTIONS, //
    RV_SPLAT_AT_SPLATS,  // grid, and around it: what was splatted there
    RV_SPLAT_AT_SUMS,    // grid: Σ weight · velocity, Σ weight
    RV_SPLAT_AT_SMOOTH,  // grid: density smoothed in slices
    RV_SPLAT_AT_PRESS,   // grid: pressure
    RV_SPLAT_AT_AFTER,   // grid: velocity after the grid pass
    RV_SPLAT_AT_CHANGE,  // grid: what the grid pass added to it
    RV_SPLAT_AT_SOLIDS,  // grid: velocity of solids, distance to them
    RV_SPLAT_AT_BED,     // form height: height of the bed, m
    RV_SPLAT_AT_FOUND,   // the greatest so far
    RV_SPLAT_AT_VOLUME,  // density in space
    RV_SPLAT_AT_WALLS,   // distance to solids and bodies, form 2d
    RV_SPLAT_AT_BLOCKS   // light and thickness, form 2d
};
// The block of numbers; the renderer has 0 and 1.
enum { RV_SPLAT_BLOCK = 4 };
// Extremes are looked for at every second question, and read when they were looked for twice more,
// so that the card need not be waited for. Always so: the steps of a world must not depend on how
// busy the card was.
enum { RV_SPLAT_EVERY = 2, RV_SPLAT_LATE = 1, RV_SPLAT_RING = RV_SPLAT_LATE + 1 };
enum { RV_SPLAT_LEVELS = 8 };

// As `Splat` in splat_numbers.glsl, std140.
typedef struct rv_splat_gl_numbers {
    int32_t cells[4];  // along a tile, up a tile, slices, tiles in a row
    int32_t parts[4];  // texels in a row of particles, particles, cells around the grid, 0
    int32_t law[4];    // the vertical axis or -1, exponent, the paper's walls, walls are mirrors
    int32_t more[4];   // the density is smoothed, there are solids, open walls as bits, 0
    float kernel[4];   // radius in cells, 1/radius², rest, 1/rest
    float press[4];    // stiffness, less than rest, height: g times depth, m²/s²; damping, m/s
    float time[4];     // dt/(2 dx), 0, dt/dx, share of own motion that is lost
    float metre[4];    // dx, 1/dx, g
    float stir[4];     // where, cells; radius in cells, 0: none
    float stirring[4]; // velocity there, m/s; dt
    float fall[4];     // what gravity takes from a velocity in a step, m/s, by axis of the grid
} rv_splat_gl_numbers;

typedef struct rv_splat_gl_state rv_splat_gl_state;

struct rv_splat_gl {
    rv_target *target;
    rv_splat_backend backend;
    bool half;
    GLint largest;       // side of a texture
    float largest_point; // pixels
    GLuint nothing;      // vertex array without attributes
    struct {
        GLuint splat[2], fold[2], smooth;  // flat or in space
        GLuint press[3], grid[3], move[3]; // by form
        GLuint parts, cells, greatest;     // extremes
        GLuint total[2];                   // of particles, of totals so far
        GLuint volume, boxes, cut[3];      // for pictures
    } program;
    rv_splat_gl_state *last; // opened last, and not closed
};

// A texture that is only ever read for its greatest value, or its total.
typedef struct rv_splat_gl_level {
    GLuint texture, frame;
    int width, height;
} rv_splat_gl_level;

// Framebuffers for the layers of a texture in space.
typedef struct rv_splat_gl_layers {
    GLuint texture;
    int depth, count;
    GLuint *frames;
} rv_splat_gl_layers;

// What fills the textures of a cut (splat_gl_cut.c).
typedef struct rv_splat_gl_cut {
    GLuint blocks[2], frame[3];
    GLuint target; // of the last frame
} rv_splat_gl_cut;

struct rv_splat_gl_state {
    rv_splat_gl *gl;
    rv_splat_sizes sizes;
    rv_params params;
    double crowd; // see splat_gl_law.c
    double dt;    // s, of the last step
    int axis[3];  // of the grid: which of x, y, z is along a tile, up a tile and from tile to tile;
                  // -1: none
    int tile[2];  // texels of a slice
    int wide, high;             // texels of the grids
    int parts_wide, parts_high; // texels of the particles
    rv_splat_gl_numbers numbers;
    bool stale_numbers; // to be sent
    int64_t summed;     // particles that are in the sums; -1: none of them as they are now
    GLuint block;
    GLuint places[2], motions[2], parts_frame[2];
    int now; // which of the two holds the particles
    GLuint splats, splats_frame;
    GLuint sums, sums_frame;
    GLuint smooth, smooth_frame; // form 3d
    GLuint pressure, pressure_frame;
    GLuint after, change, grid_frame;
    GLuint solids, bed;
    int64_t count;
    float *staging; // for what is sent and read
    size_t staging_room;
    // Of speeds, of densities; of totals, as many as of speeds.
    rv_splat_gl_level level[3][RV_SPLAT_LEVELS];
    int levels[3];
    rv_splat_gl_layers slices, boxes; // of the textures that were filled last
    rv_splat_gl_cut cut;
    GLuint answer[RV_SPLAT_RING];
    int64_t questions, asked; // for extremes: so far, and passed on to the card
    double fastest, densest;
};

// Makes the context ready; false: it is gone.
bool rv_splat_gl_use(rv_splat_gl_state *s);
// Leaves the context as the header says. RV_OUT_OF_MEMORY: the driver told of an error since use().
rv_result rv_splat_gl_leave(rv_splat_gl_state *s);
void rv_splat_gl_send_numbers(rv_splat_gl_state *s);
// The law (splat_gl_law.c).
rv_result rv_splat_gl_set_law(rv_splat_gl_state *s, const rv_params *params);
void rv_splat_gl_set_step(rv_splat_gl_state *s, double dt);
// Brings the sums of the grid up to date.
void rv_splat_gl_sum(rv_splat_gl_state *s);
void rv_splat_gl_pass_grid(rv_splat_gl_state *s);
void rv_splat_gl_pass_move(rv_splat_gl_state *s);

// Extremes.
bool rv_splat_gl_levels_make(rv_splat_gl_state *s);
void rv_splat_gl_levels_free(rv_splat_gl_state *s);
void rv_splat_gl_ask(rv_splat_gl_state *s);
bool rv_splat_gl_answer(rv_splat_gl_state *s);
// Totals of the particles as they are now: places in cells, then squares of speeds.
bool rv_splat_gl_total(rv_splat_gl_state *s, float out[4]);

void rv_splat_gl_volume_free(rv_splat_gl_state *s);
void rv_splat_gl_cut_free(rv_splat_gl_state *s);

// The backend's functions that carry data.
rv_result rv_splat_gl_set_solids(void *state, const float *distance, const float *velocity);
rv_result rv_splat_gl_set_bed(void *state, const float *height);
rv_result rv_splat_gl_put(void *state, int64_t first, int64_t count, const rv_particles *particles);
rv_result rv_splat_gl_get(void *state, float *x, float *y, float *z, float *u, float *v, float *w);
rv_result rv_splat_gl_get_density(void *state, float *value);

#endif
