// The shape of the water on a pane, cell by cell: its slope times its cover, its cover, and the mist. A slope is taken
// from wet cells only: to the last of them the surface goes on as steep as it comes, so that a drop meets the glass at
// its angle however it is smoothed afterwards. (Divided by the cover again when it is looked up.)
//
// The cover is how far a cell's middle is from the water's edge: 0.5 on it, 0 and 1 a cell away. Where the edge lies
// between a wet cell and a dry one is told by how steeply the water falls toward it. So edges are as smooth as the drop
// was before it was cut into cells, from as near as one likes.
precision highp float;
precision highp sampler2D;
uniform sampler2D heights; // m
uniform sampler2D mists;
uniform sampler2D affinities;
uniform vec4 pane[8];
out vec4 colour;

ivec2 last;

float height_at(ivec2 at)
{
    return texelFetch(heights, clamp(at, ivec2(0), last), 0).r * pane[2].x; // cells
}

bool wet(float h)
{
    return h > pane[2].y;
}

// The slope between three cells in a row.
float slope(float a, float b, float c)
{
    bool left = wet(a), right = wet(c);
    if (left && right) return 0.5 * (c - a);
    return left ? b - a : right ? c - b : 0.0;
}

// How much of a cell's way to a lower one of another kind is over water that can be seen; `in_` lies on its other side.
// A drop falls to the glass as a root does if it is steep and evenly if it is flat: a power between them suits both.
float way_to_edge(float rim, float in_)
{
    float at = rim - pane[2].z, inner = in_ - pane[2].z;
    if (inner <= 0.0) return clamp(pow(0.48 * rim, 0.333), 0.05, 1.0); // a drop of one cell
    float a = pow(at, 1.5), b = pow(inner, 1.5);
    return b > a ? clamp(a / (b - a), 0.02, 1.0) : 1.0;
}

// The signed distance of a cell's middle to the edge, in cells, if that is nearer than 1; h: it, then left, right, below,
// above, and those beyond.
float distance_to_edge(float h[9])
{
    bool seen = h[0] > pane[2].z;
    vec2 way = vec2(1e3);
    for (int k = 0; k < 4; k++) {
        float next = h[1 + k], far = h[5 + k], back = h[1 + (k ^ 1)];
        if ((next > pane[2].z) == seen) continue;
        float w = seen ? way_to_edge(h[0], back) : 1.0 - way_to_edge(next, far);
        // Between two drops that only just keep apart there is glass.
        if (!seen && back > pane[2].z) w = max(w, 0.7);
        way[k / 2] = min(way[k / 2], w);
    }
    if (min(way.x, way.y) > 100.0) return seen ? 1.0 : -1.0;
    float d = inversesqrt(1.0 / max(way.x * way.x, 1e-6) + 1.0 / max(way.y * way.y, 1e-6));
    return seen ? d : -d;
}

void main()
{
    last = ivec2(pane[0].xy) - 1;
    ivec2 at = ivec2(gl_FragCoord.xy);
    float mist = texelFetch(mists, clamp(at, ivec2(0), last), 0).r;
    // None settles on what repels water, wax or a sign of it.
    mist *= smoothstep(0.02, 0.2, texelFetch(affinities, clamp(at, ivec2(0), last), 0).r);
    float h[9];
    bool any = false;
    for (int n = 0; n < 9; n++) {
        h[n] = height_at(at + ivec2(n % 3 - 1, n / 3 - 1));
        any = any || wet(h[n]);
    }
    if (!any) {
        colour = vec4(0.0, 0.0, 0.0, mist);
        return;
    }
    float line[9];
    line[0] = h[4], line[1] = h[3], line[2] = h[5], line[3] = h[1], line[4] = h[7];
    line[5] = height_at(at - ivec2(2, 0)), line[6] = height_at(at + ivec2(2, 0));
    line[7] = height_at(at - ivec2(0, 2)), line[8] = height_at(at + ivec2(0, 2));
    float cover = 0.5 + 0.5 * distance_to_edge(line);
    vec2 sum = vec2(0.0), weight = vec2(1e-6);
    for (int k = 0; k < 3; k++) {
        float w = k == 1 ? 2.0 : 1.0;
        if (wet(h[3 * k + 1])) sum.x += w * slope(h[3 * k], h[3 * k + 1], h[3 * k + 2]), weight.x += w;
        if (wet(h[3 + k])) sum.y += w * slope(h[k], h[3 + k], h[6 + k]), weight.y += w;
    }
    if (!wet(h[4])) {
        // Beside the water it goes on as it falls in the cells before.
        if (wet(h[3])) sum.x += 2.0 * min(h[3] - line[5], 0.0), weight.x += 2.0;
        if (wet(h[5])) sum.x += 2.0 * max(line[6] - h[5], 0.0), weight.x += 2.0;
        if (wet(h[1])) sum.y += 2.0 * min(h[1] - line[7], 0.0), weight.y += 2.0;
        if (wet(h[7])) sum.y += 2.0 * max(line[8] - h[7], 0.0), weight.y += 2.0;
    }
    vec2 g = sum / weight;
    float steep = length(g);
    g *= min(1.0, 6.0 / max(steep, 1e-6));
    colour = vec4(g * cover, cover, mist);
}
