// A soak: every shipped scene runs for long while everything is done to it that a user could do, at
// random (soak_acts.h). Nothing may become NaN, no liquid may be lost, no memory may be held in the
// end and none may pile up on the way.
//
//     test_soak                  the short form: all scenes, small grids, part of a second each
//     test_soak --hours 1 --calm 60 --cells 400    a simulated hour of each scene
//     test_soak --hours 1 --budget 20    20 s of wall clock of each at most
//     test_soak --scene bowl --seed 7 --seconds 12.5    one scene up to a moment, to find out why
//
// With --calm a burst of a few hundred steps is followed by that many seconds of the scene's own
// parameters, in long steps, in which liquid comes to rest and mostly sleeps: as worlds do that are
// left on. Then the scene begins anew. Parameters at the ends of their ranges make steps so small
// that an hour of bursts alone would take days.
//
// What is done depends on the scene and its seed alone, not on the clock, so a failure comes again.
#define _POSIX_C_SOURCE 200809L
#include "io/scene_file.h"
#include "soak_acts.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define EPOCH 1500        // steps after which a scene begins anew, without calm spells
#define BURST 200         // steps of a burst before a calm spell
#define CALM_STEP 0.05    // s, about, of a step of one
#define CHECK 10          // steps between looks at everything
#define VOLUME_ERROR 1e-6 // of all that was there or came in, in …
#define VOLUME_STEPS 1e4  // … so many of the scene's own steps since it began
#define SHORT 120         // steps of the short form: the same on every machine that is fast enough
#define SMALL 2000        // cells, about, of a scene in the short form and with --small

typedef struct options {
    const char *scene;
    double seconds, budget; // of each scene: simulated, of wall clock
    double calm;            // s, simulated, of a calm spell; 0: none
    double cells;           // of a scene, at most, about; 0: as many as it has
    int64_t steps;          // of each scene, at most
    unsigned long seed;
    int threads;
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

// ---- What must hold -----------------------------------------------------------------------------

static void check_columns(soak *s)
{
    rv_columns c;
    if (rv_world_get_columns(s->world, &c) != RV_OK) return;
    for (size_t i = 0; i < c.slots; i++) {
        if (!(c.max[i] > c.base[i])) continue;
        if (!(c.depth[i] >= 0)) soak_blame(s, "a depth of %g m", (double)c.depth[i]);
        // particles over a column may stand higher than its ceiling
        if (s->own.solver == RV_SOLVER_SPLAT) continue;
        // swe is seen from above: it knows no ceilings but the top of the grid
        float ceiling = s->own.solver == RV_SOLVER_SWE ? (float)c.top : c.max[i];
        if (!(c.depth[i] <= (ceiling - c.base[i]) * 1.000001f))
            soak_blame(s, "a level %g m above its ceiling",
                       (double)c.depth[i] - (double)(ceiling - c.base[i]));
    }
}

static void check_bodies(soak *s)
{
    for (int i = 0; i < s->bodies; i++) {
        rv_body_state b;
        if (rv_world_get_body(s->world, s->thrown[i], NULL, &b) != RV_OK) continue;
        double sum = b.at.x + b.at.y + b.at.z + b.velocity.x + b.velocity.y + b.velocity.z;
        if (!isfinite(sum)) soak_blame(s, "a body that is nowhere");
    }
}

static void check(soak *s)
{
    rv_stats t = soak_stats(s);
    double walk = rounding_most(&s->walk, s->world, t.all_substeps);
    double most = s->first + t.sourced, all = t.volume + t.held + t.airborne + t.dew;
    double error = fabs(all - (s->first + t.sourced - t.drained)) / (most > 0 ? most : 1);
    if (error > s->worst) s->worst = error;
    double steps = t.time / (VOLUME_STEPS * s->own.time_step);
    if (!(error <= fmax(VOLUME_ERROR * fmax(1, steps), walk)))
        soak_blame(s, "volume off by %.3g of %.3g m3 (now %.6g, in %.6g, out %.6g)", error, most,
                   all, t.sourced, t.drained);
    if (t.not_finite > 0) soak_blame(s, "%lld columns not finite", (long long)t.not_finite);
    if (!isfinite(t.fastest) || !isfinite(t.deepest)) soak_blame(s, "a speed or depth not finite");
    check_columns(s);
    check_bodies(s);
}

// ---- Running ------------------------------------------------------------------------------------

static void begin_anew(soak *s)
{
    rv_messages messages = {0};
    soak_calm(s);
    s->walk.steps = 0;
    if (rv_world_restore(s->world, s->start, s->start_size, &messages) != RV_OK)
        soak_blame(s, "the start was not restored: %.150s", messages.text);
}

// Particles in a plane have cells one above the other.
static double count_cells(const rv_params *p)
{
    double across = p->grid_ny;
    if (p->solver == RV_SOLVER_SPLAT && p->splat_form == RV_SPLAT_2D)
        across = (p->grid_top - p->grid_bottom) / p->grid_dx;
    return p->grid_nx * across;
}

static bool open_scene(soak *s, const options *o, const char *name, rv_scene_file *scene,
                       rv_pool *pool, rv_messages *messages)
{
    rv_form_work work = rv_default_form_work();
    work.pool = pool;
    if (!rv_scene_load(name, scene, messages)) return false;
    rv_params *p = &scene->params;
    double cells = count_cells(p);
    int coarser = o->cells > 0 && cells > o->cells ? (int)ceil(sqrt(cells / o->cells)) : 1;
    p->grid_nx = (p->grid_nx + coarser - 1) / coarser;
    p->grid_ny = (p->grid_ny + coarser - 1) / coarser;
    p->grid_dx *= coarser;
    if (!rv_scene_load_forms(scene, &work, messages)) return false;
    rv_world_def def = rv_scene_world_def(scene);
    def.allocator = (rv_allocator){allocate, release, NULL}, def.pool = pool;
    if (rv_world_create(&def, &s->world, messages) != RV_OK) return false;
    s->own = *p;
    double wide = 0.5 * p->grid_nx * p->grid_dx, deep = 0.5 * p->grid_ny * p->grid_dx;
    s->low = (rv_vec3){p->grid_x - wide, p->grid_y - deep, p->grid_bottom};
    s->high = (rv_vec3){p->grid_x + wide, p->grid_y + deep, p->grid_top};
    rv_stats t = soak_stats(s);
    s->first = t.volume + t.held + t.airborne + t.dew;
    s->start_size = rv_world_snapshot_size(s->world);
    s->start = malloc(s->start_size);
    return s->start && rv_world_save(s->world, s->start, s->start_size) == RV_OK;
}

static void close_scene(soak *s, rv_scene_file *scene)
{
    rv_surface_destroy(s->surface);
    rv_world_destroy(s->world);
    rv_scene_free(scene);
    free(s->start);
    free(s->saved);
    int64_t left = atomic_load(&held_bytes);
    if (left != 0) soak_blame(s, "%lld bytes were never given back", (long long)left);
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
    if ((double)now > 1.5 * (double)s->half_bytes + 8e6)
        soak_blame(s, "memory grew from %.1f to %.1f MB", (double)s->half_bytes / 1e6,
                   (double)now / 1e6);
    if (process > 1.5 * s->half_resident + 16)
        soak_blame(s, "the process grew from %.0f to %.0f MB", s->half_resident, process);
}

// Where a scene is in its bursts and calm spells.
typedef struct spell {
    int steps;   // of this burst, or since the scene began anew
    double calm; // s left of a calm spell; 0: a burst
} spell;

// What is done before a step; how long that is, s.
static double before_step(soak *s, const options *o, spell *now, double part)
{
    if (now->calm > 0) {
        double dt = CALM_STEP * soak_between(s, 0.5, 1.5);
        soak_touch(s);
        now->calm -= dt;
        return dt;
    }
    if (now->steps == (o->calm > 0 ? 0 : EPOCH - 1)) {
        if (now->steps == 0) soak_save_and_restore(s);
        begin_anew(s);
        check_growth(s, part);
        now->steps = 0;
    }
    soak_act(s);
    if (++now->steps == BURST && o->calm > 0) {
        soak_calm(s);
        *now = (spell){0, o->calm};
    }
    return s->own.time_step * soak_between(s, 0.5, 1.5);
}

// Returns the simulated seconds.
static double run(soak *s, const options *o, int64_t *steps)
{
    double began = wall(), simulated = 0;
    spell now = {0};
    for (*steps = 0; !s->why[0] && simulated < o->seconds && *steps < o->steps; ++*steps) {
        double part = fmax(simulated / o->seconds, (wall() - began) / o->budget);
        if (part >= 1) break;
        double dt = before_step(s, o, &now, part);
        rv_result r = rv_world_step(s->world, dt);
        if (r != RV_OK) soak_blame(s, "a step failed: %s", rv_result_text(r));
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

static void add_up(totals *t, const soak *s, double asked, double simulated, double wall_s,
                   int64_t steps)
{
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
    rv_scene_file scene = {0};
    soak s = {.random = o->seed * 7919};
    double began = wall(), simulated = 0;
    int64_t steps = 0;
    for (const char *c = name; *c; c++) s.random = s.random * 31 + (unsigned char)*c;
    if (open_scene(&s, o, name, &scene, pool, &messages))
        simulated = run(&s, o, &steps);
    else
        soak_blame(&s, "not made: %.200s", messages.text);
    double megabytes = (double)atomic_load(&held_bytes) / 1e6;
    add_up(all, &s, o->seconds, simulated, wall() - began, steps);
    close_scene(&s, &scene);
    printf("%-18s %7.1f s in %5.1f s, %6lld steps, %4lld edits, %3lld changes, %3lld bodies, "
           "%3lld restores, %6.1f MB, volume to %.1e%s\n",
           name, simulated, wall() - began, (long long)steps, (long long)s.edits,
           (long long)s.changes, (long long)s.throws, (long long)s.restores, megabytes, s.worst,
           s.why[0] ? "  FAILED" : "");
    if (s.why[0])
        printf("  %s at %.4f s: %s\n  again: test_soak --scene %s --seed %lu --seconds %.4f "
               "--cells %g --calm %g\n",
               name, simulated, s.why, name, o->seed, simulated, o->cells, o->calm);
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
    printf("seed %lu; up to %g simulated seconds and %g s of wall clock a scene", o->seed,
           o->seconds, o->budget);
    if (o->cells > 0) printf("; about %g cells", o->cells);
    if (o->calm > 0) printf("; bursts of %d steps, then %g s of calm", BURST, o->calm);
    puts("");
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
    options o = {.seconds = 3600, .budget = 1, .seed = 1, .threads = 2};
    bool budget = false;
    o.steps = argc < 2 ? SHORT : INT64_MAX;
    o.cells = argc < 2 ? SMALL : 0;
    for (int i = 1; i < argc; i++) {
        const char *name = argv[i], *value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(name, "--small") == 0) {
            o.cells = SMALL;
            continue;
        }
        i++;
        if (strcmp(name, "--hours") == 0)
            o.seconds = 3600 * strtod(value, NULL);
        else if (strcmp(name, "--seconds") == 0)
            o.seconds = strtod(value, NULL);
        else if (strcmp(name, "--calm") == 0)
            o.calm = strtod(value, NULL);
        else if (strcmp(name, "--cells") == 0)
            o.cells = strtod(value, NULL);
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
    if (!(o.seconds > 0) || !(o.budget > 0) || !(o.calm >= 0) || !(o.cells >= 0) || o.threads < 1) {
        fprintf(stderr, "test_soak: a time or a number of threads that makes no sense\n");
        return 2;
    }
    return soak_all(&o);
}
