// The surface from close by that is made finer on the card against the processor's, of the same
// mesh and for the same eye: triangle by triangle, all that their corners have. Then pictures of
// both backends.
#include "card_worlds.h"

#include "render/renderer_parts.h"
#include "rivulet_io/rivulet_io.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PARTS = 7, WIDE = 320, HIGH = 224 };
static const int wide[PARTS] = {3, 3, 1, 3, 4, 1, 1};
static const char *const part_name[PARTS] = {"places",  "normals",   "depth", "velocity",
                                             "contact", "roughness", "drop"};
enum { PLACE, NORMAL, DEPTH, VELOCITY, CONTACT, ROUGHNESS, DROP };

// ---- A surface that was brought here ------------------------------------------------------------

static void *buffer_of(uint32_t name, size_t at, size_t bytes)
{
    void *out = malloc(bytes ? bytes : 1);
    glBindBuffer(GL_COPY_READ_BUFFER, name);
    const void *from = bytes ? glMapBufferRange(GL_COPY_READ_BUFFER, (GLintptr)at,
                                                (GLsizeiptr)bytes, GL_MAP_READ_BIT)
                             : NULL;
    assert_true(out && (from || !bytes));
    if (bytes) memcpy(out, from, bytes);
    if (bytes) glUnmapBuffer(GL_COPY_READ_BUFFER);
    return out;
}

typedef struct brought {
    float *words; // of all arrays
    uint32_t *corner;
    size_t corners; // that are drawn, those at the grid's sides with them
    rv_surface_mesh mesh;
} brought;

static brought bring(const rv_surface_card *card, size_t triangles)
{
    brought b = {0};
    glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
    uint32_t *draw = buffer_of(card->draw, card->draw_at, 4);
    b.corners = *draw;
    free(draw);
    b.words = buffer_of(card->vertices, 0, 64 * card->vertex_room);
    b.corner = buffer_of(card->indices, 0, 4 * b.corners);
    const float *part[PARTS], *at = b.words;
    for (int k = 0; k < PARTS; at += (size_t)wide[k] * card->vertex_room, k++) part[k] = at;
    b.mesh = (rv_surface_mesh){.vertex_count = card->vertex_count,
                               .triangle_count = triangles,
                               .positions = part[PLACE],
                               .normals = part[NORMAL],
                               .depth = part[DEPTH],
                               .velocity = part[VELOCITY],
                               .contact = card->contact ? part[CONTACT] : NULL,
                               .roughness = part[ROUGHNESS],
                               .drop = part[DROP],
                               .indices = b.corner};
    return b;
}

static void drop(brought *b)
{
    free(b->words);
    free(b->corner);
}

// ---- Compared -----------------------------------------------------------------------------------

// The most that a part of any corner differs by: places in cells, the others over the greatest
// there is.
static void differences(const rv_surface_mesh *a, const rv_surface_mesh *b, double dx,
                        double most[PARTS])
{
    const float *const of_a[PARTS] = {a->positions, a->normals,   a->depth, a->velocity,
                                      a->contact,   a->roughness, a->drop};
    const float *const of_b[PARTS] = {b->positions, b->normals,   b->depth, b->velocity,
                                      b->contact,   b->roughness, b->drop};
    for (int k = 0; k < PARTS; k++) {
        double far = 0, size = k == PLACE ? dx : 1e-30;
        most[k] = 0;
        if (!of_a[k] || !of_b[k]) continue;
        for (size_t n = 0; n < 3 * a->triangle_count; n++)
            for (int i = 0; i < wide[k]; i++) {
                double p = (double)of_a[k][(size_t)wide[k] * a->indices[n] + (size_t)i];
                double q = (double)of_b[k][(size_t)wide[k] * b->indices[n] + (size_t)i];
                far = fmax(far, fabs(p - q));
                if (k != PLACE) size = fmax(size, fabs(p));
            }
        most[k] = far / size;
    }
}

// What closes both at the grid's sides: as many triangles, with the same corners in another order.
static int by_place(const void *a, const void *b)
{
    const float *p = a, *q = b;
    for (int k = 0; k < 3; k++)
        if (p[k] != q[k]) return p[k] < q[k] ? -1 : 1;
    return 0;
}

// The corners' places, in thousandths of a cell.
static float (*in_order(float (*place)[3], size_t count, double dx))[3]
{
    for (size_t n = 0; n < count; n++)
        for (int k = 0; k < 3; k++) place[n][k] = roundf(place[n][k] * (float)(1e3 / dx));
    qsort(place, count, sizeof *place, by_place);
    return place;
}

static size_t same_sides(const rv_surface_mesh *mesh, const rv_surface_mesh *first,
                         const rv_columns *columns, const brought *card)
{
    rv_sides sides = {0}, again = {0};
    const float low[2] = {-1e9f, -1e9f}, high[2] = {1e9f, 1e9f};
    assert_int_equal(rv_sides_make(&sides, first, columns, low, high), RV_OK);
    assert_int_equal(rv_sides_again(&again, mesh, columns, low, high, &sides, first->vertex_count),
                     RV_OK);
    size_t own = 3 * card->mesh.triangle_count, count = 3 * again.triangle_count, off = 0;
    assert_int_equal(card->corners - own, count);
    float(*a)[3] = malloc((count + 1) * sizeof *a), (*b)[3] = malloc((count + 1) * sizeof *b);
    assert_true(a && b);
    for (size_t n = 0; n < count; n++) {
        uint32_t corner = again.indices[n];
        const float *p = corner < mesh->vertex_count
                             ? mesh->positions + 3 * (size_t)corner
                             : again.vertices[corner - mesh->vertex_count].position;
        memcpy(a[n], p, sizeof a[n]);
        memcpy(b[n], card->mesh.positions + 3 * (size_t)card->corner[own + n], sizeof b[n]);
    }
    in_order(a, count, columns->dx), in_order(b, count, columns->dx);
    for (size_t n = 0; n < count; n++)
        for (int k = 0; k < 3; k++) off += fabsf(a[n][k] - b[n][k]) > 2;
    assert_true(off <= count / 100); // some are rounded to other thousandths, and stand elsewhere
    free(a);
    free(b);
    rv_sides_free(&sides);
    rv_sides_free(&again);
    return count;
}

typedef struct scene {
    rv_scene *scene;
    rv_world *world; // on the card
    rv_surface *there, *here;
} scene;

static rv_world *world_of(rv_scene *from, const rv_device *device)
{
    rv_messages messages = {0};
    rv_scene_work work = rv_default_scene_work();
    rv_world *world;
    work.device = device;
    if (rv_scene_make_world(from, &work, &world, &messages) != RV_OK) fail_msg("%s", messages.text);
    return world;
}

// A world on the card as it is after some steps, which the processor does.
static scene open_scene(void **state, const char *name, int steps)
{
    rv_messages messages = {0};
    scene s = {0};
    char path[512];
    snprintf(path, sizeof path, "%s/%s.yaml", RV_SCENES_BUILD_DIR, name);
    assert_int_equal(rv_scene_open(path, &s.scene, &messages), RV_OK);
    rv_world *here = world_of(s.scene, NULL);
    s.world = world_of(s.scene, device_of(state));
    for (int i = 0; i < steps; i++)
        assert_int_equal(rv_world_step(here, rv_world_params(here)->time_step), RV_OK);
    size_t size = rv_world_snapshot_size(here);
    void *saved = malloc(size);
    assert_non_null(saved);
    assert_int_equal(rv_world_save(here, saved, size), RV_OK);
    assert_int_equal(rv_world_restore(s.world, saved, size, &messages), RV_OK);
    free(saved);
    rv_world_destroy(here);
    assert_int_equal(rv_surface_create(s.world, &s.there), RV_OK);
    assert_int_equal(rv_surface_create(s.world, &s.here), RV_OK);
    assert_int_equal(rv_surface_update_drawn(s.there, s.world), RV_OK);
    assert_int_equal(rv_surface_update(s.here, s.world), RV_OK);
    return s;
}

static void close_scene(scene *s)
{
    rv_surface_destroy(s->there);
    rv_surface_destroy(s->here);
    rv_world_destroy(s->world);
    rv_scene_close(s->scene);
}

// Divided once, twice and three times, whole and in part, what the card makes is what is made here
// of the same mesh, but for how sums are rounded.
static void same_vertices(const char *name, scene *s, rv_finer_card *made, size_t *sides)
{
    static const rv_finer_how ways[] = {
        {1, {0.4f, 0, 0}, RV_FINER_MOST, true},
        {2, {1, 1, 0}, RV_FINER_MOST, true},
        {3, {1, 1, 0.7f}, RV_FINER_MOST, false},
        {3, {1, 1, 1}, 40000, false}, // that is too many: once or twice, or not at all
    };
    rv_surface_card card;
    rv_columns columns;
    rv_extent extent;
    rv_finer finer = {0};
    rv_params p = *rv_world_params(s->world);
    p.view_zoom = 5;
    assert_int_equal(rv_surface_get_card(s->there, &card), RV_OK);
    assert_int_equal(rv_world_get_columns(s->world, &columns), RV_OK);
    rv_extent_find(&extent, &columns);
    rv_eye eye = rv_eye_of(&p, &extent, WIDE, HIGH);
    brought mesh = bring(&card, card.triangle_count);
    assert_true(rv_finer_keep(&finer, &mesh.mesh));
    for (size_t n = 0; n < sizeof ways / sizeof ways[0]; n++) {
        rv_surface_mesh out;
        double most[PARTS];
        assert_true(rv_finer_make(&finer, &extent, &eye, &ways[n], &out));
        assert_true(rv_finer_card_make(made, &card, &extent, &eye, &ways[n], columns.planes));
        uint32_t *own = buffer_of(made->made.draw, made->own_at, 4);
        brought fine = bring(&made->made, *own);
        free(own);
        if (fine.mesh.triangle_count != out.triangle_count)
            fail_msg("%s: %zu triangles, %zu on the card", name, out.triangle_count,
                     fine.mesh.triangle_count);
        differences(&out, &fine.mesh, extent.dx, most);
        bool good = most[DROP] == 0 && (n == 3 || out.triangle_count > card.triangle_count);
        for (int k = 0; k < PARTS; k++) good = good && most[k] < (k == PLACE ? 1e-4 : 2e-5);
        if (getenv("RV_TELL") || !good) {
            print_message("%s, %d levels: %zu triangles in place of %zu, most", name,
                          ways[n].levels, out.triangle_count, card.triangle_count);
            for (int k = 0; k < PARTS; k++) print_message(" %s %.2g", part_name[k], most[k]);
            print_message("\n");
        }
        if (!good && !getenv("RV_TELL")) fail_msg("%s: other vertices on the card", name);
        *sides += same_sides(&out, &mesh.mesh, &columns, &fine);
        drop(&fine);
    }
    drop(&mesh);
    rv_finer_free(&finer);
}

// ---- Pictures -----------------------------------------------------------------------------------

static void draw(rv_renderer *renderer, rv_target *target, const rv_world *world,
                 const rv_surface *surface, const rv_params *params, uint8_t *rgb)
{
    rv_messages messages = {0};
    if (rv_renderer_update(renderer, world, surface, &messages) != RV_OK)
        fail_msg("no picture: %s", messages.text);
    assert_int_equal(rv_renderer_draw(renderer, params), RV_OK);
    assert_int_equal(rv_target_read(target, rgb), RV_OK);
}

// How many bytes differ by more than a step of 255.
static int bytes_between(const uint8_t *a, const uint8_t *b)
{
    int far = 0;
    for (int i = 0; i < 3 * WIDE * HIGH; i++) far += abs((int)a[i] - (int)b[i]) > 1;
    return far;
}

// What the camera looks at: the vertex that is nearest to a place, seen from so far above; or else
// where liquid ends with the least tilt: where a rim hangs over, if one does.
typedef struct view {
    double elevation, x, y; // rad, m; 0: none
} view;

static void aim(rv_params *p, const scene *s, const view *v)
{
    rv_surface_mesh m;
    rv_columns columns;
    rv_extent e;
    double least = INFINITY;
    assert_int_equal(rv_world_get_columns(s->world, &columns), RV_OK);
    rv_extent_find(&e, &columns);
    double middle = e.bottom + 0.5 * (double)(e.low + e.high) * e.dx;
    if (v->elevation > 0) p->view_elevation = v->elevation;
    assert_int_equal(rv_surface_get_mesh(s->here, &m), RV_OK);
    for (size_t n = 0; n < m.vertex_count; n++) {
        const float *at = m.positions + 3 * n;
        double value = hypot((double)at[0] - v->x, (double)at[1] - v->y);
        if (v->elevation == 0) value = m.depth[n] > 0 ? INFINITY : (double)m.contact[4 * n + 3];
        if (!(value < least)) continue;
        least = value;
        p->view_x = (double)at[0], p->view_y = (double)at[1], p->view_z = (double)at[2] - middle;
    }
}

// Both surfaces look the same from close by: no byte differs by more than a step of 255, but for
// one in a thousand at most (test_card_surface.c tells why). Many do to a surface that is not
// finer.
static void same_pictures(const char *name, void **state, const scene *s, const view *v)
{
    static uint8_t there[3 * WIDE * HIGH], here[3 * WIDE * HIGH], coarse[3 * WIDE * HIGH];
    shared *card = *state;
    rv_renderer *r;
    rv_messages messages = {0};
    rv_params p = *rv_world_params(s->world);
    aim(&p, s, v);
    assert_int_equal(rv_target_resize(card->target, WIDE, HIGH), RV_OK);
    assert_int_equal(rv_renderer_create(card->target, NULL, &r, &messages), RV_OK);
    for (p.view_zoom = 6; p.view_zoom < 13; p.view_zoom += 6) {
        draw(r, card->target, s->world, s->there, &p, there);
        assert_true(rv_sheet_is_finer(&r->sheet));
        draw(r, card->target, s->world, s->here, &p, here);
        r->sheet.finer_card.cannot = true;
        draw(r, card->target, s->world, s->there, &p, coarse);
        assert_false(rv_sheet_is_finer(&r->sheet));
        r->sheet.finer_card.cannot = false;
        int far = bytes_between(there, here), without = bytes_between(coarse, here);
        const int few = 3 * WIDE * HIGH / 1000;
        if (getenv("RV_TELL") || far > few)
            print_message("%s, zoom %g: %d of %d bytes differ by more than one; %d if not finer\n",
                          name, p.view_zoom, far, 3 * WIDE * HIGH, without);
        if (far > few) fail_msg("%s: another picture", name);
        assert_true(without > 4 * few);
    }
    rv_renderer_destroy(r);
}

static const struct {
    const char *name;
    int steps;
    view view;
} scenes[] = {{"three-layers-drowned", 120, {0, 0, 0}},
              {"leaf", 60, {0, 0, 0}},
              {"puddle-mercury", 60, {0, 0, 0}},
              {"coffee", 16, {1.2, 0.014, 0.034}},
              {"surgery", 100, {0.77, -0.009, -0.018}}};

static void the_same_on_the_card(void **state)
{
    const char *only = getenv("RV_SCENE");
    rv_finer_card made = {0}; // for all: what one left must not be seen in the next
    size_t sides = 0;
    for (size_t n = 0; n < sizeof scenes / sizeof scenes[0]; n++) {
        const char *name = scenes[n].name;
        if (only && strcmp(only, name) != 0) continue;
        scene s = open_scene(state, name, scenes[n].steps);
        same_vertices(name, &s, &made, &sides);
        same_pictures(name, state, &s, &scenes[n].view);
        close_scene(&s);
    }
    rv_finer_card_free(&made);
    assert_true(only || sides > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_same_on_the_card)};
    return cmocka_run_group_tests(tests, enter, leave);
}
