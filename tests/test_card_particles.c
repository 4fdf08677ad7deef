// Particles on a graphics card: worlds whose state after many steps is the processor's to the bit,
// in a plane, in space and as a height; with solids, open borders, emitters, sources and drains,
// edits and snapshots. What it cannot do is refused; and cards that fail.
#include "card_failing.h"
#include "card_worlds.h"

#include <epoxy/gl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// A block of liquid that falls beside a ball.
static void dam(small_world *s, rv_splat_form form, bool solid)
{
    bool space = form == RV_SPLAT_3D;
    small_grid(s, RV_SOLVER_SPLAT, space ? 14 : 70,
               space                 ? 11
               : form == RV_SPLAT_2D ? 1
                                     : 23,
               0.01);
    rv_params *p = &s->def.params;
    p->splat_form = form, p->grid_top = space ? 0.13 : 0.3, p->splat_spacing = 0.7;
    p->splat_depth = 4;
    s->emitter = block_between((rv_vec3){-1, -1, 0}, (rv_vec3){space ? -0.01 : -0.1, 1, 0.1});
    s->def.emitters = &s->emitter, s->def.emitter_count = 1;
    s->solid[0] = rv_default_solid_def();
    s->solid[0].shape = RV_SHAPE_SPHERE, s->solid[0].at = (rv_vec3){0.02, 0, 0.02};
    s->solid[0].radius = 0.03;
    if (form == RV_SPLAT_HEIGHT)
        s->solid[0].shape = RV_SHAPE_BOX, s->solid[0].size = (rv_vec3){0.08, 0.08, 1};
    s->def.solids = s->solid, s->def.solid_count = solid ? 1 : 0;
}

static void test_plane(void **state)
{
    small_world s;
    dam(&s, RV_SPLAT_2D, false);
    same_after(&s.def, device_of(state), 60, 0.008);
}

static void test_plane_with_solids(void **state)
{
    small_world s;
    dam(&s, RV_SPLAT_2D, true);
    s.def.params.border_east = RV_BORDER_OPEN, s.def.params.splat_foam = 100;
    same_after(&s.def, device_of(state), 40, 0.008);
}

static void test_space(void **state)
{
    small_world s;
    dam(&s, RV_SPLAT_3D, true);
    s.def.params.border_north = RV_BORDER_OPEN, s.def.params.splat_foam = 2;
    same_after(&s.def, device_of(state), 15, 0.006);
}

static void test_height(void **state)
{
    small_world s;
    dam(&s, RV_SPLAT_HEIGHT, true);
    s.def.params.gravity = (rv_vec3){0.4, -0.2, -9.81};
    s.def.params.border_south = RV_BORDER_OPEN;
    same_after(&s.def, device_of(state), 30, 0.005);
    s.def.params.splat_foam = 100;
    same_after(&s.def, device_of(state), 10, 0.005);
}

// Particles that come while it runs, in places that must be free; columns that give and take.
static void test_what_comes_and_goes(void **state)
{
    small_world s;
    dam(&s, RV_SPLAT_2D, true);
    s.def.params.splat_foam = 100;
    s.emitter = rv_default_emitter_def();
    s.emitter.at = (rv_vec3){-0.2, 0, 0.2}, s.emitter.radius = 0.02;
    s.emitter.velocity = (rv_vec3){1, 0, 0.3}, s.emitter.stop = 0.08;
    s.source = rv_default_source_def();
    s.source.at = (rv_vec3){0.2, 0, 0.2}, s.source.radius = 0.02, s.source.rate = 1e-4;
    s.drain = rv_default_drain_def();
    s.drain.from = (rv_vec3){-1, -1, -1}, s.drain.to = (rv_vec3){-0.1, 1, 1};
    s.drain.rate = 1e-4;
    s.fill[0] = rv_default_fill_def();
    s.fill[0].level = 0.05;
    s.def.fills = s.fill, s.def.fill_count = 1;
    s.def.sources = &s.source, s.def.source_count = 1;
    s.def.drains = &s.drain, s.def.drain_count = 1;
    same_after(&s.def, device_of(state), 25, 0.006);
}

static size_t fetched; // bytes

static rv_result counted_fetch(void *user, rv_device_buffer *b, size_t at, void *data, size_t bytes)
{
    fetched += bytes;
    return pass_fetch(user, b, at, data, bytes);
}

// The same in space, with rain and a block that comes later besides; nothing but what is near a
// mouth or the block comes back, nor is all sent.
static void test_jets_and_rain(void **state)
{
    small_world s;
    dam(&s, RV_SPLAT_3D, true);
    rv_emitter_def all[4] = {s.emitter, rv_default_emitter_def(), rv_default_emitter_def(),
                             block_between((rv_vec3){0.03, -1, 0.08}, (rv_vec3){1, 1, 0.11})};
    all[3].start = 0.018;
    all[1].at = (rv_vec3){-0.06, 0, 0.12}, all[1].radius = 0.015;
    all[1].velocity = (rv_vec3){1, 0, 0};
    all[2].kind = RV_EMITTER_RAIN, all[2].radius = 0.012, all[2].rate = 2e-3;
    all[2].from = (rv_vec3){-1, -1, 0.1}, all[2].to = (rv_vec3){1, 1, 0.13};
    s.def.emitters = all, s.def.emitter_count = 4;
    s.source = rv_default_source_def();
    s.source.at = (rv_vec3){0.02, 0.02, 0.1}, s.source.radius = 0.02, s.source.rate = 2e-4;
    s.def.sources = &s.source, s.def.source_count = 1;
    same_after(&s.def, device_of(state), 6, 0.006);
    s.def.source_count = 0; // for which all columns come
    failing f = {device_of(state), -1, -1, NULL};
    rv_device device = failing_device(&f);
    device.fetch = counted_fetch, fetched = 0;
    s.def.device = &device;
    rv_world *world = make(&s.def);
    run(world, 3, 0.006);
    fetched = 0;
    run(world, 1, 0.006);
    size_t some = fetched;
    rv_particles now;
    assert_int_equal(rv_world_get_particles(world, &now), RV_OK);
    assert_true(some > 0 && some < 16 * (size_t)now.count); // each has 32 bytes
    rv_world_destroy(world);
}

// Solids that change, liquid that is poured, and a snapshot that goes on elsewhere.
static void test_edits_and_snapshots(void **state)
{
    small_world s;
    rv_world *world[2];
    dam(&s, RV_SPLAT_2D, true);
    s.def.params.splat_foam = 100;
    rv_solid_def tool = rv_default_solid_def();
    rv_event_def edit = rv_default_event_def();
    edit.kind = RV_EVENT_ADD, edit.tool = &tool, edit.tool_count = 1;
    tool.shape = RV_SHAPE_SPHERE, tool.at = (rv_vec3){-0.2, 0, 0.03}, tool.radius = 0.04;
    for (int k = 0; k < 2; k++) {
        s.def.device = k ? device_of(state) : NULL;
        world[k] = make(&s.def);
        run(world[k], 6, 0.006);
        assert_int_equal(rv_world_edit(world[k], &edit, NULL, NULL), RV_OK);
        run(world[k], 4, 0.006);
        assert_true(rv_world_pour(world[k], (rv_vec3){0.2, 0, 0.2}, 0.03, 2e-5) > 0);
        run(world[k], 4, 0.006);
    }
    assert_true(rv_world_hash(world[0]) == rv_world_hash(world[1]));
    size_t size;
    unsigned char *saved = save(world[0], &size);
    run(world[0], 5, 0.006);
    run(world[1], 2, 0.006); // another time, from which it is brought back
    assert_int_equal(rv_world_restore(world[1], saved, size, NULL), RV_OK);
    run(world[1], 5, 0.006);
    assert_true(rv_world_hash(world[0]) == rv_world_hash(world[1]));
    free(saved);
    for (int k = 0; k < 2; k++) rv_world_destroy(world[k]);
}

// A snapshot without particles: those that are on the card are gone too.
static void test_none_left(void **state)
{
    small_world s;
    rv_world *world[2];
    dam(&s, RV_SPLAT_HEIGHT, false);
    s.def.emitter_count = 0;
    for (int k = 0; k < 2; k++) {
        size_t size;
        s.def.device = k ? device_of(state) : NULL;
        world[k] = make(&s.def);
        unsigned char *saved = save(world[k], &size);
        assert_true(rv_world_pour(world[k], (rv_vec3){0, 0, 0.1}, 0.05, 2e-4) > 0);
        run(world[k], 2, 0.005);
        assert_int_equal(rv_world_restore(world[k], saved, size, NULL), RV_OK);
        run(world[k], 1, 0.005);
        free(saved);
    }
    assert_true(rv_world_hash(world[0]) == rv_world_hash(world[1]));
    for (int k = 0; k < 2; k++) rv_world_destroy(world[k]);
}

static float half_float(uint16_t bits)
{
    int exponent = bits >> 10 & 31, part = bits & 1023;
    return exponent == 0 ? ldexpf((float)part, -24) : ldexpf((float)(part + 1024), exponent - 25);
}

// What is drawn, foam too, is what the processor draws, and whoever looks at it changes nothing.
static void test_density(void **state)
{
    small_world s;
    rv_world *world[2];
    rv_density here;
    rv_density_card there;
    dam(&s, RV_SPLAT_3D, true);
    s.def.params.splat_foam = 100;
    for (int k = 0; k < 2; k++) {
        s.def.device = k ? device_of(state) : NULL;
        world[k] = make(&s.def);
        if (k) assert_int_equal(rv_world_get_density_card(world[k], 0.25, &there), RV_OK);
        run(world[k], 10, 0.006);
    }
    assert_int_equal(rv_world_get_density_card(world[0], 0.25, &there), RV_BAD_ARGUMENT);
    assert_int_equal(rv_world_get_density_card(world[1], 0.25, &there), RV_OK);
    assert_int_equal(rv_world_get_drawn_density(world[0], 0.25, &here), RV_OK);
    assert_int_equal(there.grid.nx, here.nx);
    size_t cells = (size_t)here.nx * (size_t)here.ny * (size_t)here.nz, some = 0, marked = 0;
    size_t foaming = 0;
    size_t boxes = (size_t)((here.nx + 3) / 4 * ((here.ny + 3) / 4) * ((here.nz + 3) / 4));
    glBindBuffer(GL_COPY_READ_BUFFER, there.values);
    const uint8_t *all = glMapBufferRange(GL_COPY_READ_BUFFER, 0,
                                          (GLsizeiptr)(there.froth_at + cells), GL_MAP_READ_BIT);
    assert_non_null(all);
    for (size_t i = 0; i < cells; i++) {
        uint16_t bits;
        memcpy(&bits, all + 2 * i, sizeof bits);
        assert_true(fabsf(half_float(bits) - here.value[i]) <= 1e-3f * fmaxf(here.value[i], 1.0f));
        some += here.value[i] >= 0.25f;
        foaming += here.froth[i] > 0.1f;
        if (here.value[i] >= 0.25f)
            assert_true(fabsf((float)all[there.froth_at + i] / 255 - here.froth[i]) < 5e-3f);
    }
    for (size_t i = 0; i < boxes; i++) marked += all[there.boxes_at + 4 * i] == 255;
    glUnmapBuffer(GL_COPY_READ_BUFFER);
    assert_true(some > 100 && marked > some / 64 && marked < boxes);
    assert_true(foaming > 10);
    assert_true(rv_world_hash(world[0]) == rv_world_hash(world[1]));
    run(world[0], 2, 0.006), run(world[1], 2, 0.006);
    assert_true(rv_world_hash(world[0]) == rv_world_hash(world[1]));
    for (int k = 0; k < 2; k++) rv_world_destroy(world[k]);
}

// Particles that no surface shows: the same that are found from all of them here.
static void same_alone(const rv_particles *alone, const rv_world *world, const rv_density *d,
                       double level)
{
    rv_particles all;
    int64_t n = 0;
    assert_int_equal(rv_world_get_particles(world, &all), RV_OK);
    for (int64_t i = 0; i < all.count; i++) {
        double y = all.y ? (double)all.y[i] : all.at.y;
        int c[3] = {(int)(((double)all.x[i] - d->low.x) / d->dx), (int)((y - d->low.y) / d->dx),
                    (int)(((double)all.z[i] - d->low.z) / d->dx)};
        float value =
            d->value[((size_t)c[2] * (size_t)d->ny + (size_t)c[1]) * (size_t)d->nx + (size_t)c[0]];
        if ((double)value >= level) continue;
        assert_true(n < alone->count);
        assert_true(alone->x[n] == all.x[i] && alone->z[n] == all.z[i]);
        assert_true(alone->u[n] == all.u[i] && alone->w[n] == all.w[i]);
        if (all.y) assert_true(alone->y[n] == all.y[i] && alone->v[n] == all.v[i]);
        if (all.air) assert_true(alone->air[n] == all.air[i]);
        n++;
    }
    assert_int_equal(alone->count, n);
    assert_true(n > 0);
}

// Two worlds alike, of which the second is on the card, after some steps.
static void both_after(small_world *s, void **state, int steps, rv_world *world[2])
{
    for (int k = 0; k < 2; k++) {
        s->def.device = k ? device_of(state) : NULL;
        world[k] = make(&s->def);
        run(world[k], steps, 0.008);
    }
}

// Foam by cell, bytes there.
static void same_froth(const rv_density_card *there, const float *froth, size_t cells)
{
    size_t foaming = 0;
    assert_non_null(froth);
    assert_true(there->froth_at > 0);
    glBindBuffer(GL_COPY_READ_BUFFER, there->values);
    const uint8_t *all = glMapBufferRange(GL_COPY_READ_BUFFER, (GLintptr)there->froth_at,
                                          (GLsizeiptr)cells, GL_MAP_READ_BIT);
    assert_non_null(all);
    for (size_t i = 0; i < cells; i++) {
        assert_true(fabsf((float)all[i] / 255 - froth[i]) < 5e-3f);
        foaming += froth[i] > 0.1f;
    }
    glUnmapBuffer(GL_COPY_READ_BUFFER);
    assert_true(foaming > 10);
}

// A plane is drawn from there too: density and speed. And in both those that lie alone.
static void test_drawn(void **state)
{
    small_world s;
    rv_world *world[2];
    rv_density here;
    rv_density_card there;
    dam(&s, RV_SPLAT_2D, true);
    rv_emitter_def all_of[2] = {s.emitter, rv_default_emitter_def()};
    s.def.params.splat_spacing = 0.35, s.def.params.splat_foam = 100; // one by itself is thin
    all_of[1].kind = RV_EMITTER_RAIN, all_of[1].radius = 0.002, all_of[1].rate = 0.01;
    all_of[1].from = (rv_vec3){-1, -1, 0.25}, all_of[1].to = (rv_vec3){1, 1, 0.3};
    s.def.emitters = all_of, s.def.emitter_count = 2;
    both_after(&s, state, 15, world);
    assert_int_equal(rv_world_get_density_card(world[1], 0.25, &there), RV_OK);
    assert_int_equal(rv_world_get_drawn_density(world[0], 0.25, &here), RV_OK);
    size_t cells = (size_t)here.nx * (size_t)here.nz, fast = 0;
    glBindBuffer(GL_COPY_READ_BUFFER, there.values);
    const uint8_t *all =
        glMapBufferRange(GL_COPY_READ_BUFFER, 0, (GLsizeiptr)(4 * cells), GL_MAP_READ_BIT);
    assert_non_null(all);
    for (size_t i = 0; i < cells; i++) {
        uint16_t bits[2];
        memcpy(bits, all + 4 * i, sizeof bits);
        assert_true(fabsf(half_float(bits[0]) - here.value[i]) <=
                    1e-3f * fmaxf(here.value[i], 1.0f));
        fast += half_float(bits[1]) > 0.1f;
    }
    glUnmapBuffer(GL_COPY_READ_BUFFER);
    assert_true(fast > 20 && fast < cells);
    same_froth(&there, here.froth, cells);
    same_alone(&there.alone, world[0], &here, 0.25 + RV_DENSITY_WITHIN);
    for (int k = 0; k < 2; k++) rv_world_destroy(world[k]);
    dam(&s, RV_SPLAT_3D, true);
    s.def.params.splat_foam = 100;
    both_after(&s, state, 10, world);
    assert_int_equal(rv_world_get_density_card(world[1], 0.6, &there), RV_OK);
    assert_int_equal(rv_world_get_density(world[0], &here), RV_OK);
    same_alone(&there.alone, world[0], &here, 0.6);
    for (int k = 0; k < 2; k++) rv_world_destroy(world[k]);
}

// Foam that is switched off, and on again while somebody looks, begins with none here and there.
static void test_foam_switched(void **state)
{
    static const rv_splat_form form[] = {RV_SPLAT_2D, RV_SPLAT_HEIGHT};
    static const double foam[] = {0, 50};
    for (int f = 0; f < 2; f++) {
        small_world s;
        rv_world *world[2];
        rv_density here;
        rv_density_card there;
        dam(&s, form[f], true);
        s.def.params.splat_foam = 100;
        both_after(&s, state, 40, world);
        assert_int_equal(rv_world_get_density_card(world[1], 0.25, &there), RV_OK);
        if (form[f] == RV_SPLAT_HEIGHT)
            assert_int_equal(rv_world_get_density(world[0], &here), RV_OK);
        else
            assert_int_equal(rv_world_get_drawn_density(world[0], 0.25, &here), RV_OK);
        same_froth(&there, here.froth, (size_t)here.nx * (size_t)here.ny * (size_t)here.nz);
        for (int i = 0; i < 2; i++) {
            for (int k = 0; k < 2; k++) {
                rv_params p = *rv_world_params(world[k]);
                p.splat_foam = foam[i];
                assert_int_equal(rv_world_set_params(world[k], &p, NULL), RV_OK);
            }
            if (foam[i] > 0 || form[f] == RV_SPLAT_2D)
                assert_int_equal(rv_world_get_density_card(world[1], 0.25, &there), RV_OK);
            for (int k = 0; k < 2; k++) run(world[k], 3, 0.008);
            assert_true(rv_world_hash(world[0]) == rv_world_hash(world[1]));
        }
        for (int k = 0; k < 2; k++) rv_world_destroy(world[k]);
    }
}

// Columns that are owed less than a particle stay so, and are not brought for it.
static void test_owed(void **state)
{
    small_world s;
    dam(&s, RV_SPLAT_3D, false);
    s.fill[0] = rv_default_fill_def();
    s.fill[0].level = 0.0333;
    s.def.emitter_count = 0, s.def.fills = s.fill, s.def.fill_count = 1;
    same_after(&s.def, device_of(state), 3, 0.006);
    failing f = {device_of(state), -1, -1, NULL};
    rv_device device = failing_device(&f);
    device.fetch = counted_fetch;
    s.def.device = &device;
    rv_world *world = make(&s.def);
    run(world, 2, 0.006);
    fetched = 0;
    run(world, 2, 0.006);
    assert_int_equal(fetched, 0);
    rv_world_destroy(world);
}

// The pressure in one call, by one group and by two that wait for each other; and by more than the
// processor that plays the card begins at once, which is noticed, and done call by call.
static void test_at_once(void **state)
{
    static const uint32_t together[] = {1, 2, 20};
    static const int steps[] = {6, 2, 1};
    for (int k = 0; k < 3; k++) {
        rv_device device = *device_of(state);
        device.together = together[k];
        small_world s;
        dam(&s, RV_SPLAT_2D, k == 0);
        same_after(&s.def, &device, steps[k], 0.008);
        if (k == 2) continue;
        dam(&s, RV_SPLAT_3D, true);
        s.def.params.border_north = RV_BORDER_OPEN;
        same_after(&s.def, &device, steps[k] / 2, 0.006);
    }
}

// Bodies that the liquid carries and that push it: the state, theirs included, is the processor's.
// Two of them are so near each other that they share cells.
static void with_bodies(small_world *s, rv_splat_form form, bool solid)
{
    static const rv_vec3 at[2] = {{-0.02, 0, 0.09}, {-0.045, 0.005, 0.11}};
    dam(s, form, solid);
    for (int k = 0; k < 2; k++) {
        s->body[k] = rv_default_body_def();
        s->body[k].shape = k ? RV_BODY_BOX : RV_BODY_SPHERE;
        s->body[k].radius = 0.018, s->body[k].size = (rv_vec3){0.03, 0.03, 0.02};
        s->body[k].density = k ? 400 : 700, s->body[k].at = at[k];
        if (form != RV_SPLAT_3D) s->body[k].at.x -= 0.12;
    }
    s->body[1].spin = (rv_vec3){0.3, 2, 0.5};
    s->def.bodies = s->body, s->def.body_count = 2;
}

static void test_bodies(void **state)
{
    small_world s;
    with_bodies(&s, RV_SPLAT_2D, true);
    s.def.params.splat_foam = 2;
    same_after(&s.def, device_of(state), 12, 0.004);
    with_bodies(&s, RV_SPLAT_3D, true);
    s.def.params.splat_foam = 2;
    same_after(&s.def, device_of(state), 3, 0.004);
    with_bodies(&s, RV_SPLAT_HEIGHT, true);
    s.def.params.splat_foam = 2;
    same_after(&s.def, device_of(state), 12, 0.004);
    rv_device device = *device_of(state);
    device.together = 1;
    with_bodies(&s, RV_SPLAT_3D, false);
    same_after(&s.def, &device, 1, 0.004);
    for (device.together = 1; device.together <= 2; device.together++) {
        with_bodies(&s, RV_SPLAT_2D, true);
        same_after(&s.def, &device, 3, 0.004);
    }
}

// A rod pulls the particles near it along, in every form, with the processor's bits.
static void test_stirring(void **state)
{
    static const rv_splat_form form[] = {RV_SPLAT_2D, RV_SPLAT_3D, RV_SPLAT_HEIGHT};
    for (int f = 0; f < 3; f++) {
        small_world s;
        rv_world *world[3]; // here, there, and without a rod
        double at = form[f] == RV_SPLAT_3D ? -0.05 : -0.2;
        dam(&s, form[f], false);
        s.def.params.splat_foam = 100; // which a rod carries along
        for (int k = 0; k < 3; k++) {
            s.def.device = k == 1 ? device_of(state) : NULL;
            world[k] = make(&s.def);
            run(world[k], 2, 0.004);
            for (int i = 0; i < 3; i++) {
                rv_vec3 from = {at, 0, 0.05}, to = {at + 0.01, 0.002, 0.055};
                if (k < 2) assert_int_equal(rv_world_stir(world[k], from, to, 0.03, 0.004), RV_OK);
                run(world[k], 1, 0.004);
            }
        }
        assert_true(rv_world_hash(world[0]) == rv_world_hash(world[1]));
        assert_true(stats_of(world[0]).kinetic > 1.2 * stats_of(world[2]).kinetic);
        for (int k = 0; k < 3; k++) rv_world_destroy(world[k]);
    }
}

static void test_refused(void **state)
{
    small_world s;
    dam(&s, RV_SPLAT_2D, false);
    s.def.device = device_of(state);
    s.def.params.splat_method = RV_SPLAT_WIDE;
    expect_refused(&s.def, "splat.method: particles on the card have the narrow form only");
    s.def.params.splat_method = RV_SPLAT_NARROW;
    s.def.params.grid_nx = 3000;
    expect_refused(&s.def,
                   "grid.nx: particles on the card have at most 2048 cells along x, not 3000");
}

// The step that fails says so once, and the processor goes on from what was last brought back.
static void test_failing(void **state)
{
    small_world s;
    dam(&s, RV_SPLAT_2D, false);
    failing f = {device_of(state), -1, -1, NULL};
    rv_device device = failing_device(&f);
    s.def.device = &device;
    rv_world *world = make(&s.def);
    run(world, 2, 0.005);
    double before = stats_of(world).volume;
    f.dispatches = 5;
    assert_int_equal(rv_world_step(world, 0.005), RV_DEVICE_LOST);
    run(world, 3, 0.005);
    assert_true(stats_of(world).volume == before);
    rv_world_destroy(world);
    f.dispatches = -1; // nobody has looked yet: from those that were sent
    world = make(&s.def);
    run(world, 2, 0.005);
    f.dispatches = 5;
    assert_int_equal(rv_world_step(world, 0.005), RV_DEVICE_LOST);
    assert_true(stats_of(world).volume == before);
    rv_world_destroy(world);
    f.dispatches = -1, f.buffers = 3;
    rv_messages messages = {0};
    assert_int_equal(rv_world_create(&s.def, &world, &messages), RV_OUT_OF_MEMORY);
    assert_int_equal(messages.count, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plane),
        cmocka_unit_test(test_plane_with_solids),
        cmocka_unit_test(test_space),
        cmocka_unit_test(test_height),
        cmocka_unit_test(test_what_comes_and_goes),
        cmocka_unit_test(test_jets_and_rain),
        cmocka_unit_test(test_edits_and_snapshots),
        cmocka_unit_test(test_none_left),
        cmocka_unit_test(test_density),
        cmocka_unit_test(test_drawn),
        cmocka_unit_test(test_foam_switched),
        cmocka_unit_test(test_owed),
        cmocka_unit_test(test_at_once),
        cmocka_unit_test(test_bodies),
        cmocka_unit_test(test_stirring),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_failing),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
