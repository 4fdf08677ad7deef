// `rivulet inspect`: what a mesh, a volume, a height map or a scene is, what
// was repaired in it, and how many columns it gives each cell of a grid.
#include "app/inspect.h"

#include "app/options.h"
#include "app/progress.h"
#include "io/atomic_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SETS_MAX 64
#define MARGIN 2 // cells around a file's box

static const rv_option options[] = {
    {"--cells", "N", "cells along the longer side of a file's box (default: 100)"},
    {"--unit", "UNIT", "length that 1 stands for in the file: m, cm, mm, um, in, ft"},
    {"--up", "AXIS", "the file's axis that points up: z, y, x"},
    {"--thickness", "L", "make a mesh's faces plates of this thickness"},
    {"--threshold", "V", "of a volume: values from here on are solid"},
    {"--label", "N", "of a volume: this value is solid"},
    {"--width", "L", "of a height map: its size along x (default: 100 mm)"},
    {"--set", "KEY=VALUE",
     "any key that a solid from a file has in a scene (fit, origin, "
     "fill_holes,\n"
     "low, high …); for a scene: any parameter"},
    {"--image", "FILE.png", "a picture of the columns of each cell"},
    {"--threads", "N", "threads; default: all cores"},
    {"--quiet", NULL, "no progress bar and no map"},
};
static const rv_command command = {"inspect", "FILE [options]",
                                   "Prints what FILE is: a mesh (.obj .stl .ply .gltf .glb), a "
                                   "volume (.nii .nii.gz .nrrd .nhdr),\n"
                                   "a height map (.png), or a scene (.yaml, or a shipped name): "
                                   "its size, whether it is closed, what\n"
                                   "was repaired; then how many columns it gives each cell of a "
                                   "grid, with a map, and lines to paste\n"
                                   "into a scene. Lengths may have units (`--thickness '2 mm'`).",
                                   options, (int)(sizeof options / sizeof options[0]), NULL};

typedef struct inspect_options {
    const char *path, *image;
    long cells, threads;
    double width; // m
    const char *sets[SETS_MAX];
    int set_count;
    rv_form_def def;
    bool given[RV_SCENE_FORM_KEYS]; // per row of rv_form_table()
    bool cells_given, width_given;
    bool quiet;
} inspect_options;

typedef struct inspect_state {
    rv_inspection found;
    rv_pool *pool;
    rv_progress progress;
    const char *doing; // stands beside the bar
    rv_scene_file scene;
    rv_messages messages;
} inspect_state;

// ---- Options ------------------------------------------------------------------------------------

// Options are read before the file's name is known: what does nothing is told afterwards.
static bool set_key(inspect_options *o, const char *option, const char *key, const char *value)
{
    char why[256];
    o->given[rv_table_find(rv_form_table(), key) - rv_form_table()->fields] = true;
    if (rv_field_parse(rv_table_find(rv_form_table(), key), value, &o->def, why, sizeof why))
        return true;
    rv_usage_error(&command, "%s: %s", option, why);
    return false;
}

// "KEY=VALUE" for a file; a scene takes its own.
static bool apply_set(inspect_options *o, const char *assignment)
{
    char key[64], option[160];
    size_t length = strcspn(assignment, "=");
    snprintf(key, sizeof key, "%.*s", length < 63 ? (int)length : 63, assignment);
    if (!assignment[length] || length == 0) {
        rv_usage_error(&command, "--set %s: expected KEY=VALUE", assignment);
        return false;
    }
    if (!rv_table_find(rv_form_table(), key)) {
        const char *near = rv_table_nearest(rv_form_table(), key);
        rv_usage_error(&command, "--set %s: unknown key%s%s%s", assignment,
                       near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
        return false;
    }
    snprintf(option, sizeof option, "--set %.140s", assignment);
    return set_key(o, option, key, assignment + length + 1);
}

static bool take_option(void *user, const char *name, const char *value)
{
    inspect_options *o = user;
    if (strcmp(name, "--image") == 0) {
        o->image = value;
    } else if (strcmp(name, "--quiet") == 0) {
        o->quiet = true;
    } else if (strcmp(name, "--cells") == 0) {
        o->cells_given = true;
        return rv_option_whole(&command, name, value, 4, 4000, &o->cells);
    } else if (strcmp(name, "--threads") == 0) {
        return rv_option_whole(&command, name, value, 1, 1024, &o->threads);
    } else if (strcmp(name, "--width") == 0) {
        o->width_given = true;
        return rv_option_real(&command, name, value, "m", 1e-6, 1e6, &o->width);
    } else if (strcmp(name, "--set") == 0) {
        if (o->set_count == SETS_MAX) {
            rv_usage_error(&command, "--set: more than %d of them", SETS_MAX);
            return false;
        }
        o->sets[o->set_count++] = value;
    } else {
        return set_key(o, name, name + 2, value);
    }
    return true;
}

// -1: go on; else the exit code.
static int parse(inspect_options *o, int argc, char **argv)
{
    *o = (inspect_options){.cells = 100, .threads = rv_hardware_threads(), .width = 0.1};
    o->def = rv_default_form_def();
    int status = rv_args_read(&command, argc, argv, "file", &o->path, take_option, o);
    if (status >= 0) return status;
    if (!o->path) return rv_usage_error(&command, "which file?");
    rv_messages messages = {0};
    if (o->image) rv_output_check("--image", o->image, "png", &messages);
    return messages.count > 0 ? rv_print_messages(&messages) : -1;
}

// ---- Columns ------------------------------------------------------------------------------------

static void show(double share, void *user)
{
    inspect_state *s = user;
    rv_progress_show(&s->progress, share, s->doing);
}

// 0.637 mm → 0.64 mm: a length that a person would choose, not smaller.
static double round_up(double value)
{
    double power = pow(10, floor(log10(value)) - 1);
    double steps = ceil(value / power - 1e-9);
    char text[32];
    snprintf(text, sizeof text, "%.2g", steps * power);
    return strtod(text, NULL);
}

// A grid around the form's box: it stands on the ground, with a margin around
// it.
static void fit_grid(rv_inspection *f, long cells)
{
    const rv_form_report *r = &f->report;
    double x = r->high.x - r->low.x, y = r->high.y - r->low.y, z = r->high.z - r->low.z;
    rv_params *p = &f->params;
    bool map = f->data.shape == RV_SHAPE_HEIGHTS;
    if (map) x = f->wish.size_x, y = f->wish.size_y, z = r->most - r->least;
    double longer = fmax(fmax(x, y), 1e-4 * z);
    *p = rv_default_params();
    p->grid_dx = fmax(round_up(fmax(longer, 1e-5) / (double)cells), 1e-6);
    p->grid_nx = (int)ceil(x / p->grid_dx - 1e-6) + (map ? 0 : 2 * MARGIN);
    p->grid_ny = (int)ceil(y / p->grid_dx - 1e-6) + (map ? 0 : 2 * MARGIN);
    p->grid_x = map ? 0 : 0.5 * (r->low.x + r->high.x);
    p->grid_y = map ? 0 : 0.5 * (r->low.y + r->high.y);
    // Of a map the ground is below its lowest place; a solid stands on it.
    double room = round_up(fmax(0.1 * z, 2 * p->grid_dx));
    double low = map ? r->least : r->low.z, high = map ? r->most : r->high.z;
    p->grid_bottom = map ? floor(low / room - 0.5) * room : low;
    p->grid_top = ceil(high / room + 0.5) * room;
    // Enough samples over the height of a flat thing, not too many over that of a
    // tall one.
    double samples = z / p->grid_dx;
    double stretch = samples < 30 ? samples / 30 : samples > 1000 ? samples / 1000 : 1;
    p->grid_stretch = round_up(fmin(fmax(stretch, 0.05), 20));
}

static bool count_columns(rv_inspection *f)
{
    rv_world_get_info(f->world, &f->info);
    rv_world_get_columns(f->world, &f->columns);
    const rv_columns *c = &f->columns;
    size_t cells = (size_t)c->nx * (size_t)c->ny;
    f->counts = calloc(cells, sizeof *f->counts);
    f->tops = malloc(cells * sizeof *f->tops);
    if (!f->counts || !f->tops) return false;
    for (size_t i = 0; i < cells; i++) f->tops[i] = (float)c->bottom;
    for (int l = 0; l < c->planes; l++) {
        const rv_plane *plane = &c->plane[l];
        for (int y = plane->y0; y < plane->y0 + plane->ny; y++)
            for (int x = plane->x0; x < plane->x0 + plane->nx; x++) {
                size_t slot = rv_slot(plane, x, y), cell = (size_t)y * (size_t)c->nx + (size_t)x;
                if (c->max[slot] <= c->base[slot]) continue;
                f->counts[cell]++;
                if (c->base[slot] > f->tops[cell]) f->tops[cell] = c->base[slot];
            }
    }
    return true;
}

// Messages about a file's form and columns, with its name before each.
static void take_messages(inspect_state *s, const rv_messages *from)
{
    for (const char *line = from->text; *line;) {
        size_t length = strcspn(line, "\n");
        rv_messages_add(&s->messages, "%s: %.*s", s->found.path, (int)length, line);
        line += length + (line[length] == '\n');
    }
}

static bool make_world(inspect_state *s, rv_world_def *def)
{
    rv_inspection *f = &s->found;
    rv_messages messages = {0};
    double started = rv_seconds();
    def->pool = s->pool;
    def->progress = show;
    def->progress_user = s;
    s->doing = "casting columns";
    s->progress.started = started;
    rv_result result = rv_world_create(def, &f->world, &messages);
    f->cast_s = rv_seconds() - started;
    if (result == RV_OK) {
        if (count_columns(f)) return true;
        result = RV_OUT_OF_MEMORY;
    }
    if (messages.count == 0) rv_messages_add(&messages, "%s", rv_result_text(result));
    if (s->scene.path)
        rv_scene_place(&s->scene, &messages, &s->messages);
    else
        take_messages(s, &messages);
    return false;
}

// ---- Files and scenes ---------------------------------------------------------------------------

static rv_form_work work_of(inspect_state *s)
{
    rv_form_work work = rv_default_form_work();
    work.pool = s->pool;
    work.progress = show;
    work.progress_user = s;
    s->doing = "making the form";
    s->progress.started = rv_seconds();
    return work;
}

static bool make_form(inspect_state *s, const inspect_options *o)
{
    rv_inspection *f = &s->found;
    rv_messages messages = {0};
    rv_form_work work = work_of(s);
    double started = rv_seconds();
    f->wish.def = o->def;
    bool placed = o->given[rv_table_find(rv_form_table(), "origin") - rv_form_table()->fields];
    if (!placed && f->data.shape != RV_SHAPE_HEIGHTS) f->wish.def.origin = RV_ORIGIN_BASE;
    f->wish.size_x = o->width;
    if (f->data.shape == RV_SHAPE_HEIGHTS)
        f->wish.size_y = o->width * f->data.heights.ny / f->data.heights.nx;
    bool good = rv_form_data_make(&f->data, &f->wish, &work, &f->form, &f->report, &messages);
    f->form_s = rv_seconds() - started;
    take_messages(s, &messages);
    return good;
}

static bool inspect_file(inspect_state *s, const inspect_options *o)
{
    rv_inspection *f = &s->found;
    double started = rv_seconds();
    rv_progress_show(&s->progress, 0, "reading");
    bool good =
        rv_form_data_load(o->path, rv_form_data_shape(o->path), &o->def, &f->data, &s->messages);
    f->read_s = rv_seconds() - started;
    if (!good) return false;
    good = make_form(s, o);
    if (good) {
        rv_world_def def = rv_default_world_def();
        rv_solid_def solid = rv_default_solid_def();
        fit_grid(f, o->cells);
        solid.shape = f->data.shape;
        solid.form = f->form;
        def.params = f->params;
        def.solids = &solid, def.solid_count = 1;
        good = make_world(s, &def);
    }
    rv_progress_clear(&s->progress);
    rv_inspect_print_file(f);
    if (f->form) rv_inspect_print_form(f);
    if (good) rv_inspect_print_columns(f);
    return good;
}

static bool inspect_scene(inspect_state *s)
{
    rv_inspection *f = &s->found;
    rv_form_work work = work_of(s);
    double started = rv_seconds();
    bool good = rv_scene_load_forms(&s->scene, &work, &s->messages);
    f->form_s = rv_seconds() - started;
    f->path = s->scene.path;
    if (good) {
        rv_world_def def = rv_scene_world_def(&s->scene);
        f->params = def.params;
        good = make_world(s, &def);
    }
    rv_progress_clear(&s->progress);
    if (!good) return false;
    rv_inspect_print_scene(&s->scene);
    if (f->params.solver != RV_SOLVER_GLASS) rv_inspect_print_columns(f);
    rv_inspect_print_particles(f);
    return true;
}

// A name with another extension is neither a scene's file nor a shipped scene.
static bool is_unknown(const char *path)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    if (rv_form_data_shape(path) != RV_SHAPE_GROUP || !dot) return false;
    return strcmp(dot, ".yaml") != 0 && strcmp(dot, ".yml") != 0;
}

// Refuses options that do nothing for what the path names. A group stands for a scene.
static bool check_given(const inspect_options *o, rv_shape shape)
{
    const rv_table *table = rv_form_table();
    char word[16];
    rv_solid_def solid = {.shape = shape};
    rv_field_print(rv_table_find(rv_solid_table(), "shape"), &solid, word, sizeof word);
    if (shape == RV_SHAPE_GROUP) snprintf(word, sizeof word, "a scene");
    const char *useless = NULL;
    for (int i = 0; i < table->count; i++)
        if (o->given[i] && !rv_scene_shape_has(shape, table->fields[i].key))
            useless = table->fields[i].key;
    if (o->width_given && shape != RV_SHAPE_HEIGHTS) useless = "width";
    if (o->cells_given && shape == RV_SHAPE_GROUP) useless = "cells";
    if (!useless) return true;
    rv_usage_error(&command, "%s: %s does nothing for %s", o->path, useless, word);
    return false;
}

// Everything of the command line that needs to know what the path names. -1: go on.
static int open_input(inspect_state *s, inspect_options *o, rv_shape shape)
{
    if (is_unknown(o->path)) {
        rv_messages_add(
            &s->messages,
            "%s: not a kind of file that is known here: .obj .stl .ply .gltf .glb, .nii "
            ".nii.gz .hdr .nrrd .nhdr, .png, .yaml",
            o->path);
        return rv_print_messages(&s->messages);
    }
    if (shape != RV_SHAPE_GROUP) {
        for (int i = 0; i < o->set_count; i++)
            if (!apply_set(o, o->sets[i])) return RV_EXIT_USAGE;
    }
    if (!check_given(o, shape)) return RV_EXIT_USAGE;
    if (shape == RV_SHAPE_GROUP && !rv_app_load(o->path, o->sets, o->set_count, &s->scene))
        return RV_EXIT_USAGE;
    return -1;
}

static int inspect(inspect_state *s, inspect_options *o)
{
    rv_inspection *f = &s->found;
    rv_shape shape = rv_form_data_shape(o->path);
    bool file = shape != RV_SHAPE_GROUP;
    int status = open_input(s, o, shape);
    if (status >= 0) return status;
    f->path = o->path;
    s->pool = o->threads > 1 ? rv_pool_create((int)o->threads) : NULL;
    s->progress = rv_progress_start(o->quiet);
    bool good = file ? inspect_file(s, o) : inspect_scene(s);
    rv_progress_clear(&s->progress);
    // nothing stands on a pane
    bool flat = good && f->params.solver == RV_SOLVER_GLASS;
    if (good && !flat && !o->quiet) rv_inspect_print_map(f);
    if (file && f->data.shape != RV_SHAPE_GROUP) rv_inspect_print_advice(f);
    fflush(stdout); // before what went wrong
    if (!good) return rv_print_messages(&s->messages);
    if (o->image && !rv_inspect_write_image(f, o->image, &s->messages)) {
        rv_print_messages(&s->messages);
        return 1;
    }
    return 0;
}

int rv_app_inspect(int argc, char **argv)
{
    inspect_options o;
    int status = parse(&o, argc, argv);
    if (status >= 0) return status;
    inspect_state *s = calloc(1, sizeof *s);
    if (!s) return rv_usage_error(&command, "not enough memory");
    status = inspect(s, &o);
    rv_world_destroy(s->found.world);
    rv_form_free(s->found.form);
    rv_form_data_free(&s->found.data);
    rv_scene_free(&s->scene);
    rv_pool_destroy(s->pool);
    free(s->found.counts);
    free(s->found.tops);
    free(s);
    return status;
}
