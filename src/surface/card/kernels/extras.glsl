// Extra nodes (../../extras.c): a thread a cell. Which columns around a cell an extra node in it
// serves depends on that cell alone, and is found as the processor finds it, one after the other.
// Without EMIT they are only counted.
layout(local_size_x = 16, local_size_y = 16) in;

#include "sums"

#include "beside"

struct Found {
    uint link[8]; // columns, by direction from the extra node
};

uint joined[8]; // by direction from the cell: planes whose columns have an extra node here
uint filled[8]; // the same: planes of full columns in the cell that are joined to one there
// Of these joins both columns: what is beside a joined one is joined through it.
#define JOINS 32
uint join_from[JOINS], join_to[JOINS];
int joins;

uint wanted(uint slot)
{
    return nodes[AT_MASK * law.nodes + slot] >> 8 & 255u;
}

void join(inout Found e, uint slot, int direction)
{
    e.link[opposite(direction)] = slot;
    joined[opposite(direction)] |= 1u << plane_of(slot);
}

// From a column, in a direction in which the extra node is: as spread_extra, with a stack.
void spread(inout Found e, uint from, int direction)
{
    uint at[9];
    int toward[9], next[9], top = 0;
    at[0] = from, toward[0] = direction, next[0] = 0;
    while (top >= 0) {
        int d = toward[top], k = next[top];
        if (k >= AROUND[d] || top >= 8) {
            top--;
            continue;
        }
        next[top] = k + 1;
        int to = TOWARD[4 * d + k];
        uint node = links[uint(BESIDE[4 * d + k]) * law.nodes + at[top]];
        if (node == NONE || node >= law.slots || kind_of(node) != KIND_WET) continue;
        uint there = links[uint(to) * law.nodes + node];
        if (there != NONE && there < law.slots) continue;
        if ((joined[opposite(to)] >> plane_of(node) & 1u) != 0u) continue;
        if (e.link[opposite(to)] != NONE) continue;
        join(e, node, to);
        top++;
        at[top] = node, toward[top] = to, next[top] = 0;
    }
}

// A full column in the cell that the sheet goes on to (../../extras.c: join_full); NONE: there is
// none.
uint full_beside(uint slot, int direction)
{
    for (int k = 0; k < AROUND[direction]; k++) {
        uint beside = links[uint(BESIDE[4 * direction + k]) * law.nodes + slot];
        if (beside == NONE || beside >= law.slots) continue;
        uint full = links[uint(TOWARD[4 * direction + k]) * law.nodes + beside];
        for (int j = 0; j < joins; j++)
            if (join_from[j] == beside) full = join_to[j];
        if (full == NONE || full >= law.slots || kind_of(full) != KIND_WET) continue;
        uint back = links[uint(opposite(direction)) * law.nodes + full];
        if (back != NONE && back < law.slots) continue;
        if ((filled[opposite(direction)] >> plane_of(full) & 1u) != 0u) continue;
        precise float over = level_at(slot) - max_at(full), most = 0.5 * law.dx;
        if (level_at(full) < max_at(full) || !(over < most)) continue;
        return full;
    }
    return NONE;
}

// Whether it is joined to one: the links themselves are made when all cells are done (join_full).
bool join_full(uint slot, int direction, bool stored)
{
    uint full = full_beside(slot, direction);
    if (full == NONE) return false;
    joined[opposite(direction)] |= 1u << plane_of(slot);
    filled[opposite(direction)] |= 1u << plane_of(full);
    if (joins < JOINS) join_from[joins] = slot, join_to[joins] = full, joins++;
    if (stored) {
        atomicOr(nodes[AT_JOINED * law.nodes + slot], plane_of(full) << (4 * direction));
        atomicOr(nodes[AT_JOINS * law.nodes + slot], 65536u << direction);
    }
    return true;
}

// The column under a level.
uint column_below(int x, int y, float h)
{
    for (uint l = 0u; l < law.planes; l++) {
        uint slot;
        if (!slot_in(l, x, y, slot) || !(max_at(slot) > base_at(slot))) break;
        if (h < max_at(slot)) return slot;
    }
    return NONE;
}

void settle(Found e, uint node, int x, int y)
{
    uint first = NONE, at = (node - law.slots) * EXTRA_WORDS, mask = 0u;
    int direction = 0;
    for (int d = 0; d < 8; d++) {
        uint n = e.link[d];
        links[uint(d) * law.nodes + node] = n;
        extra[at + EXTRA_ASKED + uint(d)] = NONE;
        if (n == NONE) continue;
        mask |= 1u << d;
        links[uint(opposite(d)) * law.nodes + n] = node;
        if ((wanted(n) >> opposite(d) & 1u) == 0u || n >= first) continue;
        first = n, direction = opposite(d);
    }
    bool lip = (nodes[AT_MASK * law.nodes + first] >> 16 >> direction & 1u) != 0u;
    nodes[node] = lip ? KIND_LIP : KIND_WALL;
    nodes[AT_MASK * law.nodes + node] = mask;
    nodes[AT_ENDS * law.nodes + node] = 0u;
    extra[at + EXTRA_CELL] = uint(x) | uint(y) << 16;
    extra[at + EXTRA_BELOW] = lip ? column_below(x, y, level_at(first)) : NONE;
    extra[at + EXTRA_APRON] = 0xff800000u; // none
    extra[at + EXTRA_SHARED] = extra[at + EXTRA_BEGINS] = extra[at + EXTRA_ENDS] = 0u;
    if (!lip || (law.has & HAS_DRIPS) == 0u) return;
    uint drip = given[law.drip_at + first];
    if (drip > 0u && given[law.sheet_at + drip - 1u] == 0u)
        extra[at + EXTRA_APRON] = floatBitsToUint(min_at(first));
}

// 0 or 1: the rows of every second band come first.
uint turn_of(int y)
{
    uint island = squares[law.from + square_here()];
    if (island == NONE) return 0u;
    int first = int(status[STATUS_ISLANDS + 4u * island]);
    int height = int(status[STATUS_ISLANDS + 4u * island + 1u]);
    return y < first || height <= 0 ? 0u : uint((y - first) / height) & 1u;
}

// The extra nodes of a cell, in the order in which the processor goes over the columns around it.
// Returns how many; from `number` on they are stored, if that is wanted.
uint find(int x, int y, uint number, bool stored)
{
    uint count = 0u;
    joins = 0;
    for (int d = 0; d < 8; d++) joined[d] = filled[d] = 0u;
    for (uint turn = 0u; turn < 2u; turn++) {
        for (int j = y - 1; j <= y + 1; j++) {
            if (j < 0 || j >= int(law.ny) || turn_of(j) != turn) continue;
            for (uint l = 0u; l < law.planes; l++) {
                for (int i = x - 1; i <= x + 1; i++) {
                    uint slot;
                    if ((i == x && j == y) || !slot_in(l, i, j, slot)) continue;
                    int d = 0;
                    while (STEP_X[d] != x - i || STEP_Y[d] != y - j) d++;
                    if ((wanted(slot) >> d & 1u) == 0u) continue;
                    if ((joined[opposite(d)] >> l & 1u) != 0u) continue;
                    bool lip = (nodes[AT_MASK * law.nodes + slot] >> 16 >> d & 1u) != 0u;
                    if (!lip && join_full(slot, d, stored)) continue;
                    Found e;
                    for (int k = 0; k < 8; k++) e.link[k] = NONE;
                    join(e, slot, d);
                    spread(e, slot, d);
                    if (stored && number + count < law.extras)
                        settle(e, law.slots + number + count, x, y);
                    count++;
                }
            }
        }
    }
    return count;
}

bool is_wanted(int x, int y)
{
    for (int d = 0; d < 8; d++) {
        for (uint l = 0u; l < law.planes; l++) {
            uint slot;
            if (!slot_in(l, x + STEP_X[d], y + STEP_Y[d], slot)) continue;
            if ((wanted(slot) >> opposite(d) & 1u) != 0u) return true;
        }
    }
    return false;
}

void main()
{
    Place p = place_here();
    bool any = p.x < int(law.nx) && p.y < int(law.ny) && is_wanted(p.x, p.y);
    uint number = any ? find(p.x, p.y, 0u, false) : 0u;
#ifdef EMIT
    uint before = sum_before(number) + sums_at(gl_WorkGroupID.x, 0u);
    if (any) find(p.x, p.y, before, true);
#else
    uint all = sum_of_group(number);
    if (gl_LocalInvocationIndex == 0u) put_sum(gl_WorkGroupID.x, 0u, all);
#endif
}
