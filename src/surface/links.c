// Which columns the surface passes over, and which of them are linked (docs/surface.md; pipes paper
// §4.1).
//
// Wet columns are nodes, and so are dry ones linked to a wet one.
//
// What a link is stands in terrain/levels.h.
#include "surface/links.h"

#define FEW 400 // cells: with ends all over some 0.1 ms of work, twice the cost of sharing it out

// ---- Rows that matter ---------------------------------------------------------------------------

static void forget_rows(rv_surface_work *w, int y)
{
    if (w->planes > 1 && w->wet_to[y] > w->wet_from[y])
        memset(w->wet_planes + rv_wet_cell(w, w->wet_from[y], y), 0,
               (size_t)(w->wet_to[y] - w->wet_from[y]) * sizeof *w->wet_planes);
    w->wet_from[y] = w->wet_to[y] = 0;
    for (int l = 0; l < w->planes; l++) {
        rv_surface_row *row = rv_row_of(w, y, l);
        if (row->x1 <= row->x0) continue;
        size_t n = (size_t)(row->x1 - row->x0);
        memset(w->kind + row->first, RV_NODE_NONE, n);
        memset(w->inside + row->first, 0, n);
        memset(w->bits + row->first, 0, n);
        if (w->planes > 1) memset(w->held + row->first, 0, n);
        memset(w->odd + row->first, 0, n);
        *row = (rv_surface_row){0};
    }
}

static void forget_band(void *context, int task)
{
    const rv_surface_pass *p = context;
    const rv_surface_band *band = rv_band_of(p, task);
    for (int y = band->y0; y < band->y1; y++) forget_rows(p->w, y);
}

void rv_surface_forget(rv_surface_pass *p)
{
    rv_surface_each_band(p, forget_band);
}

// First wet cell and after the last, of one row of cells over all planes; marks them. Of the
// island's cells only.
static void scan_row(const rv_surface_pass *p, int y)
{
    rv_surface_work *w = p->w;
    const rv_column_set *c = p->in->columns;
    const rv_surface_span *span =
        &w->squares.now.span[p->island->spans + (uint32_t)(y / RV_SQUARE - p->island->y0)];
    bool marked = w->planes > 1;
    uint16_t *mark = w->wet_planes + (marked ? rv_wet_cell(w, 0, y) : 0);
    int from = w->nx, to = 0;
    for (int l = 0; l < c->planes; l++) {
        const rv_plane *plane = &c->plane[l];
        int x0 = span->x0 * RV_SQUARE, x1 = span->x1 * RV_SQUARE, a, b;
        if (x0 < plane->x0) x0 = plane->x0;
        if (x1 > plane->x0 + plane->nx) x1 = plane->x0 + plane->nx;
        if (y < plane->y0 || y >= plane->y0 + plane->ny || x1 <= x0) continue;
        const float *depth = p->in->depth + rv_slot(plane, x0, y);
        if (!w->loops->wet(depth, p->film, x1 - x0, &a, &b)) continue;
        uint16_t *own = mark + x0;
        for (int x = a; marked && x < b; x++)
            own[x] = (uint16_t)(own[x] | (depth[x] > p->film) << l);
        if (x0 + a < from) from = x0 + a;
        if (x0 + b > to) to = x0 + b;
    }
    w->wet_from[y] = from, w->wet_to[y] = to;
}

static void scan_band(void *context, int task)
{
    const rv_surface_pass *p = context;
    const rv_surface_band *band = rv_band_of(p, task);
    for (int y = band->y0; y < band->y1; y++) scan_row(p, y);
}

// Cells of row y that are wet or beside a wet one.
static bool near_range(const rv_surface_work *w, int y, int *x0, int *x1)
{
    *x0 = w->nx, *x1 = 0;
    for (int j = y > 0 ? y - 1 : 0; j <= y + 1 && j < w->ny; j++) {
        if (w->wet_to[j] <= w->wet_from[j]) continue;
        if (w->wet_from[j] - 1 < *x0) *x0 = w->wet_from[j] - 1;
        if (w->wet_to[j] + 1 > *x1) *x1 = w->wet_to[j] + 1;
    }
    return *x1 > *x0;
}

// Begins the row of a plane; false: nothing is near. Groups of 16 slots may reach beyond the
// plane's rectangle, into slots without columns.
static bool begin_row(const rv_surface_work *w, const rv_column_set *c, int plane, int y,
                      rv_surface_row *row)
{
    const rv_plane *p = &c->plane[plane];
    int x0, x1;
    if (y < p->y0 || y >= p->y0 + p->ny || !near_range(w, y, &x0, &x1)) return false;
    if (x0 < p->x0) x0 = p->x0;
    if (x1 > p->x0 + p->nx) x1 = p->x0 + p->nx;
    if (x1 <= x0) return false;
    row->x0 = p->x0 + (x0 - p->x0) / 16 * 16;
    row->x1 = p->x0 + (x1 - p->x0 + 15) / 16 * 16;
    // the column before the first belongs to four cells with it
    size_t first = rv_slot(p, row->x0, y);
    while (row->x0 < row->x1 && !w->loops->there(c->base + first, c->max + first) &&
           !rv_column_exists(c, first + 16))
        row->x0 += 16, first += 16;
    size_t last = first + (size_t)(row->x1 - row->x0);
    while (row->x0 < row->x1 && !w->loops->there(c->base + last - 16, c->max + last - 16))
        row->x1 -= 16, last -= 16;
    row->first = (uint32_t)first;
    return row->x1 > row->x0;
}

// ---- Levels and links within planes -------------------------------------------------------------

static void link_row(const rv_surface_pass *p, size_t i, size_t pitch, int n,
                     const float *level_above)
{
    const rv_surface_work *w = p->w;
    const rv_column_set *c = p->in->columns;
    size_t up = i + pitch;
    rv_link_view view = {.level = w->level + i,
                         .min = c->min + i,
                         .max = c->max + i,
                         .base = c->base + i,
                         .depth = p->in->depth + i,
                         .level_above = level_above,
                         .min_above = c->min + up,
                         .max_above = c->max + up};
    w->loops->links(&view, p->film, n, w->bits + i, w->planes > 1 ? w->held + i : NULL);
}

// The same where the row above belongs to another band, which may not have its levels yet.
static void link_last_row(const rv_surface_pass *p, size_t i, size_t pitch, int n)
{
    enum { CHUNK = 256 };
    const rv_surface_work *w = p->w;
    float level[CHUNK + 32], z[CHUNK + 32];
    for (int x = 0; x < n; x += CHUNK) {
        int count = n - x < CHUNK ? n - x : CHUNK;
        size_t above = i + (size_t)x + pitch - 16;
        w->loops->levels(p->in->columns->base + above, p->in->depth + above, p->in->over + above,
                         count + 32, level, z);
        link_row(p, i + (size_t)x, pitch, count, level + 16);
    }
}

static void link_band(void *context, int task)
{
    const rv_surface_pass *p = context;
    const rv_surface_band *band = rv_band_of(p, task);
    rv_surface_work *w = p->w;
    const rv_column_set *c = p->in->columns;
    for (int y = band->y0; y < band->y1; y++) {
        for (int l = 0; l < w->planes; l++) {
            rv_surface_row *row = rv_row_of(w, y, l);
            if (!begin_row(w, c, l, y, row)) continue;
            size_t i = row->first;
            w->loops->levels(c->base + i, p->in->depth + i, p->in->over + i, row->x1 - row->x0,
                             w->level + i, w->z + i);
        }
    }
    for (int y = band->y0; y < band->y1; y++) {
        for (int l = 0; l < w->planes; l++) {
            const rv_surface_row *row = rv_row_of(w, y, l);
            size_t i = row->first, pitch = (size_t)c->plane[l].pitch;
            if (row->x1 <= row->x0) continue;
            if (y + 1 < band->y1)
                link_row(p, i, pitch, row->x1 - row->x0, w->level + i + pitch);
            else
                link_last_row(p, i, pitch, row->x1 - row->x0);
        }
    }
}

// ---- Links between planes -----------------------------------------------------------------------

static float level_at(const rv_surface_input *in, uint32_t slot)
{
    float depth = in->depth[slot];
    return in->columns->base[slot] + (depth > 0.0f ? depth : 0.0f);
}

// Whether the levels of two columns lie in each other's range.
static bool linked(const rv_surface_input *in, uint32_t a, float level, uint32_t b)
{
    return rv_levels_linked(in->columns, a, (double)level, b, (double)level_at(in, b));
}

// Whether a dry column is linked to a wet one of another plane.
static bool wet_across(const rv_surface_pass *p, uint32_t slot, int plane, int x, int y)
{
    const rv_surface_work *w = p->w;
    const rv_column_set *c = p->in->columns;
    for (int d = 0; d < RV_DIRECTIONS; d++) {
        int ox = x + rv_step_x(d), oy = y + rv_step_y(d);
        unsigned wet = w->wet_planes[rv_wet_cell(w, ox, oy)] & ~(1u << plane);
        for (; wet; wet &= wet - 1) {
            const rv_plane *q = &c->plane[__builtin_ctz(wet)];
            if (linked(p->in, slot, w->level[slot], (uint32_t)rv_slot(q, ox, oy))) return true;
        }
    }
    return false;
}

// ---- Nodes --------------------------------------------------------------------------------------

static void find_across(const rv_surface_pass *p, rv_surface_row *row, int plane, int y)
{
    rv_surface_work *w = p->w;
    size_t i = row->first;
    int n = row->x1 - row->x0;
    uint8_t *found = w->quad + i; // not needed for quads yet
    if (!w->loops->candidates(w->wet_planes + rv_wet_cell(w, row->x0, y), (ptrdiff_t)w->wet_pitch,
                              (uint16_t) ~(1u << plane), w->bits + i, w->held + i, w->kind + i,
                              p->in->columns->plane[plane].pitch, n, found))
        return;
    for (int x = rv_next_byte(found, n, 1, 0); x < n; x = rv_next_byte(found, n, 1, x + 1)) {
        if (!wet_across(p, (uint32_t)i + (uint32_t)x, plane, row->x0 + x, y)) continue;
        w->kind[i + (size_t)x] = RV_NODE_DRY;
        row->uneven++;
    }
}

static void kind_band(void *context, int task)
{
    const rv_surface_pass *p = context;
    const rv_surface_band *band = rv_band_of(p, task);
    rv_surface_work *w = p->w;
    for (int y = band->y0; y < band->y1; y++) {
        for (int l = 0; l < w->planes; l++) {
            rv_surface_row *row = rv_row_of(w, y, l);
            if (row->x1 <= row->x0) continue;
            size_t i = row->first;
            const rv_row_kinds kinds = {w->kind + i, w->inside + i, w->linked + i, w->wet + i};
            row->uneven = (uint32_t)w->loops->kinds(w->bits + i, p->in->columns->plane[l].pitch,
                                                    row->x1 - row->x0, &kinds);
            if (w->planes > 1 && p->in->links) find_across(p, row, l, y);
        }
    }
}

// ---- Records ------------------------------------------------------------------------------------

// The column of a cell whose range holds a height. Ranges follow each other from below.
static bool column_at(const rv_column_set *c, int x, int y, float h, uint32_t *found, int *plane)
{
    if (x < 0 || y < 0 || x >= c->grid.nx || y >= c->grid.ny) return false;
    for (int l = 0; l < c->planes; l++) {
        if (!rv_plane_has(&c->plane[l], x, y)) break;
        size_t slot = rv_slot(&c->plane[l], x, y);
        if (!rv_column_exists(c, slot)) break;
        if (!(h < c->max[slot])) continue;
        *found = (uint32_t)slot, *plane = l;
        return h >= c->min[slot];
    }
    return false;
}

// What a wet column meets in a direction in which it has no link.
static rv_node_kind beyond(const rv_surface_input *in, const rv_node_record *n, float level,
                           int direction, bool found, uint32_t other)
{
    const rv_column_set *c = in->columns;
    int x = n->x + rv_step_x(direction), y = n->y + rv_step_y(direction);
    if (x < 0 || y < 0 || x >= c->grid.nx || y >= c->grid.ny) return RV_NODE_NONE;
    bool full = !(level < c->max[n->node]); // up to its ceiling: it has no surface to close
    if (!found) return !full && c->max[n->node] < (float)c->grid.top ? RV_NODE_WALL : RV_NODE_NONE;
    if (c->base[other] > c->max[n->node]) return full ? RV_NODE_NONE : RV_NODE_WALL;
    bool lip = in->curtain && level_at(in, other) < c->min[n->node];
    return lip ? RV_NODE_LIP : RV_NODE_NONE;
}

// In a direction without a link within the plane: a link to another plane, or the need for an extra
// node. `other`: the column of the own plane there, if it holds the level. Returns whether linked.
static bool link_across(const rv_surface_pass *p, rv_node_record *n, int plane, int d,
                        uint32_t other)
{
    const rv_surface_work *w = p->w;
    float level = w->level[n->node];
    bool found = other != RV_NO_NODE;
    if (!found) {
        int q = plane;
        found =
            column_at(p->in->columns, n->x + rv_step_x(d), n->y + rv_step_y(d), level, &other, &q);
        if (found && q != plane && p->in->links && w->kind[other] != RV_NODE_NONE &&
            linked(p->in, n->node, level, other)) {
            n->link[d] = other;
            n->wet |= (uint8_t)((w->kind[other] & 1u) << d);
            return true;
        }
    }
    if (w->kind[n->node] == RV_NODE_WET) {
        rv_node_kind kind = beyond(p->in, n, level, d, found, other);
        n->want |= (uint8_t)((kind != RV_NODE_NONE) << d);
        n->lip |= (uint8_t)((kind == RV_NODE_LIP) << d);
    }
    return false;
}

uint32_t rv_column_below(const rv_surface_pass *p, const rv_node_record *n, int direction)
{
    uint32_t other = RV_NO_NODE;
    int plane;
    column_at(p->in->columns, n->x + rv_step_x(direction), n->y + rv_step_y(direction),
              p->w->level[n->node], &other, &plane);
    return other;
}

// Directions in which a neighbour of the same plane holds a column's level.
static unsigned held_around(const uint8_t *held, ptrdiff_t pitch)
{
    return (held[0] & 15u) | (held[-1] & 16u) | (held[-pitch - 1] & 32u) | (held[-pitch] & 64u) |
           (held[-pitch + 1] & 128u);
}

// Directions without a link within the plane; returns whether some are linked to other planes.
static bool link_others(const rv_surface_pass *p, rv_node_record *n, int plane, unsigned missing,
                        const int32_t step[RV_DIRECTIONS])
{
    const rv_surface_work *w = p->w;
    unsigned held = 0;
    if (w->planes > 1) held = held_around(w->held + n->node, p->in->columns->plane[plane].pitch);
    if (w->kind[n->node] == RV_NODE_DRY) missing = w->planes > 1 ? missing & ~held : 0;
    bool odd = false;
    for (; missing; missing &= missing - 1) {
        int d = __builtin_ctz(missing);
        uint32_t other = held >> d & 1 ? n->node + (uint32_t)step[d] : RV_NO_NODE;
        if (link_across(p, n, plane, d, other)) odd = true;
    }
    return odd;
}

static void make_record(const rv_surface_pass *p, rv_node_record *n, int plane,
                        const int32_t step[RV_DIRECTIONS])
{
    rv_surface_work *w = p->w;
    uint32_t slot = n->node;
    unsigned linked = w->linked[slot], bits = linked;
    n->wet = w->wet[slot];
    // of two dry columns that are linked one may be no node
    for (unsigned dry = w->kind[slot] == RV_NODE_DRY ? linked & ~(unsigned)n->wet : 0; dry;
         dry &= dry - 1) {
        unsigned d = (unsigned)__builtin_ctz(dry);
        if (w->kind[slot + (uint32_t)step[d]] == RV_NODE_NONE) bits &= ~(1u << d);
    }
    for (int d = 0; d < RV_DIRECTIONS; d++)
        n->link[d] = bits >> d & 1 ? slot + (uint32_t)step[d] : RV_NO_NODE;
    bool odd = linked != 0xff && link_others(p, n, plane, linked ^ 0xff, step);
    w->odd[slot] = odd;
    bool beside_dry = (bits & ~(unsigned)n->wet) != 0;
    for (int d = 0; odd && d < RV_DIRECTIONS; d++)
        if (!(n->wet >> d & 1) && n->link[d] != RV_NO_NODE) beside_dry = true;
    rv_surface_shape_column(p, n, beside_dry);
}

static uint32_t record_row(const rv_surface_pass *p, const rv_surface_row *row, int plane, int y)
{
    rv_surface_work *w = p->w;
    const uint8_t *kind = w->kind + row->first;
    const int pitch = p->in->columns->plane[plane].pitch;
    const int32_t step[RV_DIRECTIONS] = {1,  pitch + 1,  pitch,  pitch - 1,
                                         -1, -pitch - 1, -pitch, -pitch + 1};
    int count = row->x1 - row->x0;
    uint32_t k = row->records, wants = 0;
    for (int x = rv_next_byte(kind, count, 2, 0); x < count;
         x = rv_next_byte(kind, count, 2, x + 1)) {
        rv_node_record *n = rv_begin_record(w, k++, row->first + (uint32_t)x, row->x0 + x, y);
        make_record(p, n, plane, step);
        if (n->want) wants += (uint32_t)__builtin_popcount(n->want);
    }
    return wants;
}

static void record_band(void *context, int task)
{
    const rv_surface_pass *p = context;
    rv_surface_band *band = rv_band_of(p, task);
    uint32_t wants = 0;
    for (int y = band->y0; y < band->y1; y++) {
        for (int l = 0; l < p->w->planes; l++) {
            const rv_surface_row *row = rv_row_of(p->w, y, l);
            if (row->uneven) wants += record_row(p, row, l, y);
            if (row->x1 <= row->x0 || !p->in->bends) continue;
            rv_surface_even_walls(p, row, l, y);
            rv_surface_even_insides(p, row, l);
        }
        rv_surface_raise_steps(p, y);
    }
    band->extra_room = wants;
}

static void dry_band(void *context, int task)
{
    const rv_surface_pass *p = context;
    const rv_surface_band *band = rv_band_of(p, task);
    const rv_surface_row *first = rv_row_of(p->w, band->y0, 0),
                         *last = rv_row_of(p->w, band->y1, 0);
    for (const rv_surface_row *row = first; row < last; row++) {
        for (uint32_t i = row->records; i < row->records + row->uneven; i++) {
            rv_node_record *n = &p->w->records[i];
            if (p->w->kind[n->node] == RV_NODE_DRY) rv_surface_shape_dry(p, n);
        }
    }
}

static bool make_records(rv_surface_pass *p)
{
    rv_surface_work *w = p->w;
    uint64_t need = 0;
    for (int y = w->band[0].y0; y < w->band[w->bands - 1].y1; y++) {
        for (int l = 0; l < w->planes; l++) {
            rv_surface_row *row = rv_row_of(w, y, l);
            row->records = (uint32_t)need;
            need += row->uneven;
        }
    }
    if (!rv_surface_grow_records(w, need, 0)) return false;
    w->columns = (uint32_t)need;
    rv_surface_each_band(p, record_band);
    rv_surface_each_band(p, dry_band);
    return rv_surface_make_fair(p);
}

// ---- All of it ----------------------------------------------------------------------------------

// Rows of cells that are wet or beside a wet one, of those from y0 to y1, of which some are.
static void wet_rows(const rv_surface_work *w, int *y0, int *y1)
{
    int a = *y0, b = *y1;
    while (a + 1 < b && w->wet_to[a] <= w->wet_from[a]) a++;
    while (b - 1 > a && w->wet_to[b - 1] <= w->wet_from[b - 1]) b--;
    *y0 = a > 0 ? a - 1 : 0, *y1 = b < w->ny ? b + 1 : b;
}

// Whether there is so little that sharing it out would cost more than it saves.
static bool is_small(const rv_surface_work *w, int y0, int y1)
{
    int cells = 0;
    for (int y = y0; y < y1 && cells < FEW; y++)
        if (w->wet_to[y] > w->wet_from[y]) cells += w->wet_to[y] - w->wet_from[y];
    return cells < FEW;
}

bool rv_surface_find(rv_surface_pass *p)
{
    rv_surface_work *w = p->w;
    int y0 = p->island->y0 * RV_SQUARE, y1 = p->island->y1 * RV_SQUARE;
    if (y1 > w->ny) y1 = w->ny;
    rv_surface_cut_bands(w, y0, y1);
    rv_surface_each_band(p, scan_band);
    w->columns = 0;
    wet_rows(w, &y0, &y1);
    rv_surface_cut_bands(w, y0, y1);
    if (is_small(w, y0, y1)) w->pool = NULL;
    rv_surface_each_band(p, link_band);
    rv_surface_each_band(p, kind_band);
    return make_records(p);
}
