// Whether kernels may use doubles, and get what the processor gets: the driver is OpenGL, not ES,
// and a kernel's sums, products, quotients and roundings to floats are looked at bit by bit.
#include "gl/device_parts.h"

#include <string.h>

#define TRIES 256 // pairs of numbers
#define TOLD 5    // results of each

static const char *const text =
    "layout(local_size_x = 64) in;\n"
    "layout(std430, binding = 0) readonly buffer In { double given[]; };\n"
    "layout(std430, binding = 1) writeonly buffer Out { double told[]; };\n"
    "void main()\n"
    "{\n"
    "    uint k = gl_GlobalInvocationID.x;\n"
    "    double a = given[2u * k], b = given[2u * k + 1u];\n"
    "    precise double sum = a + b, product = a * b, quotient = a / b;\n"
    "    precise double both = a * b - sum;\n" // two roundings, not one
    "    told[5u * k] = sum, told[5u * k + 1u] = product, told[5u * k + 2u] = quotient;\n"
    "    told[5u * k + 3u] = both, told[5u * k + 4u] = double(float(a));\n"
    "}\n";

// Numbers of many sizes; some have few digits, so that there are ties.
static void fill(double given[2 * TRIES])
{
    uint64_t state = 88172645463325252ull;
    for (int k = 0; k < 2 * TRIES; k++) {
        for (int turn = 0; turn < 3; turn++) {
            static const int by[] = {13, -7, 17};
            state ^= by[turn] > 0 ? state << by[turn] : state >> -by[turn];
        }
        uint64_t digits =
            k % 3 == 0 ? state & 0x000fffffe0000000ull : state & 0x000fffffffffffffull;
        uint64_t exponent = 1023 - 20 + (state >> 52) % 40;
        uint64_t bits = (state & 1ull << 63) | exponent << 52 | digits;
        memcpy(&given[k], &bits, sizeof bits);
    }
}

static bool is_right(const double *given, const double *told)
{
    // volatile: no compiler fuses them
    volatile double sum = given[0] + given[1], product = given[0] * given[1];
    volatile double both = product - sum, quotient = given[0] / given[1];
    const double right[TOLD] = {sum, product, quotient, both, (double)(float)given[0]};
    return memcmp(right, told, sizeof right) == 0;
}

static bool tell(rv_device_gl *d, rv_device_kernel *kernel, rv_device_buffer *const buffers[2])
{
    double given[2 * TRIES], told[TOLD * TRIES];
    rv_device_call call = {
        .kernel = kernel, .buffers = buffers, .buffer_count = 2, .groups = {TRIES / 64, 1, 1}};
    fill(given);
    if (rv_gl_write(d, buffers[0], 0, given, sizeof given) != RV_OK ||
        rv_gl_dispatch(d, &call) != RV_OK ||
        rv_gl_fetch(d, buffers[1], 0, told, sizeof told) != RV_OK)
        return false;
    for (int k = 0; k < TRIES; k++)
        if (!is_right(given + 2 * k, told + TOLD * k)) return false;
    return true;
}

bool rv_gl_has_doubles(rv_device_gl *d)
{
    rv_device_buffer *buffers[2] = {NULL, NULL};
    rv_device_kernel *kernel = NULL;
    rv_messages unread = {0};
    bool good = d->desktop &&
                rv_gl_make_kernel(d, "doubles", &text, 1, &kernel, &unread) == RV_OK &&
                rv_gl_make_buffer(d, 2 * TRIES * sizeof(double), &buffers[0]) == RV_OK &&
                rv_gl_make_buffer(d, TOLD * TRIES * sizeof(double), &buffers[1]) == RV_OK &&
                tell(d, kernel, buffers);
    for (int k = 0; k < 2; k++) rv_gl_free_buffer(d, buffers[k]);
    rv_gl_free_kernel(d, kernel);
    return good;
}
