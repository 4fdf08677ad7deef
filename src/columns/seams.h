// What flows through the sides of columns that have odd pipes, for the odd pipes themselves
// (seams.c) and for the regular pipes beside them (beside.c).
#ifndef RV_COLUMNS_SEAMS_H
#define RV_COLUMNS_SEAMS_H

#include "columns/sweep.h"

#include <string.h>

// The first marked odd column of [k, end), or end; most are not marked.
static inline uint32_t rv_next_live(const uint8_t *live, uint32_t k, uint32_t end)
{
    for (uint64_t eight; k + 8 <= end; k += 8) {
        memcpy(&eight, live + k, sizeof eight);
        if (eight) break;
    }
    while (k < end && !live[k]) k++;
    return k;
}

// Through one side of a column, in the last substep, positive toward high: m³/s, m/s.
typedef struct rv_side_flow {
    float flux, speed;
} rv_side_flow;

// What odd pipe `pipe` of a column's side carried, positive toward high.
static inline rv_side_flow rv_odd_last(const rv_engine *s, uint32_t pipe, rv_side side)
{
    bool back = s->odd[pipe].b == RV_NO_SLOT && (side == RV_WEST || side == RV_SOUTH);
    rv_side_flow f = {s->odd_last_flux[pipe], s->odd_last_speed[pipe]};
    return back ? (rv_side_flow){-f.flux, -f.speed} : f;
}

// The regular pipe and the odd ones of a side together: the sum, and the mean velocity weighted by
// what flows.
static inline rv_side_flow rv_side_sum(const rv_engine *s, uint32_t slot, rv_side side,
                                       rv_side_flow regular)
{
    const rv_odd_column *column = rv_pipes_odd_column(s, slot);
    if (!column) return regular;
    rv_side_flow sum = regular;
    float weight = rv_f_abs(sum.flux), speed = weight * sum.speed;
    for (uint32_t e = column->first; e < column->first + column->count; e++) {
        if (s->odd_of[e].side != side) continue;
        rv_side_flow odd = rv_odd_last(s, s->odd_of[e].pipe, side);
        sum.flux += odd.flux;
        weight += rv_f_abs(odd.flux), speed += rv_f_abs(odd.flux) * odd.speed;
    }
    sum.speed = weight > 0.0f ? speed / weight : 0.0f;
    return sum;
}

// … where only the flux is asked for.
static inline float rv_side_flux(const rv_engine *s, uint32_t slot, rv_side side, float regular)
{
    const rv_odd_column *column = rv_pipes_odd_column(s, slot);
    if (!column) return regular;
    for (uint32_t e = column->first; e < column->first + column->count; e++)
        if (s->odd_of[e].side == side) regular += rv_odd_last(s, s->odd_of[e].pipe, side).flux;
    return regular;
}

// Sets what flows past at one place: to first order what is half way has the velocity upstream.
static inline void rv_pass_by(float q, float low, float high, float *flux, float *product)
{
    *flux = q, *product = q * (q > 0.0f ? low : high);
}

#endif
