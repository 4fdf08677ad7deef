// Setting a sampled form down in a brick: 512 look-ups at places on straight lines through its
// lattice. Compiled once per instruction set with RV_ISA set to its name; the compiler makes
// vectors of the inner loop, and every form of it gives the same bits.
#include "terrain/sampled_form.h"

#define PASTE2(a, b) a##b
#define PASTE(a, b) PASTE2(a, b)

#define SIDE 8 // samples along an edge of a brick
#define HALF 4 // and of an eighth of it

static inline float mix(float a, float b, float t)
{
    return a + (b - a) * t;
}

static inline float clamped(float x, float high)
{
    x = x > 0.0f ? x : 0.0f;
    return x < high ? x : high;
}

typedef struct frame {
    const float *d;
    float high_u, high_v, high_w;
    int row, slice;
} frame;

// The distance at a place; `far` outside the lattice.
static inline float look_up(const frame *f, float u, float v, float w, float far)
{
    int x = (int)clamped(u, f->high_u), y = (int)clamped(v, f->high_v);
    int z = (int)clamped(w, f->high_w);
    float a = u - (float)x, b = v - (float)y, c = w - (float)z;
    const float *d = f->d + (z * f->slice + y * f->row + x);
    float low = mix(mix(d[0], d[1], a), mix(d[f->row], d[f->row + 1], a), b);
    d += f->slice;
    float high = mix(mix(d[0], d[1], a), mix(d[f->row], d[f->row + 1], a), b);
    int inside = (a >= 0.0f) & (a <= 1.0f) & (b >= 0.0f) & (b <= 1.0f) & (c >= 0.0f) & (c <= 1.0f);
    return inside ? mix(low, high, c) : far;
}

// One eighth of the brick: left out where its middle is farther from the solid than `reach`.
static void lower_eighth(const frame *f, const float first[3], const float step[3][3], float reach,
                         float *restrict samples)
{
    float mid[3];
    for (int k = 0; k < 3; k++)
        mid[k] = first[k] + 0.5f * (HALF - 1) * (step[0][k] + step[1][k] + step[2][k]);
    if (look_up(f, mid[0], mid[1], mid[2], reach) > reach) return;
    for (int k = 0; k < HALF; k++) {
        for (int j = 0; j < HALF; j++) {
            float *row = samples + (k * SIDE + j) * SIDE;
            float u = first[0] + (float)j * step[1][0] + (float)k * step[2][0];
            float v = first[1] + (float)j * step[1][1] + (float)k * step[2][1];
            float w = first[2] + (float)j * step[1][2] + (float)k * step[2][2];
            for (int i = 0; i < HALF; i++) {
                float value = look_up(f, u + (float)i * step[0][0], v + (float)i * step[0][1],
                                      w + (float)i * step[0][2], row[i]);
                row[i] = value < row[i] ? value : row[i];
            }
        }
    }
}

rv_lower_brick PASTE(rv_lower_brick_, RV_ISA);
void PASTE(rv_lower_brick_, RV_ISA)(const rv_sampled_lattice *l, const float at[3],
                                    const float step[3][3], float reach, float *samples)
{
    const frame f = {l->d,  (float)(l->nx - 2), (float)(l->ny - 2), (float)(l->nz - 2),
                     l->nx, l->nx * l->ny};
    for (int part = 0; part < 8; part++) {
        int i = (part & 1) * HALF, j = (part >> 1 & 1) * HALF, k = (part >> 2) * HALF;
        float first[3];
        for (int n = 0; n < 3; n++)
            first[n] =
                at[n] + (float)i * step[0][n] + (float)j * step[1][n] + (float)k * step[2][n];
        lower_eighth(&f, first, step, reach, samples + (k * SIDE + j) * SIDE + i);
    }
}
