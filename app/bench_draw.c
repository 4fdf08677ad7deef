// Times drawing by the driver's timers. Their results come some frames late, which a mean over many
// frames does not mind; the first frames, in which everything is uploaded and compiled, do not
// count.
#include "app/bench_draw.h"

#include "app/progress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Frames that do not count; and how often each is drawn, because a GPU that waits for the next
// frame most of the time runs slower than one at work. Whole frames that follow each other, and those
// before them, in which drivers are still asked how long parts take.
enum { WARM = 10, TIMES = 20, WHOLE = 60, BEFORE = 20 };

bool rv_bench_draw_start(rv_draw_bench *b, rv_target *target, int width, int height,
                         rv_messages *messages)
{
    const rv_target_def def = {.kind = RV_TARGET_HEADLESS, .width = width, .height = height};
    *b = (rv_draw_bench){.target = target, .lent = target != NULL};
    rv_result result = target ? rv_target_resize(target, width, height)
                              : rv_target_create(&def, &b->target, messages);
    if (result == RV_OK && rv_renderer_create(b->target, NULL, &b->renderer, messages) == RV_OK)
        return true;
    rv_bench_draw_end(b);
    return false;
}

// Until the picture is there: reading it waits for all that was asked for.
static bool finish(rv_draw_bench *b)
{
    int width, height;
    rv_target_get_size(b->target, &width, &height);
    uint8_t *rgb = malloc((size_t)width * (size_t)height * 3);
    bool good = rgb && rv_target_read(b->target, rgb) == RV_OK;
    free(rgb);
    return good;
}

bool rv_bench_draw_frame(rv_draw_bench *b, const rv_world *world, const rv_surface *surface,
                         rv_messages *messages)
{
    rv_renderer_stats s;
    double start = rv_seconds();
    if (rv_renderer_update(b->renderer, world, surface, messages) != RV_OK) return false;
    // The shape of a pane is made in the first drawing after a step: each frame is drawn once.
    rv_pane pane;
    b->pane = rv_world_get_pane(world, &pane) == RV_OK;
    for (int n = 0; n < (b->timed && !b->pane ? TIMES : 1); n++)
        if (rv_renderer_draw(b->renderer, rv_world_params(world)) != RV_OK) return false;
    if (!finish(b) || rv_renderer_get_stats(b->renderer, &s) != RV_OK) return false;
    b->timed = s.ms > 0;
    if (b->frames++ < WARM) return true;
    b->wall += 1e3 * (rv_seconds() - start);
    b->sum.ms += s.ms, b->sum.ms_shadow += s.ms_shadow, b->sum.ms_terrain += s.ms_terrain;
    b->sum.ms_liquid += s.ms_liquid, b->sum.ms_post += s.ms_post, b->sum.ms_upload += s.ms_upload;
    b->sum.uploaded += s.uploaded;
    // Liquid that moves has another map of light in each frame, and from close by other triangles,
    // and here only the first drawing of each made them.
    double map = s.ms_map > 0 ? s.ms_map - s.ms_pass[RV_PASS_GATHER] : 0;
    double near = s.ms_near > 0 ? s.ms_near - s.ms_pass[RV_PASS_NEAR] : 0;
    b->slowest = fmax(b->slowest, s.ms + map + near);
    b->sum.ms += map + near, b->sum.ms_shadow += map, b->sum.ms_liquid += near;
    b->sum.ms_pass[RV_PASS_GATHER] += map, b->sum.ms_pass[RV_PASS_NEAR] += near;
    for (int n = 0; n < RV_PASSES; n++) b->sum.ms_pass[n] += s.ms_pass[n];
    b->sum.terrain_triangles = s.terrain_triangles, b->sum.liquid_triangles = s.liquid_triangles;
    return true;
}

// One frame, and what the processor takes for its parts, which are added up: ms.
static bool pass_frame(rv_draw_bench *b, rv_world *world, rv_surface *surface,
                       const rv_params *seen, rv_messages *messages)
{
    double at[RV_BENCH_PARTS + 1] = {rv_seconds()};
    bool good = rv_world_step(world, seen->time_step) == RV_OK;
    at[1] = rv_seconds();
    good = good && (!surface || rv_surface_update_drawn(surface, world) == RV_OK);
    at[2] = rv_seconds();
    good = good && rv_renderer_update(b->renderer, world, surface, messages) == RV_OK;
    at[3] = rv_seconds();
    good = good && rv_renderer_draw(b->renderer, seen) == RV_OK;
    at[4] = rv_seconds();
    for (int k = 0; k < RV_BENCH_PARTS; k++) b->part[k] += 1e3 * (at[k + 1] - at[k]);
    return good;
}

static int by_size(const void *a, const void *b)
{
    double p = *(const double *)a, q = *(const double *)b;
    return p < q ? -1 : p > q;
}

typedef struct whole_frames {
    double mean, median; // ms of the wall clock
} whole_frames;

// Passes so many frames, or fewer where they take too long (s); returns how many. NULL: not timed.
static int pass_frames(rv_draw_bench *b, rv_world *world, rv_surface *surface, rv_params *seen,
                       double turn, int most, double seconds, double *each, rv_messages *messages)
{
    double start = rv_seconds(), last = start;
    int n = 0;
    for (; n < most && (n < 2 || last - start < seconds); n++) {
        seen->view_azimuth += turn;
        if (!pass_frame(b, world, surface, seen, messages)) return 0;
        double now = rv_seconds();
        if (each) each[n] = 1e3 * (now - last);
        last = now;
    }
    return n;
}

// Frames of which nothing is waited for, but at the end.
static bool time_frames(rv_draw_bench *b, rv_world *world, rv_surface *surface, double turn,
                        whole_frames *out, rv_messages *messages)
{
    rv_params seen = *rv_world_params(world);
    double each[WHOLE];
    int n = pass_frames(b, world, surface, &seen, turn, BEFORE, 1, NULL, messages);
    if (n == 0 || !finish(b)) return false;
    memset(b->part, 0, sizeof b->part);
    double start = rv_seconds();
    n = pass_frames(b, world, surface, &seen, turn, WHOLE, 5, each, messages);
    if (n == 0 || !finish(b)) return false;
    out->mean = 1e3 * (rv_seconds() - start) / n;
    for (int k = 0; k < RV_BENCH_PARTS; k++) b->part[k] /= n;
    qsort(each, (size_t)n, sizeof *each, by_size);
    out->median = each[n / 2];
    return true;
}

bool rv_bench_draw_whole(rv_draw_bench *b, rv_world *world, rv_surface *surface,
                         rv_messages *messages)
{
    double part[RV_BENCH_PARTS];
    whole_frames still = {0}, turning = {0};
    bool good = time_frames(b, world, surface, 0, &still, messages);
    memcpy(part, b->part, sizeof part); // of the camera that stands
    good = good && time_frames(b, world, surface, 0.005, &turning, messages);
    memcpy(b->part, part, sizeof part);
    b->still = still.mean, b->median = still.median, b->turning = turning.mean;
    return good;
}

double rv_bench_draw_ms(const rv_draw_bench *b)
{
    if (b->frames <= WARM) return NAN;
    return (b->timed ? b->sum.ms : b->wall) / (b->frames - WARM);
}

void rv_bench_draw_print(const rv_draw_bench *b)
{
    double n = b->frames > WARM ? b->frames - WARM : 1;
    const rv_renderer_stats *s = &b->sum;
    if (b->timed && b->pane)
        printf("    drawn by %s: shape %.3f, picture %.3f ms, frame %.3f ms until it is read;",
               rv_target_driver(b->target), s->ms_terrain / n, s->ms_liquid / n, b->wall / n);
    else if (b->timed)
        printf("    drawn by %s: shadow %.3f, terrain %.3f, liquid %.3f, post %.3f ms;",
               rv_target_driver(b->target), s->ms_shadow / n, s->ms_terrain / n, s->ms_liquid / n,
               s->ms_post / n);
    else
        printf("    drawn by %s, which has no timers: wall clock;", rv_target_driver(b->target));
    printf(" upload %.3f ms, %.0f kB a frame; %lld + %lld triangles\n", s->ms_upload / n,
           (double)s->uploaded / n * 1e-3, (long long)s->terrain_triangles,
           (long long)s->liquid_triangles);
    if (b->timed && !b->pane) {
        static const char *const names[RV_PASSES] = {"shadow", "gather", "near",   "solids",
                                                     "front",  "light",  "second", "liquid",
                                                     "cover",  "mean",   "finish"};
        printf("    passes:");
        for (int k = 0; k < RV_PASSES; k++) printf(" %s %.3f", names[k], s->ms_pass[k] / n);
        puts(" ms");
    }
    if (b->still > 0) {
        printf("    stepped, sent and drawn one after the other: %.3f ms a frame (half of them under "
               "%.3f), %.3f while the camera turns\n",
               b->still, b->median, b->turning);
        printf("    of it the processor waits or works: step %.3f, surface %.3f, update %.3f, "
               "drawing %.3f ms\n",
               b->part[0], b->part[1], b->part[2], b->part[3]);
    }
}

void rv_bench_draw_end(rv_draw_bench *b)
{
    rv_renderer_destroy(b->renderer);
    if (!b->lent) rv_target_destroy(b->target);
    *b = (rv_draw_bench){0};
}
