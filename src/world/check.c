// Checks of a definition before anything is made: ranges by the tables, then what several values
// must satisfy together. Every problem is reported, each on a line that starts with the key.
#define _DEFAULT_SOURCE // sysconf
#include "world/world_internal.h"

#include <stdio.h>
#include <unistd.h>

#define BYTES_PER_COLUMN 100.0

static bool check_box(rv_vec3 from, rv_vec3 to, const char *where, rv_messages *messages)
{
    if (from.x <= to.x && from.y <= to.y && from.z <= to.z) return true;
    rv_messages_add(messages, "%s.to: a component is lower than that of `from`", where);
    return false;
}

static bool check_times(double start, double stop, const char *where, rv_messages *messages)
{
    if (start <= stop) return true;
    rv_messages_add(messages, "%s.stop: %g s is before start, %g s", where, stop, start);
    return false;
}

bool rv_world_check_source(const rv_source_def *source, const char *where, rv_messages *messages)
{
    bool good = rv_table_check(rv_source_table(), source, where, messages);
    return check_times(source->start, source->stop, where, messages) && good;
}

bool rv_world_check_drain(const rv_drain_def *drain, const char *where, rv_messages *messages)
{
    bool good = rv_table_check(rv_drain_table(), drain, where, messages);
    good = check_box(drain->from, drain->to, where, messages) && good;
    return check_times(drain->start, drain->stop, where, messages) && good;
}

static bool check_fill(const rv_fill_def *fill, const char *where, rv_messages *messages)
{
    bool good = rv_table_check(rv_fill_table(), fill, where, messages);
    if (fill->kind != RV_FILL_DROP) good = check_box(fill->from, fill->to, where, messages) && good;
    return good;
}

// Memory of the machine in bytes; 0 when it cannot be known.
static double machine_memory(void)
{
#if defined(_SC_PHYS_PAGES) && defined(_SC_PAGESIZE)
    return (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
#else
    return 0;
#endif
}

// A system that promises more memory than it has ends the process later, so the size is checked
// here; an allocator of the host knows better and is asked instead.
static bool check_size(const rv_world_def *def, rv_messages *messages)
{
    const rv_params *p = &def->params;
    double needs = (double)p->grid_nx * p->grid_ny * BYTES_PER_COLUMN, has = machine_memory();
    if (def->allocator.allocate != rv_default_allocator().allocate || has <= 0 || needs <= has)
        return true;
    rv_messages_add(messages,
                    "grid.nx: %d x %d cells need about %.1f GB of memory; this machine has %.1f GB",
                    p->grid_nx, p->grid_ny, needs * 1e-9, has * 1e-9);
    return false;
}

static bool check_heights(const rv_world_def *def, rv_messages *messages)
{
    const rv_params *p = &def->params;
    int64_t bad = 0, first = 0;
    for (int64_t i = 0; i < (int64_t)p->grid_nx * p->grid_ny; i++)
        if (!isfinite(def->heights[i]) && bad++ == 0) first = i;
    if (bad == 0) return true;
    rv_messages_add(messages, "heights: %lld of the cells are not finite, the first at x %d, y %d",
                    (long long)bad, (int)(first % p->grid_nx), (int)(first / p->grid_nx));
    return false;
}

static bool check_params(const rv_world_def *def, rv_messages *messages)
{
    const rv_params *p = &def->params;
    if (!rv_table_check(rv_params_table(), p, "", messages)) return false;
    bool good = check_size(def, messages);
    if (!(p->grid_top > p->grid_bottom)) {
        rv_messages_add(messages, "grid.top: %g m is not above grid.bottom, %g m", p->grid_top,
                        p->grid_bottom);
        good = false;
    } else if ((p->grid_top - p->grid_bottom) / (p->grid_dx * p->grid_stretch) > 65536 &&
               !def->heights) {
        rv_messages_add(messages, "grid.top: more than 65536 samples above grid.bottom; raise "
                                  "grid.stretch");
        good = false;
    }
    if (!rv_solver_find(p->solver)) {
        rv_messages_add(messages, "solver: not in this build");
        good = false;
    }
    return good;
}

static bool check_count(int count, const void *list, const char *name, rv_messages *messages)
{
    if (count == 0 || (count > 0 && list)) return true;
    rv_messages_add(messages, "%s: %d given, but the list is missing", name, count);
    return false;
}

bool rv_world_check(const rv_world_def *def, rv_messages *messages)
{
    char where[32];
    bool good = check_params(def, messages);
    if (good && def->heights) good = check_heights(def, messages);
    if (!def->allocator.allocate || !def->allocator.release) {
        rv_messages_add(messages, "allocator: allocate or release is missing");
        good = false;
    }
    if (!check_count(def->solid_count, def->solids, "solids", messages) ||
        !check_count(def->fill_count, def->fills, "fills", messages) ||
        !check_count(def->source_count, def->sources, "sources", messages) ||
        !check_count(def->drain_count, def->drains, "drains", messages))
        return false;
    if (!def->heights && !rv_solids_check(def->solids, def->solid_count, messages)) good = false;
    for (int i = 0; i < def->fill_count; i++) {
        snprintf(where, sizeof where, "fills[%d]", i);
        good = check_fill(&def->fills[i], where, messages) && good;
    }
    for (int i = 0; i < def->source_count; i++) {
        snprintf(where, sizeof where, "sources[%d]", i);
        good = rv_world_check_source(&def->sources[i], where, messages) && good;
    }
    for (int i = 0; i < def->drain_count; i++) {
        snprintf(where, sizeof where, "drains[%d]", i);
        good = rv_world_check_drain(&def->drains[i], where, messages) && good;
    }
    return good;
}
