// The ground of a wide world, and the liquid on it (render/wide.h): patches of squares over columns. Where a patch is so
// far that its squares are to become twice as large, every second vertex moves to the one before it, in both
// directions, and what it shows goes along: when all have arrived, it is the next level's patch.
layout(location = 0) in vec4 corner; // squares along x and y; 0 the surface, 1 and 2 a wall's top and foot; its side
layout(location = 1) in vec4 patch_at; // first column; cells of a square
uniform highp sampler2D heights;

ivec2 clamped(ivec2 column)
{
    return clamp(column, ivec2(0), ivec2(block.xy) - 1);
}

// The middle of a column; the outermost reach to the grid's sides.
vec2 middle_of(ivec2 column)
{
    vec2 at = vec2(column) + 0.5;
    ivec2 last = ivec2(block.xy) - 1;
    if (column.x <= 0) at.x = 0.0;
    if (column.y <= 0) at.y = 0.0;
    if (column.x >= last.x) at.x = block.x;
    if (column.y >= last.y) at.y = block.y;
    return at;
}

float bed_at(ivec2 column)
{
    return texelFetch(heights, clamped(column), 0).r;
}

ivec2 own_column()
{
    return ivec2(patch_at.xy) + ivec2(corner.xy) * int(patch_at.z);
}

ivec2 next_column()
{
    return ivec2(patch_at.xy) + (ivec2(corner.xy) & ivec2(-2)) * int(patch_at.z);
}

// How far a vertex has moved; the ground's distance counts for the liquid too, so that both move together.
float moved(vec3 bed)
{
#ifdef STILL
    return 0.0;
#else
    return clamp(distance(eye.xyz, bed) / (0.25 * detail.x * patch_at.z) - 3.0, 0.0, 1.0);
#endif
}

vec3 ground_at(ivec2 column)
{
    return vec3(middle_of(column), bed_at(column));
}

// The normal over squares of so many cells.
vec3 ground_normal(ivec2 column, int cells)
{
    ivec2 x = ivec2(cells, 0), y = ivec2(0, cells);
    vec2 across = middle_of(column + x) - middle_of(column - x), along = middle_of(column + y) - middle_of(column - y);
    float east = bed_at(column + x) - bed_at(column - x), north = bed_at(column + y) - bed_at(column - y);
    return normalize(vec3(-east / max(across.x, 0.5), -north / max(along.y, 0.5), 1.0));
}
