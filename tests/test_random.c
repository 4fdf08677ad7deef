// Random scenes and parameters at the ends of their ranges, each in a process of its own: a scene
// runs, or is refused with a line; nothing crashes or hangs, nothing becomes infinite, no liquid is
// made or lost, a restored world goes on as the one that was saved, and threads change nothing.
//
//     test_random                            the short form, as `make test` runs it
//     test_random --seeds 1 2000             random scenes of these seeds
//     test_random --ends                     every parameter at both ends, over every solver
//     test_random --pairs 1 500              two of them at once, chosen by these seeds
//     test_random --seeds 7 7 --print        what a scene looks like
//     test_random --seeds 1 99 --told        why scenes are refused
//     test_random --file FAILED.yaml --steps 9    a scene that was written out, again
//
// A scene that fails is made smaller for as long as it still fails, and written to the folder the
// program runs in, or that of --out.
#define _POSIX_C_SOURCE 200809L
#include "io/scene_file.h"
#include "random_scene.h"
#include "rounding_walk.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define VOLUME_ERROR 1e-6                // of all that was there or came in
#define MEMORY_MOST ((int64_t)256 << 20) // bytes, of a world; it is refused more
#define OWN_CODE 40                      // a child that came to an end says this and a verdict
#define TRIES_MOST 400                   // to make a failing scene smaller
#define SHORT_SEEDS 16
#define SHORT_SECONDS 2 // of processor time, that one of these may take
#define SHORT_PAIRS 12
#define SHORT_STRIDE 7 // of the short form: every seventh parameter at an end

// How a scene ended.
typedef enum verdict { FINE, REFUSED, SLOW, FAILED } verdict;

typedef struct options {
    const char *out, *file;
    int seconds; // of processor time, that a scene may take
    int steps;
    bool told;  // what refused scenes were told is printed
    bool print; // scenes are printed, not run
} options;

typedef struct tally {
    int runs, ended[4];
} tally;

// ---- One scene, in the child --------------------------------------------------------------------

static _Atomic int64_t held_bytes;

static void *allocate(size_t bytes, void *user)
{
    rv_allocator plain = rv_default_allocator();
    (void)user;
    if (atomic_fetch_add(&held_bytes, (int64_t)bytes) + (int64_t)bytes > MEMORY_MOST) {
        atomic_fetch_sub(&held_bytes, (int64_t)bytes);
        return NULL;
    }
    return plain.allocate(bytes, plain.user);
}

static void release(void *memory, size_t bytes, void *user)
{
    rv_allocator plain = rv_default_allocator();
    (void)user;
    atomic_fetch_sub(&held_bytes, (int64_t)bytes);
    plain.release(memory, bytes, plain.user);
}

// Why it failed, on the way to the parent.
static verdict blame(const char *why, double value)
{
    fprintf(stderr, "%s (%.6g)\n", why, value);
    return FAILED;
}

static verdict check_columns(const rv_world *world)
{
    rv_columns c;
    if (rv_world_get_columns(world, &c) != RV_OK) return FINE;
    for (size_t i = 0; i < c.slots; i++) {
        if (!(c.max[i] > c.base[i])) continue;
        if (!(c.depth[i] >= 0.0f)) return blame("a depth under 0", (double)c.depth[i]);
        if (!isfinite(c.depth[i])) return blame("a depth without end", (double)c.depth[i]);
    }
    return FINE;
}

static verdict check_bodies(const rv_world *world)
{
    for (int i = 0; i < rv_world_body_count(world); i++) {
        rv_body_state b;
        if (rv_world_get_body(world, i, NULL, &b) != RV_OK) continue;
        double sum = b.at.x + b.at.y + b.at.z + b.velocity.x + b.velocity.y + b.velocity.z;
        if (!isfinite(sum)) return blame("a body that is nowhere", sum);
    }
    return FINE;
}

static verdict check_world(const rv_world *world, double first, rounding_walk *walk)
{
    rv_stats t;
    rv_world_get_stats(world, &t);
    double most = first + t.sourced, all = t.volume + t.held + t.airborne + t.dew;
    if (!isfinite(all) || !isfinite(t.fastest) || !isfinite(t.deepest))
        return blame("a number that is not finite", all + t.fastest + t.deepest);
    if (t.not_finite > 0) return blame("columns or particles not finite", (double)t.not_finite);
    double error = fabs(all - (first + t.sourced - t.drained)) / (most > 0 ? most : 1);
    double rounded = rounding_most(walk, world, t.all_substeps);
    // where the pressure in full passages was not found the user is told that volume may be off
    if (!(error <= fmax(VOLUME_ERROR, rounded)) && t.unsolved == 0)
        return blame("volume made or lost", error);
    verdict v = check_columns(world);
    return v == FINE ? check_bodies(world) : v;
}

static verdict run_steps(rv_world *world, double dt, int steps, double first)
{
    rounding_walk walk = {0};
    verdict v = check_world(world, first, &walk);
    for (int i = 0; v == FINE && i < steps; i++) {
        rv_result r = rv_world_step(world, dt);
        if (r == RV_OUT_OF_MEMORY) return REFUSED;
        if (r != RV_OK) return blame("a step failed", r);
        v = check_world(world, first, &walk);
    }
    return v;
}

// A twin goes on from the snapshot of the first, with threads.
static verdict check_restart(rv_world *world, rv_world *twin, double dt)
{
    rv_messages messages = {0};
    size_t size = rv_world_snapshot_size(world);
    void *bytes = malloc(size);
    if (!bytes || rv_world_save(world, bytes, size) != RV_OK) return blame("not saved", 0);
    rv_result r = rv_world_restore(twin, bytes, size, &messages);
    free(bytes);
    if (r == RV_OUT_OF_MEMORY) return REFUSED;
    if (r != RV_OK) return fprintf(stderr, "not restored: %s\n", messages.text), FAILED;
    for (int i = 0; i < 3; i++) {
        rv_result a = rv_world_step(world, dt), b = rv_world_step(twin, dt);
        if (a != b) return blame("a restored world has another result", b);
        if (a != RV_OK) return REFUSED;
        if (rv_world_hash(world) != rv_world_hash(twin))
            return blame("a restored world goes on differently, after steps", i + 1);
    }
    return FINE;
}

// What is refused must say why.
static verdict refused(const rv_messages *messages, rv_result result)
{
    if (messages->count == 0) return blame("refused without a line", result);
    fprintf(stderr, "%s\n", messages->text);
    return REFUSED;
}

static verdict run_scene(const char *text, int steps)
{
    rv_scene_file scene;
    rv_messages messages = {0};
    rv_form_work work = rv_default_form_work();
    rv_world *world = NULL, *twin = NULL;
    if (!rv_scene_load_memory(text, strlen(text), "random.yaml", &scene, &messages) ||
        !rv_scene_load_forms(&scene, &work, &messages))
        return refused(&messages, RV_BAD_DATA);
    rv_world_def def = rv_scene_world_def(&scene);
    def.allocator = (rv_allocator){allocate, release, NULL};
    rv_result r = rv_world_create(&def, &world, &messages);
    if (r != RV_OK) return refused(&messages, r);
    rv_stats stats;
    rv_world_get_stats(world, &stats);
    double dt = scene.params.time_step,
           first = stats.volume + stats.held + stats.airborne + stats.dew;
    verdict v = run_steps(world, dt, steps, first);
    def.pool = rv_pool_create(3);
    if (v == FINE && rv_world_create(&def, &twin, NULL) == RV_OK)
        v = check_restart(world, twin, dt);
    rv_world_destroy(world);
    rv_world_destroy(twin);
    rv_pool_destroy(def.pool);
    rv_scene_free(&scene);
    if (v == FINE && atomic_load(&held_bytes) != 0)
        v = blame("bytes never given back", (double)atomic_load(&held_bytes));
    return v;
}

// ---- … and from outside -------------------------------------------------------------------------

// What a process printed to `from`, its end last.
static void read_all(int from, char *why, size_t size)
{
    size_t had = 0;
    ssize_t got;
    char part[512];
    while ((got = read(from, part, sizeof part)) > 0) {
        for (ssize_t i = 0; i < got && had + 1 < size; i++) why[had++] = part[i];
    }
    why[had] = '\0';
}

static verdict try_text(const options *o, const char *text, int steps, char *why, size_t size)
{
    int ends[2], status = 0;
    if (pipe(ends) != 0) return FAILED;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        struct rlimit limit = {(rlim_t)o->seconds, (rlim_t)o->seconds + 1};
        setrlimit(RLIMIT_CPU, &limit);
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]), close(ends[1]);
        _exit(OWN_CODE + (int)run_scene(text, steps));
    }
    close(ends[1]);
    read_all(ends[0], why, size);
    close(ends[0]);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    if (WIFSIGNALED(status)) {
        bool slow = WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL;
        if (!slow && !why[0]) snprintf(why, size, "signal %d\n", WTERMSIG(status));
        return slow ? SLOW : FAILED;
    }
    int code = WEXITSTATUS(status) - OWN_CODE; // a sanitizer ends with another
    return code >= FINE && code <= FAILED ? (verdict)code : FAILED;
}

static verdict try_scene(const options *o, const random_scene *s, char *why, size_t size)
{
    char text[SCENE_TEXT];
    random_scene_print(s, text);
    return try_text(o, text, s->steps, why, size);
}

// ---- Smaller ------------------------------------------------------------------------------------

static bool still_fails(const options *o, const random_scene *s, int *tries)
{
    char why[4096];
    return ++*tries <= TRIES_MOST && try_scene(o, s, why, sizeof why) == FAILED;
}

// Leaves out lines, steps and cells one after the other, again and again, while it fails without.
static int shrink(const options *o, random_scene *s)
{
    int tries = 0;
    for (bool any = true; any && tries < TRIES_MOST;) {
        any = false;
        for (int i = s->count - 1; i >= 0; i--) {
            if (!s->line[i].kept || strncmp(s->line[i].text, "top:", 4) == 0) continue;
            s->line[i].kept = false;
            if (still_fails(o, s, &tries))
                any = true;
            else
                s->line[i].kept = true;
        }
        int *numbers[] = {&s->steps, &s->nx, &s->ny};
        for (int k = 0; k < 3; k++) {
            int was = *numbers[k];
            *numbers[k] = was / 2;
            if (was > 1 && still_fails(o, s, &tries))
                any = true;
            else
                *numbers[k] = was;
        }
    }
    return tries;
}

static void write_out(const options *o, random_scene *s, const char *name, const char *why)
{
    char path[512], text[SCENE_TEXT];
    random_scene small = *s;
    printf("%s FAILED: %.600s\n", name, why);
    int tries = shrink(o, &small);
    random_scene_print(&small, text);
    snprintf(path, sizeof path, "%s/failed-%s.yaml", o->out, name);
    for (char *c = path + strlen(o->out) + 1; *c; c++)
        if (*c == ' ' || *c == '=') *c = '-';
    FILE *file = fopen(path, "w");
    if (file) fputs(text, file), fclose(file);
    printf("  made smaller in %d tries; again: test_random --file %s --steps %d\n%s", tries, path,
           small.steps, text);
    fflush(stdout);
}

static void judge(const options *o, random_scene *s, const char *name, tally *t)
{
    char why[4096] = "", text[SCENE_TEXT];
    if (o->print) {
        random_scene_print(s, text);
        printf("# %s, %d steps\n%s", name, s->steps, text);
        return;
    }
    verdict v = try_scene(o, s, why, sizeof why);
    t->runs++, t->ended[v]++;
    if (v == REFUSED && o->told) printf("%s: %s", name, why);
    if (v == SLOW) printf("%s: not done in %d s\n", name, o->seconds);
    if (v == FAILED) write_out(o, s, name, why);
}

// ---- Kinds of runs ------------------------------------------------------------------------------

static void run_seeds(const options *o, uint64_t from, uint64_t to, tally *t)
{
    for (uint64_t seed = from; seed <= to; seed++) {
        random_scene s;
        char name[64];
        random_scene_make(&s, seed);
        snprintf(name, sizeof name, "seed %llu", (unsigned long long)seed);
        judge(o, &s, name, t);
    }
}

// A parameter at an end of its range; false: it has none, or it is no matter of liquid.
static bool set_end(random_scene *s, const rv_field_info *f, int which, char *name, size_t size)
{
    char text[64];
    double value = which ? f->high : f->low;
    if (f->type != RV_REAL && f->type != RV_WHOLE && f->type != RV_VECTOR) return false;
    if (strncmp(f->key, "view.", 5) == 0 || strcmp(f->key, "time.end") == 0) return false;
    if (f->type == RV_VECTOR && !f->down) return false;
    snprintf(text, sizeof text, "%.9g", value);
    if (strcmp(f->key, "grid.nx") == 0)
        s->nx = (int)value;
    else if (strcmp(f->key, "grid.ny") == 0)
        s->ny = (int)value;
    else if (strcmp(f->key, "grid.dx") == 0)
        s->dx = value;
    else
        random_scene_set(s, f->key, text);
    size_t had = strlen(name);
    snprintf(name + had, size - had, " %s=%s", f->key, text);
    return true;
}

static void run_ends(const options *o, int stride, tally *t)
{
    const rv_table *table = rv_params_table();
    for (int kind = 0, n = 0; kind < SCENE_KINDS; kind++)
        for (int i = 0; i < table->count; i++)
            for (int which = 0; which < 2; which++, n++) {
                random_scene s;
                char name[128];
                snprintf(name, sizeof name, "%s", plain_scene_make(&s, kind));
                if (n % stride != kind % stride) continue;
                if (set_end(&s, &table->fields[i], which, name, sizeof name)) judge(o, &s, name, t);
            }
}

static void run_pairs(const options *o, uint64_t from, uint64_t to, tally *t)
{
    const rv_table *table = rv_params_table();
    for (uint64_t seed = from; seed <= to; seed++) {
        uint64_t r = seed * 104729;
        random_scene s;
        char name[256];
        int had = snprintf(name, sizeof name, "pair %llu ", (unsigned long long)seed);
        snprintf(name + had, sizeof name - (size_t)had, "%s",
                 plain_scene_make(&s, random_choice(&r, SCENE_KINDS)));
        for (int set = 0; set < 2;) {
            const rv_field_info *f = &table->fields[random_choice(&r, table->count)];
            set += set_end(&s, f, random_choice(&r, 2), name, sizeof name);
        }
        judge(o, &s, name, t);
    }
}

static verdict run_file(const options *o, const char *path, int steps)
{
    char text[SCENE_TEXT] = "", why[4096] = "";
    static const char *const words[] = {"fine", "refused", "not done in time", "FAILED"};
    FILE *file = fopen(path, "r");
    if (!file) return fprintf(stderr, "test_random: cannot read %s\n", path), FAILED;
    size_t got = fread(text, 1, sizeof text - 1, file);
    text[got] = '\0';
    fclose(file);
    verdict v = try_text(o, text, steps, why, sizeof why);
    if (v != FINE || path == o->file) printf("%s: %s\n%s", path, words[v], why);
    return v;
}

// What once failed, made smaller. Seeds make other scenes as soon as a parameter is added.
static void run_found(const options *o, tally *t)
{
    static const struct {
        const char *name;
        int steps;
    } found[] = {{"plane-gone", 8}, {"narrow-stream", 3}, {"laid-out-anew", 9},
                 {"told-pace", 28}, {"impact", 3},        {"lifted-rim", 21}};
    for (size_t i = 0; i < sizeof found / sizeof found[0]; i++) {
        char path[512];
        snprintf(path, sizeof path, RV_SOURCE_DIR "/tests/data/random-%s.yaml", found[i].name);
        verdict v = run_file(o, path, found[i].steps);
        t->runs++, t->ended[v == FINE ? FINE : FAILED]++;
    }
}

static int report(const tally *t, const tally *random)
{
    int ended[4];
    for (int i = 0; i < 4; i++) ended[i] = t->ended[i] + random->ended[i];
    printf("%d scenes: %d ran, %d were refused with a line, %d were not done in time, %d failed\n",
           t->runs + random->runs, ended[FINE], ended[REFUSED], ended[SLOW], ended[FAILED]);
    // a generator whose scenes are all refused tries nothing
    bool dull = random->runs >= SHORT_SEEDS && 2 * random->ended[REFUSED] > random->runs;
    if (dull)
        printf("%d of %d random scenes were refused: what is wrong with them? --told prints it\n",
               random->ended[REFUSED], random->runs);
    return ended[FAILED] > 0 || dull;
}

int main(int argc, char **argv)
{
    options o = {.out = ".", .seconds = 60, .steps = 20};
    tally t = {0};
    uint64_t range[2][2] = {{1, 0}, {1, 0}};
    bool ends = false, chosen = false;
    for (int i = 1; i < argc; i++) {
        const char *name = argv[i], *value = i + 1 < argc ? argv[i + 1] : "";
        int pair = strcmp(name, "--pairs") == 0;
        if (strcmp(name, "--ends") == 0) {
            ends = chosen = true;
        } else if (strcmp(name, "--told") == 0) {
            o.told = true;
        } else if (strcmp(name, "--print") == 0) {
            o.print = true;
        } else if ((pair || strcmp(name, "--seeds") == 0) && i + 2 < argc) {
            chosen = true;
            for (int k = 0; k < 2; k++) range[pair][k] = strtoull(argv[++i], NULL, 10);
        } else if (strcmp(name, "--out") == 0) {
            o.out = value, i++;
        } else if (strcmp(name, "--file") == 0) {
            o.file = value, i++;
        } else if (strcmp(name, "--steps") == 0) {
            o.steps = (int)strtol(value, NULL, 10), i++;
        } else if (strcmp(name, "--seconds") == 0) {
            o.seconds = (int)strtol(value, NULL, 10), i++;
        } else {
            return fprintf(stderr, "test_random: unknown option %s\n", name), 2;
        }
    }
    if (o.file) return run_file(&o, o.file, o.steps) == FAILED;
    if (!chosen) {
        range[0][1] = SHORT_SEEDS, range[1][1] = SHORT_PAIRS, o.seconds = 5;
        run_found(&o, &t);
        run_ends(&o, SHORT_STRIDE, &t);
    }
    if (ends) run_ends(&o, 1, &t);
    tally random = {0};
    if (!chosen) o.seconds = SHORT_SECONDS;
    run_seeds(&o, range[0][0], range[0][1], &random);
    run_pairs(&o, range[1][0], range[1][1], &t);
    return report(&t, &random);
}
