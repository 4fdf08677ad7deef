// Kernels over pixels: a part of the picture, a thread a pixel.
layout(local_size_x = 8, local_size_y = 8) in;
uniform ivec4 part; // its low corner, its size

ivec2 own_pixel()
{
    return part.xy + ivec2(gl_GlobalInvocationID.xy);
}

bool outside(ivec2 pixel)
{
    return any(greaterThanEqual(pixel, part.xy + part.zw));
}
