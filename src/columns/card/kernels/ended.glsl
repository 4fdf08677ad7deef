// After the depths of a flooded substep (../ended.c, rv_passages_levels in ../../passages/): which
// listed columns are still full, and the velocities of their pipes: none at full columns, and what
// they carry at those that are full no more. A thread for each column and then for each pipe.
layout(local_size_x = 64) in;
READS(AT_BEDS, Beds, float, beds);
CHANGES(AT_DEPTH, Depth, float, depth);
READS(AT_FLUX, Flux, float, flux);
CHANGES(AT_SPEED, Speed, float, speed);
CHANGES(AT_ODD_FLOW, OddFlow, float, odd_flow);
CHANGES(AT_STATUS, Status, uint, status);
// From law.list_at on: how many columns; where their flags go; these, three words each; pipes, five
CHANGES(AT_LIST, List, uint, list);
#ifdef TENSE
CHANGES(AT_PRESS, Press, float, press);
#endif
#define COLUMNS_AT (law.list_at + 2u)
#define WAS_FULL 1u
#define KEEPS 2u
#define ODD_PIPE 1u

uint column_word(uint k, uint word)
{
    return list[COLUMNS_AT + 3u * k + word];
}

// The depth of the k-th column, which another thread may be putting back.
float depth_of(uint k)
{
    return (column_word(k, 1u) & KEEPS) != 0u ? uintBitsToFloat(column_word(k, 2u))
                                              : depth[column_word(k, 0u)];
}

// rv_column_flooded in ../../../terrain/levels.h, of one that was.
bool is_full(uint k)
{
    uint i = column_word(k, 0u);
    precise float least = (beds[law.slots + i] - beds[i]) * 0.998;
    return (column_word(k, 1u) & WAS_FULL) != 0u && beds[law.slots + i] < law.top &&
           depth_of(k) >= least;
}

float over(float carried, float area)
{
    uint sign = floatBitsToUint(carried) & 0x80000000u;
    return uintBitsToFloat(floatBitsToUint(quotient_of(abs(carried), area)) | sign);
}

// A thread that writes a depth is the only one that looks at it in the buffer: see depth_of.
void end_column(uint k)
{
    uint i = column_word(k, 0u);
    bool full = is_full(k);
    list[list[law.list_at + 1u] + k] = full ? 1u : 0u;
#ifdef TENSE
    press[6u * law.slots + i] = full ? 1.0 : 0.0;
#endif
    if ((column_word(k, 1u) & KEEPS) != 0u) depth[i] = depth_of(k);
}

void end_pipe(uint at)
{
    uint index = list[at + 1u], a = list[at + 2u], b = list[at + 3u];
    bool odd = list[at] == ODD_PIPE;
    bool full = (a > 0u && is_full(a - 1u)) || (b > 0u && is_full(b - 1u));
    float carried = odd ? odd_flow[index] : flux[index];
    float u = full ? 0.0 : over(carried, uintBitsToFloat(list[at + 4u]));
    if (odd)
        odd_flow[law.pipes + index] = u, odd_flow[LAST_AT + law.pipes + index] = u;
    else
        speed[index] = u;
}

void main()
{
    uint k = thread_here().x, columns = list[law.list_at];
    if (k < 8u) status[law.status_at + k] = 0u; // for `look`
    if (k >= law.count) return;
    if (k < columns)
        end_column(k);
    else
        end_pipe(COLUMNS_AT + 3u * columns + 5u * (k - columns));
}
