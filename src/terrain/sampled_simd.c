// Setting a sampled form down in a brick: 512 look-ups at places on straight lines through its
// lattice. Compiled once per instruction set with RV_ISA set to its name; the compiler makes
// vectors of the inner loop, and every form of it gives the same bits.
#include "terrain/sampled_form.h"

#define PASTE2(a, b) a##b
#define PASTE(a, b) PASTE2(a, b)

#define SIDE 8 // samples along an edge of a brick

static inline float mix(float a, float b, float t)
{
    return a + (b - a) * t;
}

static inline float clamped(float x, float high)
{
    x = x > 0.0f ? x : 0.0f;
    return x < high ? x : high;
}

// One slice of the brick, 64 samples.
static void lower_slice(const rv_lattice *l, const float first[3], const float step[3][3],
                        float *restrict samples)
{
    const float *restrict d = l->d;
    float high_u = (float)(l->nx - 2), high_v = (float)(l->ny - 2), high_w = (float)(l->nz - 2);
    int row = l->nx, slice = l->nx * l->ny;
    for (int n = 0; n < SIDE * SIDE; n++) {
        float i = (float)(n % SIDE), j = (float)(n / SIDE);
        float u = first[0] + i * step[0][0] + j * step[1][0];
        float v = first[1] + i * step[0][1] + j * step[1][1];
        float w = first[2] + i * step[0][2] + j * step[1][2];
        int x = (int)clamped(u, high_u), y = (int)clamped(v, high_v), z = (int)clamped(w, high_w);
        float a = u - (float)x, b = v - (float)y, c = w - (float)z;
        int at = z * slice + y * row + x;
        float low = mix(mix(d[at], d[at + 1], a), mix(d[at + row], d[at + row + 1], a), b);
        at += slice;
        float high = mix(mix(d[at], d[at + 1], a), mix(d[at + row], d[at + row + 1], a), b);
        float value = mix(low, high, c), old = samples[n];
        // outside the lattice nothing of the form is near
        int inside = (a >= 0.0f) & (a <= 1.0f) & (b >= 0.0f) & (b <= 1.0f) & (c >= 0.0f) &
                     (c <= 1.0f) & (value < old);
        samples[n] = inside ? value : old;
    }
}

rv_lower_brick PASTE(rv_lower_brick_, RV_ISA);
void PASTE(rv_lower_brick_, RV_ISA)(const rv_lattice *l, const float at[3], const float step[3][3],
                                    float *samples)
{
    for (int k = 0; k < SIDE; k++, samples += SIDE * SIDE) {
        const float first[3] = {at[0] + (float)k * step[2][0], at[1] + (float)k * step[2][1],
                                at[2] + (float)k * step[2][2]};
        lower_slice(l, first, step, samples);
    }
}
