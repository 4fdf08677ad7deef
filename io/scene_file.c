// Loading, changing, checking and freeing a scene. The reading itself is in io/scene_read.c.
#include "io/scene_file.h"

#include "io/scene_items.h"
#include "io/scene_read.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *copy_text(const char *text, size_t length)
{
    char *copy = malloc(length + 1);
    if (!copy) return NULL;
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

// "scenes/bowl.yaml" → "bowl".
static char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    return copy_text(name, dot && dot > name ? (size_t)(dot - name) : strlen(name));
}

static bool start(rv_scene_file *scene, const char *path)
{
    *scene = (rv_scene_file){0};
    scene->path = copy_text(path, strlen(path));
    scene->name = name_of(path);
    scene->title = copy_text("", 0);
    scene->about = copy_text("", 0);
    scene->param_lines = calloc((size_t)rv_params_table()->count, sizeof *scene->param_lines);
    scene->params = rv_default_params();
    scene->paper = (rv_scene_paper){"", NAN, NAN, NAN};
    return scene->path && scene->name && scene->title && scene->about && scene->param_lines;
}

void rv_scene_free(rv_scene_file *scene)
{
    if (!scene) return;
    free(scene->path);
    free(scene->name);
    free(scene->title);
    free(scene->about);
    free(scene->environment);
    free(scene->backdrop);
    free(scene->affinity);
    free((float *)(uintptr_t)scene->affinity_map.value);
    free(scene->solids);
    free(scene->fills);
    free(scene->sources);
    free(scene->drains);
    free(scene->solid_lines);
    free(scene->fill_lines);
    free(scene->source_lines);
    free(scene->drain_lines);
    free(scene->bodies);
    free(scene->body_lines);
    free(scene->emitters);
    free(scene->emitter_lines);
    free(scene->param_lines);
    free(scene->events);
    free(scene->event_lines);
    free(scene->tools);
    free(scene->tool_lines);
    free(scene->points);
    free(scene->solid_forms);
    free(scene->tool_forms);
    for (int i = 0; i < scene->form_count; i++) {
        rv_form_free(scene->forms[i].form);
        free(scene->forms[i].file);
        free(scene->forms[i].key);
    }
    free(scene->forms);
    *scene = (rv_scene_file){0};
}

// ---- Scenes like another ------------------------------------------------------------------------

// Makes a loaded scene the beginning of another: it takes that one's path and name, what a paper
// says of it does not hold any more, and none of its lines stand in the new file.
static bool make_own(rv_scene_file *s, const char *path)
{
    char *file = copy_text(path, strlen(path)), *name = name_of(path);
    bool good = file && name;
    for (int i = 0; good && i < s->form_count; i++) {
        char *beside = rv_scene_beside(s->path, s->forms[i].file);
        good = beside != NULL;
        if (good) free(s->forms[i].file), s->forms[i].file = beside;
        s->forms[i].line = s->forms[i].file_line = 0;
        memset(s->forms[i].lines, 0, sizeof s->forms[i].lines);
    }
    free(s->path), free(s->name);
    s->path = file, s->name = name;
    s->paper = (rv_scene_paper){"", NAN, NAN, NAN};
    memset(s->param_lines, 0, (size_t)rv_params_table()->count * sizeof *s->param_lines);
    const int counts[] = {s->solid_count, s->fill_count, s->source_count, s->drain_count,
                          s->event_count, s->tool_count, s->body_count,   s->emitter_count};
    int *const lines[] = {s->solid_lines, s->fill_lines, s->source_lines, s->drain_lines,
                          s->event_lines, s->tool_lines, s->body_lines,   s->emitter_lines};
    for (int i = 0; i < 8; i++)
        if (counts[i] > 0) memset(lines[i], 0, (size_t)counts[i] * sizeof(int));
    return good;
}

// The scene that `like:` names, as the beginning of this one; with no such key an empty one.
static bool begin(rv_scene_file *out, const rv_yaml_node *root, const char *path,
                  const rv_like *likes, rv_messages *messages)
{
    const rv_yaml_node *like = NULL;
    for (const rv_yaml_node *n = root && root->kind == RV_YAML_MAP ? root->first : NULL; n;
         n = n->next)
        if (strcmp(n->key, "like") == 0 && !n->repeated) like = n;
    if (!like) {
        if (start(out, path)) return true;
        rv_messages_add(messages, "%s: not enough memory", path);
        return false;
    }
    const char *why = NULL;
    const rv_like own_link = {path, likes};
    int depth = 0;
    for (const rv_like *l = likes; l; l = l->next) depth++;
    if (like->kind != RV_YAML_SCALAR || like->text[0] == '\0')
        why = "expected the name of a scene";
    else if (depth >= RV_SCENE_LIKE_MAX)
        why = "scenes like scenes like scenes: too many";
    if (why) {
        rv_messages_add(messages, "%s:%d: like: %s", path, like->line, why);
        return false;
    }
    rv_messages own = {0};
    if (rv_scene_load_like(like->text, &own_link, out, &own)) {
        if (make_own(out, path)) return true;
        rv_messages_add(messages, "%s: not enough memory", path);
        return false;
    }
    char first[512];
    snprintf(first, sizeof first, "%.*s", (int)strcspn(own.text, "\n"), own.text);
    rv_messages_add(messages, "%s:%d: like: %s", path, like->line, first);
    return false;
}

bool rv_scene_load_at(const char *text, size_t size, const char *path, const rv_like *likes,
                      rv_scene_file *out, rv_messages *messages)
{
    int before = messages->count;
    *out = (rv_scene_file){0};
    if (size > RV_SCENE_BYTES_MAX) {
        rv_messages_add(messages, "%s: larger than %u MiB", path, RV_SCENE_BYTES_MAX >> 20);
    } else {
        rv_yaml_tree tree;
        if (rv_yaml_read(&tree, text, size, path, RV_SCENE_DEPTH_MAX, messages) &&
            begin(out, tree.root, path, likes, messages))
            rv_scene_read(out, tree.root, messages);
        rv_yaml_free(&tree);
        // Values that were refused stand at their defaults; judging those together would mislead.
        if (messages->count == before) rv_scene_check(out, messages);
    }
    if (messages->count == before) return true;
    rv_scene_free(out);
    return false;
}

bool rv_scene_load_memory(const char *text, size_t size, const char *path, rv_scene_file *out,
                          rv_messages *messages)
{
    rv_messages unheard = {0};
    return rv_scene_load_at(text, size, path, NULL, out, messages ? messages : &unheard);
}

rv_world_def rv_scene_world_def(const rv_scene_file *scene)
{
    rv_world_def def = rv_default_world_def();
    def.params = scene->params;
    def.solids = scene->solids;
    def.solid_count = scene->solid_count;
    def.fills = scene->fills;
    def.fill_count = scene->fill_count;
    def.sources = scene->sources;
    def.source_count = scene->source_count;
    def.drains = scene->drains;
    def.drain_count = scene->drain_count;
    def.events = scene->events;
    def.event_count = scene->event_count;
    def.bodies = scene->bodies;
    def.body_count = scene->body_count;
    def.emitters = scene->emitters;
    def.emitter_count = scene->emitter_count;
    def.affinity = scene->affinity_map.value ? &scene->affinity_map : NULL;
    return def;
}

char **rv_scene_picture(rv_scene_file *scene, const char *key, const char **made)
{
    const struct {
        const char *key, *made;
        char **path;
    } pictures[] = {{"environment", "studio", &scene->environment},
                    {"backdrop", "street", &scene->backdrop},
                    {"affinity", "noise", &scene->affinity}};
    for (size_t n = 0; n < sizeof pictures / sizeof pictures[0]; n++) {
        if (strcmp(key, pictures[n].key) != 0) continue;
        *made = pictures[n].made;
        return pictures[n].path;
    }
    return NULL;
}

bool rv_scene_made(rv_scene_file *scene, const char *key, const char *word)
{
    const char *made;
    char why[256];
    if (!rv_scene_picture(scene, key, &made)) return false;
    if (strcmp(word, made) == 0) return true;
    const rv_field_info *studio = rv_table_find(rv_params_table(), "view.studio");
    return strcmp(key, "environment") == 0 &&
           rv_field_parse(studio, word, &scene->params, why, sizeof why);
}

static bool set_picture(char **to, const char *name, bool is_made)
{
    char *path = is_made ? NULL : copy_text(name, strlen(name));
    if (!is_made && !path) return false;
    free(*to);
    *to = path;
    return true;
}

// The keys that --set has besides the parameters. *why: what is wrong, if anything.
static bool set_other(rv_scene_file *scene, const char *key, const char *value, char *why,
                      size_t why_size)
{
    rv_liquid_look look = RV_LOOK_WATER;
    why[0] = '\0';
    const char *made;
    char **picture = rv_scene_picture(scene, key, &made);
    if (picture) {
        if (!*value)
            snprintf(why, why_size, "a value is missing, expected a file or %s", made);
        else if (!set_picture(picture, value, rv_scene_made(scene, key, value)))
            snprintf(why, why_size, "not enough memory");
        return true;
    }
    if (strcmp(key, rv_liquid_field()->key) != 0) return false;
    if (rv_field_parse(rv_liquid_field(), value, &look, why, why_size))
        rv_params_set_liquid(&scene->params, look);
    return true;
}

bool rv_scene_set_by(rv_scene_file *scene, const char *by, const char *assignment,
                     rv_messages *messages)
{
    const char *equals = strchr(assignment, '=');
    if (!equals || equals == assignment) {
        rv_messages_add(messages, "%s%s: expected KEY=VALUE", by, assignment);
        return false;
    }
    char key[128], why[256], near[128];
    size_t length = (size_t)(equals - assignment);
    while (length > 0 && assignment[length - 1] == ' ') length--;
    snprintf(key, sizeof key, "%.*s", length > 127 ? 127 : (int)length, assignment);
    const rv_field_info *field = rv_table_find(rv_params_table(), key);
    if (!field && (set_other(scene, key, equals + 1, why, sizeof why) ||
                   rv_scene_set_item(scene, key, equals + 1, why, sizeof why))) {
        if (*why) rv_messages_add(messages, "%s%s: %s", by, assignment, why);
        return !*why;
    }
    if (!field && rv_param_gone(key)) {
        rv_messages_add(messages, "%s%s: %s", by, assignment, rv_param_gone(key));
        return false;
    }
    if (!field) {
        const char *nearest = rv_scene_nearest_set(key);
        snprintf(near, sizeof near, "; did you mean '%s'?", nearest ? nearest : "");
        rv_messages_add(messages, "%s%s: unknown key%s", by, assignment, nearest ? near : "");
        return false;
    }
    if (rv_field_parse(field, equals + 1, &scene->params, why, sizeof why)) return true;
    rv_messages_add(messages, "%s%s: %s", by, assignment, why);
    return false;
}

bool rv_scene_set(rv_scene_file *scene, const char *assignment, rv_messages *messages)
{
    return rv_scene_set_by(scene, "--set ", assignment, messages);
}

// ---- Placing problems in the file ---------------------------------------------------------------

// "FILE:LINE: key" or "FILE: key" when the key does not stand in the file.
static void add_problem(const rv_scene_file *s, int line, const char *key, const char *what,
                        rv_messages *messages)
{
    if (line > 0)
        rv_messages_add(messages, "%s:%d: %s: %s", s->path, line, key, what);
    else
        rv_messages_add(messages, "%s: %s: %s", s->path, key, what);
}

// The same for a line that starts with its key.
static void add_line(const rv_scene_file *s, int line, const char *text, const char *rest,
                     rv_messages *to)
{
    if (line > 0)
        rv_messages_add(to, "%s:%d: %s%s", s->path, line, text, rest);
    else
        rv_messages_add(to, "%s: %s%s", s->path, text, rest);
}

static int param_line(const rv_scene_file *scene, const char *key)
{
    const rv_field_info *field = rv_table_find(rv_params_table(), key);
    return field && scene->param_lines ? scene->param_lines[field - rv_params_table()->fields] : 0;
}

// Matches "solids[12]" at the start of text. Returns what follows, or NULL.
static const char *item_index(const char *text, const char *list, int count, int *index)
{
    size_t length = strlen(list);
    if (strncmp(text, list, length) != 0 || text[length] != '[') return NULL;
    char *end;
    long value = strtol(text + length + 1, &end, 10);
    if (*end != ']' || value < 0 || value >= count) return NULL;
    *index = (int)value;
    return end + 1;
}

// rest: what follows "events[2]": ".start: …", ".tool[1].radius: …".
static void place_event(const rv_scene_file *s, int event, const char *rest, rv_messages *to)
{
    char key[256] = "";
    int index, line = s->event_lines[event];
    const rv_event_def *e = &s->events[event];
    const char *after = *rest == '.' ? item_index(rest + 1, "tool", e->tool_count, &index) : NULL;
    if (after) {
        rv_scene_solid_path(e->tool, e->tool_count, ".tool", index, key, sizeof key);
        line = s->tool_lines[e->tool - s->tools + index];
        rest = after;
    }
    char whole[320];
    snprintf(whole, sizeof whole, "events[%d]%s", event, key);
    add_line(s, line, whole, rest, to);
}

// Where the item stands that a line begins with, "fills[2].level: …"; of a line about a whole list,
// "emitters: …", where its first item does. 0: in no list of the file.
static int list_line(const rv_scene_file *s, const char *line)
{
    const struct {
        const char *name;
        int count;
        const int *lines;
    } lists[] = {{"fills", s->fill_count, s->fill_lines},
                 {"sources", s->source_count, s->source_lines},
                 {"drains", s->drain_count, s->drain_lines},
                 {"bodies", s->body_count, s->body_lines},
                 {"emitters", s->emitter_count, s->emitter_lines},
                 {"solids", s->solid_count, s->solid_lines},
                 {"events", s->event_count, s->event_lines}};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        int index = 0;
        size_t length = strlen(lists[i].name);
        bool whole = strncmp(line, lists[i].name, length) == 0 && line[length] == ':';
        if (item_index(line, lists[i].name, lists[i].count, &index) ||
            (whole && lists[i].count > 0))
            return lists[i].lines[index];
    }
    return 0;
}

static void place_line(const rv_scene_file *s, const char *line, rv_messages *to)
{
    int index;
    char key[256];
    const char *rest = item_index(line, "solids", s->solid_count, &index);
    if (rest) {
        rv_scene_solid_path(s->solids, s->solid_count, "solids", index, key, sizeof key);
        add_line(s, s->solid_lines[index], key, rest, to);
        return;
    }
    rest = item_index(line, "events", s->event_count, &index);
    if (rest) {
        place_event(s, index, rest, to);
        return;
    }
    int at = list_line(s, line);
    if (at > 0) {
        add_line(s, at, line, "", to);
        return;
    }
    size_t length = strcspn(line, ": ");
    snprintf(key, sizeof key, "%.*s", length > 255 ? 255 : (int)length, line);
    add_line(s, param_line(s, key), line, "", to);
}

void rv_scene_place(const rv_scene_file *scene, const rv_messages *from, rv_messages *to)
{
    int placed = 0;
    for (const char *c = from->text; *c;) {
        char line[1024];
        size_t length = strcspn(c, "\n");
        snprintf(line, sizeof line, "%.*s", (int)length, c);
        place_line(scene, line, to);
        placed++;
        c += length + (c[length] == '\n');
    }
    to->count += from->count - placed; // those whose text did not fit
}

// ---- Checks across fields -----------------------------------------------------------------------

static void check_params(const rv_scene_file *s, rv_messages *messages)
{
    const rv_params *p = &s->params;
    char what[160];
    if (!(p->grid_top > p->grid_bottom)) {
        snprintf(what, sizeof what, "%g must be above grid.bottom, which is %g", p->grid_top,
                 p->grid_bottom);
        int line = param_line(s, "grid.top");
        add_problem(s, line ? line : param_line(s, "grid.bottom"), "grid.top", what, messages);
        return;
    }
    const struct {
        rv_border kind;
        double level;
        const char *side, *key;
    } borders[] = {{p->border_west, p->border_west_level, "border.west", "border.west_level"},
                   {p->border_east, p->border_east_level, "border.east", "border.east_level"},
                   {p->border_south, p->border_south_level, "border.south", "border.south_level"},
                   {p->border_north, p->border_north_level, "border.north", "border.north_level"}};
    for (int i = 0; i < 4; i++) {
        if (borders[i].kind != RV_BORDER_LEVEL) continue;
        if (borders[i].level >= p->grid_bottom && borders[i].level <= p->grid_top) continue;
        snprintf(what, sizeof what, "%g is not between grid.bottom %g and grid.top %g",
                 borders[i].level, p->grid_bottom, p->grid_top);
        int line = param_line(s, borders[i].key);
        add_problem(s, line ? line : param_line(s, borders[i].side), borders[i].key, what,
                    messages);
    }
}

static void check_region(const rv_scene_file *s, const char *list, int index, int line,
                         rv_vec3 from, rv_vec3 to, rv_messages *messages)
{
    const rv_params *p = &s->params;
    double half_x = 0.5 * p->grid_nx * p->grid_dx, half_y = 0.5 * p->grid_ny * p->grid_dx;
    char key[64];
    const char *what = NULL;
    if (from.x > to.x || from.y > to.y || from.z > to.z)
        what = "is not below `to` in x, y and z";
    else if (from.x > p->grid_x + half_x || to.x < p->grid_x - half_x ||
             from.y > p->grid_y + half_y || to.y < p->grid_y - half_y)
        what = "the region from … to lies outside the grid";
    else if (from.z > p->grid_top || to.z < p->grid_bottom)
        what = "the region from … to lies above or below the grid";
    if (!what) return;
    snprintf(key, sizeof key, "%s[%d].from", list, index);
    add_problem(s, line, key, what, messages);
}

static void check_point(const rv_scene_file *s, const char *list, int index, int line, rv_vec3 at,
                        rv_messages *messages)
{
    const rv_params *p = &s->params;
    double half_x = 0.5 * p->grid_nx * p->grid_dx, half_y = 0.5 * p->grid_ny * p->grid_dx;
    char key[64], what[160];
    if (fabs(at.x - p->grid_x) > half_x || fabs(at.y - p->grid_y) > half_y) {
        snprintf(what, sizeof what,
                 "(%g, %g) lies outside the grid, which is x %g to %g, y %g to %g", at.x, at.y,
                 p->grid_x - half_x, p->grid_x + half_x, p->grid_y - half_y, p->grid_y + half_y);
    } else if (at.z < p->grid_bottom) {
        snprintf(what, sizeof what, "height %g lies under grid.bottom %g: nothing is below it",
                 at.z, p->grid_bottom);
    } else {
        return;
    }
    snprintf(key, sizeof key, "%s[%d].at", list, index);
    add_problem(s, line, key, what, messages);
}

static void check_times(const rv_scene_file *s, const char *list, int index, int line, double opens,
                        double closes, rv_messages *messages)
{
    if (closes >= opens) return;
    char key[64], what[96];
    snprintf(key, sizeof key, "%s[%d].stop", list, index);
    snprintf(what, sizeof what, "%g is before start, which is %g", closes, opens);
    add_problem(s, line, key, what, messages);
}

static int line_at(const int *lines, int index)
{
    return lines ? lines[index] : 0;
}

// Where an emitter is must be in the grid; its height too, where particles have one.
static void check_emitter(const rv_scene_file *s, int index, rv_messages *messages)
{
    const rv_emitter_def *e = &s->emitters[index];
    const rv_params *p = &s->params;
    int line = line_at(s->emitter_lines, index), before = messages->count;
    bool height = p->solver == RV_SOLVER_SPLAT && p->splat_form == RV_SPLAT_HEIGHT;
    bool deep = !height && p->solver != RV_SOLVER_GLASS;
    bool box = e->kind == RV_EMITTER_BLOCK || e->kind == RV_EMITTER_RAIN;
    rv_vec3 from = e->from, to = e->to, at = e->at;
    if (!deep && from.z <= to.z) from.z = to.z = p->grid_bottom;
    if (!deep) at.z = p->grid_bottom;
    if (box)
        check_region(s, "emitters", index, line, from, to, messages);
    else
        check_point(s, "emitters", index, line, at, messages);
    if (!box && at.z > p->grid_top && messages->count == before) {
        char key[64], what[96];
        snprintf(key, sizeof key, "emitters[%d].at", index);
        snprintf(what, sizeof what, "height %g lies over grid.top %g", at.z, p->grid_top);
        add_problem(s, line, key, what, messages);
    }
    if (e->kind == RV_EMITTER_JET || e->kind == RV_EMITTER_RAIN)
        check_times(s, "emitters", index, line, e->start, e->stop, messages);
}

static void check_mover(const rv_scene_file *s, int index, int line, rv_messages *messages)
{
    char key[64], what[64];
    int mover = s->events[index].mover;
    for (int i = 0; i < s->solid_count; i++)
        if (s->solids[i].mover == mover) return;
    snprintf(key, sizeof key, "events[%d].mover", index);
    snprintf(what, sizeof what, "no solid has `mover: %d`", mover);
    add_problem(s, line, key, what, messages);
}

bool rv_scene_check(const rv_scene_file *s, rv_messages *messages)
{
    int before = messages->count;
    check_params(s, messages);
    if (messages->count > before) return false; // places cannot be judged on a grid that is not one
    for (int i = 0; i < s->fill_count; i++) {
        const rv_fill_def *f = &s->fills[i];
        int line = line_at(s->fill_lines, i);
        if (f->kind == RV_FILL_DROP)
            check_point(s, "fills", i, line, f->at, messages);
        else
            check_region(s, "fills", i, line, f->from, f->to, messages);
    }
    for (int i = 0; i < s->source_count; i++) {
        const rv_source_def *f = &s->sources[i];
        int line = line_at(s->source_lines, i);
        check_point(s, "sources", i, line, f->at, messages);
        check_times(s, "sources", i, line, f->start, f->stop, messages);
    }
    for (int i = 0; i < s->drain_count; i++) {
        const rv_drain_def *f = &s->drains[i];
        int line = line_at(s->drain_lines, i);
        check_region(s, "drains", i, line, f->from, f->to, messages);
        check_times(s, "drains", i, line, f->start, f->stop, messages);
    }
    for (int i = 0; i < s->body_count; i++)
        check_point(s, "bodies", i, line_at(s->body_lines, i), s->bodies[i].at, messages);
    for (int i = 0; i < s->emitter_count; i++) check_emitter(s, i, messages);
    for (int i = 0; i < s->event_count; i++)
        if (s->events[i].kind == RV_EVENT_MOVE)
            check_mover(s, i, line_at(s->event_lines, i), messages);
    return messages->count == before;
}
