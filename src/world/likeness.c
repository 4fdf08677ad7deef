// What a world must have in common with a snapshot that it takes: the parameters that shape its
// columns and its solver's state. A snapshot carries them, so that where it does not fit one can be
// told which parameter differs, and how.
#include "world/world_internal.h"

#include <stdio.h>
#include <string.h>

static const char *const keys[RV_LIKENESS] = {
    "solver",        "grid.nx",  "grid.ny",    "grid.dx",          "grid.x",     "grid.y",
    "grid.bottom",   "grid.top", "pipes.area", "pipes.neighbours", "splat.form", "splat.radius",
    "splat.spacing", // how much liquid a particle is
    "splat.depth"};

// A parameter of one number.
static double get(const rv_params *params, const rv_field_info *field)
{
    const char *from = (const char *)params + field->offset;
    double real;
    int whole;
    if (field->type == RV_REAL) {
        memcpy(&real, from, sizeof real);
        return real;
    }
    memcpy(&whole, from, sizeof whole);
    return whole;
}

static void put(rv_params *params, const rv_field_info *field, double value)
{
    char *to = (char *)params + field->offset;
    int whole = (int)value;
    if (field->type == RV_REAL)
        memcpy(to, &value, sizeof value);
    else
        memcpy(to, &whole, sizeof whole);
}

// A parameter of another solver says nothing.
static bool counts(const char *key, rv_solver_kind solver)
{
    for (int k = 0; rv_solver_find((rv_solver_kind)k); k++) {
        const char *name = rv_solver_find((rv_solver_kind)k)->name;
        size_t length = strlen(name);
        if (strncmp(key, name, length) == 0 && key[length] == '.') return k == (int)solver;
    }
    return true;
}

void rv_world_likeness(const rv_params *params, double out[RV_LIKENESS])
{
    for (int i = 0; i < RV_LIKENESS; i++) {
        out[i] = 0;
        if (counts(keys[i], params->solver))
            out[i] = get(params, rv_table_find(rv_params_table(), keys[i]));
    }
}

bool rv_world_likeness_good(const double saved[RV_LIKENESS])
{
    for (int i = 0; i < RV_LIKENESS; i++)
        if (!(fabs(saved[i]) < 1e9)) return false;
    return true;
}

bool rv_world_unlike(const rv_params *params, const double saved[RV_LIKENESS], char *out,
                     size_t size)
{
    double own[RV_LIKENESS];
    size_t used = 0;
    rv_world_likeness(params, own);
    out[0] = '\0';
    for (int i = 0; i < RV_LIKENESS; i++) {
        const rv_field_info *field = rv_table_find(rv_params_table(), keys[i]);
        rv_params there = *params;
        char a[48], b[48];
        if (saved[i] == own[i] || !counts(keys[i], params->solver)) continue;
        put(&there, field, saved[i]);
        rv_field_print(field, &there, a, sizeof a);
        rv_field_print(field, params, b, sizeof b);
        int n = snprintf(out + used, size - used, "%s%s is %s there and %s here", used ? ", " : "",
                         keys[i], a, b);
        if (n < 0 || (size_t)n >= size - used) break;
        used += (size_t)n;
        if (i == 0) break; // another solver: nothing else can be compared
    }
    return out[0] != '\0';
}
