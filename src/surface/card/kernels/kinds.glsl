// Which columns the surface passes over (../../links.c), and how high it is drawn there at least.
layout(local_size_x = 16, local_size_y = 16) in;

// Whether a dry column is beside a wet one of another plane that its own plane does not hide, and
// linked to one.
bool is_across(Place p, float level, uint held)
{
    bool beside = false, found = false;
    for (int d = 0; d < 8; d++) {
        for (uint l = 0u; l < law.planes; l++) {
            uint o;
            if (l == p.plane || !slot_in(l, p.x + STEP_X[d], p.y + STEP_Y[d], o)) continue;
            if (!(depth[o] > law.film)) continue;
            beside = beside || (held >> d & 1u) == 0u;
            found = found || is_linked(p.slot, level, o, level_at(o));
        }
    }
    return beside && found;
}

void main()
{
    Place p = place_here();
    if (!p.exists) return;
    uint s = p.slot, linked = 0u, wets = 0u, held = 0u;
    float h = level_at(s), low = min_at(s), high = max_at(s), least = floor_at(s);
    for (int d = 0; d < 8; d++) {
        uint o = uint(int(s) + step_of(d, p.pitch));
        float other = level_at(o);
        bool there = h >= min_at(o) && h < max_at(o), here = other >= low && other < high;
        if (there) held |= 1u << d;
        if (!there || !here) continue;
        linked |= 1u << d;
        if (depth[o] > law.film) wets |= 1u << d;
    }
    bool there = high > base_at(s), wet = depth[s] > law.film;
    uint kind = wet ? (wets == 255u ? KIND_EVEN : KIND_WET)
                : there && wets != 0u ? KIND_DRY : KIND_NONE;
    if (kind == KIND_NONE && there && law.planes > 1u && is_across(p, h, held)) kind = KIND_DRY;
    nodes[s] = kind | linked << 8 | wets << 16 | held << 24;
    values[s] = h > least ? h : least;
}
