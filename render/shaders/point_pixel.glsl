// A particle as a ball in the colour of its speed. LIQUID: as a drop of the liquid before the wall of a cut.
#include frame
#include light
#include layer
uniform sampler2D colours;
in vec2 place;
flat in float speed;
flat in float faint;
out vec4 colour;

void main()
{
    float r = length(place), cover = clamp((1.0 - r) / max(fwidth(place.x), 1e-4) + 0.5, 0.0, 1.0) * faint;
    vec3 n = vec3(place, sqrt(max(1.0 - r * r, 0.0))); // right, up, toward the eye
#ifdef LIQUID
    if (cover <= 0.0) discard;
    vec3 through, thrown;
    layer(0.2 * rest.w, through, thrown);
    vec3 c = out_of(thrown * 3.4) + vec3(0.22, 0.25, 0.27);
    c *= 0.85 + 0.3 * dot(n, normalize(vec3(-0.4, 0.7, 0.55)));
    c += 0.6 * pow(max(dot(n, normalize(vec3(-0.3, 0.6, 0.7))), 0.0), 40.0);
    colour = vec4(keep(c) * cover, cover);
#else
    if (cover < 0.5) discard;
    vec3 c = texture(colours, vec2((speed - mode.y) / max(mode.z - mode.y, 1e-9), 0.5)).rgb;
    c = pow(c, vec3(2.2)) * 0.92;
    c = c / pow(max(1.0 - pow(c, vec3(1.7)), vec3(0.05)), vec3(1.0 / 1.7)) / max(turn.w, 1e-3);
    colour = vec4(keep(c * (0.55 + 0.45 * max(dot(n, normalize(vec3(-0.4, 0.7, 0.8))), 0.0))), 1.0);
#endif
}
