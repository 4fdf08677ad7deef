// The events of a scene file: what happens to the solids or to gravity at which time, with tools
// and paths.
#include "io/scene_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char event_common[] = " kind start duration ";
static const rv_key_use event_uses[] = {
    {"carve", " tool path ", "tool"},
    {"add", " tool path ", "tool"},
    {"move", " mover shift rotate pivot ", NULL}, // shift or rotate: looked at below
    {"gravity", " gravity ", "gravity"},
    {0},
};

static bool add_point(rv_reader *r, rv_vec3 point)
{
    rv_scene_file *s = r->scene;
    if (s->point_count == r->point_room) {
        int room = r->point_room ? 2 * r->point_room : 16;
        rv_vec3 *points = realloc(s->points, (size_t)room * sizeof *points);
        if (!points) return rv_read_no_memory(r);
        s->points = points;
        r->point_room = room;
    }
    s->points[s->point_count++] = point;
    return true;
}

// A list of points, each as three numbers are written anywhere.
static void read_path(rv_reader *r, const rv_yaml_node *node, const char *where)
{
    static const rv_field_info point_row = {
        .key = "point", .type = RV_VECTOR, .unit = "m", .low = -1e6, .high = 1e6};
    char key[RV_READ_PATH + 16];
    if (node->kind != RV_YAML_LIST || node->count == 0) {
        rv_read_problem(r, node->line, where, "expected a list of points: [[x, y, z], [x, y, z]]");
        return;
    }
    if (node->count > RV_SCENE_ITEMS_MAX - r->scene->point_count) {
        rv_read_problem(r, node->line, where, "too many points");
        return;
    }
    int index = 0;
    for (const rv_yaml_node *n = node->first; n; n = n->next, index++) {
        rv_vec3 point = {0};
        snprintf(key, sizeof key, "%.200s[%d]", where, index);
        rv_read_field(r, &point_row, n, key, &point);
        if (!add_point(r, point)) return;
    }
}

static void check_event(rv_reader *r, const rv_yaml_node *item, const char *path,
                        const rv_event_def *event)
{
    char key[RV_READ_PATH + 80];
    rv_read_uses(r, item, path, event_uses, event_common, rv_table_find(rv_event_table(), "kind"),
                 event);
    if (event->kind == RV_EVENT_MOVE && !rv_read_entry(item, "shift") &&
        !rv_read_entry(item, "rotate")) {
        rv_read_join(key, sizeof key, path, "shift");
        rv_read_problem(r, item->line, key, "missing, needed for move, or rotate");
    }
}

static void read_event(rv_reader *r, const rv_yaml_node *item, const char *path,
                       rv_event_def *event)
{
    static const char *const others[] = {"tool", "path", NULL};
    char key[RV_READ_PATH + 80];
    int before = r->messages->count;
    rv_read_target target = {rv_event_table(), event, NULL};
    *event = rv_default_event_def();
    rv_read_item(r, item, path, &target, 1, others);
    if (r->messages->count == before) check_event(r, item, path, event);
    const rv_yaml_node *tool = rv_read_entry(item, "tool"), *way = rv_read_entry(item, "path");
    if (tool) {
        int first = r->tools.count;
        before = r->messages->count;
        rv_read_join(key, sizeof key, path, "tool");
        rv_read_solids(r, tool, key, &r->tools, true);
        event->tool_count = r->tools.count - first;
        if (!tool->first && r->messages->count == before)
            rv_read_problem(r, tool->line, key, "needs a solid");
    }
    if (way) {
        int first = r->scene->point_count;
        rv_read_join(key, sizeof key, path, "path");
        read_path(r, way, key);
        event->path_count = r->scene->point_count - first;
    }
}

void rv_read_events(rv_reader *r, const rv_yaml_node *node)
{
    rv_scene_file *s = r->scene;
    if (!rv_read_is_list(r, node, "events") || node->count == 0) return;
    size_t room = (size_t)s->event_count + (size_t)node->count;
    rv_event_def *events = realloc(s->events, room * sizeof *events);
    if (events) s->events = events;
    int *lines = realloc(s->event_lines, room * sizeof *lines);
    if (lines) s->event_lines = lines;
    if (!events || !lines) {
        rv_read_no_memory(r);
        return;
    }
    for (const rv_yaml_node *n = node->first; n; n = n->next) {
        char path[RV_READ_PATH];
        snprintf(path, sizeof path, "events[%d]", s->event_count);
        s->event_lines[s->event_count] = n->line;
        read_event(r, n, path, &s->events[s->event_count++]);
    }
}

void rv_read_events_finish(rv_scene_file *scene)
{
    int tool = 0, point = 0;
    for (int i = 0; i < scene->event_count; i++) {
        rv_event_def *event = &scene->events[i];
        if (event->tool_count > 0) event->tool = scene->tools + tool;
        if (event->path_count > 0) event->path = scene->points + point;
        tool += event->tool_count;
        point += event->path_count;
    }
}
