// Terrain that is cut and built on while liquid stands on it: ten thousand random edits of random
// layered terrain. No liquid may be made or lost, and what the edits leave must be what casting
// everything again, and building the solver from scratch, would give.
#include "verify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NX 44
#define NY 36
#define DX 1e-3 // m
#define DT 4e-3 // s
#define FIRST_SOLIDS 9
#define MORE_SOLIDS 160 // edits that are made as solids, too

typedef struct scene {
    uint64_t random;
    rv_solid_def solid[FIRST_SOLIDS + MORE_SOLIDS];
    rv_fill_def fill;
    rv_source_def source;
    rv_world_def def;
    int refused; // edits that were not carried out
} scene;

// ---- Random scenes and tools --------------------------------------------------------------------

static double uniform(scene *s, double low, double high)
{
    s->random = s->random * 6364136223846793005ull + 1442695040888963407ull;
    return low + (high - low) * (double)(s->random >> 11) / 9007199254740992.0;
}

static int below(scene *s, int n)
{
    return (int)uniform(s, 0, n);
}

static rv_vec3 random_vector(scene *s, double x, double y, double low, double high)
{
    double a = uniform(s, -x, x), b = uniform(s, -y, y);
    return (rv_vec3){a, b, uniform(s, low, high)};
}

// Somewhere in the grid or a little outside it.
static rv_vec3 random_place(scene *s)
{
    return random_vector(s, 0.55 * NX * DX, 0.55 * NY * DX, -0.001, 0.018);
}

static rv_solid_def random_tool(scene *s, double size)
{
    static const rv_shape shapes[] = {RV_SHAPE_SPHERE,  RV_SHAPE_BOX,  RV_SHAPE_CYLINDER,
                                      RV_SHAPE_CAPSULE, RV_SHAPE_CONE, RV_SHAPE_ELLIPSOID};
    rv_solid_def tool = rv_default_solid_def();
    double r = uniform(s, 0.3, 1) * size;
    tool.shape = shapes[below(s, 6)];
    tool.radius = r, tool.height = uniform(s, 0.5, 3) * r;
    tool.size = (rv_vec3){uniform(s, 0.5, 2) * r, uniform(s, 0.5, 2) * r, uniform(s, 0.5, 2) * r};
    tool.to = random_vector(s, 2 * r, 2 * r, -r, r);
    tool.rotate = random_vector(s, 3, 3, 0, 3);
    if (below(s, 3) == 0) tool.noise = 0.1 * r, tool.noise_size = r;
    return tool;
}

// A rough floor, five shelves over it, three pieces cut out or added, liquid on all of them.
static void make_scene(scene *s, uint64_t seed, rv_passages passages)
{
    memset(s, 0, sizeof *s);
    s->random = seed;
    s->def = rv_verify_def();
    rv_params *p = &s->def.params;
    p->grid_nx = NX, p->grid_ny = NY, p->grid_dx = DX, p->grid_bottom = 0, p->grid_top = 0.02;
    p->pipes_passages = passages, p->liquid_viscosity = 1e-5;
    int n = 0;
    s->solid[n] = rv_default_solid_def();
    s->solid[n].shape = RV_SHAPE_PLANE, s->solid[n].at.z = 0.003;
    s->solid[n].noise = 0.001, s->solid[n++].noise_size = 0.01;
    for (int i = 0; i < 5; i++) {
        rv_vec3 at = random_vector(s, 0.015, 0.012, 0.006, 0.014);
        double x = uniform(s, 0.002, 0.01), y = uniform(s, 0.002, 0.01);
        s->solid[n++] = rv_verify_box(RV_UNION, at.x - x, at.x + x, at.y - y, at.y + y,
                                      at.z - 0.001, at.z + 0.001);
    }
    while (n < FIRST_SOLIDS) {
        s->solid[n] = random_tool(s, 0.005), s->solid[n].at = random_place(s);
        s->solid[n++].op = below(s, 2) ? RV_SUBTRACT : RV_UNION;
    }
    s->fill = rv_default_fill_def();
    s->fill.kind = RV_FILL_DEPTH, s->fill.depth = 0.0015;
    s->source = rv_default_source_def();
    s->source.at = (rv_vec3){0.004, 0.002, 0.0195}, s->source.rate = 2e-7;
    s->def.solids = s->solid, s->def.solid_count = n;
    s->def.fills = &s->fill, s->def.fill_count = 1;
}

static void edit(scene *s, rv_world *world, bool carve, const rv_solid_def *tool,
                 const rv_vec3 *path, int points)
{
    rv_event_def e = rv_default_event_def();
    e.kind = carve ? RV_EVENT_CARVE : RV_EVENT_ADD;
    e.tool = tool, e.tool_count = 1, e.path = path, e.path_count = points;
    s->refused += rv_world_edit(world, &e, NULL, NULL) != RV_OK;
}

// One of three goes along a path of a few cells.
static void random_edit(scene *s, rv_world *world)
{
    rv_solid_def tool = random_tool(s, below(s, 2) ? 0.004 : 0.0015);
    rv_vec3 path[2] = {random_place(s)}, way = random_vector(s, 0.003, 0.003, -0.003, 0.003);
    path[1] = (rv_vec3){path[0].x + way.x, path[0].y + way.y, path[0].z + way.z};
    edit(s, world, below(s, 2), &tool, path, below(s, 3) == 0 ? 2 : 1);
}

// ---- What is measured ---------------------------------------------------------------------------

// Liquid in the columns, summed here and not taken from the statistics, m³.
static double liquid(const rv_world *world)
{
    rv_columns c;
    double depth = 0;
    if (rv_world_get_columns(world, &c) != RV_OK) return NAN;
    for (size_t i = 0; i < c.slots; i++)
        if (c.max[i] > c.base[i]) depth += (double)c.depth[i];
    return depth * c.dx * c.dx;
}

static double held(const rv_world *world)
{
    return rv_verify_stats(world).held;
}

// What is there against what was put in, as a share of that.
static double imbalance(const rv_world *world, double first)
{
    rv_stats s = rv_verify_stats(world);
    double put_in = first + s.sourced;
    return fabs(liquid(world) - (put_in - s.drained)) / put_in;
}

// Columns with a depth that cannot be: NaN, below 0 or over the ceiling.
static double wrong_depths(const rv_world *world)
{
    rv_columns c;
    if (rv_world_get_columns(world, &c) != RV_OK) return NAN;
    double count = (double)rv_verify_stats(world).not_finite;
    for (size_t i = 0; i < c.slots; i++)
        if (c.max[i] > c.base[i]) count += !(c.depth[i] >= 0 && c.depth[i] <= c.max[i] - c.base[i]);
    return count;
}

static bool column_at(const rv_columns *c, int layer, int x, int y, size_t *slot)
{
    if (layer >= c->planes || !rv_plane_has(&c->plane[layer], x, y)) return false;
    *slot = rv_slot(&c->plane[layer], x, y);
    return c->max[*slot] > c->base[*slot];
}

// Cells of a and b whose columns are not the same, bit for bit.
static double cells_apart(const rv_world *a, const rv_world *b)
{
    rv_columns p, q;
    if (rv_world_get_columns(a, &p) != RV_OK || rv_world_get_columns(b, &q) != RV_OK) return NAN;
    double count = 0;
    int layers = p.planes > q.planes ? p.planes : q.planes;
    for (int y = 0; y < p.ny; y++) {
        for (int x = 0; x < p.nx; x++) {
            bool same = true;
            for (int l = 0; l < layers && same; l++) {
                size_t i = 0, j = 0;
                bool in_p = column_at(&p, l, x, y, &i), in_q = column_at(&q, l, x, y, &j);
                same = in_p == in_q && (!in_p || (p.min[i] == q.min[j] && p.base[i] == q.base[j] &&
                                                  p.max[i] == q.max[j]));
            }
            count += !same;
        }
    }
    return count;
}

// ---- The rows -----------------------------------------------------------------------------------

static void tell(rv_report *report, double share)
{
    if (report->progress) report->progress(report->name, share, report->user);
}

// Edits beside a world that was built with the same tools as solids.
static void edit_as_solids(rv_report *report, scene *s, rv_world *world, int edits,
                           const char *word)
{
    int first = s->def.solid_count;
    for (int k = 0; k < edits; k++) {
        rv_solid_def *tool = &s->solid[first + k];
        bool carve = below(s, 2);
        rv_vec3 at = random_place(s);
        *tool = random_tool(s, 0.003);
        edit(s, world, carve, tool, &at, 1);
        tool->at = at, tool->op = carve ? RV_SUBTRACT : RV_UNION;
    }
    rv_world_def def = s->def;
    def.solid_count += edits, def.fill_count = 0;
    rv_world *built = rv_verify_world(report, &def);
    if (built)
        rv_report_add(report, cells_apart(world, built), 0, 0,
                      "cells unlike those built of %d edits, %s", edits, word);
    rv_world_destroy(built);
}

// A world restored from a snapshot has its columns cast and its pipes found from scratch.
static void compare_restored(rv_report *report, scene *s, rv_world *world, const char *word)
{
    rv_messages messages = {0};
    size_t size = rv_world_snapshot_size(world);
    void *snapshot = malloc(size);
    rv_world *fresh = rv_verify_world(report, &s->def);
    double apart = NAN, hashes = NAN;
    if (fresh && snapshot && rv_world_save(world, snapshot, size) == RV_OK &&
        rv_world_restore(fresh, snapshot, size, &messages) == RV_OK) {
        apart = cells_apart(world, fresh);
        for (int k = 0; k < 20; k++) rv_world_step(world, DT), rv_world_step(fresh, DT);
        hashes = rv_world_hash(world) != rv_world_hash(fresh);
    } else if (messages.count > 0) {
        messages.text[strcspn(messages.text, "\n")] = 0;
        rv_report_add(report, NAN, 0, 0, "not restored: %.70s", messages.text);
    }
    rv_report_add(report, apart, 0, 0, "cells unlike those cast again, %s", word);
    rv_report_add(report, hashes, 0, 0, "hashes that differ after 20 more steps, %s", word);
    rv_world_destroy(fresh);
    free(snapshot);
}

// Edits without a step between them, of liquid that has flowed, so that depths are any numbers.
static void edit_still(rv_report *report, scene *s, rv_world *world, int edits, const char *word)
{
    for (int k = 0; k < 20; k++) rv_world_step(world, DT);
    double before = liquid(world) + held(world);
    int as_solids = edits / 2 < MORE_SOLIDS ? edits / 2 : MORE_SOLIDS;
    edit_as_solids(report, s, world, as_solids, word);
    for (int k = as_solids; k < edits; k++) {
        random_edit(s, world);
        if (k % 50 == 0) tell(report, 0.3 * k / edits);
    }
    rv_report_add(report, fabs(liquid(world) + held(world) - before) / before, 0, 1e-12,
                  "volume, %d edits, %s, share", edits, word);
}

static void edit_much(rv_report *report, scene *s, int still, int lively, const char *word)
{
    rv_world *world = rv_verify_world(report, &s->def);
    if (!world) return;
    double first = liquid(world);
    edit_still(report, s, world, still, word);
    double wrong = wrong_depths(world);
    for (int k = 0; k < lively; k++) {
        random_edit(s, world);
        if (k % 3 == 2 && rv_world_step(world, DT) != RV_OK) wrong = NAN;
        if (k % 50 == 49) wrong += wrong_depths(world);
        if (k % 50 == 0) tell(report, 0.3 + 0.7 * k / lively);
    }
    // after a step nothing is held back any more but rounding
    rv_report_add(report, imbalance(world, first), 0, 1e-6, "volume, %d edits, %d steps, %s, share",
                  still + lively, 20 + lively / 3, word);
    rv_report_add(report, wrong, 0, 0, "depths that are NaN or out of bounds, %s", word);
    rv_report_add(report, rv_verify_stats(world).displaced / first, 0, NAN,
                  "liquid pushed aside, %s, share of the first", word);
    compare_restored(report, s, world, word);
    if (s->refused > 0)
        rv_report_add(report, s->refused, 0, 0, "edits that were refused, %s", word);
    rv_world_destroy(world);
}

static void check_edits(rv_report *report)
{
    static const rv_passages passages[] = {RV_PASSAGES_PRESSURE, RV_PASSAGES_UNIFIED,
                                           RV_PASSAGES_AXIS};
    static const char *const word[] = {"pressure", "unified", "axis"};
    scene *s = malloc(sizeof *s);
    for (int i = 0; i < 3 && s; i++) {
        make_scene(s, (uint64_t)i + 1, passages[i]);
        // one of them is fed, and runs out over a border
        if (i == 1) s->def.params.border_west = RV_BORDER_OPEN;
        if (i == 1) s->def.sources = &s->source, s->def.source_count = 1;
        int edits = report->quick ? 150 : i == 0 ? 3334 : 3333;
        edit_much(report, s, edits * 3 / 10, edits - edits * 3 / 10, word[i]);
    }
    free(s);
}

const rv_case rv_case_edits = {
    .name = "edits",
    .title = "Edits",
    .about = "ten thousand random edits keep the liquid and leave the right columns",
    .text = "Random layered terrain with liquid on it is cut and added to at random, ten thousand "
            "times in all, a third of the edits along short paths, with a step after every third. "
            "The columns must be those of a world that was built with the edits as solids, and of "
            "casting everything again; liquid must neither be made nor lost; and a world restored "
            "from a snapshot, whose solver is built from scratch, must go on bit for bit. Shares "
            "are of the first liquid.",
    .run = check_edits,
};
