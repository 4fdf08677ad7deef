// From the tree of a YAML file to the definitions of a scene: every key is looked up in the tables,
// every problem becomes one line with its place, and reading goes on to find the next.
#include "io/scene_read.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATH_BYTES 256
// Problems after which keys are no longer compared: a hostile file is long.
#define SUGGESTIONS_MAX 200

typedef struct scene_reader {
    rv_scene_file *scene;
    rv_messages *messages;
    int solid_room;       // capacity of the scene's array of solids and their lines
    bool too_many_solids; // was told
} scene_reader;

// Everything at the top of a scene file that is not a parameter.
static const char *const top_keys[] = {"name",   "title", "about",   "paper",
                                       "solids", "fills", "sources", "drains"};
#define TOP_KEYS ((int)(sizeof top_keys / sizeof top_keys[0]))
#define KEYS_MAX 256

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
    rv_table all = {"scene", rows, count, 0};
    const char *nearest = rv_table_nearest(&all, key);
    if (nearest) snprintf(out, out_size, "%s", nearest);
    return nearest ? out : NULL;
}

static void problem(scene_reader *r, int line, const char *key, const char *what)
{
    rv_messages_add(r->messages, "%s:%d: %s: %s", r->scene->path, line, key, what);
}

static void unknown(scene_reader *r, int line, const char *key, const char *nearest)
{
    if (nearest)
        rv_messages_add(r->messages, "%s:%d: %s: unknown key; did you mean '%s'?", r->scene->path,
                        line, key, nearest);
    else
        problem(r, line, key, "unknown key");
}

static void join(char *out, size_t out_size, const char *prefix, const char *key)
{
    snprintf(out, out_size, "%s%s%s", prefix, *prefix ? "." : "", key);
}

static const char *kind_text(const rv_yaml_node *node)
{
    return node->kind == RV_YAML_MAP ? "a map" : node->kind == RV_YAML_LIST ? "a list" : "a value";
}

static const char *type_text(rv_type type)
{
    switch (type) {
    case RV_REAL:
        return "a number";
    case RV_WHOLE:
        return "a whole number";
    case RV_FLAG:
        return "true or false";
    case RV_WORD:
        return "a word";
    case RV_VECTOR:
        return "three numbers";
    }
    return "a value";
}

// "[x, y, z]" from a list of scalars; false when it is not one or does not fit.
static bool list_text(const rv_yaml_node *list, char *out, size_t out_size)
{
    size_t used = 0;
    int wrote = snprintf(out, out_size, "[");
    for (const rv_yaml_node *n = list->first; n; n = n->next) {
        if (n->kind != RV_YAML_SCALAR || wrote < 0) return false;
        used += (size_t)wrote;
        if (used >= out_size) return false;
        wrote = snprintf(out + used, out_size - used, "%s%s", n->text, n->next ? ", " : "]");
    }
    return list->first && wrote >= 0 && used + (size_t)wrote < out_size;
}

static void read_field(scene_reader *r, const rv_field_info *field, const rv_yaml_node *node,
                       const char *path, void *object)
{
    char why[256], text[PATH_BYTES];
    const char *value = node->text;
    bool fits = node->kind == RV_YAML_SCALAR;
    if (node->kind == RV_YAML_LIST && field->type == RV_VECTOR) {
        fits = list_text(node, text, sizeof text);
        value = text;
        if (fits && node->count != 3) {
            snprintf(why, sizeof why, "has %d numbers, expected three: [x, y, z]", node->count);
            problem(r, node->line, path, why);
            return;
        }
    }
    if (!fits) {
        snprintf(why, sizeof why, "expected %s, not %s", type_text(field->type), kind_text(node));
        problem(r, node->line, path, why);
    } else if (!rv_field_parse(field, value, object, why, sizeof why)) {
        problem(r, node->line, path, why);
    }
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
    return found;
}

static void read_param(scene_reader *r, const rv_field_info *field, const rv_yaml_node *node,
                       const char *path)
{
    int *line = &r->scene->param_lines[field - rv_params_table()->fields];
    // A plain repetition was reported by the YAML reader; here "grid.nx" meets "grid: {nx: …}".
    if (*line > 0) {
        char what[64];
        snprintf(what, sizeof what, "given twice, first on line %d", *line);
        problem(r, node->line, path, what);
        return;
    }
    *line = node->line;
    read_field(r, field, node, path, &r->scene->params);
}

static void read_params(scene_reader *r, const rv_yaml_node *node, const char *prefix)
{
    char path[PATH_BYTES], members[PATH_BYTES], what[PATH_BYTES + 64];
    join(path, sizeof path, prefix, node->key);
    const rv_field_info *field = rv_table_find(rv_params_table(), path);
    if (field) {
        read_param(r, field, node, path);
        return;
    }
    if (!is_group(path, members, sizeof members)) {
        bool few = r->messages->count < SUGGESTIONS_MAX;
        const char *near = few ? rv_scene_nearest_key(path, members, sizeof members) : NULL;
        unknown(r, node->line, path, near);
    } else if (node->kind == RV_YAML_MAP) {
        for (const rv_yaml_node *n = node->first; n; n = n->next)
            if (!n->repeated) read_params(r, n, path);
    } else {
        snprintf(what, sizeof what, "expected a map of %s, not %s", members, kind_text(node));
        problem(r, node->line, path, what);
    }
}

// ---- Items of lists -----------------------------------------------------------------------------

// Which keys do something for which kind of item, and which it cannot do without. What does nothing
// is refused: it is a sign that the author meant something else.
typedef struct use {
    const char *kind;
    const char *keys;
    const char *needed;
} use;

static const char solid_common[] =
    " shape op blend at rotate scale mirror noise noise_size noise_octaves noise_seed ";
static const use solid_uses[] = {
    {"group", " solids ", "solids"},
    {"box", " size round ", NULL},
    {"sphere", " radius ", NULL},
    {"ellipsoid", " size ", NULL},
    {"capsule", " from to radius radius2 ", NULL},
    {"cylinder", " radius height round ", NULL},
    {"cone", " radius radius2 height ", NULL},
    {"torus", " radius radius2 ", "radius2"},
    {"plane", " normal ", NULL},
    {0},
};
static const char fill_common[] = " kind ";
static const use fill_uses[] = {
    {"level", " from to level ", "level"},
    {"depth", " from to depth ", "depth"},
    {"drop", " at radius volume ", "volume"},
    {0},
};
static const use source_uses[] = {{NULL, NULL, "rate"}};

static bool has_word(const char *words, const char *word)
{
    size_t length = strlen(word);
    if (length == 0 || strchr(word, ' ')) return false;
    for (const char *at = words; (at = strstr(at, word)); at++)
        if (at > words && at[-1] == ' ' && at[length] == ' ') return true;
    return false;
}

// " size round " → "size, round".
static void list_keys(const char *keys, char *out, size_t size)
{
    size_t used = 0;
    for (const char *c = keys + 1; *c && c[1] && used + 3 < size; c++) {
        if (*c == ' ') out[used++] = ',';
        out[used++] = *c;
    }
    out[used] = '\0';
}

static const rv_yaml_node *entry(const rv_yaml_node *map, const char *key)
{
    for (const rv_yaml_node *n = map->first; n; n = n->next)
        if (strcmp(n->key, key) == 0) return n;
    return NULL;
}

static void check_uses(scene_reader *r, const rv_yaml_node *item, const char *path, const use *uses,
                       const char *common, const rv_field_info *kind_field, const void *object)
{
    char kind[32] = "", key[PATH_BYTES + 80], what[PATH_BYTES], members[96];
    if (kind_field) rv_field_print(kind_field, object, kind, sizeof kind);
    const use *u = uses;
    while (kind_field && u->kind && strcmp(u->kind, kind) != 0) u++;
    if (kind_field && !u->kind) return;
    if (u->needed && !entry(item, u->needed)) {
        join(key, sizeof key, path, u->needed);
        snprintf(what, sizeof what, "missing%s%s", *kind ? ", needed for " : "", kind);
        problem(r, item->line, key, what);
    }
    for (const rv_yaml_node *n = item->first; n && u->keys; n = n->next) {
        if (has_word(common, n->key) || has_word(u->keys, n->key)) continue;
        join(key, sizeof key, path, n->key);
        list_keys(u->keys, members, sizeof members);
        snprintf(what, sizeof what, "does nothing for %s, which has %s", kind, members);
        problem(r, n->line, key, what);
    }
}

// Reads the entries of one item. Unknown keys are reported here, useless ones by check_uses.
static void read_item(scene_reader *r, const rv_yaml_node *item, const char *path,
                      const rv_table *table, void *object)
{
    char key[PATH_BYTES + 80];
    bool solid = table == rv_solid_table();
    for (const rv_yaml_node *n = item->first; n; n = n->next) {
        join(key, sizeof key, path, n->key);
        if (n->repeated) continue;
        if (solid && strcmp(n->key, "solids") == 0) continue; // read after its group
        const rv_field_info *field = rv_table_find(table, n->key);
        if (solid && strcmp(n->key, "children") == 0) field = NULL; // counted, not given
        if (field) {
            read_field(r, field, n, key, object);
            continue;
        }
        const char *nearest =
            r->messages->count < SUGGESTIONS_MAX ? rv_table_nearest(table, n->key) : NULL;
        if (nearest && strcmp(nearest, "children") == 0) nearest = solid ? "solids" : NULL;
        unknown(r, n->line, key, nearest);
    }
}

static bool is_list_of_maps(scene_reader *r, const rv_yaml_node *list, const char *path)
{
    char key[PATH_BYTES];
    if (list->kind == RV_YAML_SCALAR && list->text[0] == '\0') return true; // "fills:" with nothing
    if (list->kind != RV_YAML_LIST) {
        problem(r, list->line, path,
                list->kind == RV_YAML_MAP ? "expected a list, each item with a '-'"
                                          : "expected a list, not a value");
        return false;
    }
    if (list->count > RV_SCENE_ITEMS_MAX) {
        problem(r, list->line, path, "too many items");
        return false;
    }
    int index = 0;
    bool good = true;
    for (const rv_yaml_node *n = list->first; n; n = n->next, index++) {
        if (n->kind == RV_YAML_MAP) continue;
        snprintf(key, sizeof key, "%.200s[%d]", path, index);
        problem(r, n->line, key, "expected a map of keys");
        good = false;
    }
    return good;
}

static bool out_of_memory(scene_reader *r)
{
    rv_messages_add(r->messages, "%s: not enough memory", r->scene->path);
    return false;
}

// A list of fills, sources or drains. *items becomes an array of `table`'s structs, *lines their
// lines.
static void read_list(scene_reader *r, const rv_yaml_node *list, const rv_table *table,
                      void **items, int **lines, int *count)
{
    if (*items || !is_list_of_maps(r, list, list->key) || list->count == 0) return;
    *items = calloc((size_t)list->count, table->size);
    *lines = calloc((size_t)list->count, sizeof **lines);
    if (!*items || !*lines) {
        out_of_memory(r);
        return;
    }
    for (const rv_yaml_node *n = list->first; n; n = n->next) {
        char path[PATH_BYTES];
        void *object = (char *)*items + (size_t)*count * table->size;
        snprintf(path, sizeof path, "%s[%d]", list->key, *count);
        rv_table_defaults(table, object);
        int before = r->messages->count;
        read_item(r, n, path, table, object);
        if (r->messages->count == before) {
            if (table == rv_fill_table())
                check_uses(r, n, path, fill_uses, fill_common, rv_table_find(table, "kind"),
                           object);
            if (table == rv_source_table()) check_uses(r, n, path, source_uses, "", NULL, object);
        }
        (*lines)[(*count)++] = n->line;
    }
}

static bool grow_solids(scene_reader *r)
{
    rv_scene_file *s = r->scene;
    if (s->solid_count >= RV_SCENE_ITEMS_MAX) {
        if (!r->too_many_solids)
            rv_messages_add(r->messages, "%s: solids: more than %d", s->path, RV_SCENE_ITEMS_MAX);
        r->too_many_solids = true;
        return false;
    }
    if (s->solid_count < r->solid_room) return true;
    int room = r->solid_room ? 2 * r->solid_room : 16;
    rv_solid_def *solids = realloc(s->solids, (size_t)room * sizeof *solids);
    if (solids) s->solids = solids;
    int *lines = realloc(s->solid_lines, (size_t)room * sizeof *lines);
    if (lines) s->solid_lines = lines;
    if (!solids || !lines) return out_of_memory(r);
    r->solid_room = room;
    return true;
}

static void read_solids(scene_reader *r, const rv_yaml_node *list, const char *path);

static void read_solid(scene_reader *r, const rv_yaml_node *item, const char *path)
{
    if (!grow_solids(r)) return;
    rv_scene_file *s = r->scene;
    int index = s->solid_count++, before = r->messages->count;
    s->solid_lines[index] = item->line;
    rv_solid_def solid = rv_default_solid_def();
    read_item(r, item, path, rv_solid_table(), &solid);
    s->solids[index] = solid;
    if (r->messages->count == before)
        check_uses(r, item, path, solid_uses, solid_common,
                   rv_table_find(rv_solid_table(), "shape"), &solid);
    const rv_yaml_node *nested = entry(item, "solids");
    if (!nested) return;
    char key[PATH_BYTES];
    snprintf(key, sizeof key, "%.*s.solids", PATH_BYTES - 8, path);
    read_solids(r, nested, key);
    s->solids[index].children = s->solid_count - index - 1; // the array may have moved
}

static void read_solids(scene_reader *r, const rv_yaml_node *list, const char *path)
{
    if (!is_list_of_maps(r, list, path)) return;
    int index = 0;
    for (const rv_yaml_node *n = list->first; n; n = n->next, index++) {
        char key[PATH_BYTES];
        snprintf(key, sizeof key, "%.200s[%d]", path, index);
        read_solid(r, n, key);
    }
}

void rv_scene_solid_path(const rv_scene_file *scene, int index, char *out, size_t out_size)
{
    size_t used = 0;
    int at = 0, number = 0, end = scene->solid_count;
    out[0] = '\0';
    while (at <= index && at < end) {
        int next = at + 1 + scene->solids[at].children;
        if (index >= next) {
            at = next;
            number++;
            continue;
        }
        int wrote =
            snprintf(out + used, out_size - used, "%ssolids[%d]", used > 0 ? "." : "", number);
        if (wrote < 0 || (size_t)wrote >= out_size - used) return;
        used += (size_t)wrote;
        end = next;
        at++;
        number = 0;
        if (index < at) return;
    }
}

// ---- Texts --------------------------------------------------------------------------------------

static void read_text(scene_reader *r, const rv_yaml_node *node, char **to, size_t most,
                      bool one_line)
{
    char what[64];
    if (node->kind != RV_YAML_SCALAR) {
        problem(r, node->line, node->key, "expected a text");
        return;
    }
    size_t length = strlen(node->text);
    while (length > 0 && (node->text[length - 1] == '\n' || node->text[length - 1] == ' '))
        length--;
    if (length > most) {
        snprintf(what, sizeof what, "longer than %zu bytes", most);
        problem(r, node->line, node->key, what);
    } else if (one_line && (memchr(node->text, '\n', length) || length == 0)) {
        problem(r, node->line, node->key, length == 0 ? "a value is missing" : "must be one line");
    } else {
        char *copy = malloc(length + 1);
        if (!copy) {
            out_of_memory(r);
            return;
        }
        memcpy(copy, node->text, length);
        copy[length] = '\0';
        free(*to);
        *to = copy;
    }
}

#define PAPER_ROW(field)                                                                           \
    {                                                                                              \
#field, RV_REAL, "1", NULL, 0, 1e-6, 1e6, "", offsetof(rv_scene_paper, field)              \
    }
static const rv_field_info paper_rows[] = {
    PAPER_ROW(ms_simulation), PAPER_ROW(ms_surface), PAPER_ROW(ms_rendering), {.key = "figure"}};
static const rv_table paper_table = {"paper", paper_rows, 4, sizeof(rv_scene_paper)};

static void read_paper(scene_reader *r, const rv_yaml_node *node)
{
    rv_scene_paper *paper = &r->scene->paper;
    if (node->kind != RV_YAML_MAP) {
        problem(r, node->line, "paper",
                "expected a map of figure, ms_simulation, ms_surface, ms_rendering");
        return;
    }
    for (const rv_yaml_node *n = node->first; n; n = n->next) {
        char key[PATH_BYTES];
        join(key, sizeof key, "paper", n->key);
        const rv_field_info *field = rv_table_find(&paper_table, n->key);
        if (!field) {
            unknown(r, n->line, key, rv_table_nearest(&paper_table, n->key));
        } else if (strcmp(field->key, "figure") != 0) {
            read_field(r, field, n, key, paper);
        } else if (n->kind != RV_YAML_SCALAR || strlen(n->text) >= sizeof paper->figure) {
            problem(r, n->line, key, "expected a text of at most 63 bytes");
        } else {
            snprintf(paper->figure, sizeof paper->figure, "%s", n->text);
        }
    }
}

static void read_top(scene_reader *r, const rv_yaml_node *n)
{
    rv_scene_file *s = r->scene;
    void *items = NULL;
    if (strcmp(n->key, "name") == 0) {
        read_text(r, n, &s->name, 64, true);
    } else if (strcmp(n->key, "title") == 0) {
        read_text(r, n, &s->title, 200, true);
    } else if (strcmp(n->key, "about") == 0) {
        read_text(r, n, &s->about, 65536, false);
    } else if (strcmp(n->key, "paper") == 0) {
        read_paper(r, n);
    } else if (strcmp(n->key, "solids") == 0) {
        if (!s->solids) read_solids(r, n, "solids");
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
    } else {
        read_params(r, n, "");
    }
}

void rv_scene_read(rv_scene_file *scene, const rv_yaml_node *root, rv_messages *messages)
{
    scene_reader r = {.scene = scene, .messages = messages};
    if (!root || (root->kind == RV_YAML_SCALAR && root->text[0] == '\0')) {
        rv_messages_add(messages, "%s: the file is empty", scene->path);
        return;
    }
    if (root->kind != RV_YAML_MAP) {
        rv_messages_add(messages, "%s:%d: expected a map of keys, like \"grid: {nx: 100}\", not %s",
                        scene->path, root->line, kind_text(root));
        return;
    }
    for (const rv_yaml_node *n = root->first; n; n = n->next)
        if (!n->repeated) read_top(&r, n);
}
