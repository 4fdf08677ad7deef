// The papers' pipe (../../laws/cell.h). With PRESSED needs press.

// From slot a to slot b, with their levels and depths.
float pipe_down(uint a, uint b, vec2 low, vec2 high, float slope, float gaps, float share_in,
                float slant, float before)
{
    precise float drop = low.x - high.x;
#ifndef PLAIN
#ifdef PRESSED
    precise float apart = press[a] - press[b];
#else
    precise float apart = 0.0;
#endif
    precise float all = (drop + apart) + slant;
    precise float share = share_in + gaps * law.share_gap;
    drop = all * share * pipe_left(all);
#endif
    precise float driven = law.kept * before + law.push * slope * drop;
    float deep = driven > 0.0 ? low.y : high.y;
    precise float square = deep * deep * slope;
    precise float total = square + law.drag + 1e-36;
    precise float result = driven * (square * inverse_of(total));
    bool small = abs(driven) < FLUX_LEAST; // then it is none
    return deep > law.film && !small ? result : 0.0;
}

vec2 level_of(float bed, float deep)
{
    precise float level = bed + deep;
    return vec2(level, deep);
}

// The same with their beds and depths.
float pipe_between(uint a, uint b, vec2 low, vec2 high, float slope, float gaps, float share_in,
                   float slant, float before)
{
    return pipe_down(a, b, level_of(low.x, low.y), level_of(high.x, high.y), slope, gaps, share_in,
                     slant, before);
}
