// The papers' pipe (../../laws/cell.h). With PRESSED needs press.

// From slot a to slot b, with their beds and depths.
float pipe_between(uint a, uint b, vec2 low, vec2 high, float slope, float gaps, float share_in,
                   float slant, float before)
{
    precise float level_a = low.x + low.y, level_b = high.x + high.y;
    precise float drop = level_a - level_b;
#ifndef PLAIN
#ifdef PRESSED
    precise float apart = press[a] - press[b];
#else
    precise float apart = 0.0;
#endif
    precise float all = (drop + apart) + slant;
    precise float lost = 1.0 - law.quotient * (all * all);
    precise float share = share_in + gaps * law.share_gap;
    drop = all * share * larger(lost, 0.0);
#endif
    precise float driven = law.kept * before + law.push * slope * drop;
    float pushed = unless_small(driven, FLUX_LEAST);
    float deep = pushed > 0.0 ? low.y : high.y;
    precise float square = deep * deep * slope;
    precise float total = square + law.drag + 1e-36;
    precise float result = pushed * (square * inverse_of(total));
    return deep > law.film ? result : 0.0;
}
