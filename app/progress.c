// A progress bar on a terminal; nothing at all in a pipe.
#define _POSIX_C_SOURCE 200809L
#include "app/progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define BAR_WIDTH 24
#define EVERY 0.1 // s between drawings

double rv_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

rv_progress rv_progress_start(bool quiet)
{
    rv_progress progress = {.shown = !quiet && isatty(STDERR_FILENO) == 1};
    progress.started = rv_seconds();
    progress.drawn = progress.started - EVERY;
    return progress;
}

static void left_text(double seconds, char *out, size_t size)
{
    if (seconds < 90)
        snprintf(out, size, "%.0f s", seconds);
    else if (seconds < 5400)
        snprintf(out, size, "%.0f min", seconds / 60);
    else
        snprintf(out, size, "%.1f h", seconds / 3600);
}

void rv_progress_show(rv_progress *progress, double share, const char *text)
{
    if (!progress->shown) return;
    double now = rv_seconds();
    if (now - progress->drawn < EVERY) return;
    progress->drawn = now;
    progress->dirty = true;
    if (!(share > 0)) share = 0;
    if (share > 1) share = 1;
    char bar[BAR_WIDTH + 1], left[32] = "?";
    int full = (int)(share * BAR_WIDTH);
    for (int i = 0; i < BAR_WIDTH; i++) bar[i] = i < full ? '=' : i == full ? '>' : ' ';
    bar[BAR_WIDTH] = '\0';
    double spent = now - progress->started;
    if (share > 0 && spent > 0.5) left_text(spent * (1 - share) / share, left, sizeof left);
    fprintf(stderr, "\r[%s] %3.0f%%  %s  %s left\033[K", bar, 100 * share, text, left);
    fflush(stderr);
}

void rv_progress_clear(rv_progress *progress)
{
    if (progress->dirty) fputs("\r\033[K", stderr);
    progress->dirty = false;
}
