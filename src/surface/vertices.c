// Vertices over columns, and the triangles of four cells that are all inside and all linked: what
// most of a surface is made of, row by row (SPEC §4, 003 §4.2).
#include "surface/mesher.h"

#define ROWS_PER_TASK 16

rv_mesher rv_mesher_of(rv_surface_work *w, const rv_surface_input *in)
{
    const rv_grid *g = &in->columns->grid;
    return (rv_mesher){.w = w,
                       .in = in,
                       .dx = (float)g->dx,
                       .per_dx = (float)(1 / g->dx),
                       .per_opaque = (float)(1 / in->opaque),
                       .x0 = g->x0,
                       .y0 = g->y0};
}

// ---- One vertex ---------------------------------------------------------------------------------

static float slope_between(const rv_mesher *m, uint32_t node, uint32_t a, uint32_t b)
{
    const float *z = m->w->z;
    if (a != RV_NO_NODE && b != RV_NO_NODE) return 0.5f * m->per_dx * (z[a] - z[b]);
    if (a != RV_NO_NODE) return m->per_dx * (z[a] - z[node]);
    if (b != RV_NO_NODE) return m->per_dx * (z[node] - z[b]);
    return 0.0f;
}

// What a column's vertex has besides its place.
typedef struct flow {
    float slope_x, slope_y, u, v;
} flow;

static flow flow_of(const rv_mesher *m, uint32_t slot, ptrdiff_t pitch)
{
    const rv_surface_work *w = m->w;
    const rv_surface_input *in = m->in;
    flow f;
    if (w->record[slot] == RV_NO_NODE) {
        const float *z = w->z + slot;
        f.slope_x = 0.5f * m->per_dx * (z[1] - z[-1]);
        f.slope_y = 0.5f * m->per_dx * (z[pitch] - z[-pitch]);
    } else {
        const uint32_t *link = w->records[w->record[slot]].link;
        f.slope_x = slope_between(m, slot, link[RV_E], link[RV_W]);
        f.slope_y = slope_between(m, slot, link[RV_N], link[RV_S]);
    }
    float per = 0.5f * m->per_dx / in->depth[slot];
    f.u = per * (in->flux_x[slot - 1] + in->flux_x[slot]);
    f.v = per * (in->flux_y[(ptrdiff_t)slot - pitch] + in->flux_y[slot]);
    return f;
}

static rv_vertex wet_vertex(const rv_mesher *m, uint32_t slot, ptrdiff_t pitch, float x, float y)
{
    flow f = flow_of(m, slot, pitch);
    float depth = m->in->depth[slot], share = depth * m->per_opaque;
    return (rv_vertex){{x, y, m->w->z[slot]},
                       rv_vec_unit((rv_vec){-f.slope_x, -f.slope_y, 1}),
                       {f.u, f.v, f.u * f.slope_x + f.v * f.slope_y},
                       share < 1.0f ? share : 1.0f,
                       depth};
}

static float cell_x(const rv_mesher *m, int x)
{
    return (float)(m->x0 + (x + 0.5) * m->in->columns->grid.dx);
}

static float cell_y(const rv_mesher *m, int y)
{
    return (float)(m->y0 + (y + 0.5) * m->in->columns->grid.dx);
}

// Dry and extra nodes: means of the wet ones around.
static rv_vertex other_vertex(const rv_mesher *m, const rv_node_record *n)
{
    rv_vec normal = {0, 0, 0}, velocity = {0, 0, 0};
    int count = 0;
    for (int d = 0; d < RV_DIRECTIONS; d++) {
        uint32_t o = n->link[d];
        if (o == RV_NO_NODE || !rv_is_wet_node(m->w->kind[o])) continue;
        rv_vertex v = wet_vertex(m, o, rv_surface_plane(m->in->columns, o)->pitch, 0, 0);
        normal.x += v.normal.x, normal.y += v.normal.y, normal.z += v.normal.z;
        velocity.x += v.velocity.x, velocity.y += v.velocity.y, velocity.z += v.velocity.z;
        count++;
    }
    float share = count > 0 ? 1.0f / (float)count : 0.0f;
    if (n->node < m->w->slots) share = 0.0f;
    float opacity = n->depth * m->per_opaque;
    return (rv_vertex){{cell_x(m, n->x), cell_y(m, n->y), m->w->z[n->node]},
                       rv_vec_unit(normal),
                       {velocity.x * share, velocity.y * share, velocity.z * share},
                       opacity < 1.0f ? opacity : 1.0f,
                       n->depth};
}

rv_vertex rv_vertex_at(const rv_mesher *m, uint32_t node)
{
    const rv_surface_work *w = m->w;
    if (w->record[node] != RV_NO_NODE && w->kind[node] != RV_NODE_WET)
        return other_vertex(m, &w->records[w->record[node]]);
    const rv_plane *p = rv_surface_plane(m->in->columns, node);
    size_t ahead = node - p->offset;
    int x = p->x0 + (int)(ahead % (size_t)p->pitch), y = p->y0 + (int)(ahead / (size_t)p->pitch);
    return wet_vertex(m, node, p->pitch, cell_x(m, x), cell_y(m, y));
}

void rv_vertex_store(rv_surface_work *w, uint32_t index, const rv_vertex *v)
{
    float *at = w->positions + 3 * (size_t)index, *normal = w->normals + 3 * (size_t)index;
    float *velocity = w->velocity + 3 * (size_t)index;
    at[0] = v->at.x, at[1] = v->at.y, at[2] = v->at.z;
    normal[0] = v->normal.x, normal[1] = v->normal.y, normal[2] = v->normal.z;
    // fluxes at rest may be -0: liquid at rest has one mesh, to the bit
    velocity[0] = v->velocity.x + 0.0f, velocity[1] = v->velocity.y + 0.0f;
    velocity[2] = v->velocity.z + 0.0f;
    w->opacity[index] = v->opacity, w->depth[index] = v->depth;
}

// ---- Rows ---------------------------------------------------------------------------------------

#define EACH_ROW(w, task, r)                                                                       \
    for (uint32_t r = (uint32_t)(task)*ROWS_PER_TASK;                                              \
         r < (w)->rows && r < ((uint32_t)(task) + 1) * ROWS_PER_TASK; r++)

// What the four cells with slot i in the south-west make.
static rv_quad quad_at(const rv_surface_work *w, size_t i, size_t pitch)
{
    const int32_t *b = w->bits;
    const uint8_t *in = w->inside;
    const int32_t square = RV_BIT_E | RV_BIT_N | RV_BIT_NE, side = RV_BIT_N | RV_BIT_NW;
    bool whole = (in[i] & in[i + 1] & in[i + pitch] & in[i + pitch + 1]) &&
                 (b[i] & square) == square && (b[i + 1] & side) == side &&
                 (b[i + pitch] & RV_BIT_E) && rv_is_wet_node(w->kind[i]) &&
                 rv_is_wet_node(w->kind[i + 1]) && rv_is_wet_node(w->kind[i + pitch]) &&
                 rv_is_wet_node(w->kind[i + pitch + 1]);
    if (!whole) return RV_QUAD_SLOW;
    const float *z = w->z + i;
    return z[0] + z[pitch + 1] > z[1] + z[pitch] ? RV_QUAD_AD : RV_QUAD_BC;
}

static void count_rows(void *context, int task)
{
    const rv_mesher *m = context;
    rv_surface_work *w = m->w;
    EACH_ROW(w, task, r)
    {
        rv_surface_row *row = &w->row[r];
        size_t pitch = (size_t)m->in->columns->plane[row->plane].pitch;
        uint32_t vertices = 0, quads = 0;
        for (size_t i = row->first; i < row->first + (size_t)(row->x1 - row->x0); i++) {
            if (w->kind[i] == RV_NODE_NONE) continue;
            vertices += w->inside[i];
            rv_quad quad = quad_at(w, i, pitch);
            quads += quad != RV_QUAD_SLOW;
            w->quad[i] = (uint8_t)quad;
        }
        row->vertex_count = vertices, row->triangle_count = 2 * quads;
    }
}

static void number_rows(void *context, int task)
{
    const rv_mesher *m = context;
    rv_surface_work *w = m->w;
    EACH_ROW(w, task, r)
    {
        const rv_surface_row *row = &w->row[r];
        uint32_t next = row->vertices;
        for (size_t i = row->first; i < row->first + (size_t)(row->x1 - row->x0); i++)
            if (w->inside[i]) w->vertex[i] = next++;
    }
}

static void put_vertices(const rv_mesher *m, const rv_surface_row *row)
{
    rv_surface_work *w = m->w;
    ptrdiff_t pitch = m->in->columns->plane[row->plane].pitch;
    float y = cell_y(m, row->y);
    for (int x = row->x0; x < row->x1; x++) {
        uint32_t slot = row->first + (uint32_t)(x - row->x0);
        if (!w->inside[slot]) continue;
        rv_vertex v = rv_is_wet_node(w->kind[slot]) ? wet_vertex(m, slot, pitch, cell_x(m, x), y)
                                                    : other_vertex(m, &w->records[w->record[slot]]);
        rv_vertex_store(w, w->vertex[slot], &v);
    }
}

static void put_quads(const rv_mesher *m, const rv_surface_row *row)
{
    const rv_surface_work *w = m->w;
    size_t pitch = (size_t)m->in->columns->plane[row->plane].pitch;
    uint32_t *to = w->indices + 3 * (size_t)row->triangles;
    for (size_t i = row->first; i < row->first + (size_t)(row->x1 - row->x0); i++) {
        if (w->quad[i] != RV_QUAD_AD && w->quad[i] != RV_QUAD_BC) continue;
        uint32_t a = w->vertex[i], b = w->vertex[i + 1], c = w->vertex[i + pitch];
        uint32_t d = w->vertex[i + pitch + 1];
        bool ad = w->quad[i] == RV_QUAD_AD;
        to[0] = a, to[1] = b, to[2] = ad ? d : c;
        to[3] = ad ? a : b, to[4] = d, to[5] = c;
        to += 6;
    }
}

static void put_rows(void *context, int task)
{
    const rv_mesher *m = context;
    EACH_ROW(m->w, task, r)
    {
        put_vertices(m, &m->w->row[r]);
        put_quads(m, &m->w->row[r]);
    }
}

bool rv_surface_vertices(rv_surface_work *w, const rv_surface_input *in)
{
    rv_mesher m = rv_mesher_of(w, in);
    int tasks = (int)((w->rows + ROWS_PER_TASK - 1) / ROWS_PER_TASK);
    rv_parallel_for(in->pool, tasks, count_rows, &m);
    w->vertices = w->triangles = 0;
    uint64_t vertices = 0, triangles = 0;
    for (uint32_t r = 0; r < w->rows; r++) {
        w->row[r].vertices = (uint32_t)vertices, w->row[r].triangles = (uint32_t)triangles;
        vertices += w->row[r].vertex_count, triangles += w->row[r].triangle_count;
    }
    if (!rv_surface_reserve(w, vertices, triangles)) return false;
    rv_parallel_for(in->pool, tasks, number_rows, &m);
    rv_parallel_for(in->pool, tasks, put_rows, &m);
    w->vertices = (uint32_t)vertices, w->triangles = (uint32_t)triangles;
    return true;
}
