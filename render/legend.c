// Draws legends with the letters of render/letters.h and hands them to the card.
#include "render/legend.h"

#include "render/colours.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MARGIN = 6, BAR = 12, STEPS = 5, LINE = 12 }; // dots

static const rv_colour PAPER = {24, 26, 30}, INK = {232, 234, 238};

static void draw_scale(rv_canvas *c, const rv_legend_def *d, int s)
{
    int top = (MARGIN + LINE + 2) * s, tall = (STEPS - 1) * LINE * s + s;
    for (int y = 0; y < tall; y++) {
        double share = 1 - (double)y / (tall - 1);
        rv_canvas_fill(c, MARGIN * s, top + 3 * s + y, BAR * s, 1, rv_colour_of(share));
    }
    for (int n = 0; n < STEPS; n++) {
        char text[32];
        double share = 1 - (double)n / (STEPS - 1);
        snprintf(text, sizeof text, "%.3g", d->low + share * (d->high - d->low));
        int y = top + n * LINE * s;
        rv_canvas_fill(c, (MARGIN + BAR) * s, y + 3 * s, 3 * s, s, INK);
        rv_canvas_write(c, (MARGIN + BAR + 6) * s, y, s, INK, text);
    }
}

static void draw_rows(rv_canvas *c, const rv_legend_def *d, int s)
{
    for (int n = 0; n < d->rows; n++) {
        int y = (MARGIN + (n + 1) * LINE + 2) * s;
        rv_colour colour = {d->row[n].rgb[0], d->row[n].rgb[1], d->row[n].rgb[2]};
        rv_canvas_fill(c, MARGIN * s, y - s, BAR * s, 9 * s, colour);
        rv_canvas_write(c, (MARGIN + BAR + 5) * s, y, s, INK, d->row[n].text);
    }
}

static void measure(const rv_legend_def *d, int s, int *width, int *height)
{
    size_t letters = strlen(d->title);
    int rows = d->scale ? STEPS : d->rows;
    for (int n = 0; n < d->rows; n++)
        if (strlen(d->row[n].text) + 3 > letters) letters = strlen(d->row[n].text) + 3;
    *width = (2 * MARGIN + (int)letters * RV_LETTER_ADVANCE) * s;
    if (*width < (2 * MARGIN + BAR + 9 * RV_LETTER_ADVANCE) * s)
        *width = (2 * MARGIN + BAR + 9 * RV_LETTER_ADVANCE) * s;
    *height = (2 * MARGIN + (rows + 1) * LINE) * s;
}

bool rv_legend_update(rv_legend *l, const rv_legend_def *def, int size)
{
    if (l->texture && l->size == size && memcmp(&l->def, def, sizeof *def) == 0) return true;
    int width, height;
    measure(def, size, &width, &height);
    uint8_t *rgb = malloc((size_t)width * (size_t)height * 3);
    if (!rgb) return false;
    rv_canvas canvas = {rgb, width, height};
    rv_canvas_fill(&canvas, 0, 0, width, height, PAPER);
    rv_canvas_write(&canvas, MARGIN * size, MARGIN * size, size, INK, def->title);
    if (def->scale)
        draw_scale(&canvas, def, size);
    else
        draw_rows(&canvas, def, size);
    if (!l->texture) glGenTextures(1, &l->texture);
    glBindTexture(GL_TEXTURE_2D, l->texture);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGB8, width, height, 0, GL_RGB, GL_UNSIGNED_BYTE, rgb);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    free(rgb);
    l->width = width, l->height = height, l->size = size, l->def = *def;
    return true;
}

void rv_legend_free(rv_legend *l)
{
    glDeleteTextures(1, &l->texture);
    memset(l, 0, sizeof *l);
}

// The next of 1, 2, 4, 8, 10, 20, … (each a multiple of four parts) that is not less.
static double round_up(double v)
{
    static const double steps[] = {1, 2, 4, 8, 10};
    double power = pow(10, floor(log10(v)));
    for (int n = 0; n < 5; n++)
        if (steps[n] * power >= v * 0.999) return steps[n] * power;
    return 10 * power;
}

double rv_legend_scale(rv_legend_def *def, const char *name, const char *unit, double most)
{
    static const struct {
        double size;
        const char *prefix;
    } units[] = {{1, ""}, {1e-3, "m"}, {1e-6, "u"}};
    double end = round_up(most > 1e-9 ? most : 1e-9);
    int n = end >= 1 ? 0 : end >= 1e-3 ? 1 : 2;
    *def = (rv_legend_def){.scale = true, .high = end / units[n].size};
    snprintf(def->title, sizeof def->title, "%s, %s%s", name, units[n].prefix, unit);
    return end;
}
