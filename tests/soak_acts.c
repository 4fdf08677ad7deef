// What a user could do to a world, at random: see soak_acts.h.
#include "soak_acts.h"

#include "random_scene.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double share(soak *s)
{
    return random_share(&s->random);
}

double soak_between(soak *s, double low, double high)
{
    return low + (high - low) * share(s);
}

static int choice(soak *s, int count)
{
    return (int)(share(s) * count);
}

static rv_vec3 place(soak *s)
{
    double x = soak_between(s, s->low.x, s->high.x), y = soak_between(s, s->low.y, s->high.y);
    return (rv_vec3){x, y, soak_between(s, s->low.z, s->high.z)};
}

void soak_blame(soak *s, const char *format, ...)
{
    if (s->why[0]) return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(s->why, sizeof s->why, format, arguments);
    va_end(arguments);
}

rv_stats soak_stats(const soak *s)
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
    if (strstr(f->key, "_level")) return soak_between(s, s->low.z, s->high.z);
    if (strstr(f->key, "_rate") && starts_with(f->key, "border."))
        return share(s) * 0.1 * s->first; // m³/s
    double value =
        own != 0 ? own * pow(10, soak_between(s, -1.5, 1.5)) : share(s) * fmin(f->high, 1e-3);
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
        *to = (rv_vec3){down * soak_between(s, -0.6, 0.6), down * soak_between(s, -0.6, 0.6),
                        0.0 - down};
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
    p.border_east_level = p.border_south_level = soak_between(s, s->low.z, s->high.z);
    s->changes += rv_world_set_params(s->world, &p, NULL) == RV_OK;
}

// ---- What a user does ---------------------------------------------------------------------------

static void pour(soak *s)
{
    double volume = share(s) * 0.02 * s->first;
    s->pours +=
        rv_world_pour(s->world, place(s), soak_between(s, 0, 6) * s->own.grid_dx, volume) > 0;
}

static void edit(soak *s)
{
    rv_solid_def tool = rv_default_solid_def();
    rv_event_def event = rv_default_event_def();
    double dx = s->own.grid_dx;
    rv_vec3 path[2] = {place(s)};
    path[1] = path[0];
    path[1].x += soak_between(s, -5, 5) * dx, path[1].y += soak_between(s, -5, 5) * dx;
    tool.shape = choice(s, 2) == 0 ? RV_SHAPE_SPHERE : RV_SHAPE_BOX;
    tool.radius = soak_between(s, 0.6, 3) * dx;
    tool.size = (rv_vec3){soak_between(s, 1, 6) * dx, soak_between(s, 1, 6) * dx,
                          soak_between(s, 1, 6) * dx};
    event.kind = choice(s, 3) == 0 ? RV_EVENT_ADD : RV_EVENT_CARVE;
    event.tool = &tool, event.tool_count = 1;
    event.path = path, event.path_count = 1 + choice(s, 2);
    rv_result r = rv_world_edit(s->world, &event, NULL, NULL);
    if (r == RV_OUT_OF_MEMORY) soak_blame(s, "no memory for an edit");
    s->edits += r == RV_OK;
}

static void stir(soak *s)
{
    rv_vec3 from = place(s), to = from;
    double reach = 3 * s->own.grid_dx;
    to.x += soak_between(s, -reach, reach), to.y += soak_between(s, -reach, reach);
    s->stirs += rv_world_stir(s->world, from, to, soak_between(s, 1, 5) * s->own.grid_dx,
                              s->own.time_step) == RV_OK;
}

void soak_take_out(soak *s, int which)
{
    rv_world_remove_body(s->world, s->thrown[which]); // it may have left over a border already
    s->thrown[which] = s->thrown[--s->bodies];
}

static void throw_body(soak *s)
{
    rv_body_def body = rv_default_body_def();
    double dx = s->own.grid_dx;
    if (s->bodies == SOAK_BODIES) soak_take_out(s, choice(s, SOAK_BODIES));
    body.shape = choice(s, 2) == 0 ? RV_BODY_SPHERE : RV_BODY_BOX;
    body.at = place(s), body.at.z = s->high.z + soak_between(s, 0, 5) * dx;
    body.radius = soak_between(s, 1, 4) * dx;
    body.size = (rv_vec3){soak_between(s, 2, 7) * dx, soak_between(s, 2, 7) * dx,
                          soak_between(s, 2, 7) * dx};
    body.density = pow(10, soak_between(s, 1.5, 4));
    body.velocity =
        (rv_vec3){soak_between(s, -1, 1), soak_between(s, -1, 1), soak_between(s, -1, 0)};
    body.spin = (rv_vec3){soak_between(s, -9, 9), soak_between(s, -9, 9), soak_between(s, -9, 9)};
    int number;
    if (rv_world_add_body(s->world, &body, &number, NULL) != RV_OK) return;
    s->thrown[s->bodies++] = number;
    s->throws++;
}

void soak_save_and_restore(soak *s)
{
    size_t size = rv_world_snapshot_size(s->world);
    if (size > s->saved_room) {
        free(s->saved);
        s->saved = malloc(size), s->saved_room = s->saved ? size : 0;
    }
    uint64_t hash = rv_world_hash(s->world);
    rv_messages messages = {0};
    if (!s->saved || rv_world_save(s->world, s->saved, size) != RV_OK)
        soak_blame(s, "a snapshot could not be saved");
    else if (rv_world_restore(s->world, s->saved, size, &messages) != RV_OK)
        soak_blame(s, "a snapshot could not be restored: %.150s", messages.text);
    else if (rv_world_hash(s->world) != hash)
        soak_blame(s, "a restored snapshot is not what was saved");
    s->restores++;
}

void soak_act(soak *s)
{
    if (choice(s, 60) == 0) turn_params(s);
    if (choice(s, 50) == 0) turn_borders(s);
    if (choice(s, 12) == 0) pour(s);
    if (choice(s, 25) == 0) edit(s);
    if (choice(s, 10) == 0) stir(s);
    if (choice(s, 60) == 0) throw_body(s);
    if (choice(s, 90) == 0 && s->bodies > 0) soak_take_out(s, choice(s, s->bodies));
    if (choice(s, 150) == 0) soak_save_and_restore(s);
    // solvers without columns have none
    if (choice(s, 40) == 0 && (s->surface || rv_surface_create(s->world, &s->surface) == RV_OK)) {
        rv_result r = rv_surface_update(s->surface, s->world);
        if (r == RV_OUT_OF_MEMORY) soak_blame(s, "no memory for the surface");
    }
}

// ---- Calm ---------------------------------------------------------------------------------------

// Sources and emitters go; the start's snapshot has them again.
static void shut_off(soak *s)
{
    for (int i = rv_world_source_count(s->world) - 1; i >= 0; i--)
        rv_world_remove_source(s->world, i);
    for (int i = rv_world_emitter_count(s->world) - 1; i >= 0; i--)
        rv_world_remove_emitter(s->world, i);
}

void soak_calm(soak *s)
{
    rv_messages messages = {0};
    while (s->bodies > 0) soak_take_out(s, s->bodies - 1);
    if (rv_world_set_params(s->world, &s->own, &messages) != RV_OK)
        soak_blame(s, "the scene's own parameters were refused: %.150s", messages.text);
    shut_off(s);
}

void soak_touch(soak *s)
{
    if (choice(s, 200) == 0) pour(s);
    if (choice(s, 200) == 0) stir(s);
}
