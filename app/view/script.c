// Scripts: each line is one thing that a user could do, or a wait. They are read and checked as a
// whole before the window opens. While one runs, a frame counts for one time.step, however long it
// takes, so that the same script gives the same liquid everywhere.
#include "app/view/view.h"

#include "app/progress.h"
#include "io/atomic_file.h"
#include "io/file_bytes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_BYTES 1024
#define SCRIPT_BYTES (1 << 24) // of a script, at most

struct rv_script_line {
    const struct command *command;
    char text[LINE_BYTES]; // what follows the command's name
};

typedef struct words {
    int count;
    char word[6][256];
} words;

// A command: how its words must be, and what it does. Both may assume the right number of words.
typedef struct command {
    const char *name, *usage;
    int least, most; // words
    bool (*fine)(const words *w);
    bool (*run)(rv_view *v, const char *text, const words *w); // true: the frame comes first
} command;

static words split(const char *text)
{
    words w = {0};
    for (;;) {
        text += strspn(text, " \t");
        size_t length = strcspn(text, " \t");
        if (length == 0) return w;
        if (w.count < 6) snprintf(w.word[w.count], sizeof w.word[0], "%.*s", (int)length, text);
        w.count++;
        text += length;
    }
}

static bool is_number(const char *text)
{
    char *end;
    (void)strtod(text, &end);
    return end != text && *end == '\0';
}

static bool numbers(const words *w, int first, int count)
{
    for (int i = first; i < first + count; i++)
        if (i >= w->count || !is_number(w->word[i])) return false;
    return true;
}

// ---- What they need -----------------------------------------------------------------------------

static int button_of(const char *word)
{
    static const char *const names[] = {"left", "right", "middle"};
    for (int i = 0; i < 3; i++)
        if (strcmp(word, names[i]) == 0) return i;
    return -1;
}

static int mods_of(const words *w, int first)
{
    int mods = 0;
    for (int i = first; i < w->count; i++) {
        const char *word = w->word[i];
        int mod = strcmp(word, "shift") == 0  ? RV_MOD_SHIFT
                  : strcmp(word, "ctrl") == 0 ? RV_MOD_CTRL
                  : strcmp(word, "alt") == 0  ? RV_MOD_ALT
                                              : -1;
        if (mod < 0) return -1;
        mods |= mod;
    }
    return mods;
}

static bool fine_wait(const words *w)
{
    return numbers(w, 0, 1) && (w->count == 1 || strncmp(w->word[1], "frame", 5) == 0);
}

static bool fine_numbers(const words *w)
{
    return numbers(w, 0, w->count);
}

static bool fine_press(const words *w)
{
    return button_of(w->word[0]) >= 0 && mods_of(w, 1) >= 0;
}

static bool fine_release(const words *w)
{
    return w->count == 0 || button_of(w->word[0]) >= 0;
}

static bool fine_mods(const words *w)
{
    return mods_of(w, 1) >= 0;
}

static bool fine_wheel(const words *w)
{
    return numbers(w, 0, 1) && mods_of(w, 1) >= 0;
}

static bool fine_length(const words *w)
{
    char text[600], why[256];
    double value;
    snprintf(text, sizeof text, "%s %s", w->word[0], w->count > 1 ? w->word[1] : "");
    rv_field_info field = {.key = "radius", .type = RV_REAL, .unit = "m", .high = 1e6};
    return rv_field_parse(&field, text, &value, why, sizeof why);
}

static bool fine_rate(const words *w)
{
    char text[600], why[256];
    double value;
    snprintf(text, sizeof text, "%s %s", w->word[0], w->count > 1 ? w->word[1] : "");
    rv_field_info field = {.key = "rate", .type = RV_REAL, .unit = "m3/s", .high = 1e6};
    return rv_field_parse(&field, text, &value, why, sizeof why);
}

static bool fine_density(const words *w)
{
    return numbers(w, 0, 1) && strtod(w->word[0], NULL) >= 1e-3 && strtod(w->word[0], NULL) <= 1e6;
}

static bool fine_share(const words *w)
{
    return numbers(w, 0, 1) && strtod(w->word[0], NULL) >= 0 && strtod(w->word[0], NULL) <= 1;
}

static bool fine_shape(const words *w)
{
    return strcmp(w->word[0], "ball") == 0 || strcmp(w->word[0], "box") == 0;
}

static bool fine_png(const words *w)
{
    const char *dot = strrchr(w->word[0], '.');
    return dot && strcmp(dot, ".png") == 0;
}

// ---- What they do -------------------------------------------------------------------------------

static bool do_wait(rv_view *v, const char *text, const words *w)
{
    (void)text;
    v->script.wait = atoi(w->word[0]);
    return v->script.wait > 0;
}

static bool do_sleep(rv_view *v, const char *text, const words *w)
{
    (void)text;
    v->script.until = rv_seconds() + strtod(w->word[0], NULL);
    return true;
}

static bool do_move(rv_view *v, const char *text, const words *w)
{
    (void)text;
    rv_view_mouse(v, strtod(w->word[0], NULL), strtod(w->word[1], NULL));
    return true; // what lies under the mouse, and whether the panel does, shows in the frame
}

static bool do_aim(rv_view *v, const char *text, const words *w)
{
    (void)text;
    rv_vec3 at = {strtod(w->word[0], NULL), strtod(w->word[1], NULL), strtod(w->word[2], NULL)};
    rv_params drawn = rv_view_drawn(v);
    rv_aim aim = rv_aim_of(v->renderer, &drawn, v->width, v->height);
    double x, y;
    if (rv_aim_pixel(&aim, at, &x, &y)) rv_view_mouse(v, x, y);
    return true;
}

static void press(rv_view *v, int button, int mods)
{
    rv_view_press(v, (rv_button)button, mods);
    v->panel.puppet_down[button] = true;
}

static void release(rv_view *v, int button)
{
    rv_view_release(v, (rv_button)button);
    v->panel.puppet_down[button] = false;
}

static bool do_press(rv_view *v, const char *text, const words *w)
{
    (void)text;
    press(v, button_of(w->word[0]), mods_of(w, 1));
    return false;
}

static bool do_release(rv_view *v, const char *text, const words *w)
{
    (void)text;
    for (int i = 0; i < 3; i++)
        if (w->count == 0 ? v->panel.puppet_down[i] : i == button_of(w->word[0])) release(v, i);
    return false;
}

static bool do_wheel(rv_view *v, const char *text, const words *w)
{
    (void)text;
    rv_view_wheel(v, strtod(w->word[0], NULL), mods_of(w, 1));
    return false;
}

static bool do_key(rv_view *v, const char *text, const words *w)
{
    (void)text;
    if (!rv_view_key(v, w->word[0], mods_of(w, 1), false))
        rv_view_say(v, true, "the key '%s' means nothing", w->word[0]);
    return false;
}

static bool do_pour(rv_view *v, const char *text, const words *w)
{
    (void)text;
    rv_view_key(v, "2", 0, false);
    rv_view_mouse(v, strtod(w->word[0], NULL), strtod(w->word[1], NULL));
    press(v, RV_BUTTON_LEFT, 0);
    v->script.wait = atoi(w->word[2]);
    v->script.release = true;
    return true;
}

static bool do_radius(rv_view *v, const char *text, const words *w)
{
    char why[256];
    (void)w;
    rv_field_info field = {.key = "radius", .type = RV_REAL, .unit = "m", .high = 1e6};
    rv_field_parse(&field, text, &v->tools.radius[v->tools.tool], why, sizeof why);
    return false;
}

static bool do_rate(rv_view *v, const char *text, const words *w)
{
    char why[256];
    (void)w;
    rv_field_info field = {.key = "rate", .type = RV_REAL, .unit = "m3/s", .high = 1e6};
    rv_field_parse(&field, text, &v->tools.rate, why, sizeof why);
    return false;
}

// By pixels, as a hand would.
static bool do_throw(rv_view *v, const char *text, const words *w)
{
    (void)text;
    double x = strtod(w->word[0], NULL), y = strtod(w->word[1], NULL);
    rv_view_key(v, "5", 0, false);
    rv_view_mouse(v, x, y);
    press(v, RV_BUTTON_LEFT, 0);
    rv_view_mouse(v, x + strtod(w->word[2], NULL), y + strtod(w->word[3], NULL));
    release(v, RV_BUTTON_LEFT);
    return false;
}

// From one place to another while the liquid flows for some frames, then out again.
static bool drag_tool(rv_view *v, const char *key, const words *w)
{
    double x = strtod(w->word[0], NULL), y = strtod(w->word[1], NULL);
    rv_view_key(v, key, 0, false);
    rv_view_mouse(v, x, y);
    press(v, RV_BUTTON_LEFT, 0);
    v->script.wait = atoi(w->word[4]);
    double share = v->script.wait > 0 ? 1.0 / v->script.wait : 0;
    v->script.pull_x = share * strtod(w->word[2], NULL);
    v->script.pull_y = share * strtod(w->word[3], NULL);
    v->script.release = true;
    return true;
}

static bool do_stir(rv_view *v, const char *text, const words *w)
{
    (void)text;
    return drag_tool(v, "6", w);
}

static bool do_paint(rv_view *v, const char *text, const words *w)
{
    (void)text;
    return drag_tool(v, "7", w);
}

static bool do_affinity(rv_view *v, const char *text, const words *w)
{
    (void)text;
    v->tools.affinity = strtod(w->word[0], NULL);
    return false;
}

static bool do_density(rv_view *v, const char *text, const words *w)
{
    (void)text;
    v->tools.body.density = strtod(w->word[0], NULL);
    return false;
}

static bool do_bounce(rv_view *v, const char *text, const words *w)
{
    (void)text;
    v->tools.body.restitution = strtod(w->word[0], NULL);
    return false;
}

static bool do_shape(rv_view *v, const char *text, const words *w)
{
    (void)text;
    v->tools.body.shape = strcmp(w->word[0], "box") == 0 ? RV_BODY_BOX : RV_BODY_SPHERE;
    return false;
}

static bool do_clear(rv_view *v, const char *text, const words *w)
{
    (void)text, (void)w;
    rv_view_clear(v);
    return false;
}

static bool do_set(rv_view *v, const char *text, const words *w)
{
    (void)w;
    rv_view_set(v, text);
    return false;
}

static bool do_open(rv_view *v, const char *text, const words *w)
{
    (void)w;
    rv_view_open(v, text);
    return false;
}

// In degrees, as seen by who looks.
static bool do_tilt(rv_view *v, const char *text, const words *w)
{
    (void)text;
    double degree = 3.14159265358979323846 / 180;
    rv_view_tilt(v, degree * strtod(w->word[0], NULL), degree * strtod(w->word[1], NULL));
    return false;
}

static bool do_liquid(rv_view *v, const char *text, const words *w)
{
    (void)text;
    for (int i = 0; i < rv_liquid_count(); i++)
        if (strcmp(rv_liquid_get((rv_liquid_look)i)->name, w->word[0]) == 0)
            return !rv_view_liquid(v, i);
    rv_view_say(v, true, "there is no liquid '%s'", w->word[0]);
    return false;
}

static bool do_screenshot(rv_view *v, const char *text, const words *w)
{
    (void)w;
    rv_view_take_picture(v, text);
    v->hold = true;
    return true;
}

static bool do_window(rv_view *v, const char *text, const words *w)
{
    (void)w;
    snprintf(v->window_path, sizeof v->window_path, "%s", text);
    v->hold = true;
    return true;
}

static bool do_stats(rv_view *v, const char *text, const words *w)
{
    rv_messages messages = {0};
    (void)w;
    if (!rv_view_report(v, text, &messages)) {
        fprintf(stderr, "%s\n", messages.text);
        v->status = 1;
    }
    return false;
}

static bool do_quit(rv_view *v, const char *text, const words *w)
{
    (void)text, (void)w;
    v->quit = true;
    return true;
}

static const command commands[] = {
    {"wait", "wait N frames", 1, 2, fine_wait, do_wait},
    {"sleep", "sleep SECONDS", 1, 1, fine_numbers, do_sleep},
    {"move", "move X Y", 2, 2, fine_numbers, do_move},
    {"aim", "aim X Y Z", 3, 3, fine_numbers, do_aim},
    {"press", "press left|right|middle [shift|ctrl|alt]", 1, 4, fine_press, do_press},
    {"release", "release [left|right|middle]", 0, 1, fine_release, do_release},
    {"wheel", "wheel NOTCHES [ctrl]", 1, 4, fine_wheel, do_wheel},
    {"key", "key NAME [shift|ctrl|alt]", 1, 4, fine_mods, do_key},
    {"pour", "pour X Y FRAMES", 3, 3, fine_numbers, do_pour},
    {"radius", "radius LENGTH", 1, 2, fine_length, do_radius},
    {"rate", "rate VOLUME/TIME", 1, 2, fine_rate, do_rate},
    {"throw", "throw X Y DX DY", 4, 4, fine_numbers, do_throw},
    {"stir", "stir X Y DX DY FRAMES", 5, 5, fine_numbers, do_stir},
    {"paint", "paint X Y DX DY FRAMES", 5, 5, fine_numbers, do_paint},
    {"affinity", "affinity 0..1", 1, 1, fine_share, do_affinity},
    {"density", "density KG/M3", 1, 1, fine_density, do_density},
    {"bounce", "bounce 0..1", 1, 1, fine_share, do_bounce},
    {"shape", "shape ball|box", 1, 1, fine_shape, do_shape},
    {"tilt", "tilt RIGHT AWAY", 2, 2, fine_numbers, do_tilt},
    {"clear", "clear", 0, 0, NULL, do_clear},
    {"set", "set KEY=VALUE", 1, 6, NULL, do_set},
    {"scene", "scene NAME", 1, 1, NULL, do_open},
    {"drop", "drop FILE", 1, 6, NULL, do_open},
    {"liquid", "liquid NAME", 1, 1, NULL, do_liquid},
    {"screenshot", "screenshot FILE.png", 1, 1, fine_png, do_screenshot},
    {"window", "window FILE.png", 1, 1, fine_png, do_window},
    {"stats", "stats FILE.json", 1, 1, NULL, do_stats},
    {"quit", "quit", 0, 0, NULL, do_quit},
};
#define COMMANDS (sizeof commands / sizeof commands[0])

// ---- Reading ------------------------------------------------------------------------------------

static const command *find(const char *name, size_t length)
{
    for (size_t i = 0; i < COMMANDS; i++)
        if (strlen(commands[i].name) == length && memcmp(commands[i].name, name, length) == 0)
            return &commands[i];
    return NULL;
}

// One line of the file, without its end. false: a message says what is wrong with it.
static bool read_line(rv_script *s, char *line, const char *where, rv_messages *messages)
{
    char *text = line + strspn(line, " \t");
    size_t end = strlen(text);
    while (end > 0 && (text[end - 1] == ' ' || text[end - 1] == '\t' || text[end - 1] == '\r'))
        text[--end] = '\0';
    if (*text == '\0' || *text == '#') return true;
    size_t length = strcspn(text, " \t");
    const command *c = find(text, length);
    if (!c) {
        rv_messages_add(messages, "%s: there is no command '%.*s'", where, (int)length, text);
        return false;
    }
    const char *rest = text + length + strspn(text + length, " \t");
    words w = split(rest);
    if (w.count < c->least || w.count > c->most || (c->fine && !c->fine(&w))) {
        rv_messages_add(messages, "%s: expected: %s", where, c->usage);
        return false;
    }
    rv_script_line *grown = realloc(s->lines, (size_t)(s->count + 1) * sizeof *grown);
    if (!grown) {
        rv_messages_add(messages, "%s: not enough memory", where);
        return false;
    }
    s->lines = grown;
    s->lines[s->count].command = c;
    snprintf(s->lines[s->count++].text, LINE_BYTES, "%s", rest);
    return true;
}

bool rv_script_load(rv_script *s, const char *path, rv_messages *messages)
{
    *s = (rv_script){0};
    rv_file_bytes file;
    if (!rv_file_read(path, SCRIPT_BYTES, &file, messages)) return false;
    char line[LINE_BYTES], where[4200];
    bool good = true;
    const char *at = (const char *)file.data, *end = at + file.size;
    for (int n = 1; at < end; n++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at)), *stop = newline ? newline : end;
        snprintf(where, sizeof where, "%s:%d", path, n);
        snprintf(line, sizeof line, "%.*s", (int)(stop - at), at);
        good = read_line(s, line, where, messages) && good;
        at = newline ? newline + 1 : end;
    }
    rv_file_bytes_free(&file);
    if (!good) rv_script_free(s);
    return good;
}

void rv_script_free(rv_script *s)
{
    free(s->lines);
    *s = (rv_script){0};
}

bool rv_script_runs(const rv_script *s)
{
    return s->next < s->count || s->wait > 0 || s->until > 0 || s->release;
}

void rv_script_advance(rv_view *v, double now)
{
    rv_script *s = &v->script;
    bool ran = rv_script_runs(s);
    v->clock.fixed = ran && s->until == 0 ? v->params.time_step : 0;
    if (s->pull_x != 0 || s->pull_y != 0)
        rv_view_mouse(v, v->mouse.x + s->pull_x, v->mouse.y + s->pull_y);
    if (s->wait > 0 && --s->wait > 0) return;
    s->pull_x = s->pull_y = 0;
    if (s->until > 0 && now < s->until) return;
    s->until = 0;
    if (s->release) release(v, RV_BUTTON_LEFT);
    s->release = false;
    while (s->next < s->count) {
        rv_script_line *line = &s->lines[s->next++];
        words w = split(line->text);
        if (line->command->run(v, line->text, &w)) break;
    }
    v->clock.fixed = rv_script_runs(s) && s->until == 0 ? v->params.time_step : 0;
    if (ran && !rv_script_runs(s)) rv_clock_forget(&v->clock);
}
