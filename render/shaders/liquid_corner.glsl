// A corner of the liquid's triangles, from what rv_surface_mesh has of it, in metres; lengths in cells afterwards.
struct Corner {
    vec3 p;        // place
    vec3 n;        // normal
    vec4 liquid;   // depth, speed, drop, kind: 0 the surface, 1 a curtain, 2 a cut, 3 a stream or a drop of it
    float rough;
    vec4 bend;     // nearness to the contact, direction toward it, tilt there
    vec3 shore;    // cells from where the surface ends, 1 at most; by how many it is carried on beyond that; how thick the
                   // liquid around is, below 0 where that is not known
    vec4 position; // in the picture
};

// `contact`: distance, direction toward it, tilt there; `fallen`: of a curtain; -1 the surface, -2 a cut, -3 a stream;
// `film`: how thick the liquid around is, below 0 where that is not known; `grid`: low corner, cells in a metre; `angle`: contact angle.
Corner corner_of(vec3 place, vec3 normal, float depth, vec3 velocity, vec4 contact, float roughness, float fallen, float film, vec4 grid, float angle)
{
    Corner c;
    float kind = fallen >= 0.0 ? 1.0 : fallen < -2.5 ? 3.0 : fallen < -1.5 ? 2.0 : 0.0;
    vec3 at = (place - grid.xyz) * grid.w;
    // Where the sheet ends at a steep solid, it is carried on into it, so that what is seen is where the two meet, and not
    // the corners of its end. On a slope of 30 degrees or more this end is out of sight.
    // The same under overhangs, where it has a depth at its contact.
    // What the tilt still lacks is less than the solid's own, and says how steep that is only where it is steeper than
    // the contact angle: a rim that bulges over a level bed is not carried anywhere.
    float steep = smoothstep(0.45, 0.75, contact.w + angle) * smoothstep(0.0, 0.1, contact.w);
    float carried = kind == 0.0 ? 0.6 * steep : 0.0;
    if (depth <= 0.0 || contact.x <= 0.0) at.xy += carried * contact.yz;
    c.p = at;
    c.n = normal;
    c.liquid = vec4(vec3(depth, length(velocity), max(fallen, 0.0)) * grid.w, kind);
    c.rough = roughness;
    c.shore = vec3(1.0, carried, film * grid.w);
    if (kind == 0.0 && depth <= 0.0) c.shore.x = 0.0;
    else if (kind == 0.0 && contact.x > 0.0) c.shore.x = min(contact.x * grid.w / max(normal.z, 0.1), 1.0);
    c.bend = vec4(clamp(1.0 - contact.x * grid.w / meniscus.x, 0.0, 1.0), contact.yzw);
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
    c.position = to_picture * vec4(cut ? at : at + over * normalize(to_eye), 1.0);
    // A cut stands where the ground is cut, and counts as a hair behind that, as far as depths can be told apart: so the
    // ground hides what reaches into it, and no strip of the bed is seen before it.
    vec4 behind = to_picture * vec4(at - 0.02 * normal, 1.0);
    if (cut) c.position.z = behind.z / behind.w * c.position.w;
    // Cuts on the far sides are seen through the liquid only, where nothing of them would be seen.
    if (cut && dot(normal, to_eye) < 0.0) c.position = vec4(0.0, 0.0, 2.0, 1.0);
    return c;
}
