#include frame
uniform sampler2D scene;
uniform sampler2D scene_depth;
in vec3 p;
in vec4 n;
in vec3 f;
in vec4 c;
out vec4 colour;

void main()
{
    vec2 uv = gl_FragCoord.xy * picture.zw;
    vec3 under = unkeep(texture(scene, uv).rgb);
    vec3 d = normalize(n.xyz);
    vec3 v = normalize(eye.xyz - p);
    vec3 h = normalize(v + key.xyz);
    vec3 through = pow(vec3(0.09, 1e-3, 1e-3), vec3(f.x / rest.w));
    vec3 lit = under * through + (1.0 - through) * vec3(0.25, 0.01, 0.01) * (0.3 + 0.7 * max(dot(d, key.xyz), 0.0));
    lit += 2.0 * pow(max(dot(d, h), 0.0), 300.0) * smoothstep(0.0, 0.1, f.x);
    colour = vec4(keep(lit), 1.0);
}
