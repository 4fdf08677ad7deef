// Where liquid is in a pixel, from the number of the triangle that is seen there: its corners are fetched, and mixed as
// drawing would mix them. Only depths and numbers are drawn; a card may have far more that computes than that draws.
#include liquid_corner
layout(std430, binding = VERTICES) readonly buffer Vertices {
    float vertices[]; // arrays of the surface one behind the other, as render/sheet.c has them
};
layout(std430, binding = CORNERS) readonly buffer Corners {
    uint corners[]; // three numbers a triangle
};
uniform highp usampler2D numbers;     // of triangles, by pixel
uniform int vertex_room;              // vertices of an array
uniform int parts;                    // arrays that there are, a bit each
uniform vec4 grid;
uniform float angle;
vec3 p, n;
vec4 liquid, bend;
float rough;
vec3 shore;
Corner corner[3];
float strand_level; // of the noise, that is as fine as pixels are

float word(int part_at, int width, int vertex, int k)
{
    return vertices[part_at * vertex_room + width * vertex + k];
}

vec3 words(int part_at, int vertex)
{
    return vec3(word(part_at, 3, vertex, 0), word(part_at, 3, vertex, 1), word(part_at, 3, vertex, 2));
}

void take_corners(ivec2 pixel)
{
    int triangle = int(texelFetch(numbers, pixel, 0).r);
    for (int k = 0; k < 3; k++) {
        int v = int(corners[3 * triangle + k]);
        vec4 contact = vec4(1e9, 0.0, 0.0, 0.0);
        if ((parts & 16) != 0) contact = vec4(word(10, 4, v, 0), word(10, 4, v, 1), word(10, 4, v, 2), word(10, 4, v, 3));
        float roughness = (parts & 32) != 0 ? word(14, 1, v, 0) : 0.0, fallen = (parts & 64) != 0 ? word(15, 1, v, 0) : -1.0;
        float film = (parts & 128) != 0 ? word(16, 1, v, 0) : -1.0;
        corner[k] = corner_of(words(0, v), words(3, v), word(6, 1, v, 0), words(7, v), contact, roughness, fallen, film, grid, angle);
    }
}

// How much of each corner is in a pixel's middle. Pixels beside the triangle have less than nothing of some.
vec3 shares_at(ivec2 pixel)
{
    vec2 side = 2.0 * (vec2(pixel) + 0.5) * picture.zw - 1.0, q[3];
    for (int k = 0; k < 3; k++) q[k] = corner[k].position.xy - side * corner[k].position.w;
    vec3 e = vec3(q[1].x * q[2].y - q[1].y * q[2].x, q[2].x * q[0].y - q[2].y * q[0].x, q[0].x * q[1].y - q[0].y * q[1].x);
    float sum = e.x + e.y + e.z;
    return sum != 0.0 ? e / sum : vec3(1.0 / 3.0);
}

// The same of a pixel that shows the triangle: where that is thinner than the steps of places in a picture it may be drawn
// in pixels beside it.
vec3 shares_in(ivec2 pixel)
{
    vec3 b = max(shares_at(pixel), vec3(0.0));
    return b / (b.x + b.y + b.z);
}

void mix_corners(vec3 b)
{
    p = b.x * corner[0].p + b.y * corner[1].p + b.z * corner[2].p;
    n = b.x * corner[0].n + b.y * corner[1].n + b.z * corner[2].n;
    liquid = b.x * corner[0].liquid + b.y * corner[1].liquid + b.z * corner[2].liquid;
    bend = b.x * corner[0].bend + b.y * corner[1].bend + b.z * corner[2].bend;
    rough = dot(b, vec3(corner[0].rough, corner[1].rough, corner[2].rough));
    shore = b.x * corner[0].shore + b.y * corner[1].shore + b.z * corner[2].shore;
}
