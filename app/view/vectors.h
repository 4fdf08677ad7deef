// The little arithmetic of points that tools and the camera need.
#ifndef APP_VIEW_VECTORS_H
#define APP_VIEW_VECTORS_H

#include "rivulet/base.h"

static inline rv_vec3 rv_plus(rv_vec3 a, rv_vec3 b, double s)
{
    return (rv_vec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static inline double rv_aim_dot(rv_vec3 a, rv_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

#endif
