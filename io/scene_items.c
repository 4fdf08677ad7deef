// Numbers of the items of a scene's lists by their keys: "sources[0].rate". What an item does not
// have, or has and does not use, is refused, so that nobody varies a number that nothing reads.
#include "io/scene_items.h"

#include "io/scene_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// An item that a key begins with.
typedef struct item {
    const rv_table *table;
    void *object;     // NULL: the list has no such item
    const char *list; // its name
    int count;        // of its items
    const char *rest; // what follows "sources[0]."
} item;

// "solids[1].solids[0]." at the start of a key, by the flat list of all solids.
static bool find_solid(const rv_scene_file *s, const char *key, item *out)
{
    const char *dot = strrchr(key, '.');
    *out = (item){rv_solid_table(), NULL, "solids", s->solid_count, dot ? dot + 1 : ""};
    for (int i = 0; dot && i < s->solid_count; i++) {
        char path[256];
        rv_scene_solid_path(s->solids, s->solid_count, "solids", i, path, sizeof path);
        if (strlen(path) != (size_t)(dot - key) || strncmp(path, key, strlen(path)) != 0) continue;
        out->object = &s->solids[i];
        return true;
    }
    return true;
}

static bool find_item(const rv_scene_file *s, const char *key, item *out)
{
    const struct {
        const char *name;
        const rv_table *table;
        void *items;
        int count;
    } lists[] = {{"fills", rv_fill_table(), s->fills, s->fill_count},
                 {"sources", rv_source_table(), s->sources, s->source_count},
                 {"drains", rv_drain_table(), s->drains, s->drain_count},
                 {"bodies", rv_body_table(), s->bodies, s->body_count},
                 {"emitters", rv_emitter_table(), s->emitters, s->emitter_count}};
    size_t length = strcspn(key, "[.");
    if (key[length] != '[') return false;
    if (length == 6 && strncmp(key, "solids", 6) == 0) return find_solid(s, key, out);
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        if (strlen(lists[i].name) != length || strncmp(lists[i].name, key, length) != 0) continue;
        char *end;
        const char *digits = key + length + 1;
        long index = strtol(digits, &end, 10);
        bool there = *digits >= '0' && *digits <= '9' && end[0] == ']' && end[1] == '.' &&
                     index >= 0 && index < lists[i].count;
        *out = (item){lists[i].table, NULL, lists[i].name, lists[i].count, ""};
        if (there) out->rest = end + 2;
        if (there) out->object = (char *)lists[i].items + (size_t)index * lists[i].table->size;
        return true;
    }
    return false;
}

// Words decide which other keys an item has, so they stay as they are.
static const rv_field_info *field_of(const item *i)
{
    const rv_field_info *field = i->object ? rv_table_find(i->table, i->rest) : NULL;
    bool number = field && field->type != RV_WORD && strcmp(field->key, "children") != 0;
    return number && rv_scene_item_uses(i->table, i->object, field->key) ? field : NULL;
}

const rv_field_info *rv_scene_find_key(const rv_scene_file *scene, const char *key)
{
    item found;
    const rv_field_info *field = rv_table_find(rv_params_table(), key);
    if (field) return field;
    return find_item(scene, key, &found) ? field_of(&found) : NULL;
}

bool rv_scene_set_item(rv_scene_file *scene, const char *key, const char *value, char *why,
                       size_t why_size)
{
    item found;
    if (!find_item(scene, key, &found)) return false;
    why[0] = '\0';
    if (!scene->path) return true; // it was not loaded, so there is nothing to say of its items
    const rv_field_info *field = field_of(&found);
    if (!found.object && found.count == 0)
        snprintf(why, why_size, "the scene has no %s", found.list);
    else if (!found.object)
        snprintf(why, why_size, "no such item; the scene has %s[0] to [%d]", found.list,
                 found.count - 1);
    else if (!field)
        snprintf(why, why_size, "'%.60s' is no number that this item has", found.rest);
    else
        rv_field_parse(field, value, found.object, why, why_size);
    return true;
}
