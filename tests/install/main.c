// A program outside the project: it knows the installed headers and library, and nothing else.
#include <rivulet/rivulet.h>

#include <math.h>
#include <stdio.h>

int main(void)
{
    rv_solid_def floor = rv_default_solid_def();
    floor.shape = RV_SHAPE_PLANE;
    floor.at.z = 0.01;

    rv_world_def def = rv_default_world_def();
    def.params.grid_nx = def.params.grid_ny = 20;
    def.params.grid_top = 0.03;
    def.solids = &floor;
    def.solid_count = 1;

    rv_world *world = NULL;
    rv_messages messages = {0};
    if (rv_world_create(&def, &world, &messages) != RV_OK) {
        fputs(messages.text, stderr);
        return 1;
    }
    const double asked = 1e-6;
    const double poured = rv_world_pour(world, (rv_vec3){0, 0, 0.02}, 0.003, asked);
    for (int i = 0; i < 20; i++)
        if (rv_world_step(world, 0.01) != RV_OK) return 1;

    rv_stats stats;
    if (rv_world_get_stats(world, &stats) != RV_OK) return 1;
    rv_world_destroy(world);
    printf("rivulet %s holds %.4f ml\n", rv_version(), stats.volume * 1e6);
    return fabs(poured - asked) < 1e-12 && fabs(stats.volume - asked) < 1e-12 ? 0 : 1;
}
