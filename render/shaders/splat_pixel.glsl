// Adds w = (1 − d²/r²)³ and w times the velocity to a cell.
#include splat_numbers
flat in vec4 middle;
flat in vec4 motion;
out vec4 sum;

void main()
{
    vec2 apart = gl_FragCoord.xy - middle.zw - middle.xy; // the first difference is exact
    float w = 1.0 - (dot(apart, apart) + motion.w) * kernel.y;
    if (w <= 0.0) discard;
    sum = w * w * w * vec4(motion.xyz, 1.0);
}
