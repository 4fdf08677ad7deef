// What all kernels of columns share. Numbers come out as on the processor, bit for bit: sums and
// products are `precise`, in the order of the functions of the same names in ../../laws/ and
// ../../../base/; quotients and roots, which cards round as they like, are brought right with whole
// numbers.
layout(std140, binding = 0) uniform Constants {
    uvec4 plane[32]; // two a plane: first slot, pitch, columns, rows; its first row of all, 0, 0, 0
    uvec4 salts;     // of substeps that are one call, in place of `salt`
    uvec4 band;      // of such a call: rows that a group keeps, substeps, 0, 0
    float push, share, share_gap, kept;
    float drag, dt_area, film, fall;
    float quotient, carried, lead, courant;
    float width, second, reach, deepest;
    float fastest, bend, bend_side, gravity;
    float slant_x, slant_y, diagonal_share, diagonal_fall;
    float turned; // reach · courant
    uint salt, slots, rows;
    uint shift;           // logarithm of a block's width
    uint wet_at, next_at; // where the bits of wet blocks stand, before and after the substep
    uint status_at;
    uint pipes, columns, entries; // odd ones
    uint ways;
    uint count; // of what a kernel goes over, if it is no grid
    float top;  // m, of the grid
    uint last_at; // status of the substep before, which must not have passed these; 1: none
    float pace_most, deep_most;
    float steepest; // m, a drop from which on the viscosity quotient leaves no more push
    // surface tension: of ../../laws/law.h, of ../../laws/tension.h, and of ../../rest.c
    float stiff, stiff_thin, thin, drag_pace;
    float draw, draw_side, damp;
    float calm_0, calm_1, calm_2, calm_3;
    float length2, per, quarter, curve_bend, curve_thin;
    float per_half; // 1/m, 2/dx
    float rest_slow, rest_drive, rest_residue, patience;
    uint calm_pass;
    uint ends; // how many
    uint clear_at;            // bits of wet blocks after the next substep
    uint awake_at, before_at; // of awake blocks, in this substep and in the one before
    uint planes;              // groups of higher planes go over lists
    uint list_at;             // where words of the list stand: no constant, or drivers take long
    uint heads_at;            // where heads go: to be smoothed, or where they are looked for
    uint rounds_most;         // of a solution for the heads of flooded passages
    vec4 border_level;        // m, that borders hold, west to north
    uvec4 wide[5];            // doubles of passages, see full_pipes
} law;

#define READS(place, block, type, name)                                                            \
    layout(std430, binding = place) restrict readonly buffer block { type name[]; }
#define CHANGES(place, block, type, name)                                                          \
    layout(std430, binding = place) restrict buffer block { type name[]; }

// Places of the buffers; rv_card_binding in ../card.h.
#define AT_BEDS 0
#define AT_DEPTH 1
#define AT_PIPES 2
#define AT_SPEED 3
#define AT_NEW_SPEED 4
#define AT_FLUX 5
#define AT_NEW_FLUX 6
#define AT_SCALES 7
#define AT_NEW_DEPTH 7 // in kernels that need no scales: the depths after the substep
#define AT_BITS 8
#define AT_STATUS 9
#define AT_ODD 10
#define AT_ODD_COLUMNS 11
#define AT_ODD_FLOW 12
#define AT_PRESS 13 // from outside; then with TENSE: heads, twice while smoothed, wetted, rest, full
#define AT_LIST 14
#define AT_ENDS 15

// Bits of blocks, pairs of words by row: wet, three times; awake, twice; and these.
#define ASLEEP_AT (10u * law.rows)
#define RESTLESS_AT (12u * law.rows)

// Odd pipes: fluxes and velocities, those of the last substep, fluxes for what borders pass; and
// fluxes and velocities before they are scaled.
#define LAST_AT (2u * law.pipes)
#define TOLD_AT (4u * law.pipes)
#define RAW_AT (68u * law.pipes)

#define BORDER_LEVEL 2u // of rv_border

// Words of the status, from status_at on.
#define MOST 0u
#define PACE 1u
#define NOT_FINITE 2u
#define CUT_IN 3u
#define FULL 4u
#define HALT 5u
#define ROUSED 6u
#define LATER 7u // the processor has something to do before the next substep
#define BETWEEN PACE // of law `cell`, which has none: the greatest depth before the last substep of a call

// ---- A column of a plane ------------------------------------------------------------------------

uvec3 thread_here(); // of all there are; in `thread`, which comes after a kernel's text
uint listed_here();  // in planes after the last: which one of a list it has

struct Place {
    uint slot, pitch, x, y, nx, ny, row;
    bool exists; // within the plane
};

Place place_here()
{
    uint p = min(thread_here().z, 15u); // higher ones go over lists
    uvec4 a = law.plane[2u * p];
    uint x = thread_here().x, y = thread_here().y;
    return Place(a.x + y * a.y + x, a.y, x, y, a.z, a.w, law.plane[2u * p + 1u].x + y,
                 x < a.z && y < a.w);
}

#include "numbers"

// What drives a pipe and is smaller is none; a NaN passes (../../laws/law.h).
#define DRIVE_LEAST 1e-20
#define FLUX_LEAST 1e-24

float unless_small(float a, float least)
{
    return abs(a) < least ? 0.0 : a;
}

// ---- Depths (base/depths.h) ---------------------------------------------------------------------

float depth_salted(float depth, float change, uint salt)
{
    uint mixed = ((floatBitsToUint(change) ^ (floatBitsToUint(depth) << 7)) + salt) * 0x9e3779b1u;
    // in two parts, each of which a float holds
    float upper = whole_number((mixed >> 16) ^ 0x8000u) - 32768.0;
    precise float number = upper * 65536.0 + whole_number(mixed & 0xffffu);
    precise float chance = number * 2.77555756156289135e-17;
    float spacing = uintBitsToFloat(floatBitsToUint(depth) & 0x7f800000u);
    precise float sum = depth + (change + chance * spacing);
    return abs(change) > 0.0 ? larger(0.0, sum) : depth;
}

float depth_after(float depth, float change)
{
    return depth_salted(depth, change, law.salt);
}

float to_give(float depth)
{
    precise float give = depth * 0.999999;
    return give;
}

float to_take(float depth, float cap)
{
    precise float take = cap * 0.999999 - depth;
    return larger(take, 0.0);
}

// What the viscosity quotient leaves of a push.
float pipe_left(float drop)
{
    precise float lost = 1.0 - law.quotient * (drop * drop), size = abs(drop) + 1e-36;
    precise float most = law.steepest * 0.6666667 * inverse_of(size);
    return abs(drop) > law.steepest ? most : larger(lost, 0.0);
}

float share_of(float have, float ask)
{
    return ask > have ? quotient_of(have, ask) : 1.0;
}
