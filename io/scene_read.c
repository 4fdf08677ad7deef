// From the tree of a YAML file to the definitions of a scene: every key is looked up in the tables,
// every problem becomes one line with its place, and reading goes on to find the next.
#include "io/scene_read.h"

#include "io/scene_reader.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Everything at the top of a scene file that is not a parameter.
static const char *const top_keys[] = {"like",   "name",     "title",       "about",    "paper",
                                       "solids", "fills",    "sources",     "drains",   "events",
                                       "bodies", "emitters", "environment", "backdrop", "affinity"};
#define TOP_KEYS ((int)(sizeof top_keys / sizeof top_keys[0]))
#define KEYS_MAX 512

// Adds the group of a parameter's key ("grid" of "grid.nx") unless it is the last one added.
static int add_group(const char *key, rv_field_info *rows, char (*names)[32], int count,
                     int *groups)
{
    size_t length = strcspn(key, ".");
    if (!key[length] || length >= sizeof names[0] || *groups >= 32 || count >= KEYS_MAX)
        return count;
    if (*groups > 0 && strlen(names[*groups - 1]) == length &&
        memcmp(names[*groups - 1], key, length) == 0)
        return count;
    snprintf(names[*groups], sizeof names[0], "%.*s", (int)length, key);
    rows[count].key = names[(*groups)++];
    return count + 1;
}

const char *rv_scene_nearest_key(const char *key, char *out, size_t out_size)
{
    rv_field_info rows[KEYS_MAX] = {0};
    char names[32][32];
    const rv_table *params = rv_params_table();
    int count = 0, groups = 0;
    for (; count < TOP_KEYS; count++) rows[count].key = top_keys[count];
    for (int i = 0; i < params->count && count < KEYS_MAX; i++) {
        count = add_group(params->fields[i].key, rows, names, count, &groups);
        if (count < KEYS_MAX) rows[count++].key = params->fields[i].key;
    }
    if (count < KEYS_MAX) rows[count++].key = rv_liquid_field()->key;
    rv_table all = {"scene", rows, count, 0};
    const char *nearest = rv_table_nearest(&all, key);
    if (nearest) snprintf(out, out_size, "%s", nearest);
    return nearest ? out : NULL;
}

const char *rv_scene_nearest_set(const char *key)
{
    rv_field_info rows[KEYS_MAX] = {{.key = "environment"},
                                    {.key = "backdrop"},
                                    {.key = "affinity"},
                                    {.key = rv_liquid_field()->key}};
    const rv_table *params = rv_params_table();
    int count = 4;
    for (int i = 0; i < params->count && count < KEYS_MAX; i++)
        rows[count++].key = params->fields[i].key;
    rv_table all = {"set", rows, count, 0};
    return rv_table_nearest(&all, key);
}

// ---- Parameters ---------------------------------------------------------------------------------

// Whether any parameter's key starts with "path."; the members are listed for a message.
static bool is_group(const char *path, char *members, size_t size)
{
    const rv_table *table = rv_params_table();
    size_t length = strlen(path), used = 0;
    bool found = false;
    for (int i = 0; i < table->count; i++) {
        const char *key = table->fields[i].key;
        if (strncmp(key, path, length) != 0 || key[length] != '.') continue;
        int wrote =
            snprintf(members + used, size - used, "%s%s", found ? ", " : "", key + length + 1);
        found = true;
        if (wrote > 0 && used + (size_t)wrote < size) used += (size_t)wrote;
    }
    if (strcmp(path, "liquid") == 0) snprintf(members + used, size - used, ", preset");
    return found;
}

static void read_param(rv_reader *r, const rv_field_info *field, const rv_yaml_node *node,
                       const char *path)
{
    int *line = &r->scene->param_lines[field - rv_params_table()->fields];
    // A plain repetition was reported by the YAML reader; here "grid.nx" meets "grid: {nx: …}".
    if (*line > 0) {
        char what[64];
        snprintf(what, sizeof what, "given twice, first on line %d", *line);
        rv_read_problem(r, node->line, path, what);
        return;
    }
    *line = node->line;
    rv_read_field(r, field, node, path, &r->scene->params);
}

// `liquid: {preset: blood}` or `liquid.preset: blood`, wherever it stands: it is read before all
// parameters, so that what the scene says of its liquid itself goes before the preset.
static void read_preset(rv_reader *r, const rv_yaml_node *root)
{
    const rv_field_info *field = rv_liquid_field();
    const rv_yaml_node *found[2] = {rv_read_entry(root, field->key), NULL};
    const rv_yaml_node *group = rv_read_entry(root, "liquid");
    if (group && group->kind == RV_YAML_MAP) found[1] = rv_read_entry(group, "preset");
    for (int i = 0; i < 2; i++) {
        rv_liquid_look look = RV_LOOK_WATER;
        int before = r->messages->count;
        if (!found[i]) continue;
        if (i == 1 && found[0]) {
            rv_read_problem(r, found[1]->line, field->key, "given twice");
            continue;
        }
        rv_read_field(r, field, found[i], field->key, &look);
        if (r->messages->count == before) rv_params_set_liquid(&r->scene->params, look);
    }
}

static void read_params(rv_reader *r, const rv_yaml_node *node, const char *prefix)
{
    char path[RV_READ_PATH], members[RV_READ_PATH], what[RV_READ_PATH + 64];
    rv_read_join(path, sizeof path, prefix, node->key);
    if (strcmp(path, rv_liquid_field()->key) == 0) return; // was read before
    const rv_field_info *field = rv_table_find(rv_params_table(), path);
    if (field) {
        read_param(r, field, node, path);
        return;
    }
    if (!is_group(path, members, sizeof members)) {
        const char *gone = rv_param_gone(path);
        if (gone) {
            rv_read_problem(r, node->line, path, gone);
            return;
        }
        bool few = r->messages->count < RV_READ_SUGGESTIONS;
        const char *near = few ? rv_scene_nearest_key(path, members, sizeof members) : NULL;
        rv_read_unknown(r, node->line, path, near);
    } else if (node->kind == RV_YAML_MAP) {
        for (const rv_yaml_node *n = node->first; n; n = n->next)
            if (!n->repeated) read_params(r, n, path);
    } else {
        snprintf(what, sizeof what, "expected a map of %s, not %s", members,
                 rv_read_kind_text(node));
        rv_read_problem(r, node->line, path, what);
    }
}

// ---- Items of lists -----------------------------------------------------------------------------

static const char fill_common[] = " kind velocity ";
static const rv_key_use fill_uses[] = {
    {"level", " from to level ", "level"},
    {"depth", " from to depth ", "depth"},
    {"drop", " at radius volume ", "volume"},
    {0},
};
static const char body_common[] =
    " shape motion at density mass velocity spin restitution friction drag start material ";
static const rv_key_use body_uses[] = {
    {"sphere", " radius ", "radius"},
    {"box", " size rotate ", "size"},
    {0},
};
static const char emitter_common[] = " kind velocity start ";
static const rv_key_use emitter_uses[] = {
    {"block", " from to ", "to"},
    {"drop", " at radius ", "radius"},
    {"jet", " at radius stop ", "velocity"},
    {"rain", " from to radius rate stop ", "rate"},
    {0},
};
static const rv_key_use source_uses[] = {{NULL, NULL, "rate"}};

// Which keys do something in the items of a list.
typedef struct list_uses {
    const rv_table *table;
    const rv_key_use *uses;
    const char *common, *kind; // kind: the key that decides; NULL: all items are alike
} list_uses;

static list_uses uses_of(const rv_table *table)
{
    const list_uses lists[] = {{rv_fill_table(), fill_uses, fill_common, "kind"},
                               {rv_body_table(), body_uses, body_common, "shape"},
                               {rv_emitter_table(), emitter_uses, emitter_common, "kind"},
                               {rv_source_table(), source_uses, "", NULL}};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        if (lists[i].table == table) return lists[i];
    return (list_uses){0};
}

// Tells which keys of an item do nothing and which are missing, by the list it stands in.
static void check_uses(rv_reader *r, const rv_yaml_node *item, const char *path,
                       const rv_table *table, const void *object)
{
    list_uses list = uses_of(table);
    if (list.table)
        rv_read_uses(r, item, path, list.uses, list.common,
                     list.kind ? rv_table_find(table, list.kind) : NULL, object);
}

// What a shape has of its own is for others to no avail; the size of what comes from a file was
// used when the file was named.
static bool solid_uses_key(const rv_solid_def *solid, const char *key)
{
    if (rv_scene_shape_has(solid->shape, key))
        return strcmp(key, "size") != 0 || solid->shape < RV_SHAPE_MESH;
    for (int shape = 0; shape <= (int)RV_SHAPE_HEIGHTS; shape++)
        if (rv_scene_shape_has((rv_shape)shape, key)) return false;
    return true;
}

bool rv_scene_item_uses(const rv_table *table, const void *object, const char *key)
{
    char kind[32], word[64];
    if (table == rv_solid_table()) return solid_uses_key(object, key);
    list_uses list = uses_of(table);
    if (!list.kind) return true;
    rv_field_print(rv_table_find(table, list.kind), object, kind, sizeof kind);
    snprintf(word, sizeof word, " %.60s ", key);
    if (strstr(list.common, word)) return true;
    for (const rv_key_use *use = list.uses; use->kind; use++)
        if (strcmp(use->kind, kind) == 0) return strstr(use->keys, word) != NULL;
    return false;
}

// A list whose first item is the word `like` goes on from the one of the scene that this scene is
// like; other lists take its place. Returns the list without that word.
static rv_yaml_node own_items(const rv_yaml_node *list, bool *goes_on)
{
    rv_yaml_node own = *list;
    const rv_yaml_node *first = list->kind == RV_YAML_LIST ? list->first : NULL;
    *goes_on = first && first->kind == RV_YAML_SCALAR && strcmp(first->text, "like") == 0;
    if (*goes_on) own.first = first->next, own.count--;
    return own;
}

// A list of fills, sources, drains, bodies or emitters. *items becomes an array of `table`'s
// structs, *lines their lines.
static void read_list(rv_reader *r, const rv_yaml_node *list, const rv_table *table, void **items,
                      int **lines, int *count)
{
    bool goes_on;
    rv_yaml_node own = own_items(list, &goes_on);
    if (!goes_on) {
        free(*items), free(*lines);
        *items = NULL, *lines = NULL, *count = 0;
    }
    if (!rv_read_is_list(r, &own, list->key) || own.count == 0) return;
    size_t room = (size_t)*count + (size_t)own.count;
    void *grown = realloc(*items, room * table->size);
    if (grown) *items = grown;
    int *grown_lines = realloc(*lines, room * sizeof **lines);
    if (grown_lines) *lines = grown_lines;
    if (!grown || !grown_lines) {
        rv_read_no_memory(r);
        return;
    }
    const char *no_others = NULL;
    for (const rv_yaml_node *n = own.first; n; n = n->next) {
        char path[RV_READ_PATH];
        void *object = (char *)*items + (size_t)*count * table->size;
        snprintf(path, sizeof path, "%s[%d]", list->key, *count);
        rv_table_defaults(table, object);
        int before = r->messages->count;
        rv_read_target target = {table, object, NULL};
        rv_read_item(r, n, path, &target, 1, &no_others);
        if (r->messages->count == before) check_uses(r, n, path, table, object);
        (*lines)[(*count)++] = n->line;
    }
}

// ---- Texts --------------------------------------------------------------------------------------

static void read_text(rv_reader *r, const rv_yaml_node *node, char **to, size_t most, bool one_line)
{
    char what[64];
    if (node->kind != RV_YAML_SCALAR) {
        rv_read_problem(r, node->line, node->key, "expected a text");
        return;
    }
    size_t length = strlen(node->text);
    while (length > 0 && (node->text[length - 1] == '\n' || node->text[length - 1] == ' '))
        length--;
    if (length > most) {
        snprintf(what, sizeof what, "longer than %zu bytes", most);
        rv_read_problem(r, node->line, node->key, what);
    } else if (one_line && (memchr(node->text, '\n', length) || length == 0)) {
        rv_read_problem(r, node->line, node->key,
                        length == 0 ? "a value is missing" : "must be one line");
    } else {
        char *copy = malloc(length + 1);
        if (!copy) {
            rv_read_no_memory(r);
            return;
        }
        memcpy(copy, node->text, length);
        copy[length] = '\0';
        free(*to);
        *to = copy;
    }
}

// `environment: FILE` and its like, beside the scene; a word stands for the one that is made.
static void read_picture(rv_reader *r, const rv_yaml_node *node, char **to)
{
    char *name = NULL;
    int before = r->messages->count;
    read_text(r, node, &name, 4096, true);
    if (r->messages->count == before) {
        bool made = rv_scene_made(r->scene, node->key, name);
        char *path = made ? NULL : rv_scene_beside(r->scene->path, name);
        if (!made && !path) rv_read_no_memory(r);
        free(*to);
        *to = path;
    }
    free(name);
}

#define PAPER_ROW(field)                                                                           \
    {                                                                                              \
        .key = #field, .type = RV_REAL, .unit = "1", .low = 1e-6, .high = 1e6, .meaning = "",      \
        .offset = offsetof(rv_scene_paper, field)                                                  \
    }
static const rv_field_info paper_rows[] = {
    PAPER_ROW(ms_simulation), PAPER_ROW(ms_surface), PAPER_ROW(ms_rendering), {.key = "figure"}};
static const rv_table paper_table = {"paper", paper_rows, 4, sizeof(rv_scene_paper)};

static void read_paper(rv_reader *r, const rv_yaml_node *node)
{
    rv_scene_paper *paper = &r->scene->paper;
    if (node->kind != RV_YAML_MAP) {
        rv_read_problem(r, node->line, "paper",
                        "expected a map of figure, ms_simulation, ms_surface, ms_rendering");
        return;
    }
    for (const rv_yaml_node *n = node->first; n; n = n->next) {
        char key[RV_READ_PATH];
        rv_read_join(key, sizeof key, "paper", n->key);
        const rv_field_info *field = rv_table_find(&paper_table, n->key);
        if (!field) {
            rv_read_unknown(r, n->line, key, rv_table_nearest(&paper_table, n->key));
        } else if (strcmp(field->key, "figure") != 0) {
            rv_read_field(r, field, n, key, paper);
        } else if (n->kind != RV_YAML_SCALAR || strlen(n->text) >= sizeof paper->figure) {
            rv_read_problem(r, n->line, key, "expected a text of at most 63 bytes");
        } else {
            snprintf(paper->figure, sizeof paper->figure, "%s", n->text);
        }
    }
}

// What the scene that this one is like has, and this one gives itself.
static void free_solids(rv_solid_list *list)
{
    free(list->solids), free(list->lines), free(list->forms);
    *list = (rv_solid_list){0};
}

static void free_events(rv_reader *r)
{
    rv_scene_file *s = r->scene;
    free_solids(&r->tools);
    free(s->events), free(s->event_lines), free(s->points);
    s->events = NULL, s->event_lines = NULL, s->points = NULL;
    s->event_count = s->point_count = r->point_room = 0;
}

static void read_top(rv_reader *r, const rv_yaml_node *n)
{
    rv_scene_file *s = r->scene;
    rv_yaml_node own;
    bool goes_on;
    void *items = NULL;
    char **picture;
    const char *word;
    if (strcmp(n->key, "like") == 0) {
        return; // was loaded before
    } else if (strcmp(n->key, "name") == 0) {
        read_text(r, n, &s->name, 64, true);
    } else if (strcmp(n->key, "title") == 0) {
        read_text(r, n, &s->title, 200, true);
    } else if (strcmp(n->key, "about") == 0) {
        read_text(r, n, &s->about, 65536, false);
    } else if (strcmp(n->key, "paper") == 0) {
        read_paper(r, n);
    } else if ((picture = rv_scene_picture(s, n->key, &word)) != NULL) {
        read_picture(r, n, picture);
    } else if (strcmp(n->key, "solids") == 0) {
        own = own_items(n, &goes_on);
        if (!goes_on) free_solids(&r->solids);
        rv_read_solids(r, &own, "solids", &r->solids, false);
    } else if (strcmp(n->key, "events") == 0) {
        own = own_items(n, &goes_on);
        if (!goes_on) free_events(r);
        rv_read_events(r, &own);
    } else if (strcmp(n->key, "fills") == 0) {
        items = s->fills;
        read_list(r, n, rv_fill_table(), &items, &s->fill_lines, &s->fill_count);
        s->fills = items;
    } else if (strcmp(n->key, "sources") == 0) {
        items = s->sources;
        read_list(r, n, rv_source_table(), &items, &s->source_lines, &s->source_count);
        s->sources = items;
    } else if (strcmp(n->key, "drains") == 0) {
        items = s->drains;
        read_list(r, n, rv_drain_table(), &items, &s->drain_lines, &s->drain_count);
        s->drains = items;
    } else if (strcmp(n->key, "bodies") == 0) {
        items = s->bodies;
        read_list(r, n, rv_body_table(), &items, &s->body_lines, &s->body_count);
        s->bodies = items;
    } else if (strcmp(n->key, "emitters") == 0) {
        items = s->emitters;
        read_list(r, n, rv_emitter_table(), &items, &s->emitter_lines, &s->emitter_count);
        s->emitters = items;
    } else {
        read_params(r, n, "");
    }
}

// What was read is the scene's now.
static void take_lists(rv_reader *r)
{
    rv_scene_file *s = r->scene;
    s->solids = r->solids.solids, s->tools = r->tools.solids;
    s->solid_lines = r->solids.lines, s->tool_lines = r->tools.lines;
    s->solid_forms = r->solids.forms, s->tool_forms = r->tools.forms;
    s->solid_count = r->solids.count, s->tool_count = r->tools.count;
    rv_read_events_finish(s);
}

// A pane is seen straight on unless its scene says otherwise.
static void face_pane(rv_params *p)
{
    const rv_params usual = rv_default_params();
    if (p->solver != RV_SOLVER_GLASS) return;
    if (p->view_azimuth == usual.view_azimuth) p->view_azimuth = -0.5 * 3.14159265358979;
    if (p->view_elevation == usual.view_elevation) p->view_elevation = 1.57;
}

void rv_scene_read(rv_scene_file *scene, const rv_yaml_node *root, rv_messages *messages)
{
    rv_reader r = {.scene = scene, .messages = messages};
    r.solids = (rv_solid_list){scene->solids, scene->solid_lines, scene->solid_forms,
                               scene->solid_count, scene->solid_count};
    r.tools = (rv_solid_list){scene->tools, scene->tool_lines, scene->tool_forms, scene->tool_count,
                              scene->tool_count};
    r.form_room = scene->form_count, r.point_room = scene->point_count;
    if (!root || (root->kind == RV_YAML_SCALAR && root->text[0] == '\0')) {
        rv_messages_add(messages, "%s: the file is empty", scene->path);
        return;
    }
    if (root->kind != RV_YAML_MAP) {
        rv_messages_add(messages, "%s:%d: expected a map of keys, like \"grid: {nx: 100}\", not %s",
                        scene->path, root->line, rv_read_kind_text(root));
        return;
    }
    read_preset(&r, root);
    for (const rv_yaml_node *n = root->first; n; n = n->next)
        if (!n->repeated) read_top(&r, n);
    face_pane(&scene->params);
    take_lists(&r);
}
