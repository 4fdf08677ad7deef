// Meshes of a run, with the colours that pictures have. Numbered ones are made when numbered
// pictures are, so that mesh 12 belongs to picture 12.
#include "app/meshes.h"

#include "app/progress.h"
#include "io/mesh_dew.h"

#include <stdio.h>

static double time_of(const rv_world *world)
{
    rv_stats stats = {0};
    rv_world_get_counters(world, &stats);
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

// The surface of the liquid as it is now, borrowed from the world's surface, and its drops.
static bool make(rv_meshes *meshes, const rv_world *world, rv_mesh_export *out, rv_dew_export *dew,
                 rv_messages *messages)
{
    *dew = (rv_dew_export){0};
    rv_surface_mesh mesh;
    rv_result result = rv_moment_surface(meshes->moment, world, false);
    if (result == RV_OK) result = rv_surface_get_mesh(meshes->moment->surface, &mesh);
    if (result != RV_OK) return fail(meshes, result, messages);
    return rv_export_all_liquid(&mesh, world, out, dew) || fail(meshes, RV_OUT_OF_MEMORY, messages);
}

bool rv_meshes_frame(rv_meshes *meshes, const rv_world *world, rv_messages *messages)
{
    if (!meshes->numbered) return true;
    rv_mesh_export mesh;
    rv_dew_export dew = {0};
    bool made = false, good = true;
    for (int64_t number; (number = rv_film_due(&meshes->clock, world)) >= 0;) {
        made = made || make(meshes, world, &mesh, &dew, messages);
        good = made && good;
        if (!made) break;
        char name[4096];
        rv_film_name(meshes->path, number, name, sizeof name);
        good = rv_mesh_write(name, &mesh, messages) && good;
    }
    rv_dew_export_free(&dew);
    return good;
}

bool rv_meshes_finish(rv_meshes *meshes, const rv_world *world, rv_messages *messages)
{
    if (!meshes->path || meshes->numbered) return true;
    rv_mesh_export mesh;
    rv_dew_export dew;
    bool good =
        make(meshes, world, &mesh, &dew, messages) && rv_mesh_write(meshes->path, &mesh, messages);
    rv_dew_export_free(&dew);
    if (!good) return false;
    if (mesh.triangle_count == 0)
        fprintf(stderr, "%s has no triangles: nothing is wet\n", meshes->path);
    return true;
}

// Means of what render/shaders/materials.glsl draws, linear.
static const float material_colour[][3] = {
    [RV_MATERIAL_PLAIN] = {0.40f, 0.393f, 0.375f}, [RV_MATERIAL_BONE] = {0.60f, 0.50f, 0.36f},
    [RV_MATERIAL_TISSUE] = {0.28f, 0.07f, 0.05f},  [RV_MATERIAL_CERAMIC] = {0.66f, 0.65f, 0.62f},
    [RV_MATERIAL_WOOD] = {0.37f, 0.20f, 0.09f},    [RV_MATERIAL_STEEL] = {0.60f, 0.61f, 0.625f},
};

// One colour stands for all materials of a mesh: their mean, by vertices.
static void mean_colour(const rv_mesh *mesh, float out[3])
{
    size_t count[sizeof material_colour / sizeof material_colour[0]] = {0};
    for (size_t i = 0; i < mesh->vertex_count; i++) count[mesh->materials[i]]++;
    double all = mesh->vertex_count > 0 ? (double)mesh->vertex_count : 1;
    for (int c = 0; c < 3; c++) {
        double sum = 0;
        for (size_t m = 0; m < sizeof count / sizeof count[0]; m++)
            sum += (double)count[m] * (double)material_colour[m][c];
        out[c] = (float)(sum / all);
    }
}

bool rv_terrain_export(const rv_world *world, const char *path, rv_messages *messages)
{
    rv_mesh mesh;
    if (rv_world_terrain_mesh(world, &mesh, messages) != RV_OK) return false;
    rv_mesh_export described = rv_export_terrain(&mesh);
    mean_colour(&mesh, described.color);
    described.time = time_of(world);
    bool good = rv_mesh_write(path, &described, messages);
    rv_mesh_free(&mesh);
    return good;
}
