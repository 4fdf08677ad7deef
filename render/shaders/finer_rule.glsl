// Numbers and formulas of the liquid's mesh from close by, as C and as GLSL: render/finer.c and the kernels finer_*.glsl
// both take them from here. What they mean for pictures is in docs/rendering-inside.md, Liquid.
#define THIN 0.12f      // cells of liquid that do not move,
#define THICK 0.45f     // and that do in full
#define SINKS 0.35f     // part of the depth that a place may sink at once
#define TURNS 10        // that the line where thick liquid ends is evened out in, first of all
#define UNDER 0.7f      // cells that an end goes in under a rim that hangs over it
#define FAIRED 24       // turns in which that rim is made fair,
#define FAIRED_BY 0.2f  // each by so much of what it lacks
#define BULGES 0.5f     // rad: the angle that a rim lacks, from which liquid hangs over,
#define HANGS 1.2f      // and with which it does in full
#define DRAWN_IN 0.7f   // of the way of an end, that what is next to it moves with it; and so on inward
#define SEEN_BESIDE 2.0f // cells around a triangle: what moves a vertex is around it

// From 0 to 1 while v goes from one number to another.
RULE float eased(float from, float to, float v)
{
    float t = minf(maxf((v - from) / (to - from), 0.0f), 1.0f);
    return t * t * (3.0f - 2.0f * t);
}

// Whether a vertex with that drop is divided: curtains have vertices of their own and stay.
RULE bool may_divide(float drop)
{
    return drop < 0.0f;
}

// How far liquid of a depth in cells moves, whose normal goes up by so much; all the way what flies, which has no bed.
RULE float thickness_of(float cells, float up, float drop)
{
    return drop < -2.5f ? 1.0f : eased(THIN, THICK, cells * maxf(up, 0.3f));
}

// How far an end moves along its bed like that of a drop, however thin the film is: as far as the bed is even there. Where the
// line of ends is bent upward or down, by so many cells, or steep, the bed is not known; and what climbs, by the tilt of its
// meniscus, is at a wall, which it must reach.
RULE float looseness_of(float bent, float up, float tilt)
{
    return (1.0f - eased(0.02f, 0.08f, bent)) * eased(0.5f, 0.8f, up) * (1.0f - eased(0.1f, 0.4f, tilt));
}

// How thick the liquid around a vertex is, of its own depth and the mean of those around that are wet: single columns near an
// end may have next to nothing, and what is drawn as thin as they are is full of holes. At an end as thick as what ends there.
RULE float film_of(float own, float around)
{
    return own > 0.0f ? 0.5f * (own + around) : around;
}

// By Loop's scheme, what each of so many neighbours counts for a vertex that was there.
RULE float ring_share(float count)
{
    return count < 3.5f ? 0.1875f : 0.375f / count;
}

// How far a rim hangs over, 0 ... 1: by what the meniscus lacks there, where there is a rim and no film.
RULE float hang_of(float tilt, float cells)
{
    return eased(BULGES, HANGS, -tilt) * eased(0.4f, 1.0f, cells);
}

// How far its end goes in, m; `deep`: of the liquid around.
RULE float goes_under(float hang, float deep, float cell)
{
    return UNDER * hang * minf(0.6f * deep, cell);
}
