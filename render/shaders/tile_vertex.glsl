// Squares of 8 x 8 pixels in which liquid is or drops are, and a pixel around each; the others are drawn as nothing.
#include frame
uniform highp usampler2D tiles;
uniform highp usampler2D spots; // where drops are
uniform int which;              // 1: of liquid, 2: of drops, 3: of both

#ifdef COARSE // of 8 x 8 of them, at the farthest depth
void main()
{
    ivec2 most = textureSize(tiles, 0), across = (most + 7) / 8;
    ivec2 first = 8 * ivec2(gl_InstanceID % across.x, gl_InstanceID / across.x);
    uint wet = 0u;
    for (int k = 0; k < 64; k++) {
        ivec2 tile = first + ivec2(k & 7, k >> 3);
        wet |= texelFetch(tiles, min(tile, most - 1), 0).r;
    }
    vec2 at = 8.0 * (vec2(first) + 8.0 * vec2(gl_VertexID & 1, gl_VertexID >> 1));
    gl_Position = vec4(wet > 0u ? 2.0 * at * picture.zw - 1.0 : vec2(-2.0), 1.0, 1.0);
}
#else
void main()
{
    int across = textureSize(tiles, 0).x;
    ivec2 tile = ivec2(gl_InstanceID % across, gl_InstanceID / across);
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    vec2 at = 8.0 * (vec2(tile) + corner) + 2.0 * corner - 1.0;
    bool wet = which != 2 && texelFetch(tiles, tile, 0).r > 0u || which > 1 && texelFetch(spots, tile, 0).r > 0u;
    gl_Position = vec4(wet ? 2.0 * at * picture.zw - 1.0 : vec2(-2.0), 0.0, 1.0);
}
#endif
