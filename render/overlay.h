// Lines and faces that are drawn over the scene: triangles' edges, columns, passages, links, marks.
#ifndef RENDER_OVERLAY_H
#define RENDER_OVERLAY_H

#include "render/extent.h"
#include "render/legend.h"

typedef struct rv_overlay_vertex {
    float at[3]; // cells
    uint8_t rgba[4];
} rv_overlay_vertex;

typedef struct rv_overlay_list {
    rv_overlay_vertex *vertex;
    size_t count, room;
    GLuint array, buffer;
    bool failed;
} rv_overlay_list;

typedef struct rv_overlay {
    rv_overlay_list faces, lines;
    rv_legend_def legend;
} rv_overlay;

// Makes what a view shows of the columns: layers, passages, links or affinity; nothing for other
// views.
rv_result rv_overlay_columns(rv_overlay *overlay, const rv_columns *columns,
                             const rv_extent *extent, rv_view_mode mode);
// A ring around a point, as faces.
rv_result rv_overlay_ring(rv_overlay_list *list, vec3 at, vec3 normal, float radius, float wide,
                          const uint8_t rgba[4]);
void rv_overlay_send(rv_overlay_list *list);
void rv_overlay_list_free(rv_overlay_list *list);
void rv_overlay_free(rv_overlay *overlay);

#endif
