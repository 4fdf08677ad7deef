// Pours water on a slab that stands on two walls: it spreads, runs over the edges, and fills the
// space below. Prints the depth on the slab and under it, and the volume, twice a second.
//
//     cc pour.c $(pkg-config --cflags --libs rivulet) -o pour
#include <rivulet/rivulet.h>

#include <stdio.h>

static rv_solid_def box(double x, double z, double width, double depth, double height)
{
    rv_solid_def solid = rv_default_solid_def(); // a box
    solid.at = (rv_vec3){x, 0, z};
    solid.size = (rv_vec3){width, depth, height};
    return solid;
}

int main(void)
{
    const rv_solid_def solids[] = {
        box(0, 0.020, 0.06, 0.04, 0.006),       // the slab, 17 to 23 mm high
        box(-0.024, 0.009, 0.006, 0.04, 0.018), // a wall under each end, into the slab
        box(0.024, 0.009, 0.006, 0.04, 0.018),
    };
    rv_source_def tap = rv_default_source_def();
    tap.at = (rv_vec3){0, 0, 0.04};
    tap.radius = 0.004;
    tap.rate = 2e-6; // 2 ml/s
    tap.stop = 3;

    rv_world_def def = rv_default_world_def(); // 100 × 100 cells of 1 mm, 50 mm high, walls around
    def.solids = solids, def.solid_count = 3;
    def.sources = &tap, def.source_count = 1;

    rv_world *world;
    rv_messages messages = {0};
    if (rv_world_create(&def, &world, &messages) != RV_OK) {
        fprintf(stderr, "%s\n", messages.text);
        return 1;
    }
    for (int frame = 1; frame <= 400; frame++) {
        rv_world_step(world, 0.01);
        if (frame % 50) continue;
        // the same place twice: on the slab, and on the ground that it covers
        const rv_vec3 points[] = {{0.01, 0, 0.04}, {0.01, 0, 0.01}};
        rv_sample at[2];
        rv_stats stats;
        rv_world_sample(world, points, 2, at);
        rv_world_get_stats(world, &stats);
        printf("%4.1f s: %6.3f mm on the slab, %6.3f mm under it, %5.2f ml in all\n", stats.time,
               at[0].depth * 1e3, at[1].depth * 1e3, stats.volume * 1e6);
    }
    rv_world_destroy(world);
    return 0;
}
