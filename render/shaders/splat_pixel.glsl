// Adds w = (1 − d²/r²)³ and w times the velocity to a cell.
#include splat_numbers
flat in vec4 middle;
flat in vec4 motion;
out vec4 sum;

void main()
{
    vec2 at = gl_FragCoord.xy - middle.zw; // exact
    vec2 apart = at - middle.xy;
    float w = 1.0 - (dot(apart, apart) + motion.w) * kernel.y;
    if (w <= 0.0) discard;
#if SOLID
    // Neighbouring tiles are other slices.
    if (any(lessThan(at, vec2(0.0))) || any(greaterThan(at, vec2(cells.xy)))) discard;
#endif
    sum = w * w * w * vec4(motion.xyz, 1.0);
}
