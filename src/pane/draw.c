// Draws the heads of all drops that are not at rest into the height map and the ID map (glass paper
// §5.1, §5.4), and finds out which drops touch (§6).
//
// Profiles are worked out side by side, then drawn one after the other, first heads, then what they
// draw behind them. Where heads overlap, the higher one is seen and the drops touch; so the order
// does not matter.
#include "pane/glass.h"

static void one_profile(void *context, int item)
{
    rv_glass *s = context;
    rv_glass_profile(s, &s->shapes[item]);
}

static bool is_body(const rv_glass *s, size_t cell, int self)
{
    int other = s->id[cell];
    return other >= 0 && other != self && s->kind[cell] != RV_CELL_LOOSE;
}

static void own(rv_glass *s, int self, int x, int y, float height, rv_cell_kind kind)
{
    size_t cell = rv_cell(s, x, y);
    int other = s->id[cell];
    if (other >= 0) s->drops[other].drawn -= rv_height_units(s->height[cell]);
    s->drops[self].drawn += rv_height_units(height);
    s->height[cell] = height, s->id[cell] = self;
    rv_set_mist(s, x, y, 0.0f);
    rv_set_kind(s, x, y, kind);
}

// A cell that was the drop's own and loose, and stays so. Returns by how much it is higher.
static int64_t raise_own(rv_glass *s, size_t cell, float height, rv_cell_kind kind)
{
    float before = s->height[cell];
    s->kind[cell] = (uint16_t)kind;
    if (!(height > before)) return 0;
    s->height[cell] = height;
    return rv_height_units(height) - rv_height_units(before);
}

// A cell of a head. What is there already stays if it is higher; so heads may come in any order.
static void put_head(rv_glass *s, int self, int x, int y, float height, rv_cell_kind kind)
{
    size_t cell = rv_cell(s, x, y);
    if (is_body(s, cell, self)) rv_glass_touch(s, self, s->id[cell]);
    if (s->height[cell] > height) height = s->height[cell];
    if (height > 0.0f) own(s, self, x, y, height, kind);
}

// A cell of a trail, which has no say where there is a drop or a higher trail.
static void put_trail(rv_glass *s, int self, int x, int y, float height)
{
    size_t cell = rv_cell(s, x, y);
    int other = s->id[cell];
    if (other >= 0) {
        if (s->kind[cell] != RV_CELL_LOOSE || s->height[cell] > height) return;
        if (s->height[cell] == height && s->drops[other].key <= s->drops[self].key) return;
    }
    if (height > 0.0f) own(s, self, x, y, height, RV_CELL_LOOSE);
}

// Cells of a row that the head covers.
typedef struct span {
    int first, last; // first > last: none
    bool whole;      // without a gap
} span;

static void look_at(rv_glass *s, int self, int y, int first, int last)
{
    if (first < 0) first = 0;
    if (last >= s->nx) last = s->nx - 1;
    for (int x = first; x <= last; x++) {
        size_t cell = rv_cell(s, x, y);
        if (is_body(s, cell, self)) rv_glass_touch(s, self, s->id[cell]);
    }
}

// Drops in neighbouring cells touch: those beside a row and the rows next to it.
static void look_around(rv_glass *s, int self, int y, span low, span here, span high)
{
    if (y < 0 || y >= s->ny) return;
    int first = here.first < low.first ? here.first : low.first;
    int last = here.last > low.last ? here.last : low.last;
    first = (first < high.first ? first : high.first) - 1;
    last = (last > high.last ? last : high.last) + 1;
    if (!here.whole || here.first > here.last) {
        look_at(s, self, y, first, last);
        return;
    }
    // between are its own
    look_at(s, self, y, first, here.first - 1);
    look_at(s, self, y, here.last + 1, last);
}

// One row of the head; returns what of it touches.
static span head_row(rv_glass *s, const rv_outline *q, int y, rv_cell_kind kind)
{
    span covers = {s->nx, -1, true};
    int count = 0;
    float scale = (float)q->scale;
    const float *from = rv_outline_row(s, q, q->seen.x0, y);
    size_t cell = rv_cell(s, q->seen.x0, y);
    int64_t more = 0;
    for (int x = q->seen.x0; x < q->seen.x1; x++, from++, cell++) {
        if (!(*from > 0.0f)) continue;
        if (s->id[cell] == q->drop && kind == RV_CELL_HEAD)
            more += raise_own(s, cell, scale * *from, kind);
        else
            put_head(s, q->drop, x, y, scale * *from, kind);
        if (x < covers.first) covers.first = x;
        covers.last = x;
        count++;
    }
    covers.whole = scale > 0.0f && count == covers.last - covers.first + 1;
    s->drops[q->drop].drawn += more;
    return covers;
}

static void draw_head(rv_glass *s, const rv_outline *q)
{
    rv_drop *d = &s->drops[q->drop];
    rv_rect r = q->seen;
    d->volume -= q->spill;
    rv_glass_went(s, &s->clock.over, q->spill);
    bool rests =
        d->state == RV_DROP_SETTLES && q->spill == 0 && q->covers && q->tail == 0 && d->tail == 0;
    const span none = {s->nx, -1, true};
    span low = none, here = none;
    for (int y = r.y0; y <= r.y1 + 1; y++) {
        span high = none;
        if (y < r.y1) high = head_row(s, q, y, rests ? RV_CELL_REST : RV_CELL_HEAD);
        look_around(s, q->drop, y - 1, low, here, high);
        low = here, here = high;
    }
    d->x0 = r.x0, d->y0 = r.y0, d->x1 = r.x1, d->y1 = r.y1;
    rv_glass_mark(s, r.x0, r.y0, r.x1, r.y1); // head, rear, and what gave way to them
    d->tail = q->tail, d->radius = (double)q->profile.radius;
    if (rests)
        d->state = RV_DROP_RESTS;
    else
        rv_glass_wake_tiles(s, r.x0, r.y0, r.x1, r.y1);
}

// ---- Trails -------------------------------------------------------------------------------------

// A disk of film on the way between two heads, and what it touches.
static void draw_disk(rv_glass *s, int self, double x, double y, double radius)
{
    double reach = radius / s->dx, cx = (x - s->x0) / s->dx - 0.5, cy = (y - s->y0) / s->dx - 0.5;
    int y0 = (int)fmax(0.0, ceil(cy - reach)), y1 = (int)fmin(s->ny - 1.0, floor(cy + reach));
    float film = (float)fmax(s->params.glass_film, s->params.glass_cutoff);
    for (int j = y0; j <= y1; j++) {
        double half = sqrt(fmax(0.0, reach * reach - (j - cy) * (j - cy)));
        int x0 = (int)fmax(0.0, ceil(cx - half)), x1 = (int)fmin(s->nx - 1.0, floor(cx + half));
        for (int i = x0; i <= x1; i++) {
            size_t cell = rv_cell(s, i, j);
            if (is_body(s, cell, self)) rv_glass_touch(s, self, s->id[cell]);
            put_trail(s, self, i, j, film);
        }
        if (x0 > x1) continue;
        rv_glass_wake_tiles(s, x0, j, x1 + 1, j + 1);
        rv_glass_mark(s, x0, j, x1 + 1, j + 1);
    }
}

// A fast drop would jump over cells (§5.4): its path from the last head to this one.
static void draw_path(rv_glass *s, rv_drop *d)
{
    double dx = d->x - d->last_x, dy = d->y - d->last_y, step = fmax(0.5 * d->radius, s->dx);
    int count = (int)fmin(ceil(sqrt(dx * dx + dy * dy) / step), 1000.0);
    for (int k = 1; k < count; k++)
        draw_disk(s, (int)(d - s->drops), d->last_x + dx * k / count, d->last_y + dy * k / count,
                  0.8 * d->radius);
}

static void draw_rear(rv_glass *s, const rv_outline *q)
{
    rv_drop *d = &s->drops[q->drop];
    float scale = (float)q->scale;
    if (q->profile.runs) draw_path(s, d);
    d->last_x = d->x, d->last_y = d->y;
    if (!(q->profile.stretch > 1.0f)) return;
    for (int y = q->seen.y0; y < q->seen.y1; y++) {
        const float *from = rv_outline_row(s, q, q->seen.x0, y);
        for (int x = q->seen.x0; x < q->seen.x1; x++, from++)
            if (*from < 0.0f) put_trail(s, q->drop, x, y, -scale * *from);
    }
}

// All heads, as many at once as have room.
void rv_glass_draw(rv_glass *s)
{
    s->contacts = 0;
    for (int i = 0; i < s->count; i++) s->parent[i] = i;
    for (int i = 0; i < s->count;) {
        size_t used = 0;
        s->shape_count = 0;
        for (; i < s->count && s->shape_count < RV_SHAPES_MAX; i++) {
            const rv_drop *d = &s->drops[i];
            if (s->dead[i] || d->state == RV_DROP_RESTS || d->state == RV_DROP_LEAVES) continue;
            rv_outline shape = rv_glass_shape(s, i);
            size_t cells = shape.wide * (size_t)(shape.y1 - shape.y0);
            if (used + cells > s->next_size) break;
            shape.first = used, used += cells;
            s->touched += (int64_t)cells;
            s->shapes[s->shape_count++] = shape;
        }
        rv_parallel_for(s->pool, s->shape_count, one_profile, s);
        for (int k = 0; k < s->shape_count; k++) draw_head(s, &s->shapes[k]);
        for (int k = 0; k < s->shape_count; k++) draw_rear(s, &s->shapes[k]);
    }
}
