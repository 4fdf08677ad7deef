#include frame
in vec3 p;
in vec3 n;
in vec4 low;
in vec3 high;
out vec4 colour;

void main()
{
    vec3 d = normalize(n);
    vec3 c = vec3(0.6, 0.57, 0.52) * (0.35 * high.z * (0.6 + 0.4 * d.z) + 0.7 * max(dot(d, key.xyz), 0.0));
    colour = vec4(keep(c), 1.0);
}
