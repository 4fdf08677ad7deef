// Any bytes as a snapshot, restored into a small world that then goes on.
//
// A snapshot ends with a checksum that random bytes never match. So the bytes are patches to a good
// snapshot, whose checksum is made right again: after one byte of mode, four bytes each: where (two
// bytes), what kind, and what. Mode 0: the rest is the snapshot as it is. Even modes: the snapshot
// is of a world whose terrain was changed.
#include "base/hash.h"
#include "fuzz/fuzz.h"
#include "rivulet/world.h"

#include <stdio.h>

static rv_world *make_world(void)
{
    rv_world_def def = rv_default_world_def();
    rv_solid_def floor = rv_default_solid_def();
    rv_source_def source = rv_default_source_def();
    def.params.grid_nx = 6, def.params.grid_ny = 5;
    source.at.z = 0.02, source.rate = 1e-6;
    def.solids = &floor, def.solid_count = 1;
    def.sources = &source, def.source_count = 1;
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
static uint8_t *make_snapshot(bool drilled, size_t *size)
{
    rv_world *world = make_world();
    if (drilled) {
        rv_solid_def ball = rv_default_solid_def();
        rv_event_def edit = rv_default_event_def();
        ball.shape = RV_SHAPE_SPHERE, ball.radius = 0.0015, ball.at.z = 0.004;
        edit.kind = RV_EVENT_CARVE, edit.tool = &ball, edit.tool_count = 1;
        expect(rv_world_edit(world, &edit, NULL, NULL) == RV_OK);
    }
    *size = rv_world_snapshot_size(world);
    uint8_t *snapshot = malloc(*size);
    expect(snapshot && *size > 64 && rv_world_save(world, snapshot, *size) == RV_OK);
    rv_world_destroy(world);
    return snapshot;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    rv_world *world = make_world();
    size_t length = size > 0 ? size - 1 : 0;
    uint8_t *snapshot;
    if (size > 0 && data[0] != 0) {
        snapshot = make_snapshot(data[0] % 2 == 0, &length);
        for (size_t i = 1; i + 4 <= size; i += 4) patch(snapshot, length, data + i);
        uint64_t sum = rv_hash_bytes(RV_HASH_START, snapshot, length - sizeof sum);
        memcpy(snapshot + length - sizeof sum, &sum, sizeof sum);
    } else {
        snapshot = malloc(length + 1);
        expect(snapshot != NULL);
        if (length > 0) memcpy(snapshot, data + 1, length);
    }
    rv_messages messages = {0};
    rv_result result = rv_world_restore(world, snapshot, length, &messages);
    expect((result == RV_OK) == (messages.count == 0));
    for (int i = 0; result == RV_OK && i < 3; i++) rv_world_step(world, 0.01);
    free(snapshot);
    rv_world_destroy(world);
    return 0;
}
