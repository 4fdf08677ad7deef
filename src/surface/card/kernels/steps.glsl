// While liquid runs over the edge of a cliff, the column at its foot is drawn as high as the edge
// needs (../../shape.c). The steps of one column follow each other; its first does them all.
layout(local_size_x = 64) in;

#include "shape"

void main()
{
    uint i = thread_x();
    if (i >= law.steps || (i > 0u && given[4u * i - 4u] == given[4u * i])) return;
    uint a = given[4u * i], square = given[4u * i + 3u];
    // what is kept has its steps
    if (squares[law.to + square] == 0u || !is_wet(a)) return;
    float z = z_of(a);
    for (; i < law.steps && given[4u * i] == a; i++) {
        uint b = given[4u * i + 1u];
        if (!is_wet(b) || !is_linked(a, level_at(a), b, level_at(b))) continue;
        precise float high = base_at(a) + uintBitsToFloat(given[4u * i + 2u]);
        precise float rise = base_at(b) - base_at(a);
        float part = (law.has & HAS_BENDS) != 0u ? more_than_film(thick_on(depth[b], rise)) : 1.0;
        precise float raised = z + part * (high - z);
        if (high > z) z = raised;
    }
    values[a] = z;
}
