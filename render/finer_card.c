// Makes a surface in the card's memory finer, in calls that follow each other:
//
//     choose, scan, write   which triangles are divided, and how often; each notes its three edges
//                           with its corners
//     around                vertices find the twins of their edges, number them, and look at those
//                           beside them
//     ends (three calls)    how far rims hang over; the line where liquid ends made even
//     along (two)           what is beside the line moves along
//     fair, turn            rims that hang over, as a thin plate would be
//     level (one each)      vertices move, edges have one in their middle, triangles become four
//     sides                 what closes all of it at the sides of the grid
//
// Twins of the four that a triangle becomes follow from its own, so they are looked for once.
// Sums go over what is around a vertex in an order that belongs to the mesh: pictures do not depend
// on which thread was first. What a call works on the card knows; the processor gives room for as
// much as there may be.
#include "render/finer_card.h"

#include "render/kernels.h"
#include "render/program.h"
#include "render/sheet.h"
#include "rivulet_gl/device_gl.h"

#include <stdio.h>
#include <string.h>

// A page has no kernels.
#ifdef __EMSCRIPTEN__
bool rv_finer_card_make(rv_finer_card *f, const rv_surface_card *s, const rv_extent *e,
                        const rv_eye *eye, const rv_finer_how *how, int planes)
{
    (void)f, (void)s, (void)e, (void)eye, (void)how, (void)planes;
    return false;
}

void rv_finer_card_free(rv_finer_card *f)
{
    memset(f, 0, sizeof *f);
}
#else
enum {
    GROUP = 256,
    AT_NUMBERS = 2, // as the kernels have them
    AT_MESH = RV_GL_FREE_PLACE,
    AT_CORNERS,
    AT_FROM,
    AT_TO,
    AT_EDGES,
    AT_INDEX,
    AT_WORK,
    AT_RING,
    AT_STATE,
    AT_MARKS,
    AT_DRAW,
    FLOAT = sizeof(float),
    WORD = sizeof(uint32_t),
    WORK_OWN = 6 * WORD, // bytes
    WORK_CALLS = 8 * WORD,
    WORK_DRAW = 24 * WORD,
    WORK_HEAD = 32,  // words
    RING_WORDS = 33, // a vertex
    STATE_WORDS = 14,
    SIDES_MOST = 1 << 18,
};
_Static_assert((int)AT_MESH == 27 && (int)AT_MESH > (int)RV_SHEET_CORNERS,
               "as the kernels have it");

enum { HAS_CONTACT = 1, HAS_MIRROR = 2 };

// As finer.glsl has them.
typedef struct finer_numbers {
    float grid[4], eye[4], right[4], up[4], forward[4], line[4], side[4], share[4];
    uint32_t vertices, triangles, mesh_room, room;
    uint32_t groups, levels, most, has;
    float dx, near_line;
    uint32_t side_room, mesh_draw;
} finer_numbers;

// ---- Kernels and buffers ------------------------------------------------------------------------

static const struct {
    const char *name, *defines;
} texts[RV_FINER_KERNELS] = {
    [RV_FINER_CHOOSE] = {"finer_choose_kernel", ""},
    [RV_FINER_SCAN] = {"finer_scan_kernel", ""},
    [RV_FINER_WRITE] = {"finer_write_kernel", ""},
    [RV_FINER_AROUND] = {"finer_around_kernel", ""},
    [RV_FINER_HANG] = {"finer_ends_kernel", "#define HANG 1\n"},
    [RV_FINER_EVEN_HANG] = {"finer_ends_kernel", "#define EVEN_HANG 1\n"},
    [RV_FINER_EVEN] = {"finer_ends_kernel", ""},
    [RV_FINER_ALONG] = {"finer_along_kernel", ""},
    [RV_FINER_ALONG_LAST] = {"finer_along_kernel", "#define LAST 1\n"},
    [RV_FINER_FAIR] = {"finer_fair_kernel", ""},
    [RV_FINER_TURN] = {"finer_turn_kernel", ""},
    [RV_FINER_LEVEL] = {"finer_level_kernel", ""},
    [RV_FINER_SIDES] = {"finer_sides_kernel", ""},
};

static bool make_kernels(rv_finer_card *f)
{
    rv_messages untold = {0};
    rv_program_asked asked[RV_FINER_KERNELS] = {0};
    GLint bindings = 0, blocks = 0, together = 0;
    bool good = true;
    if (f->kernel[RV_FINER_KERNELS - 1]) return true;
    glGetIntegerv(GL_MAX_SHADER_STORAGE_BUFFER_BINDINGS, &bindings);
    glGetIntegerv(GL_MAX_COMPUTE_SHADER_STORAGE_BLOCKS, &blocks);
    glGetIntegerv(GL_MAX_COMPUTE_WORK_GROUP_INVOCATIONS, &together);
    if (bindings <= AT_DRAW || blocks <= AT_DRAW - AT_MESH || together < GROUP) return false;
    for (int n = 0; n < RV_FINER_KERNELS; n++) {
        char defines[96];
        snprintf(defines, sizeof defines, "%s#define TOGETHER %d\n", texts[n].defines,
                 together < 1024 ? GROUP : 1024);
        asked[n] = rv_program_ask_kernel(texts[n].name, defines, &untold);
    }
    for (int n = 0; n < RV_FINER_KERNELS; n++) {
        f->kernel[n] = rv_program_take(&asked[n], &untold);
        good = good && f->kernel[n];
    }
    return good;
}

// How many finer triangles there may be.
static size_t most_of(const rv_surface_card *s, const rv_finer_how *how)
{
    size_t most = s->triangle_count << 2 * how->levels;
    return most < how->most ? most : how->most;
}

// As src/surface/card has it for the mesh as it is, each edge of it divided.
static size_t side_room(const rv_extent *e, int levels, int planes)
{
    size_t cells = (size_t)(2 * (e->wide + e->deep));
    size_t room = ((32 * cells + 44) * (size_t)planes) << levels;
    return room < SIDES_MOST ? room : SIDES_MOST;
}

static bool make_room(rv_finer_card *f, const finer_numbers *n, size_t most)
{
    size_t vertices = n->vertices, room = n->room, corners = 3 * (most + n->triangles);
    const size_t bytes[RV_FINER_BUFFERS] = {
        [RV_FINER_VERTICES] = RV_FINER_FLOATS * FLOAT * room,
        [RV_FINER_VERTICES_TOO] = RV_FINER_FLOATS * FLOAT * room,
        [RV_FINER_EDGES] = 3 * WORD * most,
        [RV_FINER_INDEX] = WORD * (corners + 2 * (size_t)n->side_room),
        [RV_FINER_WORK] = WORD * (WORK_HEAD + 9 * (size_t)n->groups),
        [RV_FINER_RING] = WORD * RING_WORDS * vertices,
        [RV_FINER_STATE] = FLOAT * (STATE_WORDS * vertices + 2 * room),
        [RV_FINER_MARKS] = WORD * (2 * room + 4 * vertices)};
    GLint most_bytes = 0; // of one buffer that a kernel may look at
    bool good = true;
    glGetIntegerv(GL_MAX_SHADER_STORAGE_BLOCK_SIZE, &most_bytes);
    for (int k = 0; k < RV_FINER_BUFFERS; k++)
        good = good && bytes[k] <= (size_t)most_bytes &&
               rv_kernels_room(&f->buffer[k], &f->bytes[k], bytes[k]);
    return good;
}

// Where there is no room for a surface its buffers are of no use, and others may need the memory.
// What is no smaller is not tried again.
static void give_up(rv_finer_card *f, const finer_numbers *n)
{
    glDeleteBuffers(RV_FINER_BUFFERS, f->buffer);
    memset(f->buffer, 0, sizeof f->buffer), memset(f->bytes, 0, sizeof f->bytes);
    f->too_large = n->room;
}

// ---- What they work on --------------------------------------------------------------------------

static void put(float out[4], vec3 v, float w)
{
    out[0] = v.x, out[1] = v.y, out[2] = v.z, out[3] = w;
}

static finer_numbers numbers_of(const rv_surface_card *s, const rv_extent *e, const rv_eye *eye,
                                const rv_finer_how *how, int planes)
{
    double x1 = e->x0 + (double)e->wide * e->dx, y1 = e->y0 + (double)e->deep * e->dx;
    float half = (float)(0.5 * e->dx);
    size_t fine = most_of(s, how);
    finer_numbers n = {
        .grid = {(float)e->x0, (float)e->y0, (float)e->bottom, (float)(1 / e->dx)},
        .line = {(float)e->x0 + half, (float)x1 - half, (float)e->y0 + half, (float)y1 - half},
        .side = {(float)e->x0, (float)x1, (float)e->y0, (float)y1},
        .vertices = (uint32_t)s->vertex_count,
        .triangles = (uint32_t)s->triangle_count,
        .mesh_room = (uint32_t)s->vertex_room,
        .groups = (uint32_t)((s->triangle_count + GROUP - 1) / GROUP),
        .levels = (uint32_t)how->levels,
        .most = (uint32_t)how->most,
        .has = (s->contact ? HAS_CONTACT : 0) | (how->mirror ? HAS_MIRROR : 0),
        .dx = (float)e->dx,
        .near_line = (float)(1e-3 * e->dx),
        .side_room = (uint32_t)side_room(e, how->levels, planes),
        .mesh_draw = (uint32_t)(s->draw_at / WORD)};
    put(n.eye, eye->at, 0), put(n.forward, eye->forward, 0);
    put(n.right, eye->right, eye->sx), put(n.up, eye->up, eye->sy);
    memcpy(n.share, how->share, sizeof how->share);
    // of triangles that share no edge there are three vertices for four
    n.room = (uint32_t)(s->vertex_count + fine / 4 * 3 + n.side_room + GROUP) / GROUP * GROUP;
    return n;
}

// Whether it comes to a line at a side of the grid.
static bool is_at_side(const rv_surface_card *s, const finer_numbers *n)
{
    float near = n->near_line;
    return (float)s->low.x - n->line[0] < near || n->line[1] - (float)s->high.x < near ||
           (float)s->low.y - n->line[2] < near || n->line[3] - (float)s->high.y < near;
}

static void bind(GLuint place, GLuint buffer)
{
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, place, buffer);
}

static void bind_all(const rv_finer_card *f, const rv_surface_card *s)
{
    const GLuint *own = f->buffer;
    const GLuint buffers[] = {s->vertices,
                              s->indices,
                              own[RV_FINER_VERTICES],
                              own[RV_FINER_VERTICES_TOO],
                              own[RV_FINER_EDGES],
                              own[RV_FINER_INDEX],
                              own[RV_FINER_WORK],
                              own[RV_FINER_RING],
                              own[RV_FINER_STATE],
                              own[RV_FINER_MARKS],
                              s->draw};
    for (GLuint k = 0; k < sizeof buffers / sizeof buffers[0]; k++) bind(AT_MESH + k, buffers[k]);
    glBindBuffer(GL_DISPATCH_INDIRECT_BUFFER, own[RV_FINER_WORK]);
}

static void send_numbers(rv_finer_card *f, const finer_numbers *n)
{
    if (!f->numbers) glGenBuffers(1, &f->numbers);
    glBindBuffer(GL_UNIFORM_BUFFER, f->numbers);
    glBufferData(GL_UNIFORM_BUFFER, sizeof *n, n, GL_STREAM_DRAW);
    glBindBufferBase(GL_UNIFORM_BUFFER, AT_NUMBERS, f->numbers);
}

// ---- Calls --------------------------------------------------------------------------------------

static void run(const rv_finer_card *f, rv_finer_kernel kernel, size_t threads)
{
    glUseProgram(f->kernel[kernel]);
    glDispatchCompute((GLuint)((threads + GROUP - 1) / GROUP), 1, 1);
    glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);
}

// As large as the card says: the level's number, and after these the sides.
static void run_there(const rv_finer_card *f, rv_finer_kernel kernel, int call)
{
    glUseProgram(f->kernel[kernel]);
    if (kernel == RV_FINER_LEVEL) glUniform1ui(0, (GLuint)call);
    glDispatchComputeIndirect(WORK_CALLS + 4 * (GLintptr)call * WORD);
    glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);
}

static void run_all(const rv_finer_card *f, const finer_numbers *n, bool mirror, bool at_side)
{
    static const rv_finer_kernel by_vertex[] = {RV_FINER_AROUND, RV_FINER_HANG, RV_FINER_EVEN_HANG,
                                                RV_FINER_EVEN, RV_FINER_ALONG};
    const GLuint vertices[2] = {f->buffer[RV_FINER_VERTICES], f->buffer[RV_FINER_VERTICES_TOO]};
    glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT | GL_SHADER_STORAGE_BARRIER_BIT);
    run(f, RV_FINER_CHOOSE, n->triangles);
    run(f, RV_FINER_SCAN, 1);
    run(f, RV_FINER_WRITE, n->triangles);
    for (size_t k = 0; k < sizeof by_vertex / sizeof by_vertex[0]; k++)
        run(f, by_vertex[k], n->vertices);
    run(f, RV_FINER_ALONG_LAST, n->vertices);
    run(f, RV_FINER_FAIR, 1);
    if (mirror) run(f, RV_FINER_TURN, n->vertices);
    glMemoryBarrier(GL_COMMAND_BARRIER_BIT);
    for (int level = 0; level < (int)n->levels; level++) {
        bind(AT_FROM, vertices[level % 2]), bind(AT_TO, vertices[1 - level % 2]);
        run_there(f, RV_FINER_LEVEL, level);
    }
    bind(AT_FROM, vertices[n->levels % 2]);
    if (at_side) run_there(f, RV_FINER_SIDES, RV_FINER_LEVELS);
    glBindBuffer(GL_DISPATCH_INDIRECT_BUFFER, 0);
    glMemoryBarrier(GL_VERTEX_ATTRIB_ARRAY_BARRIER_BIT | GL_ELEMENT_ARRAY_BARRIER_BIT |
                    GL_COMMAND_BARRIER_BIT | GL_SHADER_STORAGE_BARRIER_BIT);
}

bool rv_finer_card_make(rv_finer_card *f, const rv_surface_card *s, const rv_extent *e,
                        const rv_eye *eye, const rv_finer_how *how, int planes)
{
    if (f->cannot || how->levels == 0 || s->vertex_count > RV_FINER_CARD_MOST ||
        s->triangle_count > 2 * (size_t)RV_FINER_CARD_MOST)
        return false;
    while (glGetError() != GL_NO_ERROR) continue;
    finer_numbers n = numbers_of(s, e, eye, how, planes);
    f->cannot = !make_kernels(f);
    if (f->cannot || !glIsBuffer(s->draw) || !glIsBuffer(s->indices)) return false;
    if (f->too_large > 0 && n.room >= f->too_large) return false;
    if (!make_room(f, &n, most_of(s, how))) {
        give_up(f, &n);
        return false;
    }
    send_numbers(f, &n);
    bind_all(f, s);
    run_all(f, &n, how->mirror, is_at_side(s, &n));
    f->made = *s;
    f->made.vertices = f->buffer[how->levels % 2 ? RV_FINER_VERTICES_TOO : RV_FINER_VERTICES];
    f->made.indices = f->buffer[RV_FINER_INDEX], f->made.draw = f->buffer[RV_FINER_WORK];
    f->made.draw_at = WORK_DRAW, f->made.vertex_room = n.room;
    f->made.triangle_count = most_of(s, how) + s->triangle_count;
    f->own_at = WORK_OWN;
    return true;
}

void rv_finer_card_free(rv_finer_card *f)
{
    for (int n = 0; n < RV_FINER_KERNELS; n++) glDeleteProgram(f->kernel[n]);
    for (int n = 0; n < RV_FINER_BUFFERS; n++) glDeleteBuffers(1, &f->buffer[n]);
    glDeleteBuffers(1, &f->numbers);
    memset(f, 0, sizeof *f);
}
#endif
