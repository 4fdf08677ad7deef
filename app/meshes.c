// Meshes of a run, with the colours that pictures have. Numbered ones are made when numbered
// pictures are, so that mesh 12 belongs to picture 12.
#include "app/meshes.h"

#include "app/progress.h"
#include "io/mesh_write.h"
#include "render/shade.h"

#include <stdio.h>

static double time_of(const rv_world *world)
{
    rv_stats stats = {0};
    rv_world_stats(world, &stats);
    return stats.time;
}

static bool fail(const rv_meshes *meshes, rv_result result, rv_messages *messages)
{
    rv_messages_add(messages, "--mesh %s: %s", meshes->path, rv_result_text(result));
    return false;
}

void rv_meshes_start(rv_meshes *meshes, const rv_world *world, rv_moment *moment, const char *path)
{
    bool bad;
    *meshes = (rv_meshes){.path = path, .moment = moment};
    meshes->numbered = path && rv_film_numbered(path, &bad);
    meshes->clock = rv_film_clock_start(world);
}

// The surface of the liquid as it is now, borrowed from the world's surface.
static bool make(rv_meshes *meshes, const rv_world *world, rv_mesh_export *out,
                 rv_messages *messages)
{
    rv_surface_mesh mesh;
    rv_result result = rv_moment_surface(meshes->moment, world);
    if (result == RV_OK) result = rv_surface_get(meshes->moment->surface, &mesh);
    if (result != RV_OK) return fail(meshes, result, messages);
    *out = rv_export_liquid(&mesh);
    rv_optics optics = rv_optics_of(rv_world_params(world));
    out->color[0] = optics.body.x, out->color[1] = optics.body.y, out->color[2] = optics.body.z;
    out->time = time_of(world);
    return true;
}

bool rv_meshes_frame(rv_meshes *meshes, const rv_world *world, rv_messages *messages)
{
    if (!meshes->numbered) return true;
    rv_mesh_export mesh;
    bool made = false;
    for (int64_t number; (number = rv_film_due(&meshes->clock, world)) >= 0;) {
        if (!made && !make(meshes, world, &mesh, messages)) return false;
        made = true;
        char name[4096];
        rv_film_name(meshes->path, number, name, sizeof name);
        if (!rv_mesh_write(name, &mesh, messages)) return false;
    }
    return true;
}

bool rv_meshes_finish(rv_meshes *meshes, const rv_world *world, rv_messages *messages)
{
    if (!meshes->path || meshes->numbered) return true;
    rv_mesh_export mesh;
    if (!make(meshes, world, &mesh, messages) || !rv_mesh_write(meshes->path, &mesh, messages))
        return false;
    if (mesh.triangle_count == 0)
        fprintf(stderr, "%s has no triangles: nothing is wet\n", meshes->path);
    return true;
}

// The mean colour of a material that is not everywhere the same.
static void mean_colour(rv_material material, float out[3])
{
    const rv_light light = {.length = 1};
    const int side = 8;
    vec3 sum = v3(0, 0, 0);
    for (int i = 0; i < side * side * side; i++) {
        vec3 p = v3((float)(i % side), (float)(i / side % side), (float)(i / side / side));
        sum = add(sum, rv_material_colour(material, &light, scale(p, 1 / (float)side)));
    }
    sum = scale(sum, 1 / (float)(side * side * side));
    out[0] = sum.x, out[1] = sum.y, out[2] = sum.z;
}

bool rv_terrain_export(const rv_world *world, const char *path, rv_messages *messages)
{
    rv_mesh mesh;
    if (rv_world_terrain_mesh(world, &mesh, messages) != RV_OK) return false;
    rv_mesh_export described = rv_export_terrain(&mesh);
    mean_colour(rv_world_params(world)->view_material, described.color);
    described.time = time_of(world);
    bool good = rv_mesh_write(path, &described, messages);
    rv_mesh_free(&mesh);
    return good;
}
