// Keeps a pane's maps on the card as the world has them. A world tells which tiles of its maps
// changed (rivulet/pane.h); these are sent, in runs along a row of tiles, and where they are the
// shape is drawn anew, two cells further, as far as its edges look. So a pane at rest costs
// nothing, and each texel is what it would be if all had been sent.
#include "render/pane_maps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Where the pane does not say; numbers that are compared at once; how far the shape of a cell
// looks.
enum { OWN_TILE = 32, LANES = 8, LOOKS = 2 };

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

// ---- Textures -----------------------------------------------------------------------------------

GLuint rv_pane_texture(GLenum format, int levels, int width, int height, GLenum small, GLenum wrap)
{
    GLuint name;
    glGenTextures(1, &name);
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, name);
    glTexStorage2D(GL_TEXTURE_2D, levels, format, width, height);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, (GLint)small);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER,
                    small == GL_NEAREST ? GL_NEAREST : GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, (GLint)wrap);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, (GLint)wrap);
    return name;
}

int rv_pane_levels(int width, int height)
{
    int levels = 1, most = width > height ? width : height;
    while (most >> levels > 0) levels++;
    return levels;
}

void rv_pane_maps_free(rv_pane_maps *m)
{
    const GLuint names[] = {m->heights, m->mists, m->affinities, m->shape};
    glDeleteTextures(4, names);
    glDeleteFramebuffers(1, &m->framebuffer);
    free(m->most);
    free(m->stale);
    *m = (rv_pane_maps){0};
}

static bool make_textures(rv_pane_maps *m, int nx, int ny)
{
    GLint most = 0;
    glGetIntegerv(GL_MAX_TEXTURE_SIZE, &most);
    if (nx > most || ny > most) return false;
    m->heights = rv_pane_texture(GL_R32F, 1, nx, ny, GL_NEAREST, GL_CLAMP_TO_EDGE);
    m->mists = rv_pane_texture(GL_R32F, 1, nx, ny, GL_NEAREST, GL_CLAMP_TO_EDGE);
    m->affinities = rv_pane_texture(GL_R32F, 1, nx, ny, GL_NEAREST, GL_CLAMP_TO_EDGE);
    m->shape = rv_pane_texture(GL_RGBA16F, rv_pane_levels(nx, ny), nx, ny, GL_LINEAR_MIPMAP_NEAREST,
                               GL_CLAMP_TO_EDGE);
    glGenFramebuffers(1, &m->framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, m->framebuffer);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, m->shape, 0);
    return glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE &&
           glGetError() == GL_NO_ERROR;
}

static rv_result take(rv_pane_maps *m, const rv_pane *pane)
{
    int tile = pane->tile > 0 ? pane->tile : OWN_TILE;
    if (m->nx == pane->nx && m->ny == pane->ny && m->tile == tile) return RV_OK;
    rv_pane_maps_free(m);
    m->tile = tile;
    m->across = (pane->nx + tile - 1) / tile, m->along = (pane->ny + tile - 1) / tile;
    size_t tiles = (size_t)m->across * (size_t)m->along;
    m->most = calloc(tiles, sizeof *m->most);
    m->stale = calloc(tiles, sizeof *m->stale);
    if (!m->most || !m->stale || !make_textures(m, pane->nx, pane->ny)) {
        rv_pane_maps_free(m);
        return RV_OUT_OF_MEMORY;
    }
    m->nx = pane->nx, m->ny = pane->ny;
    return RV_OK;
}

// ---- Sending ------------------------------------------------------------------------------------

// A run of tiles in a row of them, half open.
typedef struct run {
    int from, to;
} run;

// The next run of tiles that changed, from a place on. A single tile between two of them goes
// along: to send it takes less than another call.
static bool next_run(const int64_t *changes, int64_t since, int across, run *r)
{
    int i = r->to;
    while (i < across && changes && changes[i] <= since) i++;
    if (i >= across) return false;
    r->from = i;
    for (r->to = i + 1; r->to < across; r->to++) {
        bool more = !changes || changes[r->to] > since;
        bool after = r->to + 1 < across && (!changes || changes[r->to + 1] > since);
        if (!more && !after) break;
    }
    return true;
}

static void mark_stale(rv_pane_maps *m, int row, run r)
{
    uint8_t *stale = m->stale + (size_t)row * (size_t)m->across;
    for (int i = r.from; i < r.to; i++) m->stale_count += !stale[i], stale[i] = 1;
}

// Cells of a run, cut at the pane's edges: x, y, width, height.
static void cells_of(const rv_pane_maps *m, int row, run r, int out[4])
{
    out[0] = r.from * m->tile, out[1] = row * m->tile;
    out[2] = smaller(r.to * m->tile, m->nx) - out[0];
    out[3] = smaller((row + 1) * m->tile, m->ny) - out[1];
}

static float thickest_in(const rv_pane *pane, const int c[4])
{
    float most[LANES] = {0};
    for (int y = c[1]; y < c[1] + c[3]; y++) {
        const float *row = pane->height + (size_t)y * (size_t)pane->pitch + c[0];
        int x = 0;
        for (; x + LANES <= c[2]; x += LANES)
            for (int k = 0; k < LANES; k++) most[k] = row[x + k] > most[k] ? row[x + k] : most[k];
        for (; x < c[2]; x++) most[0] = row[x] > most[0] ? row[x] : most[0];
    }
    for (int k = 1; k < LANES; k++) most[0] = most[k] > most[0] ? most[k] : most[0];
    return most[0];
}

// Of tiles that were just sent: they are near at hand.
static void measure(rv_pane_maps *m, const rv_pane *pane, int row, run r)
{
    for (int i = r.from; i < r.to; i++) {
        int c[4];
        cells_of(m, row, (run){i, i + 1}, c);
        m->most[(size_t)row * (size_t)m->across + (size_t)i] = thickest_in(pane, c);
    }
}

static void find_thickest(rv_pane_maps *m)
{
    float most = 0;
    for (int n = 0; n < m->across * m->along; n++) most = m->most[n] > most ? m->most[n] : most;
    m->thickest = (double)most;
}

static void send(rv_pane_maps *m, GLuint name, const rv_pane *pane, const float *map,
                 const int64_t *changes, int64_t since)
{
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, name);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    glPixelStorei(GL_UNPACK_ROW_LENGTH, pane->pitch);
    for (int row = 0; row < m->along; row++) {
        const int64_t *of_row = changes ? changes + (size_t)row * (size_t)m->across : NULL;
        for (run r = {0, 0}; next_run(of_row, since, m->across, &r);) {
            int c[4];
            cells_of(m, row, r, c);
            glTexSubImage2D(GL_TEXTURE_2D, 0, c[0], c[1], c[2], c[3], GL_RED, GL_FLOAT,
                            map + (size_t)c[1] * (size_t)pane->pitch + c[0]);
            m->uploaded += sizeof(float) * (uint64_t)c[2] * (uint64_t)c[3];
            mark_stale(m, row, r);
            if (map == pane->height) measure(m, pane, row, r);
        }
    }
    glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
}

rv_result rv_pane_maps_update(rv_pane_maps *m, const rv_pane *pane)
{
    rv_result result = take(m, pane);
    if (result != RV_OK) return result;
    bool told = pane->tile > 0 && pane->height_changes && pane->mist_changes && pane->made != 0;
    bool same = told && m->made == pane->made && m->changes <= pane->changes;
    int64_t since = same ? m->changes : INT64_MIN;
    m->dx = pane->dx, m->uploaded = 0;
    m->made = 0; // until all of it is there
    send(m, m->heights, pane, pane->height, told ? pane->height_changes : NULL, since);
    send(m, m->mists, pane, pane->mist, told ? pane->mist_changes : NULL, since);
    if (!same) send(m, m->affinities, pane, pane->affinity, NULL, since);
    find_thickest(m);
    if (glGetError() != GL_NO_ERROR) return RV_OUT_OF_MEMORY;
    m->made = told ? pane->made : 0, m->changes = pane->changes;
    return RV_OK;
}

// ---- Shape --------------------------------------------------------------------------------------

bool rv_pane_maps_stale(const rv_pane_maps *m)
{
    return m->stale_count > 0;
}

// One run of stale tiles, and the cells around it, whose slopes and edges look into it.
static void draw_run(const rv_pane_maps *m, int row, run r)
{
    int c[4];
    cells_of(m, row, r, c);
    glScissor(c[0] - LOOKS, c[1] - LOOKS, c[2] + 2 * LOOKS, c[3] + 2 * LOOKS);
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

static void draw_stale(const rv_pane_maps *m)
{
    for (int row = 0; row < m->along; row++) {
        const uint8_t *stale = m->stale + (size_t)row * (size_t)m->across;
        for (run r = {0, 0}; r.to < m->across;) {
            for (r.from = r.to; r.from < m->across && !stale[r.from];) r.from++;
            for (r.to = r.from; r.to < m->across && stale[r.to];) r.to++;
            if (r.from < r.to) draw_run(m, row, r);
        }
    }
}

void rv_pane_maps_shape(rv_pane_maps *m)
{
    int tiles = m->across * m->along;
    glBindFramebuffer(GL_FRAMEBUFFER, m->framebuffer);
    glViewport(0, 0, m->nx, m->ny);
    // Of many tiles the whole is less work than its parts.
    if (2 * m->stale_count < tiles) {
        glEnable(GL_SCISSOR_TEST);
        draw_stale(m);
        glDisable(GL_SCISSOR_TEST);
    } else {
        glDrawArrays(GL_TRIANGLES, 0, 3);
    }
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, m->shape);
    glGenerateMipmap(GL_TEXTURE_2D);
    memset(m->stale, 0, (size_t)tiles);
    m->stale_count = 0;
}
