// The picture of solids in the shadow of liquid in the air and under it: tinted as the liquid is, and a little brighter
// where a bulge of it gathers the lamp's light.
#include frame
#include light
#include layer
#include density
uniform sampler2D scene;
uniform highp sampler2D scene_depth;

vec4 shaded_at(ivec2 pixel)
{
    vec4 c = texelFetch(scene, pixel, 0);
    float z = texelFetch(scene_depth, pixel, 0).r;
    if (z >= 1.0) return c;
    float far = range.x * range.y / (range.y - z * (range.y - range.x));
    vec2 side = 2.0 * ((vec2(pixel) + 0.5) * picture.zw) - 1.0;
    vec3 p = eye.xyz + far * (forward.xyz + side.x * right.w * right.xyz + side.y * up.w * up.xyz);
    float way = liquid_along(p + key.xyz * 0.5, key.xyz, grain(vec2(pixel) + 0.5));
    if (way <= 0.0) return c;
    vec3 through, unused;
    layer(way, through, unused);
    // What the surface mirrors away, and bends past this place.
    vec3 left = through * mix(1.0, 0.72, smoothstep(0.0, 2.0 * grid_size.w, way));
    return vec4(keep(unkeep(c.rgb) * mix(vec3(1.0), left, 0.62 * c.a)), c.a);
}
