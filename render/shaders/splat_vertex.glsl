// A particle as points on the slices of the grid that its kernel reaches (splat paper §1.3.1), one instance a slice. Each
// is as large as the kernel's disk there. Around the grid there are as many cells as a kernel reaches, so that no point
// touches another tile.
#include splat_numbers
uniform usampler2D places, motions;
flat out vec4 middle; // in the tile, and the tile's low corner
flat out vec4 motion; // and the height over the slice squared, cells²

void main()
{
    ivec2 at = ivec2(gl_VertexID % parts.x, gl_VertexID / parts.x);
    uvec4 bits = texelFetch(places, at, 0);
    vec3 place = uintBitsToFloat(bits.xyz);
    motion = vec4(uintBitsToFloat(texelFetch(motions, at, 0).xyz), 0.0);
    ivec2 corner = ivec2(parts.z), size = cells.xy + 2 * parts.z;
    float reach = bits.w == 0u ? kernel.x : 0.0; // those that left over an open border are nothing
#if SOLID
    int slice = int(floor(place.z - 0.5 - kernel.x)) + 1 + gl_InstanceID;
    float over = float(slice) + 0.5 - place.z;
    reach = sqrt(max(reach * reach - over * over, 0.0));
    motion.w = over * over;
    corner = texel(ivec3(0, 0, slice));
    size *= ivec2(cells.w, (cells.z + 2 * parts.z + cells.w - 1) / cells.w);
#endif
    if (reach <= 0.0) {
        gl_Position = vec4(2.0, 2.0, 2.0, 1.0); // out of sight
        gl_PointSize = 1.0;
        return;
    }
    middle = vec4(place.xy, vec2(corner));
    gl_Position = vec4(2.0 * (middle.xy + middle.zw) / vec2(size) - 1.0, 0.0, 1.0);
    gl_PointSize = 2.0 * reach + 0.25; // the rasteriser snaps points to parts of a texel
}
