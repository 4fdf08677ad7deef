// What bodies keep from others: the lamp's light, through a shadow map of their own, and the sky right beside them.
uniform highp sampler2DShadow body_shadow;
uniform highp sampler2D body_blocker;

layout(std140) uniform Bodies {
    vec4 near_body[96]; // by body: middle and radius of its edges; half edges; quaternion
    ivec4 near_bodies;  // how many, and how many more there are
    vec4 bodies_low;    // a box around all bodies
    vec4 bodies_high;
};

// Whether a ray passes within a margin of the box around all bodies.
bool toward_bodies(vec3 from, vec3 d, float margin)
{
    vec3 per = 1.0 / mix(d, vec3(1e-6), lessThan(abs(d), vec3(1e-6)));
    vec3 a = (bodies_low.xyz - margin - from) * per, b = (bodies_high.xyz + margin - from) * per;
    vec3 enter = min(a, b), leave = max(a, b);
    return max(enter.x, max(enter.y, enter.z)) <= min(leave.x, min(leave.y, leave.z)) &&
           min(leave.x, min(leave.y, leave.z)) > 0.0;
}

vec2 body_disk(int n, float count)
{
    float a = 2.39996323 * float(n);
    return sqrt((float(n) + 0.5) / count) * vec2(cos(a), sin(a));
}

// Share of the lamp that is seen past bodies, as lamp_seen finds it for the terrain.
float past_bodies(vec3 p, vec3 n)
{
    if (!toward_bodies(p, key.xyz, 0.22 * forward.w * key.w + 1.0)) return 1.0;
    vec3 at = (to_shadow * vec4(p + n * 0.75 * range.w * range.z, 1.0)).xyz;
    at.z = clamp(at.z, 0.0, 1.0);
    float widest = 0.22 * forward.w * key.w / range.w;
    float sum = 0.0, count = 0.0;
    for (int k = 0; k < 16; k++) {
        float z = textureLod(body_blocker, at.xy + widest * body_disk(k, 16.0), 0.0).r;
        if (z < at.z) sum += z, count += 1.0;
    }
    if (count < 0.5) return 1.0;
    float gap = (at.z - sum / count) * key_light.w / range.w;
    float wide = clamp(key.w * gap, 0.75 * range.z, widest);
    float seen = 0.0;
    for (int k = 0; k < 32; k++) seen += textureLod(body_shadow, vec3(at.xy + wide * body_disk(k, 32.0), at.z), 0.0);
    return seen / 32.0;
}

vec3 turned_by(vec4 q, vec3 v)
{
    return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v);
}

// Share of the sky that bodies right beside a place leave. Of a sphere (r/d)² is hidden, by the cosine; of a box that of the
// sphere in it, from the point of it that is nearest.
float beside_bodies(vec3 p, vec3 n)
{
    float open = 1.0;
    for (int k = 0; k < near_bodies.x; k++) {
        vec4 body = near_body[3 * k];
        vec3 size = near_body[3 * k + 1].xyz, d = p - body.xyz;
        float reach = 4.0 * max(size.x, max(size.y, size.z));
        if (dot(d, d) > reach * reach) continue;
        vec4 q = near_body[3 * k + 2], back = vec4(-q.xyz, q.w);
        vec3 own = turned_by(back, d), inner = size - body.w;
        vec3 off = clamp(own, -inner, inner) - own;
        float least = min(size.x, min(size.y, size.z)), gap = max(length(off) - body.w, 0.0);
        vec3 way = normalize(turned_by(q, normalize(off) - 0.6 * normalize(own)));
        float share = least / (least + gap);
        open *= 1.0 - 0.85 * share * share * clamp(dot(n, way), 0.0, 1.0);
    }
    return open;
}

// How far a place is from the nearest body, the way away from that, and the radius of its edges.
float body_gap(vec3 p, out vec3 away, out float edge)
{
    float least = 1e9;
    for (int k = 0; k < near_bodies.x; k++) {
        vec4 body = near_body[3 * k], q = near_body[3 * k + 2];
        vec3 own = turned_by(vec4(-q.xyz, q.w), p - body.xyz), inner = near_body[3 * k + 1].xyz - body.w;
        vec3 off = own - clamp(own, -inner, inner);
        float far = length(off);
        if (far - body.w >= least) continue;
        least = far - body.w, edge = body.w, away = turned_by(q, off / max(far, 1e-6));
    }
    return least;
}

// Where a ray meets a body within some way of it; 0: nowhere. `seen`: the place of that body nearest to there that the eye
// sees, of what is round: from above the water more of a ball's far side is seen than straight ahead.
float body_met(vec3 from, vec3 d, float most, out vec3 seen)
{
    float way = 0.0, gap = 1.0, edge;
    vec3 away;
    for (int k = 0; k < 24 && gap > 0.02 && way < most; k++) gap = body_gap(from + d * way, away, edge), way += max(gap, 0.0);
    if (gap > 0.02 || way <= 0.02 || way >= most) return 0.0;
    seen = from + d * way;
    vec3 to_eye = normalize(eye.xyz - seen);
    float faces = dot(away, to_eye);
    if (faces < 0.2) seen += edge * (normalize(away + (0.2 - faces) * to_eye) - away);
    return way;
}
