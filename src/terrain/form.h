// What every form offers the terrain (rivulet/form.h). A kind of form is a struct that starts with
// an rv_form, and a table of functions.
#ifndef RV_TERRAIN_FORM_H
#define RV_TERRAIN_FORM_H

#include "rivulet/form.h"

typedef struct rv_ball {
    rv_vec3 at;
    double radius;
} rv_ball;

typedef struct rv_range {
    double low, high;
} rv_range;

typedef struct rv_box {
    rv_vec3 low, high;
} rv_box;

#define RV_BOX_OF_ALL ((rv_box){{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}})

// Distances are signed, negative inside, in metres; their size is never more than the true
// distance. They depend on the point alone: however they are asked for, the bits are the same.
typedef struct rv_form_kind {
    double (*distance)(const rv_form *form, rv_vec3 p);
    // The same at n points, all within the ball; faster than one by one.
    void (*sample)(const rv_form *form, rv_ball ball, const rv_vec3 *points, int n, double *out);
    // Bounds of the distance within the ball.
    rv_range (*range)(const rv_form *form, rv_ball ball);
    void (*release)(rv_form *form);
} rv_form_kind;

struct rv_form {
    const rv_form_kind *kind;
    rv_box box; // around its solid; infinite where that has no end
    rv_allocator allocator;
};

#endif
