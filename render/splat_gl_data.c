// What goes to the card and comes back: particles, solids, densities. Positions travel in cells
// from the grid's low corner, so that single precision is as fine at one end of the domain as at
// the other; velocities in m/s.
#include "render/splat_gl_parts.h"

#include "render/grow.h"

#include <string.h>

static double component(const rv_vec3 *v, int axis)
{
    return axis == 0 ? v->x : axis == 1 ? v->y : v->z;
}

static bool take_staging(rv_splat_gl_state *s, size_t floats)
{
    return rv_grow((void **)&s->staging, &s->staging_room, floats, sizeof *s->staging);
}

// ---- Particles ---------------------------------------------------------------------------------

// Calls for rows of texels that hold particles `first` … `end`: a part of a row, or whole rows.
typedef struct stretch {
    int x, y, width, height;
} stretch;

enum { ROWS_MAX = 64 }; // of a stretch, so that the staging memory stays small

static stretch next_stretch(const rv_splat_gl_state *s, int64_t first, int64_t end)
{
    int64_t wide = s->parts_wide, left = end - first;
    stretch t = {(int)(first % wide), (int)(first / wide), 0, 1};
    if (t.x > 0 || left < wide) {
        t.width = (int)(left < wide - t.x ? left : wide - t.x);
        return t;
    }
    t.width = (int)wide;
    t.height = (int)(left / wide < ROWS_MAX ? left / wide : ROWS_MAX);
    return t;
}

// Four floats a particle, from one array a component: (from − low) · per.
static void weave(float *to, const float *const from[3], const double low[3], double per,
                  size_t first, size_t count)
{
    for (int c = 0; c < 4; c++) {
        const float *f = c < 3 ? from[c] : NULL;
        for (size_t n = 0; n < count; n++)
            to[4 * n + (size_t)c] = f ? (float)(((double)f[first + n] - low[c]) * per) : 0;
    }
}

rv_result rv_splat_gl_put(void *state, int64_t first, int64_t count, const rv_particles *p)
{
    rv_splat_gl_state *s = state;
    if (first < 0 || count < 0 || first > s->count || first + count > s->sizes.most)
        return RV_BAD_ARGUMENT;
    if (!take_staging(s, (size_t)s->parts_wide * ROWS_MAX * 4)) return RV_OUT_OF_MEMORY;
    if (!rv_splat_gl_use(s)) return RV_BAD_ARGUMENT;
    const float *const at[3] = {p->x, p->y, p->z}, *const speed[3] = {p->u, p->v, p->w};
    const float *places[3], *motions[3];
    double low[3] = {0}, none[3] = {0};
    for (int c = 0; c < 3; c++) {
        int axis = s->axis[c];
        places[c] = axis < 0 ? NULL : at[axis];
        motions[c] = axis < 0 ? NULL : speed[axis];
        if (axis >= 0) low[c] = component(&s->sizes.low, axis);
    }
    glActiveTexture(GL_TEXTURE0);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    for (int64_t n = first; n < first + count;) {
        stretch t = next_stretch(s, n, first + count);
        size_t texels = (size_t)t.width * (size_t)t.height;
        weave(s->staging, places, low, 1 / s->sizes.dx, (size_t)(n - first), texels);
        glBindTexture(GL_TEXTURE_2D, s->places[s->now]);
        glTexSubImage2D(GL_TEXTURE_2D, 0, t.x, t.y, t.width, t.height, GL_RGBA_INTEGER,
                        GL_UNSIGNED_INT, s->staging);
        weave(s->staging, motions, none, 1, (size_t)(n - first), texels);
        glBindTexture(GL_TEXTURE_2D, s->motions[s->now]);
        glTexSubImage2D(GL_TEXTURE_2D, 0, t.x, t.y, t.width, t.height, GL_RGBA_INTEGER,
                        GL_UNSIGNED_INT, s->staging);
        n += (int64_t)texels;
    }
    if (first < s->summed) s->summed = -1; // else those that come are added to the sums
    s->count = first + count;
    s->stale_numbers = true;
    return rv_splat_gl_leave(s);
}

// The components of `count` texels in staging, each to its array: low + value · per.
static void part(const float *from, float *const to[3], const double low[3], double per,
                 size_t first, size_t count)
{
    for (int c = 0; c < 3; c++) {
        if (!to[c]) continue;
        for (size_t n = 0; n < count; n++)
            to[c][first + n] = (float)(low[c] + (double)from[4 * n + (size_t)c] * per);
    }
}

rv_result rv_splat_gl_get(void *state, float *x, float *y, float *z, float *u, float *v, float *w)
{
    rv_splat_gl_state *s = state;
    if (!take_staging(s, (size_t)s->parts_wide * ROWS_MAX * 4)) return RV_OUT_OF_MEMORY;
    if (!rv_splat_gl_use(s)) return RV_BAD_ARGUMENT;
    float *const at[3] = {x, y, z}, *const speed[3] = {u, v, w};
    float *places[3], *motions[3];
    double low[3] = {0}, none[3] = {0};
    for (int c = 0; c < 3; c++) {
        int axis = s->axis[c];
        places[c] = axis < 0 ? NULL : at[axis];
        motions[c] = axis < 0 ? NULL : speed[axis];
        if (axis >= 0) low[c] = component(&s->sizes.low, axis);
    }
    glBindFramebuffer(GL_FRAMEBUFFER, s->parts_frame[s->now]);
    glPixelStorei(GL_PACK_ALIGNMENT, 4);
    for (int64_t n = 0; n < s->count;) {
        stretch t = next_stretch(s, n, s->count);
        size_t texels = (size_t)t.width * (size_t)t.height;
        glReadBuffer(GL_COLOR_ATTACHMENT0);
        glReadPixels(t.x, t.y, t.width, t.height, GL_RGBA_INTEGER, GL_UNSIGNED_INT, s->staging);
        part(s->staging, places, low, s->sizes.dx, (size_t)n, texels);
        glReadBuffer(GL_COLOR_ATTACHMENT1);
        glReadPixels(t.x, t.y, t.width, t.height, GL_RGBA_INTEGER, GL_UNSIGNED_INT, s->staging);
        part(s->staging, motions, none, 1, (size_t)n, texels);
        n += (int64_t)texels;
    }
    return rv_splat_gl_leave(s);
}

// ---- Grids -------------------------------------------------------------------------------------

static int within(int c, int n)
{
    return c < 0 ? 0 : c < n ? c : n - 1;
}

// Fills a row of tiles with the velocity of solids and the distance to them in cells; around the
// grid they go on as at its rim. The first tile is slice k0, which may be below the grid.
static void lay_solids(const rv_splat_gl_state *s, int k0, int tiles, const float *distance,
                       const float *velocity)
{
    const int32_t *n = s->numbers.cells;
    int around = s->numbers.parts[2];
    double per = 1 / s->sizes.dx;
    memset(s->staging, 0, (size_t)s->wide * (size_t)s->tile[1] * 4 * sizeof *s->staging);
    for (int t = 0; t < tiles; t++)
        for (int y = 0; y < s->tile[1]; y++) {
            int k = within(k0 + t, n[2]), j = within(y - around, n[1]);
            float *to = s->staging + 4 * ((size_t)y * (size_t)s->wide + (size_t)(t * s->tile[0]));
            for (int x = 0; x < s->tile[0]; x++, to += 4) {
                size_t cell = ((size_t)k * (size_t)n[1] + (size_t)j) * (size_t)n[0] +
                              (size_t)within(x - around, n[0]);
                for (int c = 0; velocity && c < 3; c++)
                    if (s->axis[c] >= 0) to[c] = velocity[3 * cell + (size_t)s->axis[c]];
                to[3] = (float)((double)distance[cell] * per);
            }
        }
}

rv_result rv_splat_gl_set_solids(void *state, const float *distance, const float *velocity)
{
    rv_splat_gl_state *s = state;
    int across = s->numbers.cells[3], below = s->axis[2] < 0 ? 0 : s->numbers.parts[2];
    int slices = s->numbers.cells[2] + 2 * below;
    if (!distance) return RV_BAD_ARGUMENT;
    bool any = velocity != NULL;
    size_t count = (size_t)s->sizes.nx * (size_t)s->sizes.ny * (size_t)s->sizes.nz;
    for (size_t n = 0; n < count && !any; n++)
        any = (double)distance[n] < (s->params.splat_radius + 1) * s->sizes.dx;
    s->numbers.more[1] = any, s->stale_numbers = true;
    if (!take_staging(s, (size_t)s->wide * (size_t)s->tile[1] * 4)) return RV_OUT_OF_MEMORY;
    if (!rv_splat_gl_use(s)) return RV_BAD_ARGUMENT;
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, s->solids);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    for (int t = 0; t < slices; t += across) {
        lay_solids(s, t - below, slices - t < across ? slices - t : across, distance, velocity);
        glTexSubImage2D(GL_TEXTURE_2D, 0, 0, t / across * s->tile[1], s->wide, s->tile[1], GL_RGBA,
                        GL_FLOAT, s->staging);
    }
    return rv_splat_gl_leave(s);
}

rv_result rv_splat_gl_set_bed(void *state, const float *height)
{
    rv_splat_gl_state *s = state;
    const int32_t *n = s->numbers.cells;
    if (!height || !s->bed) return RV_BAD_ARGUMENT;
    if (!rv_splat_gl_use(s)) return RV_BAD_ARGUMENT;
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, s->bed);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, n[0], n[1], GL_RED, GL_FLOAT, height);
    return rv_splat_gl_leave(s);
}

rv_result rv_splat_gl_get_density(void *state, float *value)
{
    rv_splat_gl_state *s = state;
    const int32_t *n = s->numbers.cells;
    size_t wide = (size_t)s->wide;
    int around = s->numbers.parts[2], below = s->axis[2] < 0 ? 0 : around, row = -1;
    if (!take_staging(s, wide * (size_t)s->tile[1] * 4)) return RV_OUT_OF_MEMORY;
    if (!rv_splat_gl_use(s)) return RV_BAD_ARGUMENT;
    rv_splat_gl_sum(s);
    glBindFramebuffer(GL_FRAMEBUFFER, s->sums_frame);
    glPixelStorei(GL_PACK_ALIGNMENT, 4);
    for (int k = 0; k < n[2]; k++) {
        int t = k + below;
        if (t / n[3] != row) {
            row = t / n[3];
            glReadPixels(0, row * s->tile[1], s->wide, s->tile[1], GL_RGBA, GL_FLOAT, s->staging);
        }
        for (int j = 0; j < n[1]; j++) {
            const float *from = s->staging + 4 * ((size_t)(j + around) * wide +
                                                  (size_t)(t % n[3] * s->tile[0] + around));
            for (int i = 0; i < n[0]; i++) *value++ = from[4 * i + 3] * s->numbers.kernel[3];
        }
    }
    return rv_splat_gl_leave(s);
}
