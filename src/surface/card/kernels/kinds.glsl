// Which columns the surface passes over (../../links.c), and how high it is drawn there at least.
layout(local_size_x = 16, local_size_y = 16) in;

#include "uneven"

shared uint uneven, first_uneven;

// Whether a dry column is beside a wet one of another plane that its own plane does not hide, and
// linked to one.
bool is_across(Place p, float level, uint held)
{
    bool beside = false, found = false;
    for (uint l = 0u; l < law.planes; l++) {
        uint o[8];
        float own[8];
        for (int d = 0; d < 8; d++) { // asked for at once
            bool is = slot_in(l, p.x + STEP_X[d], p.y + STEP_Y[d], o[d]) && l != p.plane;
            o[d] = is ? o[d] : p.slot;
            own[d] = depth[o[d]];
        }
        for (int d = 0; d < 8; d++) {
            if (o[d] == p.slot || !(own[d] > law.film)) continue;
            beside = beside || (held >> d & 1u) == 0u;
            found = found || is_linked(p.slot, level, o[d], level_at(o[d]));
        }
    }
    return beside && found;
}

uint kind_at(Place p)
{
    uint s = p.slot, linked = 0u, wets = 0u, held = 0u;
    float h = level_at(s), low = min_at(s), high = max_at(s), least = floor_at(s);
    bool there = high > base_at(s), wet = depth[s] > law.film;
    for (int d = 0; d < 8; d++) {
        uint o = uint(int(s) + step_of(d, p.pitch));
        float other = level_at(o), floor_there = min_at(o), top_there = max_at(o);
        bool into = h >= floor_there && h < top_there, from = other >= low && other < high;
        if (into) held |= 1u << d;
        if (!into || !from) continue;
        linked |= 1u << d;
        if (depth[o] > law.film) wets |= 1u << d;
    }
    uint kind = wet ? (wets == 255u ? KIND_EVEN : KIND_WET)
                : there && wets != 0u ? KIND_DRY : KIND_NONE;
    if (kind == KIND_NONE && there && law.planes > 1u && is_across(p, h, held)) kind = KIND_DRY;
    nodes[s] = kind | linked << 8 | wets << 16 | held << 24;
    values[s] = h > least ? h : least;
    return kind;
}

void main()
{
    Place p = place_here();
    uint number = 0u;
    if (gl_LocalInvocationIndex == 0u) uneven = 0u;
    barrier();
    uint kind = p.exists ? kind_at(p) : KIND_NONE;
    if (kind > KIND_EVEN) number = atomicAdd(uneven, 1u);
    barrier();
    if (uneven == 0u) return;
    if (gl_LocalInvocationIndex == 0u) first_uneven = atomicAdd(status[STATUS_UNEVEN], uneven);
    barrier();
    if (kind > KIND_EVEN) put_uneven(first_uneven + number, p.slot);
}
