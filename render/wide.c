// Chooses and draws the patches of wide worlds.
//
// A patch of level n has squares of 2^n cells. Up to a distance D from the eye squares are cells;
// up to 2 D they are of level 1, up to 4 D of level 2, and so on. From 0.75 of its range on, every
// second vertex of a level moves to the one before it (render/shaders/wide.glsl), and at the end of
// the range what is drawn is the next level's: so levels meet without cracks, and nothing jumps
// when the eye moves. For that the range of a level must be longer than its patches are wide.
#include "render/wide.h"

#include "render/grow.h"
#include "render/texture.h"

#include <stdlib.h>
#include <string.h>

enum {
    SIDE = RV_WIDE_PATCH + 1,
    OPEN_MOST = 512, // texels of the map of openness: its boxes are no smaller
    LAMP_MOST = 2048,
    WALL = 6 * RV_WIDE_PATCH,
    FLAT = 6 * RV_WIDE_PATCH * RV_WIDE_PATCH,
};

bool rv_wide_suits(const rv_world *world)
{
    rv_world_info info;
    if (rv_world_get_info(world, &info) != RV_OK) return false;
    const rv_params *p = rv_world_params(world);
    int64_t cells = (int64_t)p->grid_nx * p->grid_ny;
    // made of heights: one column in every cell, nothing above it
    return p->view_detail > 0 && cells >= RV_WIDE_CELLS && info.columns == cells &&
           info.layers == 1 && info.terrain_bytes == 0;
}

// ---- The ground ---------------------------------------------------------------------------------

static bool take_ranges(rv_wide *w)
{
    int nx = w->nx, ny = w->ny, size = RV_WIDE_PATCH;
    for (w->levels = 0; w->levels < RV_WIDE_LEVELS; size *= 2) {
        int l = w->levels++;
        w->across[l] = (nx + size - 1) / size, w->along[l] = (ny + size - 1) / size;
        w->range[l] = malloc((size_t)w->across[l] * (size_t)w->along[l] * sizeof **w->range);
        if (!w->range[l]) return false;
        if (w->across[l] == 1 && w->along[l] == 1) break;
    }
    return true;
}

// Of the patches of level 0; a patch has the first row and column of the next one too.
static rv_wide_range range_of(const float *height, int nx, int ny, int i, int j)
{
    int x1 = (i + 1) * RV_WIDE_PATCH, y1 = (j + 1) * RV_WIDE_PATCH;
    rv_wide_range r = {INFINITY, -INFINITY};
    for (int y = j * RV_WIDE_PATCH; y <= y1 && y < ny; y++)
        for (int x = i * RV_WIDE_PATCH; x <= x1 && x < nx; x++) {
            float h = height[(size_t)y * (size_t)nx + (size_t)x];
            r.low = minf(r.low, h), r.high = maxf(r.high, h);
        }
    return r;
}

static void find_ranges(rv_wide *w, const float *height)
{
    for (int j = 0; j < w->along[0]; j++)
        for (int i = 0; i < w->across[0]; i++)
            w->range[0][j * w->across[0] + i] = range_of(height, w->nx, w->ny, i, j);
    for (int l = 1; l < w->levels; l++) {
        for (int n = 0; n < w->across[l] * w->along[l]; n++)
            w->range[l][n] = (rv_wide_range){INFINITY, -INFINITY};
        for (int n = 0; n < w->across[l - 1] * w->along[l - 1]; n++) {
            int i = n % w->across[l - 1] / 2, j = n / w->across[l - 1] / 2;
            rv_wide_range *to = &w->range[l][j * w->across[l] + i];
            to->low = minf(to->low, w->range[l - 1][n].low);
            to->high = maxf(to->high, w->range[l - 1][n].high);
        }
    }
}

static float height_at(const float *height, const rv_wide *w, int x, int y)
{
    x = x < 0 ? 0 : x < w->nx ? x : w->nx - 1, y = y < 0 ? 0 : y < w->ny ? y : w->ny - 1;
    return height[(size_t)y * (size_t)w->nx + (size_t)x];
}

static bool make_open(rv_wide *w, const float *height, const rv_openness *o)
{
    int wide = w->nx < OPEN_MOST ? w->nx : OPEN_MOST, deep = w->ny < OPEN_MOST ? w->ny : OPEN_MOST;
    uint8_t *open = malloc((size_t)wide * (size_t)deep);
    if (!open) return false;
    for (int j = 0; j < deep; j++)
        for (int i = 0; i < wide; i++) {
            float x = ((float)i + 0.5f) * (float)w->nx / (float)wide;
            float y = ((float)j + 0.5f) * (float)w->ny / (float)deep;
            int cx = (int)x, cy = (int)y, s = w->nx / wide > 1 ? w->nx / wide : 1;
            float east = height_at(height, w, cx + s, cy) - height_at(height, w, cx - s, cy);
            float north = height_at(height, w, cx, cy + s) - height_at(height, w, cx, cy - s);
            vec3 d = unit(v3(-east, -north, 2 * (float)s));
            vec3 at = v3(x, y, height_at(height, w, cx, cy));
            open[j * wide + i] = (uint8_t)lrintf(255 * rv_openness_at(o, at, d));
        }
    w->open = rv_texture_make(GL_R8, wide, deep, GL_LINEAR);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, wide, deep, GL_RED, GL_UNSIGNED_BYTE, open);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    free(open);
    return true;
}

static bool make_lamp(rv_wide *w)
{
    w->lamp_side[0] = w->nx < LAMP_MOST ? w->nx : LAMP_MOST;
    w->lamp_side[1] = w->ny < LAMP_MOST ? w->ny : LAMP_MOST;
    w->lamp = rv_texture_make(GL_R8, w->lamp_side[0], w->lamp_side[1], GL_LINEAR);
    glGenFramebuffers(1, &w->lamp_framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, w->lamp_framebuffer);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, w->lamp, 0);
    return glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
}

// ---- The patch ----------------------------------------------------------------------------------

// A vertex: square along x and y; 0 the surface, 1 and 2 top and foot of a wall; the wall's side.
static void put_corner(uint8_t (*to)[4], int i, int j, int part, int side)
{
    (*to)[0] = (uint8_t)i, (*to)[1] = (uint8_t)j, (*to)[2] = (uint8_t)part;
    (*to)[3] = (uint8_t)side;
}

// A square a b, c d of which c and d lie to the north; all patches have the same diagonal, so that
// coarser ones have it too.
static void put_square(uint16_t *to, int a, int b, int c, int d)
{
    const int corner[6] = {a, b, c, b, d, c};
    for (int k = 0; k < 6; k++) to[k] = (uint16_t)corner[k];
}

static bool make_patch(rv_wide *w)
{
    enum { COUNT = SIDE * SIDE + RV_WIDE_SIDES * 2 * SIDE };
    uint8_t(*vertex)[4] = malloc(COUNT * sizeof *vertex);
    uint16_t *index = malloc((FLAT + RV_WIDE_SIDES * WALL) * sizeof *index);
    uint16_t *edge = malloc(FLAT * sizeof *edge);
    bool good = vertex && index && edge;
    for (int n = 0; good && n < SIDE * SIDE; n++) put_corner(&vertex[n], n % SIDE, n / SIDE, 0, 0);
    for (int n = 0; good && n < RV_WIDE_PATCH * RV_WIDE_PATCH; n++) {
        int a = n / RV_WIDE_PATCH * SIDE + n % RV_WIDE_PATCH, b = a + 1, c = a + SIDE;
        const int lines[6] = {a, b, a, c, b, c};
        put_square(index + 6 * n, a, b, c, c + 1);
        for (int k = 0; k < 6; k++) edge[6 * n + k] = (uint16_t)lines[k];
    }
    for (int side = 0; good && side < RV_WIDE_SIDES; side++) {
        int first = SIDE * SIDE + side * 2 * SIDE;
        for (int k = 0; k < SIDE; k++) {
            int i = side == 0 ? 0 : side == 1 ? RV_WIDE_PATCH : k;
            int j = side == 2 ? 0 : side == 3 ? RV_WIDE_PATCH : k;
            put_corner(&vertex[first + 2 * k], i, j, 1, side);
            put_corner(&vertex[first + 2 * k + 1], i, j, 2, side);
        }
        for (int k = 0; k < RV_WIDE_PATCH; k++) {
            int top = first + 2 * k, next = top + 2; // seen from outside: east and south go right
            bool turned = side == 0 || side == 3;
            put_square(index + FLAT + side * WALL + 6 * k, turned ? next + 1 : top + 1,
                       turned ? top + 1 : next + 1, turned ? next : top, turned ? top : next);
        }
    }
    if (good) {
        glGenBuffers(1, &w->vertices);
        glGenBuffers(1, &w->indices);
        glGenBuffers(1, &w->edges);
        glBindVertexArray(0);
        glBindBuffer(GL_ARRAY_BUFFER, w->vertices);
        glBufferData(GL_ARRAY_BUFFER, COUNT * sizeof *vertex, vertex, GL_STATIC_DRAW);
        glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, w->indices);
        glBufferData(GL_ELEMENT_ARRAY_BUFFER, (FLAT + RV_WIDE_SIDES * WALL) * sizeof *index, index,
                     GL_STATIC_DRAW);
        glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, w->edges);
        glBufferData(GL_ELEMENT_ARRAY_BUFFER, FLAT * sizeof *edge, edge, GL_STATIC_DRAW);
        glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, 0);
    }
    free(vertex);
    free(index);
    free(edge);
    return good;
}

static void point_at(GLuint array, GLuint vertices, GLuint instances, GLuint indices)
{
    glBindVertexArray(array);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, indices);
    glBindBuffer(GL_ARRAY_BUFFER, vertices);
    glEnableVertexAttribArray(0);
    glVertexAttribPointer(0, 4, GL_UNSIGNED_BYTE, GL_FALSE, 4, NULL);
    glBindBuffer(GL_ARRAY_BUFFER, instances);
    glEnableVertexAttribArray(1);
    glVertexAttribPointer(1, 4, GL_FLOAT, GL_FALSE, 0, NULL);
    glVertexAttribDivisor(1, 1);
}

static bool make_arrays(rv_wide *w)
{
    if (!make_patch(w)) return false;
    glGenVertexArrays(1 + RV_WIDE_SIDES, w->array);
    glGenBuffers(1 + RV_WIDE_SIDES, w->instances);
    glGenVertexArrays(1, &w->wire);
    for (int k = 0; k <= RV_WIDE_SIDES; k++)
        point_at(w->array[k], w->vertices, w->instances[k], w->indices);
    point_at(w->wire, w->vertices, w->instances[0], w->edges);
    glBindVertexArray(0);
    return true;
}

// ---- Taking over --------------------------------------------------------------------------------

bool rv_wide_take_ground(rv_wide *w, const rv_columns *c, const rv_extent *e,
                         const rv_openness *openness)
{
    const rv_plane *p = &c->plane[0];
    rv_wide_free(w);
    w->sent++, w->on = true;
    w->nx = c->nx, w->ny = c->ny;
    size_t cells = (size_t)c->nx * (size_t)c->ny;
    float *height = malloc(cells * sizeof *height);
    bool good = height && take_ranges(w) && make_arrays(w);
    for (size_t n = 0; good && n < cells; n++) {
        size_t slot = rv_slot(p, (int)(n % (size_t)c->nx), (int)(n / (size_t)c->nx));
        height[n] = (float)(((double)c->base[slot] - c->bottom) / e->dx);
    }
    if (good) {
        find_ranges(w, height);
        w->heights = rv_texture_make(GL_R32F, w->nx, w->ny, GL_NEAREST);
        glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, w->nx, w->ny, GL_RED, GL_FLOAT, height);
        w->depth = rv_texture_make(GL_R32F, w->nx, w->ny, GL_NEAREST);
        good = make_open(w, height, openness) && make_lamp(w);
        w->uploaded = cells * sizeof *height;
    }
    free(height);
    glBindTexture(GL_TEXTURE_2D, 0);
    w->there = good && glGetError() == GL_NO_ERROR;
    return w->there;
}

// A buffer that kernels wrote; a page has none.
static void look_there(rv_wide *w, GLuint buffer, bool can)
{
#ifdef __EMSCRIPTEN__
    (void)buffer, (void)can, w->buffered = false;
#else
    w->buffered = can;
    if (buffer) glMemoryBarrier(GL_TEXTURE_FETCH_BARRIER_BIT | GL_PIXEL_BUFFER_BARRIER_BIT);
    if (!can) return;
    if (!w->words) glGenTextures(1, &w->words);
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_BUFFER, w->words);
    glTexBuffer(GL_TEXTURE_BUFFER, GL_R32F, buffer);
    glBindTexture(GL_TEXTURE_BUFFER, 0);
#endif
}

rv_result rv_wide_take_liquid(rv_wide *w, const rv_columns *c, GLuint buffer, bool can)
{
    const rv_plane *p = &c->plane[0];
    w->first = rv_slot(p, 0, 0), w->pitch = p->pitch;
    look_there(w, buffer, can);
    w->sent++;
    if (!w->buffered) {
        const void *from =
            buffer ? (const void *)(w->first * sizeof *c->depth) : c->depth + w->first;
        glActiveTexture(GL_TEXTURE0);
        glBindTexture(GL_TEXTURE_2D, w->depth);
        glPixelStorei(GL_UNPACK_ROW_LENGTH, p->pitch);
        glBindBuffer(GL_PIXEL_UNPACK_BUFFER, buffer);
        glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, w->nx, w->ny, GL_RED, GL_FLOAT, from);
        glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
        glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
        glBindTexture(GL_TEXTURE_2D, 0);
        w->uploaded += buffer ? 0 : (size_t)w->nx * (size_t)w->ny * sizeof(float);
    }
    return glGetError() == GL_NO_ERROR ? RV_OK : RV_OUT_OF_MEMORY;
}

void rv_wide_free(rv_wide *w)
{
    for (int l = 0; l < RV_WIDE_LEVELS; l++) free(w->range[l]);
    for (int k = 0; k <= RV_WIDE_SIDES; k++) free(w->list[k].patch);
    glDeleteTextures(1, &w->heights);
    glDeleteTextures(1, &w->depth);
    glDeleteTextures(1, &w->words);
    glDeleteTextures(1, &w->open);
    glDeleteTextures(1, &w->lamp);
    glDeleteFramebuffers(1, &w->lamp_framebuffer);
    glDeleteBuffers(1, &w->vertices);
    glDeleteBuffers(1, &w->indices);
    glDeleteBuffers(1, &w->edges);
    glDeleteVertexArrays(1 + RV_WIDE_SIDES, w->array);
    glDeleteBuffers(1 + RV_WIDE_SIDES, w->instances);
    glDeleteVertexArrays(1, &w->wire);
    *w = (rv_wide){.sent = w->sent}; // which never becomes less
}

// ---- Choosing -----------------------------------------------------------------------------------

static bool add_patch(rv_wide_list *list, int x, int y, int cells)
{
    if (!rv_grow((void **)&list->patch, &list->room, list->count + 1, sizeof *list->patch))
        return false;
    float *to = list->patch[list->count++];
    to[0] = (float)x, to[1] = (float)y, to[2] = (float)cells, to[3] = 0;
    return true;
}

static bool show_patch(rv_wide *w, int level, int i, int j)
{
    int cells = 1 << level, size = cells * RV_WIDE_PATCH, x = i * size, y = j * size;
    bool good = add_patch(&w->list[0], x, y, cells);
    if (x == 0) good = add_patch(&w->list[1], x, y, cells) && good;
    if (x + size >= w->nx) good = add_patch(&w->list[2], x, y, cells) && good;
    if (y == 0) good = add_patch(&w->list[3], x, y, cells) && good;
    if (y + size >= w->ny) good = add_patch(&w->list[4], x, y, cells) && good;
    return good;
}

typedef struct chooser {
    rv_wide *wide;
    const rv_eye *eye;
    float foot; // under which no wall reaches
    bool good;
} chooser;

// How far a box is from the eye.
static float distance_to(vec3 low, vec3 high, vec3 p)
{
    vec3 d = v3(maxf(maxf(low.x - p.x, p.x - high.x), 0), maxf(maxf(low.y - p.y, p.y - high.y), 0),
                maxf(maxf(low.z - p.z, p.z - high.z), 0));
    return sqrtf(dot(d, d));
}

static void choose(chooser *c, int level, int i, int j)
{
    rv_wide *w = c->wide;
    if (i >= w->across[level] || j >= w->along[level]) return;
    int size = RV_WIDE_PATCH << level;
    const rv_wide_range *r = &w->range[level][j * w->across[level] + i];
    float x1 = minf((float)((i + 1) * size) + 1, (float)w->nx);
    float y1 = minf((float)((j + 1) * size) + 1, (float)w->ny);
    vec3 low = v3((float)(i * size), (float)(j * size), r->low), high = v3(x1, y1, r->high);
    bool rim = i == 0 || j == 0 || (i + 1) * size >= w->nx || (j + 1) * size >= w->ny;
    vec3 foot = v3(low.x, low.y, rim ? c->foot : low.z - (float)(1 << level));
    if (rv_eye_hides(c->eye, foot, v3(high.x, high.y, high.z + w->deepest))) return;
    float range = level > 0 ? w->near * (float)(1 << (level - 1)) : 0;
    if (level == 0 || distance_to(low, high, c->eye->at) >= range) {
        c->good = show_patch(w, level, i, j) && c->good;
        return;
    }
    for (int k = 0; k < 4; k++) choose(c, level - 1, 2 * i + (k & 1), 2 * j + (k >> 1));
}

// Tells lists of patches apart.
static uint64_t print_of(const rv_wide_list *list)
{
    uint64_t print = list->count;
    for (size_t n = 0; n < list->count; n++)
        for (int k = 0; k < 3; k++)
            print = (print ^ (uint64_t)list->patch[n][k]) * 0x9e3779b97f4a7c15u,
            print ^= print >> 29;
    return print;
}

static void send_lists(rv_wide *w)
{
    for (int k = 0; k <= RV_WIDE_SIDES; k++) {
        glBindBuffer(GL_ARRAY_BUFFER, w->instances[k]);
        glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(w->list[k].count * sizeof *w->list[k].patch),
                     w->list[k].patch, GL_STREAM_DRAW);
    }
    glBindBuffer(GL_ARRAY_BUFFER, 0);
}

bool rv_wide_choose(rv_wide *w, const rv_extent *e, const rv_eye *eye, double detail)
{
    chooser c = {w, eye, e->floor, true};
    // a cell there is `detail` pixels, and two are drawn as one
    float near = (float)eye->height / (2 * eye->sy * (float)detail);
    // patches must be smaller than what is left of a range when its vertices begin to move
    near = maxf(near, 8 * RV_WIDE_PATCH);
    w->near = near, w->eye = eye->at;
    for (int k = 0; k <= RV_WIDE_SIDES; k++) w->list[k].count = 0;
    choose(&c, w->levels - 1, 0, 0);
    uint64_t print = print_of(&w->list[0]);
    if (print != w->print) w->sent++; // what was drawn of others is not to be kept
    w->print = print;
    if (c.good) send_lists(w);
    return c.good;
}

bool rv_wide_choose_all(rv_wide *w, float cells)
{
    int level = 0;
    bool good = true;
    while (level + 1 < w->levels && (float)(2 << level) <= cells) level++;
    for (int k = 0; k <= RV_WIDE_SIDES; k++) w->list[k].count = 0;
    for (int n = 0; n < w->across[level] * w->along[level]; n++)
        good = show_patch(w, level, n % w->across[level], n / w->across[level]) && good;
    if (good) send_lists(w);
    return good;
}

// ---- Drawing ------------------------------------------------------------------------------------

void rv_wide_draw(const rv_wide *w)
{
    for (int k = 0; k <= RV_WIDE_SIDES; k++) {
        size_t first = k == 0 ? 0 : FLAT + (size_t)(k - 1) * WALL;
        if (w->list[k].count == 0) continue;
        glBindVertexArray(w->array[k]);
        glDrawElementsInstanced(GL_TRIANGLES, k == 0 ? FLAT : WALL, GL_UNSIGNED_SHORT,
                                (const void *)(first * sizeof(uint16_t)),
                                (GLsizei)w->list[k].count);
    }
    glBindVertexArray(0);
}

void rv_wide_draw_wire(rv_wide *w)
{
    if (w->list[0].count == 0) return;
    glBindVertexArray(w->wire);
    glDrawElementsInstanced(GL_LINES, FLAT, GL_UNSIGNED_SHORT, NULL, (GLsizei)w->list[0].count);
    glBindVertexArray(0);
}

int64_t rv_wide_triangles(const rv_wide *w)
{
    return (int64_t)w->list[0].count * (FLAT / 3);
}
