// The papers' pipe (../../laws/cell.h), from slot a to slot b. Needs beds, depth, and with PRESSED
// press.

float pipe_flux(uint a, uint b, float slope, float gaps, float share_in, float slant, float before)
{
    precise float level_a = beds[a] + depth[a], level_b = beds[b] + depth[b];
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
    precise float pushed = law.kept * before + law.push * slope * drop;
    float deep = pushed > 0.0 ? depth[a] : depth[b];
    precise float square = deep * deep * slope;
    precise float total = square + law.drag + 1e-36;
    precise float result = pushed * (square * inverse_of(total));
    return deep > law.film ? result : 0.0;
}
