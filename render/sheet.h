// The liquid's triangles on the graphics card: the surface's own arrays, as rv_surface_mesh has
// them, and what closes them at the sides of the grid.
#ifndef RENDER_SHEET_H
#define RENDER_SHEET_H

#include "render/finer_card.h"
#include "render/sides.h"
#include "rivulet/device.h"

#include <epoxy/gl.h>

struct rv_cull;

typedef struct rv_sheet {
    GLuint array, vertices, indices;
    GLuint wire, edges;     // of lines, made when they are wanted
    size_t room;            // vertices, on the card
    size_t index_bytes;     // room on the card
    unsigned parts;         // arrays that the surface has, a bit each
    uint64_t version;       // of the surface that is there; 0: none
    uint64_t edges_version; // of its edges
    uint64_t sent;          // how often it changed: another surface may have the same version
    rv_sides sides;         // of the surface as it is
    rv_finer finer;         // the surface, to be made finer
    rv_sides fine_sides;    // of what that is
    rv_columns plan;        // its grid, without columns
    rv_finer_how how;       // of what is on the card: how it was made finer,
    rv_eye near;            // for whom,
    uint64_t near_version;  // and of which surface, if that was made on the card
    float *side;            // what the sides' vertices have, array by array
    size_t side_room;
    size_t vertex_count, index_count; // of the surface and its sides
    size_t edge_count;                // lines
    size_t uploaded;                  // bytes, by the last call
    vec3 low, high;                   // cells, a box around it
    float deepest, fastest;           // cells, cells/s
    float grid[4], contact;           // as the shaders have them: low corner, m, cells in a metre;
                                      // contact angle, rad
    rv_surface_card card;             // where it stands, if it was made on the card
    rv_surface_card drawn;            // and what is drawn of it: itself, or
    rv_finer_card finer_card;         // what it was made there, finer
    bool on_card;
    GLuint card_array; // what finds it there
} rv_sheet;

// `contact`: the contact angle, rad; `wired`: its edges will be drawn.
rv_result rv_sheet_update(rv_sheet *sheet, const rv_surface_mesh *mesh, const rv_columns *columns,
                          const rv_extent *extent, double contact, bool wired);
// Before it is drawn, unless it is near already: makes it finer where the eye is near, as `how`
// says; where that cannot be on a card it stays as it is. `planes`: layers of columns.
bool rv_sheet_is_near(const rv_sheet *sheet, const rv_eye *eye, const rv_finer_how *how);
rv_result rv_sheet_near(rv_sheet *sheet, const rv_extent *extent, const rv_eye *eye,
                        const rv_finer_how *how, int planes);
// Whether what is drawn is a surface that was made finer on the card.
static inline bool rv_sheet_is_finer(const rv_sheet *sheet)
{
    return sheet->on_card && sheet->drawn.indices != sheet->card.indices;
}
// The same of a surface that is in the card's memory already.
rv_result rv_sheet_show(rv_sheet *sheet, const rv_surface_card *card, const rv_extent *extent,
                        double contact, bool wired);
void rv_sheet_free(rv_sheet *sheet);
// `chosen`: of its triangles (render/cull.h); NULL: all.
void rv_sheet_draw(const rv_sheet *sheet, const struct rv_cull *chosen);
// Tells a kernel where it finds the corners of triangles by their numbers, in buffers behind those
// that worlds on the card have bound (RV_DEVICE_BUFFERS).
enum { RV_SHEET_VERTICES = RV_DEVICE_BUFFERS, RV_SHEET_CORNERS };
void rv_sheet_bind_words(const rv_sheet *sheet);
void rv_sheet_set_words(const rv_sheet *sheet, GLuint kernel);
// The edges of its triangles.
void rv_sheet_draw_wire(const rv_sheet *sheet);

// Where programs that draw vertices in metres or in cells have the low corner of what is drawn, and
// cells in a unit: a constant attribute.
enum { RV_AT_GRID = 8 };

#endif
