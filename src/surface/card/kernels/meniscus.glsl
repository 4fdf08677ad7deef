// The whole meniscus of a small surface in one group (../make.c has the passes): ENDS_MOST vertices
// that are none of a column at most, and not many others. law.ring and law.least: of the first ring
// after that of columns in one triangle with a contact.
layout(local_size_x = ALONE) in;

#include "contacts"
#include "lines"
#include "settle"
#include "even"
#include "rings"
#include "field"
#include "lips"

#define RING 0.92
#define FOLD 0.5

// All threads have come here, and see what all wrote.
void meet()
{
    memoryBarrierBuffer();
    barrier();
}

// In a loop, so that a compiler has its text but once.
void make_contacts(uint first)
{
    for (uint k = first; k < counted.fresh; k += uint(ALONE)) begin_contact(k);
    meet();
    for (int pass = 0; pass < 2; pass++) {
        for (uint t = first; t < counted.triangles; t += uint(ALONE)) join_lines(t, pass == 1);
        meet();
    }
    for (uint k = first; k < counted.fresh; k += uint(ALONE))
        if (is_contact(counted.inside + k)) bring_line(k);
    meet();
    for (uint k = first; k < counted.fresh; k += uint(ALONE)) {
        if (!is_contact(counted.inside + k)) continue;
        settle(k);
        bring_even(k);
    }
    meet();
    for (uint k = first; k < counted.fresh; k += uint(ALONE))
        if (is_contact(counted.inside + k)) even_out(k);
    meet();
}

uint column_of(uint vertex)
{
    return fresh[2u * law.fresh + vertex];
}

// How far it may be, and the square of how far at least.
vec2 next_ring(vec2 ring)
{
    precise float fold = FOLD * law.dx, on = RING * law.dx;
    precise float low = ring.x - fold, far = ring.x + on;
    low = larger(low, 0.0);
    precise float least = low * low;
    return vec2(smaller(far, law.reach), least);
}

// Columns that a ring reached are near when all threads have looked. Returns the last one's least.
float spread_rings(uint first)
{
    precise float near = RING * law.dx;
    vec2 ring = vec2(near, 0.0);
    bool is_first = true, over = false;
    while (!over) {
        uint found = 0u, bit = 1u;
        for (uint v = first; v < counted.inside; v += uint(ALONE), bit <<= 1) {
            uint slot = column_of(v);
            ivec2 cell = cell_of(slot);
            vec2 at = vec2(cell_x(cell.x), cell_y(cell.y));
            bool is = (near_of(slot) & NEAR) != 0u;
            if (is != is_first) continue;
            if (is ? !keep_first(slot, at, ring) : keep_next(slot, pitch_of(slot), at, ring))
                found |= bit;
        }
        meet();
        bit = 1u;
        for (uint v = first; v < counted.inside; v += uint(ALONE), bit <<= 1)
            if ((found & bit) != 0u) rings[column_of(v)] = is_first ? SEED : NEAR;
        meet();
        over = !is_first && !(ring.x < law.reach);
        if (!over) ring = is_first ? vec2(law.ring, law.least) : next_ring(ring);
        is_first = false;
    }
    return ring.y;
}

void main()
{
    uint first = gl_LocalInvocationIndex;
    take_counts();
    make_contacts(first);
    float least = spread_rings(first);
    for (uint v = first; v < counted.inside; v += uint(ALONE))
        put_field(column_of(v), pitch_of(column_of(v)), v);
    for (uint k = first; k < counted.fresh; k += uint(ALONE))
        if (!is_contact(counted.inside + k)) put_lip(k, least);
}
