// Pictures of the columns themselves.
//
// Layers: a plate at the level of each column, its bed where it is dry, coloured by layer.
// Passages: the flooded columns, each connected group in a colour of its own. Links: a line between
// each two columns of cells that touch, at a side or a corner, whose levels lie in each other's
// open range (min, max), where one of them is wet. Affinity: a plate on the beds that draw liquid
// or repel it, white or dark, the clearer the more.
#include "render/overlay.h"

#include "render/colours.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- Lists -------------------------------------------------------------------------------------

static void add_vertex(rv_overlay_list *l, vec3 p, const uint8_t rgba[4])
{
    if (l->count == l->room) {
        size_t room = 2 * l->room + 4096;
        rv_overlay_vertex *more = realloc(l->vertex, room * sizeof *more);
        if (!more) {
            l->failed = true;
            return;
        }
        l->vertex = more, l->room = room;
    }
    l->vertex[l->count++] =
        (rv_overlay_vertex){{p.x, p.y, p.z}, {rgba[0], rgba[1], rgba[2], rgba[3]}};
}

static void add_quad(rv_overlay_list *l, vec3 a, vec3 b, vec3 c, vec3 d, const uint8_t rgba[4])
{
    const vec3 corner[6] = {a, b, c, a, c, d};
    for (int n = 0; n < 6; n++) add_vertex(l, corner[n], rgba);
}

void rv_overlay_send(rv_overlay_list *l)
{
    if (l->count == 0) return;
    if (!l->array) {
        glGenVertexArrays(1, &l->array);
        glGenBuffers(1, &l->buffer);
        glBindVertexArray(l->array);
        glBindBuffer(GL_ARRAY_BUFFER, l->buffer);
        glEnableVertexAttribArray(0);
        glEnableVertexAttribArray(1);
        glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, sizeof *l->vertex,
                              (void *)offsetof(rv_overlay_vertex, at));
        glVertexAttribPointer(1, 4, GL_UNSIGNED_BYTE, GL_TRUE, sizeof *l->vertex,
                              (void *)offsetof(rv_overlay_vertex, rgba));
    }
    glBindVertexArray(0);
    glBindBuffer(GL_ARRAY_BUFFER, l->buffer);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(l->count * sizeof *l->vertex), l->vertex,
                 GL_STREAM_DRAW);
}

void rv_overlay_list_free(rv_overlay_list *l)
{
    if (l->array) {
        glDeleteVertexArrays(1, &l->array);
        glDeleteBuffers(1, &l->buffer);
    }
    free(l->vertex);
    memset(l, 0, sizeof *l);
}

void rv_overlay_free(rv_overlay *o)
{
    rv_overlay_list_free(&o->faces);
    rv_overlay_list_free(&o->lines);
}

// ---- Columns -----------------------------------------------------------------------------------

typedef struct maker {
    rv_overlay *o;
    const rv_columns *c;
    const rv_extent *e;
    int layers;
} maker;

static bool exists(const maker *m, int plane, int x, int y, size_t *slot)
{
    if (plane < 0 || plane >= m->c->planes || !rv_plane_has(&m->c->plane[plane], x, y))
        return false;
    *slot = rv_slot(&m->c->plane[plane], x, y);
    return m->c->max[*slot] > m->c->base[*slot];
}

static float level_of(const maker *m, size_t slot)
{
    return m->c->base[slot] + maxf(m->c->depth[slot], 0);
}

static float height(const maker *m, float z)
{
    return (float)(((double)z - m->e->bottom) / m->e->dx);
}

static void paint(uint8_t rgba[4], rv_colour colour, int alpha)
{
    rgba[0] = colour.r, rgba[1] = colour.g, rgba[2] = colour.b, rgba[3] = (uint8_t)alpha;
}

typedef void visit(maker *m, int plane, int x, int y, size_t slot);

static void each_column(maker *m, visit *f)
{
    for (int l = 0; l < m->c->planes; l++) {
        const rv_plane *p = &m->c->plane[l];
        for (int y = p->y0; y < p->y0 + p->ny; y++)
            for (int x = p->x0; x < p->x0 + p->nx; x++) {
                size_t slot;
                if (exists(m, l, x, y, &slot)) f(m, l, x, y, slot);
            }
    }
}

// ---- Layers ------------------------------------------------------------------------------------

static void show_layer(maker *m, int plane, int x, int y, size_t slot)
{
    uint8_t rgba[4];
    bool wet = (double)m->c->depth[slot] > 1e-3 * m->c->dx;
    paint(rgba, rv_colour_of_kind(plane), wet ? 245 : 150);
    float z = height(m, level_of(m, slot)) + 0.08f, in = 0.06f;
    float x0 = (float)x + in, x1 = (float)x + 1 - in, y0 = (float)y + in, y1 = (float)y + 1 - in;
    add_quad(&m->o->faces, v3(x0, y0, z), v3(x1, y0, z), v3(x1, y1, z), v3(x0, y1, z), rgba);
    if (plane >= m->layers) m->layers = plane + 1;
}

static void name_layers(maker *m)
{
    rv_legend_def *d = &m->o->legend;
    snprintf(d->title, sizeof d->title, "layer");
    d->rows = m->layers < RV_KINDS ? m->layers : RV_KINDS;
    for (int n = 0; n < d->rows; n++) {
        uint8_t rgba[4];
        paint(rgba, rv_colour_of_kind(n), 255);
        memcpy(d->row[n].rgb, rgba, 3);
        snprintf(d->row[n].text, sizeof d->row[n].text, "%d%s", n, n == 0 ? " lowest" : "");
    }
}

// ---- Passages ----------------------------------------------------------------------------------

// Groups as trees of slots: each slot names another of its group, the root itself.
static uint32_t root_of(uint32_t *group, uint32_t slot)
{
    while (group[slot] != slot) slot = group[slot] = group[group[slot]];
    return slot;
}

static bool flooded(const maker *m, size_t slot)
{
    if (m->c->full) return m->c->full[slot];
    float room = m->c->max[slot] - m->c->base[slot];
    return (double)m->c->max[slot] < m->c->top - 1e-3 * m->c->dx &&
           m->c->depth[slot] > room - 1e-3f * (float)m->c->dx;
}

// Joins the flooded columns of neighbouring cells whose voids overlap.
static void join(const maker *m, uint32_t *group, size_t a, int x, int y)
{
    for (int l = 0; l < m->c->planes; l++) {
        size_t b;
        if (!exists(m, l, x, y, &b) || !flooded(m, b)) continue;
        if (m->c->base[a] < m->c->max[b] && m->c->base[b] < m->c->max[a])
            group[root_of(group, (uint32_t)a)] = root_of(group, (uint32_t)b);
    }
}

// Where two flooded columns stand side by side the face between them is left out.
static void show_box(maker *m, int x, int y, size_t slot, const uint8_t rgba[4])
{
    float a = height(m, m->c->base[slot]), b = height(m, m->c->max[slot]);
    float x0 = (float)x, x1 = x0 + 1, y0 = (float)y, y1 = y0 + 1;
    rv_overlay_list *f = &m->o->faces;
    add_quad(f, v3(x0, y0, b), v3(x1, y0, b), v3(x1, y1, b), v3(x0, y1, b), rgba);
    for (int k = 0; k < 4; k++) {
        static const int way[4][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
        bool inner = false;
        for (int l = 0; l < m->c->planes; l++) {
            size_t other;
            inner =
                inner || (exists(m, l, x + way[k][0], y + way[k][1], &other) && flooded(m, other));
        }
        if (inner) continue;
        float u0 = k == 1 ? x1 : x0, u1 = k == 0 ? x0 : x1, w0 = k == 3 ? y1 : y0,
              w1 = k == 2 ? y0 : y1;
        add_quad(f, v3(u0, w0, a), v3(u1, w1, a), v3(u1, w1, b), v3(u0, w0, b), rgba);
    }
}

typedef struct flood {
    maker *m;
    uint32_t *group;
    int passages, columns;
} flood;

static void group_columns(flood *f)
{
    maker *m = f->m;
    for (int l = 0; l < m->c->planes; l++) {
        const rv_plane *p = &m->c->plane[l];
        for (int y = p->y0; y < p->y0 + p->ny; y++)
            for (int x = p->x0; x < p->x0 + p->nx; x++) {
                size_t slot;
                if (!exists(m, l, x, y, &slot) || !flooded(m, slot)) continue;
                join(m, f->group, slot, x - 1, y);
                join(m, f->group, slot, x, y - 1);
            }
    }
}

static void show_groups(flood *f, int *number)
{
    maker *m = f->m;
    for (int l = 0; l < m->c->planes; l++) {
        const rv_plane *p = &m->c->plane[l];
        for (int y = p->y0; y < p->y0 + p->ny; y++)
            for (int x = p->x0; x < p->x0 + p->nx; x++) {
                size_t slot;
                uint8_t rgba[4];
                if (!exists(m, l, x, y, &slot) || !flooded(m, slot)) continue;
                uint32_t root = root_of(f->group, (uint32_t)slot);
                if (number[root] == 0) number[root] = ++f->passages;
                f->columns++;
                paint(rgba, rv_colour_of_kind(number[root] - 1), 150);
                show_box(m, x, y, slot, rgba);
            }
    }
}

static bool show_passages(maker *m)
{
    flood f = {.m = m, .group = malloc(m->c->slots * sizeof(uint32_t))};
    int *number = calloc(m->c->slots, sizeof *number);
    bool good = f.group && number;
    if (good) {
        for (size_t n = 0; n < m->c->slots; n++) f.group[n] = (uint32_t)n;
        group_columns(&f);
        show_groups(&f, number);
        rv_legend_def *d = &m->o->legend;
        snprintf(d->title, sizeof d->title, "passages: %d", f.passages);
        d->rows = f.passages < RV_KINDS ? f.passages : RV_KINDS;
        for (int n = 0; n < d->rows; n++) {
            uint8_t rgba[4];
            paint(rgba, rv_colour_of_kind(n), 255);
            memcpy(d->row[n].rgb, rgba, 3);
            snprintf(d->row[n].text, sizeof d->row[n].text, "%d", n + 1);
        }
    }
    free(f.group);
    free(number);
    return good;
}

// ---- Links -------------------------------------------------------------------------------------

enum { LINK_WET, LINK_EDGE, LINK_ACROSS, LINK_KINDS };

static rv_colour link_colour(int kind)
{
    static const rv_colour colour[LINK_KINDS] = {{70, 150, 255}, {255, 180, 60}, {255, 80, 110}};
    return colour[kind];
}

static void show_links(maker *m, int plane, int x, int y, size_t a)
{
    static const int way[4][2] = {{1, 0}, {0, 1}, {1, 1}, {-1, 1}};
    const rv_columns *c = m->c;
    float film = (float)(1e-3 * c->dx), level = level_of(m, a);
    for (int k = 0; k < 4; k++)
        for (int l = 0; l < c->planes; l++) {
            size_t b;
            int u = x + way[k][0], v = y + way[k][1];
            if (!exists(m, l, u, v, &b)) continue;
            float other = level_of(m, b);
            bool wet_a = c->depth[a] > film, wet_b = c->depth[b] > film;
            if (!(wet_a || wet_b) || !(level > c->min[b] && level < c->max[b]) ||
                !(other > c->min[a] && other < c->max[a]))
                continue;
            uint8_t rgba[4];
            paint(rgba,
                  link_colour(l != plane       ? LINK_ACROSS
                              : wet_a && wet_b ? LINK_WET
                                               : LINK_EDGE),
                  255);
            add_vertex(&m->o->lines, v3((float)x + 0.5f, (float)y + 0.5f, height(m, level) + 0.1f),
                       rgba);
            add_vertex(&m->o->lines, v3((float)u + 0.5f, (float)v + 0.5f, height(m, other) + 0.1f),
                       rgba);
        }
}

static void name_links(rv_legend_def *d)
{
    static const char *const name[LINK_KINDS] = {"wet - wet", "wet - dry", "across planes"};
    snprintf(d->title, sizeof d->title, "links");
    d->rows = LINK_KINDS;
    for (int n = 0; n < LINK_KINDS; n++) {
        uint8_t rgba[4];
        paint(rgba, link_colour(n), 255);
        memcpy(d->row[n].rgb, rgba, 3);
        snprintf(d->row[n].text, sizeof d->row[n].text, "%s", name[n]);
    }
}

// ---- Affinity ----------------------------------------------------------------------------------

static const rv_colour drawing = {235, 245, 255}, repelling = {150, 60, 20};

// Height of the bed at a corner of a cell: the mean of what is around it in the same plane.
static float corner(const maker *m, int plane, int x, int y, int dx, int dy, size_t own)
{
    static const int around[3][2] = {{1, 0}, {0, 1}, {1, 1}};
    float sum = m->c->base[own], steep = 2 * (float)m->c->dx;
    int count = 1;
    for (int k = 0; k < 3; k++) {
        size_t slot;
        if (!exists(m, plane, x + dx * around[k][0], y + dy * around[k][1], &slot)) continue;
        if (fabsf(m->c->base[slot] - m->c->base[own]) > steep) continue;
        sum += m->c->base[slot], count++;
    }
    return height(m, sum / (float)count) + 0.05f;
}

static void show_affinity(maker *m, int plane, int x, int y, size_t slot)
{
    uint8_t rgba[4];
    if (!m->c->affinity) return;
    int shift = m->c->affinity[(size_t)y * (size_t)m->c->nx + (size_t)x] - 127;
    if (shift == 0) return;
    paint(rgba, shift > 0 ? drawing : repelling, 200 * abs(shift) / 127);
    float x0 = (float)x, x1 = x0 + 1, y0 = (float)y, y1 = y0 + 1;
    add_quad(&m->o->faces, v3(x0, y0, corner(m, plane, x, y, -1, -1, slot)),
             v3(x1, y0, corner(m, plane, x, y, 1, -1, slot)),
             v3(x1, y1, corner(m, plane, x, y, 1, 1, slot)),
             v3(x0, y1, corner(m, plane, x, y, -1, 1, slot)), rgba);
}

static void name_affinity(rv_legend_def *d)
{
    snprintf(d->title, sizeof d->title, "affinity");
    d->rows = 2;
    for (int n = 0; n < 2; n++) {
        uint8_t rgba[4];
        paint(rgba, n == 0 ? drawing : repelling, 255);
        memcpy(d->row[n].rgb, rgba, 3);
        snprintf(d->row[n].text, sizeof d->row[n].text, "%s", n == 0 ? "1 draws" : "0 repels");
    }
}

rv_result rv_overlay_columns(rv_overlay *o, const rv_columns *columns, const rv_extent *e,
                             rv_view_mode mode)
{
    maker m = {o, columns, e, 0};
    bool good = true;
    o->faces.count = o->lines.count = 0;
    o->faces.failed = o->lines.failed = false;
    memset(&o->legend, 0, sizeof o->legend);
    if (mode == RV_VIEW_LAYERS) each_column(&m, show_layer), name_layers(&m);
    if (mode == RV_VIEW_PASSAGES) good = show_passages(&m);
    if (mode == RV_VIEW_LINKS) each_column(&m, show_links), name_links(&o->legend);
    if (mode == RV_VIEW_AFFINITY) each_column(&m, show_affinity), name_affinity(&o->legend);
    if (!good || o->faces.failed || o->lines.failed) return RV_OUT_OF_MEMORY;
    rv_overlay_send(&o->faces);
    rv_overlay_send(&o->lines);
    return RV_OK;
}

rv_result rv_overlay_ring(rv_overlay_list *l, vec3 at, vec3 normal, float radius, float wide,
                          const uint8_t rgba[4])
{
    enum { PARTS = 64 };
    normal = unit(normal);
    vec3 side = unit(cross(normal, fabsf(normal.z) < 0.9f ? v3(0, 0, 1) : v3(1, 0, 0)));
    vec3 other = cross(normal, side), before[2] = {{0}};
    l->count = 0, l->failed = false;
    for (int n = 0; n <= PARTS; n++) {
        float a = 6.2831853f * (float)n / PARTS;
        vec3 out = add(scale(side, cosf(a)), scale(other, sinf(a)));
        vec3 now[2] = {along(at, out, radius - 0.5f * wide), along(at, out, radius + 0.5f * wide)};
        if (n > 0) add_quad(l, before[0], before[1], now[1], now[0], rgba);
        before[0] = now[0], before[1] = now[1];
    }
    if (l->failed) return RV_OUT_OF_MEMORY;
    rv_overlay_send(l);
    return RV_OK;
}
