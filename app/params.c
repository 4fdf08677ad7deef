// `rivulet params`: every parameter from the one table, for people and, as Markdown, for docs/.
#include "app/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const rv_option options[] = {
    {"--markdown", NULL, "as the reference page, docs/parameters.md"},
};
static const rv_command command = {
    "params", "[SCENE] [options]",
    "Lists every parameter: key, unit, default, range, whether it is fixed while a world lives,\n"
    "and meaning; then the keys of the items of a scene's lists. With a SCENE the parameters'\n"
    "values in it stand in place of the defaults, and those that differ are marked with a star.",
    options, 1, NULL};

// One row as texts.
typedef struct row {
    char value[96], range[96];
    bool changed;
} row;

static void range_text(const rv_field_info *field, char *out, size_t size)
{
    char low[32], high[32];
    size_t used = 0;
    switch (field->type) {
    case RV_FLAG:
        snprintf(out, size, "true, false");
        return;
    case RV_WORD:
        for (const char *c = field->words; *c && used + 3 < size; c++) {
            out[used++] = *c == '|' ? ',' : *c;
            if (*c == '|') out[used++] = ' ';
        }
        out[used] = '\0';
        return;
    default: {
        rv_field_info number = *field;
        number.type = RV_REAL, number.down = false;
        number.offset = 0;
        rv_field_print(&number, &field->low, low, sizeof low);
        rv_field_print(&number, &field->high, high, sizeof high);
        snprintf(out, size, "%s to %s", low, high);
        size_t length = strlen(out);
        if (field->down) snprintf(out + length, size - length, "; x, y: -%s to %s", high, high);
    }
    }
}

// Fields that only the C interface has.
static bool is_hidden(const rv_table *table, const rv_field_info *field)
{
    return table == rv_solid_table() && strcmp(field->key, "children") == 0;
}

static void fill_rows(const rv_table *table, const void *object, const void *defaults, row *rows)
{
    for (int i = 0; i < table->count; i++) {
        char preset[96];
        rv_field_print(&table->fields[i], object, rows[i].value, sizeof rows[i].value);
        rv_field_print(&table->fields[i], defaults, preset, sizeof preset);
        rows[i].changed = strcmp(preset, rows[i].value) != 0;
        range_text(&table->fields[i], rows[i].range, sizeof rows[i].range);
    }
}

static int wider(int width, const char *text)
{
    return (int)strlen(text) > width ? (int)strlen(text) : width;
}

// Only parameters can change while a world lives, so only their table tells which cannot.
static bool tells_fixed(const rv_table *table)
{
    return table == rv_params_table();
}

static void print_text(const rv_table *table, const row *rows, const char *value_title)
{
    int key = 3, unit = 4, value = (int)strlen(value_title), range = 5;
    const char *gap = tells_fixed(table) ? "       " : "";
    for (int i = 0; i < table->count; i++) {
        if (is_hidden(table, &table->fields[i])) continue;
        key = wider(key, table->fields[i].key);
        unit = wider(unit, table->fields[i].unit);
        value = wider(value, rows[i].value);
        range = wider(range, rows[i].range);
    }
    printf("%-*s  %-*s  %-*s   %-*s  %smeaning\n", key, "key", unit, "unit", value, value_title,
           range, "range", gap);
    for (int i = 0; i < table->count; i++) {
        const rv_field_info *field = &table->fields[i];
        if (is_hidden(table, field)) continue;
        printf("%-*s  %-*s  %-*s %c %-*s  %s%s\n", key, field->key, unit, field->unit, value,
               rows[i].value, rows[i].changed ? '*' : ' ', range, rows[i].range,
               field->fixed ? "fixed  " : gap, field->meaning);
    }
}

// Length of the group's name that a key begins with, "grid" of "grid.nx"; 0: it stands alone.
static size_t group_length(const char *key)
{
    const char *dot = strchr(key, '.');
    return dot ? (size_t)(dot - key) : 0;
}

static bool same_group(const char *a, const char *b)
{
    size_t n = group_length(a);
    return n == group_length(b) && strncmp(a, b, n) == 0;
}

// The rows of one group, or all that have none.
static void print_group(const rv_table *table, const row *rows, const char *key)
{
    bool fixed = tells_fixed(table);
    printf("| key | unit | default | range |%s meaning |\n|---|---|---|---|%s---|\n",
           fixed ? " while running |" : "", fixed ? "---|" : "");
    for (int i = 0; i < table->count; i++) {
        const rv_field_info *field = &table->fields[i];
        if (is_hidden(table, field) || !same_group(field->key, key)) continue;
        printf("| `%s` | %s | `%s` | %s |%s %s |\n", field->key, field->unit, rows[i].value,
               rows[i].range,
               field->fixed ? " fixed |"
               : fixed      ? "  |"
                            : "",
               field->meaning);
    }
}

// Those that stand alone, then a chapter for each group.
static void print_markdown(const rv_table *table, const row *rows)
{
    print_group(table, rows, "");
    for (int i = 0; i < table->count; i++) {
        const char *key = table->fields[i].key;
        int length = (int)group_length(key);
        if (length == 0 || (i > 0 && same_group(key, table->fields[i - 1].key))) continue;
        printf("\n### %.*s\n\n", length, key);
        print_group(table, rows, key);
    }
}

static bool print_table(const rv_table *table, const void *object, const char *value_title,
                        bool markdown)
{
    row *rows = calloc((size_t)table->count, sizeof *rows);
    void *defaults = malloc(table->size);
    bool good = rows && defaults;
    if (good) {
        rv_table_defaults(table, defaults);
        fill_rows(table, object ? object : defaults, defaults, rows);
        if (markdown)
            print_markdown(table, rows);
        else
            print_text(table, rows, value_title);
    } else {
        fprintf(stderr, "rivulet params: not enough memory\n");
    }
    free(rows);
    free(defaults);
    return good;
}

// What --set and scene files have besides: no parameter, as it only sets others.
static void print_preset(bool markdown)
{
    const rv_field_info *field = rv_liquid_field();
    char words[96];
    range_text(field, words, sizeof words);
    if (markdown)
        printf("\nThere is also `%s`: %s. It %s\nto those of a liquid; any of them given beside it "
               "goes before. [liquids.md](liquids.md) has the numbers.\n",
               field->key, words, field->meaning);
    else
        printf("\n%s: %s. It %s\nto those of a liquid; `rivulet liquids` lists them.\n", field->key,
               words, field->meaning);
}

static bool print_items(bool markdown)
{
    const struct {
        const char *list, *about;
        const rv_table *table;
    } items[] = {
        {"solids",
         "Items of `solids:`. A solid of shape `group` also has a list `solids:` of its own.",
         rv_solid_table()},
        {"solids from files",
         "Solids of shape `mesh`, `volume` and `heights` have a `file:` and these keys besides.",
         rv_form_table()},
        {"fills", "Items of `fills:`, the liquid at the start.", rv_fill_table()},
        {"sources", "Items of `sources:`.", rv_source_table()},
        {"drains", "Items of `drains:`.", rv_drain_table()},
        {"events",
         "Items of `events:`. Kinds `carve` and `add` also have a `tool:`, a list of solids, and "
         "may have a\n`path:`, a list of points.",
         rv_event_table()},
        {"bodies", "Items of `bodies:`.", rv_body_table()},
        {"emitters", "Items of `emitters:`, what gives particles and drops.", rv_emitter_table()},
    };
    bool good = true;
    for (int i = 0; good && i < (int)(sizeof items / sizeof items[0]); i++) {
        if (markdown)
            printf("\n## %s\n\n%s\n\n", items[i].list, items[i].about);
        else
            printf("\n%s\n", items[i].about);
        good = print_table(items[i].table, NULL, "default", markdown);
    }
    return good;
}

static void print_markdown_top(const rv_scene_file *scene)
{
    printf("# Parameters%s%s\n\n", scene ? " of " : "", scene ? scene->name : "");
    printf("Every parameter, in groups, then the keys of the lists that a scene may have. How "
           "scene files are\n"
           "written is told in [scenes.md](scenes.md), what each part is for in "
           "[scene-keys.md](scene-keys.md).\n\n"
           "In a scene file `grid.nx` is `grid: {nx: 100}`; on the command line it is `--set "
           "grid.nx=100`.\nA unit of `1` is a pure number. A parameter that is `fixed` cannot change while a "
           "world lives:\n`rv_world_set_params` refuses it, and the viewer makes the world anew.\n\n"
           "This page is made by `rivulet params --markdown` from the lists in the headers of\n"
           "`include/rivulet/`: `params.h`, `scene.h`, `form.h`, `body.h` and `particles.h`. "
           "Change it "
           "there.\n\n## parameters\n\n");
}

// There is one: --markdown.
static bool take_option(void *user, const char *name, const char *value)
{
    (void)name, (void)value;
    *(bool *)user = true;
    return true;
}

int rv_app_params(int argc, char **argv)
{
    const char *scene_name = NULL;
    bool markdown = false;
    int status = rv_args_read(&command, argc, argv, "scene", &scene_name, take_option, &markdown);
    if (status >= 0) return status;
    rv_scene_file scene = {0};
    if (scene_name && !rv_app_load(scene_name, NULL, 0, &scene)) return RV_EXIT_USAGE;
    if (markdown) print_markdown_top(scene_name ? &scene : NULL);
    bool good = print_table(rv_params_table(), scene_name ? &scene.params : NULL,
                            scene_name ? "value" : "default", markdown);
    if (good) print_preset(markdown);
    good = good && print_items(markdown);
    rv_scene_free(&scene);
    return good ? 0 : 1;
}
