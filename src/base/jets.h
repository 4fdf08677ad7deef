// Jets as points: a jet gives disks, one for every h that its liquid has gone, h being how far
// apart points are. The points of a disk lie on a spiral, each the golden angle on from the last
// and as much area further out, and each disk is turned against the one before: all points are
// about as far apart, none are in rows, and the stream is round. A disk has as many points as its
// cross-section asks for, over many disks exactly.
#ifndef RV_BASE_JETS_H
#define RV_BASE_JETS_H

#include "base/numbers.h"

#define RV_JET_GOLDEN 0.6180339887498949
#define RV_JET_OTHER 0.7548776662466927 // fills 0 … 1 evenly beside the golden one
#define RV_JET_MOST 1000                // disks at once

static inline double rv_part_of_one(double x)
{
    return x - floor(x);
}

// Of what comes at a rate (1/s) since a start, which come from `since` (s) to dt later: the whole
// numbers `from` <= m < `to`. Ends of substeps often fall on one of them: a millionth before, so
// that rounding does not lose or double it.
static inline void rv_jet_numbers(double since, double dt, double rate, double *from, double *to)
{
    *from = ceil(since * rate - 1e-6), *to = (since + dt) * rate - 1e-6;
}

// How many points disk m has where `each` come on the average.
static inline int rv_jet_points(double m, double each)
{
    return (int)(floor((m + 1) * each) - floor(m * each));
}

// Two unit vectors across a third, and across each other; in a plane (axes 2) there is only one.
static inline void rv_jet_across(const double d[3], int axes, double a[3], double b[3])
{
    int other = fabs(d[0]) < 0.6 ? 0 : 1;
    double length = 0;
    for (int c = 0; c < 3; c++) a[c] = b[c] = 0;
    if (axes == 2) {
        a[0] = -d[1], a[1] = d[0];
        return;
    }
    for (int c = 0; c < 3; c++) a[c] = (c == other) - d[other] * d[c], length += a[c] * a[c];
    for (int c = 0; c < 3; c++) a[c] /= sqrt(length);
    for (int c = 0; c < 3; c++)
        b[c] = d[(c + 1) % 3] * a[(c + 2) % 3] - d[(c + 2) % 3] * a[(c + 1) % 3];
}

// Point i of `count` of disk m: how far along the two directions across the stream, and along it,
// from -½ to ½, which spreads a disk so that it does not show.
typedef struct rv_jet_point {
    double x, y, on;
} rv_jet_point;

static inline rv_jet_point rv_jet_point_at(double m, int i, int count, double radius, int axes)
{
    double turn = rv_part_of_one(m * RV_JET_GOLDEN), far = radius * sqrt((i + 0.5) / count);
    rv_jet_point p = {.on = rv_part_of_one(i * RV_JET_OTHER + turn) - 0.5};
    if (axes == 2) {
        p.x = radius * (2 * (i + turn) / count - 1);
        return p;
    }
    rv_sine(2 * RV_PI * (i * RV_JET_GOLDEN + turn), &p.y, &p.x);
    p.x *= far, p.y *= far;
    return p;
}

#endif
