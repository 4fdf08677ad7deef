// A bead under an edge, or the thread that falls from it: a rectangle that faces the eye and holds all of it.
#include frame
layout(location = 0) in vec4 ball;  // where it hangs, half width
layout(location = 1) in vec4 shape; // how far down, how far up, head; of a thread: half width where it leaves the edge
out vec3 where;                     // a point of the rectangle
flat out vec4 top;
flat out vec4 form;
flat out float pixel; // its side there

void main()
{
    bool thread = shape.w > 0.0;
    float low = thread ? shape.x + 0.4 * ball.w : shape.x; // a foot reaches into what it stands on
    float middle = 0.5 * (shape.y - low), half_height = 0.5 * (low + shape.y);
    vec3 at = ball.xyz + vec3(0.0, 0.0, middle), d = eye.xyz - at;
    float far = length(d);
    pixel = 2.0 * far * up.w * picture.w;
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
    vec3 sideways = cross(vec3(0.0, 0.0, 1.0), d);
    vec3 across = length(sideways) > 1e-3 * far ? normalize(sideways) : vec3(1.0, 0.0, 0.0);
    // A thread's rectangle stands upright; a bead's faces the eye, larger than it for being nearer than its middle.
    vec3 upward = thread ? vec3(0.0, 0.0, 1.0) : cross(d / far, across);
    float wide = max(shape.w, 2.0 * ball.w) + pixel, high = half_height + pixel;
    if (!thread) wide = high = 1.2 * max(ball.w, half_height) + pixel;
    where = at + across * corner.x * wide + upward * corner.y * high;
    top = ball;
    form = shape;
    gl_Position = to_picture * vec4(where, 1.0);
}
