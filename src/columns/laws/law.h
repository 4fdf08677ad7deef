// What stays the same for all pipes of a substep, for both laws: `cell` (laws/cell.h), the papers',
// whose state is the flux, and `flow` (laws/flow.h), whose state is the velocity.
#ifndef RV_COLUMNS_LAW_H
#define RV_COLUMNS_LAW_H

#include "base/depths.h"

// A pipe's slope is cos²α of the bed as a whole number of 1/65535, 0 where there is no pipe. The
// law's factors take that into account, so that no loop need divide.
#define RV_SLOPE_ONE 65535.0f
// The bed's rise across a pipe is a whole number of 1/8192 cells a cell; falls have none, so it is
// under tan 60°.
#define RV_RISE_ONE 8192.0f

// What drives a pipe and is smaller is none. Where liquid has come to rest it would go on to shrink,
// until processors work with numbers so small that each takes a hundred times as long, and graphics
// cards take these for zeros: the two would differ. 1e-20 m²/s is a micrometre of film that moves
// 0.3 µm in a year; 1e-24 m³/s is as little.
#define RV_DRIVE_LEAST 1e-20f // m²/s, law `flow`: velocity times the sum of depths
#define RV_FLUX_LEAST 1e-24f  // m³/s

// A NaN passes.
RV_INLINE rv_f rv_unless_small(rv_f a, float least)
{
    rv_f zero = rv_f_set(0.0f);
    return rv_f_pick(rv_f_above(rv_f_set(least), rv_f_abs(a)), zero, a);
}

typedef struct rv_law {
    float push;      // flow: 1/s/65535, time · g / dx; cell: m²/s/65535, dt g dx
    float share;     // of the push that a pipe gets; not looked at by plain ones, which get 1
    float share_gap; // added to it for each gap beside the pipe, see joints.h
    float kept;      // share of the flux or velocity that is kept
    float drag;      // m², 3 dt ν · 65535
    float dt_area;   // s/m², dt / dx²: flux to change of depth
    float film;      // m, thinner columns do not flow
    float fall;      // m, drop between bases from which a pipe is a fall: dx tan 60°
    uint32_t salt;   // changes with every substep
    float quotient;  // 1/m², V (ρ g)², V the viscosity quotient
    float steepest;  // m, a drop from which on the quotient leaves no more push

    // Flow only.
    float carried;   // s/m², last dt / dx²: last flux to change of depth
    float lead;      // s/m, last dt / dx: how far a velocity is carried in a substep
    float courant;   // s/m, dt / dx
    float width;     // m, dx
    float second;    // ½: velocities between faces by limited slopes; 0: those upstream
    float reach;     // ½: depths at faces by limited slopes; 0: those upstream
    float deepest;   // m, deeper pipes push as this one would, so that a clipped step stays stable
    float fastest;   // m/s, dx / dt
    float bend;      // 1/m²/65535: slope · difference of beds · difference of depths, see lean
    float bend_side; // 1/m/8192/4/65535: the same across
    float gravity;   // m/s², 2 g
    float slant[2];  // m, head that gravity's parts along x and y add from cell to cell

    // Surface tension only.
    float stiff,
        stiff_thin;  // by how much it makes the grid's shortest waves stiffer; thinner than …
    float thin;      // m, … this
    float drag_pace; // m³/s, 3 ν dx
    float draw;      // 1/8192²: coded rise across to its square, see rv_flow_drawn
    float draw_side; // 1/m/8192/4: difference of beds · coded rise across · four times the heads'
    float damp;    // s, what a spreading of 1 m/s takes off a deep column's head, see rv_calm_damps
    float calm[4]; // 1/m: from which depths on heads are smoothed, see rv_calm_share
} rv_law;

#endif
