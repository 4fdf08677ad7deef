// A dam of water breaks and splashes against a post, as particles in space. Prints twenty times a
// second how far and how high it got and how fast it is.
//
//     cc splash.c $(pkg-config --cflags --libs rivulet) -o splash
#include <rivulet/rivulet.h>

#include <math.h>
#include <stdio.h>

int main(void)
{
    rv_solid_def post = rv_default_solid_def(); // a box
    post.at = (rv_vec3){0.06, 0, 0.05}, post.size = (rv_vec3){0.03, 0.03, 0.10};

    rv_emitter_def dam = rv_default_emitter_def();
    dam.kind = RV_EMITTER_BLOCK; // all of this box, at the start
    dam.from = (rv_vec3){-0.16, -0.08, 0}, dam.to = (rv_vec3){-0.06, 0.08, 0.16};

    rv_world_def def = rv_default_world_def();
    def.params.solver = RV_SOLVER_SPLAT; // 32 × 16 × 24 cells of 1 cm, walls around
    def.params.grid_nx = 32, def.params.grid_ny = 16, def.params.grid_dx = 0.01;
    def.params.grid_top = 0.24;
    def.solids = &post, def.solid_count = 1;
    def.emitters = &dam, def.emitter_count = 1;

    rv_world *world;
    rv_messages messages = {0};
    if (rv_world_create(&def, &world, &messages) != RV_OK) {
        fprintf(stderr, "%s\n", messages.text);
        return 1;
    }
    for (int frame = 1; frame <= 120; frame++) {
        if (rv_world_step(world, 0.005) != RV_OK) break;
        if (frame % 10) continue;
        rv_stats stats;
        rv_particles p;
        rv_world_get_stats(world, &stats);
        if (rv_world_get_particles(world, &p) != RV_OK) break;
        float front = -INFINITY, top = 0;
        for (int64_t i = 0; i < p.count; i++)
            front = fmaxf(front, p.x[i]), top = fmaxf(top, p.z[i]);
        printf("%4.2f s: %lld particles, %.3f l, front at %5.1f cm, %4.1f cm high, %.2f m/s\n",
               stats.time, (long long)p.count, stats.volume * 1e3, 100 * (double)front,
               100 * (double)top, stats.fastest);
    }
    rv_world_destroy(world);
    return 0;
}
