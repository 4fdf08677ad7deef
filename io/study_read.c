// Reading a study file: YAML in, a study out. Every problem is one line with file, line and key,
// and all of them come at once. Values are tried on the scene itself, so that a study that opens
// has keys that exist and values in their ranges.
#include "io/study_file.h"

#include "io/file_bytes.h"
#include "io/mesh_write.h"
#include "io/scene_read.h"
#include "io/state_file.h"
#include "io/study_reader.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_BYTES_MAX (1u << 20)
#define DEPTH_MAX 8

static const char *const top_keys[] = {"scene", "title", "folder", "time", "set",
                                       "vary",  "draw",  "draws",  "seed", "sampling",
                                       "keep",  "table", "plots"};
#define TOP_KEYS ((int)(sizeof top_keys / sizeof top_keys[0]))

// ---- Problems -----------------------------------------------------------------------------------

void rv_study_problem(rv_study_reader *r, int line, const char *key, const char *format, ...)
{
    char what[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    rv_messages_add(r->messages, "%s:%d: %s: %s", r->study->path, line, key, what);
}

void rv_study_unknown(rv_study_reader *r, const rv_yaml_node *node, const char *path,
                      const char *const *keys, int count)
{
    rv_field_info rows[32] = {0};
    for (int i = 0; i < count && i < 32; i++) rows[i].key = keys[i];
    rv_table table = {"keys", rows, count < 32 ? count : 32, 0};
    const char *near = rv_table_nearest(&table, node->key);
    if (near)
        rv_study_problem(r, node->line, path, "unknown key; did you mean '%s'?", near);
    else
        rv_study_problem(r, node->line, path, "unknown key");
}

char *rv_study_copy(rv_study_reader *r, const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    if (copy)
        memcpy(copy, text, size);
    else
        rv_messages_add(r->messages, "%s: not enough memory", r->study->path);
    return copy;
}

bool rv_study_is_map(rv_study_reader *r, const rv_yaml_node *node, const char *path)
{
    if (node->kind == RV_YAML_SCALAR && node->text[0] == '\0') return true; // nothing in it
    if (node->kind == RV_YAML_MAP) return true;
    rv_study_problem(r, node->line, path, "expected a map of keys");
    return false;
}

bool rv_study_scalar(rv_study_reader *r, const rv_yaml_node *node, const char *path)
{
    if (node->kind == RV_YAML_SCALAR && node->text[0] != '\0') return true;
    rv_study_problem(r, node->line, path,
                     node->kind == RV_YAML_SCALAR ? "a value is missing" : "expected one value");
    return false;
}

bool rv_study_real(rv_study_reader *r, const rv_yaml_node *node, const char *path, const char *unit,
                   double low, double high, double *out)
{
    char why[256];
    rv_field_info field = {.key = path, .type = RV_REAL, .unit = unit, .low = low, .high = high};
    if (!rv_study_scalar(r, node, path)) return false;
    if (rv_field_parse(&field, node->text, out, why, sizeof why)) return true;
    rv_study_problem(r, node->line, path, "%s", why);
    return false;
}

bool rv_study_whole(rv_study_reader *r, const rv_yaml_node *node, const char *path, double low,
                    double high, double *out)
{
    if (!rv_study_real(r, node, path, "1", low, high, out)) return false;
    if (*out == floor(*out)) return true;
    rv_study_problem(r, node->line, path, "'%s' is not a whole number", node->text);
    return false;
}

// One of words "a|b"; the place of the one, −1: it is none, which was told.
int rv_study_word(rv_study_reader *r, const rv_yaml_node *node, const char *path, const char *words)
{
    char why[256];
    int value = -1; // enums are ints here, as in all tables of words
    rv_field_info field = {.key = path, .type = RV_WORD, .unit = "", .words = words};
    if (!rv_study_scalar(r, node, path)) return -1;
    if (rv_field_parse(&field, node->text, &value, why, sizeof why)) return value;
    rv_study_problem(r, node->line, path, "%s", why);
    return -1;
}

static bool flag(rv_study_reader *r, const rv_yaml_node *node, const char *path, bool *out)
{
    char why[256];
    rv_field_info field = {.key = path, .type = RV_FLAG, .unit = ""};
    if (!rv_study_scalar(r, node, path)) return false;
    if (rv_field_parse(&field, node->text, out, why, sizeof why)) return true;
    rv_study_problem(r, node->line, path, "%s", why);
    return false;
}

// ---- Columns ------------------------------------------------------------------------------------

const char *rv_study_part_text(rv_study_part part)
{
    static const char *const texts[] = {"last", "min", "max", "mean"};
    return texts[part];
}

bool rv_study_find_column(const rv_study *s, const char *text, rv_study_column *out)
{
    size_t length = strcspn(text, ".");
    *out = (rv_study_column){-1, RV_PART_LAST};
    for (int i = 0; i < s->names.count; i++)
        if (strlen(s->names.name[i]) == length && strncmp(s->names.name[i], text, length) == 0)
            out->column = i;
    if (out->column < 0 || s->names.clock[out->column]) return false;
    if (!text[length]) return true;
    for (int k = 0; k < RV_STUDY_PARTS; k++)
        if (strcmp(text + length + 1, rv_study_part_text((rv_study_part)k)) == 0) {
            out->part = (rv_study_part)k;
            return true;
        }
    return false;
}

static void unknown_column(rv_study_reader *r, const rv_yaml_node *node, const char *path,
                           const char *text)
{
    char list[400] = "";
    size_t used = 0;
    const rv_study_names *n = &r->study->names;
    for (int i = 0; i < n->count && used < sizeof list; i++)
        if (!n->clock[i])
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "",
                                     n->name[i]);
    rv_study_problem(r, node->line, path, "no column '%s'; there are %s", text, list);
}

static void add_extra(rv_study_reader *r, const rv_yaml_node *node, const char *path, int column)
{
    rv_study *s = r->study;
    int part = rv_study_word(r, node, path, "last|min|max|mean");
    if (part <= RV_PART_LAST) return; // the last value is in the table anyway
    rv_study_column *grown = realloc(s->extra, ((size_t)s->extra_count + 1) * sizeof *grown);
    if (!grown) {
        rv_messages_add(r->messages, "%s: not enough memory", s->path);
        return;
    }
    s->extra = grown;
    s->extra[s->extra_count++] = (rv_study_column){column, (rv_study_part)part};
}

// table: {deepest: [max, mean], fastest: max}
static void read_table(rv_study_reader *r, const rv_yaml_node *node)
{
    if (!rv_study_is_map(r, node, "table")) return;
    for (const rv_yaml_node *n = node->first; n; n = n->next) {
        char path[128];
        rv_study_column column;
        snprintf(path, sizeof path, "table.%.100s", n->key);
        if (n->repeated) continue;
        if (strchr(n->key, '.') || !rv_study_find_column(r->study, n->key, &column))
            unknown_column(r, n, path, n->key);
        else if (n->kind == RV_YAML_LIST)
            for (const rv_yaml_node *i = n->first; i; i = i->next)
                add_extra(r, i, path, column.column);
        else
            add_extra(r, n, path, column.column);
    }
}

// ---- Plots --------------------------------------------------------------------------------------

static int find_parameter(rv_study_reader *r, const rv_yaml_node *node, const char *path)
{
    if (!rv_study_scalar(r, node, path)) return -1;
    for (int k = 0; k < r->study->param_count; k++)
        if (strcmp(r->study->params[k].key, node->text) == 0) return k;
    rv_study_problem(r, node->line, path, "'%s' is not a parameter that this study varies or draws",
                     node->text);
    return -1;
}

static void plot_key(rv_study_reader *r, const rv_yaml_node *n, const char *path,
                     rv_study_plot *plot, int *log)
{
    static const char *const keys[] = {"x", "y", "by", "log"};
    if (strcmp(n->key, "x") == 0)
        plot->x = find_parameter(r, n, path);
    else if (strcmp(n->key, "by") == 0)
        plot->by = find_parameter(r, n, path);
    else if (strcmp(n->key, "log") == 0)
        *log = rv_study_word(r, n, path, "none|x|y|xy");
    else if (strcmp(n->key, "y") != 0)
        rv_study_unknown(r, n, path, keys, 4);
    else if (rv_study_scalar(r, n, path) && !rv_study_find_column(r->study, n->text, &plot->y))
        unknown_column(r, n, path, n->text);
}

static void read_plot(rv_study_reader *r, const rv_yaml_node *node, int number)
{
    rv_study_plot plot = {.y = {-1, RV_PART_LAST}, .x = -1, .by = -1};
    char path[128];
    int log = -1, before = r->messages->count;
    for (const rv_yaml_node *n = node->first; n; n = n->next) {
        snprintf(path, sizeof path, "plots[%d].%.100s", number, n->key);
        if (!n->repeated) plot_key(r, n, path, &plot, &log);
    }
    snprintf(path, sizeof path, "plots[%d]", number);
    if (r->messages->count > before) return;
    if (plot.x < 0 || plot.y.column < 0) {
        rv_study_problem(r, node->line, path,
                         "needs x, a parameter, and y, a column of statistics");
        return;
    }
    plot.log_x = log < 0 ? r->study->params[plot.x].log : (log & 1) != 0;
    plot.log_y = log > 0 && (log & 2) != 0;
    rv_study *s = r->study;
    rv_study_plot *grown = realloc(s->plots, ((size_t)s->plot_count + 1) * sizeof *grown);
    if (!grown) return;
    s->plots = grown;
    s->plots[s->plot_count++] = plot;
}

static void read_plots(rv_study_reader *r, const rv_yaml_node *node)
{
    int number = 0;
    if (node->kind != RV_YAML_LIST) {
        rv_study_problem(r, node->line, "plots", "expected a list, each item with a '-'");
        return;
    }
    for (const rv_yaml_node *n = node->first; n; n = n->next, number++) {
        char path[32];
        snprintf(path, sizeof path, "plots[%d]", number);
        if (n->kind != RV_YAML_MAP)
            rv_study_problem(r, n->line, path, "expected a map of x, y, by, log");
        else
            read_plot(r, n, number);
    }
}

// ---- What is kept -------------------------------------------------------------------------------

static void keep_key(rv_study_reader *r, const rv_yaml_node *n, const char *path)
{
    static const char *const keys[] = {"state", "mesh",     "terrain", "picture",
                                       "film",  "snapshot", "every"};
    rv_study_keep *k = &r->study->keep;
    const struct {
        const char *key, *words;
        char *to;
    } endings[] = {{"state", RV_STATE_EXTENSIONS, k->state},
                   {"mesh", RV_MESH_WRITE_EXTENSIONS, k->mesh},
                   {"terrain", RV_MESH_WRITE_EXTENSIONS, k->terrain}};
    const struct {
        const char *key;
        bool *to;
    } flags[] = {{"picture", &k->picture}, {"film", &k->film}, {"snapshot", &k->snapshot}};
    for (int i = 0; i < 3; i++) {
        if (strcmp(n->key, endings[i].key) == 0) {
            if (rv_study_word(r, n, path, endings[i].words) >= 0)
                snprintf(endings[i].to, sizeof k->state, "%.7s", n->text);
            return;
        }
        if (strcmp(n->key, flags[i].key) == 0) {
            flag(r, n, path, flags[i].to);
            return;
        }
    }
    if (strcmp(n->key, "every") == 0)
        rv_study_real(r, n, path, "s", 1e-6, 1e9, &k->every);
    else
        rv_study_unknown(r, n, path, keys, 7);
}

static void read_keep(rv_study_reader *r, const rv_yaml_node *node)
{
    if (!rv_study_is_map(r, node, "keep")) return;
    for (const rv_yaml_node *n = node->first; n; n = n->next) {
        char path[128];
        snprintf(path, sizeof path, "keep.%.100s", n->key);
        if (!n->repeated) keep_key(r, n, path);
    }
    const rv_study_keep *k = &r->study->keep;
    if (k->film && !k->picture && !k->mesh[0])
        rv_study_problem(r, node->line, "keep.film", "needs picture or mesh, to have many of");
}

// ---- The top ------------------------------------------------------------------------------------

static const rv_yaml_node *entry(const rv_yaml_node *root, const char *key)
{
    for (const rv_yaml_node *n = root->first; n; n = n->next)
        if (strcmp(n->key, key) == 0) return n;
    return NULL;
}

static void text_of(rv_study_reader *r, const rv_yaml_node *node, const char *path, char **to)
{
    if (!node || !rv_study_scalar(r, node, path)) return;
    if (strlen(node->text) > 1000 || strchr(node->text, '\n')) {
        rv_study_problem(r, node->line, path, "must be one line, of at most 1000 bytes");
        return;
    }
    free(*to);
    *to = rv_study_copy(r, node->text);
}

// The scene, on which all values are tried.
static bool load_scene(rv_study_reader *r, const rv_yaml_node *root)
{
    rv_study *s = r->study;
    const rv_yaml_node *node = entry(root, "scene");
    rv_messages own = {0};
    if (!node) {
        rv_messages_add(r->messages, "%s: scene: is missing: the name of a scene, or a file",
                        s->path);
        return false;
    }
    text_of(r, node, "scene", &s->scene);
    if (!s->scene) return false;
    const char *dot = strrchr(s->scene, '.');
    bool file =
        strchr(s->scene, '/') || (dot && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0));
    s->scene_file = file;
    s->scene_path = file ? rv_scene_beside(s->path, s->scene) : rv_study_copy(r, s->scene);
    if (!s->scene_path) return false;
    if (rv_scene_load(s->scene_path, &r->scene, &own)) return true;
    rv_study_problem(r, node->line, "scene", "%.*s", (int)strcspn(own.text, "\n"), own.text);
    return false;
}

// Of the scene's file: a study of a scene that was changed is another one.
static void hash_scene(rv_study_reader *r)
{
    rv_file_bytes bytes;
    rv_messages unread = {0};
    uint64_t hash = rv_study_hash(0xcbf29ce484222325u, "", 1);
    if (rv_file_read(r->scene.path, RV_SCENE_BYTES_MAX, &bytes, &unread)) {
        hash = rv_study_hash(hash, bytes.data, bytes.size);
        rv_file_bytes_free(&bytes);
    }
    r->study->scene_hash = hash;
}

// "studies/reach.yaml" → "studies/reach", unless the file says another.
static void name_folder(rv_study_reader *r, const rv_yaml_node *root)
{
    rv_study *s = r->study;
    char *name = NULL;
    text_of(r, entry(root, "folder"), "folder", &name);
    if (name) {
        s->folder = rv_scene_beside(s->path, name);
        free(name);
        return;
    }
    s->folder = rv_study_copy(r, s->path);
    char *slash = s->folder ? strrchr(s->folder, '/') : NULL;
    char *dot = s->folder ? strrchr(slash ? slash : s->folder, '.') : NULL;
    if (dot && dot > s->folder && dot[-1] != '/')
        *dot = '\0';
    else if (s->folder)
        rv_messages_add(r->messages, "%s: folder: is missing, and the file's name gives none",
                        s->path);
}

static void read_numbers(rv_study_reader *r, const rv_yaml_node *root)
{
    rv_study *s = r->study;
    double value;
    const rv_yaml_node *time = entry(root, "time"), *seed = entry(root, "seed");
    const rv_yaml_node *draws = entry(root, "draws"), *sampling = entry(root, "sampling");
    const rv_yaml_node *draw = entry(root, "draw");
    s->time = r->scene.params.time_end;
    if (time) rv_study_real(r, time, "time", "s", 1e-9, 1e9, &s->time);
    if (seed && rv_study_whole(r, seed, "seed", 0, 9007199254740992.0, &value))
        s->seed = (uint64_t)value;
    if (draws && rv_study_whole(r, draws, "draws", 1, RV_STUDY_RUNS_MAX, &value))
        s->draws = (int)value;
    if (sampling) s->latin = rv_study_word(r, sampling, "sampling", "random|latin") == 1;
    const rv_yaml_node *useless = draws ? draws : sampling ? sampling : seed;
    if (draw && !draws)
        rv_study_problem(r, draw->line, "draw", "needs draws, how many there are to be");
    if (!draw && useless)
        rv_study_problem(r, useless->line, useless->key, "does nothing without draw");
}

static void count_runs(rv_study_reader *r)
{
    rv_study *s = r->study;
    int64_t total = 1;
    s->grid_total = 1;
    for (int k = 0; k < s->grid_count && total <= RV_STUDY_RUNS_MAX; k++)
        total *= s->params[k].count;
    if (total <= RV_STUDY_RUNS_MAX) s->grid_total = (int)total;
    total *= s->draws;
    s->runs = total <= RV_STUDY_RUNS_MAX ? (int)total : 1;
    if (total > RV_STUDY_RUNS_MAX)
        rv_messages_add(r->messages, "%s: more than %d runs", s->path, RV_STUDY_RUNS_MAX);
    else if (!rv_study_shuffle(s))
        rv_messages_add(r->messages, "%s: not enough memory", s->path);
}

static void read_root(rv_study_reader *r, const rv_yaml_node *root)
{
    for (const rv_yaml_node *n = root->first; n; n = n->next) {
        bool known = false;
        for (int i = 0; i < TOP_KEYS; i++) known = known || strcmp(n->key, top_keys[i]) == 0;
        if (!known) rv_study_unknown(r, n, n->key, top_keys, TOP_KEYS);
    }
    if (!load_scene(r, root)) return;
    hash_scene(r);
    text_of(r, entry(root, "title"), "title", &r->study->title);
    name_folder(r, root);
    read_numbers(r, root);
    if (entry(root, "set")) rv_study_read_sets(r, entry(root, "set"));
    if (entry(root, "vary")) rv_study_read_params(r, entry(root, "vary"), false);
    r->study->grid_count = r->study->param_count;
    if (entry(root, "draw")) rv_study_read_params(r, entry(root, "draw"), true);
    if (entry(root, "keep")) read_keep(r, entry(root, "keep"));
    if (entry(root, "table")) read_table(r, entry(root, "table"));
    if (entry(root, "plots")) read_plots(r, entry(root, "plots"));
    count_runs(r);
}

// ---- Opening and closing ------------------------------------------------------------------------

static bool read_text(rv_study_reader *r, const char *text, size_t size)
{
    rv_yaml_tree tree;
    const char *path = r->study->path;
    int before = r->messages->count;
    if (rv_yaml_read(&tree, text, size, path, DEPTH_MAX, r->messages)) {
        const rv_yaml_node *root = tree.root;
        if (!root || (root->kind == RV_YAML_SCALAR && root->text[0] == '\0'))
            rv_messages_add(r->messages, "%s: the file is empty", path);
        else if (root->kind != RV_YAML_MAP)
            rv_messages_add(r->messages, "%s:%d: expected a map of keys, like \"scene: bowl\"",
                            path, root->line);
        else
            read_root(r, root);
    }
    rv_yaml_free(&tree);
    rv_scene_free(&r->scene);
    return r->messages->count == before;
}

rv_result rv_study_open_memory(const char *text, size_t size, const char *path, rv_study **out,
                               rv_messages *messages)
{
    rv_messages unread = {0};
    if (!messages) messages = &unread;
    if (out) *out = NULL;
    if (!text || !path || !path[0] || !out) return RV_BAD_ARGUMENT;
    rv_study *s = calloc(1, sizeof *s);
    if (!s) return RV_OUT_OF_MEMORY;
    rv_study_reader r = {.study = s, .messages = messages};
    s->draws = 1;
    s->path = rv_study_copy(&r, path), s->title = rv_study_copy(&r, "");
    rv_study_read_names(&s->names);
    if (size > FILE_BYTES_MAX) {
        rv_messages_add(messages, "%s: larger than %u MiB", path, FILE_BYTES_MAX >> 20);
    } else if (s->path && s->title && read_text(&r, text, size)) {
        *out = s;
        return RV_OK;
    }
    rv_study_close(s);
    return RV_BAD_DATA;
}

rv_result rv_study_open(const char *path, rv_study **out, rv_messages *messages)
{
    rv_messages unread = {0};
    rv_file_bytes bytes;
    if (!messages) messages = &unread;
    if (out) *out = NULL;
    if (!path || !path[0] || !out) return RV_BAD_ARGUMENT;
    if (!rv_file_read(path, FILE_BYTES_MAX, &bytes, messages)) return RV_BAD_DATA;
    rv_result result =
        rv_study_open_memory((const char *)bytes.data, bytes.size, path, out, messages);
    rv_file_bytes_free(&bytes);
    return result;
}

void rv_study_close(rv_study *s)
{
    if (!s) return;
    for (int k = 0; k < s->param_count; k++) {
        for (int i = 0; i < s->params[k].count; i++) free(s->params[k].texts[i]);
        free(s->params[k].texts);
        free(s->params[k].order);
        free(s->params[k].key);
    }
    for (int i = 0; i < s->set_count; i++) free(s->sets[i]);
    free(s->params), free(s->sets), free(s->extra), free(s->plots);
    free(s->path), free(s->title), free(s->scene), free(s->folder), free(s->scene_path);
    free(s);
}

rv_result rv_study_get_info(const rv_study *study, rv_study_info *out)
{
    if (!study || !out) return RV_BAD_ARGUMENT;
    *out = (rv_study_info){.path = study->path,
                           .title = study->title,
                           .scene = study->scene,
                           .folder = study->folder,
                           .time = study->time,
                           .runs = study->runs,
                           .parameters = study->param_count,
                           .pictures = study->keep.picture};
    return RV_OK;
}
