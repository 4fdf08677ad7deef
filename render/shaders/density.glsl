// The density of particles as rays go through it. Lengths in cells.
precision highp sampler3D;
uniform sampler3D density;
uniform lowp sampler3D coarse;  // by box of 4³ cells: red, there is liquid; green, there is room without
uniform sampler3D solids;       // distance to solids
uniform vec4 grid_low;          // corner; w: density of the surface
uniform vec4 grid_size;         // w: side of a cell
uniform vec3 seen_from;         // a box around what is seen
uniform vec3 seen_to;
uniform vec3 boxes;

const float BOX = 4.0;
const float STRIDE = 0.75; // cells; what is thinner than this is missed at a glancing view

float dense(vec3 p)
{
    return textureLod(density, (p - grid_low.xyz) / grid_size.xyz, 0.0).r - grid_low.w;
}

float from_solid(vec3 p)
{
    return textureLod(solids, (p - grid_low.xyz) / grid_size.xyz, 0.0).r * grid_size.w;
}

// Out of the liquid. One and a half cells to either side: what a single particle adds is not to be seen.
vec3 outward(vec3 p)
{
    vec3 e = vec3(1.25 * grid_size.w, 0.0, 0.0);
    vec3 g = vec3(dense(p - e.xyy) - dense(p + e.xyy), dense(p - e.yxy) - dense(p + e.yxy),
                  dense(p - e.yyx) - dense(p + e.yyx));
    float l = length(g);
    return l > 1e-6 ? g / l : vec3(0.0, 0.0, 1.0);
}

// Where a ray enters and leaves a box.
vec2 within(vec3 from, vec3 d, vec3 low, vec3 high)
{
    vec3 per = 1.0 / mix(d, vec3(1e-6), lessThan(abs(d), vec3(1e-6)));
    vec3 a = (low - from) * per, b = (high - from) * per;
    vec3 enter = min(a, b), leave = max(a, b);
    return vec2(max(enter.x, max(enter.y, enter.z)), min(leave.x, min(leave.y, leave.z)));
}

const int NOTHING = 0, SURFACE = 1, SOLID = 2;

// Follows a ray from t on until the liquid begins, or ends if the ray is inside, or a solid is met (only if asked for), or
// it is at `end`. `t` is where. Boxes in which that cannot be are passed at once.
int follow(vec3 from, vec3 d, bool inside, bool meet, float end, inout float t)
{
    vec3 per = 1.0 / mix(d, vec3(1e-6), lessThan(abs(d), vec3(1e-6)));
    float box = BOX * grid_size.w, clear = t;
    bool last = false;
    for (int k = 0; k < 192; k++) {
        // The end is looked at too: along the far sides of the grid liquid is seen through less than a stride of it.
        if (t >= end && (last || clear >= end)) break;
        if (t >= end) last = true, t = end - 1e-3 * grid_size.w;
        vec3 p = from + d * t, cell = (p - grid_low.xyz) / box;
        vec2 has = textureLod(coarse, cell / boxes, 0.0).rg;
        float room = meet ? from_solid(p) : 1e9; // no solid is nearer
        if ((inside ? has.g : has.r) < 0.5 && room > STRIDE * grid_size.w) {
            vec3 side = ((floor(cell) + step(vec3(0.0), d)) * box + grid_low.xyz - from) * per;
            clear = t;
            t += min(max(min(side.x, min(side.y, side.z)) - t, 0.0) + 0.01 * grid_size.w, room);
            continue;
        }
        bool crossed = (dense(p) > 0.0) != inside, met = room < 0.0;
        if (crossed || met) {
            float far = t;
            for (int i = 0; i < 6; i++) {
                float middle = 0.5 * (clear + far);
                vec3 q = from + d * middle;
                bool there = met ? from_solid(q) < 0.0 : (dense(q) > 0.0) != inside;
                if (there) far = middle;
                else clear = middle;
            }
            t = far;
            return met ? SOLID : SURFACE;
        }
        clear = t;
        t += STRIDE * grid_size.w;
    }
    t = min(t, end);
    return NOTHING;
}

// How much liquid lies along a ray, in few steps that grow: soft, and fine where it begins, so that a film is no noise.
float liquid_along(vec3 from, vec3 d, float jitter)
{
    vec2 span = within(from, d, seen_from, seen_to);
    float t = max(span.x, 0.0), sum = 0.0;
    if (span.y <= t) return 0.0;
    float stride = 0.3 * grid_size.w, more = max(span.y - t - 26.0 * stride, 0.0) / 325.0; // 0 + 1 + ... + 25
    for (int k = 0; k < 26 && t < span.y; k++) {
        sum += stride * smoothstep(-0.6, 0.6, dense(from + d * (t + jitter * stride)) / grid_low.w);
        t += stride;
        stride += more;
    }
    return sum;
}
