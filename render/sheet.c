// Sends the liquid's surface to the card as it is: its arrays stand one behind the other in one
// buffer, each with room to spare, and the shaders read them from there. What an update of the
// surface did not change is not sent again. Behind the surface's own vertices stand those that
// close it at the sides of the grid.
#include "render/sheet.h"

#include "render/cull.h"
#include "render/grow.h"

#include <stdlib.h>
#include <string.h>

// The arrays of a surface, as the shader numbers them; behind them what all vertices share.
enum { PLACE, NORMAL, DEPTH, VELOCITY, CONTACT, ROUGHNESS, DROP, FILM, PARTS };
enum { ANGLE = RV_AT_GRID + 1 };
_Static_assert((int)PARTS == (int)RV_AT_GRID, "attributes follow each other");

static const int WIDTH[PARTS] = {3, 3, 1, 3, 4, 1, 1, 1}; // floats
enum { FLOATS = 17 };                                     // of all of them

// `drop` of what is no curtain: the surface, and its cut at a side of the grid.
#define SHEET (-1.0f)
#define CUT (-2.0f)
#define CUT_ALONE (-2.25f) // of a face that is not under the surface

static void parts_of(const rv_surface_mesh *mesh, const float *part[PARTS])
{
    const float *const all[PARTS] = {mesh->positions, mesh->normals,   mesh->depth, mesh->velocity,
                                     mesh->contact,   mesh->roughness, mesh->drop,  NULL};
    memcpy(part, all, sizeof all);
}

// Floats before an array, where each has `count` vertices.
static size_t begin_of(int part, size_t count)
{
    size_t floats = 0;
    for (int k = 0; k < part; k++) floats += (size_t)WIDTH[k];
    return floats * count;
}

// ---- What the picture must know of it -----------------------------------------------------------

// Four vertices at a time, so that the compiler makes vectors of it.
static void find_box(const rv_surface_mesh *mesh, float low[12], float high[12])
{
    for (int k = 0; k < 12; k++) low[k] = INFINITY, high[k] = -INFINITY;
    size_t whole = mesh->vertex_count / 4 * 4;
    for (size_t n = 0; n < whole; n += 4) {
        const float *p = mesh->positions + 3 * n;
        for (int k = 0; k < 12; k++) low[k] = minf(low[k], p[k]), high[k] = maxf(high[k], p[k]);
    }
    for (size_t n = 3 * whole; n < 3 * mesh->vertex_count; n++) {
        float p = mesh->positions[n];
        low[n % 3] = minf(low[n % 3], p), high[n % 3] = maxf(high[n % 3], p);
    }
    for (int k = 3; k < 12; k++)
        low[k % 3] = minf(low[k % 3], low[k]), high[k % 3] = maxf(high[k % 3], high[k]);
}

static void find_most(rv_sheet *s, const rv_surface_mesh *mesh, const rv_extent *e)
{
    float deepest[4] = {0}, fastest[4] = {0}, per = (float)(1 / e->dx);
    size_t whole = mesh->vertex_count / 4 * 4;
    for (size_t n = 0; n < whole; n += 4) {
        const float *u = mesh->velocity + 3 * n, *depth = mesh->depth + n;
        for (int k = 0; k < 4; k++) {
            float x = u[3 * k], y = u[3 * k + 1], z = u[3 * k + 2];
            deepest[k] = maxf(deepest[k], depth[k]);
            fastest[k] = maxf(fastest[k], x * x + y * y + z * z);
        }
    }
    for (size_t n = whole; n < mesh->vertex_count; n++) {
        const float *u = mesh->velocity + 3 * n;
        deepest[0] = maxf(deepest[0], mesh->depth[n]);
        fastest[0] = maxf(fastest[0], u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    }
    for (int k = 1; k < 4; k++)
        deepest[0] = maxf(deepest[0], deepest[k]), fastest[0] = maxf(fastest[0], fastest[k]);
    s->deepest = deepest[0] * per, s->fastest = sqrtf(fastest[0]) * per;
}

// ---- Sides -------------------------------------------------------------------------------------

// What a vertex at a side has: its own place, and of a face its own normal; the rest from the
// vertex of the surface that it belongs to.
static void put_side(const rv_side_vertex *from, const float *const part[PARTS], size_t n,
                     size_t count, float *to)
{
    for (int k = 0; k < PARTS; k++) {
        float *own = to + begin_of(k, count) + (size_t)WIDTH[k] * n;
        if (part[k] && from->like != RV_SIDE_ALONE)
            memcpy(own, part[k] + (size_t)WIDTH[k] * from->like, (size_t)WIDTH[k] * sizeof *own);
    }
    memcpy(to + begin_of(PLACE, count) + 3 * n, from->position, sizeof from->position);
    memcpy(to + begin_of(NORMAL, count) + 3 * n, from->normal, sizeof from->normal);
    // without depth the surface ends there, and shaders carry an end on into what is steep
    float *depth = to + begin_of(DEPTH, count) + n;
    *depth = maxf(from->like == RV_SIDE_ALONE ? from->depth : *depth, 1e-9f);
    if (from->like == RV_SIDE_ALONE) {
        to[begin_of(CONTACT, count) + 4 * n] = 1e9f; // far from any
        to[begin_of(FILM, count) + n] = from->depth;
    }
    to[begin_of(DROP, count) + n] = !from->face                   ? SHEET
                                    : from->like == RV_SIDE_ALONE ? CUT_ALONE
                                                                  : CUT;
    if (from->face) to[begin_of(ROUGHNESS, count) + n] = 0;
}

static bool take_sides(rv_sheet *s, const rv_sides *sides, const float *const part[PARTS])
{
    size_t count = sides->vertex_count;
    if (count == 0) return true;
    if (!rv_grow((void **)&s->side, &s->side_room, FLOATS * count, sizeof *s->side)) return false;
    memset(s->side, 0, FLOATS * count * sizeof *s->side);
    for (size_t n = 0; n < count; n++) put_side(&sides->vertices[n], part, n, count, s->side);
    return true;
}

// ---- To the card -------------------------------------------------------------------------------

static void make_buffers(rv_sheet *s)
{
    glGenVertexArrays(1, &s->array);
    glGenBuffers(1, &s->vertices);
    glGenBuffers(1, &s->indices);
    glBindVertexArray(s->array);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, s->indices);
}

// Room for so many vertices, and where the shaders find each array; what was there is lost.
static void make_room(rv_sheet *s, size_t need)
{
    s->room = (need + need / 2 + 1023) / 1024 * 1024;
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(FLOATS * s->room * sizeof(float)), NULL,
                 GL_DYNAMIC_DRAW);
    for (int k = 0; k < PARTS; k++)
        glVertexAttribPointer((GLuint)k, WIDTH[k], GL_FLOAT, GL_FALSE, 0,
                              (void *)(begin_of(k, s->room) * sizeof(float)));
}

static void send_part(rv_sheet *s, int part, const float *from, size_t first, size_t count)
{
    size_t width = (size_t)WIDTH[part], bytes = count * width * sizeof *from;
    size_t at = (begin_of(part, s->room) + first * width) * sizeof *from;
    if (count == 0) return;
    glBufferSubData(GL_ARRAY_BUFFER, (GLintptr)at, (GLsizeiptr)bytes, from);
    s->uploaded += bytes;
}

static void send_indices(rv_sheet *s, const uint32_t *from, size_t first, size_t count)
{
    if (count == 0) return;
    glBufferSubData(GL_ELEMENT_ARRAY_BUFFER, (GLintptr)(first * sizeof *from),
                    (GLsizeiptr)(count * sizeof *from), from);
    s->uploaded += count * sizeof *from;
}

// Which arrays there are; without one its attribute is the same everywhere.
static void enable_parts(rv_sheet *s, const float *const part[PARTS])
{
    s->parts = 0;
    for (int k = 0; k < PARTS; k++) {
        if (part[k]) {
            glEnableVertexAttribArray((GLuint)k);
            s->parts |= 1u << k;
        } else {
            glDisableVertexAttribArray((GLuint)k);
        }
    }
}

static void send(rv_sheet *s, const rv_surface_mesh *mesh, const rv_sides *sides,
                 const float *const part[PARTS])
{
    size_t index_bytes = s->index_count * sizeof(uint32_t);
    bool all = s->version == 0 || mesh->version != s->version + 1 || s->vertex_count > s->room ||
               index_bytes > s->index_bytes || s->how.levels > 0;
    size_t from = all ? 0 : mesh->changed_vertices[0],
           corner = all ? 0 : mesh->changed_triangles[0];
    size_t to = all ? mesh->vertex_count : mesh->changed_vertices[1];
    size_t corner_to = all ? mesh->triangle_count : mesh->changed_triangles[1];
    if (s->vertex_count > s->room) make_room(s, s->vertex_count);
    if (index_bytes > s->index_bytes) {
        s->index_bytes = index_bytes + index_bytes / 2 + 65536;
        glBufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)s->index_bytes, NULL, GL_DYNAMIC_DRAW);
    }
    enable_parts(s, part);
    for (int k = 0; k < PARTS; k++) {
        if (part[k] && to > from)
            send_part(s, k, part[k] + (size_t)WIDTH[k] * from, from, to - from);
        if (part[k] && sides->vertex_count > 0)
            send_part(s, k, s->side + begin_of(k, sides->vertex_count), mesh->vertex_count,
                      sides->vertex_count);
    }
    if (corner_to > corner)
        send_indices(s, mesh->indices + 3 * corner, 3 * corner, 3 * (corner_to - corner));
    send_indices(s, sides->indices, 3 * mesh->triangle_count, 3 * sides->triangle_count);
}

// Of vertices in a buffer, the edges of all corners.
static void send_edges(rv_sheet *s, GLuint vertices, const uint32_t *edges, size_t corners)
{
    if (!s->wire) {
        glGenVertexArrays(1, &s->wire);
        glGenBuffers(1, &s->edges);
    }
    glBindVertexArray(s->wire);
    glBindBuffer(GL_ARRAY_BUFFER, vertices);
    glEnableVertexAttribArray(PLACE);
    glVertexAttribPointer(PLACE, 3, GL_FLOAT, GL_FALSE, 0, NULL);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, s->edges);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)(2 * corners * sizeof *edges), edges,
                 GL_STREAM_DRAW);
    s->edge_count = corners, s->edges_version = s->version;
}

static rv_result find_edges(rv_sheet *s, const rv_surface_mesh *mesh)
{
    if (s->edges_version == mesh->version) return RV_OK;
    uint32_t *edges = malloc(2 * s->index_count * sizeof *edges);
    if (!edges) return RV_OUT_OF_MEMORY;
    for (size_t n = 0; n < s->index_count; n++) {
        size_t own = 3 * mesh->triangle_count;
        const uint32_t *corner = n < own ? mesh->indices + n : s->sides.indices + (n - own);
        edges[2 * n] = *corner, edges[2 * n + 1] = n % 3 == 2 ? corner[-2] : corner[1];
    }
    send_edges(s, s->vertices, edges, s->index_count);
    free(edges);
    return RV_OK;
}

rv_result rv_sheet_update(rv_sheet *s, const rv_surface_mesh *mesh, const rv_columns *columns,
                          const rv_extent *e, double contact, bool wired)
{
    const float *part[PARTS];
    rv_result result = RV_OK;
    s->grid[0] = (float)e->x0, s->grid[1] = (float)e->y0, s->grid[2] = (float)e->bottom;
    s->grid[3] = (float)(1 / e->dx), s->contact = (float)contact;
    if (s->on_card) s->version = 0; // that was another's
    s->uploaded = 0, s->on_card = false;
    if (mesh->triangle_count == 0) {
        s->vertex_count = s->index_count = 0, s->version = 0;
        return RV_OK;
    }
    if (!s->array) make_buffers(s);
    glBindVertexArray(s->array);
    glBindBuffer(GL_ARRAY_BUFFER, s->vertices);
    if (mesh->version != s->version || s->index_count == 0 || (wired && s->how.levels > 0)) {
        float low[12], high[12];
        find_box(mesh, low, high);
        result = rv_sides_make(&s->sides, mesh, columns, low, high);
        parts_of(mesh, part);
        if (result == RV_OK && (!take_sides(s, &s->sides, part) || !rv_finer_keep(&s->finer, mesh)))
            result = RV_OUT_OF_MEMORY;
        s->plan = (rv_columns){.nx = columns->nx,
                               .ny = columns->ny,
                               .dx = columns->dx,
                               .x0 = columns->x0,
                               .y0 = columns->y0};
        s->vertex_count = s->index_count = 0;
        if (result == RV_OK) {
            s->vertex_count = mesh->vertex_count + s->sides.vertex_count;
            s->index_count = 3 * (mesh->triangle_count + s->sides.triangle_count);
            s->low = rv_extent_cells(e, (double)low[0], (double)low[1], (double)low[2]);
            s->high = rv_extent_cells(e, (double)high[0], (double)high[1], (double)high[2]);
            find_most(s, mesh, e);
            send(s, mesh, &s->sides, part);
            s->sent++, s->how.levels = 0;
        }
        s->version = result == RV_OK ? mesh->version : 0;
    }
    if (result == RV_OK && wired) result = find_edges(s, mesh);
    glBindVertexArray(0);
    if (result == RV_OK && glGetError() != GL_NO_ERROR) result = RV_OUT_OF_MEMORY;
    return result;
}

// ---- In the card's memory -----------------------------------------------------------------------

// A page has neither kernels nor indirect draws.
#ifdef __EMSCRIPTEN__
rv_result rv_sheet_show(rv_sheet *s, const rv_surface_card *card, const rv_extent *e,
                        double contact, bool wired)
{
    (void)s, (void)card, (void)e, (void)contact, (void)wired;
    return RV_BAD_ARGUMENT;
}

static rv_result near_there(rv_sheet *s, const rv_extent *e, const rv_eye *eye,
                            const rv_finer_how *how, int planes)
{
    (void)s, (void)e, (void)eye, (void)how, (void)planes;
    return RV_OK;
}

static void draw_there(const rv_sheet *s)
{
    (void)s;
}
#else
static void draw_there(const rv_sheet *s)
{
    if (!glIsBuffer(s->drawn.draw) || !glIsBuffer(s->drawn.indices)) return; // its surface is gone
    glBindBuffer(GL_DRAW_INDIRECT_BUFFER, s->drawn.draw);
    glDrawElementsIndirect(GL_TRIANGLES, GL_UNSIGNED_INT, (const void *)s->drawn.draw_at);
    glBindBuffer(GL_DRAW_INDIRECT_BUFFER, 0);
}

// Where the shaders find each array.
static void find_arrays(rv_sheet *s, const rv_surface_card *card, bool finer)
{
    if (!s->card_array) glGenVertexArrays(1, &s->card_array);
    glBindVertexArray(s->card_array);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, card->indices);
    glBindBuffer(GL_ARRAY_BUFFER, card->vertices);
    s->parts = 0;
    for (int k = 0; k < PARTS; k++) {
        glVertexAttribPointer((GLuint)k, WIDTH[k], GL_FLOAT, GL_FALSE, 0,
                              (const void *)(begin_of(k, card->vertex_room) * sizeof(float)));
        if ((k == CONTACT && !card->contact) || (k == FILM && !finer)) {
            glDisableVertexAttribArray((GLuint)k);
            continue;
        }
        glEnableVertexAttribArray((GLuint)k);
        s->parts |= 1u << k;
    }
    glBindVertexArray(0);
}

static void show_as(rv_sheet *s, const rv_surface_card *card, bool finer)
{
    find_arrays(s, card, finer);
    s->drawn = *card, s->how.levels = 0;
}

static rv_result near_there(rv_sheet *s, const rv_extent *e, const rv_eye *eye,
                            const rv_finer_how *how, int planes)
{
    bool finer = rv_finer_card_make(&s->finer_card, &s->card, e, eye, how, planes);
    show_as(s, finer ? &s->finer_card.made : &s->card, finer);
    return glGetError() == GL_NO_ERROR ? RV_OK : RV_OUT_OF_MEMORY;
}

// A copy of words of a buffer; NULL: no memory.
static uint32_t *words_of(GLuint buffer, size_t at, size_t count)
{
    uint32_t *out = malloc(count * sizeof *out);
    glBindBuffer(GL_COPY_READ_BUFFER, buffer);
    const void *from = glMapBufferRange(GL_COPY_READ_BUFFER, (GLintptr)at,
                                        (GLsizeiptr)(count * sizeof *out), GL_MAP_READ_BIT);
    if (out && from) memcpy(out, from, count * sizeof *out);
    if (from) glUnmapBuffer(GL_COPY_READ_BUFFER);
    if (from) return out;
    free(out);
    return NULL;
}

// The edges of what is there: the one thing for which corners are brought back.
static rv_result find_edges_there(rv_sheet *s)
{
    if (s->edges_version == s->version) return RV_OK;
    glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
    uint32_t *count = words_of(s->card.draw, s->card.draw_at, 1);
    uint32_t *corner = count ? words_of(s->card.indices, 0, *count) : NULL;
    uint32_t *edges = corner ? malloc(2 * (size_t)*count * sizeof *edges) : NULL;
    for (size_t n = 0; edges && n < *count; n++)
        edges[2 * n] = corner[n], edges[2 * n + 1] = n % 3 == 2 ? corner[n - 2] : corner[n + 1];
    if (edges) send_edges(s, s->card.vertices, edges, *count);
    rv_result result = edges ? RV_OK : RV_OUT_OF_MEMORY;
    free(count);
    free(corner);
    free(edges);
    glBindVertexArray(0);
    return result;
}

rv_result rv_sheet_show(rv_sheet *s, const rv_surface_card *card, const rv_extent *e,
                        double contact, bool wired)
{
    const rv_surface_card *was = &s->card;
    float per = (float)(1 / e->dx);
    s->grid[0] = (float)e->x0, s->grid[1] = (float)e->y0, s->grid[2] = (float)e->bottom;
    s->grid[3] = per, s->contact = (float)contact;
    s->uploaded = 0, s->vertex_count = card->vertex_count;
    s->index_count = 3 * card->triangle_count;
    if (card->triangle_count == 0) {
        s->on_card = false, s->version = 0;
        return RV_OK;
    }
    // buffers that were made again may have old names: their arrays are bound anew each time
    if (!s->on_card || was->version != card->version) {
        show_as(s, card, false);
        s->sent++;
    }
    s->card = *card, s->on_card = true, s->version = card->version;
    s->low = rv_extent_cells(e, card->low.x, card->low.y, card->low.z);
    s->high = rv_extent_cells(e, card->high.x, card->high.y, card->high.z);
    s->deepest = card->deepest * per, s->fastest = card->fastest * per;
    rv_result result = wired ? find_edges_there(s) : RV_OK;
    if (result == RV_OK && glGetError() != GL_NO_ERROR) result = RV_OUT_OF_MEMORY;
    return result;
}
#endif

// ---- From close by ------------------------------------------------------------------------------

static rv_result near_here(rv_sheet *s, const rv_extent *e, const rv_eye *eye,
                           const rv_finer_how *how)
{
    rv_surface_mesh mesh;
    const float *part[PARTS];
    float low[12], high[12];
    if (s->version == 0) return RV_OK;
    if (!rv_finer_make(&s->finer, e, eye, how, &mesh)) return RV_OUT_OF_MEMORY;
    find_box(&mesh, low, high);
    rv_result result = rv_sides_again(&s->fine_sides, &mesh, &s->plan, low, high, &s->sides,
                                      s->finer.vertex_count);
    parts_of(&mesh, part);
    part[FILM] = rv_finer_films(&s->finer);
    if (result == RV_OK && !take_sides(s, &s->fine_sides, part)) result = RV_OUT_OF_MEMORY;
    if (result != RV_OK) return result;
    s->vertex_count = mesh.vertex_count + s->fine_sides.vertex_count;
    s->index_count = 3 * (mesh.triangle_count + s->fine_sides.triangle_count);
    uint64_t version = s->version;
    glBindVertexArray(s->array);
    glBindBuffer(GL_ARRAY_BUFFER, s->vertices);
    s->version = 0; // all of it is sent
    send(s, &mesh, &s->fine_sides, part);
    glBindVertexArray(0);
    s->version = version;
    return glGetError() == GL_NO_ERROR ? RV_OK : RV_OUT_OF_MEMORY;
}

bool rv_sheet_is_near(const rv_sheet *s, const rv_eye *eye, const rv_finer_how *how)
{
    if (s->index_count == 0) return true;
    if (how->levels != s->how.levels || how->mirror != s->how.mirror) return false;
    return how->levels == 0 || (memcmp(eye, &s->near, sizeof *eye) == 0 &&
                                (!s->on_card || s->near_version == s->version));
}

rv_result rv_sheet_near(rv_sheet *s, const rv_extent *e, const rv_eye *eye, const rv_finer_how *how,
                        int planes)
{
    rv_result result = s->on_card ? near_there(s, e, eye, how, planes) : near_here(s, e, eye, how);
    if (result != RV_OK) return result;
    s->how = *how, s->near = *eye, s->near_version = s->version, s->sent++;
    return RV_OK;
}

void rv_sheet_free(rv_sheet *s)
{
    if (s->array) {
        glDeleteVertexArrays(1, &s->array);
        glDeleteBuffers(1, &s->vertices);
        glDeleteBuffers(1, &s->indices);
    }
    if (s->wire) {
        glDeleteVertexArrays(1, &s->wire);
        glDeleteBuffers(1, &s->edges);
    }
    if (s->card_array) glDeleteVertexArrays(1, &s->card_array);
    rv_sides_free(&s->sides);
    rv_sides_free(&s->fine_sides);
    rv_finer_free(&s->finer);
    rv_finer_card_free(&s->finer_card);
    free(s->side);
    memset(s, 0, sizeof *s);
}

// ---- Drawing ------------------------------------------------------------------------------------

void rv_sheet_draw(const rv_sheet *s, const rv_cull *chosen)
{
    if (s->index_count == 0) return;
    glBindVertexArray(s->on_card ? s->card_array : s->array);
    glVertexAttrib4fv(RV_AT_GRID, s->grid);
    glVertexAttrib1f(ANGLE, s->contact);
    if (!(s->parts >> CONTACT & 1)) glVertexAttrib4f(CONTACT, 1e9f, 0, 0, 0);
    if (!(s->parts >> ROUGHNESS & 1)) glVertexAttrib1f(ROUGHNESS, 0);
    if (!(s->parts >> DROP & 1)) glVertexAttrib1f(DROP, SHEET);
    if (!(s->parts >> FILM & 1)) glVertexAttrib1f(FILM, -1);
    if (s->on_card && chosen)
        rv_cull_draw(chosen, s);
    else if (s->on_card)
        draw_there(s);
    else
        glDrawElements(GL_TRIANGLES, (GLsizei)s->index_count, GL_UNSIGNED_INT, NULL);
    glBindVertexArray(0);
}

#ifdef __EMSCRIPTEN__
void rv_sheet_bind_words(const rv_sheet *s)
{
    (void)s;
}

void rv_sheet_set_words(const rv_sheet *s, GLuint kernel)
{
    (void)s, (void)kernel;
}
#else
void rv_sheet_bind_words(const rv_sheet *s)
{
    GLuint vertices = s->on_card ? s->drawn.vertices : s->vertices;
    GLuint corners = s->on_card ? s->drawn.indices : s->indices;
    if (s->on_card && (!glIsBuffer(vertices) || !glIsBuffer(corners))) return; // nothing is drawn
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, RV_SHEET_VERTICES, vertices);
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, RV_SHEET_CORNERS, corners);
}

void rv_sheet_set_words(const rv_sheet *s, GLuint kernel)
{
    size_t room = s->on_card ? s->drawn.vertex_room : s->room;
    glUseProgram(kernel);
    glUniform1i(glGetUniformLocation(kernel, "vertex_room"), (GLint)room);
    glUniform1i(glGetUniformLocation(kernel, "parts"), (GLint)s->parts);
    glUniform4fv(glGetUniformLocation(kernel, "grid"), 1, s->grid);
    glUniform1f(glGetUniformLocation(kernel, "angle"), s->contact);
}
#endif

void rv_sheet_draw_wire(const rv_sheet *s)
{
    if (s->index_count == 0 || s->edges_version != s->version) return;
    glBindVertexArray(s->wire);
    glVertexAttrib4fv(RV_AT_GRID, s->grid);
    glDrawElements(GL_LINES, (GLsizei)(2 * s->edge_count), GL_UNSIGNED_INT, NULL);
    glBindVertexArray(0);
}
