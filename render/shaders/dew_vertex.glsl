// A drop on a solid: a rectangle that faces the eye and holds it, and the shadow beside it.
#include frame
layout(location = 0) in vec4 foot;   // middle of the foot, radius
layout(location = 1) in vec4 upward; // normal of the solid, height over the radius
layout(location = 2) in vec4 tail;   // which way it is drawn out, and by how much of its radius
layout(location = 3) in vec2 own;    // how far its top hangs that way, in radii; a number of its own, below 0: a ball
out vec3 where;                      // a point of the rectangle
flat out vec4 base;                  // of what is drawn: at least three quarters of a pixel
flat out vec4 top;
flat out vec4 drawn;
flat out vec2 odd;
flat out float faint;

void main()
{
    vec3 d = eye.xyz - foot.xyz;
    float far = length(d);
    float pixel = 2.0 * far * up.w * picture.w;
    float radius = max(foot.w, 0.75 * pixel);
    faint = foot.w * foot.w / (radius * radius);
    vec3 across = normalize(cross(up.xyz, d)), over = cross(d / far, across);
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
    float reach = radius * (1.8 + tail.w + own.x + 0.3 * upward.w) + pixel;
    where = foot.xyz + upward.xyz * (0.5 * upward.w * radius * step(0.0, own.y)) +
            (across * corner.x + over * corner.y) * reach;
    base = vec4(foot.xyz, radius);
    top = upward;
    drawn = tail;
    odd = own;
    gl_Position = to_picture * vec4(where, 1.0);
}
