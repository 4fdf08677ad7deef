// The shape of the water on a pane, cell by cell: its slope times its cover, its cover, and the mist. A slope is taken
// from wet cells only: to the last of them the surface goes on as steep as it comes, so that a drop meets the glass at
// its angle however it is smoothed afterwards. (Divided by the cover again when it is looked up.)
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

// The slope between three cells in a row.
float slope(float a, float b, float c, float least)
{
    bool left = a > least, right = c > least;
    if (left && right) return 0.5 * (c - a);
    return left ? b - a : right ? c - b : 0.0;
}

void main()
{
    last = ivec2(pane[0].xy) - 1;
    ivec2 at = ivec2(gl_FragCoord.xy);
    float least = pane[2].y, h[9];
    for (int n = 0; n < 9; n++) h[n] = height_at(at + ivec2(n % 3 - 1, n / 3 - 1));
    vec2 sum = vec2(0.0), weight = vec2(1e-6);
    for (int k = 0; k < 3; k++) {
        float w = k == 1 ? 2.0 : 1.0;
        if (h[3 * k + 1] > least)
            sum.x += w * slope(h[3 * k], h[3 * k + 1], h[3 * k + 2], least), weight.x += w;
        if (h[3 + k] > least) sum.y += w * slope(h[k], h[3 + k], h[6 + k], least), weight.y += w;
    }
    float cover = smoothstep(0.0, 1.0, (h[4] - 0.5 * least) / pane[2].z);
    vec2 g = sum / weight;
    float steep = length(g);
    g *= min(1.0, 6.0 / max(steep, 1e-6));
    float mist = texelFetch(mists, clamp(at, ivec2(0), last), 0).r;
    // None settles on what repels water, wax or a sign of it.
    mist *= smoothstep(0.02, 0.2, texelFetch(affinities, clamp(at, ivec2(0), last), 0).r);
    colour = vec4(g * cover, cover, mist);
}
