// Light, materials and the optics of the liquid. Colours are linear; 1 is a white sheet in full
// light.
#ifndef RENDER_SHADE_H
#define RENDER_SHADE_H

#include "render/field.h"

typedef struct rv_light {
    vec3 key;      // direction toward the large lamp
    vec3 side, up; // its edges
    vec3 strip;    // direction toward a weaker one on the other side
    vec3 wall;     // direction toward the bright wall opposite the camera
    float length;  // cells, edge of the scene: materials scale with it
} rv_light;

// What a look means: extinction per cell of path, light scattered back by a deep layer, reflection.
typedef struct rv_optics {
    vec3 extinction, body;
    float f0, index;
    float sheen; // 0 matt … 1 sharp highlights
} rv_optics;

// How much of the two kinds of light a point gets.
typedef struct rv_exposure {
    float open, lit;
} rv_exposure;

rv_light rv_light_of(const rv_params *params, const rv_field *field);
rv_optics rv_optics_of(const rv_params *params);

vec3 rv_sky(const rv_light *light, vec3 direction);
vec3 rv_irradiance(const rv_light *light, vec3 normal, rv_exposure exposure);
vec3 rv_material_colour(rv_material material, const rv_light *light, vec3 p);
vec3 rv_shade_terrain(rv_material material, const rv_light *light, vec3 p, vec3 normal, vec3 ray,
                      rv_exposure exposure);
vec3 rv_shade_side(const rv_light *light, const rv_field *field, vec3 p, vec3 normal);
// Liquid over a bed of the given colour: path (cells) inside the liquid, and the reflected light.
vec3 rv_shade_liquid(const rv_optics *optics, const rv_light *light, vec3 normal, vec3 ray,
                     float path, vec3 bed, vec3 reflected, rv_exposure exposure);
vec3 rv_shade_background(const rv_light *light, const rv_field *field, vec3 eye, vec3 ray,
                         float height);
// To the bytes of an image: a soft shoulder and the sRGB curve. x and y: the pixel.
void rv_encode(vec3 colour, int x, int y, unsigned char *rgb);

#endif
