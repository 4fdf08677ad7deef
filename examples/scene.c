// Loads a scene, a shipped one or a YAML file, changes its liquid to blood, runs it for a second,
// and writes the liquid's surface as a mesh.
//
//     cc scene.c $(pkg-config --cflags --libs rivulet_io) -o scene
//     ./scene bowl out.ply
#include <rivulet_io/rivulet_io.h>

#include <stdio.h>

static rv_result run(rv_world *world, const char *path, rv_messages *messages)
{
    rv_surface *surface = NULL;
    rv_surface_mesh mesh;
    rv_stats stats;
    rv_result r = RV_OK;
    double step = rv_world_params(world)->time_step;
    for (double time = 0; r == RV_OK && time < 1; time += step) r = rv_world_step(world, step);
    if (r == RV_OK) r = rv_world_get_stats(world, &stats);
    if (r == RV_OK) r = rv_surface_create(world, &surface);
    if (r == RV_OK) r = rv_surface_update(surface, world);
    if (r == RV_OK) r = rv_surface_get_mesh(surface, &mesh);
    if (r == RV_OK) r = rv_io_write_liquid(path, &mesh, messages);
    if (r == RV_OK)
        printf("%.2f s: %.3f ml on %lld columns, %zu triangles in %s\n", stats.time,
               stats.volume * 1e6, (long long)stats.wet, mesh.triangle_count, path);
    rv_surface_destroy(surface);
    return r;
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "bowl", *path = argc > 2 ? argv[2] : "scene.ply";
    rv_messages messages = {0};
    rv_scene *scene = NULL;
    rv_world *world = NULL;
    rv_scene_info info;
    rv_result r = rv_scene_open(name, &scene, &messages);
    if (r == RV_OK) r = rv_scene_assign(scene, "liquid.preset=blood", &messages);
    if (r == RV_OK) r = rv_scene_make_world(scene, NULL, &world, &messages);
    if (r == RV_OK && rv_scene_get_info(scene, &info) == RV_OK)
        printf("%s: %s\n", info.name, info.title);
    if (r == RV_OK) r = run(world, path, &messages);
    if (r != RV_OK) fprintf(stderr, "%s\n%s", rv_result_text(r), messages.text);
    rv_world_destroy(world);
    rv_scene_close(scene);
    return r == RV_OK ? 0 : 1;
}
