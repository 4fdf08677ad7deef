// Memory that is refused: every request of a world to its host's allocator fails once, in making
// it, in steps, edits, moves, restores, surfaces, meshes, queries and frames, over all shipped
// scenes made small and over worlds that have what those lack: alone, or in every second call
// together with all that follow it. A call whose memory was refused says RV_OUT_OF_MEMORY and
// leaves the state as it was, to the bit, or does without and comes to the same state as with it;
// then the same call works. What is given back has the size that was
// asked for, and nothing is left in the end.
//
//     test_memory                 all, as `make test` does
//     test_memory bowl passages   these; --all tries every request, where else some are left out
//
// A second world, to which nothing is refused, does the same: both must agree after every call.
#define _POSIX_C_SOURCE 200809L
#include "io/scene_file.h"
#include "small_worlds.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SMALL 160 // cells, about, of a scene
#define STEPS 4
#define EACH 3    // requests of a call that are refused one by one; then
#define STRIDE 7  // one in so many
#define CREATES 4 // requests that are refused while a world is made; --all: every one

void __sanitizer_print_stack_trace(void);
#if defined(__GNUC__)
#pragma weak __sanitizer_print_stack_trace
#endif

// ---- A host's allocator -------------------------------------------------------------------------

typedef struct host {
    int64_t calls, refuse; // since it was armed; which request is refused, from 1; 0: none
    int64_t live, wrong;   // pieces that are out; that came back with another size
    bool lasting;          // so are all after it
    bool refused, trace;
} host;

#define HEAD 64 // bytes before each piece, which hold its size

static void *host_allocate(size_t bytes, void *user)
{
    host *h = user;
    h->calls++;
    if (h->refuse > 0 && (h->lasting ? h->calls >= h->refuse : h->calls == h->refuse)) {
        h->refused = true;
        if (h->trace && __sanitizer_print_stack_trace) __sanitizer_print_stack_trace();
        return NULL;
    }
    char *memory = aligned_alloc(HEAD, bytes + HEAD);
    if (!memory) return NULL;
    memcpy(memory, &bytes, sizeof bytes);
    h->live++;
    return memory + HEAD;
}

static void host_release(void *memory, size_t bytes, void *user)
{
    host *h = user;
    size_t asked;
    memcpy(&asked, (char *)memory - HEAD, sizeof asked);
    h->live--, h->wrong += asked != bytes;
    free((char *)memory - HEAD);
}

static rv_allocator host_allocator(host *h)
{
    return (rv_allocator){host_allocate, host_release, h};
}

// ---- One case -----------------------------------------------------------------------------------

typedef struct world_case {
    const char *name;
    rv_world_def def;
    host host, plain;
    rv_world *world, *twin;
    rv_surface *surface[2]; // of the world, of the twin
    void *saved;            // a snapshot of both at a moment
    size_t saved_size;
    int turn; // counts calls, so that each differs
    int failures;
    bool lost;                       // the two differ: what follows would tell nothing new
    int64_t refusals, without, late; // that were reported, done without, undone by the next call
} world_case;

static bool every_request, trace;

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
blame(world_case *c, const char *format, ...)
{
    va_list arguments;
    printf("%s: ", c->name);
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    printf("\n");
    c->failures++;
}

static void *save_of(const rv_world *world, size_t *size)
{
    *size = rv_world_snapshot_size(world);
    void *bytes = malloc(*size > 0 ? *size : 1);
    if (bytes && rv_world_save(world, bytes, *size) != RV_OK) free(bytes), bytes = NULL;
    return bytes;
}

#define COUNTERS 512 // bytes at the start of a snapshot, at most, that hold sums so far
#define CHECKSUM 8   // at its end
#define ROUNDED 4    // bytes that may differ where a sum was rounded another way

// Whether a world's snapshot is these bytes, its terrain among them. What went over borders so far
// is the sum of what the world and the solver have of it, and may be rounded another way.
static bool same_bytes(const rv_world *world, const void *bytes, size_t size)
{
    size_t now;
    unsigned char *other = save_of(world, &now);
    const unsigned char *own = bytes;
    bool same = other && bytes && now == size && size > COUNTERS + CHECKSUM;
    int differ = 0;
    for (size_t i = 0; same && i < COUNTERS; i++) differ += other[i] != own[i];
    same = same && differ <= ROUNDED &&
           memcmp(other + COUNTERS, own + COUNTERS, size - COUNTERS - CHECKSUM) == 0;
    free(other);
    return same;
}

// ---- What is done to a world --------------------------------------------------------------------

typedef rv_result action(world_case *c, rv_world *world, int which); // 1: the twin

static rv_result step(world_case *c, rv_world *world, int which)
{
    (void)which;
    return rv_world_step(world, c->def.params.time_step);
}

// A ball or box that is carved or added, in a part of the grid that goes by the turn.
static rv_result edit(world_case *c, rv_world *world, int which)
{
    const rv_params *p = &c->def.params;
    rv_solid_def tool = rv_default_solid_def();
    rv_event_def event = rv_default_event_def();
    double part[4] = {-0.2, 0.15, 0.3, -0.05}, dx = p->grid_dx;
    double middle = p->grid_bottom + (0.3 + 0.1 * (c->turn % 4)) * (p->grid_top - p->grid_bottom);
    rv_vec3 path[2] = {{p->grid_x + part[c->turn % 4] * p->grid_nx * dx,
                        p->grid_y + part[(c->turn + 1) % 4] * p->grid_ny * dx, middle}};
    (void)which;
    path[1] = path[0], path[1].x += 3 * dx;
    tool.shape = c->turn % 2 ? RV_SHAPE_SPHERE : RV_SHAPE_BOX;
    tool.radius = 2.5 * dx, tool.size = (rv_vec3){5 * dx, 4 * dx, 3 * dx};
    event.kind = c->turn % 3 == 0 ? RV_EVENT_ADD : RV_EVENT_CARVE;
    event.tool = &tool, event.tool_count = 1, event.path = path, event.path_count = 2;
    return rv_world_edit(world, &event, NULL, NULL);
}

static rv_result move_solid(world_case *c, rv_world *world, int which)
{
    (void)which;
    rv_pose pose = {.shift = {0.6 * c->def.params.grid_dx, 0, 0.3 * c->def.params.grid_dx}};
    return rv_world_move(world, 1, &pose, NULL, NULL);
}

static rv_result restore(world_case *c, rv_world *world, int which)
{
    (void)which;
    return rv_world_restore(world, c->saved, c->saved_size, NULL);
}

static rv_result make_surface(world_case *c, rv_world *world, int which)
{
    return rv_surface_create(world, &c->surface[which]);
}

static rv_result update_surface(world_case *c, rv_world *world, int which)
{
    return c->surface[which] ? rv_surface_update(c->surface[which], world) : RV_OK;
}

static rv_result terrain_mesh(world_case *c, rv_world *world, int which)
{
    rv_mesh mesh;
    (void)c, (void)which;
    rv_result r = rv_world_terrain_mesh(world, &mesh, NULL);
    if (r == RV_OK) rv_mesh_free(&mesh);
    return r;
}

static rv_result share_frames(world_case *c, rv_world *world, int which)
{
    (void)c, (void)which;
    return rv_world_share(world, 1, NULL);
}

static rv_result publish(world_case *c, rv_world *world, int which)
{
    (void)c, (void)which;
    return rv_world_publish(world);
}

// Queries cannot say that memory was refused, but they have to live through it.
static rv_result ask(world_case *c, rv_world *world, int which)
{
    const rv_params *p = &c->def.params;
    rv_vec3 at = {p->grid_x, p->grid_y, p->grid_top};
    rv_ray ray = {at, {0.1, 0.05, -1}};
    rv_sample sample;
    rv_hit hit;
    rv_particles particles;
    rv_density density;
    rv_stats stats;
    float distance;
    (void)which;
    rv_world_sample(world, &at, 1, &sample);
    rv_world_cast(world, &ray, 1, &hit);
    rv_world_distance(world, &at, 1, &distance);
    rv_world_get_stats(world, &stats);
    (void)rv_world_get_particles(world, &particles);
    (void)rv_world_get_density(world, &density);
    (void)rv_world_fetch(world, RV_FETCH_ALL);
    return RV_OK;
}

static rv_result set_params(world_case *c, rv_world *world, int which)
{
    rv_params p = *rv_world_params(world);
    (void)which;
    p.border_west = (rv_border)((p.border_west + 1) % 4);
    p.border_west_rate = 1e-7, p.border_west_level = 0.5 * (p.grid_bottom + p.grid_top);
    p.liquid_viscosity *= 1.5;
    p.pipes_passages = (rv_passages)(c->turn % 4);
    p.spray_on = true, p.spray_droplets = 200 + 100 * (c->turn % 3);
    rv_result r = rv_world_set_params(world, &p, NULL);
    if (r != RV_BAD_ARGUMENT) return r;
    p = *rv_world_params(world); // not all of that suits every solver
    p.liquid_viscosity *= 1.5;
    return rv_world_set_params(world, &p, NULL);
}

static rv_result throw_in(world_case *c, rv_world *world, int which)
{
    const rv_params *p = &c->def.params;
    rv_body_def body = rv_default_body_def();
    double low = p->grid_bottom, dx = p->grid_dx;
    (void)which;
    body.shape = c->turn % 2 ? RV_BODY_BOX : RV_BODY_SPHERE, body.radius = 2.2 * dx;
    body.size = (rv_vec3){4 * dx, 3 * dx, 3 * dx};
    body.at = (rv_vec3){p->grid_x + (c->turn % 3) * dx, p->grid_y, low + 0.6 * (p->grid_top - low)};
    return rv_world_add_body(world, &body, NULL, NULL);
}

static rv_result add_source(world_case *c, rv_world *world, int which)
{
    const rv_params *p = &c->def.params;
    rv_source_def source = rv_default_source_def();
    (void)which;
    source.at = (rv_vec3){p->grid_x, p->grid_y, p->grid_top};
    source.radius = 3 * p->grid_dx, source.rate = 1e-6;
    return rv_world_add_source(world, &source, NULL, NULL);
}

static rv_result add_drain(world_case *c, rv_world *world, int which)
{
    rv_drain_def drain = rv_default_drain_def();
    (void)c, (void)which;
    drain.rate = 1e-7;
    return rv_world_add_drain(world, &drain, NULL, NULL);
}

static rv_result add_emitter(world_case *c, rv_world *world, int which)
{
    const rv_params *p = &c->def.params;
    rv_emitter_def emitter = rv_default_emitter_def();
    double dx = p->grid_dx;
    (void)which;
    emitter.from = (rv_vec3){p->grid_x - 3 * dx, p->grid_y - 3 * dx, p->grid_bottom + dx};
    emitter.to = (rv_vec3){p->grid_x + 3 * dx, p->grid_y + 3 * dx, p->grid_bottom + 7 * dx};
    return rv_world_add_emitter(world, &emitter, NULL, NULL);
}

static rv_result add_press(world_case *c, rv_world *world, int which)
{
    const rv_params *p = &c->def.params;
    rv_press_def press = rv_default_press_def();
    (void)which;
    press.from.x = p->grid_x - 4 * p->grid_dx, press.to.x = p->grid_x + 4 * p->grid_dx;
    press.pressure = 5, press.wind.x = 0.1;
    return rv_world_add_press(world, &press, NULL, NULL);
}

static rv_result stir(world_case *c, rv_world *world, int which)
{
    const rv_params *p = &c->def.params;
    rv_vec3 from = {p->grid_x, p->grid_y, 0.5 * (p->grid_bottom + p->grid_top)}, to = from;
    (void)which;
    to.x += 2 * p->grid_dx;
    return rv_world_stir(world, from, to, 2 * p->grid_dx, p->time_step);
}

// It gives what it can, and cannot say why it gave nothing.
static rv_result pour(world_case *c, rv_world *world, int which)
{
    const rv_params *p = &c->def.params;
    rv_vec3 at = {p->grid_x, p->grid_y, p->grid_top};
    double volume = 3 * p->grid_dx * p->grid_dx * p->grid_dx;
    (void)which;
    return rv_world_pour(world, at, 2 * p->grid_dx, volume) > 0 ? RV_OK : RV_OUT_OF_MEMORY;
}

// A world that went back is one that was restored. That goes on as any restored one: so both are.
static void restore_own(world_case *c, rv_world *world)
{
    size_t size;
    void *bytes = save_of(world, &size);
    if (!bytes || rv_world_restore(world, bytes, size, NULL) != RV_OK)
        blame(c, "its own snapshot was not restored");
    free(bytes);
}

// Calls it with the first, the second, … request refused, until none was; then once on the twin.
static void try_all(world_case *c, const char *what, action *act)
{
    rv_result r = RV_OK;
    bool went_back = false, owed = false;
    if (c->lost) return;
    for (int n = 1; n < 4000; n += every_request || n < EACH ? 1 : STRIDE) {
        size_t size = 0;
        bool whole = every_request || n < 4 || n % 4 == 0; // hashes alone are quicker
        void *before = whole ? save_of(c->world, &size) : NULL;
        uint64_t hash = rv_world_hash(c->world);
        c->host.calls = 0, c->host.refuse = n, c->host.refused = false;
        c->host.lasting = c->turn % 2 == 1;
        if (trace) printf("%s: %s, request %d\n", c->name, what, n), fflush(stdout);
        r = act(c, c->world, 0);
        c->host.refuse = 0;
        bool again = c->host.refused && r != RV_OK;
        if (again && r != RV_OUT_OF_MEMORY) blame(c, "%s, request %d: result %d", what, n, r);
        // where terrain changed, going back itself may ask: then the next call goes back first
        bool terrain = act == edit || act == move_solid || c->def.event_count > 0;
        bool late = again && terrain && c->host.lasting && rv_world_hash(c->world) != hash;
        c->late += late;
        if (again && !late && rv_world_hash(c->world) != hash)
            blame(c, "%s, request %d: refused, and another state", what, n);
        else if (again && !late && whole && !same_bytes(c->world, before, size))
            blame(c, "%s, request %d: refused, and another snapshot", what, n);
        free(before);
        c->refusals += again, c->without += c->host.refused && !again;
        if (!again) break;
        if (act == step || act == edit || act == move_solid || act == pour) went_back = true;
        owed = owed || late;
        if (went_back && !owed) restore_own(c, c->world);
    }
    if (went_back) restore_own(c, c->twin);
    rv_result twin = act(c, c->twin, 1);
    if (twin == RV_OUT_OF_MEMORY && act == pour) twin = r = RV_OK; // there was no room
    if (twin != r) blame(c, "%s: result %d, without refusals %d", what, r, twin);
    c->lost = rv_world_hash(c->world) != rv_world_hash(c->twin);
    if (c->lost) blame(c, "%s: not the state that it has without refusals", what);
    c->turn++;
}

// ---- All of it ----------------------------------------------------------------------------------

static bool create_twin(world_case *c)
{
    rv_messages messages = {0};
    c->def.allocator = host_allocator(&c->plain);
    if (rv_world_create(&c->def, &c->twin, &messages) == RV_OK) return true;
    blame(c, "not made: %s", messages.text);
    return false;
}

// Makes the world with requests refused, then with none. Those left out differ from case to case.
static bool create(world_case *c)
{
    int64_t all = c->plain.calls, stride = every_request ? 1 : (all + CREATES - 1) / CREATES;
    c->def.allocator = host_allocator(&c->host);
    for (int64_t n = 1 + (int64_t)strlen(c->name) % stride; n <= all && stride > 0; n += stride) {
        rv_messages messages = {0};
        c->host = (host){.refuse = n, .trace = trace};
        rv_result r = rv_world_create(&c->def, &c->world, &messages);
        if (r == RV_OK && rv_world_hash(c->world) != rv_world_hash(c->twin))
            blame(c, "create, request %lld: made, but another state", (long long)n);
        if (r != RV_OK && (r != RV_OUT_OF_MEMORY || messages.count == 0 || c->world))
            blame(c, "create, request %lld: result %d", (long long)n, r);
        c->refusals += r != RV_OK, c->without += r == RV_OK;
        rv_world_destroy(c->world);
        c->world = NULL;
        if (c->host.live != 0 || c->host.wrong != 0)
            blame(c, "create, request %lld: %lld pieces left, %lld of another size", (long long)n,
                  (long long)c->host.live, (long long)c->host.wrong);
    }
    c->host = (host){.trace = trace};
    return rv_world_create(&c->def, &c->world, NULL) == RV_OK;
}

static void steps(world_case *c, int count)
{
    for (int i = 0; i < count; i++) try_all(c, "step", step);
}

static void work(world_case *c)
{
    steps(c, STEPS);
    try_all(c, "surface", make_surface);
    try_all(c, "update", update_surface);
    try_all(c, "terrain mesh", terrain_mesh);
    try_all(c, "frames", share_frames);
    try_all(c, "queries", ask);
    c->saved = save_of(c->twin, &c->saved_size);
    try_all(c, "edit", edit);
    try_all(c, "move", move_solid);
    try_all(c, "publish", publish);
    try_all(c, "update", update_surface);
    steps(c, 2);
    try_all(c, "pour", pour);
    try_all(c, "source", add_source);
    try_all(c, "drain", add_drain);
    try_all(c, "emitter", add_emitter);
    try_all(c, "press", add_press);
    try_all(c, "stir", stir);
    try_all(c, "body", throw_in);
    try_all(c, "body", throw_in);
    steps(c, every_request ? 4 : 2);
    try_all(c, "edit", edit);
    try_all(c, "parameters", set_params);
    try_all(c, "queries", ask);
    steps(c, every_request ? 4 : 2);
    try_all(c, "restore", restore);
    steps(c, 2);
    try_all(c, "parameters", set_params);
    try_all(c, "edit", edit);
    steps(c, every_request ? 4 : 2);
    try_all(c, "update", update_surface);
}

static int run_case(const char *name, const rv_world_def *def)
{
    world_case c = {.name = name, .def = *def};
    if (create_twin(&c) && create(&c)) work(&c);
    for (int i = 0; i < 2; i++) rv_surface_destroy(c.surface[i]);
    rv_world_destroy(c.world);
    rv_world_destroy(c.twin);
    free(c.saved);
    if (c.host.live != 0) blame(&c, "%lld pieces were never given back", (long long)c.host.live);
    if (c.host.wrong != 0) blame(&c, "%lld came back with another size", (long long)c.host.wrong);
    printf("%-24s %5lld refusals reported, %3lld done without, %3lld undone late%s\n", name,
           (long long)c.refusals, (long long)c.without, (long long)c.late,
           c.failures ? "  FAILED" : "");
    fflush(stdout);
    return c.failures > 0;
}

static int run_scene(const char *name)
{
    rv_scene_file scene;
    rv_messages messages = {0};
    rv_form_work form_work = rv_default_form_work();
    if (!rv_scene_load(name, &scene, &messages)) return printf("%s\n", messages.text), 1;
    rv_params *p = &scene.params;
    double cells = (double)p->grid_nx * p->grid_ny;
    int coarser = cells > SMALL ? (int)ceil(sqrt(cells / SMALL)) : 1;
    p->grid_nx = (p->grid_nx + coarser - 1) / coarser;
    p->grid_ny = (p->grid_ny + coarser - 1) / coarser;
    p->grid_dx *= coarser;
    for (int i = 0; i < scene.event_count; i++) // all of them within the steps that are made
        scene.events[i].start = (0.5 + (i % STEPS)) * p->time_step;
    int failed = 1;
    if (rv_scene_load_forms(&scene, &form_work, &messages)) {
        rv_world_def def = rv_scene_world_def(&scene);
        failed = run_case(name, &def);
    } else {
        printf("%s\n", messages.text);
    }
    rv_scene_free(&scene);
    return failed;
}

// ---- Worlds of parts that the scenes lack -------------------------------------------------------

static int run_small(const char *name, const rv_world_def *def)
{
    rv_world_def own = *def;
    own.params.time_step = 0.005;
    return run_case(name, &own);
}

// A full passage between two tanks, and a slab over a basin that a source floods.
static int run_passages(void)
{
    static const char *const names[4] = {"none", "axis", "unified", "pressure"};
    int failed = 0;
    for (int kind = 0; kind < 4; kind++) {
        char name[48];
        small_world s;
        small_tanks(&s, RV_SOLVER_PIPES);
        s.def.params.pipes_passages = (rv_passages)kind;
        snprintf(name, sizeof name, "(tanks %s)", names[kind]);
        failed += run_small(name, &s.def);
        small_basin(&s);
        s.def.params.pipes_passages = (rv_passages)kind;
        s.source.rate *= 40;
        snprintf(name, sizeof name, "(basin %s)", names[kind]);
        failed += run_small(name, &s.def);
    }
    return failed;
}

static int run_others(void)
{
    small_world s;
    int failed = 0;
    small_collapse(&s);
    failed += run_small("(collapse)", &s.def);
    small_table(&s);
    s.def.params.drips_on = s.def.params.tension_on = true;
    failed += run_small("(table)", &s.def);
    for (int form = 0; form < 3; form++) {
        small_tray(&s, RV_SOLVER_SPLAT, (rv_splat_form)form);
        failed += run_small("(tray of particles)", &s.def);
    }
    small_layers(&s, RV_SOLVER_PIPES);
    s.def.params.pipes_neighbours = RV_NEIGHBOURS_EIGHT, s.def.params.tension_on = false;
    failed += run_small("(layers of eight)", &s.def);
    small_layers(&s, RV_SOLVER_SWE);
    failed += run_small("(layers swe)", &s.def);
    return failed;
}

int main(int argc, char **argv)
{
    rv_scene_names names;
    rv_messages messages = {0};
    int failed = 0, chosen = 0;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--all") == 0)
            every_request = true;
        else if (strcmp(argv[i], "--trace") == 0)
            trace = true;
        else if (chosen++, argv[i][0] != '(')
            failed += run_scene(argv[i]);
        else
            failed += strstr(argv[i], "passages") ? run_passages() : run_others();
    }
    if (chosen > 0) return failed > 0;
    if (!rv_scene_names_list(&names, &messages)) return printf("%s\n", messages.text), 2;
    for (int i = 0; i < names.count; i++) failed += run_scene(names.name[i]);
    rv_scene_names_free(&names);
    failed += run_passages() + run_others();
    return failed > 0;
}
