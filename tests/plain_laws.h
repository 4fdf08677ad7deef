// What flows through one pipe, for the plain solver, written out from docs/pipes-inside.md ("Law
// cell", "Law flow") and docs/swe.md. Nothing here comes from src/columns.
#ifndef RV_TESTS_PLAIN_LAWS_H
#define RV_TESTS_PLAIN_LAWS_H

#include "plain_columns.h"

#define SLOPE_ONE 65535.0f // slopes are whole numbers of 1/65535 …
#define RISE_ONE 8192.0f   // … and rises across of 1/8192

// What stays the same for all pipes of a substep.
typedef struct plain_law {
    float push;            // per slope of 1/65535: flow 1/s, time · g/dx; cell m²/s, dt g dx
    float kept;            // share of the velocity or flux that is kept
    float drag;            // m², 3 time ν · 65535
    float dt_area;         // s/m², flux to change of depth
    float film;            // m, thinner liquid does not flow
    float fall;            // m, difference of beds from which a pipe is a fall: dx tan 60°
    float quotient;        // 1/m², V (ρ g)²
    float steepest;        // m, 1/√(3 quotient), or far beyond all
    float last_area;       // s/m², dt_area of the last substep
    float last_courant;    // s/m, courant of the last substep
    float courant;         // s/m, dt / dx
    float dx;              // m
    float half;            // ½ to second order, 0 to first
    float deepest;         // m, deeper pipes push as this one would
    float fastest;         // m/s, dx / dt
    float bend, bend_side; // 1/m²/65535, and 1/m/8192/4/65535 across, see lean()
    float slant_x;         // m, head that gravity adds from cell to cell
    float slant_y;
    uint32_t salt; // a number that changes with every substep
} plain_law;

plain_law plain_law_of(const plain *p, double dt, bool clipped);
// The same along diagonals.
plain_law plain_law_diagonal(plain_law law);

// One end of a pipe, all in m, and the velocity with which the column's four sides spread, m/s.
typedef struct plain_end {
    float base, depth, behind, press; // behind: depth one column further from the pipe
    float spread;
} plain_end;

// A pipe and what is around it.
typedef struct plain_look {
    float slope, rise, opening; // as plain_pipe
    float share;                // of the push
    float slant;                // m, head that gravity adds
    float u;                    // m/s, its velocity
    float carried;              // m²/s, what momentum brings, times the sum of depths
    float both;                 // m, sum of depths, at least what comes
    float side;                 // m, four times the rise of depths across
    float low, high;            // m/s, velocities one pipe before and after
} plain_look;

typedef struct plain_flow {
    float speed, flux;
} plain_flow;

// Twice what flows half way to the pipes before and after, and to those beside, m³/s; and that
// times the velocity there.
typedef struct plain_past {
    float in, out, in_side, out_side;
    float low, high, south, north;
} plain_past;

float plain_cell_flux(const plain_law *law, plain_end a, plain_end b, const plain_look *pipe,
                      float flux);
plain_flow plain_wet_flow(const plain_law *law, plain_end a, plain_end b, const plain_look *pipe,
                          bool timed);
// Velocity half way between the pipes `low` and `own`, of what flows there.
float plain_between_two(const plain_law *law, float low2, float low, float own, float high,
                        float flux);
float plain_carried(const plain_law *law, const plain_past *past, float u);
float plain_comes(const plain_law *law, const plain_past *past);

// A column's depth after a change, rounded up or down by chance, so that changes far below the
// spacing of floats are kept on average.
float plain_new_depth(float depth, float change, uint32_t salt);

#endif
