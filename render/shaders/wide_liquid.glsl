// The liquid's surface over wide ground, as if vertices of a mesh had come (liquid_vertex.glsl); lengths in cells.
#include wide
#ifdef BUFFERED // where the card steps it
uniform highp samplerBuffer liquid_depth;
#else
uniform highp sampler2D liquid_depth;
#endif

vec3 place, normal, velocity;
vec4 contact, grid;
float depth, roughness, fallen, film, angle;

float depth_at(ivec2 column)
{
#ifdef BUFFERED
    ivec2 at = clamped(column);
    return texelFetch(liquid_depth, int(rows.x) + at.y * int(rows.y) + at.x).r * detail.z;
#else
    return texelFetch(liquid_depth, clamped(column), 0).r * detail.z;
#endif
}

// Height of the surface, depth, and slope of it.
struct Spot {
    vec3 at;
    float deep;
    vec3 normal;
};

// What stands beside a vertex: height of the surface where there is liquid, else -1e9.
float level_at(ivec2 column)
{
    float deep = depth_at(column);
    return deep > detail.y ? bed_at(column) + deep : -1e9;
}

Spot spot_at(ivec2 column, int cells)
{
    Spot s;
    ivec2 x = ivec2(cells, 0), y = ivec2(0, cells);
    s.at = ground_at(column), s.deep = depth_at(column), s.normal = vec3(0.0, 0.0, 1.0);
    vec4 level = vec4(level_at(column + x), level_at(column - x), level_at(column + y), level_at(column - y));
    if (s.deep > detail.y) {
        s.at.z += s.deep;
        vec4 far = vec4(middle_of(column + x).x, middle_of(column - x).x, middle_of(column + y).y, middle_of(column - y).y);
        // toward what is dry it is taken as level
        vec4 dry = step(level, vec4(-1e8)), own = s.at.xxyy;
        level = mix(level, vec4(s.at.z), dry), far = mix(far, own, dry);
        s.normal = normalize(vec3((level.y - level.x) / max(far.x - far.y, 0.5), (level.w - level.z) / max(far.z - far.w, 0.5), 1.0));
        return s;
    }
    // Dry: where squares beside it have liquid it ends there, or goes on into the ground that rises; else it is out of sight.
    float high = max(max(max(level.x, level.y), max(level.z, level.w)), max(level_at(column + x - y), level_at(column - x + y)));
    s.deep = 0.0;
    if (high < s.at.z) s.at.z = high > -1e8 ? high : s.at.z - 0.5 * float(cells);
    else s.normal = ground_normal(column, cells);
    return s;
}

void take_vertex()
{
    int cells = int(patch_at.z);
    ivec2 own = own_column(), next = next_column();
    vec3 bed = ground_at(own);
    float share = moved(bed);
    Spot a = spot_at(own, cells);
    place = a.at, normal = a.normal, depth = a.deep;
    if (share > 0.0) { // most have not moved
        Spot b = spot_at(next, 2 * cells);
        place = mix(a.at, b.at, share), normal = normalize(mix(a.normal, b.normal, share));
        depth = mix(a.deep, b.deep, share);
    }
    velocity = vec3(0.0), roughness = 0.0, fallen = -1.0, film = -1.0, angle = 0.0;
    contact = vec4(1e9, 0.0, 0.0, 0.0), grid = vec4(0.0, 0.0, 0.0, 1.0);
    if (corner.z < 0.5) return;
    // An upright face at a side of the grid, from the surface into the ground.
    fallen = -2.0;
    normal = corner.w < 0.5 ? vec3(-1.0, 0.0, 0.0) : corner.w < 1.5 ? vec3(1.0, 0.0, 0.0) : corner.w < 2.5 ? vec3(0.0, -1.0, 0.0) : vec3(0.0, 1.0, 0.0);
    float foot = mix(bed.z, bed_at(next), share) - 0.5 * float(cells);
    if (corner.z > 1.5 || depth <= 0.0) place.z = foot;
    depth = max(depth, 1e-6);
}
