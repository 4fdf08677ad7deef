// What all kernels of particles share. They do what ../../narrow.c, narrow_simd.c, pressure.c,
// pressure_simd.c and sort.c do, a cell or a particle a thread; sums and products are `precise`, in
// the same order, so that particles come out as on the processor, bit for bit. Words that may be
// defined: SPACE (form 3d), HEIGHT (form height), SOLID (there are solids).
#define NO_PLANES // of `thread`
layout(std140, binding = 0) uniform Constants {
    uvec4 levels[36]; // three a level: cells along the axes, pitch; layer, origin, first float of its
                      // arrays, slots; its first row of all, 0, 0, 0
    ivec4 cells;      // along the axes; how many axes
    uvec4 grid;       // pitch, layer, origin, slots
    vec4 high, fall;  // cells, the other walls; what gravity adds in a substep, m/s
    uvec4 open;       // by axis: 1, the low wall is open, 2, the high one; 0
    uint bins, wide, blocks, most; // of the sort: bins, those of a row, groups of bins; of a list
    uint level, coarse, last, cycle; // of a call; the first that one group works on; the coarsest
    uint given, before, record; // cycles that are asked for; that were the last time; …
    uint odd, half_way; // of `relax`: rows, and when
    uint boxes_at;      // where those for rays stand
    float seen;         // density of the surface that is drawn
    float per_rest, twice_rest, two_tiny, fill;
    float move, pic, keep, even, hold;
    float enough, done, deep, along;
    float beside, omega, tiny, clear;
    float slow, doubt, edge, inset;
    vec4 rod_from, rod_way, rod_speed; // as rv_narrow_rod; w: per_radius, per_way, pull
    float foam, foam_left; // as in rv_narrow_law
    uint froth_at;         // where it stands for who draws it
    uint pressed_at;       // where in `levels` the pressure of the last substep stands, by cell
    float ahead, most_ahead, stuck; // as in rv_narrow_limits
    float column_deep, column_flow; // what a weight is in m, and motion in m²/s
    uint air_at; // in a plane and as a height: where foam stands, behind all particles, four a vec4
} law;

#define HOLDS(place, block, type, name)                                                            \
    layout(std430, binding = place) buffer block { type name[]; }

// Places of the buffers; rv_grain_binding in ../card.h.
HOLDS(0, Particles, vec4, particles);
HOLDS(1, Others, vec4, others);     // what is sorted into
HOLDS(2, Bins, uvec2, bin_of);      // by particle: its bin, and which of those there it is
HOLDS(3, First, uint, first);       // by bin, from the first of its group; then of groups
HOLDS(4, Counts, uint, counts);     // by bin; 0 but while sorting; then particles by bin, in any order
HOLDS(5, Sums, vec4, sums);         // by slot: weight, weight times velocity
HOLDS(6, Fields, float, fields);    // by slot: weight; then motion along the axes
HOLDS(7, Share, float, share);      // by slot; form height: 1 where there is a column
HOLDS(8, Faces, float, faces);      // by slot: lightness along the axes, then speed
#ifdef ALONE // a call sees what it wrote itself
#define KEEPS(place, block, type, name)                                                            \
    layout(std430, binding = place) coherent buffer block { type name[]; }
#else
#define KEEPS HOLDS
#endif
KEEPS(9, Levels, float, levels);    // of each level p, b, diag, inverse, joints
HOLDS(10, Cells, vec4, cells);      // by slot, in space two each
HOLDS(11, Nodes, vec4, nodes);
HOLDS(12, Solid, float, solid);     // by slot: distance, cells; form height: then the bed, m²/s²
#ifdef ALONE // and what others write
layout(std430, binding = 13) coherent volatile buffer Status { uint status[]; };
#else
HOLDS(13, Status, uint, status);
#endif
KEEPS(14, Rows, uint, rows);        // by row along the second axis: whether its slab is odd; then by
                                    // row of each level the first cell with pressure

HOLDS(15, Shown, uint, shown);      // what is drawn

#ifdef SPACE
#define AXES 3
#define SIZE 2u
#else
#define AXES 2
#define SIZE 1u
#endif
#define GONE 0xffffffffu
#define BIN 8
#define GROUP 2048u // bins

// Words of the status.
#define COUNT 0u
#define COUNTED 1u // before the last sort
#define HALT 2u // 1: for cycles that were not asked for; 2: groups of `whole` did not all run at once
#define MET 3u
#define CYCLES 8u // by cycle, eight words: what is left; not to be done; levels to be made; trust; …
#define RECORDS 160u // by substep, eight words
#define LEFT 0u
#define SKIPPED 1u
#define RELEVEL 2u // 1: of cells that have pressure; 2: of all that are liquid
#define TRUST 3u
#define LAST_LEFT 4u
#define BEFORE_LEFT 5u
#define TRIED 6u // levels were made of all liquid once
#define DONE_COUNT 0u
#define DONE_FASTEST 1u
#define DONE_DENSEST 2u
#define DONE_WRONG 3u
#define DONE_CYCLES 4u
#define DONE_WHOLE 5u
#define DONE_PARTS 6u // and DONE_PARTS + 1
#define MOST_CYCLES 16u

#define TOO_FAR 0x7fffffffu // a row without pressure
#define WITHOUT_END 0x7f61b1e6u // 3e38: more than is ever left

uvec3 thread_here();

// Of kernels with a particle a thread: rows of groups of 64.
uint particle_here()
{
    uvec3 t = thread_here();
    return t.x + t.y * gl_NumWorkGroups.x * 64u;
}

#include "numbers"

// Foam of a particle, and where it stands.
uvec2 air_place(uint i)
{
#ifdef SPACE
    return uvec2(2u * i + 1u, 3u);
#else
    return uvec2(law.air_at + i / 4u, i & 3u);
#endif
}

float air_of(uint i)
{
    uvec2 at = air_place(i);
    return particles[at.x][at.y];
}

// a / b whatever the sign of a, b over 0.
float over_of(float a, float b)
{
    float q = quotient_of(abs(a), b);
    return a < 0.0 ? -q : q;
}

float status_float(uint at)
{
    return uintBitsToFloat(status[at]);
}

// n, in a way that compilers do not see: they write loops of few rounds out, and then compile for long.
int rounds(int n)
{
    return n + int(law.open.w);
}

// Whether the substep that is under way, or one before it, must wait for the processor.
bool stopped()
{
    if (status[HALT] != 0u) return true;
    return law.given < MOST_CYCLES && status[CYCLES + 8u * law.given + SKIPPED] == 0u;
}

bool halted()
{
    return status[HALT] != 0u;
}

bool open_low(int c)
{
    return (law.open[c] & 1u) != 0u;
}

bool open_high(int c)
{
    return (law.open[c] & 2u) != 0u;
}

uint slot_of(ivec3 c)
{
    int at = int(law.grid.z) + c.x + c.y * int(law.grid.x);
#ifdef SPACE
    at += c.z * int(law.grid.y);
#endif
    return uint(at);
}

// Where a cell's pressure of the last substep stands.
uint pressed_of(ivec3 c)
{
    return law.pressed_at + uint(c.x + law.cells.x * (c.y + law.cells.y * c.z));
}

// Slots between a cell and the next along an axis.
uint step_of(int c)
{
    return c == 0 ? 1u : c == 1 ? law.grid.x : law.grid.y;
}

bool inside(ivec3 c)
{
    return all(lessThan(c, law.cells.xyz)) && all(greaterThanEqual(c, ivec3(0)));
}

uint first_at(uint bin)
{
    if (bin >= law.bins) return status[COUNT];
    return first[bin] + first[law.bins + bin / GROUP];
}
