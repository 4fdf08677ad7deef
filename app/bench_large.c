// Large worlds for `rivulet bench`.
//
// land-N is a landscape of N × N columns: ridges and valleys with a lake between them, and a film
// of rain that runs down the rest. decks-N has three layers: a floor and two decks with openings,
// with liquid on all of them, so that it falls from deck to deck. Both look the same at any N:
// lengths are shares of the whole, but for the decks' heights, which are cells, so that the field
// of distances stays flat.
#include "app/bench_large.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST = 32, MOST_LAND = 16384, MOST_DECKS = 2048 };

bool rv_large_name(const char *name, int *cells)
{
    int n = 0, end = 0;
    bool land = sscanf(name, "land-%d%n", &n, &end) == 1;
    if (!land && sscanf(name, "decks-%d%n", &n, &end) != 1) return false;
    if (name[end] || n < LEAST || n > (land ? MOST_LAND : MOST_DECKS)) return false;
    *cells = n;
    return true;
}

bool rv_large_refused(const char *name, rv_messages *messages)
{
    bool land = strncmp(name, "land-", 5) == 0;
    size_t head = land ? 5 : 6;
    if (!land && strncmp(name, "decks-", 6) != 0) return false;
    if (!name[head] || strspn(name + head, "0123456789") != strlen(name + head)) return false;
    rv_messages_add(messages, "%s: %s %d to %d columns each way", name,
                    land ? "a landscape has" : "decks have", LEAST, land ? MOST_LAND : MOST_DECKS);
    return true;
}

bool rv_land_name(const char *name, int *cells)
{
    char *end;
    if (strncmp(name, "land-", 5) != 0) return false;
    long n = strtol(name + 5, &end, 10);
    if (end == name + 5 || *end) return false;
    *cells = n < LEAST ? LEAST - 1 : n > MOST_LAND ? MOST_LAND + 1 : (int)n;
    return true;
}

static rv_large_world *begin(rv_large_world *w, int cells, double dx)
{
    *w = (rv_large_world){.def = rv_default_world_def()};
    rv_params *p = &w->def.params;
    p->grid_nx = p->grid_ny = cells, p->grid_dx = dx;
    p->tension_on = false;
    for (int i = 0; i < RV_LARGE_SOLIDS; i++) w->solid[i] = rv_default_solid_def();
    for (int i = 0; i < RV_LARGE_FILLS; i++) w->fill[i] = rv_default_fill_def();
    w->def.fills = w->fill;
    return w;
}

// ---- Land ---------------------------------------------------------------------------------------

#define LAND_SIDE 1000.0 // m

// Height of the land (shares of its side) at a place (likewise): a bowl with ridges of four sizes.
static double land_at(double x, double y)
{
    double u = x - 0.5, v = y - 0.5, h = 0.02 + 0.10 * (u * u + v * v), size = 0.03, f = 9.0;
    for (int k = 0; k < 4; k++) {
        h += size * (1.0 - fabs(sin(f * x + 1.3 * sin(0.7 * f * y + k))));
        size *= 0.5, f *= 2.1;
        double turned = 0.8 * x - 0.6 * y;
        y = 0.6 * x + 0.8 * y, x = turned;
    }
    return h;
}

static void land_row(void *context, int j)
{
    const rv_large_world *w = context;
    int n = w->def.params.grid_nx;
    float *row = w->heights + (size_t)j * (size_t)n;
    for (int i = 0; i < n; i++) row[i] = (float)(LAND_SIDE * land_at((i + 0.5) / n, (j + 0.5) / n));
}

// Its name is told where it does not fit; what is not there yet, the heights, is not made then.
static bool make_land(const char *name, rv_large_world *w, int n, rv_messages *messages)
{
    const double side = LAND_SIDE;
    begin(w, n, side / n);
    rv_messages why = {0};
    bool fits = rv_world_fits(&w->def, &why);
    if (fits) w->heights = malloc((size_t)n * (size_t)n * sizeof *w->heights);
    if (!w->heights) {
        rv_messages_add(messages, "%s: %s", name, fits ? "no memory for it" : why.text);
        return false;
    }
    rv_pool *pool = rv_pool_create(rv_hardware_threads()); // NULL: it takes longer
    rv_parallel_for(pool, n, land_row, w);
    rv_pool_destroy(pool);
    rv_params *p = &w->def.params;
    p->grid_top = 0.4 * side, p->time_step = 0.02, p->time_end = 60 * p->time_step;
    w->def.heights = w->heights;
    // The lake, and rain that stands everywhere.
    w->fill[0].kind = RV_FILL_LEVEL, w->fill[0].level = 0.062 * side;
    w->fill[1].kind = RV_FILL_DEPTH, w->fill[1].depth = 2e-5 * side;
    w->fill[1].from = (rv_vec3){-1e6, -1e6, 0.062 * side};
    w->def.fill_count = 2;
    return true;
}

static const char scene_text[] =
    "name: %s\n"
    "title: A landscape of %d columns each way, with a lake\n"
    "grid: {nx: %d, ny: %d, dx: %.17g m, bottom: %.17g m, top: %.17g m}\n"
    "time: {step: %.17g s, end: %.17g s}\n"
    "tension: {on: no}\n"
    "fills:\n"
    "  - {kind: level, level: %.17g m}\n"
    "  - {kind: depth, depth: %.17g m, from: -1e6 -1e6 %.17g m}\n";

// The same as make_land, but for what a scene file cannot have: the heights.
bool rv_land_scene(const char *name, int cells, rv_scene_file *out, float **heights,
                   rv_messages *messages)
{
    rv_large_world w;
    char text[1024];
    if (cells < LEAST || cells > MOST_LAND) {
        rv_messages_add(messages, "%s: a landscape has %d to %d columns each way", name, LEAST,
                        MOST_LAND);
        return false;
    }
    if (!make_land(name, &w, cells, messages)) return false;
    const rv_params *p = &w.def.params;
    int size = snprintf(text, sizeof text, scene_text, name, cells, cells, cells, p->grid_dx,
                        p->grid_bottom, p->grid_top, p->time_step, p->time_end, w.fill[0].level,
                        w.fill[1].depth, w.fill[1].from.z);
    *heights = w.heights;
    if (rv_scene_load_memory(text, (size_t)size, name, out, messages)) return true;
    rv_large_free(&w);
    *heights = NULL;
    return false;
}

// ---- Decks --------------------------------------------------------------------------------------

static void make_decks(rv_large_world *w, int n)
{
    const double side = 1.0, dx = side / n; // m
    begin(w, n, dx);
    w->solid[0].shape = RV_SHAPE_PLANE, w->solid[0].at.z = 2.0 * dx;
    for (int k = 0; k < 2; k++) {
        rv_solid_def *deck = &w->solid[1 + k];
        deck->shape = RV_SHAPE_BOX, deck->at.z = (10.0 + 8.0 * k) * dx;
        deck->size = (rv_vec3){2 * side, 2 * side, 2.0 * dx};
    }
    for (int k = 0; k < 3; k++) { // openings, through which the upper two are joined with the floor
        rv_solid_def *opening = &w->solid[3 + k];
        opening->shape = RV_SHAPE_CYLINDER, opening->op = RV_SUBTRACT;
        opening->radius = 0.08 * side, opening->height = 14.0 * dx;
        opening->at = (rv_vec3){(0.27 * k - 0.3) * side, (0.25 - 0.2 * k) * side, 14.0 * dx};
    }
    rv_params *p = &w->def.params;
    p->grid_top = 26.0 * dx, p->time_step = 1e-3, p->time_end = 60 * p->time_step;
    w->def.solids = w->solid, w->def.solid_count = 6;
    w->fill[0].kind = RV_FILL_DEPTH, w->fill[0].depth = 3.0 * dx;
    w->def.fill_count = 1;
}

bool rv_large_make(const char *name, int cells, void (*progress)(double share, void *user),
                   void *user, rv_large_world *out, rv_messages *messages)
{
    bool good = true;
    if (strncmp(name, "land", 4) == 0)
        good = make_land(name, out, cells, messages);
    else
        make_decks(out, cells);
    out->def.progress = progress, out->def.progress_user = user;
    return good;
}

void rv_large_free(rv_large_world *w)
{
    free(w->heights);
    w->heights = NULL;
}
