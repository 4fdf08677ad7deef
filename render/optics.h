// How a liquid looks: what it takes of light along the way, what it throws back.
#ifndef RENDER_OPTICS_H
#define RENDER_OPTICS_H

#include "render/vec.h"
#include "rivulet/rivulet.h"

// Kubelka and Munk's two fluxes, per colour: light fades as exp(-fade · way), and
// a = back, b = rest give what a layer lets through and throws back.
typedef struct rv_optics_numbers {
    vec3 fade; // 1/cell
    vec3 back, rest;
    float index, straight; // of refraction; share that is mirrored straight on
} rv_optics_numbers;

rv_optics_numbers rv_optics_numbers_of(const rv_params *params, double dx);

#endif
