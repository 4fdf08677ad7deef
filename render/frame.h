// What a frame is drawn into on its way to the target, and the numbers that all shaders share.
#ifndef RENDER_FRAME_H
#define RENDER_FRAME_H

#include "rivulet/base.h"

#include <epoxy/gl.h>

// The block `Frame` of render/shaders/frame.glsl, std140. Lengths in cells.
typedef struct rv_frame_numbers {
    float to_picture[16], to_shadow[16];
    float eye[4];
    float right[4], up[4],
        forward[4];     // w: tangents of half the angles of view; length of the scene
    float picture[4];   // width, height, and one over them
    float range[4];     // near, far, texel of the shadow map, its width in cells
    float block[4];     // wide, deep, floor, highest bed
    float key[4];       // toward the lamp; w: tangent of its angular radius
    float key_light[4]; // of a white sheet that faces it; w: the lamp's radiance
    float turn[4];      // cosine and sine of the surroundings' turn, last level, exposure
    float sky[9][4];    // light of a white sheet by its normal, without the lamp; w of the first
                        // three: tint of the backdrop
    float fade[4];      // of diffuse light in the liquid, 1/cell; w: index of refraction
    float back[4];      // Kubelka and Munk's a by colour; w: reflection straight on
    float rest[4];      // and b; w: view.opaque
    float meniscus[4];  // length, how lively falls are, layers drawn, 1: rims as they are
    float mode[4];      // what liquid shows, low and high end of its colours, how grey solids are
    float material[4];  // the scene's in the mesh, the one to draw instead; grid's top, cells
    float wet[4];       // 1: there is foam on the liquid; texels of the side of the map of light through liquid; how long
                        // droplets are seen to move, s
    float legend[4];    // corner, width and height in pixels; width 0: none
    float detail[4];    // of a wide world: how far squares of one cell reach; depth of liquid that
                        // is seen; cells in a metre
    float rows[4];      // and of its liquid in the card's memory: first column, columns from row to
                        // row
} rv_frame_numbers;

// Shapes of liquid on their way to the kernel that finds its light; shares a depth with its
// colours.
typedef struct rv_shape_frame {
    GLuint framebuffer, first, rest;
} rv_shape_frame;

typedef struct rv_picture_frame {
    int width, height, samples;
    int asked;  // samples that were asked for
    bool fresh; // just made: nothing is in it
    GLenum colour_format, depth_format;
    GLuint many, many_colour, many_depth;    // solids and backdrop, several samples a pixel
    GLuint scene, scene_colour, scene_depth; // the same with one, as textures
    GLuint front, front_colour, front_depth; // the nearest liquid
    GLuint second, second_colour;            // liquid behind that
    GLuint second_depth;
    GLuint over,
        over_colour;    // liquid and what else lies over solids, several samples; shares many_depth
    bool over_read;     // over_colour is a texture, whose samples kernels read
    GLuint code, codes; // which pixel the liquid's samples have their colour from; 0: cannot
    int code_now;       // of this frame, with which its codes begin; others are of frames before
    GLuint whole, whole_colour; // the same with one
    GLuint lit, lit_colour;     // solids in the light that liquid leaves
    GLuint done, done_colour;   // the finished picture, of which parts are drawn anew
    rv_shape_frame shape[2];    // of the nearest liquid and of that behind it; 0: not made yet
    GLuint numbers[2], number_frame[2]; // of triangles instead, and their framebuffers
    GLuint ray_colour[2], ray_depth[2]; // what kernels see along rays, at first and at edges
    GLuint tiles;                       // squares of 8 x 8 pixels: liquid is in them
    bool shapeless;                     // the driver cannot make them
} rv_picture_frame;

// Makes the buffers for a size, if they are not; fewer samples than asked for where the driver has
// no more. `read`: kernels are to read what lies over solids, if the driver can.
rv_result rv_frame_take(rv_picture_frame *frame, int width, int height, int samples, bool read,
                        rv_messages *messages);
// Makes the first of the shapes' buffers, if they are not. false: the driver cannot.
bool rv_frame_take_shapes(rv_picture_frame *frame, int count);
// And those for numbers of triangles.
bool rv_frame_take_numbers(rv_picture_frame *frame, int count);
// Codes of the next frame are to be drawn: binds what they are drawn into. Nothing is cleared, but
// once for all numbers that a frame can have.
void rv_frame_next_codes(rv_picture_frame *frame);
// And those for rays by compute.
void rv_frame_take_rays(rv_picture_frame *frame);
void rv_frame_free(rv_picture_frame *frame);

#endif
