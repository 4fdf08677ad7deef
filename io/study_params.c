// The settings of a study file: those that all runs have, the grids that are gone through, and the
// random draws. Each value is tried on the scene.
#define _XOPEN_SOURCE 700
#include "io/study_reader.h"

#include "io/scene_items.h"
#include "io/scene_read.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_MAX 100000 // values of one range

// "[x, y, z]" of a list of values, or the value itself. false: it is neither, or too long.
static bool value_text(const rv_yaml_node *node, char *out, size_t size)
{
    size_t used = 0;
    int wrote = 0;
    out[0] = '\0';
    if (node->kind == RV_YAML_SCALAR) {
        wrote = snprintf(out, size, "%s", node->text);
        return wrote > 0 && (size_t)wrote < size;
    }
    if (node->kind != RV_YAML_LIST || !node->first) return false;
    for (const rv_yaml_node *n = node->first; n; n = n->next) {
        if (n->kind != RV_YAML_SCALAR) return false;
        wrote = snprintf(out + used, size - used, "%s%s%s", used ? "" : "[", n->text,
                         n->next ? ", " : "]");
        if (wrote < 0 || (size_t)wrote >= size - used) return false;
        used += (size_t)wrote;
    }
    return true;
}

// A picture lies beside the study; its whole path holds wherever a run is made again. To be freed.
static char *picture_path(rv_study_reader *r, const char *name)
{
    char *beside = rv_scene_beside(r->study->path, name);
    char *whole = beside ? realpath(beside, NULL) : NULL;
    if (!whole) return beside;
    free(beside);
    return whole;
}

// Tries "key=value" on the scene; what is wrong is told under the value's place.
static bool try_on_scene(rv_study_reader *r, int line, const char *path, const char *key,
                         const char *text)
{
    char assignment[RV_STUDY_TEXT + 160];
    rv_messages own = {0};
    int wrote = snprintf(assignment, sizeof assignment, "%.150s=%s", key, text);
    if (rv_scene_set_by(&r->scene, "", assignment, &own)) return true;
    size_t before = (size_t)wrote + 2; // "key=value: "
    size_t length = strcspn(own.text, "\n");
    rv_study_problem(r, line, path, "%.*s", length > before ? (int)(length - before) : (int)length,
                     length > before ? own.text + before : own.text);
    return false;
}

// ---- The same in all runs -----------------------------------------------------------------------

static void add_set(rv_study_reader *r, const rv_yaml_node *node, const char *key)
{
    rv_study *s = r->study;
    char text[RV_STUDY_TEXT], path[200], assignment[RV_STUDY_PATH + 160];
    const char *made;
    snprintf(path, sizeof path, "set.%.150s", key);
    if (!value_text(node, text, sizeof text)) {
        rv_study_problem(r, node->line, path, "expected a value");
        return;
    }
    if (s->set_count >= RV_STUDY_SETS_MAX) {
        rv_study_problem(r, node->line, path, "more than %d settings", RV_STUDY_SETS_MAX);
        return;
    }
    if (!try_on_scene(r, node->line, path, key, text)) return;
    char *picture = rv_scene_picture(&r->scene, key, &made) && !rv_scene_made(&r->scene, key, text)
                        ? picture_path(r, text)
                        : NULL;
    snprintf(assignment, sizeof assignment, "%.150s=%s", key, picture ? picture : text);
    free(picture);
    s->sets[s->set_count] = rv_study_copy(r, assignment);
    if (s->sets[s->set_count]) s->set_count++;
}

// `liquid.viscosity: 1e-6` and `liquid: {viscosity: 1e-6}` alike.
static void add_sets(rv_study_reader *r, const rv_yaml_node *map, const char *prefix, bool presets)
{
    for (const rv_yaml_node *n = map->first; n; n = n->next) {
        char key[160];
        snprintf(key, sizeof key, "%.79s%s%.79s", prefix, *prefix ? "." : "", n->key);
        if (n->repeated) continue;
        if (n->kind == RV_YAML_MAP)
            add_sets(r, n, key, presets);
        else if (presets == (strcmp(key, rv_liquid_field()->key) == 0))
            add_set(r, n, key);
    }
}

void rv_study_read_sets(rv_study_reader *r, const rv_yaml_node *node)
{
    if (!rv_study_is_map(r, node, "set")) return;
    r->study->sets = calloc(RV_STUDY_SETS_MAX, sizeof *r->study->sets);
    if (!r->study->sets) return;
    // a preset goes before what is said of the liquid besides, wherever it stands
    add_sets(r, node, "", true);
    add_sets(r, node, "", false);
}

// ---- Grids --------------------------------------------------------------------------------------

// A number of the parameter's unit.
static bool number(rv_study_reader *r, const rv_field_info *field, const rv_yaml_node *node,
                   const char *path, double *out)
{
    if (!rv_study_real(r, node, path, field->unit, field->low, field->high, out)) return false;
    if (field->type != RV_WHOLE || *out == floor(*out)) return true;
    rv_study_problem(r, node->line, path, "'%s' is not a whole number", node->text);
    return false;
}

static bool is_number(const rv_field_info *field)
{
    return field && (field->type == RV_REAL || field->type == RV_WHOLE ||
                     (field->type == RV_VECTOR && field->down));
}

// A value of a list, in SI units where it is a number.
static void add_value(rv_study_reader *r, rv_study_param *p, const rv_field_info *field,
                      const rv_yaml_node *node, const char *path)
{
    char text[RV_STUDY_TEXT];
    double value;
    if (!value_text(node, text, sizeof text)) {
        rv_study_problem(r, node->line, path, "expected a value");
        return;
    }
    if (!try_on_scene(r, node->line, path, p->key, text)) return;
    if (field && (field->type == RV_REAL || field->type == RV_WHOLE)) {
        if (!number(r, field, node, path, &value)) return;
        rv_study_number_text(value, text);
    }
    for (int i = 0; i < p->count; i++)
        if (strcmp(p->texts[i], text) == 0) {
            rv_study_problem(r, node->line, path, "%s is given twice", text);
            return;
        }
    p->texts[p->count] = rv_study_copy(r, text);
    if (p->texts[p->count]) p->count++;
}

static void read_list(rv_study_reader *r, rv_study_param *p, const rv_field_info *field,
                      const rv_yaml_node *list, const char *path)
{
    if (list->count == 0) {
        rv_study_problem(r, list->line, path, "the list is empty");
        return;
    }
    p->texts = calloc((size_t)list->count, sizeof *p->texts);
    for (const rv_yaml_node *n = list->first; p->texts && n; n = n->next)
        add_value(r, p, field, n, path);
}

static const rv_yaml_node *entry(const rv_yaml_node *map, const char *key)
{
    for (const rv_yaml_node *n = map->first; n; n = n->next)
        if (strcmp(n->key, key) == 0) return n;
    return NULL;
}

// {from: 1e-6, to: 1e-3, count: 4, spacing: log}
static void read_range(rv_study_reader *r, rv_study_param *p, const rv_field_info *field,
                       const rv_yaml_node *map, const char *path)
{
    static const char *const keys[] = {"from", "to", "count", "spacing"};
    const rv_yaml_node *from = entry(map, "from"), *to = entry(map, "to");
    const rv_yaml_node *count = entry(map, "count"), *spacing = entry(map, "spacing");
    double a, b, n;
    int before = r->messages->count;
    for (const rv_yaml_node *k = map->first; k; k = k->next) {
        bool known = k == from || k == to || k == count || k == spacing || k->repeated;
        char inner[256];
        snprintf(inner, sizeof inner, "%.180s.%.60s", path, k->key);
        if (!known) rv_study_unknown(r, k, inner, keys, 4);
    }
    if (!from || !to || !count)
        rv_study_problem(r, map->line, path, "a range needs from, to and count");
    if (r->messages->count > before) return;
    if (!number(r, field, from, path, &a) || !number(r, field, to, path, &b) ||
        !rv_study_whole(r, count, path, 2, COUNT_MAX, &n))
        return;
    if (spacing) p->log = rv_study_word(r, spacing, path, "linear|log") == 1;
    if (r->messages->count > before) return;
    if (p->log && !(a > 0 && b > 0))
        rv_study_problem(r, spacing->line, path, "a log range must be above 0");
    else if (a == b)
        rv_study_problem(r, map->line, path, "from and to are the same");
    else if (!rv_study_fill_range(p, a, b, (int)n))
        rv_messages_add(r->messages, "%s: not enough memory", r->study->path);
}

// ---- Draws --------------------------------------------------------------------------------------

static bool check_draw(rv_study_reader *r, const rv_study_param *p, int line, const char *path)
{
    if (p->way == RV_WAY_NORMAL) {
        double reach = 30 * p->b; // beyond which a double has nothing left to draw from
        if (p->a + reach > p->low && p->a - reach < p->high) return true;
        rv_study_problem(r, line, path, "the mean %g is too far outside the range %g to %g", p->a,
                         p->low, p->high);
        return false;
    }
    if (!(p->a < p->b)) {
        rv_study_problem(r, line, path, "%g is not below %g", p->a, p->b);
        return false;
    }
    if (p->way == RV_WAY_UNIFORM || p->a > 0) return true;
    rv_study_problem(r, line, path, "a log-uniform draw must be above 0");
    return false;
}

// {uniform: [a, b]}, {log_uniform: [a, b]}, {normal: [mean, deviation]}
static void read_draw(rv_study_reader *r, rv_study_param *p, const rv_field_info *field,
                      const rv_yaml_node *map, const char *path)
{
    static const char *const ways[] = {"uniform", "log_uniform", "normal"};
    const rv_yaml_node *n = map->kind == RV_YAML_MAP ? map->first : NULL;
    int way = -1;
    for (int i = 0; n && i < 3; i++)
        if (strcmp(n->key, ways[i]) == 0) way = i;
    if (way < 0 || map->count != 1 || n->kind != RV_YAML_LIST || n->count != 2) {
        rv_study_problem(r, map->line, path,
                         "expected {uniform: [a, b]}, {log_uniform: [a, b]} or "
                         "{normal: [mean, deviation]}");
        return;
    }
    p->way = (rv_study_way)(RV_WAY_UNIFORM + way);
    p->log = p->way == RV_WAY_LOG_UNIFORM;
    p->low = field->low, p->high = field->high;
    bool good;
    if (p->way == RV_WAY_NORMAL)
        good = rv_study_real(r, n->first, path, field->unit, -1e300, 1e300, &p->a) &&
               rv_study_real(r, n->last, path, field->unit, 1e-300, 1e300, &p->b);
    else
        good = number(r, field, n->first, path, &p->a) && number(r, field, n->last, path, &p->b);
    if (good) check_draw(r, p, map->line, path);
}

// ---- Both ---------------------------------------------------------------------------------------

static bool given_before(rv_study_reader *r, const rv_yaml_node *n, const char *path)
{
    const rv_study *s = r->study;
    size_t length = strlen(n->key);
    bool found = false;
    for (int k = 0; k < s->param_count; k++) found = found || strcmp(s->params[k].key, n->key) == 0;
    for (int i = 0; i < s->set_count; i++)
        found = found || (strncmp(s->sets[i], n->key, length) == 0 && s->sets[i][length] == '=');
    if (found) rv_study_problem(r, n->line, path, "is given in another place of this file too");
    return found;
}

static void read_param(rv_study_reader *r, const rv_yaml_node *n, const char *path, bool drawn)
{
    rv_study *s = r->study;
    const rv_field_info *field = rv_scene_find_key(&r->scene, n->key);
    bool spread = drawn || n->kind == RV_YAML_MAP;
    if (given_before(r, n, path)) return;
    if (s->param_count >= RV_STUDY_PARAMETERS_MAX) {
        rv_study_problem(r, n->line, path, "more than %d parameters", RV_STUDY_PARAMETERS_MAX);
        return;
    }
    if (!field && strcmp(n->key, rv_liquid_field()->key) != 0) {
        // tells what is wrong with the key, but of a picture's, which --set knows
        if (try_on_scene(r, n->line, path, n->key, "0"))
            rv_study_problem(r, n->line, path, "pictures are not varied, only set");
        return;
    }
    if (spread && !is_number(field)) {
        rv_study_problem(r, n->line, path, "is not a number: give a list of values under vary");
        return;
    }
    if (!spread && n->kind != RV_YAML_LIST) {
        rv_study_problem(r, n->line, path, "expected a list, or a range {from, to, count}");
        return;
    }
    rv_study_param *p = &s->params[s->param_count];
    *p = (rv_study_param){.line = n->line, .whole = field && field->type == RV_WHOLE};
    p->unit = field && strcmp(field->unit, "1") != 0 ? field->unit : "";
    p->key = rv_study_copy(r, n->key);
    if (!p->key) return;
    s->param_count++;
    if (drawn)
        read_draw(r, p, field, n, path);
    else if (n->kind == RV_YAML_MAP)
        read_range(r, p, field, n, path);
    else
        read_list(r, p, field, n, path);
}

void rv_study_read_params(rv_study_reader *r, const rv_yaml_node *node, bool drawn)
{
    rv_study *s = r->study;
    if (!rv_study_is_map(r, node, node->key)) return;
    if (!s->params) s->params = calloc(RV_STUDY_PARAMETERS_MAX, sizeof *s->params);
    for (const rv_yaml_node *n = node->first; s->params && n; n = n->next) {
        char path[200];
        snprintf(path, sizeof path, "%s.%.150s", node->key, n->key);
        if (!n->repeated && strlen(n->key) < 150) read_param(r, n, path, drawn);
        if (strlen(n->key) >= 150) rv_study_problem(r, n->line, path, "too long for a key");
    }
}
