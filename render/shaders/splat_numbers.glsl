// What all programs of splat know: see rv_splat_gl_numbers in render/splat_gl_parts.h.
precision highp float;
precision highp int;
precision highp sampler2D;
precision highp usampler2D;

layout(std140) uniform Splat {
    ivec4 cells;    // along a tile, up a tile, slices, tiles in a row
    ivec4 parts;    // texels in a row of particles, particles, cells around the grid
    ivec4 law;      // the vertical axis or -1, exponent, the paper's walls, walls are mirrors
    ivec4 more;     // the density is smoothed, there are solids, open walls as bits (low x, high x, low y, …)
    vec4 kernel;    // radius in cells, 1/radius², rest, 1/rest
    vec4 press;     // stiffness, the same for less than rest, height: g times depth at rest, m²/s²; damping, m/s
    vec4 time;      // dt/(2 dx), 0, dt/dx, share of own motion that is lost
    vec4 metre;     // dx in m, 1/dx, g in m/s²
    vec4 stir;      // where, cells; radius in cells, 0: none
    vec4 stirring;  // velocity there, m/s; dt
    vec4 fall;      // what gravity takes from a velocity in a step, m/s, by axis of the grid
};

const float TINY = 1e-6;  // less weight than this is none
const float INSET = 0.01; // cells, how near to a wall of the grid a particle may be
const float CLEAR = 0.1;  // cells, how near to a solid

// The texel of a cell, which may lie around the grid.
ivec2 texel(ivec3 cell)
{
    cell += parts.z;
#if SOLID
    return ivec2(cell.z % cells.w, cell.z / cells.w) * (cells.xy + 2 * parts.z) + cell.xy;
#else
    return cell.xy;
#endif
}

// The cell of a texel.
ivec3 cell_of(ivec2 at)
{
#if SOLID
    ivec2 size = cells.xy + 2 * parts.z, tile = at / size;
    return ivec3(at - tile * size, tile.y * cells.w + tile.x) - parts.z;
#else
    return ivec3(at - parts.z, 0);
#endif
}

bool is_open(int axis, int side)
{
    return (more.z >> (2 * axis + side) & 1) != 0;
}

// Whether a cell is one of the grid.
bool on_grid(ivec3 cell)
{
    return all(greaterThanEqual(cell, ivec3(0))) && all(lessThan(cell, cells.xyz));
}
