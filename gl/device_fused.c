// Whether fma() rounds once, as kernels may then find quotients and roots in a few steps: drivers
// may also make a product and a sum of it, which are rounded one by one.
#include "gl/device_parts.h"

#include <math.h>
#include <string.h>

#define TRIES 256 // of three numbers

static const char *const text =
    "layout(local_size_x = 64) in;\n"
    "layout(std430, binding = 0) readonly buffer In { vec4 given[]; };\n"
    "layout(std430, binding = 1) writeonly buffer Out { float told[]; };\n"
    "void main()\n"
    "{\n"
    "    vec4 x = given[gl_GlobalInvocationID.x];\n"
    "    precise float rest = fma(-x.x, x.y, x.z);\n"
    "    told[gl_GlobalInvocationID.x] = rest;\n"
    "}\n";

// Two numbers from 1 to 2, and what is nearest to their product: what is left of it is what a
// second rounding takes away.
static void fill(float given[4 * TRIES])
{
    uint32_t state = 2463534242u;
    for (int k = 0; k < TRIES; k++) {
        for (int n = 0; n < 2; n++) {
            state ^= state << 13, state ^= state >> 17, state ^= state << 5;
            uint32_t bits = 0x3f800000u | (state & 0x7fffffu);
            memcpy(&given[4 * k + n], &bits, sizeof bits);
        }
        given[4 * k + 2] = given[4 * k] * given[4 * k + 1];
        given[4 * k + 3] = 0.0f;
    }
}

static bool tell(rv_device_gl *d, rv_device_kernel *kernel, rv_device_buffer *const buffers[2])
{
    float given[4 * TRIES], told[TRIES];
    const rv_device_call call = {
        .kernel = kernel, .buffers = buffers, .buffer_count = 2, .groups = {TRIES / 64, 1, 1}};
    fill(given);
    if (rv_gl_write(d, buffers[0], 0, given, sizeof given) != RV_OK ||
        rv_gl_dispatch(d, &call) != RV_OK ||
        rv_gl_fetch(d, buffers[1], 0, told, sizeof told) != RV_OK)
        return false;
    for (int k = 0; k < TRIES; k++) {
        // of doubles the product is exact, and so is the rest
        const float *x = given + 4 * k;
        float rest = (float)((double)x[2] - (double)x[0] * (double)x[1]);
        if (memcmp(&rest, &told[k], sizeof rest) != 0) return false;
    }
    return true;
}

bool rv_gl_is_fused(rv_device_gl *d)
{
    rv_device_buffer *buffers[2] = {NULL, NULL};
    rv_device_kernel *kernel = NULL;
    rv_messages unread = {0};
    bool good = rv_gl_make_kernel(d, "fused", &text, 1, &kernel, &unread) == RV_OK &&
                rv_gl_make_buffer(d, 4 * TRIES * sizeof(float), &buffers[0]) == RV_OK &&
                rv_gl_make_buffer(d, TRIES * sizeof(float), &buffers[1]) == RV_OK &&
                tell(d, kernel, buffers);
    for (int k = 0; k < 2; k++) rv_gl_free_buffer(d, buffers[k]);
    rv_gl_free_kernel(d, kernel);
    return good;
}
