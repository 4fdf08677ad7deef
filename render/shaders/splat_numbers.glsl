// What all programs of splat know: see rv_splat_gl_numbers in render/splat_gl_parts.h.
precision highp float;
precision highp int;
precision highp sampler2D;
precision highp usampler2D;

layout(std140) uniform Splat {
    ivec4 cells;    // along a tile, up a tile, slices, tiles in a row
    ivec4 parts;    // texels in a row of particles, particles, cells around the grid
    vec4 kernel;    // radius in cells, 1/radius², rest, 1/rest
    vec4 time;      // dt in s, dt/dx, 1/dx, dx
    vec4 force;     // acceleration, m/s²; stiffness
    vec4 liquid;    // exponent, PIC share
    vec4 stir;      // where, cells; radius in cells, 0: none
    vec4 stirring;  // velocity there, m/s
};

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
