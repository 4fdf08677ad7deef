// Columns on a graphics card: the device table over OpenGL, quotients and roots that cards round as
// they like, and worlds whose state after many steps is the processor's to the bit: both laws, all
// borders, layers, eight neighbours, sources, drains, bodies, spray, edits, snapshots. And cards
// that fail.
#include "card_failing.h"
#include "card_worlds.h"

#include "columns/card/card.h"

#include <epoxy/gl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- The table ----------------------------------------------------------------------------------

static void test_no_context(void **state)
{
    (void)state;
    rv_target_def def = {.kind = RV_TARGET_NONE, .width = 16, .height = 16};
    rv_target *none = NULL;
    rv_device_gl *card = NULL;
    rv_messages messages = {0};
    assert_int_equal(rv_target_create(&def, &none, &messages), RV_OK);
    assert_int_equal(rv_device_gl_create(none, &card, &messages), RV_BAD_ARGUMENT);
    assert_string_equal(messages.text, "card: there is no graphics context");
    assert_null(card);
    assert_int_equal(rv_device_gl_create(NULL, &card, NULL), RV_BAD_ARGUMENT);
    assert_null(rv_device_gl_table(NULL));
    rv_device_gl_destroy(NULL);
    rv_target_destroy(none);
}

static void test_buffers(void **state)
{
    const rv_device *d = ((shared *)*state)->device;
    rv_device_buffer *a = NULL, *b = NULL;
    uint32_t sent[64], back[64] = {0};
    bool done = false;
    rv_device_ticket ticket = 0;
    for (uint32_t k = 0; k < 64; k++) sent[k] = k * k;
    assert_int_equal(d->make_buffer(d->user, sizeof sent, &a), RV_OK);
    assert_int_equal(d->make_buffer(d->user, sizeof sent, &b), RV_OK);
    assert_int_equal(d->fetch(d->user, a, 0, back, sizeof back), RV_OK);
    for (int k = 0; k < 64; k++) assert_int_equal(back[k], 0);
    assert_int_equal(d->write(d->user, a, 0, sent, sizeof sent), RV_OK);
    assert_int_equal(d->copy(d->user, a, 16, b, 0, 128), RV_OK);
    assert_int_equal(d->fetch(d->user, b, 0, back, 128), RV_OK);
    assert_memory_equal(back, sent + 4, 128);
    assert_int_equal(d->read(d->user, a, 8, 32, &ticket), RV_OK);
    assert_int_equal(d->collect(d->user, ticket, back, true, &done), RV_OK);
    assert_true(done);
    assert_memory_equal(back, sent + 2, 32);
    // a ticket is good once, and what is beyond a buffer is refused
    assert_int_equal(d->collect(d->user, ticket, back, true, &done), RV_BAD_ARGUMENT);
    assert_int_equal(d->read(d->user, a, 240, 32, &ticket), RV_BAD_ARGUMENT);
    assert_int_equal(d->write(d->user, a, 256, sent, 4), RV_BAD_ARGUMENT);
    assert_int_equal(d->fence(d->user, &ticket), RV_OK);
    assert_int_equal(d->passed(d->user, ticket, true, &done), RV_OK);
    assert_true(done);
    d->free_buffer(d->user, a);
    d->free_buffer(d->user, b);
    d->free_buffer(d->user, NULL);
    assert_int_equal(d->make_buffer(d->user, SIZE_MAX / 2, &a), RV_OUT_OF_MEMORY);
    assert_null(a);
}

// More than the ring has that writes go through, of any length and from any byte on: the newest is
// what is there.
static void test_large_writes(void **state)
{
    const rv_device *d = device_of(state);
    const size_t all = ((size_t)20 << 20) + 13;
    rv_device_buffer *b = NULL;
    unsigned char *sent = malloc(all), *back = malloc(all);
    assert_true(sent && back);
    for (size_t i = 0; i < all; i++) sent[i] = (unsigned char)(i * 2654435761u >> 13);
    assert_int_equal(d->make_buffer(d->user, all, &b), RV_OK);
    assert_int_equal(d->write(d->user, b, 0, sent, all), RV_OK);
    for (size_t k = 0, at = 5, bytes = 1; k < 24; k++, bytes = 3 * bytes % 2999999, at += 31 * k) {
        for (size_t i = 0; i < bytes; i++) sent[at + i] ^= (unsigned char)(k + i);
        assert_int_equal(d->write(d->user, b, at, sent + at, bytes), RV_OK);
    }
    assert_int_equal(d->write(d->user, b, all, sent, 0), RV_OK);
    assert_int_equal(d->fetch(d->user, b, 0, back, all), RV_OK);
    assert_memory_equal(back, sent, all);
    d->free_buffer(d->user, b);
    free(sent);
    free(back);
}

static rv_device_kernel *kernel_of(const rv_device *d, const char *text)
{
    rv_messages messages = {0};
    rv_device_kernel *k = NULL;
    if (d->make_kernel(d->user, "test", &text, 1, &k, &messages) != RV_OK)
        print_error("%s\n", messages.text);
    assert_non_null(k);
    return k;
}

// Answers are of when they were asked for, whatever changes or goes after that, in any order, and
// whether they are short or long, few or many.
static void test_answers(void **state)
{
    enum { BUFFERS = 3, ASKED = 30, WORDS = 12000 };
    const rv_device *d = device_of(state);
    rv_device_kernel *k =
        kernel_of(d, "layout(local_size_x = 64) in;\n"
                     "layout(std430, binding = 0) buffer Out { uint words[]; };\n"
                     "void main() { words[gl_GlobalInvocationID.x] += 1000003u; }\n");
    rv_device_buffer *buffer[BUFFERS];
    rv_device_ticket ticket[ASKED];
    uint32_t first[BUFFERS][2], *back = malloc(WORDS * sizeof *back);
    bool done = false;
    assert_non_null(back);
    for (int b = 0; b < BUFFERS; b++)
        assert_int_equal(d->make_buffer(d->user, 64 * 200 * 4, &buffer[b]), RV_OK);
    for (uint32_t n = 0; n < ASKED; n++) {
        rv_device_buffer *one[1] = {buffer[n % BUFFERS]};
        rv_device_call call = {k, one, 1, NULL, 0, {200, 1, 1}, NULL, 0};
        if (n % 5 != 4) assert_int_equal(d->dispatch(d->user, &call), RV_OK);
        if (n % 4 == 3) // over its beginning, after those before it were asked for
            d->write(d->user, one[0], 0, (uint32_t[]){7 * n, n}, sizeof first[0]);
        assert_int_equal(
            d->read(d->user, one[0], 4 * (n % 2), 4 * (n % 7 == 6 ? WORDS : n + 1), &ticket[n]),
            RV_OK);
    }
    for (int b = 0; b < BUFFERS; b++) d->free_buffer(d->user, buffer[b]);
    for (uint32_t i = 0; i < ASKED; i++) {
        uint32_t n = i % 2 ? ASKED - i : i, count = n % 7 == 6 ? WORDS : n + 1;
        uint32_t plain = 0;
        memset(first, 0, sizeof first);
        for (uint32_t m = 0; m <= n; m++) { // as it was then
            uint32_t *own = first[m % BUFFERS];
            if (m % BUFFERS == n % BUFFERS && m % 5 != 4) plain += 1000003u;
            if (m % 5 != 4) own[0] += 1000003u, own[1] += 1000003u;
            if (m % 4 == 3) own[0] = 7 * m, own[1] = m;
        }
        assert_int_equal(d->collect(d->user, ticket[n], back, true, &done), RV_OK);
        assert_true(done);
        for (uint32_t w = 0; w < count; w++) {
            uint32_t at = w + n % 2;
            assert_int_equal(back[w], at < 2 ? first[n % BUFFERS][at] : plain);
        }
        assert_int_equal(d->collect(d->user, ticket[n], back, true, &done), RV_BAD_ARGUMENT);
    }
    d->free_kernel(d->user, k);
    free(back);
}

static void test_dispatch(void **state)
{
    const rv_device *d = ((shared *)*state)->device;
    rv_device_kernel *k = kernel_of(
        d, "layout(local_size_x = 8) in;\n"
           "layout(std140, binding = 0) uniform Constants { uint more; };\n"
           "layout(std430, binding = 1) buffer Out { uint places[]; };\n"
           "void main() { places[gl_GlobalInvocationID.x] += gl_GlobalInvocationID.x + more; }\n");
    rv_device_buffer *out = NULL, *groups = NULL;
    uint32_t more = 100, back[32], three[3] = {2, 1, 1};
    rv_device_ticket ticket = 0;
    double ms = -1;
    bool done = false;
    assert_int_equal(d->make_buffer(d->user, sizeof back, &out), RV_OK);
    assert_int_equal(d->make_buffer(d->user, sizeof three, &groups), RV_OK);
    d->write(d->user, groups, 0, three, sizeof three);
    rv_device_buffer *buffers[2] = {NULL, out};
    rv_device_call call = {k, buffers, 2, &more, sizeof more, {4, 1, 1}, NULL, 0};
    if (d->timers) assert_int_equal(d->begin_timer(d->user), RV_OK);
    assert_int_equal(d->dispatch(d->user, &call), RV_OK);
    if (d->timers) {
        assert_int_equal(d->end_timer(d->user, &ticket), RV_OK);
        assert_int_equal(d->timer(d->user, ticket, true, &done, &ms), RV_OK);
        assert_true(done && ms >= 0);
    }
    call.indirect = groups; // the first half once more
    assert_int_equal(d->dispatch(d->user, &call), RV_OK);
    assert_int_equal(d->fetch(d->user, out, 0, back, sizeof back), RV_OK);
    for (uint32_t i = 0; i < 32; i++) assert_int_equal(back[i], (i < 16 ? 2 : 1) * (i + 100));
    d->free_buffer(d->user, out);
    d->free_buffer(d->user, groups);
    d->free_kernel(d->user, k);
}

static void test_bad_kernel(void **state)
{
    const rv_device *d = ((shared *)*state)->device;
    const char *text = "layout(local_size_x = 8) in;\nvoid main() { nonsense(); }\n";
    rv_messages messages = {0};
    rv_device_kernel *k = NULL;
    assert_int_equal(d->make_kernel(d->user, "odd-one", &text, 1, &k, &messages), RV_BAD_DATA);
    assert_null(k);
    assert_int_equal(messages.count, 1);
    assert_non_null(strstr(messages.text, "does not take kernel odd-one: "));
}

// A buffer that says how much is drawn, and one that says where.
static void test_draw(void **state)
{
    shared *s = *state;
    const rv_device *d = s->device;
    rv_messages messages = {0};
    rv_device_kernel *k = NULL;
    rv_device_buffer *at = NULL, *much = NULL;
    const float corners[6] = {-1, -1, 3, -1, -1, 3};
    const uint32_t four[4] = {3, 1, 0, 0};
    uint8_t rgb[16 * 16 * 3];
    assert_int_equal(
        d->make_painter(d->user, "paint", "",
                        "layout(std430, binding = 0) readonly buffer At { float corner[]; };\n"
                        "void main() { gl_Position = vec4(corner[2 * gl_VertexID], "
                        "corner[2 * gl_VertexID + 1], 0.0, 1.0); }\n",
                        "layout(location = 0) out vec4 colour;\n"
                        "void main() { colour = vec4(1.0, 0.5, 0.0, 1.0); }\n",
                        &k, &messages),
        RV_OK);
    d->make_buffer(d->user, sizeof corners, &at);
    d->make_buffer(d->user, sizeof four, &much);
    d->write(d->user, at, 0, corners, sizeof corners);
    d->write(d->user, much, 0, four, sizeof four);
    rv_device_call call = {.kernel = k, .buffers = &at, .buffer_count = 1, .indirect = much};
    glBindFramebuffer(GL_FRAMEBUFFER,
                      rv_target_framebuffer(s->target)); // where is the host's to say
    glViewport(0, 0, 16, 16);
    assert_int_equal(d->draw(d->user, &call), RV_OK);
    assert_int_equal(rv_target_read(s->target, rgb), RV_OK);
    assert_int_equal(rgb[3 * 100], 255);
    assert_in_range(rgb[3 * 100 + 1], 127, 128);
    assert_int_equal(rgb[3 * 100 + 2], 0);
    call.indirect = NULL;
    assert_int_equal(d->draw(d->user, &call), RV_BAD_ARGUMENT);
    d->free_buffer(d->user, at);
    d->free_buffer(d->user, much);
    d->free_kernel(d->user, k);
}

// ---- Numbers ------------------------------------------------------------------------------------

static const char *text_of(const char *name)
{
    for (const rv_kernel_text *k = rv_kernel_texts; k->name; k++)
        if (strcmp(k->name, name) == 0) return k->text;
    return "";
}

static uint32_t next(uint32_t *seed)
{
    *seed ^= *seed << 13, *seed ^= *seed >> 17, *seed ^= *seed << 5;
    return *seed;
}

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

enum { NUMBERS = 1 << 18 };

// Pairs of all sizes, many of them alike or next to powers of two, where rounding is hardest.
static void fill_numbers(float *a, float *b, uint32_t seed)
{
    for (int i = 0; i < NUMBERS; i++) {
        uint32_t x = next(&seed), y = next(&seed), kind = next(&seed) & 7;
        uint32_t exponent = 80 + x % 90, other = 80 + y % 90;
        uint32_t m = x & 0x7fffff, n = y & 0x7fffff;
        if (kind == 1) m &= 7;
        if (kind == 2) m |= 0x7ffff8;
        if (kind == 3) n &= 3;
        if (kind == 4) n = m ^ (n & 3);
        if (kind == 5) m &= 0x7ff000, n &= 0x7ff000;
        a[i] = float_of(exponent << 23 | m), b[i] = float_of(other << 23 | n);
    }
    a[0] = 0.0f, a[1] = 1.0f, b[1] = 3.0f, a[2] = 16777215.0f, b[2] = 16777216.0f;
}

static void test_numbers(void **state)
{
    const rv_device *d = ((shared *)*state)->device;
    const char *text[3] = {
        text_of("common"),
        "layout(local_size_x = 64) in;\n"
        "READS(0, A, float, a);\nREADS(1, B, float, b);\nCHANGES(2, C, float, c);\n"
        "void main() { uint i = gl_GlobalInvocationID.x, n = 262144u;\n"
        "    c[i] = quotient_of(a[i], b[i]);\n    c[n + i] = root_of(a[i]);\n"
        "    c[2u * n + i] = inverse_of(b[i]);\n    c[3u * n + i] = depth_after(a[i], -b[i]); }\n",
        text_of("thread")};
    rv_messages messages = {0};
    rv_device_kernel *k = NULL;
    if (d->make_kernel(d->user, "numbers", text, 3, &k, &messages) != RV_OK)
        print_error("%s\n", messages.text);
    assert_non_null(k);
    size_t bytes = NUMBERS * sizeof(float);
    float *a = malloc(bytes), *b = malloc(bytes), *c = malloc(4 * bytes);
    rv_device_buffer *buffers[3] = {NULL};
    rv_card_constants law = {.salt = 12345};
    assert_true(a && b && c);
    for (int i = 0; i < 3; i++)
        assert_int_equal(d->make_buffer(d->user, i == 2 ? 4 * bytes : bytes, &buffers[i]), RV_OK);
    for (uint32_t round = 1; round <= 4; round++) {
        fill_numbers(a, b, 2654435761u * round);
        d->write(d->user, buffers[0], 0, a, bytes);
        d->write(d->user, buffers[1], 0, b, bytes);
        rv_device_call call = {k, buffers, 3, &law, sizeof law, {NUMBERS / 64, 1, 1}, NULL, 0};
        assert_int_equal(d->dispatch(d->user, &call), RV_OK);
        assert_int_equal(d->fetch(d->user, buffers[2], 0, c, 4 * bytes), RV_OK);
        for (int i = 0; i < NUMBERS; i++) {
            float expected[4] = {a[i] / b[i], sqrtf(a[i]), rv_f_inverse(b[i]),
                                 rv_depth_after(a[i], -b[i], 12345)};
            for (int q = 0; q < 4; q++)
                if (memcmp(&c[q * NUMBERS + i], &expected[q], 4) != 0)
                    fail_msg("number %d of %a and %a: %a, not %a", q, (double)a[i], (double)b[i],
                             (double)c[q * NUMBERS + i], (double)expected[q]);
        }
    }
    for (int i = 0; i < 3; i++) d->free_buffer(d->user, buffers[i]);
    d->free_kernel(d->user, k);
    free(a), free(b), free(c);
}

// ---- Worlds -------------------------------------------------------------------------------------

static void test_laws(void **state)
{
    for (int k = 0; k < 6; k++) {
        small_world s;
        slope_world(&s, k < 3 ? RV_SOLVER_PIPES : RV_SOLVER_SWE);
        rv_params *p = &s.def.params;
        if (k == 0) p->pipes_area = RV_AREA_CELL;
        if (k == 2) p->pipes_momentum = false;
        if (k == 4) p->swe_advection = RV_SWE_SEMI;
        if (k == 5) p->swe_order = 1;
        same_after(&s.def, device_of(state), 12, 0.01);
    }
}

// So many columns that groups are taller, and what there are few of has kernels of its own. Parts
// of it are dry.
static void test_many(void **state)
{
    enum { N = 400 };
    float *heights = malloc(sizeof *heights * N * N);
    assert_non_null(heights);
    for (int i = 0; i < N * N; i++)
        heights[i] = 0.01f + 0.004f * sinf(0.05f * (float)(i % N)) * cosf(0.04f * (float)(i / N));
    for (int k = 0; k < 3; k++) {
        rv_world_def def = rv_default_world_def();
        rv_fill_def fill = rv_default_fill_def();
        def.params.grid_nx = def.params.grid_ny = N, def.params.grid_top = 1;
        def.params.tension_on = k == 2;
        def.params.pipes_area = k == 0 ? RV_AREA_CELL : RV_AREA_WET;
        if (k == 2) def.params.border_west = RV_BORDER_OPEN;
        fill.level = 0.012, fill.to.x = 0;
        def.heights = heights, def.fills = &fill, def.fill_count = 1;
        same_after(&def, device_of(state), 1, k == 0 ? 0.02 : 0.003);
    }
    free(heights);
}

static void test_eight(void **state)
{
    for (int k = 0; k < 2; k++) {
        small_world s;
        slope_world(&s, RV_SOLVER_PIPES);
        s.def.params.pipes_neighbours = RV_NEIGHBOURS_EIGHT;
        s.def.params.pipes_area = k ? RV_AREA_CELL : RV_AREA_WET;
        s.def.params.pipes_quotient = k ? 0.5 : 0;
        same_after(&s.def, device_of(state), 10, 0.01);
    }
}

// Gravity that leans, steps that are too long for the bound, a lid that is touched.
static void test_hard(void **state)
{
    small_world s;
    slope_world(&s, RV_SOLVER_PIPES);
    s.def.params.gravity = (rv_vec3){1.5, -0.7, -9};
    s.def.params.time_substeps_max = 2;
    same_after(&s.def, device_of(state), 10, 0.02);
    slope_world(&s, RV_SOLVER_PIPES);
    s.def.params.grid_top = 0.06, s.source.at.z = 0.058, s.source.rate = 2e-3;
    same_after(&s.def, device_of(state), 10, 0.01);
}

static void test_borders(void **state)
{
    for (int k = 0; k < 3; k++) {
        small_world s;
        slope_world(&s, k == 2 ? RV_SOLVER_SWE : RV_SOLVER_PIPES);
        rv_params *p = &s.def.params;
        p->pipes_area = k == 0 ? RV_AREA_CELL : RV_AREA_WET;
        p->border_west = RV_BORDER_OPEN, p->border_east = RV_BORDER_LEVEL;
        p->border_east_level = 0.05, p->border_south = RV_BORDER_OPEN;
        p->border_north = RV_BORDER_INFLOW, p->border_north_rate = 1e-5;
        same_after(&s.def, device_of(state), 10, 0.01);
    }
}

static void test_layers(void **state)
{
    small_world s;
    for (int k = 0; k < 2; k++) {
        small_layers(&s, k ? RV_SOLVER_SWE : RV_SOLVER_PIPES);
        s.def.params.tension_on = false;
        same_after(&s.def, device_of(state), 8, 0.004);
    }
    small_basin(&s);
    s.def.params.tension_on = false;
    same_after(&s.def, device_of(state), 12, 0.01);
    small_tanks(&s, RV_SOLVER_PIPES);
    same_after(&s.def, device_of(state), 6, 0.01);
}

static void test_spray_and_bodies(void **state)
{
    small_world s;
    small_collapse(&s);
    same_after(&s.def, device_of(state), 10, 0.01);
    small_collapse(&s);
    s.def.params.spray_on = false;
    s.body[0] = rv_default_body_def();
    s.body[0].at = (rv_vec3){0.05, 0, 0.3}, s.body[0].radius = 0.04, s.body[0].density = 400;
    s.def.bodies = s.body, s.def.body_count = 1;
    same_after(&s.def, device_of(state), 8, 0.01);
}

// Drops on solids that come, run, go over into columns and back: the list is worked on here, the
// columns there.
static void test_drops_on_solids(void **state)
{
    small_world s;
    small_grid(&s, RV_SOLVER_PIPES, 30, 30, 1e-3);
    rv_params *p = &s.def.params;
    p->grid_top = 0.03, p->dew_on = true, p->dew_rain = 3e5, p->dew_smallest = 5e-4;
    p->dew_largest = 2e-3, p->dew_gives = 1, p->dew_takes = 0.8, p->dew_residual = 0.05;
    s.solid[0].shape = RV_SHAPE_PLANE, s.solid[0].at.z = 0.004;
    s.solid[1].shape = RV_SHAPE_BOX, s.solid[1].at = (rv_vec3){0, 0, 0.012};
    s.solid[1].size = (rv_vec3){0.010, 0.012, 0.016};
    s.def.solid_count = 2;
    same_after(&s.def, device_of(state), 15, 5e-3);
}

// What is done to a world between steps.
static void pester(rv_world *world, int step)
{
    rv_event_def edit = rv_default_event_def();
    rv_solid_def tool = rv_default_solid_def();
    rv_messages messages = {0};
    rv_params params = *rv_world_params(world);
    if (step == 1) rv_world_pour(world, (rv_vec3){0.01, 0.01, 0.15}, 0.005, 2e-6);
    if (step == 2)
        rv_world_stir(world, (rv_vec3){0, 0, 0.06}, (rv_vec3){0.02, 0, 0.06}, 0.01, 0.05);
    if (step == 3) {
        tool.shape = RV_SHAPE_SPHERE, tool.at = (rv_vec3){0, 0.01, 0.04}, tool.radius = 0.008;
        edit.tool = &tool, edit.tool_count = 1;
        assert_int_equal(rv_world_edit(world, &edit, NULL, &messages), RV_OK);
    }
    if (step == 4) {
        params.liquid_viscosity = 1e-4, params.border_west = RV_BORDER_OPEN;
        assert_int_equal(rv_world_set_params(world, &params, &messages), RV_OK);
    }
}

static void test_changes(void **state)
{
    small_world s;
    slope_world(&s, RV_SOLVER_PIPES);
    rv_world *here = make(&s.def);
    s.def.device = device_of(state);
    rv_world *there = make(&s.def);
    for (int i = 0; i < 8; i++) {
        pester(here, i), pester(there, i);
        run(here, 1, 0.01), run(there, 1, 0.01);
        assert_true(rv_world_hash(here) == rv_world_hash(there));
    }
    // a snapshot of one goes on in the other
    size_t size = 0;
    unsigned char *kept = save(there, &size);
    rv_messages messages = {0};
    run(there, 3, 0.01);
    uint64_t after = rv_world_hash(there);
    assert_int_equal(rv_world_restore(here, kept, size, &messages), RV_OK);
    assert_int_equal(rv_world_restore(there, kept, size, &messages), RV_OK);
    run(here, 3, 0.01), run(there, 3, 0.01);
    assert_true(rv_world_hash(here) == after && rv_world_hash(there) == after);
    free(kept);
    rv_world_destroy(here);
    rv_world_destroy(there);
}

// ---- What it refuses, and what fails ------------------------------------------------------------

static void test_refusals(void **state)
{
    rv_world_def glass = grid_def(RV_SOLVER_GLASS, 40, 40, 0.001);
    glass.device = device_of(state);
    expect_refused(&glass, "solver: glass does not run on the card");
}

// The step says so, once, and the processor goes on from what was last looked at.
static void test_lost(void **state)
{
    small_world s;
    slope_world(&s, RV_SOLVER_PIPES);
    failing f = {device_of(state), -1, -1, NULL};
    rv_device device = failing_device(&f);
    s.def.device = &device;
    rv_world *world = make(&s.def);
    run(world, 5, 0.01);
    rv_stats seen = stats_of(world);
    f.dispatches = 2;
    assert_int_equal(rv_world_step(world, 0.01), RV_DEVICE_LOST);
    assert_string_equal(rv_result_text(RV_DEVICE_LOST), "the graphics card failed");
    assert_int_equal(rv_world_step(world, 0.01), RV_OK);
    rv_stats after = stats_of(world);
    assert_true(after.volume > seen.volume && after.not_finite == 0);
    run(world, 5, 0.01);
    rv_world_destroy(world);
}

static void test_no_memory(void **state)
{
    small_world s;
    slope_world(&s, RV_SOLVER_PIPES);
    for (int k = 0; k < RV_CARD_BINDINGS; k += 3) {
        failing f = {device_of(state), -1, k, NULL};
        rv_device device = failing_device(&f);
        rv_messages messages = {0};
        rv_world *world = NULL;
        s.def.device = &device;
        assert_int_equal(rv_world_create(&s.def, &world, &messages), RV_OUT_OF_MEMORY);
        assert_null(world);
        assert_int_equal(messages.count, 1);
        assert_non_null(strstr(messages.text, "card: no memory for"));
    }
}

static size_t most; // bytes that a buffer may have

static rv_result small_buffer(void *user, size_t bytes, rv_device_buffer **out)
{
    const failing *f = user;
    *out = NULL;
    return bytes > most ? RV_OUT_OF_MEMORY : f->real->make_buffer(f->real->user, bytes, out);
}

// A world too large for the card is refused in one line that tells both sizes, whichever of its
// buffers it is; one that fits is not, and the processor takes any.
static void test_too_large(void **state)
{
    small_world s;
    slope_world(&s, RV_SOLVER_PIPES);
    failing f = {device_of(state), -1, -1, NULL};
    rv_device device = failing_device(&f);
    device.make_buffer = small_buffer;
    s.def.device = &device;
    for (most = 1 << 8; most < 1 << 24; most *= 4) {
        rv_messages messages = {0};
        rv_world *world = NULL;
        device.buffer_most = most;
        rv_result r = rv_world_create(&s.def, &world, &messages);
        if (most == 1 << 8) assert_int_equal(r, RV_OUT_OF_MEMORY);
        if (most == 1 << 22) assert_int_equal(r, RV_OK);
        assert_true((r == RV_OK) == (world != NULL));
        if (r == RV_OK) assert_int_equal(rv_world_step(world, 0.01), RV_OK);
        if (r != RV_OK) {
            assert_int_equal(messages.count, 1);
            assert_non_null(strstr(messages.text, "card: no memory for"));
            assert_non_null(strstr(messages.text, "in one buffer; --backend cpu"));
        }
        rv_world_destroy(world);
    }
    s.def.device = NULL;
    rv_world_destroy(make(&s.def));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_context),
        cmocka_unit_test(test_buffers),
        cmocka_unit_test(test_large_writes),
        cmocka_unit_test(test_dispatch),
        cmocka_unit_test(test_answers),
        cmocka_unit_test(test_bad_kernel),
        cmocka_unit_test(test_draw),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_laws),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_eight),
        cmocka_unit_test(test_hard),
        cmocka_unit_test(test_borders),
        cmocka_unit_test(test_layers),
        cmocka_unit_test(test_spray_and_bodies),
        cmocka_unit_test(test_drops_on_solids),
        cmocka_unit_test(test_changes),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_lost),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_too_large),
    };
    // OpenGL in place of OpenGL ES: other ways to memory that both sides see, and other kernels
    const struct CMUnitTest doubles[] = {
        cmocka_unit_test(test_buffers),   cmocka_unit_test(test_large_writes),
        cmocka_unit_test(test_dispatch),  cmocka_unit_test(test_answers),
        cmocka_unit_test(test_draw),      cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_borders),   cmocka_unit_test(test_lost),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, enter, leave) +
           cmocka_run_group_tests_name("with doubles", doubles, enter_doubles, leave);
}
