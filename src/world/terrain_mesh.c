// The terrain's mesh of a world.
#include "world/world_internal.h"

rv_result rv_world_terrain_mesh(const rv_world *world, rv_mesh *out, rv_messages *messages)
{
    if (out) *out = (rv_mesh){.allocator = rv_default_allocator()};
    if (!world || !out) {
        rv_messages_add(messages, "%s: missing", world ? "out" : "world");
        return RV_BAD_ARGUMENT;
    }
    rv_result r;
    if (world->terrain) {
        r = rv_terrain_mesh(world->terrain, &world->allocator, out);
    } else if (rv_columns_are_beds(&world->columns)) {
        r = rv_columns_mesh(&world->columns, &world->allocator, out);
    } else {
        rv_messages_add(messages,
                        "terrain.keep: the mesh of a terrain with overhangs is made from its "
                        "distance field, which this world did not keep");
        return RV_BAD_ARGUMENT;
    }
    if (r == RV_BAD_ARGUMENT)
        rv_messages_add(messages,
                        "grid: the terrain's mesh has more vertices than 32 bits can count");
    else if (r != RV_OK)
        rv_messages_add(messages, "%s for the terrain's mesh", rv_result_text(r));
    return r;
}

void rv_mesh_free(rv_mesh *mesh)
{
    if (!mesh) return;
    rv_free(&mesh->allocator, mesh->positions, mesh->vertex_count, 3 * sizeof *mesh->positions);
    rv_free(&mesh->allocator, mesh->normals, mesh->vertex_count, 3 * sizeof *mesh->normals);
    rv_free(&mesh->allocator, mesh->indices, mesh->triangle_count, 3 * sizeof *mesh->indices);
    *mesh = (rv_mesh){.allocator = mesh->allocator};
}
