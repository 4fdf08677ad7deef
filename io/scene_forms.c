// From a file and its keys to a form, and the forms of a whole scene.
#include "io/scene_forms.h"

#include "io/picture_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATH_BYTES 8192

// ---- One file -----------------------------------------------------------------------------------

rv_shape rv_form_data_shape(const char *path)
{
    if (rv_mesh_file_is(path)) return RV_SHAPE_MESH;
    if (rv_volume_file_is(path)) return RV_SHAPE_VOLUME;
    if (rv_height_file_is(path)) return RV_SHAPE_HEIGHTS;
    return RV_SHAPE_GROUP;
}

bool rv_form_data_load(const char *path, rv_shape shape, const rv_form_def *def, rv_form_data *out,
                       rv_messages *messages)
{
    *out = (rv_form_data){.shape = shape};
    if (shape == RV_SHAPE_MESH) return rv_mesh_file_load(path, &out->mesh, messages);
    if (shape == RV_SHAPE_VOLUME)
        return rv_volume_file_load_most(path, def->voxels_max, &out->volume, messages);
    return rv_height_file_load(path, &out->heights, messages);
}

void rv_form_data_free(rv_form_data *data)
{
    if (data->shape == RV_SHAPE_MESH) rv_mesh_file_free(&data->mesh);
    if (data->shape == RV_SHAPE_VOLUME) rv_volume_file_free(&data->volume);
    if (data->shape == RV_SHAPE_HEIGHTS) rv_height_file_free(&data->heights);
    *data = (rv_form_data){0};
}

rv_form_def rv_form_data_resolve(const rv_form_data *data, const rv_form_def *def)
{
    rv_form_def whole = *def;
    if (data->shape == RV_SHAPE_HEIGHTS) return whole; // in metres, and up is up
    bool mesh = data->shape == RV_SHAPE_MESH;
    rv_length_unit unit = mesh ? data->mesh.unit : data->volume.unit;
    rv_up_axis up = mesh ? data->mesh.up : RV_UP_Z; // volumes are turned by their reader
    if (whole.unit == RV_UNIT_AUTO) whole.unit = unit;
    if (whole.unit == RV_UNIT_AUTO) whole.unit = mesh ? RV_UNIT_M : RV_UNIT_MM;
    if (whole.up == RV_UP_AUTO) whole.up = up;
    if (whole.up == RV_UP_AUTO) whole.up = RV_UP_Z;
    return whole;
}

static rv_result make_heights(const rv_form_data *data, const rv_form_wish *wish,
                              const rv_form_work *work, rv_form **out, rv_form_report *report,
                              rv_messages *messages)
{
    const rv_height_file *file = &data->heights;
    size_t count = (size_t)file->nx * (size_t)file->ny;
    float *heights = malloc(count * sizeof *heights);
    if (!heights) return RV_OUT_OF_MEMORY;
    double low = wish->def.low, rise = wish->def.high - wish->def.low;
    for (size_t i = 0; i < count; i++) heights[i] = (float)(low + rise * (double)file->share[i]);
    rv_height_map map = {file->nx, file->ny, heights, wish->size_x, wish->size_y};
    rv_result result = rv_form_from_heights(&map, &wish->def, work, out, report, messages);
    free(heights);
    return result;
}

bool rv_form_data_make(const rv_form_data *data, const rv_form_wish *wish, const rv_form_work *work,
                       rv_form **out, rv_form_report *report, rv_messages *messages)
{
    rv_form_wish whole = *wish;
    whole.def = rv_form_data_resolve(data, &wish->def);
    int before = messages->count;
    rv_result result;
    *out = NULL;
    if (data->shape == RV_SHAPE_MESH) {
        const rv_mesh_file *m = &data->mesh;
        rv_triangles mesh = {m->positions, m->vertex_count, m->indices, m->triangle_count};
        result = rv_form_from_triangles(&mesh, &whole.def, work, out, report, messages);
    } else if (data->shape == RV_SHAPE_VOLUME) {
        const rv_volume_file *v = &data->volume;
        rv_volume volume = {.nx = v->nx, .ny = v->ny, .nz = v->nz, .values = v->values};
        volume.first = v->first;
        memcpy(volume.step, v->step, sizeof volume.step);
        result = rv_form_from_volume(&volume, &whole.def, work, out, report, messages);
    } else {
        result = make_heights(data, &whole, work, out, report, messages);
    }
    if (result != RV_OK && messages->count == before)
        rv_messages_add(messages, "%s", rv_result_text(result));
    return result == RV_OK;
}

// ---- A scene's ----------------------------------------------------------------------------------

// Reports the share of all forms, where each reports its own.
typedef struct forms_progress {
    const rv_form_work *work;
    int done, count;
} forms_progress;

static void show(double share, void *user)
{
    const forms_progress *p = user;
    if (p->work->progress) p->work->progress((p->done + share) / p->count, p->work->progress_user);
}

// "scenes/bowl.yaml", "part.stl" → "scenes/part.stl".
char *rv_scene_beside(const char *scene, const char *file)
{
    const char *slash = strrchr(scene, '/');
    size_t folder = slash && file[0] != '/' ? (size_t)(slash - scene) + 1 : 0, rest = strlen(file);
    char *path = malloc(folder + rest + 1);
    if (!path) return NULL;
    memcpy(path, scene, folder);
    memcpy(path + folder, file, rest + 1);
    return path;
}

// The row of the key that a problem starts with, -1: none.
static int key_row(const char *line)
{
    const rv_table *table = rv_form_table();
    for (int i = 0; i < table->count; i++) {
        size_t length = strlen(table->fields[i].key);
        if (strncmp(line, table->fields[i].key, length) == 0 && line[length] == ':') return i;
    }
    return -1;
}

// Problems of the reader start with the file's path, those of the form with a key.
static void place(const rv_scene_file *scene, const rv_scene_form *form, const char *path,
                  const rv_messages *from, rv_messages *to)
{
    size_t prefix = strlen(path);
    int placed = 0;
    for (const char *c = from->text; *c; placed++) {
        size_t length = strcspn(c, "\n");
        char line[1024];
        snprintf(line, sizeof line, "%.*s", (int)length, c);
        int row = key_row(line);
        if (strncmp(line, "size: ", 6) == 0) {
            rv_messages_add(to, "%s:%d: %s.%s", scene->path, form->line, form->key, line);
        } else if (row >= 0 && row < RV_SCENE_FORM_KEYS) {
            rv_messages_add(to, "%s:%d: %s.%s", scene->path,
                            form->lines[row] ? form->lines[row] : form->line, form->key, line);
        } else {
            bool named = strncmp(line, path, prefix) == 0 && strncmp(line + prefix, ": ", 2) == 0;
            rv_messages_add(to, "%s:%d: %s.file: %s: %s", scene->path, form->file_line, form->key,
                            form->file, named ? line + prefix + 2 : line);
        }
        c += length + (c[length] == '\n');
    }
    to->count += from->count - placed; // those whose text did not fit
}

static bool load_form(const rv_scene_file *scene, rv_scene_form *form, const rv_form_work *work,
                      rv_messages *messages)
{
    char *path = rv_scene_beside(scene->path, form->file);
    rv_messages own = {0};
    rv_form_data data = {0};
    const rv_params *p = &scene->params;
    rv_form_wish wish = {form->def, form->size_x, form->size_y};
    if (wish.size_x == 0)
        wish.size_x = p->grid_nx * p->grid_dx, wish.size_y = p->grid_ny * p->grid_dx;
    if (!path) {
        rv_messages_add(messages, "%s: not enough memory", scene->path);
        return false;
    }
    bool good = rv_form_data_load(path, form->shape, &form->def, &data, &own) &&
                rv_form_data_make(&data, &wish, work, &form->form, &form->report, &own);
    if (!good) place(scene, form, path, &own, messages);
    rv_form_data_free(&data);
    free(path);
    return good;
}

static void give_forms(const rv_scene_file *scene, rv_solid_def *solids, const int *which,
                       int count)
{
    for (int i = 0; i < count; i++) {
        if (which[i] < 0) continue;
        const rv_scene_form *form = &scene->forms[which[i]];
        solids[i].form = form->given ? form->given : form->form;
    }
}

// A height map that is as large as the grid stands on it: its place counts from the grid's middle.
// Inside a group it counts from the group's, and a host's own map is where it is.
static void place_maps(rv_scene_file *scene)
{
    for (int i = 0; i < scene->solid_count; i += 1 + scene->solids[i].children) {
        int which = scene->solid_forms[i];
        if (which < 0 || scene->forms[which].shape != RV_SHAPE_HEIGHTS ||
            scene->forms[which].size_x != 0 || scene->forms[which].given || scene->solids[i].form)
            continue;
        scene->solids[i].at.x += scene->params.grid_x;
        scene->solids[i].at.y += scene->params.grid_y;
    }
}

static bool load_affinity(rv_scene_file *scene, rv_messages *messages)
{
    rv_picture_file picture;
    if (!scene->affinity || scene->affinity_map.value) return true;
    if (!rv_picture_load_map(scene->affinity, &picture, messages)) return false;
    scene->affinity_map = (rv_map){picture.width, picture.height, picture.value};
    return true;
}

bool rv_scene_load_forms(rv_scene_file *scene, const rv_form_work *work, rv_messages *messages)
{
    forms_progress progress = {work, 0, scene->form_count};
    rv_form_work inner = *work;
    bool good = true;
    inner.progress = show;
    inner.progress_user = &progress;
    for (int i = 0; i < scene->form_count; i++, progress.done++)
        if (!scene->forms[i].form && !scene->forms[i].given)
            good = load_form(scene, &scene->forms[i], &inner, messages) && good;
    good = load_affinity(scene, messages) && good;
    if (!good) return false;
    place_maps(scene);
    give_forms(scene, scene->solids, scene->solid_forms, scene->solid_count);
    give_forms(scene, scene->tools, scene->tool_forms, scene->tool_count);
    return true;
}
