// A soak: every shipped scene runs for long while everything is done to it that a user could do, at
// random: parameters within their range, borders that change, pouring, stirring, drilling and
// building, bodies thrown in, snapshots taken and gone back to. Nothing may become NaN, no liquid
// may be lost, no memory may be held in the end and none may pile up on the way.
//
//     test_soak                  the short form: all scenes, small grids, part of a second each
//     test_soak --hours 1        a simulated hour of each scene: days of one processor
//     test_soak --hours 1 --budget 20    the same, but 20 s of wall clock of each at most
//     test_soak --scene bowl --seed 7 --seconds 12.5    one scene up to a moment, to find out why
//
// What is done depends on the scene and its seed alone, not on the clock, so a failure comes again.
#define _POSIX_C_SOURCE 200809L
#include "io/scene_file.h"

#include <math.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define EPOCH 1500        // steps after which a scene begins anew
#define CHECK 10          // steps between looks at everything
#define BODIES_MAX 8      // thrown in and not yet taken out
#define VOLUME_ERROR 1e-6 // of all that was there or came in
#define SHORT 120         // steps of the short form: the same on every machine that is fast enough
#define SMALL 2000        // cells, about, of a scene in the short form

typedef struct options {
    const char *scene;
    double seconds, budget; // of each scene: simulated, of wall clock
    int64_t steps;          // of each scene, at most
    unsigned long seed;
    int threads;
    bool small;
} options;

// ---- Memory -------------------------------------------------------------------------------------

static _Atomic int64_t held_bytes, peak_bytes;

static void *allocate(size_t bytes, void *user)
{
    rv_allocator plain = rv_default_allocator();
    void *memory = plain.allocate(bytes, plain.user);
    (void)user;
    if (!memory) return NULL;
    int64_t now = atomic_fetch_add(&held_bytes, (int64_t)bytes) + (int64_t)bytes;
    for (int64_t peak = atomic_load(&peak_bytes); now > peak;)
        if (atomic_compare_exchange_weak(&peak_bytes, &peak, now)) break;
    return memory;
}

static void release(void *memory, size_t bytes, void *user)
{
    rv_allocator plain = rv_default_allocator();
    (void)user;
    if (memory) atomic_fetch_sub(&held_bytes, (int64_t)bytes);
    plain.release(memory, bytes, plain.user);
}

// Memory of the process that is really there, MB; 0 where the system does not tell.
static double resident(void)
{
    long pages = 0, all = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file) return 0;
    if (fscanf(file, "%ld %ld", &all, &pages) != 2) pages = 0;
    fclose(file);
    return (double)pages * (double)sysconf(_SC_PAGESIZE) / 1e6;
}

static double wall(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// ---- One scene ----------------------------------------------------------------------------------

typedef struct soak {
    const options *options;
    const char *name;
    uint64_t random;
    rv_scene_file scene;
    rv_world *world;
    rv_surface *surface;
    rv_params own;       // the scene's
    rv_vec3 low, high;   // m, of the grid
    double first;        // m³, volume at the start
    void *start, *saved; // snapshots
    size_t start_size, saved_room;
    int thrown[BODIES_MAX], bodies; // numbers of bodies that are in
    double worst;                   // share of volume that was made or lost
    int64_t edits, pours, changes, throws, stirs, restores;
    int64_t half_bytes; // held at the end of an epoch, half-way
    double half_resident;
    char why[256]; // of the first failure; empty: none
} soak;

static double share(soak *s)
{
    s->random += 0x9e3779b97f4a7c15ull;
    uint64_t z = s->random;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static double between(soak *s, double low, double high)
{
    return low + (high - low) * share(s);
}

static int choice(soak *s, int count)
{
    return (int)(share(s) * count);
}

static rv_vec3 place(soak *s)
{
    double x = between(s, s->low.x, s->high.x), y = between(s, s->low.y, s->high.y);
    return (rv_vec3){x, y, between(s, s->low.z, s->high.z)};
}

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
blame(soak *s, const char *format, ...)
{
    if (s->why[0]) return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(s->why, sizeof s->why, format, arguments);
    va_end(arguments);
}

static rv_stats stats_of(const soak *s)
{
    rv_stats t;
    memset(&t, 0, sizeof t);
    rv_world_get_stats(s->world, &t);
    return t;
}

// ---- Parameters ---------------------------------------------------------------------------------

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

// Those that a user may turn while liquid runs; not those that only limit work or memory.
static bool may_turn(const char *key)
{
    static const char *const groups[] = {"liquid.", "pipes.", "border.", "spray.",
                                         "splat.",  "glass.", "swe.",    "gravity"};
    static const char *const not [] = {"pipes.neighbours", "pipes.iterations", "pipes.tolerance",
                                       "pipes.film",       "spray.droplets",   "splat.form",
                                       "splat.particles",  "splat.most",       "splat.volume",
                                       "splat.cells",      "glass.drops"};
    for (size_t i = 0; i < sizeof not / sizeof *not ; i++)
        if (strcmp(key, not [i]) == 0) return false;
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        if (starts_with(key, groups[i])) return true;
    return false;
}

// Around the scene's own value, over three powers of ten, and within the range.
static double turned(soak *s, const rv_field_info *f, double own)
{
    if (strstr(f->key, "_level")) return between(s, s->low.z, s->high.z);
    if (strstr(f->key, "_rate") && starts_with(f->key, "border."))
        return share(s) * 0.1 * s->first; // m³/s
    double value = own != 0 ? own * pow(10, between(s, -1.5, 1.5)) : share(s) * fmin(f->high, 1e-3);
    return fmin(fmax(value, f->low), f->high);
}

static int count_words(const char *words)
{
    int n = 1;
    for (; *words; words++) n += *words == '|';
    return n;
}

static void turn(soak *s, const rv_field_info *f, rv_params *p)
{
    char *at = (char *)p + f->offset;
    const char *own = (const char *)&s->own + f->offset;
    if (f->type == RV_REAL) {
        *(double *)(void *)at = turned(s, f, *(const double *)(const void *)own);
    } else if (f->type == RV_WHOLE) {
        double value = f->high - f->low < 10 ? f->low + choice(s, (int)(f->high - f->low) + 1)
                                             : turned(s, f, *(const int *)(const void *)own);
        *(int *)(void *)at = (int)value;
    } else if (f->type == RV_VECTOR) { // gravity: tilted by up to some 40 degrees
        rv_vec3 *to = (rv_vec3 *)(void *)at;
        double down = turned(s, f, 0.0 - ((const rv_vec3 *)(const void *)own)->z);
        *to = (rv_vec3){down * between(s, -0.6, 0.6), down * between(s, -0.6, 0.6), 0.0 - down};
        if (choice(s, 2) == 0) to->x = to->y = 0;
    } else if (f->type == RV_FLAG) {
        *(bool *)at = choice(s, 2) == 0;
    } else if (f->type == RV_WORD) {
        *(int *)(void *)at = choice(s, count_words(f->words));
    }
}

// One parameter in six is turned, the others are the scene's. What does not suit the solver is
// refused as a whole, and nothing happens.
static void turn_params(soak *s)
{
    const rv_table *table = rv_params_table();
    rv_params p = s->own;
    for (int i = 0; i < table->count; i++)
        if (may_turn(table->fields[i].key) && choice(s, 6) == 0) turn(s, &table->fields[i], &p);
    if (p.spray_smallest > p.spray_largest) p.spray_smallest = p.spray_largest;
    s->changes += rv_world_set_params(s->world, &p, NULL) == RV_OK;
}

static void turn_borders(soak *s)
{
    rv_params p = *rv_world_params(s->world);
    p.border_west = (rv_border)choice(s, 4), p.border_east = (rv_border)choice(s, 4);
    p.border_south = (rv_border)choice(s, 4), p.border_north = (rv_border)choice(s, 4);
    p.border_west_rate = p.border_north_rate = share(s) * 0.1 * s->first;
    p.border_east_level = p.border_south_level = between(s, s->low.z, s->high.z);
    s->changes += rv_world_set_params(s->world, &p, NULL) == RV_OK;
}

// ---- What a user does ---------------------------------------------------------------------------

static void pour(soak *s)
{
    double volume = share(s) * 0.02 * s->first;
    s->pours += rv_world_pour(s->world, place(s), between(s, 0, 6) * s->own.grid_dx, volume) > 0;
}

static void edit(soak *s)
{
    rv_solid_def tool = rv_default_solid_def();
    rv_event_def event = rv_default_event_def();
    double dx = s->own.grid_dx;
    rv_vec3 path[2] = {place(s)};
    path[1] = path[0];
    path[1].x += between(s, -5, 5) * dx, path[1].y += between(s, -5, 5) * dx;
    tool.shape = choice(s, 2) == 0 ? RV_SHAPE_SPHERE : RV_SHAPE_BOX;
    tool.radius = between(s, 0.6, 3) * dx;
    tool.size = (rv_vec3){between(s, 1, 6) * dx, between(s, 1, 6) * dx, between(s, 1, 6) * dx};
    event.kind = choice(s, 3) == 0 ? RV_EVENT_ADD : RV_EVENT_CARVE;
    event.tool = &tool, event.tool_count = 1;
    event.path = path, event.path_count = 1 + choice(s, 2);
    rv_result r = rv_world_edit(s->world, &event, NULL, NULL);
    if (r == RV_OUT_OF_MEMORY) blame(s, "no memory for an edit");
    s->edits += r == RV_OK;
}

static void stir(soak *s)
{
    rv_vec3 from = place(s), to = from;
    double reach = 3 * s->own.grid_dx;
    to.x += between(s, -reach, reach), to.y += between(s, -reach, reach);
    s->stirs += rv_world_stir(s->world, from, to, between(s, 1, 5) * s->own.grid_dx,
                              s->own.time_step) == RV_OK;
}

static void take_out(soak *s, int which)
{
    rv_world_remove_body(s->world, s->thrown[which]); // it may have left over a border already
    s->thrown[which] = s->thrown[--s->bodies];
}

static void throw_body(soak *s)
{
    rv_body_def body = rv_default_body_def();
    double dx = s->own.grid_dx;
    if (s->bodies == BODIES_MAX) take_out(s, choice(s, BODIES_MAX));
    body.shape = choice(s, 2) == 0 ? RV_BODY_SPHERE : RV_BODY_BOX;
    body.at = place(s), body.at.z = s->high.z + between(s, 0, 5) * dx;
    body.radius = between(s, 1, 4) * dx;
    body.size = (rv_vec3){between(s, 2, 7) * dx, between(s, 2, 7) * dx, between(s, 2, 7) * dx};
    body.density = pow(10, between(s, 1.5, 4));
    body.velocity = (rv_vec3){between(s, -1, 1), between(s, -1, 1), between(s, -1, 0)};
    body.spin = (rv_vec3){between(s, -9, 9), between(s, -9, 9), between(s, -9, 9)};
    int number;
    if (rv_world_add_body(s->world, &body, &number, NULL) != RV_OK) return;
    s->thrown[s->bodies++] = number;
    s->throws++;
}

static void save_and_restore(soak *s)
{
    size_t size = rv_world_snapshot_size(s->world);
    if (size > s->saved_room) {
        free(s->saved);
        s->saved = malloc(size), s->saved_room = s->saved ? size : 0;
    }
    uint64_t hash = rv_world_hash(s->world);
    rv_messages messages = {0};
    if (!s->saved || rv_world_save(s->world, s->saved, size) != RV_OK)
        blame(s, "a snapshot could not be saved");
    else if (rv_world_restore(s->world, s->saved, size, &messages) != RV_OK)
        blame(s, "a snapshot could not be restored: %.150s", messages.text);
    else if (rv_world_hash(s->world) != hash)
        blame(s, "a restored snapshot is not what was saved");
    s->restores++;
}

static void act(soak *s)
{
    if (choice(s, 60) == 0) turn_params(s);
    if (choice(s, 50) == 0) turn_borders(s);
    if (choice(s, 12) == 0) pour(s);
    if (choice(s, 25) == 0) edit(s);
    if (choice(s, 10) == 0) stir(s);
    if (choice(s, 60) == 0) throw_body(s);
    if (choice(s, 90) == 0 && s->bodies > 0) take_out(s, choice(s, s->bodies));
    if (choice(s, 150) == 0) save_and_restore(s);
    // solvers without columns have none
    if (choice(s, 40) == 0 && (s->surface || rv_surface_create(s->world, &s->surface) == RV_OK)) {
        rv_result r = rv_surface_update(s->surface, s->world);
        if (r == RV_OUT_OF_MEMORY) blame(s, "no memory for the surface");
    }
}

// ---- What must hold -----------------------------------------------------------------------------

static void check_columns(soak *s)
{
    rv_columns c;
    if (rv_world_get_columns(s->world, &c) != RV_OK) return;
    for (size_t i = 0; i < c.slots; i++) {
        if (!(c.max[i] > c.base[i])) continue;
        if (!(c.depth[i] >= 0)) blame(s, "a depth of %g m", (double)c.depth[i]);
        // particles over a column may stand higher than its ceiling
        if (s->own.solver == RV_SOLVER_SPLAT) continue;
        // swe is seen from above: it knows no ceilings but the top of the grid
        float ceiling = s->own.solver == RV_SOLVER_SWE ? (float)c.top : c.max[i];
        if (!(c.depth[i] <= (ceiling - c.base[i]) * 1.000001f))
            blame(s, "a level %g m above its ceiling",
                  (double)c.depth[i] - (double)(ceiling - c.base[i]));
    }
}

static void check_bodies(soak *s)
{
    for (int i = 0; i < s->bodies; i++) {
        rv_body_state b;
        if (rv_world_get_body(s->world, s->thrown[i], NULL, &b) != RV_OK) continue;
        double sum = b.at.x + b.at.y + b.at.z + b.velocity.x + b.velocity.y + b.velocity.z;
        if (!isfinite(sum)) blame(s, "a body that is nowhere");
    }
}

static void check(soak *s)
{
    rv_stats t = stats_of(s);
    double most = s->first + t.sourced, all = t.volume + t.held + t.airborne;
    double error = fabs(all - (s->first + t.sourced - t.drained)) / (most > 0 ? most : 1);
    if (error > s->worst) s->worst = error;
    if (!(error <= VOLUME_ERROR))
        blame(s, "volume off by %.3g of %.3g m3 (now %.6g, in %.6g, out %.6g)", error, most, all,
              t.sourced, t.drained);
    if (t.not_finite > 0) blame(s, "%lld columns not finite", (long long)t.not_finite);
    if (!isfinite(t.fastest) || !isfinite(t.deepest)) blame(s, "a speed or depth not finite");
    check_columns(s);
    check_bodies(s);
}

// ---- Running ------------------------------------------------------------------------------------

static void begin_anew(soak *s)
{
    while (s->bodies > 0) take_out(s, s->bodies - 1);
    rv_messages messages = {0};
    if (rv_world_set_params(s->world, &s->own, &messages) != RV_OK)
        blame(s, "the scene's own parameters were refused: %.150s", messages.text);
    if (rv_world_restore(s->world, s->start, s->start_size, &messages) != RV_OK)
        blame(s, "the start was not restored: %.150s", messages.text);
}

static bool open_scene(soak *s, rv_pool *pool, rv_messages *messages)
{
    rv_form_work work = rv_default_form_work();
    work.pool = pool;
    if (!rv_scene_load(s->name, &s->scene, messages)) return false;
    rv_params *p = &s->scene.params;
    double cells = (double)p->grid_nx * p->grid_ny;
    int coarser = s->options->small && cells > SMALL ? (int)ceil(sqrt(cells / SMALL)) : 1;
    p->grid_nx = (p->grid_nx + coarser - 1) / coarser;
    p->grid_ny = (p->grid_ny + coarser - 1) / coarser;
    p->grid_dx *= coarser;
    if (!rv_scene_load_forms(&s->scene, &work, messages)) return false;
    rv_world_def def = rv_scene_world_def(&s->scene);
    def.allocator = (rv_allocator){allocate, release, NULL}, def.pool = pool;
    if (rv_world_create(&def, &s->world, messages) != RV_OK) return false;
    s->own = *p;
    double wide = 0.5 * p->grid_nx * p->grid_dx, deep = 0.5 * p->grid_ny * p->grid_dx;
    s->low = (rv_vec3){p->grid_x - wide, p->grid_y - deep, p->grid_bottom};
    s->high = (rv_vec3){p->grid_x + wide, p->grid_y + deep, p->grid_top};
    s->first = stats_of(s).volume;
    s->start_size = rv_world_snapshot_size(s->world);
    s->start = malloc(s->start_size);
    return s->start && rv_world_save(s->world, s->start, s->start_size) == RV_OK;
}

static void close_scene(soak *s)
{
    rv_surface_destroy(s->surface);
    rv_world_destroy(s->world);
    rv_scene_free(&s->scene);
    free(s->start);
    free(s->saved);
    int64_t left = atomic_load(&held_bytes);
    if (left != 0) blame(s, "%lld bytes were never given back", (long long)left);
    atomic_store(&held_bytes, 0);
}

// What is held at the end must be about what was held half-way: room grows to what is needed, and
// then no more.
static void check_growth(soak *s, double part)
{
    int64_t now = atomic_load(&held_bytes);
    double process = resident();
    if (s->half_bytes == 0 && part >= 0.5) s->half_bytes = now, s->half_resident = process;
    if (s->half_bytes == 0 || part < 0.9) return;
    if ((double)now > 1.5 * (double)s->half_bytes + 4e6)
        blame(s, "memory grew from %.1f to %.1f MB", (double)s->half_bytes / 1e6,
              (double)now / 1e6);
    if (process > 1.5 * s->half_resident + 16)
        blame(s, "the process grew from %.0f to %.0f MB", s->half_resident, process);
}

// Returns the simulated seconds.
static double run(soak *s, int64_t *steps)
{
    const options *o = s->options;
    double began = wall(), simulated = 0;
    for (*steps = 0; !s->why[0] && simulated < o->seconds && *steps < o->steps; ++*steps) {
        double part = fmax(simulated / o->seconds, (wall() - began) / o->budget);
        if (part >= 1) break;
        if (*steps % EPOCH == EPOCH - 1) {
            begin_anew(s);
            check_growth(s, part);
        }
        act(s);
        double dt = s->own.time_step * between(s, 0.5, 1.5);
        rv_result r = rv_world_step(s->world, dt);
        if (r != RV_OK) blame(s, "a step failed: %s", rv_result_text(r));
        simulated += dt;
        if (*steps % CHECK == 0) check(s);
    }
    check(s);
    return simulated;
}

// Of all scenes.
typedef struct totals {
    double simulated, wall, worst, left; // s; of volume; s that the hour would still take
    int64_t steps, edits, changes, throws, restores;
    int whole; // scenes that ran as long as was asked for
} totals;

static void add_up(totals *t, const soak *s, double simulated, double wall_s, int64_t steps)
{
    double asked = s->options->seconds;
    t->simulated += simulated, t->wall += wall_s, t->worst = fmax(t->worst, s->worst);
    t->steps += steps, t->edits += s->edits, t->changes += s->changes;
    t->throws += s->throws, t->restores += s->restores;
    t->whole += simulated >= asked;
    if (simulated > 0 && simulated < asked) t->left += wall_s * (asked / simulated - 1);
}

static void print_totals(const totals *t, const options *o, int scenes)
{
    printf("%d scenes, seed %lu: %.2f simulated hours in %.2f, %lld steps, %lld edits, %lld "
           "changes, %lld bodies, %lld restores; volume to %.1e; most memory %.1f MB\n",
           scenes, o->seed, t->simulated / 3600, t->wall / 3600, (long long)t->steps,
           (long long)t->edits, (long long)t->changes, (long long)t->throws, (long long)t->restores,
           t->worst, (double)atomic_load(&peak_bytes) / 1e6);
    if (t->left > 0)
        printf("%d of them ran for all of %g s; the rest would take %.1f hours more\n", t->whole,
               o->seconds, t->left / 3600);
}

static bool soak_scene(const options *o, const char *name, rv_pool *pool, totals *all)
{
    rv_messages messages = {0};
    soak s = {.options = o, .name = name, .random = o->seed * 7919};
    double began = wall(), simulated = 0;
    int64_t steps = 0;
    for (const char *c = name; *c; c++) s.random = s.random * 31 + (unsigned char)*c;
    if (open_scene(&s, pool, &messages))
        simulated = run(&s, &steps);
    else
        blame(&s, "not made: %.200s", messages.text);
    double megabytes = (double)atomic_load(&held_bytes) / 1e6;
    add_up(all, &s, simulated, wall() - began, steps);
    close_scene(&s);
    printf("%-18s %7.1f s in %5.1f s, %6lld steps, %4lld edits, %3lld changes, %3lld bodies, "
           "%3lld restores, %6.1f MB, volume to %.1e%s\n",
           name, simulated, wall() - began, (long long)steps, (long long)s.edits,
           (long long)s.changes, (long long)s.throws, (long long)s.restores, megabytes, s.worst,
           s.why[0] ? "  FAILED" : "");
    if (s.why[0])
        printf("  %s at %.4f s: %s\n  again: test_soak --scene %s --seed %lu --seconds %.4f%s\n",
               name, simulated, s.why, name, o->seed, simulated, o->small ? " --small" : "");
    fflush(stdout);
    return !s.why[0];
}

static int soak_all(const options *o)
{
    rv_scene_names names;
    rv_messages messages = {0};
    int failed = 0;
    if (!rv_scene_names_list(&names, &messages)) {
        fprintf(stderr, "%s\n", messages.text);
        return 2;
    }
    printf("seed %lu; up to %g simulated seconds and %g s of wall clock a scene%s\n", o->seed,
           o->seconds, o->budget, o->small ? "; small grids" : "");
    rv_pool *pool = rv_pool_create(o->threads);
    totals all = {0};
    int scenes = 0;
    for (int i = 0; i < names.count; i++) {
        if (o->scene && strcmp(names.name[i], o->scene) != 0) continue;
        failed += !soak_scene(o, names.name[i], pool, &all);
        scenes++;
    }
    print_totals(&all, o, scenes);
    rv_pool_destroy(pool);
    rv_scene_names_free(&names);
    return failed > 0;
}

int main(int argc, char **argv)
{
    options o = {.seconds = 3600, .budget = 1, .seed = 1, .threads = 2, .small = argc < 2};
    bool budget = false;
    o.steps = o.small ? SHORT : INT64_MAX;
    for (int i = 1; i < argc; i++) {
        const char *name = argv[i], *value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(name, "--small") == 0) {
            o.small = true;
            continue;
        }
        i++;
        if (strcmp(name, "--hours") == 0)
            o.seconds = 3600 * strtod(value, NULL);
        else if (strcmp(name, "--seconds") == 0)
            o.seconds = strtod(value, NULL);
        else if (strcmp(name, "--budget") == 0)
            o.budget = strtod(value, NULL), budget = true;
        else if (strcmp(name, "--seed") == 0)
            o.seed = strtoul(value, NULL, 10);
        else if (strcmp(name, "--threads") == 0)
            o.threads = (int)strtol(value, NULL, 10);
        else if (strcmp(name, "--scene") == 0)
            o.scene = value;
        else {
            fprintf(stderr, "test_soak: unknown option %s\n", name);
            return 2;
        }
    }
    if (argc > 1 && !budget) o.budget = 1e9;
    if (!(o.seconds > 0) || !(o.budget > 0) || o.threads < 1) {
        fprintf(stderr, "test_soak: a time or a number of threads that makes no sense\n");
        return 2;
    }
    return soak_all(&o);
}
