// Makes random scenes: see random_scene.h. Places are within or near the grid, sizes from a cell to
// half of it, parameters mostly within three powers of ten of their default and now and then at an
// end of their range.
#include "random_scene.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

uint64_t random_bits(uint64_t *state)
{
    *state += 0x9e3779b97f4a7c15ull;
    uint64_t z = *state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

double random_share(uint64_t *state)
{
    return (double)(random_bits(state) >> 11) * 0x1p-53;
}

int random_choice(uint64_t *state, int count)
{
    return (int)(random_share(state) * count);
}

static double between(uint64_t *r, double low, double high)
{
    return low + (high - low) * random_share(r);
}

// ---- Lines --------------------------------------------------------------------------------------

#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
static void
add_line(random_scene *s, const char *section, bool item, const char *format, ...)
{
    va_list arguments;
    if (s->count == SCENE_LINES) return;
    scene_line *line = &s->line[s->count++];
    snprintf(line->section, sizeof line->section, "%s", section);
    va_start(arguments, format);
    vsnprintf(line->text, sizeof line->text, format, arguments);
    va_end(arguments);
    line->item = item, line->kept = true;
}

void random_scene_set(random_scene *s, const char *key, const char *text)
{
    const char *dot = strchr(key, '.');
    char section[16] = "";
    if (dot) snprintf(section, sizeof section, "%.*s", (int)(dot - key), key);
    // the last one that is given counts
    for (int i = 0; i < s->count; i++) {
        const char *name = dot ? dot + 1 : key;
        size_t length = strlen(name);
        if (!s->line[i].item && strcmp(s->line[i].section, section) == 0 &&
            strncmp(s->line[i].text, name, length) == 0 && s->line[i].text[length] == ':')
            s->line[i].kept = false;
    }
    add_line(s, section, false, "%s: %s", dot ? dot + 1 : key, text);
}

// Lines of one section stand together; the first of them brings the rest.
void random_scene_print(const random_scene *s, char out[SCENE_TEXT])
{
    static const char *const solvers[] = {"pipes", "swe", "splat", "glass"};
    size_t at = 0;
    bool done[SCENE_LINES] = {false};
#define PRINT(...)                                                                                 \
    at += (size_t)snprintf(out + at, at < SCENE_TEXT ? SCENE_TEXT - at : 0, __VA_ARGS__)
    PRINT("solver: %s\n", solvers[s->solver]);
    for (int i = 0; i < s->count; i++) {
        const scene_line *first = &s->line[i];
        if (done[i] || !first->kept) continue;
        if (first->section[0] == '\0') {
            PRINT("%s\n", first->text);
            continue;
        }
        PRINT("%s:\n", first->section);
        if (strcmp(first->section, "grid") == 0)
            PRINT("  nx: %d\n  ny: %d\n  dx: %.9g\n", s->nx, s->ny, s->dx);
        for (int k = i; k < s->count; k++) {
            if (!s->line[k].kept || strcmp(s->line[k].section, first->section) != 0) continue;
            PRINT(first->item ? "  - {%s}\n" : "  %s\n", s->line[k].text);
            done[k] = true;
        }
    }
#undef PRINT
}

// ---- Parts of a scene ---------------------------------------------------------------------------

// A place in the grid, now and then around it, where sources and bodies are refused; m, as text.
static const char *place(const random_scene *s, uint64_t *r, char out[64])
{
    bool around = random_choice(r, 20) == 0;
    double reach = around ? 0.6 : 0.5, low = around ? -0.1 : 0.0;
    double wide = reach * s->nx * s->dx, deep = reach * s->ny * s->dx, high = 24 * s->dx;
    snprintf(out, 64, "%.5g %.5g %.5g", between(r, -wide, wide), between(r, -deep, deep),
             between(r, low * high, high));
    return out;
}

static double size(const random_scene *s, uint64_t *r)
{
    return s->dx * pow(10, between(r, -0.3, 1.1));
}

// What a shape has, m, as text: a key that does nothing for it would have the scene refused.
static void describe(const random_scene *s, uint64_t *r, const char *shape, char out[160])
{
    double a = size(s, r), b = size(s, r), c = size(s, r);
    char from[64], to[64];
    if (strcmp(shape, "box") == 0 || strcmp(shape, "ellipsoid") == 0)
        snprintf(out, 160, "size: %.5g %.5g %.5g", a, b, c);
    else if (strcmp(shape, "cylinder") == 0)
        snprintf(out, 160, "radius: %.5g, height: %.5g", a, c);
    else if (strcmp(shape, "cone") == 0)
        snprintf(out, 160, "radius: %.5g, radius2: %.5g, height: %.5g", a, 0.5 * b, c);
    else if (strcmp(shape, "torus") == 0)
        snprintf(out, 160, "radius: %.5g, radius2: %.5g", a, 0.5 * fmin(a, b));
    else if (strcmp(shape, "capsule") == 0)
        snprintf(out, 160, "radius: %.5g, from: %s, to: %s", 0.5 * a, place(s, r, from),
                 place(s, r, to));
    else
        snprintf(out, 160, "radius: %.5g", a);
}

static void add_solid(random_scene *s, uint64_t *r)
{
    static const char *const shapes[] = {"box",  "sphere", "cylinder",  "capsule",
                                         "cone", "torus",  "ellipsoid", "plane"};
    static const char *const ops[] = {"union", "union", "union", "subtract"};
    char at[64], other[64], own[160];
    const char *shape = shapes[random_choice(r, 8)];
    bool moves = random_choice(r, 8) == 0;
    place(s, r, at), place(s, r, other);
    describe(s, r, shape, own);
    if (strcmp(shape, "plane") == 0)
        add_line(s, "solids", true, "shape: plane, at: 0 0 %.5g, normal: %.3g %.3g 1, noise: %.3g",
                 between(r, 0, 4) * s->dx, between(r, -0.4, 0.4), between(r, -0.4, 0.4),
                 random_choice(r, 3) == 0 ? s->dx : 0.0);
    else
        add_line(s, "solids", true, "shape: %s, op: %s, at: %s, %s, rotate: %.3g %.3g %.3g%s",
                 shape, moves ? "union" : ops[random_choice(r, 4)],
                 strcmp(shape, "capsule") == 0 ? "0 0 0" : at, own, between(r, -3, 3),
                 between(r, -3, 3), between(r, -3, 3), moves ? ", mover: 1" : "");
    if (moves && strcmp(shape, "plane") != 0)
        add_line(s, "events", true, "kind: move, mover: 1, start: 0, duration: %.3g, shift: %s",
                 between(r, 0, 0.2), other);
}

static void add_liquid(random_scene *s, uint64_t *r)
{
    char at[64];
    switch (random_choice(r, 4)) {
    case 0:
        add_line(s, "fills", true, "kind: level, level: %.5g", between(r, -2, 20) * s->dx);
        break;
    case 1:
        add_line(s, "fills", true, "kind: depth, depth: %.5g, to: 0 1 1", between(r, 0, 9) * s->dx);
        break;
    default:
        add_line(s, "fills", true, "kind: drop, at: %s, radius: %.5g, volume: %.5g",
                 place(s, r, at), size(s, r), pow(size(s, r), 3));
    }
}

static void add_flow(random_scene *s, uint64_t *r)
{
    char at[64];
    double rate = pow(s->dx, 3) * pow(10, between(r, 0, 3.5));
    if (random_choice(r, 3) > 0)
        add_line(s, "sources", true, "at: %s, radius: %.5g, rate: %.5g", place(s, r, at),
                 size(s, r), rate);
    else
        add_line(s, "drains", true, "to: %s, rate: %.5g", place(s, r, at), rate);
}

static void add_body(random_scene *s, uint64_t *r)
{
    char at[64], own[160];
    const char *shape = random_choice(r, 2) ? "box" : "sphere";
    describe(s, r, shape, own);
    add_line(s, "bodies", true,
             "shape: %s, at: %s, %s, density: %.4g, velocity: %.3g %.3g %.3g, "
             "spin: %.3g %.3g %.3g, motion: %s",
             shape, place(s, r, at), own, pow(10, between(r, 1, 4)), between(r, -2, 2),
             between(r, -2, 2), between(r, -2, 2), between(r, -9, 9), between(r, -9, 9),
             between(r, -9, 9), random_choice(r, 6) == 0 ? "driven" : "free");
}

static void add_edit(random_scene *s, uint64_t *r)
{
    double wide = 0.6 * s->nx * s->dx, deep = 0.6 * s->ny * s->dx, high = 24 * s->dx;
    char own[160];
    const char *shape = random_choice(r, 2) ? "sphere" : "box";
    describe(s, r, shape, own);
    add_line(s, "events", true,
             "kind: %s, start: %.3g, duration: %.3g, path: [[%.5g, %.5g, %.5g], [%.5g, %.5g, "
             "%.5g]], tool: {shape: %s, %s}",
             random_choice(r, 2) ? "carve" : "add", between(r, 0, 0.1), between(r, 0, 0.2),
             between(r, -wide, wide), between(r, -deep, deep), between(r, 0, high),
             between(r, -wide, wide), between(r, -deep, deep), between(r, 0, high), shape, own);
}

static void add_emitter(random_scene *s, uint64_t *r)
{
    static const char *const kinds[] = {"jet", "drop", "block", "rain"};
    const char *kind = s->solver == RV_SOLVER_GLASS ? "drop" : kinds[random_choice(r, 4)];
    char at[64], box[128], own[192];
    double low = between(r, -4, 0) * s->dx, high = between(r, 1, 6) * s->dx, radius = size(s, r);
    place(s, r, at);
    snprintf(box, sizeof box, "from: %.5g %.5g %.5g, to: %.5g %.5g %.5g", low, low, high, high,
             high, 2 * high);
    if (strcmp(kind, "block") == 0)
        snprintf(own, sizeof own, "%s", box);
    else if (strcmp(kind, "rain") == 0)
        snprintf(own, sizeof own, "%s, radius: %.5g, rate: %.5g", box, 0.3 * radius,
                 random_choice(r, 500) + 1.0);
    else
        snprintf(own, sizeof own, "at: %s, radius: %.5g", at, radius);
    bool pane = s->solver == RV_SOLVER_GLASS;
    if (pane)
        add_line(s, "emitters", true, "kind: drop, %s", own);
    else
        add_line(s, "emitters", true, "kind: %s, %s, velocity: %.3g %.3g %.3g, start: %.3g", kind,
                 own, between(r, -2, 2), between(r, -2, 2), between(r, -2, 2),
                 random_choice(r, 2) ? 0.0 : 0.02);
}

// ---- Parameters ---------------------------------------------------------------------------------

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

// Those that say how much there is are left to the scene.
static bool may_set(const random_scene *s, const char *key)
{
    static const char *const own[] = {"pipes", "swe", "splat", "glass"};
    if (starts_with(key, "view.") || starts_with(key, "grid.") || strcmp(key, "solver") == 0 ||
        strcmp(key, "time.step") == 0 || strcmp(key, "splat.form") == 0)
        return false;
    for (int i = 0; i < 4; i++)
        if (starts_with(key, own[i]) && i != (int)s->solver) return false;
    return true;
}

static void word_of(const char *words, int which, char out[32])
{
    while (which-- > 0) words = strchr(words, '|') + 1;
    snprintf(out, 32, "%.*s", (int)strcspn(words, "|"), words);
}

static void set_random(random_scene *s, uint64_t *r, const rv_field_info *f)
{
    char text[64];
    bool end = random_choice(r, 12) == 0;
    double value = f->preset * pow(10, between(r, -1.5, 1.5));
    int words = 1;
    if (f->preset == 0) value = random_share(r) * fmin(f->high, 10 * s->dx);
    if (end) value = random_choice(r, 2) ? f->low : f->high;
    value = fmin(fmax(value, f->low), f->high);
    for (const char *c = f->words ? f->words : ""; *c; c++) words += *c == '|';
    if (f->type == RV_WORD)
        word_of(f->words, random_choice(r, words), text);
    else if (f->type == RV_FLAG)
        snprintf(text, sizeof text, "%s", random_choice(r, 2) ? "true" : "false");
    else if (f->type == RV_WHOLE)
        snprintf(text, sizeof text, "%d", (int)value);
    else if (f->type == RV_VECTOR)
        snprintf(text, sizeof text, "%.4g %.4g %.4g", 0.3 * value * between(r, -1, 1),
                 0.3 * value * between(r, -1, 1), -value);
    else
        snprintf(text, sizeof text, "%.9g", value);
    random_scene_set(s, f->key, text);
}

// ---- Whole scenes -------------------------------------------------------------------------------

static void set_number(random_scene *s, const char *key, double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.9g", value);
    random_scene_set(s, key, text);
}

static void begin(random_scene *s, rv_solver_kind solver, int nx, int ny, double dx)
{
    memset(s, 0, sizeof *s);
    s->solver = solver, s->nx = nx, s->ny = ny, s->dx = dx;
    set_number(s, "grid.top", 24 * dx);
}

void random_scene_make(random_scene *s, uint64_t seed)
{
    static const char *const forms[] = {"2d", "3d", "height"};
    static const double sides[] = {2e-4, 1e-3, 1e-3, 1e-2, 0.1};
    const rv_table *table = rv_params_table();
    uint64_t state = seed * 7919, *r = &state;
    rv_solver_kind solver = (rv_solver_kind)(random_choice(r, 7) / 2); // glass is rarer
    int form = random_choice(r, 3), nx = 6 + random_choice(r, 20), ny = 6 + random_choice(r, 16);
    bool pane = solver == RV_SOLVER_GLASS;
    if (solver == RV_SOLVER_SPLAT && form == 0) ny = 1;
    begin(s, solver, pane ? 3 * nx : nx, pane ? 3 * ny : ny, sides[random_choice(r, 5)]);
    s->steps = 12 + random_choice(r, 20);
    set_number(s, "time.step", pow(10, between(r, -3.3, -1.5)));
    if (solver == RV_SOLVER_SPLAT) random_scene_set(s, "splat.form", forms[form]);
    if (pane) set_number(s, "glass.drops", random_choice(r, 60));
    for (int n = 3 + random_choice(r, 9); n > 0; n--) {
        const rv_field_info *f = &table->fields[random_choice(r, table->count)];
        if (may_set(s, f->key)) set_random(s, r, f);
    }
    for (int n = pane ? 0 : 1 + random_choice(r, 6); n > 0; n--) add_solid(s, r);
    for (int n = pane ? 0 : random_choice(r, 4); n > 0; n--) add_liquid(s, r);
    for (int n = pane ? 0 : random_choice(r, 3); n > 0; n--) add_flow(s, r);
    for (int n = pane || form == 2 ? 0 : random_choice(r, 4); n > 0; n--) add_body(s, r);
    for (int n = pane ? 0 : random_choice(r, 3) / 2; n > 0; n--) add_edit(s, r);
    for (int n = random_choice(r, 3); n > 0; n--) add_emitter(s, r); // over columns droplets
}

const char *plain_scene_make(random_scene *s, int kind)
{
    static const char *const names[SCENE_KINDS] = {"pipes",    "swe",          "splat 2d",
                                                   "splat 3d", "splat height", "glass"};
    static const char *const forms[] = {"2d", "3d", "height"};
    static const rv_solver_kind solvers[SCENE_KINDS] = {RV_SOLVER_PIPES, RV_SOLVER_SWE,
                                                        RV_SOLVER_SPLAT, RV_SOLVER_SPLAT,
                                                        RV_SOLVER_SPLAT, RV_SOLVER_GLASS};
    bool splat = solvers[kind] == RV_SOLVER_SPLAT, pane = solvers[kind] == RV_SOLVER_GLASS;
    begin(s, solvers[kind], pane ? 48 : 14, kind == 2 ? 1 : pane ? 32 : 10, splat ? 0.01 : 1e-3);
    s->steps = 4;
    set_number(s, "time.step", 4e-3);
    if (splat) random_scene_set(s, "splat.form", forms[kind - 2]);
    if (pane) {
        set_number(s, "glass.drops", 20);
        set_number(s, "glass.rain", 1e5);
        add_line(s, "emitters", true, "kind: drop, at: 0 0 0, radius: 0.003");
        return names[kind];
    }
    double dx = s->dx;
    add_line(s, "solids", true, "shape: plane, at: 0 0 %.5g, normal: 0.1 0 1", 1.5 * dx);
    add_line(s, "solids", true, "shape: box, at: 0 0 %.5g, size: %.5g %.5g %.5g", 6 * dx, 5 * dx,
             4 * dx, 2 * dx);
    add_line(s, "fills", true, "kind: level, level: %.5g", 5.5 * dx);
    add_line(s, "sources", true, "at: 0 0 1, radius: %.5g, rate: %.5g", 2 * dx, 100 * dx * dx * dx);
    if (kind != 4)
        add_line(s, "bodies", true, "shape: sphere, at: %.5g 0 %.5g, radius: %.5g", 4 * dx, 9 * dx,
                 2 * dx);
    return names[kind];
}
