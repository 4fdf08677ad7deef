// Columns under a ceiling a little lower than the level beside them, full or not, that the sheet
// goes on to (../../extras.c: join_full). First a thread a cell finds which columns around it are
// joined to one in it, one after the other as the processor does; then (MADE) a thread a column
// makes the links. After that (TO_FULL) those under one ceiling, one of them full, are found, and
// made in the same way.
layout(local_size_x = 16, local_size_y = 16) in;

#ifdef MADE
void main()
{
    Place p = place_here();
    if (!p.exists) return;
    uint own = nodes[AT_JOINS * law.nodes + p.slot] >> 16;
    uint planes = nodes[AT_JOINED * law.nodes + p.slot];
    for (int d = 0; d < 8; d++) {
        uint full, here = 1u << d, there = 1u << opposite(d);
        if ((own >> d & 1u) == 0u) continue;
        slot_in(planes >> (4 * d) & 15u, p.x + STEP_X[d], p.y + STEP_Y[d], full);
        links[uint(d) * law.nodes + p.slot] = full;
        links[uint(opposite(d)) * law.nodes + full] = p.slot;
        atomicOr(nodes[AT_MASK * law.nodes + p.slot], here);
        atomicOr(nodes[AT_MASK * law.nodes + full], there);
        atomicOr(nodes[AT_JOINS * law.nodes + p.slot], here);
        atomicOr(nodes[AT_JOINS * law.nodes + full], there);
    }
}
#elif defined(TO_FULL)
#include "beside"

#define STEP 0.25

bool is_full(uint node)
{
    return node < law.slots && kind_of(node) == KIND_WET && !(level_at(node) < max_at(node));
}

bool same_ceiling(uint a, uint b)
{
    float low = base_at(a) > base_at(b) ? base_at(a) : base_at(b);
    float high = max_at(a) < max_at(b) ? max_at(a) : max_at(b);
    precise float up = level_at(a) - level_at(b), most = STEP * law.dx;
    return low < high && up < most && -up < most;
}

uint full_beside(uint slot, int direction)
{
    for (int k = 0; k < AROUND[direction]; k++) {
        uint both = links[uint(BESIDE[4 * direction + k]) * law.nodes + slot];
        if (both == NONE || (kind_of(both) & 1u) == 0u || is_full(both)) continue;
        uint full = links[uint(TOWARD[4 * direction + k]) * law.nodes + both];
        if (full == NONE || full >= law.slots || kind_of(full) != KIND_WET) continue;
        if (!is_full(full) && !is_full(slot)) continue;
        if (same_ceiling(slot, full)) return full;
    }
    return NONE;
}

void main()
{
    Place p = place_here();
    if (!p.exists) return;
    uint found = 0u, planes = 0u;
    for (int d = 0; d < 8 && is_full(p.slot); d++) {
        uint full = links[uint(d) * law.nodes + p.slot] == NONE ? full_beside(p.slot, d) : NONE;
        if (full == NONE || links[uint(opposite(d)) * law.nodes + full] != NONE) continue;
        if (full_beside(full, opposite(d)) != p.slot) continue;
        found |= 1u << d, planes |= plane_of(full) << (4 * d);
    }
    nodes[AT_JOINED * law.nodes + p.slot] = planes;
    nodes[AT_JOINS * law.nodes + p.slot] = (nodes[AT_JOINS * law.nodes + p.slot] & 255u) | found << 16;
}
#else
#include "beside"
#include "turns"

#define LOWER 1.0

// Joins in this cell, both columns of each: what is beside a joined one is joined through it.
#define JOINS 128
uint join_from[JOINS], join_to[JOINS];
int joins;

// Whether a column of the cell beside has it, in a direction from the full one.
bool is_taken(uint full, int back)
{
    ivec2 there = cell_of(full) + ivec2(STEP_X[back], STEP_Y[back]);
    if (links[uint(back) * law.nodes + full] != NONE) return true;
    for (int j = 0; j < joins; j++)
        if (join_to[j] == full && cell_of(join_from[j]) == there) return true;
    return false;
}

uint full_beside(uint slot, int direction)
{
    for (int k = 0; k < AROUND[direction]; k++) {
        uint beside = links[uint(BESIDE[4 * direction + k]) * law.nodes + slot];
        if (beside == NONE) continue;
        uint full = links[uint(TOWARD[4 * direction + k]) * law.nodes + beside];
        for (int j = 0; j < joins; j++)
            if (join_from[j] == beside) full = join_to[j];
        if (full == NONE || kind_of(full) != KIND_WET) continue;
        if (is_taken(full, opposite(direction))) continue;
        precise float over = level_at(slot) - max_at(full), most = LOWER * law.dx;
        if (level_at(full) < min_at(slot) || !(level_at(full) < max_at(slot))) continue;
        if (!(over < most)) continue;
        return full;
    }
    return NONE;
}

void try_join(uint slot, int direction)
{
    bool lip = (nodes[AT_MASK * law.nodes + slot] >> 16 >> direction & 1u) != 0u;
    uint full = lip || joins == JOINS ? NONE : full_beside(slot, direction);
    if (full == NONE) return;
    join_from[joins] = slot, join_to[joins] = full, joins++;
    atomicOr(nodes[AT_JOINED * law.nodes + slot], plane_of(full) << (4 * direction));
    atomicOr(nodes[AT_JOINS * law.nodes + slot], 65536u << direction);
}

void main()
{
    Place p = place_here();
    joins = 0;
    if (!bring_wants(p) || p.x >= int(law.nx) || p.y >= int(law.ny) || !is_wanted()) return;
    ask_around(p.x, p.y);
    for (uint now = 0u; now < 2u; now++) {
        for (int j = -1; j <= 1; j++) {
            if (turn[j + 1] != now) continue;
            for (uint l = 0u; l < law.planes; l++) {
                for (int i = -1; i <= 1; i++) {
                    uint slot;
                    if ((i == 0 && j == 0) || !is_asking(l, i, j)) continue;
                    slot_in(l, p.x + i, p.y + j, slot);
                    try_join(slot, direction_to(-i, -j));
                }
            }
        }
    }
}
#endif
