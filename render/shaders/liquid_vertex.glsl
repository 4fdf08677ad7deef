// The liquid's surface, its curtains and its cuts at the sides of the grid, in metres as rv_surface_mesh has them.
#include frame
#ifdef WIDE
#include wide_liquid
#else
layout(location = 0) in vec3 place;
layout(location = 1) in vec3 normal;
layout(location = 2) in float depth;
layout(location = 3) in vec3 velocity;
layout(location = 4) in vec4 contact; // distance, direction toward it, tilt there
layout(location = 5) in float roughness;
layout(location = 6) in float fallen; // of a curtain; -1 the surface, -2 a cut, -3 a stream
layout(location = 7) in vec4 grid;    // low corner, cells in a metre
layout(location = 8) in float angle;  // contact angle
#endif
centroid out vec3 p;
centroid out vec3 n;
centroid out vec4 liquid; // depth, speed, drop, kind: 0 the surface, 1 a curtain, 2 a cut, 3 a stream or a drop of it
centroid out float rough;
centroid out vec4 bend;   // nearness to the contact, direction toward it, tilt there
centroid out float shore; // cells from where the surface ends, 1 at most

// Passes after each other compare depths for being equal: the same triangles, by programs that differ.
invariant gl_Position;

void main()
{
#ifdef WIDE
    take_vertex();
#endif
    float kind = fallen >= 0.0 ? 1.0 : fallen < -2.5 ? 3.0 : fallen < -1.5 ? 2.0 : 0.0;
    vec3 at = (place - grid.xyz) * grid.w;
    // Where the sheet ends at a steep solid, it is carried on into it, so that what is seen is where the two meet, and not
    // the corners of its end. On a slope of 30 degrees or more this end is out of sight.
    // The same under overhangs, where it has a depth at its contact.
    // What the tilt still lacks is less than the solid's own, and says how steep that is only where it is steeper than
    // the contact angle: a rim that bulges over a level bed is not carried anywhere.
    float steep = smoothstep(0.45, 0.75, contact.w + angle) * smoothstep(0.0, 0.1, contact.w);
    if (kind == 0.0 && (depth <= 0.0 || contact.x <= 0.0)) at.xy += 0.6 * steep * contact.yz;
    p = at;
    n = normal;
    liquid = vec4(vec3(depth, length(velocity), max(fallen, 0.0)) * grid.w, kind);
    rough = roughness;
    shore = kind == 0.0 && depth <= 0.0 ? 0.0 : kind == 0.0 && contact.x > 0.0 ? min(contact.x * grid.w / max(normal.z, 0.1), 1.0) : 1.0;
    bend = vec4(clamp(1.0 - contact.x * grid.w / meniscus.x, 0.0, 1.0), contact.yzw);
    // A film lies as little as 0.05 cells over its bed, and triangles of both cross: drawn that much nearer it is over it.
    vec3 to_eye = eye.xyz - at;
#ifdef WIDE
    float over = 0.07 * patch_at.z; // larger squares cross farther
#else
    // On a steep bed they cross by more: heights over columns say little of what is between them. Not of what faces away,
    // which may be behind a thin wall.
    float steeply = kind == 0.0 ? 1.0 - smoothstep(0.3, 0.75, normal.z) : 0.0;
    float over = 0.07 + 0.8 * steeply * smoothstep(0.0, 0.3, dot(normal, normalize(to_eye)));
#endif
    bool cut = kind == 2.0;
    gl_Position = to_picture * vec4(cut ? at : at + over * normalize(to_eye), 1.0);
    // A cut stands where the ground is cut, and counts as a hair behind that, as far as depths can be told apart: so the
    // ground hides what reaches into it, and no strip of the bed is seen before it.
    vec4 behind = to_picture * vec4(at - 0.02 * normal, 1.0);
    if (cut) gl_Position.z = behind.z / behind.w * gl_Position.w;
    // Cuts on the far sides are seen through the liquid only, where nothing of them would be seen.
    if (cut && dot(normal, to_eye) < 0.0) gl_Position = vec4(0.0, 0.0, 2.0, 1.0);
}
