// Terrain: solids → sampled signed distance field → columns. docs/terrain.md, pipes paper §3.1.
#ifndef RV_TERRAIN_TERRAIN_H
#define RV_TERRAIN_TERRAIN_H

#include "base/grid.h"
#include "rivulet/scene.h"
#include "terrain/columns.h"
#include "terrain/form.h"

typedef struct rv_terrain rv_terrain;

// Adds a line for every problem of the solids, which are called `where` ("solids[3].radius: …").
// true when there is none. In any list but "solids" nothing may move.
bool rv_solids_check(const rv_solid_def *solids, int count, const char *where,
                     rv_messages *messages);

// Exact combined distance of the solids at a point, not sampled.
double rv_solids_distance(const rv_solid_def *solids, int count, rv_vec3 p);

// Samples the field where it matters (bricks near the surface), casts the columns. The ground below
// grid.bottom is solid. With keep == false only the columns remain and *out is NULL.
rv_result rv_terrain_build(const rv_solid_def *solids, int count, const rv_grid *grid, bool keep,
                           rv_pool *pool, const rv_allocator *allocator,
                           void (*progress)(double, void *), void *progress_user, rv_terrain **out,
                           rv_column_set *columns);
void rv_terrain_free(rv_terrain *terrain);
size_t rv_terrain_bytes(const rv_terrain *terrain);

// Distance from the sampled field, trilinear; a bound of the right sign away from the surface.
float rv_terrain_distance(const rv_terrain *terrain, rv_vec3 p);
// Unit gradient of the field.
rv_vec3 rv_terrain_normal(const rv_terrain *terrain, rv_vec3 p);
// First point along the ray inside the grid where the field becomes negative; INFINITY when none.
double rv_terrain_cast(const rv_terrain *terrain, rv_vec3 from, rv_vec3 unit_direction);

// ---- How it wets (angles.c) ---------------------------------------------------------------------

// Contact angles of a solid, rad; below 0: the liquid's. And how cold it is, 0 … 1.
typedef struct rv_angles {
    double advancing, receding, contact;
    double cold;
} rv_angles;

#define RV_ANGLES_MAX 250 // that differ, in one world
// Whether a solid says angles of its own, or is cold.
bool rv_angles_are_said(const rv_solid_def *solid);
rv_angles rv_angles_of(const rv_solid_def *solid);
bool rv_angles_same(const rv_angles *a, const rv_angles *b);
// The angles that differ, and how many they are: 0 where no solid says any, else the first are the
// liquid's.
int rv_terrain_angles(const rv_terrain *terrain, const rv_angles **sets);
// Which of them the solid has whose surface passes through the height z (m) of a cell. What edits
// added is as the solid nearest to it.
uint8_t rv_terrain_angles_at(const rv_terrain *terrain, int x, int y, double z);
// The same of the solid whose surface passes through p, also where that is steep.
uint8_t rv_terrain_angles_near(const rv_terrain *terrain, rv_vec3 p);

// ---- Changing it (edit.c) -----------------------------------------------------------------------

typedef struct rv_terrain_change {
    rv_rect cells;  // those that may have other columns now
    int64_t bricks; // sampled again
} rv_terrain_change;

// Carves the tool out of the terrain that does not move, or adds it, along the path (no points:
// where it stands). After RV_OUT_OF_MEMORY the field is whole, edited or not.
rv_result rv_terrain_edit(rv_terrain *terrain, const rv_solid_def *tool, int count,
                          const rv_vec3 *path, int points, bool carve, rv_pool *pool,
                          rv_terrain_change *change);

// From where a moving solid was defined to where it is: p = at + (row turned over) q.
typedef struct rv_motion {
    rv_vec3 row[3]; // of the inverse rotation
    rv_vec3 at;
} rv_motion;

// Moving solids are numbered from 1. Each is added once, before the columns are cast, and takes
// effect when it is first moved.
rv_result rv_terrain_add_mover(rv_terrain *terrain, int number, const rv_solid_def *solids,
                               int count, rv_pool *pool);
bool rv_terrain_has_mover(const rv_terrain *terrain, int number);
// How far a place is from its surface, m, and the cells around it where it is now.
double rv_terrain_mover_distance(const rv_terrain *terrain, int number, rv_vec3 p);
rv_rect rv_terrain_mover_cells(const rv_terrain *terrain, int number);
rv_result rv_terrain_move(rv_terrain *terrain, int number, const rv_motion *motion, rv_pool *pool,
                          rv_terrain_change *change);

// Casts one cell's columns.
void rv_terrain_cast_cell(const rv_terrain *terrain, int x, int y, rv_stack *out);
// Casts all columns again, laid out anew.
rv_result rv_terrain_columns(const rv_terrain *terrain, rv_pool *pool, rv_column_set *columns);

// ---- Other ranks (share.c) ----------------------------------------------------------------------

// With a cut whose ranks have just come to keep more rows (grid.cut): takes the field there from
// those who have it. `before[rank]`: what each kept until now. All ranks call it.
rv_result rv_terrain_take_rows(rv_terrain *terrain, const rv_rows *before);

// ---- Keeping changes (keep.c) -------------------------------------------------------------------

bool rv_terrain_is_edited(const rv_terrain *terrain); // moving solids aside
// Around all places where it ever changed, moving solids among them: elsewhere distances are known,
// there only near surfaces. The bricks that were edited do not tell it. Nothing: low above high.
rv_box rv_terrain_touched(const rv_terrain *terrain);
void rv_terrain_set_touched(rv_terrain *terrain, rv_box touched);
size_t rv_terrain_saved_bytes(const rv_terrain *terrain);
void rv_terrain_save(const rv_terrain *terrain, unsigned char *to);
// Makes the terrain that does not move what it was when it was saved. Moving solids must be moved
// after it.
rv_result rv_terrain_restore(rv_terrain *terrain, const unsigned char *from, size_t size);
// Memory for going back from a change to what rv_terrain_save wrote before it; NULL: no field.
bool rv_terrain_reserve(rv_terrain *terrain);
int64_t rv_terrain_mover_bricks(const rv_terrain *terrain, int number); // that it may be in

void rv_terrain_free_edits(rv_terrain *terrain);
size_t rv_terrain_edit_bytes(const rv_terrain *terrain);

// ---- As triangles (terrain_mesh.c) --------------------------------------------------------------

// Cells of the mesh: cell (i, j, k) lies between samples i and i + 1, j and j + 1, counted from the
// ring outside the grid, and between k - 1 and k, where -1 is the ground.
typedef struct rv_cell_box {
    int low[3], high[3]; // first, and after the last
} rv_cell_box;

rv_cell_box rv_mesh_cells(const rv_grid *grid);
// All of them: what rv_terrain_mesh makes triangles of.
rv_cell_box rv_terrain_mesh_cells(const rv_terrain *terrain);
// Whether something says a material: a solid, or a tool of an edit. Then meshes have in `materials`
// how each vertex looks: 0 as the scene says, else a material + 1. Else they have none.
bool rv_terrain_has_looks(const rv_terrain *terrain);
// Vertices stay this share of an edge between samples away from both.
double rv_terrain_mesh_inset(const rv_terrain *terrain);
// The surface of the solid, closed: the block of ground with all that stands on it, cut off at the
// outermost samples. Give it back with rv_mesh_free.
rv_result rv_terrain_mesh(const rv_terrain *terrain, const rv_allocator *allocator, rv_mesh *out);
// The same as the field has it, without the edges of solids: all vertices lie on lines of the
// lattice. The liquid's surface keeps over these; edges may stand out of films thinner than half a
// cell.
rv_result rv_terrain_mesh_plain(const rv_terrain *terrain, const rv_allocator *allocator,
                                rv_mesh *out);
// The same triangles, only those in the box, which is cut to what there is. Along its sides the
// mesh is open, with the same vertices, to the bit, as that of the box beside it.
rv_result rv_terrain_mesh_box(const rv_terrain *terrain, const rv_cell_box *box,
                              const rv_allocator *allocator, rv_mesh *out);
// The same for pictures, with more vertices where it is bent within a cell (mesh_fine.c).
rv_result rv_terrain_mesh_fine(const rv_terrain *terrain, const rv_cell_box *box,
                               const rv_allocator *allocator, rv_mesh *out);

// So many cells beyond those of an rv_terrain_change the mesh may be another.
int rv_terrain_mesh_reach(const rv_terrain *terrain);

// Whether columns are beds under an open sky and nothing more. Only then their mesh is that of the
// terrain.
bool rv_columns_are_beds(const rv_column_set *columns);
rv_result rv_columns_mesh(const rv_column_set *columns, const rv_allocator *allocator,
                          rv_mesh *out);
// Of the box, its height aside: as rv_terrain_mesh_box.
rv_result rv_columns_mesh_box(const rv_column_set *columns, const rv_cell_box *box,
                              const rv_allocator *allocator, rv_mesh *out);

#endif
