// The surface that is made on the card against the processor's, vertex by vertex and triangle by
// triangle: places, depths, normals, velocities, roughness and drops to the bit, the meniscus as
// near as atan allows. Shipped scenes with columns, after some steps; what is kept from frame to
// frame; and what the card leaves to the processor.
#include "card_worlds.h"

#include "rivulet_gl/renderer.h"
#include "rivulet_io/rivulet_io.h"
#include "surface_check.h"

#include <epoxy/gl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WORDS = 16, PARTS = 7 };
static const int wide[PARTS] = {3, 3, 1, 3, 4, 1, 1};
static const char *const part_name[PARTS] = {"places",  "normals",   "depth", "velocity",
                                             "contact", "roughness", "drop"};
enum { PLACE, NORMAL, DEPTH, VELOCITY, CONTACT, ROUGHNESS, DROP };

// Vertices with all they have, one after the other, and triangles.
typedef struct soup {
    size_t vertices, triangles;
    float (*vertex)[WORDS];
    uint32_t *index, *order, *rank;
} soup;

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

static soup card_soup(const rv_surface *surface)
{
    rv_surface_card card;
    assert_int_equal(rv_surface_get_card(surface, &card), RV_OK);
    soup s = {.vertices = card.vertex_count, .triangles = card.triangle_count};
    size_t room = card.vertex_room, first = 0;
    glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
    float *mesh = s.vertices ? buffer_of(card.vertices, 0, 4 * WORDS * room) : NULL;
    s.index = buffer_of(s.triangles ? card.indices : 0, 0, 12 * s.triangles);
    s.vertex = malloc((s.vertices + 1) * sizeof *s.vertex);
    for (int k = 0, at = 0; k < PARTS; at += wide[k], first += (size_t)wide[k], k++)
        for (size_t v = 0; v < s.vertices; v++)
            memcpy(&s.vertex[v][at], mesh + first * room + (size_t)wide[k] * v,
                   (size_t)wide[k] * 4);
    if (!card.contact)
        for (size_t v = 0; v < s.vertices; v++) memset(&s.vertex[v][10], 0, 16);
    free(mesh);
    return s;
}

static soup mesh_soup(const rv_surface *surface)
{
    rv_surface_mesh m;
    assert_int_equal(rv_surface_get_mesh(surface, &m), RV_OK);
    soup s = {.vertices = m.vertex_count, .triangles = m.triangle_count};
    const float *part[PARTS] = {m.positions, m.normals,   m.depth, m.velocity,
                                m.contact,   m.roughness, m.drop};
    s.index = malloc(12 * s.triangles + 1);
    s.vertex = malloc((s.vertices + 1) * sizeof *s.vertex);
    if (s.triangles) memcpy(s.index, m.indices, 12 * s.triangles);
    for (int k = 0, at = 0; k < PARTS; at += wide[k], k++)
        for (size_t v = 0; v < s.vertices; v++) {
            memset(&s.vertex[v][at], 0, (size_t)wide[k] * 4);
            if (part[k])
                memcpy(&s.vertex[v][at], part[k] + (size_t)wide[k] * v, (size_t)wide[k] * 4);
        }
    return s;
}

static void free_soup(soup *s)
{
    free(s->vertex);
    free(s->index);
    free(s->order);
    free(s->rank);
}

// ---- In one order -------------------------------------------------------------------------------

static const soup *sorted;

// By place and drop, which tell column, layer and kind; then by the rest.
static int by_place(const void *a, const void *b)
{
    static const int order[WORDS] = {0, 1, 2, 15, 6, 3, 4, 5, 7, 8, 9, 14, 10, 11, 12, 13};
    const float *p = sorted->vertex[*(const uint32_t *)a],
                *q = sorted->vertex[*(const uint32_t *)b];
    for (int k = 0; k < WORDS; k++)
        if (p[order[k]] != q[order[k]]) return p[order[k]] < q[order[k]] ? -1 : 1;
    return 0;
}

static int by_corners(const void *a, const void *b)
{
    return memcmp(a, b, 12);
}

// Vertices by place; triangles begin with their first corner.
static void sort_soup(soup *s)
{
    s->order = malloc((s->vertices + 1) * 4), s->rank = malloc((s->vertices + 1) * 4);
    for (size_t v = 0; v < s->vertices; v++) s->order[v] = (uint32_t)v;
    sorted = s;
    qsort(s->order, s->vertices, 4, by_place);
    for (size_t v = 0; v < s->vertices; v++) s->rank[s->order[v]] = (uint32_t)v;
    for (size_t t = 0; t < s->triangles; t++) {
        uint32_t c[3];
        for (int k = 0; k < 3; k++) {
            assert_true(s->index[3 * t + (size_t)k] < s->vertices);
            c[k] = s->rank[s->index[3 * t + (size_t)k]];
        }
        int first = c[0] < c[1] && c[0] < c[2] ? 0 : c[1] < c[2] ? 1 : 2;
        for (int k = 0; k < 3; k++) s->index[3 * t + (size_t)k] = c[(first + k) % 3];
    }
    qsort(s->index, s->triangles, 12, by_corners);
}

// ---- Compared -----------------------------------------------------------------------------------

typedef struct difference {
    size_t other[PARTS]; // vertices with other bits
    double most[PARTS];
    size_t triangles;
} difference;

static difference compare(const soup *a, const soup *b)
{
    difference d = {0};
    for (size_t v = 0; v < a->vertices; v++) {
        const float *p = a->vertex[a->order[v]], *q = b->vertex[b->order[v]];
        for (int k = 0, at = 0; k < PARTS; at += wide[k], k++) {
            bool other = false;
            for (int i = at; i < at + wide[k]; i++) {
                double off = fabs((double)p[i] - (double)q[i]);
                if (p[i] != q[i]) other = true;
                if (!(off <= d.most[k])) d.most[k] = off;
            }
            d.other[k] += other;
        }
    }
    for (size_t t = 0; t < a->triangles; t++)
        d.triangles += memcmp(a->index + 3 * t, b->index + 3 * t, 12) != 0;
    return d;
}

typedef struct pair {
    rv_surface *there, *here;
} pair;

static pair open_pair(const rv_world *world)
{
    pair p;
    assert_int_equal(rv_surface_create(world, &p.there), RV_OK);
    assert_int_equal(rv_surface_create(world, &p.here), RV_OK);
    return p;
}

static void close_pair(pair *p)
{
    rv_surface_destroy(p->there);
    rv_surface_destroy(p->here);
}

// Both surfaces of a world as it is; whether `there` was made on the card.
static void same_surface(const char *name, int step, const pair *p, const rv_world *world)
{
    assert_int_equal(rv_surface_update_drawn(p->there, world), RV_OK);
    rv_surface_stats stats;
    assert_int_equal(rv_surface_get_stats(p->there, &stats), RV_OK);
    if (!stats.on_card) fail_msg("%s: not on the card", name);
    assert_int_equal(rv_surface_update(p->here, world), RV_OK);
    soup a = card_soup(p->there), b = mesh_soup(p->here);
    if (a.vertices != b.vertices || a.triangles != b.triangles)
        fail_msg("%s, step %d: %zu vertices and %zu triangles on the card, %zu and %zu here", name,
                 step, a.vertices, a.triangles, b.vertices, b.triangles);
    sort_soup(&a), sort_soup(&b);
    difference d = compare(&a, &b);
    bool good = d.triangles == 0;
    for (int k = 0; k < PARTS; k++) good = good && (k == CONTACT || d.other[k] == 0);
    // of the meniscus, atan
    good = good && d.most[CONTACT] < 2e-6;
    if (getenv("RV_TELL") || !good) {
        print_message("%s, step %d: %zu vertices, %zu triangles, others %zu;", name, step,
                      a.vertices, a.triangles, d.triangles);
        for (int k = 0; k < PARTS; k++)
            if (d.other[k]) print_message(" %s %zu (%.3g)", part_name[k], d.other[k], d.most[k]);
        print_message("\n");
    }
    if (!good && !getenv("RV_TELL"))
        fail_msg("%s, step %d: another surface on the card", name, step);
    free_soup(&a), free_soup(&b);
}

// ---- Pictures -----------------------------------------------------------------------------------

enum { WIDE = 320, HIGH = 240 };

static void draw(rv_renderer *renderer, rv_target *target, const rv_world *world,
                 const rv_surface *surface, uint8_t *rgb)
{
    rv_messages messages = {0};
    if (rv_renderer_update(renderer, world, surface, &messages) != RV_OK)
        fail_msg("no picture: %s", messages.text);
    assert_int_equal(rv_renderer_draw(renderer, rv_world_params(world)), RV_OK);
    assert_int_equal(rv_target_read(target, rgb), RV_OK);
}

// Both surfaces look the same: no byte differs by more than a step of 255, but for one in a
// thousand at most. Where triangles are seen edge-on, the one that is drawn last is seen, and their
// order is another: in `three-layers-drowned` that is so for 87 of 230,400.
static void same_picture(const char *name, void **state, const pair *p, const rv_world *world)
{
    static uint8_t a[3 * WIDE * HIGH], b[3 * WIDE * HIGH];
    shared *s = *state;
    rv_renderer *renderer;
    rv_messages messages = {0};
    int other = 0, far = 0, most = 0;
    assert_int_equal(rv_target_resize(s->target, WIDE, HIGH), RV_OK);
    assert_int_equal(rv_renderer_create(s->target, NULL, &renderer, &messages), RV_OK);
    draw(renderer, s->target, world, p->here, a); // a first picture, in which all is new
    draw(renderer, s->target, world, p->there, a);
    draw(renderer, s->target, world, p->here, b);
    for (int i = 0; i < 3 * WIDE * HIGH; i++) {
        int off = abs((int)a[i] - (int)b[i]);
        other += off > 0, far += off > 1, most = off > most ? off : most;
    }
    const int few = 3 * WIDE * HIGH / 1000;
    if (getenv("RV_TELL") || far > few)
        print_message("%s: %d of %d bytes differ, %d by more than one, at most by %d\n", name,
                      other, 3 * WIDE * HIGH, far, most);
    if (far > few) fail_msg("%s: another picture", name);
    rv_renderer_destroy(renderer);
}

// ---- Scenes -------------------------------------------------------------------------------------

static rv_world *world_of(rv_scene *scene, const rv_device *device)
{
    rv_messages messages = {0};
    rv_scene_work work = rv_default_scene_work();
    rv_world *world;
    work.device = device;
    if (rv_scene_make_world(scene, &work, &world, &messages) != RV_OK)
        fail_msg("%s", messages.text);
    return world;
}

// The world on the card as it is after some steps, which the processor does faster than a card that
// is none.
static rv_world *world_after(rv_scene *scene, const rv_device *device, int steps)
{
    rv_messages messages = {0};
    rv_world *here = world_of(scene, NULL), *there = world_of(scene, device);
    for (int i = 0; i < steps; i++)
        assert_int_equal(rv_world_step(here, rv_world_params(here)->time_step), RV_OK);
    size_t size = rv_world_snapshot_size(here);
    void *saved = malloc(size);
    assert_non_null(saved);
    assert_int_equal(rv_world_save(here, saved, size), RV_OK);
    if (rv_world_restore(there, saved, size, &messages) != RV_OK) fail_msg("%s", messages.text);
    free(saved);
    rv_world_destroy(here);
    return there;
}

// A card of which one group does a small surface's passes.
static rv_device alone_of(void **state)
{
    rv_device device = *device_of(state);
    device.together = 1;
    return device;
}

static void try_scene(void **state, const rv_device *device, const char *name, int steps)
{
    rv_messages messages = {0};
    rv_scene *scene;
    char path[512];
    snprintf(path, sizeof path, "%s/%s.yaml", RV_SCENES_BUILD_DIR, name);
    assert_int_equal(rv_scene_open(path, &scene, &messages), RV_OK);
    rv_world *world = world_after(scene, device, steps);
    pair p = open_pair(world);
    same_surface(name, steps, &p, world);
    assert_int_equal(rv_world_step(world, rv_world_params(world)->time_step), RV_OK);
    same_surface(name, steps + 1, &p, world);
    same_picture(name, state, &p, world);
    close_pair(&p);
    rv_world_destroy(world);
    rv_scene_close(scene);
}

static void scenes_have_one_surface(void **state)
{
    static const struct {
        const char *name;
        int steps;
    } scene[] = {{"bowl", 60},
                 {"puddle", 0},
                 {"puddle", 40},
                 {"rivulet", 40},
                 {"coffee", 8},
                 {"leaf", 20},
                 {"drip", 40},
                 {"wet-wall", 30},
                 {"paint-drip", 60},
                 {"tray", 6},
                 {"puddle-oil", 20},
                 {"puddle-mercury", 20},
                 {"incline-1cm3", 60},
                 {"swe-bowl", 0},
                 {"swe-bowl", 20},
                 {"swe-dam-break", 4},
                 {"viscosity-0", 20},
                 {"viscosity-4e-5", 20},
                 {"viscosity-4e-6", 20},
                 {"viscosity-4e-1", 20},
                 {"three-layers", 60},
                 {"paper-three-layers", 150},
                 {"three-layers-drowned", 200},
                 {"paper-surgery", 150},
                 {"surgery", 100},
                 {"passages", 30},
                 {"cross-passage", 30},
                 {"paper-passages", 30},
                 {"paper-viscosity-0", 60},
                 {"paper-viscosity-4e-1", 30},
                 {"paper-viscosity-4e-5", 30},
                 {"paper-viscosity-4e-6", 30},
                 {"splat-height-42k", 30},
                 {"tap-and-plate", 40}};
    const char *only = getenv("RV_SCENE");
    rv_device alone = alone_of(state);
    for (size_t i = 0; i < sizeof scene / sizeof *scene; i++)
        if (!only || strcmp(only, scene[i].name) == 0)
            try_scene(state, i % 2 ? &alone : device_of(state), scene[i].name, scene[i].steps);
}

// ---- Random layered worlds ----------------------------------------------------------------------

static void random_worlds_have_one_surface(void **state)
{
    const char *first = getenv("RV_SEED"), *most = getenv("RV_SEEDS");
    uint64_t from = first ? (uint64_t)atoi(first) : 1, count = most ? (uint64_t)atoi(most) : 12;
    int64_t extra = 0, curtain = 0;
    rv_device few = *device_of(state);
    rv_device alone = alone_of(state);
    few.groups_most = 3; // every second world on a card that takes no more at once
    for (uint64_t seed = from; seed < from + count; seed++) {
        char name[64];
        random_scene s;
        rv_fill_def fill;
        random_scene_of(&s, seed);
        random_fill(&s, &fill);
        if (seed % 3 == 0) s.def.params.tension_on = true, s.def.params.pipes_area = RV_AREA_WET;
        s.def.device = seed % 2 ? &alone : &few;
        rv_world *world = make_world(&s.def);
        random_liquid(&s, world);
        pair p = open_pair(world);
        snprintf(name, sizeof name, "seed %d", (int)seed);
        same_surface(name, 0, &p, world);
        rv_surface_stats stats;
        rv_surface_get_stats(p.here, &stats);
        extra += stats.extra, curtain += stats.curtain;
        for (int i = 1; i < 3; i++) {
            assert_int_equal(rv_world_step(world, 4e-3), RV_OK);
            same_surface(name, i, &p, world);
        }
        close_pair(&p);
        rv_world_destroy(world);
    }
    assert_true(extra > (int64_t)count && curtain > (int64_t)count);
}

// ---- Flooded columns ----------------------------------------------------------------------------

// A passage between two tanks, at a side of the grid: its columns are filled up to their ceiling,
// which they do not quite reach, and have their faces in the picture.
static void flooded_columns_have_no_surface(void **state)
{
    small_world s;
    int lacking = 0, steps = 0;
    small_tanks(&s, RV_SOLVER_PIPES);
    s.def.device = device_of(state);
    rv_world *world = make(&s.def);
    pair p = open_pair(world);
    for (; steps < 8; steps++) {
        rv_columns c;
        same_surface("tanks", steps, &p, world);
        assert_int_equal(rv_world_get_columns(world, &c), RV_OK);
        for (size_t i = 0; i < c.slots; i++)
            lacking += c.full[i] && c.base[i] + c.depth[i] < c.max[i];
        assert_int_equal(rv_world_step(world, 0.01), RV_OK);
    }
    same_surface("tanks", steps, &p, world);
    same_picture("tanks", state, &p, world);
    assert_true(lacking > 0);
    close_pair(&p);
    rv_world_destroy(world);
}

// ---- Particles as a height ----------------------------------------------------------------------

// Particles as a height around a post, with a source that owes columns what is less than a
// particle: the surface is made of their columns where they are. As they are, and as means; after
// steps, after columns were brought here, and after an edit.
static void heights_stay_there(void **state)
{
    for (int average = 0; average < 2; average++) {
        small_world s;
        small_grid(&s, RV_SOLVER_SPLAT, 60, 33, 0.01);
        rv_params *p = &s.def.params;
        p->splat_form = RV_SPLAT_HEIGHT, p->grid_top = 0.3, p->splat_depth = 4;
        p->surface_average = average == 1;
        s.emitter = block_between((rv_vec3){-1, -1, 0}, (rv_vec3){-0.1, 1, 0.1});
        s.solid[0] = rv_default_solid_def(), s.solid[0].shape = RV_SHAPE_BOX;
        s.solid[0].at = (rv_vec3){0.02, 0, 0.02}, s.solid[0].size = (rv_vec3){0.08, 0.08, 1};
        s.source = rv_default_source_def();
        s.source.at = (rv_vec3){0.2, 0, 0.2}, s.source.radius = 0.02, s.source.rate = 1e-4;
        s.def.emitters = &s.emitter, s.def.emitter_count = 1;
        s.def.solids = s.solid, s.def.solid_count = 1;
        s.def.sources = &s.source, s.def.source_count = 1, s.def.device = device_of(state);
        rv_world *world = make(&s.def);
        pair two = open_pair(world);
        for (int i = 0; i < 12; i++) {
            assert_int_equal(rv_world_step(world, 0.008), RV_OK);
            if (i % 3 == 2) same_surface(average ? "heights, means" : "heights", i, &two, world);
        }
        rv_event_def edit = rv_default_event_def();
        rv_solid_def tool = rv_default_solid_def();
        edit.kind = RV_EVENT_ADD, edit.tool = &tool, edit.tool_count = 1;
        tool.shape = RV_SHAPE_SPHERE, tool.at = (rv_vec3){-0.2, 0, 0.05}, tool.radius = 0.04;
        assert_int_equal(rv_world_edit(world, &edit, NULL, NULL), RV_OK);
        same_surface("heights, edited", 12, &two, world);
        assert_int_equal(rv_world_step(world, 0.008), RV_OK);
        same_surface("heights, edited", 13, &two, world);
        close_pair(&two);
        rv_world_destroy(world);
    }
}

// ---- What is kept -------------------------------------------------------------------------------

// Two pits with pools at rest; a source over one of them.
static rv_world *two_pits(small_world *s, const rv_device *device, float *heights, bool spray)
{
    small_grid(s, RV_SOLVER_PIPES, 96, 48, 0.002);
    for (int i = 0; i < 96 * 48; i++) {
        int x = i % 96, y = i / 96 - 24, left = x - 20, right = x - 76;
        bool pit = left * left + y * y < 80 || right * right + y * y < 80;
        heights[i] = pit ? 0.01f : 0.05f;
    }
    s->def.params.grid_top = 0.2, s->def.solid_count = 0, s->def.heights = heights;
    s->fill[0].kind = RV_FILL_LEVEL, s->fill[0].level = 0.02, s->def.fill_count = 1;
    s->source.at = (rv_vec3){0.056, 0, 0.1}, s->source.radius = 0.004, s->source.rate = 2e-6;
    s->def.source_count = 1, s->def.drain_count = s->def.body_count = s->def.emitter_count = 0;
    s->def.event_count = 0, s->def.device = device;
    s->def.params.spray_on = s->def.params.surface_droplets = spray;
    return make(&s->def);
}

static void what_rests_is_kept(void **state)
{
    small_world s;
    static float heights[96 * 48];
    rv_world *world = two_pits(&s, device_of(state), heights, false);
    pair p = open_pair(world);
    same_surface("pits", 0, &p, world);
    rv_surface_card before, after;
    assert_int_equal(rv_surface_get_card(p.there, &before), RV_OK);
    assert_int_equal(rv_surface_update_drawn(p.there, world), RV_OK);
    assert_int_equal(rv_surface_get_card(p.there, &after), RV_OK);
    assert_true(before.version == after.version); // nothing changed
    for (int i = 1; i < 6; i++) {
        rv_surface_stats stats;
        assert_int_equal(rv_world_step(world, 4e-3), RV_OK);
        same_surface("pits", i, &p, world);
        assert_int_equal(rv_surface_get_stats(p.there, &stats), RV_OK);
        assert_int_equal(stats.islands, 2);
        assert_int_equal(stats.made, 1);
    }
    assert_int_equal(rv_surface_get_card(p.there, &after), RV_OK);
    assert_true(after.version > before.version);
    close_pair(&p);
    rv_world_destroy(world);
}

// Droplets that are part of the mesh stand behind the columns', also when these rest and only
// droplets fly; when they have landed there are none.
static void droplets_stand_behind(void **state)
{
    small_world s;
    rv_surface_card with, without;
    static float heights[96 * 48];
    rv_world *world = two_pits(&s, device_of(state), heights, true);
    pair p = open_pair(world);
    same_surface("no droplets", 0, &p, world);
    assert_int_equal(rv_surface_get_card(p.there, &without), RV_OK);
    for (int k = 0; k < 40; k++) // 1 mm apart, as an emitter's are
        assert_true(rv_world_throw(
                        world, (rv_vec3){1e-3 * (k % 2), 1e-3 * (k / 2 % 2), 0.1 + 1e-3 * (k / 4)},
                        (rv_vec3){0, 0, -1}, 1e-9) > 0);
    same_surface("droplets", 0, &p, world); // of columns nothing has changed
    assert_int_equal(rv_surface_get_card(p.there, &with), RV_OK);
    assert_true(with.triangle_count > without.triangle_count + 100 &&
                with.version != without.version && with.high.z > 0.1);
    assert_true(with.fastest > 0.9f);
    same_picture("droplets", state, &p, world);
    for (int i = 1; i < 20; i++) {
        assert_int_equal(rv_world_step(world, 4e-3), RV_OK);
        if (i % 6 == 1) same_surface("droplets", i, &p, world);
    }
    same_surface("droplets", 20, &p, world);
    assert_int_equal(rv_surface_get_card(p.there, &with), RV_OK);
    assert_true(with.high.z < 0.1);
    close_pair(&p);
    rv_world_destroy(world);
}

// ---- What crosses -------------------------------------------------------------------------------

static size_t crossed; // bytes
static rv_result (*real_fetch)(void *, rv_device_buffer *, size_t, void *, size_t);

static rv_result counted_fetch(void *user, rv_device_buffer *buffer, size_t at, void *data,
                               size_t bytes)
{
    crossed += bytes;
    return real_fetch(user, buffer, at, data, bytes);
}

static rv_result (*real_read)(void *, rv_device_buffer *, size_t, size_t, rv_device_ticket *);

static rv_result counted_read(void *user, rv_device_buffer *buffer, size_t at, size_t bytes,
                              rv_device_ticket *ticket)
{
    crossed += bytes;
    return real_read(user, buffer, at, bytes, ticket);
}

// Nothing but a word a square and the counts comes back for drawing.
static void columns_stay_there(void **state)
{
    small_world s;
    static float heights[96 * 48];
    rv_device device = *device_of(state);
    device.fetch = counted_fetch, device.read = counted_read;
    real_fetch = device_of(state)->fetch, real_read = device_of(state)->read;
    rv_world *world = two_pits(&s, &device, heights, false);
    rv_surface *surface;
    assert_int_equal(rv_surface_create(world, &surface), RV_OK);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(rv_world_step(world, 4e-3), RV_OK);
        crossed = 0;
        assert_int_equal(rv_surface_update_drawn(surface, world), RV_OK);
        assert_true(crossed > 0 && crossed <= 4 * (6 * 3 + 16));
    }
    rv_surface_destroy(surface);
    rv_world_destroy(world);
}

// ---- What the card leaves to the processor ------------------------------------------------------

static void what_it_does_not_do_is_done_here(void **state)
{
    small_world s;
    rv_surface_card card;
    rv_surface_mesh mesh;
    rv_surface_stats stats;
    rv_messages messages = {0};
    static float heights[96 * 48];
    rv_world *world = two_pits(&s, device_of(state), heights, false);
    pair p = open_pair(world);
    assert_int_equal(rv_surface_update_drawn(p.there, world), RV_OK);
    assert_int_equal(rv_surface_get_card(p.there, &card), RV_OK);
    assert_int_equal(rv_surface_get_mesh(p.there, &mesh), RV_BAD_ARGUMENT);
    // means are made there
    rv_params params = *rv_world_params(world);
    params.surface_average = true;
    assert_int_equal(rv_world_set_params(world, &params, &messages), RV_OK);
    same_surface("pits, means", 0, &p, world);
    params.surface_average = false;
    assert_int_equal(rv_world_set_params(world, &params, &messages), RV_OK);
    assert_int_equal(rv_surface_update_drawn(p.there, world), RV_OK);
    // the mesh, when it is asked for
    assert_int_equal(rv_surface_update(p.there, world), RV_OK);
    assert_int_equal(rv_surface_get_card(p.there, &card), RV_BAD_ARGUMENT);
    assert_int_equal(rv_surface_get_mesh(p.there, &mesh), RV_OK);
    assert_true(mesh.triangle_count > 0);
    for (int k = 0; k < 3; k++) {
        params.surface_edge = k != 0, params.surface_boundary = k != 1;
        params.surface_links = k != 2;
        assert_int_equal(rv_world_set_params(world, &params, &messages), RV_OK);
        assert_int_equal(rv_surface_update_drawn(p.there, world), RV_OK);
        assert_int_equal(rv_surface_get_stats(p.there, &stats), RV_OK);
        assert_false(stats.on_card);
    }
    params.surface_links = true;
    assert_int_equal(rv_world_set_params(world, &params, &messages), RV_OK);
    same_surface("pits again", 0, &p, world);
    close_pair(&p);
    rv_world_destroy(world);
}

// Where the columns fit into the card's buffers and their surface does not, the surface is made
// here.
static void too_large_is_made_here(void **state)
{
    small_world s;
    rv_surface_stats stats;
    rv_surface_mesh mesh;
    rv_columns c;
    static float heights[96 * 48];
    rv_device device = *device_of(state);
    rv_world *world = two_pits(&s, &device, heights, false);
    assert_int_equal(rv_world_get_columns(world, &c), RV_OK);
    pair p = open_pair(world);
    for (int k = 0; k < 2; k++) {
        device.buffer_most = 48 * c.slots - (k == 0);
        assert_int_equal(rv_world_step(world, 4e-3), RV_OK);
        assert_int_equal(rv_surface_update_drawn(p.there, world), RV_OK);
        assert_int_equal(rv_surface_get_stats(p.there, &stats), RV_OK);
        assert_true(stats.on_card == (k == 1));
        if (k == 0) assert_int_equal(rv_surface_get_mesh(p.there, &mesh), RV_OK);
        if (k == 0) assert_true(mesh.triangle_count > 0);
    }
    close_pair(&p);
    rv_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_rests_is_kept),
        cmocka_unit_test(droplets_stand_behind),
        cmocka_unit_test(columns_stay_there),
        cmocka_unit_test(too_large_is_made_here),
        cmocka_unit_test(what_it_does_not_do_is_done_here),
        cmocka_unit_test(flooded_columns_have_no_surface),
        cmocka_unit_test(heights_stay_there),
        cmocka_unit_test(random_worlds_have_one_surface),
        cmocka_unit_test(scenes_have_one_surface),
    };
    // where the card itself finds which columns are flooded
    const struct CMUnitTest doubles[] = {cmocka_unit_test(flooded_columns_have_no_surface)};
    return cmocka_run_group_tests(tests, enter, leave) +
           cmocka_run_group_tests_name("with doubles", doubles, enter_doubles, leave);
}
