// The papers' pipe (pipes paper §3.1 to §3.2, tank paper §5 to §6), as small functions without
// branches over rv_f: one float, or a vector of them (base/simd.h). The flux f is the state, the
// area is that of a cell:
//     f ← ζ f + dt g dx (h_a − h_b),   then   f ← f H²/(H² + 3 dt ν)
//
// A pipe joins column a (low side) to column b (high side); flux is positive from a to b.
#ifndef RV_COLUMNS_CELL_H
#define RV_COLUMNS_CELL_H

#include "columns/laws/law.h"

// Smallest drag in a denominator, so that a dry frictionless pipe is 0 and not 0/0.
#define RV_PIPE_TINY 1e-36f
#define RV_QUOTIENT_LEFT 0.6666667f // 1 - V P² at 1/√(3V)

// The column at one end of a pipe.
typedef struct rv_pipe_end {
    rv_f depth; // m
    rv_f level; // m
    rv_f press; // m, head from outside, not looked at where the pipe is plain
} rv_pipe_end;

// The pipe itself.
typedef struct rv_pipe {
    rv_f slope;
    rv_f share; // of the law's push, not looked at where the pipe is plain
    rv_f slant; // m, head that gravity adds along it, not looked at where the pipe is plain
    rv_f flux;  // m³/s, of the last substep
} rv_pipe;

// Share of the push that the viscous force of tank paper §6 leaves: with P the difference in
// pressure that force is V P³. What it leaves, P - V P³, is greatest at 1/√(3V), two thirds of P,
// and there it stays: the paper lets it fall to none at 1/√V, so that what is steep pushes less
// than what is flat, grows steeper, and stands (law->steepest then has no bound).
RV_INLINE rv_f rv_pipe_left(const rv_law *law, rv_f drop)
{
    rv_f size = rv_f_abs(drop), steepest = rv_f_set(law->steepest);
    rv_f left = rv_f_max(rv_f_set(1.0f) - rv_f_set(law->quotient) * (drop * drop), rv_f_set(0.0f));
    rv_f most = steepest * rv_f_set(RV_QUOTIENT_LEFT) * rv_f_inverse(size + rv_f_set(RV_PIPE_TINY));
    return rv_f_pick(rv_f_above(size, steepest), most, left);
}

// `plain`: nothing presses from outside, gravity points down, all pipes have the same share and the
// viscosity quotient is 0. Equal presses cancel to the bit.
RV_INLINE rv_f rv_pipe_flux(const rv_law *law, rv_pipe_end a, rv_pipe_end b, rv_pipe pipe,
                            int plain)
{
    rv_f zero = rv_f_set(0.0f);
    rv_f drop = a.level - b.level;
    if (!plain) {
        drop = (drop + (a.press - b.press)) + pipe.slant;
        drop = drop * pipe.share * rv_pipe_left(law, drop);
    }
    rv_f pushed = rv_unless_small(
        rv_f_set(law->kept) * pipe.flux + rv_f_set(law->push) * pipe.slope * drop, RV_FLUX_LEAST);
    rv_f depth = rv_f_pick(rv_f_above(pushed, zero), a.depth, b.depth);
    rv_f square = depth * depth * pipe.slope;
    rv_f total = square + rv_f_set(law->drag) + rv_f_set(RV_PIPE_TINY);
    rv_f result = pushed * (square * rv_f_inverse(total));
    return rv_f_pick(rv_f_above(depth, rv_f_set(law->film)), result, zero);
}

#endif
