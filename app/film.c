// Pictures of a run: one at the end, one per film frame, and a film. A film has view.rate pictures
// a second, view.speed simulated seconds in each of its seconds; each shows the first frame of the
// simulation at or after its time.
#include "app/film.h"

#include "app/progress.h"
#include "io/atomic_file.h"
#include "io/hdr_file.h"
#include "io/image.h"
#include "io/picture_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

// The end of a "%04d" that starts at c, or NULL.
static const char *number_end(const char *c)
{
    c++;
    int digits = 0;
    while (is_digit(*c) && digits < 2) c++, digits++;
    return *c == 'd' ? c + 1 : NULL;
}

bool rv_film_numbered(const char *name, bool *bad)
{
    const char *percent = strchr(name, '%');
    *bad = false;
    if (!percent) return false;
    const char *end = number_end(percent);
    *bad = !end || strchr(end, '%');
    return !*bad;
}

void rv_film_name(const char *pattern, int64_t number, char *out, size_t out_size)
{
    const char *percent = strchr(pattern, '%'), *end = percent ? number_end(percent) : NULL;
    if (!end) {
        snprintf(out, out_size, "%s", pattern);
        return;
    }
    int width = atoi(percent + 1);
    bool zeros = percent[1] == '0';
    snprintf(out, out_size, zeros ? "%.*s%0*lld%s" : "%.*s%*lld%s", (int)(percent - pattern),
             pattern, width, (long long)number, end);
}

// Whether a numbered pattern gives this name for some number.
static bool pattern_gives(const char *pattern, const char *name)
{
    const char *percent = strchr(pattern, '%'), *end = percent ? number_end(percent) : NULL;
    if (!end) return false;
    size_t before = (size_t)(percent - pattern), after = strlen(end), length = strlen(name);
    if (length < before + after || strncmp(pattern, name, before) != 0 ||
        strcmp(name + length - after, end) != 0)
        return false;
    char filled[4096];
    rv_film_name(pattern, strtoll(name + before, NULL, 10), filled, sizeof filled);
    return strcmp(filled, name) == 0;
}

bool rv_film_names_meet(const char *a, const char *b)
{
    // "x.ply", "./x.ply" and a link to it are one file
    char *at = rv_output_place(a), *other = rv_output_place(b);
    bool meet = strcmp(a, b) == 0 || (at && other && strcmp(at, other) == 0) ||
                (at && other && (pattern_gives(at, other) || pattern_gives(other, at)));
    free(at);
    free(other);
    return meet;
}

rv_film_clock rv_film_clock_start(const rv_world *world)
{
    const rv_params *p = rv_world_params(world);
    rv_film_clock clock = {.interval = p->view_speed / p->view_rate};
    rv_stats stats;
    // A resumed run goes on with the numbers where the first one would be.
    if (rv_world_get_counters(world, &stats) == RV_OK)
        clock.next = (int64_t)ceil(stats.time / clock.interval - 1e-6);
    return clock;
}

int64_t rv_film_due(rv_film_clock *clock, const rv_world *world)
{
    rv_stats stats;
    if (rv_world_get_counters(world, &stats) != RV_OK) return -1;
    // A tolerance: the world adds up its time, and a frame must not slip by rounding.
    bool due = (double)clock->next * clock->interval <= stats.time + 1e-6 * clock->interval;
    return due ? clock->next++ : -1;
}

static bool fail(rv_messages *messages, rv_result result)
{
    rv_messages_add(messages, "the picture: %s", rv_result_text(result));
    return false;
}

rv_moment rv_moment_begin(void)
{
    return (rv_moment){.time = NAN};
}

rv_result rv_moment_surface(rv_moment *moment, const rv_world *world, bool drawn)
{
    rv_stats stats;
    rv_result result = rv_world_get_counters(world, &stats);
    if (result == RV_OK && !moment->surface) result = rv_surface_create(world, &moment->surface);
    if (result != RV_OK || (stats.time == moment->time && (drawn || !moment->drawn))) return result;
    double before = rv_seconds();
    result = drawn ? rv_surface_update_drawn(moment->surface, world)
                   : rv_surface_update(moment->surface, world);
    moment->drawn = drawn;
    moment->ms += 1e3 * (rv_seconds() - before);
    moment->time = result == RV_OK ? stats.time : NAN;
    return result;
}

void rv_moment_end(rv_moment *moment)
{
    rv_surface_destroy(moment->surface);
    *moment = (rv_moment){.time = NAN, .ms = moment->ms};
}

static bool set_backdrop(rv_film *film, const char *path, rv_messages *messages)
{
    rv_picture_file picture;
    if (!path) return true;
    if (!rv_picture_load(path, &picture, messages)) return false;
    const rv_backdrop behind = {picture.width, picture.height, picture.value};
    rv_result result = rv_renderer_set_backdrop(film->renderer, &behind);
    rv_picture_free(&picture);
    return result == RV_OK || fail(messages, result);
}

// Opens what is drawn on.
static bool open_target(rv_film *film, const rv_film_def *def, rv_messages *messages)
{
    const rv_target_def target = {
        .kind = RV_TARGET_HEADLESS, .width = film->width, .height = film->height};
    film->rgb = malloc((size_t)film->width * (size_t)film->height * (film->alpha ? 4 : 3));
    if (!film->rgb) return fail(messages, RV_OUT_OF_MEMORY);
    rv_hdr_file picture = {0};
    if (def->environment && !rv_hdr_file_load(def->environment, &picture, messages)) return false;
    const rv_environment around = {picture.width, picture.height, picture.rgb};
    film->target = def->target, film->own = !def->target;
    bool good = (!film->own || rv_target_create(&target, &film->target, messages) == RV_OK) &&
                rv_renderer_create(film->target, def->environment ? &around : NULL, &film->renderer,
                                   messages) == RV_OK;
    rv_hdr_file_free(&picture);
    return good && set_backdrop(film, def->backdrop, messages);
}

// A pane and a plane have no depth to be out of focus in; and a mean has no one alpha.
static bool start_exposure(rv_film *film, const rv_params *p, rv_messages *messages)
{
    bool deep = p->solver != RV_SOLVER_GLASS &&
                !(p->solver == RV_SOLVER_SPLAT && p->splat_form == RV_SPLAT_2D);
    double shutter = film->numbered || film->video ? p->view_shutter : 0;
    int steps = (int)fmin(shutter * film->clock.interval / p->time_step + 0.5, 1e6);
    if (film->alpha) return true;
    return rv_exposure_start(&film->exposure, film->width, film->height,
                             deep && p->view_aperture > 0, shutter, p->view_exposures, steps) ||
           fail(messages, RV_OUT_OF_MEMORY);
}

bool rv_film_start(rv_film *film, const rv_film_def *def, const rv_world *world, rv_moment *moment,
                   rv_messages *messages)
{
    *film = (rv_film){.image = def->image, .moment = moment};
    if (!def->image && !def->video) return true;
    const rv_params *p = rv_world_params(world);
    bool bad;
    film->numbered = def->image && rv_film_numbered(def->image, &bad);
    film->width = p->view_width, film->height = p->view_height;
    film->alpha = p->view_alpha;
    if (def->video && film->alpha) {
        rv_messages_add(messages,
                        "--video: films have no alpha (view.alpha); numbered pictures do");
        return false;
    }
    film->clock = rv_film_clock_start(world);
    bool good = open_target(film, def, messages) && start_exposure(film, p, messages);
    if (good && def->video) {
        film->video = rv_video_start(def->video, film->width, film->height, p->view_rate, messages);
        good = film->video != NULL;
    }
    if (!good) rv_film_finish(film, world, false, messages);
    return good;
}

// Draws the world once, or as often as the lens asks for.
static rv_result draw_pictures(rv_film *film, const rv_params *p, int count)
{
    rv_exposure *e = &film->exposure;
    rv_result result = RV_OK;
    if (!e->sum) {
        result = rv_renderer_draw(film->renderer, p);
        if (result != RV_OK) return result;
        return film->alpha ? rv_target_read_alpha(film->target, film->rgb)
                           : rv_target_read(film->target, film->rgb);
    }
    for (int n = 0; n < count && result == RV_OK; n++) {
        double place[2];
        rv_exposure_place(e, place);
        result = rv_renderer_draw_through(film->renderer, p, place[0], place[1]);
        if (result == RV_OK) result = rv_target_read(film->target, film->rgb);
        if (result == RV_OK) rv_exposure_add(e, film->rgb);
    }
    return result;
}

static bool draw(rv_film *film, const rv_world *world, int count, rv_messages *messages)
{
    rv_result result = RV_OK;
    if (rv_renderer_needs_surface(rv_world_params(world)))
        result = rv_moment_surface(film->moment, world, true);
    if (result != RV_OK) return fail(messages, result);
    double before = rv_seconds();
    int said = messages->count;
    result = rv_renderer_update(film->renderer, world, film->moment->surface, messages);
    if (result == RV_OK) result = draw_pictures(film, rv_world_params(world), count);
    film->ms += 1e3 * (rv_seconds() - before);
    if (result != RV_OK && messages->count == said) fail(messages, result);
    return result == RV_OK;
}

static bool write_picture(const rv_film *film, const char *name, rv_messages *messages)
{
    return film->alpha
               ? rv_image_write_png_alpha(name, film->rgb, film->width, film->height, messages)
               : rv_image_write_png(name, film->rgb, film->width, film->height, messages);
}

// One film frame, of what was drawn. A film that its encoder gave up ends here, and is told of
// once.
static bool put_frame(rv_film *film, int64_t number, rv_messages *messages)
{
    bool good = true;
    if (film->numbered) {
        char name[4096];
        rv_film_name(film->image, number, name, sizeof name);
        good = write_picture(film, name, messages);
    }
    if (film->video && !rv_video_push(film->video, film->rgb)) {
        rv_video_finish(film->video, messages);
        film->video = NULL;
        good = false;
    }
    return good;
}

// Film frames whose time has not come yet, but whose shutter is open.
static bool expose(rv_film *film, const rv_world *world, rv_messages *messages)
{
    rv_exposure *e = &film->exposure;
    rv_stats stats;
    if (!e->sum || rv_world_get_counters(world, &stats) != RV_OK) return true;
    double due = (double)film->clock.next * film->clock.interval;
    double open = due - e->shutter * film->clock.interval, little = 1e-6 * film->clock.interval;
    if (stats.time <= open + little || stats.time + little >= due) return true;
    int count = rv_exposure_due(e, false);
    return count == 0 || draw(film, world, count, messages);
}

static bool draw_due(rv_film *film, const rv_world *world, rv_messages *messages)
{
    rv_exposure *e = &film->exposure;
    int count = e->sum ? rv_exposure_due(e, true) : 1;
    if (count > 0 && !draw(film, world, count, messages)) return false;
    if (e->sum) rv_exposure_develop(e, film->rgb);
    return true;
}

bool rv_film_frame(rv_film *film, const rv_world *world, rv_messages *messages)
{
    film->ms = 0;
    if (!film->video && !film->numbered) return true;
    if (!expose(film, world, messages)) return false;
    bool drawn = false, good = true;
    for (int64_t number; (number = rv_film_due(&film->clock, world)) >= 0;) {
        if (!drawn && !draw_due(film, world, messages)) return false;
        drawn = true;
        good = put_frame(film, number, messages) && good;
    }
    return good;
}

// The picture at the end shows one moment, whatever the shutter has taken for the next frame.
static bool draw_last(rv_film *film, const rv_world *world, rv_messages *messages)
{
    rv_exposure *e = &film->exposure;
    if (!e->sum) return draw(film, world, 1, messages);
    rv_exposure_develop(e, film->rgb);
    if (!draw(film, world, e->lens ? e->most : 1, messages)) return false;
    rv_exposure_develop(e, film->rgb);
    return true;
}

bool rv_film_finish(rv_film *film, const rv_world *world, bool keep, rv_messages *messages)
{
    bool good = true;
    if (keep && film->image && !film->numbered)
        good = draw_last(film, world, messages) && write_picture(film, film->image, messages);
    if (film->video && keep)
        good = rv_video_finish(film->video, messages) && good;
    else if (film->video)
        rv_video_abort(film->video);
    rv_renderer_destroy(film->renderer);
    if (film->own) rv_target_destroy(film->target);
    free(film->rgb);
    rv_exposure_free(&film->exposure);
    *film = (rv_film){.ms = film->ms};
    return good;
}
