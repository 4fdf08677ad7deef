// The picture of solids in the light that liquid leaves, by compute.
#include wet_light
#include part
layout(rgba16f, binding = 0) writeonly uniform highp image2D lit;

vec3 shown_at(ivec2 pixel)
{
    return place_at((vec2(pixel) + 0.5) * picture.zw, texelFetch(scene_depth, pixel, 0).r);
}

void main()
{
    ivec2 pixel = own_pixel();
    if (outside(pixel)) return;
    // As drawing has it: differences within a square of two by two.
    ivec2 even = min(pixel & ivec2(-2), ivec2(picture.xy) - 2);
    vec3 p = shown_at(pixel), across, along;
    across = shown_at(ivec2(even.x + 1, pixel.y)) - shown_at(ivec2(even.x, pixel.y));
    along = shown_at(ivec2(pixel.x, even.y + 1)) - shown_at(ivec2(pixel.x, even.y));
    float z = texelFetch(scene_depth, pixel, 0).r;
    vec4 c = texelFetch(scene, pixel, 0);
    imageStore(lit, pixel, in_wet_light(pixel, c, z, p, normalize(cross(across, along))));
}
