// A droplet of the liquid.
#include frame
#include light
#include layer
#include ball
in vec2 place;
flat in vec4 drop;
flat in float faint;
flat in vec3 across;
flat in vec3 upward;
flat in vec3 toward;
out vec4 colour;

void main()
{
    float r2 = dot(place, place), pixel = max(fwidth(place.x), 1e-4);
    float cover = clamp((1.0 - sqrt(r2)) / pixel + 0.5, 0.0, 1.0) * faint;
    if (cover <= 0.0 || gl_FragCoord.z > texelFetch(front_depth, ivec2(gl_FragCoord.xy), 0).r) discard;
    r2 = min(r2, 0.98);
    vec3 d = across * place.x + upward * place.y + toward * sqrt(1.0 - r2);
    colour = vec4(keep(ball_colour(drop.xyz, drop.w, normalize(d))) * cover, cover);
}
