// The terrain's mesh of a world: the whole, or tiles of it for those who follow changes.
//
// The mesh's cells lie between the middles of grid cells, one more along each axis than there are
// cells: mesh cell i between grid cells i - 1 and i. Tile i has those from i · RV_TILE on; the last
// one has the one more.
#include "world/world_internal.h"

#include <string.h>

static rv_result mesh_of(const rv_world *world, const rv_cell_box *box, bool fine, rv_mesh *out)
{
    const rv_allocator *host = &world->purse.host; // it may outlive the world
    if (world->terrain && fine) return rv_terrain_mesh_fine(world->terrain, box, host, out);
    if (world->terrain) return rv_terrain_mesh_box(world->terrain, box, host, out);
    return rv_columns_mesh_box(&world->columns, box, host, out);
}

// From looks, where the terrain has some, to materials.
static rv_result add_materials(const rv_world *world, rv_mesh *mesh)
{
    uint8_t scene = (uint8_t)world->params.view_material;
    if (mesh->vertex_count == 0) return RV_OK;
    if (mesh->materials) {
        for (size_t i = 0; i < mesh->vertex_count; i++) {
            uint8_t look = mesh->materials[i];
            mesh->materials[i] = look > 0 ? (uint8_t)(look - 1) : scene;
        }
        return RV_OK;
    }
    mesh->materials = rv_new(&mesh->allocator, mesh->vertex_count, sizeof *mesh->materials);
    if (!mesh->materials) {
        rv_mesh_free(mesh);
        return RV_OUT_OF_MEMORY;
    }
    memset(mesh->materials, scene, mesh->vertex_count);
    return RV_OK;
}

static rv_result make_mesh(const rv_world *world, const rv_cell_box *box, bool fine, rv_mesh *out,
                           rv_messages *messages)
{
    if (!world->terrain && !rv_columns_are_beds(&world->columns)) {
        rv_messages_add(messages,
                        "terrain.keep: the mesh of a terrain with overhangs is made from its "
                        "distance field, which this world did not keep");
        return RV_BAD_ARGUMENT;
    }
    rv_result r = mesh_of(world, box, fine, out);
    if (r == RV_OK) r = add_materials(world, out);
    if (r == RV_BAD_ARGUMENT)
        rv_messages_add(messages,
                        "grid: the terrain's mesh has more vertices than 32 bits can count");
    else if (r != RV_OK)
        rv_messages_add(messages, "%s for the terrain's mesh", rv_result_text(r));
    return r;
}

static bool has_both(const rv_world *world, rv_mesh *out, rv_messages *messages)
{
    if (out) *out = (rv_mesh){.allocator = rv_default_allocator()};
    if (world && out) return true;
    rv_messages_add(messages, "%s: missing", world ? "out" : "world");
    return false;
}

rv_result rv_world_terrain_mesh(const rv_world *world, rv_mesh *out, rv_messages *messages)
{
    if (!has_both(world, out, messages)) return RV_BAD_ARGUMENT;
    rv_cell_box all = rv_mesh_cells(&world->columns.grid);
    return make_mesh(world, &all, false, out, messages);
}

void rv_mesh_free(rv_mesh *mesh)
{
    if (!mesh) return;
    rv_free(&mesh->allocator, mesh->positions, mesh->vertex_count, 3 * sizeof *mesh->positions);
    rv_free(&mesh->allocator, mesh->normals, mesh->vertex_count, 3 * sizeof *mesh->normals);
    rv_free(&mesh->allocator, mesh->materials, mesh->vertex_count, sizeof *mesh->materials);
    rv_free(&mesh->allocator, mesh->creases, mesh->vertex_count, sizeof *mesh->creases);
    rv_free(&mesh->allocator, mesh->indices, mesh->triangle_count, 3 * sizeof *mesh->indices);
    *mesh = (rv_mesh){.allocator = mesh->allocator};
}

// ---- Tiles --------------------------------------------------------------------------------------

static int tiles_of(int cells)
{
    return (cells + RV_TILE - 1) / RV_TILE;
}

rv_result rv_world_get_terrain_tiles(const rv_world *world, int *across, int *along)
{
    if (across) *across = 0;
    if (along) *along = 0;
    if (!world || !across || !along) return RV_BAD_ARGUMENT;
    *across = tiles_of(world->columns.grid.nx), *along = tiles_of(world->columns.grid.ny);
    return RV_OK;
}

static void tile_cells(int tile, int tiles, int *low, int *high)
{
    *low = tile * RV_TILE;
    if (tile + 1 < tiles) *high = *low + RV_TILE; // else to the end
}

static rv_result make_tile(const rv_world *world, int i, int j, bool fine, rv_mesh *out,
                           rv_messages *messages)
{
    if (!has_both(world, out, messages)) return RV_BAD_ARGUMENT;
    const rv_grid *g = &world->columns.grid;
    int across = tiles_of(g->nx), along = tiles_of(g->ny);
    if (i < 0 || i >= across || j < 0 || j >= along) {
        rv_messages_add(messages, "tile (%d, %d): there are %d x %d", i, j, across, along);
        return RV_BAD_ARGUMENT;
    }
    rv_cell_box box = rv_mesh_cells(g);
    tile_cells(i, across, &box.low[0], &box.high[0]);
    tile_cells(j, along, &box.low[1], &box.high[1]);
    return make_mesh(world, &box, fine, out, messages);
}

rv_result rv_world_terrain_tile(const rv_world *world, int i, int j, rv_mesh *out,
                                rv_messages *messages)
{
    return make_tile(world, i, j, false, out, messages);
}

rv_result rv_world_terrain_tile_fine(const rv_world *world, int i, int j, rv_mesh *out,
                                     rv_messages *messages)
{
    return make_tile(world, i, j, true, out, messages);
}

static int tile_at(int cell, int tiles)
{
    int tile = cell < 0 ? 0 : cell / RV_TILE;
    return tile < tiles ? tile : tiles - 1;
}

rv_result rv_world_get_changed_tiles(const rv_world *world, int64_t then, rv_tile_range *out)
{
    if (out) *out = (rv_tile_range){0, 0, 0, 0};
    if (!world || !out) return RV_BAD_ARGUMENT;
    int across = tiles_of(world->columns.grid.nx), along = tiles_of(world->columns.grid.ny);
    rv_rect cells;
    if (!rv_changes_since(world, then, &cells)) {
        *out = (rv_tile_range){0, 0, across, along};
    } else if (cells.x1 > cells.x0 && cells.y1 > cells.y0) {
        int reach = world->terrain ? rv_terrain_mesh_reach(world->terrain) : 2;
        *out = (rv_tile_range){tile_at(cells.x0 - reach, across), tile_at(cells.y0 - reach, along),
                               tile_at(cells.x1 + reach, across) + 1,
                               tile_at(cells.y1 + reach, along) + 1};
    }
    return RV_OK;
}
