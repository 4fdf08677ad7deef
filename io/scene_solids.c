// The solids of a scene file: groups flattened, and files noted whose data solids are made from.
#include "io/scene_read.h"
#include "io/scene_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_BYTES 4096 // of a file's name

static const char solid_common[] = " shape op blend at rotate scale mirror noise noise_size "
                                   "noise_octaves noise_seed material advancing receding contact "
                                   "cold mover ";
static const rv_key_use solid_uses[] = {
    {"group", " solids ", "solids"},
    {"box", " size round ", NULL},
    {"sphere", " radius ", NULL},
    {"ellipsoid", " size ", NULL},
    {"capsule", " from to radius radius2 ", NULL},
    {"cylinder", " radius height round ", NULL},
    {"cone", " radius radius2 height ", NULL},
    {"torus", " radius radius2 ", "radius2"},
    {"plane", " normal ", NULL},
    {"mesh", " file unit up fit origin thickness fill_holes ", "file"},
    {"volume", " file unit up fit origin threshold label voxels_max ", "file"},
    {"heights", " file size low high ", "file"},
    {0},
};

bool rv_scene_shape_has(rv_shape shape, const char *key)
{
    char kind[32], word[64];
    rv_solid_def solid = {.shape = shape};
    rv_field_print(rv_table_find(rv_solid_table(), "shape"), &solid, kind, sizeof kind);
    snprintf(word, sizeof word, " %.60s ", key);
    for (const rv_key_use *use = solid_uses; use->kind; use++)
        if (strcmp(use->kind, kind) == 0) return strstr(use->keys, word) != NULL;
    return false;
}

static bool is_from_file(rv_shape shape)
{
    return shape == RV_SHAPE_MESH || shape == RV_SHAPE_VOLUME || shape == RV_SHAPE_HEIGHTS;
}

// ---- Files --------------------------------------------------------------------------------------

static bool same_form(const rv_scene_form *a, const rv_scene_form *b)
{
    if (strcmp(a->file, b->file) != 0 || a->shape != b->shape || a->size_x != b->size_x ||
        a->size_y != b->size_y)
        return false;
    const rv_table *table = rv_form_table();
    for (int i = 0; i < table->count; i++) {
        char one[128], other[128];
        rv_field_print(&table->fields[i], &a->def, one, sizeof one);
        rv_field_print(&table->fields[i], &b->def, other, sizeof other);
        if (strcmp(one, other) != 0) return false;
    }
    return true;
}

static char *copy_text(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    if (copy) memcpy(copy, text, size);
    return copy;
}

// The index of this form among the scene's, -1 when there is no memory.
static int form_index(rv_reader *r, const rv_scene_form *form, const char *path)
{
    rv_scene_file *s = r->scene;
    for (int i = 0; i < s->form_count; i++)
        if (same_form(&s->forms[i], form)) return i;
    if (s->form_count >= RV_SCENE_FORMS_MAX) {
        if (!r->too_many_forms)
            rv_messages_add(r->messages, "%s: solids from more than %d files", s->path,
                            RV_SCENE_FORMS_MAX);
        r->too_many_forms = true;
        return -1;
    }
    if (s->form_count == r->form_room) {
        int room = r->form_room ? 2 * r->form_room : 8;
        rv_scene_form *forms = realloc(s->forms, (size_t)room * sizeof *forms);
        if (!forms) return rv_read_no_memory(r) - 1;
        s->forms = forms;
        r->form_room = room;
    }
    rv_scene_form *kept = &s->forms[s->form_count];
    *kept = *form;
    kept->file = copy_text(form->file);
    kept->key = copy_text(path);
    s->form_count++; // rv_scene_free looks at it from here on
    return kept->file && kept->key ? s->form_count - 1 : rv_read_no_memory(r) - 1;
}

static void read_file(rv_reader *r, const rv_yaml_node *node, const char *path, rv_scene_form *form)
{
    char key[RV_READ_PATH + 80];
    rv_read_join(key, sizeof key, path, "file");
    const char *what = NULL;
    if (node->kind != RV_YAML_SCALAR)
        what = "expected the name of a file";
    else if (node->text[0] == '\0')
        what = "a value is missing";
    else if (strlen(node->text) > FILE_BYTES)
        what = "the name is too long";
    else if (strpbrk(node->text, "\n\r"))
        what = "must be one line";
    if (what) rv_read_problem(r, node->line, key, what);
    form->file = (char *)node->text; // copied when it is kept
    form->file_line = node->line;
}

// "80 60 mm" → "80 60 0 mm", "[80 mm, 60 mm]" → "[80 mm, 60 mm, 0]": a map needs no third size.
static bool two_numbers(const rv_yaml_node *node, char *out, size_t out_size)
{
    int wrote;
    if (node->kind == RV_YAML_LIST) {
        if (node->count != 2 || node->first->kind != RV_YAML_SCALAR ||
            node->last->kind != RV_YAML_SCALAR)
            return false;
        wrote = snprintf(out, out_size, "[%s, %s, 0]", node->first->text, node->last->text);
    } else {
        char *first, *second, *third;
        if (node->kind != RV_YAML_SCALAR) return false;
        (void)strtod(node->text, &first);
        (void)strtod(first, &second);
        (void)strtod(second, &third);
        if (first == node->text || second == first || third != second) return false;
        wrote =
            snprintf(out, out_size, "%.*s 0 %s", (int)(second - node->text), node->text, second);
    }
    return wrote > 0 && (size_t)wrote < out_size;
}

static void read_map_size(rv_reader *r, const rv_yaml_node *node, const char *path,
                          rv_scene_form *form)
{
    char key[RV_READ_PATH + 80], text[RV_READ_PATH];
    rv_solid_def solid = rv_default_solid_def();
    rv_yaml_node flat = *node;
    int before = r->messages->count;
    rv_read_join(key, sizeof key, path, "size");
    solid.size.z = 0;
    if (two_numbers(node, text, sizeof text)) flat.kind = RV_YAML_SCALAR, flat.text = text;
    rv_read_field(r, rv_table_find(rv_solid_table(), "size"), &flat, key, &solid);
    form->size_x = solid.size.x, form->size_y = solid.size.y;
    if (r->messages->count > before) return;
    if (solid.size.z != 0)
        rv_read_problem(r, node->line, key,
                        "a height map has a width and a length; its heights are low and high");
    else if (!(form->size_x > 0 && form->size_y > 0))
        rv_read_problem(r, node->line, key, "width and length must be larger than 0");
}

// What the keys of a solid say about its file. -1: it has none, or a problem was told.
static int read_form(rv_reader *r, const rv_yaml_node *item, const char *path, rv_scene_form *form)
{
    char key[RV_READ_PATH + 80];
    int before = r->messages->count;
    const rv_yaml_node *file = rv_read_entry(item, "file"), *size = rv_read_entry(item, "size");
    const rv_yaml_node *threshold = rv_read_entry(item, "threshold");
    if (file) read_file(r, file, path, form);
    if (form->shape == RV_SHAPE_HEIGHTS && size) read_map_size(r, size, path, form);
    if (form->def.label >= 0 && threshold) {
        rv_read_join(key, sizeof key, path, "threshold");
        rv_read_problem(r, threshold->line, key, "does nothing beside label");
    }
    return file && r->messages->count == before ? form_index(r, form, path) : -1;
}

// ---- Solids -------------------------------------------------------------------------------------

static bool grow(rv_reader *r, rv_solid_list *list)
{
    if (r->solids.count + r->tools.count >= RV_SCENE_ITEMS_MAX) {
        if (!r->too_many_solids)
            rv_messages_add(r->messages, "%s: solids: more than %d", r->scene->path,
                            RV_SCENE_ITEMS_MAX);
        r->too_many_solids = true;
        return false;
    }
    if (list->count < list->room) return true;
    int room = list->room ? 2 * list->room : 16;
    rv_solid_def *solids = realloc(list->solids, (size_t)room * sizeof *solids);
    if (solids) list->solids = solids;
    int *lines = realloc(list->lines, (size_t)room * sizeof *lines);
    if (lines) list->lines = lines;
    int *forms = realloc(list->forms, (size_t)room * sizeof *forms);
    if (forms) list->forms = forms;
    if (!solids || !lines || !forms) return rv_read_no_memory(r);
    list->room = room;
    return true;
}

// The keys of one solid into `solid` and `form`.
static void read_keys(rv_reader *r, const rv_yaml_node *item, const char *path, rv_solid_def *solid,
                      rv_scene_form *form)
{
    const rv_yaml_node *shape = rv_read_entry(item, "shape");
    bool map = shape && shape->kind == RV_YAML_SCALAR && strcmp(shape->text, "heights") == 0;
    const char *const others[] = {"solids", "file", map ? "size" : NULL, NULL};
    const rv_read_target targets[] = {{rv_solid_table(), solid, NULL},
                                      {rv_form_table(), &form->def, form->lines}};
    int before = r->messages->count;
    rv_read_item(r, item, path, targets, 2, others);
    form->shape = solid->shape;
    if (r->messages->count == before)
        rv_read_uses(r, item, path, solid_uses, solid_common,
                     rv_table_find(rv_solid_table(), "shape"), solid);
}

static void read_list(rv_reader *r, const rv_yaml_node *node, const char *path,
                      rv_solid_list *list);

static void read_solid(rv_reader *r, const rv_yaml_node *item, const char *path,
                       rv_solid_list *list, bool top)
{
    if (!grow(r, list)) return;
    char key[RV_READ_PATH + 80];
    int index = list->count++;
    rv_solid_def *solid = &list->solids[index];
    rv_scene_form form = {.def = rv_default_form_def(), .line = item->line};
    *solid = rv_default_solid_def();
    list->lines[index] = item->line;
    list->forms[index] = -1;
    int before = r->messages->count;
    read_keys(r, item, path, solid, &form);
    if (solid->mover != 0 && !top) {
        rv_read_join(key, sizeof key, path, "mover");
        rv_read_problem(r, rv_read_entry(item, "mover")->line, key,
                        list == &r->tools ? "a part of a tool does not move by itself"
                                          : "only at the top: give it to the outermost group");
    }
    if (r->messages->count == before && is_from_file(solid->shape))
        list->forms[index] = read_form(r, item, path, &form);
    const rv_yaml_node *nested = rv_read_entry(item, "solids");
    if (!nested) return;
    snprintf(key, sizeof key, "%.*s.solids", RV_READ_PATH - 8, path);
    read_list(r, nested, key, list);
    list->solids[index].children = list->count - index - 1; // the array may have moved
}

static void read_list(rv_reader *r, const rv_yaml_node *node, const char *path, rv_solid_list *list)
{
    if (!rv_read_is_list(r, node, path)) return;
    bool top = list == &r->solids && strcmp(path, "solids") == 0;
    int index = 0;
    for (const rv_yaml_node *n = node->first; n; n = n->next, index++) {
        char key[RV_READ_PATH];
        snprintf(key, sizeof key, "%.200s[%d]", path, index);
        read_solid(r, n, key, list, top);
    }
}

void rv_read_solids(rv_reader *r, const rv_yaml_node *node, const char *where, rv_solid_list *list,
                    bool or_one)
{
    if (or_one && node->kind == RV_YAML_MAP)
        read_solid(r, node, where, list, false);
    else
        read_list(r, node, where, list);
}

void rv_scene_solid_path(const rv_solid_def *solids, int count, const char *list, int index,
                         char *out, size_t out_size)
{
    size_t used = 0;
    int at = 0, number = 0, end = count;
    out[0] = '\0';
    while (at <= index && at < end) {
        int next = at + 1 + solids[at].children;
        if (index >= next) {
            at = next;
            number++;
            continue;
        }
        int wrote = snprintf(out + used, out_size - used, "%s%s[%d]", used > 0 ? "." : "",
                             used > 0 ? "solids" : list, number);
        if (wrote < 0 || (size_t)wrote >= out_size - used) return;
        used += (size_t)wrote;
        end = next;
        at++;
        number = 0;
        if (index < at) return;
    }
}
