// What the parts of the scene reader share: problems with their places, fields from nodes, and
// which keys an item may have.
#include "io/scene_reader.h"

#include <stdio.h>
#include <string.h>

void rv_read_problem(rv_reader *r, int line, const char *key, const char *what)
{
    rv_messages_add(r->messages, "%s:%d: %s: %s", r->scene->path, line, key, what);
}

void rv_read_unknown(rv_reader *r, int line, const char *key, const char *nearest)
{
    if (nearest)
        rv_messages_add(r->messages, "%s:%d: %s: unknown key; did you mean '%s'?", r->scene->path,
                        line, key, nearest);
    else
        rv_read_problem(r, line, key, "unknown key");
}

bool rv_read_no_memory(rv_reader *r)
{
    rv_messages_add(r->messages, "%s: not enough memory", r->scene->path);
    return false;
}

void rv_read_join(char *out, size_t out_size, const char *prefix, const char *key)
{
    snprintf(out, out_size, "%s%s%s", prefix, *prefix ? "." : "", key);
}

const char *rv_read_kind_text(const rv_yaml_node *node)
{
    return node->kind == RV_YAML_MAP ? "a map" : node->kind == RV_YAML_LIST ? "a list" : "a value";
}

static const char *type_text(const rv_field_info *field)
{
    switch (field->type) {
    case RV_REAL:
        return "a number";
    case RV_WHOLE:
        return "a whole number";
    case RV_FLAG:
        return "true or false";
    case RV_WORD:
        return "a word";
    case RV_VECTOR:
        return field->down ? "a number or three numbers" : "three numbers";
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

void rv_read_field(rv_reader *r, const rv_field_info *field, const rv_yaml_node *node,
                   const char *path, void *object)
{
    char why[256], text[RV_READ_PATH];
    const char *value = node->text;
    bool fits = node->kind == RV_YAML_SCALAR;
    if (node->kind == RV_YAML_LIST && field->type == RV_VECTOR) {
        fits = list_text(node, text, sizeof text);
        value = text;
        if (fits && node->count != 3) {
            snprintf(why, sizeof why, "has %d numbers, expected three: [x, y, z]", node->count);
            rv_read_problem(r, node->line, path, why);
            return;
        }
    }
    if (!fits) {
        snprintf(why, sizeof why, "expected %s, not %s", type_text(field), rv_read_kind_text(node));
        rv_read_problem(r, node->line, path, why);
    } else if (!rv_field_parse(field, value, object, why, sizeof why)) {
        rv_read_problem(r, node->line, path, why);
    }
}

// ---- Items of lists -----------------------------------------------------------------------------

// Counted, not given: of the rows of the solids' table the only one that no scene file has.
static bool is_hidden(const char *key)
{
    return strcmp(key, "children") == 0;
}

static bool is_among(const char *const *others, const char *key)
{
    for (; *others; others++)
        if (strcmp(*others, key) == 0) return true;
    return false;
}

// The nearest of all keys that an item may have.
static const char *nearest_key(const rv_read_target *targets, int target_count,
                               const char *const *others, const char *key)
{
    enum { MOST = 64 };
    rv_field_info rows[MOST] = {0};
    int count = 0;
    if (is_hidden(key) && is_among(others, "solids")) return "solids";
    for (; *others && count < MOST; others++) rows[count++].key = *others;
    for (int k = 0; k < target_count; k++)
        for (int i = 0; i < targets[k].table->count && count < MOST; i++)
            if (!is_hidden(targets[k].table->fields[i].key))
                rows[count++].key = targets[k].table->fields[i].key;
    rv_table all = {"keys", rows, count, 0};
    return rv_table_nearest(&all, key);
}

void rv_read_item(rv_reader *r, const rv_yaml_node *item, const char *path,
                  const rv_read_target *targets, int target_count, const char *const *others)
{
    for (const rv_yaml_node *n = item->first; n; n = n->next) {
        char key[RV_READ_PATH + 80];
        rv_read_join(key, sizeof key, path, n->key);
        if (n->repeated || is_among(others, n->key)) continue;
        const rv_field_info *field = NULL;
        const rv_read_target *t = targets;
        for (int k = 0; k < target_count && !field && !is_hidden(n->key); k++) {
            t = &targets[k];
            field = rv_table_find(t->table, n->key);
        }
        if (field) {
            if (t->lines) t->lines[field - t->table->fields] = n->line;
            rv_read_field(r, field, n, key, t->object);
        } else {
            bool few = r->messages->count < RV_READ_SUGGESTIONS;
            rv_read_unknown(r, n->line, key,
                            few ? nearest_key(targets, target_count, others, n->key) : NULL);
        }
    }
}

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

const rv_yaml_node *rv_read_entry(const rv_yaml_node *map, const char *key)
{
    for (const rv_yaml_node *n = map->first; n; n = n->next)
        if (strcmp(n->key, key) == 0) return n;
    return NULL;
}

void rv_read_uses(rv_reader *r, const rv_yaml_node *item, const char *path, const rv_key_use *uses,
                  const char *common, const rv_field_info *kind_field, const void *object)
{
    char kind[32] = "", key[RV_READ_PATH + 80], what[RV_READ_PATH], members[128];
    if (kind_field) rv_field_print(kind_field, object, kind, sizeof kind);
    const rv_key_use *u = uses;
    while (kind_field && u->kind && strcmp(u->kind, kind) != 0) u++;
    if (kind_field && !u->kind) return;
    if (u->needed && !rv_read_entry(item, u->needed)) {
        rv_read_join(key, sizeof key, path, u->needed);
        snprintf(what, sizeof what, "missing%s%s", *kind ? ", needed for " : "", kind);
        rv_read_problem(r, item->line, key, what);
    }
    for (const rv_yaml_node *n = item->first; n && u->keys; n = n->next) {
        if (has_word(common, n->key) || has_word(u->keys, n->key)) continue;
        rv_read_join(key, sizeof key, path, n->key);
        list_keys(u->keys, members, sizeof members);
        snprintf(what, sizeof what, "does nothing for %s, which has %s", kind, members);
        rv_read_problem(r, n->line, key, what);
    }
}

bool rv_read_is_list(rv_reader *r, const rv_yaml_node *list, const char *path)
{
    char key[RV_READ_PATH];
    if (list->kind == RV_YAML_SCALAR && list->text[0] == '\0') return true; // "fills:" with nothing
    if (list->kind != RV_YAML_LIST) {
        rv_read_problem(r, list->line, path,
                        list->kind == RV_YAML_MAP ? "expected a list, each item with a '-'"
                                                  : "expected a list, not a value");
        return false;
    }
    if (list->count > RV_SCENE_ITEMS_MAX) {
        rv_read_problem(r, list->line, path, "too many items");
        return false;
    }
    int index = 0;
    bool good = true;
    for (const rv_yaml_node *n = list->first; n; n = n->next, index++) {
        if (n->kind == RV_YAML_MAP) continue;
        snprintf(key, sizeof key, "%.200s[%d]", path, index);
        rv_read_problem(r, n->line, key, "expected a map of keys");
        good = false;
    }
    return good;
}
