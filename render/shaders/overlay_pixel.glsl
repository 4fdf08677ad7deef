// Plain colours, as they shall be seen: the curve that comes later is undone before.
#include frame
uniform float alpha;
in vec4 paint;
out vec4 colour;

void main()
{
    vec3 c = pow(paint.rgb, vec3(2.2)) * 0.92;
    c = c / pow(max(1.0 - pow(c, vec3(1.7)), vec3(0.05)), vec3(1.0 / 1.7)) / max(turn.w, 1e-3);
    colour = vec4(keep(c), paint.a * alpha);
}
