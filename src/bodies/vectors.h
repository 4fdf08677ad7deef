// Vectors, rotations and symmetric matrices for bodies. Plain doubles: sums in a fixed order, so
// the same everywhere.
#ifndef RV_BODIES_VECTORS_H
#define RV_BODIES_VECTORS_H

#include "rivulet/base.h"

#include <math.h>

// As fmin and fmax of numbers, without a call.
static inline double rv_lesser(double a, double b)
{
    return a < b ? a : b;
}

static inline double rv_greater(double a, double b)
{
    return a > b ? a : b;
}

static inline rv_vec3 rv_add(rv_vec3 a, rv_vec3 b)
{
    return (rv_vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline rv_vec3 rv_sub(rv_vec3 a, rv_vec3 b)
{
    return (rv_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline rv_vec3 rv_scaled(rv_vec3 a, double k)
{
    return (rv_vec3){a.x * k, a.y * k, a.z * k};
}

// a + k b
static inline rv_vec3 rv_along(rv_vec3 a, double k, rv_vec3 b)
{
    return (rv_vec3){a.x + k * b.x, a.y + k * b.y, a.z + k * b.z};
}

// Component by component.
static inline rv_vec3 rv_times(rv_vec3 a, rv_vec3 b)
{
    return (rv_vec3){a.x * b.x, a.y * b.y, a.z * b.z};
}

static inline double rv_dot(rv_vec3 a, rv_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline rv_vec3 rv_cross(rv_vec3 a, rv_vec3 b)
{
    return (rv_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline double rv_length(rv_vec3 a)
{
    return sqrt(rv_dot(a, a));
}

// Of length 1; straight up where there is no direction.
static inline rv_vec3 rv_unit(rv_vec3 a)
{
    double length = rv_length(a);
    return length > 1e-300 ? rv_scaled(a, 1 / length) : (rv_vec3){0, 0, 1};
}

static inline bool rv_finite(rv_vec3 a)
{
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

// Rows of a matrix.
typedef struct rv_mat3 {
    rv_vec3 row[3];
} rv_mat3;

static inline rv_vec3 rv_apply(const rv_mat3 *m, rv_vec3 a)
{
    return (rv_vec3){rv_dot(m->row[0], a), rv_dot(m->row[1], a), rv_dot(m->row[2], a)};
}

// With the matrix turned over: back into the frame it leads out of.
static inline rv_vec3 rv_apply_back(const rv_mat3 *m, rv_vec3 a)
{
    return rv_along(rv_along(rv_scaled(m->row[0], a.x), a.y, m->row[1]), a.z, m->row[2]);
}

// A column of the matrix: where an axis of the body points.
static inline rv_vec3 rv_axis(const rv_mat3 *m, int axis)
{
    const double *x = &m->row[0].x, *y = &m->row[1].x, *z = &m->row[2].x;
    return (rv_vec3){x[axis], y[axis], z[axis]};
}

// R diag(d) Rᵀ
static inline rv_mat3 rv_turned_diagonal(const rv_mat3 *r, rv_vec3 d)
{
    rv_vec3 x = rv_times(r->row[0], d), y = rv_times(r->row[1], d), z = rv_times(r->row[2], d);
    return (rv_mat3){{{rv_dot(x, r->row[0]), rv_dot(x, r->row[1]), rv_dot(x, r->row[2])},
                      {rv_dot(y, r->row[0]), rv_dot(y, r->row[1]), rv_dot(y, r->row[2])},
                      {rv_dot(z, r->row[0]), rv_dot(z, r->row[1]), rv_dot(z, r->row[2])}}};
}

// From a unit quaternion x, y, z, w.
static inline rv_mat3 rv_rotation(const double q[4])
{
    double x = q[0], y = q[1], z = q[2], w = q[3];
    return (rv_mat3){{{1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)},
                      {2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)},
                      {2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)}}};
}

static inline void rv_quaternion_product(const double a[4], const double b[4], double out[4])
{
    out[0] = a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1];
    out[1] = a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0];
    out[2] = a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3];
    out[3] = a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2];
}

// false: it has no length, and stays as it is.
static inline bool rv_quaternion_unit(double q[4])
{
    double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (!(length > 1e-150) || !isfinite(length)) return false;
    for (int i = 0; i < 4; i++) q[i] /= length;
    return true;
}

// q turned by the vector `by` (rad, about its direction).
static inline void rv_turn_by(double q[4], rv_vec3 by)
{
    double angle = rv_length(by), half = 0.5 * angle;
    double s = angle > 1e-12 ? sin(half) / angle : 0.5;
    double turn[4] = {s * by.x, s * by.y, s * by.z, cos(half)}, out[4];
    rv_quaternion_product(turn, q, out);
    for (int i = 0; i < 4; i++) q[i] = out[i];
    rv_quaternion_unit(q);
}

#endif
