// The picture of solids in the light that liquid leaves, drawn.
#include wet_light
in vec2 place;
out vec4 colour;

void main()
{
    ivec2 pixel = ivec2(gl_FragCoord.xy);
    float z = texelFetch(scene_depth, pixel, 0).r;
    vec3 p = place_at(place, z);
    colour = in_wet_light(pixel, texelFetch(scene, pixel, 0), z, p, normalize(cross(dFdx(p), dFdy(p))));
}
