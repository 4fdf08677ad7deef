// `rivulet inspect`: what was found, in words and numbers.
#include "app/inspect.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- Numbers for people -------------------------------------------------------------------------

const char *rv_length_text(double metres, char *out, size_t size)
{
    double m = fabs(metres);
    if (m == 0)
        snprintf(out, size, "0");
    else if (m >= 1)
        snprintf(out, size, "%.4g m", metres);
    else if (m >= 0.9995e-3)
        snprintf(out, size, "%.4g mm", metres * 1e3);
    else
        snprintf(out, size, "%.4g um", metres * 1e6);
    return out;
}

static const char *box_text(rv_vec3 size, char *out, size_t out_size)
{
    char x[32], y[32], z[32];
    snprintf(out, out_size, "%s x %s x %s", rv_length_text(size.x, x, sizeof x),
             rv_length_text(size.y, y, sizeof y), rv_length_text(size.z, z, sizeof z));
    return out;
}

static const char *bytes_text(size_t bytes, char *out, size_t size)
{
    if (bytes < 1024 * 1024)
        snprintf(out, size, "%.1f KiB", (double)bytes / 1024);
    else
        snprintf(out, size, "%.1f MiB", (double)bytes / (1024 * 1024));
    return out;
}

static const char *word_of(const rv_table *table, const char *key, const void *object, char *out,
                           size_t size)
{
    rv_field_print(rv_table_find(table, key), object, out, size);
    return out;
}

static const char *plural(int64_t n)
{
    return n == 1 ? "" : "s";
}

// ---- What the file holds ------------------------------------------------------------------------

static void print_mesh_file(const rv_mesh_file *m)
{
    float low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < 3 * m->vertex_count; i++) {
        if (m->positions[i] < low[i % 3]) low[i % 3] = m->positions[i];
        if (m->positions[i] > high[i % 3]) high[i % 3] = m->positions[i];
    }
    printf("  triangles   %zu, with %zu vertices in %d part%s\n", m->triangle_count,
           m->vertex_count, m->parts, plural(m->parts));
    if (m->skipped > 0)
        printf("  left out    %" PRId64 " point%s or line%s\n", m->skipped, plural(m->skipped),
               plural(m->skipped));
    if (m->vertex_count == 0) return;
    printf("  in the file %g x %g x %g, from (%g, %g, %g)\n", (double)(high[0] - low[0]),
           (double)(high[1] - low[1]), (double)(high[2] - low[2]), (double)low[0], (double)low[1],
           (double)low[2]);
}

// How a volume's values are spread: what a threshold or a label is chosen from.
#define BINS 256
typedef struct spread {
    double least, most;
    int64_t counts[BINS], all, not_numbers;
    bool whole;   // every value is a whole number and fits a bin of its own
    int distinct; // bins that are not empty
} spread;

static spread spread_of(const rv_volume_file *v)
{
    size_t n = (size_t)v->nx * (size_t)v->ny * (size_t)v->nz;
    spread s = {.least = INFINITY, .most = -INFINITY, .whole = true};
    for (size_t i = 0; i < n; i++) {
        double value = v->values[i];
        if (!isfinite(value)) {
            s.not_numbers++;
            continue;
        }
        if (value < s.least) s.least = value;
        if (value > s.most) s.most = value;
        if (value != floor(value)) s.whole = false;
    }
    double span = s.most - s.least;
    if (!(span < BINS)) s.whole = false;
    double per = s.whole ? 1 : span > 0 ? (BINS - 1) / span : 0;
    for (size_t i = 0; i < n; i++) {
        double value = v->values[i];
        if (!isfinite(value)) continue;
        s.counts[(int)((value - s.least) * per)]++;
        s.all++;
    }
    for (int i = 0; i < BINS; i++) s.distinct += s.counts[i] > 0;
    return s;
}

static bool looks_like_labels(const spread *s)
{
    return s->whole && s->distinct >= 2 && s->distinct <= 24 && s->least >= 0;
}

// The value that divides the values into two groups that differ most (largest
// variance between them), a fair first guess for a threshold.
static double best_threshold(const spread *s)
{
    double sum = 0, below = 0, count = 0, best = -1;
    int first = 0, last = 0; // between empty bins it stays the same: then in the middle
    for (int i = 0; i < BINS; i++) sum += (double)i * (double)s->counts[i];
    for (int i = 0; i + 1 < BINS; i++) {
        count += (double)s->counts[i];
        below += (double)i * (double)s->counts[i];
        double above = (double)s->all - count;
        if (count == 0 || above == 0) continue;
        double apart = below / count - (sum - below) / above;
        double between = count * above * apart * apart;
        if (between > best) best = between, first = i;
        if (between == best) last = i;
    }
    double step = s->whole ? 1 : (s->most - s->least) / (BINS - 1);
    double value = s->least + (0.5 * (first + last) + (s->whole ? 0.5 : 1.0)) * step;
    char rounded[32];
    snprintf(rounded, sizeof rounded, "%.3g", value);
    return strtod(rounded, NULL);
}

// A row of bars, their heights by the logarithm: bone is rare beside air.
static void print_histogram(const spread *s)
{
    enum { WIDTH = 48 };
    static const char *const bars[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    double sums[WIDTH] = {0}, most = 1;
    int last = s->whole ? (int)(s->most - s->least) : BINS - 1;
    for (int i = 0; i <= last; i++) sums[i * WIDTH / (last + 1)] += (double)s->counts[i];
    for (int i = 0; i < WIDTH; i++) most = fmax(most, sums[i]);
    printf("  values      %g [", s->least);
    for (int i = 0; i < WIDTH; i++) {
        int bar = sums[i] > 0 ? 1 + (int)(7 * log(sums[i]) / log(fmax(most, 2))) : 0;
        fputs(bars[bar > 8 ? 8 : bar], stdout);
    }
    printf("] %g, bars by logarithm\n", s->most);
}

static void print_spread(const rv_volume_file *v)
{
    spread s = spread_of(v);
    if (s.all == 0) {
        printf("  values      none is a number\n");
        return;
    }
    if (looks_like_labels(&s)) {
        printf("  labels     ");
        for (int i = 0; i < BINS; i++)
            if (s.counts[i] > 0)
                printf(" %g: %.3g%% ", s.least + i, 100 * (double)s.counts[i] / (double)s.all);
        printf("\n");
    } else {
        print_histogram(&s);
    }
    if (s.not_numbers > 0)
        printf("  not numbers %" PRId64 " voxel%s, which count as empty\n", s.not_numbers,
               plural(s.not_numbers));
}

// Which way each index runs: "+x -z +y", with the largest angle between a step
// and its axis.
static double axes_text(const rv_volume_file *v, char out[16])
{
    double worst = 0;
    for (int k = 0; k < 3; k++) {
        const double c[3] = {v->step[k].x, v->step[k].y, v->step[k].z};
        int a = 0;
        for (int i = 1; i < 3; i++)
            if (fabs(c[i]) > fabs(c[a])) a = i;
        double length = sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2]);
        double share = length > 0 ? fmin(fabs(c[a]) / length, 1) : 1;
        worst = fmax(worst, acos(share) * 180 / 3.14159265358979);
        snprintf(out + 3 * k, 4, "%c%c ", c[a] < 0 ? '-' : '+', "xyz"[a]);
    }
    out[8] = '\0';
    return worst;
}

static double length_of(rv_vec3 v)
{
    return sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
}

static void print_volume_file(const rv_inspection *f)
{
    const rv_volume_file *v = &f->data.volume;
    char unit[8], axes[16];
    rv_form_def def = {.unit = v->unit};
    double angle = axes_text(v, axes);
    printf("  voxels      %d x %d x %d of %s\n", v->nx, v->ny, v->nz, v->type);
    printf("  spacing     %.4g x %.4g x %.4g %s\n", length_of(v->step[0]), length_of(v->step[1]),
           length_of(v->step[2]), word_of(rv_form_table(), "unit", &def, unit, sizeof unit));
    printf("  orientation indices run along %s", axes);
    if (angle > 0.01) printf(", turned by up to %.3g degrees", angle);
    printf("%s%s\n", v->note[0] ? "; " : "", v->note);
    print_spread(v);
}

void rv_inspect_print_file(const rv_inspection *f)
{
    const rv_height_file *h = &f->data.heights;
    switch (f->data.shape) {
    case RV_SHAPE_MESH:
        printf("%s: a mesh, %s\n", f->path, f->data.mesh.format);
        print_mesh_file(&f->data.mesh);
        break;
    case RV_SHAPE_VOLUME:
        printf("%s: a volume, %s\n", f->path, f->data.volume.format);
        print_volume_file(f);
        break;
    default:
        printf("%s: a height map\n", f->path);
        printf("  pixels      %d x %d, %d bits\n", h->nx, h->ny, h->bits);
    }
}

// ---- What became of it --------------------------------------------------------------------------

static void print_repairs(const rv_form_report *r)
{
    const struct {
        int64_t count;
        const char *one, *many;
    } rows[] = {
        {r->degenerate, "triangle without area left out", "triangles without area left out"},
        {r->duplicate, "triangle given twice left out", "triangles given twice left out"},
        {r->flipped, "triangle turned to agree with its neighbours",
         "triangles turned to agree with their neighbours"},
        {r->inside_out, "inside turned out, all of it", ""},
        {r->open_edges, "open edge", "open edges"},
        {r->crowded_edges, "edge with three triangles or more",
         "edges with three triangles or more"},
        {r->holes, "hole in it", "holes in it"},
        {r->filled, "of them closed with a patch", "of them closed with patches"},
    };
    bool first = true;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].count == 0) continue;
        printf("  %-11s %" PRId64 " %s\n", first ? "found" : "", rows[i].count,
               rows[i].count == 1 ? rows[i].one : rows[i].many);
        first = false;
    }
}

static const char *who_says(const rv_inspection *f)
{
    if (f->wish.def.unit != RV_UNIT_AUTO) return "as told";
    if (f->data.shape == RV_SHAPE_VOLUME) return "as the file says, or mm where it does not";
    rv_length_unit file = f->data.mesh.unit;
    return file != RV_UNIT_AUTO ? "as the file says" : "for want of a better one";
}

static void print_surface(const rv_form_report *r)
{
    printf("  surface     %s, %" PRId64 " piece%s, %" PRId64 " different places\n",
           r->closed ? "closed" : "open", r->pieces, plural(r->pieces), r->vertices);
    if (r->area < 1e-2)
        printf("  area        %.4g mm2\n", r->area * 1e6);
    else
        printf("  area        %.4g m2\n", r->area);
    if (r->volume < 1e-3)
        printf("  volume      %.4g ml%s\n", r->volume * 1e6, r->closed ? "" : ", about");
    else
        printf("  volume      %.4g m3%s\n", r->volume, r->closed ? "" : ", about");
    print_repairs(r);
}

void rv_inspect_print_form(const rv_inspection *f)
{
    const rv_form_report *r = &f->report;
    char box[128], unit[8], up[8], low[32], high[32];
    rv_form_def def = rv_form_data_resolve(&f->data, &f->wish.def);
    rv_vec3 size = {r->high.x - r->low.x, r->high.y - r->low.y, r->high.z - r->low.z};
    if (f->data.shape == RV_SHAPE_HEIGHTS) {
        printf("  size        %s x %s", rv_length_text(f->wish.size_x, low, sizeof low),
               rv_length_text(f->wish.size_y, high, sizeof high));
        printf(", heights %s to %s\n", rv_length_text(r->least, low, sizeof low),
               rv_length_text(r->most, high, sizeof high));
        return;
    }
    printf("  size        %s; unit %s, %s; up %s\n", box_text(size, box, sizeof box),
           word_of(rv_form_table(), "unit", &def, unit, sizeof unit), who_says(f),
           word_of(rv_form_table(), "up", &def, up, sizeof up));
    if (f->data.shape == RV_SHAPE_MESH) {
        print_surface(r);
        return;
    }
    double share = r->voxels > 0 ? 100 * (double)r->solid / (double)r->voxels : 0;
    printf("  solid       %" PRId64 " of %" PRId64 " voxels (%.3g%%), ", r->solid, r->voxels,
           share);
    if (def.label >= 0)
        printf("label %d\n", def.label);
    else
        printf("threshold %g\n", def.threshold);
}

// ---- Advice -------------------------------------------------------------------------------------

static void advise_mesh(const rv_inspection *f)
{
    const rv_form_report *r = &f->report;
    char text[32];
    double largest = fmax(r->high.x - r->low.x, fmax(r->high.y - r->low.y, r->high.z - r->low.z));
    bool guessed = f->wish.def.unit == RV_UNIT_AUTO && f->data.mesh.unit == RV_UNIT_AUTO;
    if (guessed && largest > 5)
        printf("advice: %s across: a mesh in millimetres? try --unit mm\n",
               rv_length_text(largest, text, sizeof text));
    if (r->open_edges > 0 && r->closed)
        printf("advice: %" PRId64 " open edge%s in %" PRId64
               " hole%s: closed with patches; --set fill_holes=no leaves them open\n",
               r->open_edges, plural(r->open_edges), r->holes, plural(r->holes));
    else if (!r->closed && f->wish.def.thickness == 0)
        printf("advice: not closed: %" PRId64 " open edge%s, %" PRId64 " of %" PRId64
               " hole%s left; what is inside is a guess there. A sheet? give it a thickness: "
               "--thickness '%s'\n",
               r->open_edges, plural(r->open_edges), r->holes - r->filled, r->holes,
               plural(r->holes), rv_length_text(largest / 50, text, sizeof text));
}

static void advise_volume(const rv_inspection *f)
{
    if (f->wish.def.label >= 0) return;
    spread s = spread_of(&f->data.volume);
    if (s.all == 0 || s.least == s.most) return;
    rv_form_def usual = rv_default_form_def();
    if (f->wish.def.threshold != usual.threshold) return;
    if (!looks_like_labels(&s))
        printf("advice: the values divide best at --threshold %g\n", best_threshold(&s));
    else if (s.distinct > 2)
        printf("advice: labels? --label %g takes one of them, --threshold 0.5 all\n", s.most);
}

// A name as YAML takes it.
static void print_name(const char *path)
{
    bool plain = strspn(path, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWX"
                              "YZ0123456789_./-") == strlen(path);
    if (plain) {
        fputs(path, stdout);
        return;
    }
    putchar('\'');
    for (const char *c = path; *c; c++) {
        if (*c == '\'') putchar('\'');
        putchar(*c);
    }
    putchar('\'');
}

// A scene that shows it, to paste.
static void print_snippet(const rv_inspection *f)
{
    static const char *const shapes[] = {
        [RV_SHAPE_MESH] = "mesh", [RV_SHAPE_VOLUME] = "volume", [RV_SHAPE_HEIGHTS] = "heights"};
    const rv_params *p = &f->params;
    const rv_table *table = rv_form_table();
    rv_form_def usual = rv_default_form_def();
    char dx[32], bottom[32], top[32];
    printf("\nin a scene:\n  grid: {nx: %d, ny: %d, dx: %s, bottom: %s, top: %s", p->grid_nx,
           p->grid_ny, rv_length_text(p->grid_dx, dx, sizeof dx),
           rv_length_text(p->grid_bottom, bottom, sizeof bottom),
           rv_length_text(p->grid_top, top, sizeof top));
    if (p->grid_x != 0) printf(", x: %s", rv_length_text(p->grid_x, dx, sizeof dx));
    if (p->grid_y != 0) printf(", y: %s", rv_length_text(p->grid_y, dx, sizeof dx));
    if (p->grid_stretch != 1) printf(", stretch: %.3g", p->grid_stretch);
    printf("}\n  solids:\n    - {shape: %s, file: ", shapes[f->data.shape]);
    print_name(f->path);
    if (f->data.shape == RV_SHAPE_HEIGHTS)
        printf(", size: [%s, %s]", rv_length_text(f->wish.size_x, dx, sizeof dx),
               rv_length_text(f->wish.size_y, bottom, sizeof bottom));
    for (int i = 0; i < table->count; i++) {
        char value[96], preset[96];
        rv_field_print(&table->fields[i], &f->wish.def, value, sizeof value);
        rv_field_print(&table->fields[i], &usual, preset, sizeof preset);
        if (strcmp(value, preset) != 0) printf(", %s: %s", table->fields[i].key, value);
    }
    printf("}\n");
}

void rv_inspect_print_advice(const rv_inspection *f)
{
    if (f->form && f->data.shape == RV_SHAPE_MESH) advise_mesh(f);
    if (f->data.shape == RV_SHAPE_VOLUME) advise_volume(f);
    if (f->info.layers > 8)
        printf("advice: %d layers in a cell: noise in the data, or a surface full "
               "of pores?\n",
               f->info.layers);
    if (f->form) print_snippet(f);
}

// ---- Scenes -------------------------------------------------------------------------------------

void rv_inspect_print_scene(const rv_scene_file *s)
{
    printf("%s: a scene%s%s\n", s->path, s->title[0] ? ", " : "", s->title);
    printf("  solids      %d, from %d file%s\n", s->solid_count, s->form_count,
           plural(s->form_count));
    for (int i = 0; i < s->form_count; i++) {
        const rv_scene_form *form = &s->forms[i];
        char shape[16], box[128];
        rv_solid_def solid = {.shape = form->shape};
        const rv_form_report *r = &form->report;
        rv_vec3 size = {r->high.x - r->low.x, r->high.y - r->low.y, r->high.z - r->low.z};
        printf("  %-11s %s of %s: ", i == 0 ? "files" : "",
               word_of(rv_solid_table(), "shape", &solid, shape, sizeof shape), form->file);
        if (form->shape == RV_SHAPE_MESH)
            printf("%s, %" PRId64 " triangles, %s\n", box_text(size, box, sizeof box), r->triangles,
                   r->closed ? "closed" : "open");
        else if (form->shape == RV_SHAPE_VOLUME)
            printf("%s, %.3g%% solid\n", box_text(size, box, sizeof box),
                   r->voxels > 0 ? 100 * (double)r->solid / (double)r->voxels : 0);
        else
            printf("heights %g to %g m\n", r->least, r->most);
    }
    char solver[16], form[16] = "";
    word_of(rv_params_table(), "solver", &s->params, solver, sizeof solver);
    if (s->params.solver == RV_SOLVER_SPLAT)
        word_of(rv_params_table(), "splat.form", &s->params, form, sizeof form);
    printf("  solver      %s%s%s\n", solver, *form ? ", form " : "", form);
    const struct {
        const char *name;
        int count;
    } lists[] = {{"fill", s->fill_count},   {"source", s->source_count},
                 {"drain", s->drain_count}, {"event", s->event_count},
                 {"body", s->body_count},   {"emitter", s->emitter_count}};
    printf("  lists       ");
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        bool body = strcmp(lists[i].name, "body") == 0 && lists[i].count != 1;
        // of the first four, which most scenes have, also that there is none
        if (i > 3 && lists[i].count == 0) continue;
        printf("%s%d %s%s", i == 0 ? "" : ", ", lists[i].count, body ? "bodies" : lists[i].name,
               body ? "" : plural(lists[i].count));
    }
    putchar('\n');
}

// ---- Particles and drops ------------------------------------------------------------------------

static void print_density(const rv_density *d)
{
    size_t cells = (size_t)d->nx * (size_t)d->ny * (size_t)d->nz, wet = 0;
    double most = 0, sum = 0;
    for (size_t i = 0; i < cells; i++) {
        double value = (double)d->value[i];
        most = fmax(most, value);
        if (value >= 0.5) wet++, sum += value;
    }
    printf("  grid        %d x %d x %d cells, %zu of them full\n", d->nx, d->ny, d->nz, wet);
    printf("  density     %.3g in full cells, %.3g at most; 1: as at rest\n",
           wet > 0 ? sum / (double)wet : 0, most);
}

static void print_pane(const rv_pane *pane)
{
    char dx[32];
    double least = 1, most = 0;
    for (int y = 0; y < pane->ny; y++)
        for (int x = 0; x < pane->nx; x++) {
            double a = (double)pane->affinity[(size_t)y * (size_t)pane->pitch + (size_t)x];
            least = fmin(least, a), most = fmax(most, a);
        }
    printf("  pane        %d x %d cells of %s\n", pane->nx, pane->ny,
           rv_length_text(pane->dx, dx, sizeof dx));
    printf("  affinity    %.3g to %.3g\n", least, most);
}

void rv_inspect_print_particles(const rv_inspection *f)
{
    rv_particles p;
    rv_density density;
    rv_pane pane;
    rv_stats stats;
    if (rv_world_get_particles(f->world, &p) != RV_OK) return;
    rv_world_get_stats(f->world, &stats);
    bool drops = rv_world_get_pane(f->world, &pane) == RV_OK;
    printf("\n%s at the start\n", drops ? "drops" : "particles");
    bool litres = stats.volume >= 1e-3;
    printf("  number      %" PRId64 ", %.4g %s in all", p.count,
           stats.volume * (litres ? 1e3 : 1e6), litres ? "l" : "ml");
    if (!drops) printf(", %.3g mm3 each", 1e9 * p.each);
    putchar('\n');
    if (drops) print_pane(&pane);
    if (!drops && rv_world_get_density(f->world, &density) == RV_OK) print_density(&density);
}

// ---- Columns ------------------------------------------------------------------------------------

void rv_inspect_print_columns(const rv_inspection *f)
{
    char dx[32], low[32], high[32], bytes[32], more[32];
    double cells = (double)f->columns.nx * (double)f->columns.ny;
    printf("\ncolumns on %d x %d cells of %s, heights %s to %s\n", f->columns.nx, f->columns.ny,
           rv_length_text(f->columns.dx, dx, sizeof dx),
           rv_length_text(f->columns.bottom, low, sizeof low),
           rv_length_text(f->columns.top, high, sizeof high));
    bool first = true;
    for (int n = 0; n < 17; n++) {
        if (f->info.cells_with[n] == 0) continue;
        printf("  %-11s %2d column%s %9" PRId64 " cell%s %6.2f%%\n", first ? "cells with" : "", n,
               n == 1 ? ": " : "s:", f->info.cells_with[n], f->info.cells_with[n] == 1 ? " " : "s",
               100 * (double)f->info.cells_with[n] / cells);
        first = false;
    }
    printf("  layers      %d at most, %" PRId64 " columns in all\n", f->info.layers,
           f->info.columns);
    printf("  memory      %s of columns, %s of distances\n",
           bytes_text(f->info.bytes, bytes, sizeof bytes),
           bytes_text(f->info.terrain_bytes, more, sizeof more));
    printf("  time        %.3f s reading, %.3f s making forms, %.3f s casting "
           "columns\n",
           f->read_s, f->form_s, f->cast_s);
}
