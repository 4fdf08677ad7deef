// The liquid's surface, its curtains and its cuts at the sides of the grid.
#include frame
layout(location = 0) in vec3 at;
layout(location = 1) in vec4 normal;
layout(location = 2) in vec3 flow;
layout(location = 3) in vec4 contact;
centroid out vec3 p;
centroid out vec3 n;
centroid out vec4 liquid; // depth, speed, drop, kind
centroid out float rough;
centroid out vec4 bend;   // nearness to the contact, direction toward it, tilt there

// Passes after each other compare depths for being equal: the same triangles, by programs that differ.
invariant gl_Position;

void main()
{
    p = at;
    n = normal.xyz;
    float kind = floor(normal.w * 32767.0 / 8192.0 + 1e-4);
    liquid = vec4(flow, kind);
    rough = clamp(normal.w * 32767.0 / 8192.0 - kind, 0.0, 1.0);
    bend = vec4(clamp(1.0 - contact.x / meniscus.x, 0.0, 1.0), contact.yzw);
    // A film lies as little as 0.05 cells over its bed, and triangles of both cross: drawn that much nearer it is over it.
    gl_Position = to_picture * vec4(at + 0.07 * normalize(eye.xyz - at), 1.0);
}
