// The table of functions that solver `splat` calls instead of stepping on the CPU, and what they
// stand on: textures, programs, and what the driver must be able to do.
//
// Within OpenGL ES 3.0: particles are textures of 32-bit words, which every driver can draw into,
// whatever it thinks of floats. Grids are sums of floats by blending: whole floats where
// EXT_color_buffer_float and EXT_float_blend are there, else half floats (splat paper §1.7 uses
// these). Slices of a grid in space lie side by side in one texture.
#include "render/splat_gl_parts.h"

#include "render/driver.h"
#include "render/program.h"
#include "render/target_kinds.h"
#include "render/texture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- The state of one world --------------------------------------------------------------------

bool rv_splat_gl_use(rv_splat_gl_state *s)
{
    if (!rv_target_use(s->gl->target)) return false;
    while (glGetError() != GL_NO_ERROR) continue;
    glDisable(GL_BLEND);
    glDisable(GL_CULL_FACE);
    glDisable(GL_DEPTH_TEST);
    glDisable(GL_SCISSOR_TEST);
    glDisable(GL_STENCIL_TEST);
    glDisable(GL_RASTERIZER_DISCARD);
    glDisable(GL_DITHER);
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    glBindVertexArray(s->gl->nothing);
    glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
    return true;
}

rv_result rv_splat_gl_leave(rv_splat_gl_state *s)
{
    glBindFramebuffer(GL_FRAMEBUFFER, rv_target_framebuffer(s->gl->target));
    glBindVertexArray(0);
    glUseProgram(0);
    glActiveTexture(GL_TEXTURE0);
    return glGetError() == GL_NO_ERROR ? RV_OK : RV_OUT_OF_MEMORY;
}

static bool make_frame(GLuint *frame, GLuint first, GLuint second)
{
    static const GLenum both[2] = {GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1};
    glGenFramebuffers(1, frame);
    glBindFramebuffer(GL_FRAMEBUFFER, *frame);
    glFramebufferTexture2D(GL_FRAMEBUFFER, both[0], GL_TEXTURE_2D, first, 0);
    if (second) glFramebufferTexture2D(GL_FRAMEBUFFER, both[1], GL_TEXTURE_2D, second, 0);
    glDrawBuffers(second ? 2 : 1, both);
    return glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
}

// How slices and particles lie in textures. false: the driver's textures are too small.
static bool lay_out(rv_splat_gl_state *s)
{
    static const int axes[3][3] = {{0, 2, -1}, {0, 1, 2}, {0, 1, -1}}; // by rv_splat_form
    const rv_splat_sizes *z = &s->sizes;
    const int n[3] = {z->nx, z->ny, z->nz};
    int32_t *cells = s->numbers.cells;
    int largest = (int)s->gl->largest;
    for (int c = 0; c < 3; c++) {
        s->axis[c] = axes[z->form][c];
        cells[c] = s->axis[c] < 0 ? 1 : n[s->axis[c]];
    }
    int around = s->numbers.parts[2], slices = s->axis[2] < 0 ? 1 : cells[2] + 2 * around;
    s->tile[0] = cells[0] + 2 * around, s->tile[1] = cells[1] + 2 * around;
    if (s->tile[0] > largest || s->tile[1] > largest) return false;
    // About square.
    int across = (int)ceil(sqrt((double)slices * s->tile[1] / s->tile[0]));
    if (across > largest / s->tile[0]) across = largest / s->tile[0];
    cells[3] = across < slices ? across : slices;
    int down = (slices + cells[3] - 1) / cells[3];
    if (down > largest / s->tile[1]) return false;
    s->wide = s->tile[0] * cells[3], s->high = s->tile[1] * down;
    s->parts_wide = 64;
    while ((int64_t)s->parts_wide * s->parts_wide < z->most) s->parts_wide *= 2;
    if (s->parts_wide > largest) s->parts_wide = largest;
    int64_t rows = (z->most + s->parts_wide - 1) / s->parts_wide;
    s->parts_high = rows > 1 ? (int)(rows < largest ? rows : largest) : 1;
    return rows <= largest;
}

static bool make_textures(rv_splat_gl_state *s)
{
    bool good = true, half = s->gl->half;
    GLenum format = half ? GL_RGBA16F : GL_RGBA32F;
    for (int n = 0; n < 2; n++) {
        s->places[n] = rv_texture_make(GL_RGBA32UI, s->parts_wide, s->parts_high, GL_NEAREST);
        s->motions[n] = rv_texture_make(GL_RGBA32UI, s->parts_wide, s->parts_high, GL_NEAREST);
        good = make_frame(&s->parts_frame[n], s->places[n], s->motions[n]) && good;
    }
    s->splats = rv_texture_make(format, s->wide, s->high, GL_NEAREST);
    s->sums = rv_texture_make(format, s->wide, s->high, GL_NEAREST);
    if (s->sizes.form == RV_SPLAT_3D) {
        s->smooth = rv_texture_make(half ? GL_RG16F : GL_RG32F, s->wide, s->high, GL_NEAREST);
        good = make_frame(&s->smooth_frame, s->smooth, 0) && good;
    }
    s->pressure = rv_texture_make(half ? GL_R16F : GL_R32F, s->wide, s->high, GL_NEAREST);
    good = make_frame(&s->pressure_frame, s->pressure, 0) && good;
    s->after = rv_texture_make(format, s->wide, s->high, GL_NEAREST);
    s->change = rv_texture_make(format, s->wide, s->high, GL_NEAREST);
    s->solids = rv_texture_make(GL_RGBA32F, s->wide, s->high, GL_NEAREST);
    if (s->sizes.form == RV_SPLAT_HEIGHT)
        s->bed = rv_texture_make(GL_R32F, s->numbers.cells[0], s->numbers.cells[1], GL_NEAREST);
    good = make_frame(&s->splats_frame, s->splats, 0) && good;
    good = make_frame(&s->sums_frame, s->sums, 0) && good;
    good = make_frame(&s->grid_frame, s->after, s->change) && good;
    glGenBuffers(1, &s->block);
    glBindBuffer(GL_UNIFORM_BUFFER, s->block);
    return rv_splat_gl_levels_make(s) && good;
}

static void backend_close(void *state)
{
    rv_splat_gl_state *s = state;
    if (!s) return;
    if (s->gl->last == s) s->gl->last = NULL;
    if (rv_splat_gl_use(s)) {
        const GLuint textures[] = {s->places[0],  s->places[1], s->motions[0],
                                   s->motions[1], s->splats,    s->sums,
                                   s->after,      s->change,    s->solids};
        const GLuint frames[] = {s->parts_frame[0], s->parts_frame[1], s->splats_frame,
                                 s->sums_frame,     s->grid_frame,     s->smooth_frame,
                                 s->pressure_frame};
        glDeleteTextures((GLsizei)(sizeof textures / sizeof textures[0]), textures);
        glDeleteFramebuffers((GLsizei)(sizeof frames / sizeof frames[0]), frames);
        glDeleteBuffers(1, &s->block);
        rv_splat_gl_levels_free(s);
        rv_splat_gl_volume_free(s);
        rv_splat_gl_cut_free(s);
        rv_splat_gl_leave(s);
    }
    free(s->staging);
    free(s);
}

// Without solids everything is far from any, and the bed is flat.
static rv_result clear_solids(rv_splat_gl_state *s)
{
    size_t count = (size_t)s->sizes.nx * (size_t)s->sizes.ny * (size_t)s->sizes.nz;
    float *far = malloc(count * sizeof *far);
    if (!far) return RV_OUT_OF_MEMORY;
    for (size_t n = 0; n < count; n++) far[n] = (float)(1e3 * s->sizes.dx);
    rv_result result = rv_splat_gl_set_solids(s, far, NULL);
    memset(far, 0, count * sizeof *far);
    if (result == RV_OK && s->bed) result = rv_splat_gl_set_bed(s, far);
    free(far);
    return result;
}

static rv_result backend_set_params(void *state, const rv_params *params)
{
    return rv_splat_gl_set_law(state, params);
}

static rv_result backend_open(void *user, const rv_splat_sizes *sizes, const rv_params *params,
                              void **state)
{
    rv_splat_gl *gl = user;
    *state = NULL;
    rv_splat_gl_state *s = calloc(1, sizeof *s);
    if (!s) return RV_OUT_OF_MEMORY;
    s->gl = gl, s->sizes = *sizes;
    s->numbers.parts[2] = (int32_t)ceil(params->splat_radius);
    rv_result result = RV_OK;
    if (!rv_splat_gl_use(s) || !lay_out(s) || sizes->most > INT32_MAX)
        result = RV_BAD_ARGUMENT;
    else if (!make_textures(s) || rv_splat_gl_leave(s) != RV_OK)
        result = RV_OUT_OF_MEMORY;
    if (result == RV_OK) result = backend_set_params(s, params);
    if (result == RV_OK) result = clear_solids(s);
    if (result == RV_OK)
        *state = gl->last = s;
    else
        backend_close(s);
    return result;
}

static rv_result backend_set_stir(void *state, rv_vec3 at, rv_vec3 velocity, double radius)
{
    rv_splat_gl_state *s = state;
    const double a[3] = {at.x, at.y, at.z}, v[3] = {velocity.x, velocity.y, velocity.z};
    const double low[3] = {s->sizes.low.x, s->sizes.low.y, s->sizes.low.z};
    if (!(radius > 0) && !(s->numbers.stir[3] > 0)) return RV_OK; // nothing, as before
    for (int c = 0; c < 3; c++) {
        int axis = s->axis[c];
        s->numbers.stir[c] = axis < 0 ? 0 : (float)((a[axis] - low[axis]) / s->sizes.dx);
        s->numbers.stirring[c] = axis < 0 ? 0 : (float)v[axis];
    }
    s->numbers.stir[3] = (float)(radius / s->sizes.dx);
    s->stale_numbers = true;
    return RV_OK;
}

static rv_result backend_step(void *state, double dt)
{
    rv_splat_gl_state *s = state;
    if (!(dt > 0) || !rv_splat_gl_use(s)) return RV_BAD_ARGUMENT;
    rv_splat_gl_set_step(s, dt);
    rv_splat_gl_send_numbers(s);
    rv_splat_gl_sum(s);
    rv_splat_gl_pass_grid(s);
    rv_splat_gl_pass_move(s);
    return rv_splat_gl_leave(s);
}

static rv_result backend_get_extremes(void *state, double *fastest, double *densest)
{
    rv_splat_gl_state *s = state;
    rv_result result = RV_OK;
    // The first questions are answered at once: nothing is known before.
    if (s->questions++ % RV_SPLAT_EVERY == 0 || s->asked < RV_SPLAT_RING) {
        if (!rv_splat_gl_use(s)) return RV_BAD_ARGUMENT;
        rv_splat_gl_send_numbers(s);
        rv_splat_gl_sum(s);
        rv_splat_gl_ask(s);
        bool good = rv_splat_gl_answer(s);
        result = rv_splat_gl_leave(s);
        if (!good) result = RV_OUT_OF_MEMORY;
    }
    *fastest = s->fastest, *densest = s->densest;
    return result;
}

static rv_result backend_get_totals(void *state, double *squares, rv_vec3 *places)
{
    rv_splat_gl_state *s = state;
    float total[4] = {0};
    if (!rv_splat_gl_use(s)) return RV_BAD_ARGUMENT;
    rv_splat_gl_send_numbers(s);
    bool good = rv_splat_gl_total(s, total);
    rv_result result = rv_splat_gl_leave(s);
    double sum[3] = {0};
    for (int c = 0; c < 3; c++)
        if (s->axis[c] >= 0) sum[s->axis[c]] = (double)total[c] * s->sizes.dx;
    *places = (rv_vec3){sum[0], sum[1], sum[2]}, *squares = (double)total[3];
    return good ? result : RV_OUT_OF_MEMORY;
}

// ---- The object --------------------------------------------------------------------------------

static GLuint make_program(const char *vertex, const char *pixel, const char *defines,
                           rv_messages *messages)
{
    static const struct {
        const char *name;
        GLint at;
    } textures[] = {{"places", RV_SPLAT_AT_PLACES},   {"motions", RV_SPLAT_AT_MOTIONS},
                    {"splats", RV_SPLAT_AT_SPLATS},   {"sums", RV_SPLAT_AT_SUMS},
                    {"smoothed", RV_SPLAT_AT_SMOOTH}, {"pressures", RV_SPLAT_AT_PRESS},
                    {"after", RV_SPLAT_AT_AFTER},     {"change", RV_SPLAT_AT_CHANGE},
                    {"solids", RV_SPLAT_AT_SOLIDS},   {"bed", RV_SPLAT_AT_BED},
                    {"found", RV_SPLAT_AT_FOUND},     {"density", RV_SPLAT_AT_VOLUME},
                    {"walls", RV_SPLAT_AT_WALLS},     {"blocks", RV_SPLAT_AT_BLOCKS}};
    GLuint program = rv_program_make(vertex, pixel, defines, NULL, messages);
    if (!program) return 0;
    glUseProgram(program);
    for (size_t n = 0; n < sizeof textures / sizeof textures[0]; n++) {
        GLint place = glGetUniformLocation(program, textures[n].name);
        if (place >= 0) glUniform1i(place, textures[n].at);
    }
    GLuint block = glGetUniformBlockIndex(program, "Splat");
    if (block != GL_INVALID_INDEX) glUniformBlockBinding(program, block, RV_SPLAT_BLOCK);
    glUseProgram(0);
    return program;
}

static bool make_programs(rv_splat_gl *gl, rv_messages *messages)
{
    static const char *const forms[3] = {"#define SOLID 0\n#define HEIGHT 0\n",
                                         "#define SOLID 1\n#define HEIGHT 0\n",
                                         "#define SOLID 0\n#define HEIGHT 1\n"};
    bool good = true;
    for (int n = 0; n < 2; n++) {
        good = good && (gl->program.splat[n] =
                            make_program("splat_vertex", "splat_pixel", forms[n], messages));
        good = good && (gl->program.fold[n] = make_program("splat_whole_vertex", "splat_fold_pixel",
                                                           forms[n], messages));
    }
    good = good && (gl->program.smooth = make_program("splat_whole_vertex", "splat_smooth_pixel",
                                                      forms[RV_SPLAT_3D], messages));
    for (int n = 0; n < 3; n++) {
        good = good && (gl->program.press[n] = make_program(
                            "splat_whole_vertex", "splat_press_pixel", forms[n], messages));
        good = good && (gl->program.grid[n] = make_program("splat_whole_vertex", "splat_grid_pixel",
                                                           forms[n], messages));
        good = good && (gl->program.move[n] = make_program("splat_whole_vertex", "splat_move_pixel",
                                                           forms[n], messages));
    }
    static const char *const greatest[3] = {"#define SOLID 0\n#define PARTS 1\n#define CELLS 0\n",
                                            "#define SOLID 0\n#define PARTS 0\n#define CELLS 1\n",
                                            "#define SOLID 0\n#define PARTS 0\n#define CELLS 0\n"};
    GLuint *to[3] = {&gl->program.parts, &gl->program.cells, &gl->program.greatest};
    for (int n = 0; n < 3; n++)
        good = good && (*to[n] = make_program("splat_whole_vertex", "splat_greatest_pixel",
                                              greatest[n], messages));
    static const char *const totals[2] = {"#define SOLID 0\n#define PARTS 1\n",
                                          "#define SOLID 0\n#define PARTS 0\n"};
    for (int n = 0; n < 2; n++)
        good = good && (gl->program.total[n] = make_program(
                            "splat_whole_vertex", "splat_total_pixel", totals[n], messages));
    static const char *const stages[3] = {"#define SOLID 0\n#define STAGE 0\n",
                                          "#define SOLID 0\n#define STAGE 1\n",
                                          "#define SOLID 0\n#define STAGE 2\n"};
    for (int n = 0; n < 3; n++)
        good = good && (gl->program.cut[n] = make_program("splat_whole_vertex", "splat_cut_pixel",
                                                          stages[n], messages));
    good = good && (gl->program.volume = make_program("splat_whole_vertex", "splat_volume_pixel",
                                                      forms[RV_SPLAT_3D], messages));
    return good && (gl->program.boxes =
                        make_program("splat_whole_vertex", "splat_boxes_pixel", NULL, messages));
}

// What grids can be made of: whole floats, half floats, or nothing.
static bool choose_floats(rv_splat_gl *gl, bool half, rv_messages *messages)
{
    bool any = rv_driver_version() >= 32 || rv_driver_draws_floats(); // in 3.2 it is within
    bool whole = any && rv_driver_blends_floats();
    gl->half = half || !whole;
    if (any || rv_driver_draws_halves()) return true;
    rv_messages_add(messages,
                    "backend gl: the driver (%s) cannot draw into float textures "
                    "(EXT_color_buffer_float, EXT_color_buffer_half_float); use --backend cpu",
                    rv_target_driver(gl->target));
    return false;
}

rv_result rv_splat_gl_create(rv_target *target, const rv_splat_gl_def *def, rv_splat_gl **out,
                             rv_messages *messages)
{
    if (out) *out = NULL;
    if (!out || !target) return RV_BAD_ARGUMENT;
    if (!rv_target_use(target)) {
        rv_messages_add(messages, "backend gl: needs a target that draws");
        return RV_BAD_ARGUMENT;
    }
    rv_splat_gl *gl = calloc(1, sizeof *gl);
    if (!gl) return RV_OUT_OF_MEMORY;
    gl->target = target;
    gl->backend = (rv_splat_backend){.name = "gl",
                                     .user = gl,
                                     .open = backend_open,
                                     .close = backend_close,
                                     .set_params = backend_set_params,
                                     .set_solids = rv_splat_gl_set_solids,
                                     .set_bed = rv_splat_gl_set_bed,
                                     .put = rv_splat_gl_put,
                                     .set_stir = backend_set_stir,
                                     .step = backend_step,
                                     .get = rv_splat_gl_get,
                                     .get_density = rv_splat_gl_get_density,
                                     .get_extremes = backend_get_extremes,
                                     .get_totals = backend_get_totals};
    float points[2] = {1, 1};
    glGetFloatv(GL_ALIASED_POINT_SIZE_RANGE, points);
    glGetIntegerv(GL_MAX_TEXTURE_SIZE, &gl->largest);
    gl->largest_point = points[1];
    glGenVertexArrays(1, &gl->nothing);
    if (choose_floats(gl, def && def->half, messages) && make_programs(gl, messages)) {
        *out = gl;
        return RV_OK;
    }
    rv_splat_gl_destroy(gl);
    return RV_BAD_ARGUMENT;
}

void rv_splat_gl_destroy(rv_splat_gl *gl)
{
    if (!gl) return;
    if (rv_target_use(gl->target)) {
        GLuint programs[sizeof gl->program / sizeof(GLuint)];
        memcpy(programs, &gl->program, sizeof programs);
        for (size_t n = 0; n < sizeof programs / sizeof programs[0]; n++)
            glDeleteProgram(programs[n]);
        glDeleteVertexArrays(1, &gl->nothing);
    }
    free(gl);
}

const rv_splat_backend *rv_splat_gl_backend(rv_splat_gl *gl)
{
    return gl ? &gl->backend : NULL;
}

bool rv_splat_gl_half(const rv_splat_gl *gl)
{
    return gl && gl->half;
}

void rv_splat_gl_finish(rv_splat_gl *gl)
{
    if (gl && rv_target_use(gl->target)) glFinish();
}

bool rv_splat_gl_get_grid(const rv_splat_gl *gl, rv_splat_gl_grid *out)
{
    rv_splat_gl_state *s = gl ? gl->last : NULL;
    *out = (rv_splat_gl_grid){0};
    if (!s) return false;
    if (!rv_splat_gl_use(s)) return false;
    rv_splat_gl_sum(s);
    rv_splat_gl_leave(s);
    const int32_t *cells = s->numbers.cells;
    *out = (rv_splat_gl_grid){.texture = s->sums,
                              .width = s->wide,
                              .height = s->high,
                              .nx = cells[0],
                              .ny = cells[1],
                              .nz = cells[2],
                              .tile_x = s->tile[0],
                              .tile_y = s->tile[1],
                              .across = cells[3],
                              .around = s->numbers.parts[2],
                              .dx = s->sizes.dx,
                              .low = s->sizes.low,
                              .rest = (double)s->numbers.kernel[2],
                              .form = s->sizes.form};
    return true;
}

bool rv_splat_gl_get_particles(const rv_splat_gl *gl, rv_splat_gl_particles *out)
{
    const rv_splat_gl_state *s = gl ? gl->last : NULL;
    *out = (rv_splat_gl_particles){0};
    if (!s) return false;
    *out = (rv_splat_gl_particles){.places = s->places[s->now],
                                   .motions = s->motions[s->now],
                                   .wide = s->parts_wide,
                                   .count = s->count};
    return true;
}
