// Any bytes as a snapshot, restored into a small world of every solver and form that then goes on.
//
// A snapshot ends with a checksum that random bytes never match. So the bytes are patches to a good
// snapshot, whose checksum is made right again: after one byte of mode, four bytes each: where (two
// bytes), what kind, and what. Mode 0: the rest is the snapshot as it is. Else the mode chooses the
// world, and even ones a snapshot of changed terrain, where it may be changed.
#include "base/hash.h"
#include "fuzz/fuzz.h"
#include "rivulet/world.h"

#include <stdio.h>

typedef enum kind { PIPES, EIGHT, TENSE, SWE, PLANE, SPACE, WIDE, HEIGHT, GLASS, BUSY, KINDS } kind;

static void choose_solver(rv_params *p, kind k)
{
    p->tension_on = k == TENSE;
    if (k == EIGHT) p->pipes_neighbours = RV_NEIGHBOURS_EIGHT;
    if (k == SWE) p->solver = RV_SOLVER_SWE;
    if (k >= PLANE && k <= HEIGHT) p->solver = RV_SOLVER_SPLAT;
    p->splat_form = k == PLANE ? RV_SPLAT_2D : k == HEIGHT ? RV_SPLAT_HEIGHT : RV_SPLAT_3D;
    if (k == WIDE) p->splat_method = RV_SPLAT_WIDE;
    if (k == GLASS) p->solver = RV_SOLVER_GLASS;
    p->spray_on = p->spray_impact = p->dew_on = k == BUSY;
    // small, few and short, so that thousands of runs are made a second
    bool space = k == SPACE || k == WIDE;
    p->grid_nx = k == GLASS ? 24 : space ? 4 : 6;
    p->grid_ny = k == GLASS ? 20 : k == PLANE ? 1 : space ? 3 : 5;
    p->grid_top = space ? 5e-3 : k >= PLANE && k <= HEIGHT ? 8e-3 : 0.05;
    p->splat_particles = 2000, p->splat_spacing = 1.2, p->time_substeps_max = space ? 1 : 4;
}

// Droplets in the air and a drop on the floor; the world has a body: what else snapshots hold.
static void stir_up(rv_world *world)
{
    expect(rv_world_bedew(world, (rv_vec3){0, 0, 0.003}, 1e-10) > 0);
    for (int i = 0; i < 3; i++)
        expect(rv_world_throw(world, (rv_vec3){0, 0, 0.03 + 0.005 * i}, (rv_vec3){0.1, 0, -0.5},
                              1e-10) > 0);
}

static rv_world *make_world(kind k)
{
    rv_world_def def = rv_default_world_def();
    rv_solid_def floor = rv_default_solid_def();
    rv_source_def source = rv_default_source_def();
    rv_emitter_def drop = rv_default_emitter_def();
    rv_body_def ball = rv_default_body_def();
    choose_solver(&def.params, k);
    source.at.z = 0.02, source.rate = 1e-6;
    floor.at.z = 2e-3;
    floor.shape = RV_SHAPE_PLANE;
    if (k != GLASS) def.solids = &floor, def.solid_count = 1;
    if (k != GLASS) def.sources = &source, def.source_count = 1;
    drop.kind = RV_EMITTER_DROP, drop.radius = 2e-3;
    if (k >= PLANE && k <= HEIGHT) drop.kind = RV_EMITTER_BLOCK;
    if (k >= PLANE && k <= GLASS) def.emitters = &drop, def.emitter_count = 1;
    ball.radius = 1e-3, ball.at.z = 0.01;
    if (k == BUSY) def.bodies = &ball, def.body_count = 1;
    rv_world *world = NULL;
    rv_messages messages = {0};
    if (rv_world_create(&def, &world, &messages) != RV_OK) fprintf(stderr, "%s", messages.text);
    expect(world != NULL);
    return world;
}

// Numbers that hurt: patches of kind 1 and on put them whole.
static void patch(uint8_t *snapshot, size_t size, const uint8_t *p)
{
    static const float hurting[] = {NAN, INFINITY, -INFINITY, -1.0f, 1e30f, 1e-40f, -0.0f, 1e6f};
    size_t at = (size_t)(p[0] | p[1] << 8) % size;
    if (p[2] == 0) {
        snapshot[at] = p[3];
    } else {
        double wide = (double)hurting[p[3] % 8];
        float narrow = hurting[p[3] % 8];
        size_t step = p[2] == 1 ? sizeof narrow : sizeof wide;
        at -= at % step;
        if (at + step <= size)
            memcpy(snapshot + at, p[2] == 1 ? (const void *)&narrow : (const void *)&wide, step);
    }
}

// A good snapshot, of a world without or with a hole drilled into it.
static uint8_t *make_snapshot(kind k, bool drilled, size_t *size)
{
    rv_world *world = make_world(k);
    if (k == BUSY) stir_up(world);
    for (int i = 0; i < 2; i++) expect(rv_world_step(world, 1e-3) == RV_OK);
    if (drilled && k != GLASS) {
        rv_solid_def ball = rv_default_solid_def();
        rv_event_def edit = rv_default_event_def();
        ball.shape = RV_SHAPE_SPHERE, ball.radius = 0.0015, ball.at.z = 0.002;
        edit.kind = RV_EVENT_CARVE, edit.tool = &ball, edit.tool_count = 1;
        expect(rv_world_edit(world, &edit, NULL, NULL) == RV_OK);
    }
    *size = rv_world_snapshot_size(world);
    uint8_t *snapshot = malloc(*size);
    expect(snapshot && *size > 64 && rv_world_save(world, snapshot, *size) == RV_OK);
    rv_world_destroy(world);
    return snapshot;
}

// What was taken is a world whose numbers are numbers, also after some steps.
static void expect_sound(rv_world *world)
{
    rv_stats s;
    for (int i = 0; i < 3; i++) {
        if (i > 0) rv_world_step(world, 1e-3);
        expect(rv_world_get_stats(world, &s) == RV_OK);
        expect(isfinite(s.volume) && isfinite(s.held) && isfinite(s.airborne) && isfinite(s.time));
        expect(isfinite(s.deepest) && isfinite(s.fastest) && s.volume >= -1e-9);
    }
}

// Made once and used again, so that a run costs no more than what it is about: the worlds, each
// with its good snapshots. A fuzz target may keep what it likes.
static struct {
    rv_world *world;
    uint8_t *good[2]; // of the terrain as it was made, and drilled
    size_t size[2];
} kept[KINDS];

static void keep(kind k)
{
    if (kept[k].world) return;
    kept[k].world = make_world(k);
    for (int i = 0; i < 2; i++) kept[k].good[i] = make_snapshot(k, i == 1, &kept[k].size[i]);
    expect(rv_world_restore(kept[k].world, kept[k].good[0], kept[k].size[0], NULL) == RV_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned mode = size > 0 && data[0] != 0 ? data[0] - 1u : 0;
    kind k = (kind)(mode / 2 % KINDS);
    size_t length = size > 0 ? size - 1 : 0;
    keep(k);
    rv_world *world = kept[k].world;
    if (size > 0 && data[0] != 0) length = kept[k].size[mode % 2];
    uint8_t *snapshot = malloc(length + 1);
    expect(snapshot != NULL);
    if (size > 0 && data[0] != 0) {
        memcpy(snapshot, kept[k].good[mode % 2], length);
        for (size_t i = 1; i + 4 <= size; i += 4) patch(snapshot, length, data + i);
        uint64_t sum = rv_hash_bytes(RV_HASH_START, snapshot, length - sizeof sum);
        memcpy(snapshot + length - sizeof sum, &sum, sizeof sum);
    } else if (length > 0) {
        memcpy(snapshot, data + 1, length);
    }
    rv_messages messages = {0};
    uint64_t before = rv_world_hash(world);
    rv_result result = rv_world_restore(world, snapshot, length, &messages);
    expect((result == RV_OK) == (messages.count == 0));
    expect(result == RV_OK || rv_world_hash(world) == before);
    free(snapshot);
    if (result != RV_OK) return 0;
    expect_sound(world);
    expect(rv_world_restore(world, kept[k].good[0], kept[k].size[0], NULL) == RV_OK);
    return 0;
}
