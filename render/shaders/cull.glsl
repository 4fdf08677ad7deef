// Triangles that are drawn, out of very many: buffers of the kernels that choose them (render/cull.c).
layout(local_size_x = 256) in;
layout(std430, binding = 0) readonly buffer Mesh {
    float mesh[]; // arrays of a surface, one behind the other
};
layout(std430, binding = 1) readonly buffer Corners {
    uint corners[];
};
layout(std430, binding = 2) writeonly buffer Chosen {
    uint chosen[];
};
layout(std430, binding = 3) buffer Work {
    uint draw[5];       // of the chosen triangles
    uint draw_sides[5]; // of what closes the surface at the sides of the grid, which is behind it in corners
    uint sum[6];        // of the surface: its corners, its own triangles
    uint words[]; // by group: how many, then where they begin; behind that eight words of bits each
};
uniform int groups;

uint own_group()
{
    return gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
}

uint own_triangles()
{
    return sum[1];
}
