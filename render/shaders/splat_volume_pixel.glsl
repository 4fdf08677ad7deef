// Four slices of the density for pictures, from the sums in tiles.
#include splat_numbers
uniform sampler2D sums;
uniform int first; // slice
layout(location = 0) out vec4 slices[4];

vec4 density(int slice)
{
    ivec3 cell = ivec3(ivec2(gl_FragCoord.xy), min(slice, cells.z - 1));
    return vec4(texelFetch(sums, texel(cell), 0).w * kernel.w);
}

void main()
{
    slices[0] = density(first);
    slices[1] = density(first + 1);
    slices[2] = density(first + 2);
    slices[3] = density(first + 3);
}
