// Kernels and painters of the device table: compiling and timing.
#include "gl/device_parts.h"

#include <stdlib.h>
#include <string.h>

#define PARTS_MOST 16

// ---- Compiling ----------------------------------------------------------------------------------

// Says what the driver says: one line, the first that tells of an error if there is such. Some
// begin with a title.
static void complain(rv_messages *messages, const rv_device_gl *d, const char *name, char *log)
{
    char *error = strstr(log, "rror"), *line = error ? error : log;
    while (line > log && line[-1] != '\n') line--;
    char *end = strchr(line, '\n');
    // what "-- error message --" is about stands under it
    if (end && strncmp(line, "-- ", 3) == 0) line = end + 1, end = strchr(line, '\n');
    if (end) *end = 0;
    rv_messages_add(messages, "card: %s does not take kernel %s: %s", d->name, name, line);
}

// Asks the driver to compile; it may take its time.
static GLuint begin_shader(const rv_device_gl *d, GLenum kind, const char *const *text, int parts)
{
    const char *all[PARTS_MOST + 1] = {d->header};
    if (parts < 0 || parts > PARTS_MOST) return 0;
    for (int k = 0; k < parts; k++) all[k + 1] = text[k];
    GLuint shader = glCreateShader(kind);
    glShaderSource(shader, parts + 1, all, NULL);
    glCompileShader(shader);
    return shader;
}

// Waits for it.
static bool shader_good(const rv_device_gl *d, const char *name, GLuint shader,
                        rv_messages *messages)
{
    char log[1024] = "";
    GLint good = 0;
    glGetShaderiv(shader, GL_COMPILE_STATUS, &good);
    if (good) return true;
    glGetShaderInfoLog(shader, sizeof log, NULL, log);
    complain(messages, d, name, log);
    return false;
}

static GLuint compile(const rv_device_gl *d, const char *name, GLenum kind, const char *const *text,
                      int parts, rv_messages *messages)
{
    GLuint shader = begin_shader(d, kind, text, parts);
    if (!shader || shader_good(d, name, shader, messages)) return shader;
    glDeleteShader(shader);
    return 0;
}

// The shaders stay those of the caller; 0 ones are not there. NULL: no memory.
static rv_device_kernel *begin_kernel(GLuint a, GLuint b)
{
    rv_device_kernel *k = calloc(1, sizeof *k);
    if (!k) return NULL;
    k->program = glCreateProgram();
    glAttachShader(k->program, a);
    if (b) glAttachShader(k->program, b);
    glLinkProgram(k->program);
    return k;
}

// Waits for it; one that failed is freed.
static rv_result end_kernel(rv_device_gl *d, const char *name, rv_device_kernel *k,
                            rv_device_kernel **out, rv_messages *messages)
{
    char log[1024] = "";
    GLint good = 0;
    *out = NULL;
    if (k) glGetProgramiv(k->program, GL_LINK_STATUS, &good);
    if (k && !good) {
        glGetProgramInfoLog(k->program, sizeof log, NULL, log);
        complain(messages, d, name, log);
    }
    rv_result result = !k ? RV_OUT_OF_MEMORY : good ? rv_gl_trouble(d) : RV_BAD_DATA;
    if (result == RV_OK)
        *out = k;
    else
        rv_gl_free_kernel(d, k);
    return result;
}

// FNV-1a, of all that is compiled.
static uint64_t print_of(const char *const *text, int parts)
{
    uint64_t print = 0xcbf29ce484222325ull;
    for (int k = 0; k < parts; k++)
        for (const char *c = text[k]; *c; c++)
            print = (print ^ (unsigned char)*c) * 0x100000001b3ull;
    return print ? print : 1;
}

static void keep(rv_device_gl *d, rv_device_kernel *k, uint64_t print)
{
    k->print = print, k->next = d->kept, d->kept = k;
}

static void forget(rv_device_gl *d, rv_device_kernel *k)
{
    rv_device_kernel **at = &d->kept;
    while (*at && *at != k) at = &(*at)->next;
    if (*at) *at = k->next;
    k->print = 0, k->next = NULL;
}

static rv_device_kernel *find_kept(const rv_device_gl *d, uint64_t print)
{
    rv_device_kernel *k = d->kept;
    while (k && k->print != print) k = k->next;
    return k;
}

void rv_gl_ask_kernel(void *user, const char *const *text, int parts)
{
    rv_device_gl *d = user;
    uint64_t print = print_of(text, parts);
    if (d->lost || find_kept(d, print)) return;
    GLuint shader = begin_shader(d, GL_COMPUTE_SHADER, text, parts);
    rv_device_kernel *k = shader ? begin_kernel(shader, 0) : NULL;
    if (!k) {
        if (shader) glDeleteShader(shader);
        return;
    }
    k->asked = shader;
    keep(d, k, print);
}

// What came of one that was asked for; it stays if it is good.
static rv_result end_asked(rv_device_gl *d, const char *name, rv_device_kernel *k,
                           rv_device_kernel **out, rv_messages *messages)
{
    uint64_t print = k->print;
    GLuint shader = k->asked;
    forget(d, k);
    k->asked = 0;
    bool good = shader_good(d, name, shader, messages);
    glDeleteShader(shader);
    if (!good) {
        rv_gl_free_kernel(d, k);
        return RV_BAD_DATA;
    }
    rv_result result = end_kernel(d, name, k, out, messages);
    if (result == RV_OK) keep(d, k, print);
    return result;
}

rv_result rv_gl_make_kernel(void *user, const char *name, const char *const *text, int parts,
                            rv_device_kernel **out, rv_messages *messages)
{
    rv_device_gl *d = user;
    uint64_t print = print_of(text, parts);
    rv_device_kernel *kept = find_kept(d, print);
    *out = NULL;
    if (kept && kept->asked && !d->lost) return end_asked(d, name, kept, out, messages);
    if (kept && !d->lost) *out = kept;
    if (kept) return d->lost ? RV_DEVICE_LOST : RV_OK;
    GLuint shader = compile(d, name, GL_COMPUTE_SHADER, text, parts, messages);
    if (!shader) return RV_BAD_DATA;
    rv_result result = end_kernel(d, name, begin_kernel(shader, 0), out, messages);
    glDeleteShader(shader);
    if (result == RV_OK) keep(d, *out, print);
    return result;
}

rv_result rv_gl_make_painter(void *user, const char *name, const char *common, const char *vertex,
                             const char *fragment, rv_device_kernel **out, rv_messages *messages)
{
    rv_device_gl *d = user;
    const char *low[] = {common, vertex}, *high[] = {common, fragment};
    *out = NULL;
    GLuint a = compile(d, name, GL_VERTEX_SHADER, low, 2, messages);
    GLuint b = a ? compile(d, name, GL_FRAGMENT_SHADER, high, 2, messages) : 0;
    if (a && !b) glDeleteShader(a);
    if (!b) return RV_BAD_DATA;
    rv_result result = end_kernel(d, name, begin_kernel(a, b), out, messages);
    glDeleteShader(a);
    glDeleteShader(b);
    if (result == RV_OK) glGenVertexArrays(1, &(*out)->array);
    return result;
}

void rv_gl_free_kernel(void *user, rv_device_kernel *k)
{
    if (!k || k->print) return;
    if (user) rv_gl_issue(user); // it may be among them
    if (k->asked) glDeleteShader(k->asked);
    if (k->program) glDeleteProgram(k->program);
    if (k->array) glDeleteVertexArrays(1, &k->array);
    free(k);
}

void rv_gl_free_kept(rv_device_gl *d)
{
    while (d->kept) {
        rv_device_kernel *k = d->kept;
        d->kept = k->next, k->print = 0;
        rv_gl_free_kernel(d, k);
    }
}

// ---- Timers -------------------------------------------------------------------------------------

rv_result rv_gl_begin_timer(void *user)
{
    rv_device_gl *d = user;
    if (d->lost) return RV_DEVICE_LOST;
    if (!d->table.timers || d->timing >= 0) return RV_BAD_ARGUMENT;
    rv_gl_issue(d);
    for (int k = 0; k < RV_TIMER_TICKETS && d->timing < 0; k++)
        if (!d->timer[k].used) d->timing = k;
    if (d->timing < 0) return RV_BAD_ARGUMENT;
    rv_gl_timer *t = &d->timer[d->timing];
    if (!t->query) glGenQueries(1, &t->query);
    glBeginQuery(GL_TIME_ELAPSED, t->query);
    return RV_OK;
}

rv_result rv_gl_end_timer(void *user, rv_device_ticket *out)
{
    rv_device_gl *d = user;
    if (d->lost) return RV_DEVICE_LOST;
    if (d->timing < 0) return RV_BAD_ARGUMENT;
    rv_gl_issue(d);
    rv_gl_timer *t = &d->timer[d->timing];
    glEndQuery(GL_TIME_ELAPSED);
    t->used = true, t->serial = ++d->serial;
    *out = (uint64_t)t->serial << 8 | (unsigned)d->timing;
    d->timing = -1;
    return RV_OK;
}

rv_result rv_gl_timer_ms(void *user, rv_device_ticket ticket, bool wait, bool *done, double *ms)
{
    rv_device_gl *d = user;
    unsigned index = ticket & 255;
    GLuint there = wait;
    GLuint64 ns = 0;
    *done = false, *ms = 0;
    if (d->lost) return RV_DEVICE_LOST;
    if (index >= RV_TIMER_TICKETS || !d->timer[index].used ||
        d->timer[index].serial != (uint32_t)(ticket >> 8))
        return RV_BAD_ARGUMENT;
    rv_gl_timer *t = &d->timer[index];
    if (!wait) glGetQueryObjectuiv(t->query, GL_QUERY_RESULT_AVAILABLE, &there);
    if (!there) return RV_OK;
    if (d->desktop)
        glGetQueryObjectui64v(t->query, GL_QUERY_RESULT, &ns);
    else
        glGetQueryObjectui64vEXT(t->query, GL_QUERY_RESULT, &ns);
    t->used = false;
    *done = true, *ms = 1e-6 * (double)ns;
    return rv_gl_trouble(d);
}
