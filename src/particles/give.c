// Liquid that comes and goes: fills, sources and drains, which know columns, and emitters, which
// know space (rivulet/particles.h). All particles have one volume; what is less than a particle is
// kept as owed, so that volume = particles times their volume + owed - due, exactly.
#include "base/jets.h"
#include "base/numbers.h"
#include "particles/card/card.h"
#include "particles/splat.h"

#include <math.h>
#include <string.h>

#define CLOSE 0.6       // of the spacing: nearer than this two particles are not put
#define SHAKE 0.25      // of the spacing, how far off its lattice a particle is put at most
#define LANES 8         // of what is sought over all columns
#define TAIL 64         // particles that are looked at one by one for want of an order
#define ASK_MOST 8      // times in a step that a card is asked for particles near a place
#define KNOWN_MOST 4096 // particles; each new one looks at all of them: past these bins are quicker
#define PI 3.14159265358979323846

// ---- Putting particles --------------------------------------------------------------------------

static bool close_to(const float *p, const float *q, int axes, float apart)
{
    float d2 = 0.0f;
    for (int c = 0; c < axes; c++) d2 += (p[c] - q[c]) * (p[c] - q[c]);
    return d2 < apart * apart;
}

static bool any_close(const rv_splat *s, const float *p, int64_t from, int64_t to, float apart)
{
    for (int64_t i = from; i < to; i++)
        if (close_to(p, rv_splat_particle(s, i), s->grid.axes, apart)) return true;
    return false;
}

// The same of those that are on a card, near enough to be known.
static bool known_close(const rv_splat *s, const float *p, float apart)
{
    size_t count, item = 1 + (size_t)s->grid.axes;
    const uint32_t *near = rv_grain_known(s, &count);
    for (size_t i = 0; i < count; i++) {
        float q[3];
        memcpy(q, near + item * i + 1, (item - 1) * sizeof *q);
        if (close_to(p, q, s->grid.axes, apart)) return true;
    }
    return false;
}

// Whether a particle may be put at p (cells): on the grid, out of solids, and none of those that
// are known within `apart` (at most 1).
static bool free_at(const rv_splat *s, const float *p, float apart)
{
    const rv_splat_grid *g = &s->grid;
    for (int c = 0; c < g->axes; c++)
        if (!(p[c] >= RV_SPLAT_INSET && p[c] <= (float)g->n[c] - RV_SPLAT_INSET)) return false;
    if (s->any_solid && rv_splat_distance(s, p) < RV_SPLAT_CLEAR) return false;
    if (s->backend || !(apart > 0.0f)) return true; // the others are elsewhere
    if (s->card && s->away)
        return !known_close(s, p, apart) && !any_close(s, p, s->sorted, s->known, apart);
    int at[3] = {(int)p[0], (int)p[1], g->axes == 3 ? (int)p[2] : 0}, wide = g->axes == 3 ? 1 : 0;
    size_t bins = ((size_t)g->n[0] + RV_SPLAT_BIN - 1) / RV_SPLAT_BIN;
    size_t x0 = (size_t)(at[0] > 0 ? at[0] - 1 : 0) / RV_SPLAT_BIN;
    size_t x1 = (size_t)(at[0] + 1 < g->n[0] ? at[0] + 1 : at[0]) / RV_SPLAT_BIN;
    for (int b = at[2] - wide; b <= at[2] + wide && s->sorted > 0; b++)
        for (int a = at[1] - 1; a <= at[1] + 1; a++) {
            if (a < 0 || a >= g->n[1] || b < 0 || (g->axes == 3 && b >= g->n[2])) continue;
            size_t row = ((size_t)b * (size_t)g->n[1] + (size_t)a) * bins;
            if (any_close(s, p, s->first[row + x0], s->first[row + x1 + 1], apart)) return false;
        }
    return !any_close(s, p, s->sorted, s->known, apart);
}

// Puts a particle, whatever is there; false: there is no room for more.
static bool put(rv_splat *s, const float *p, const float *u)
{
    if (s->card) rv_grain_sync(s); // how many there are
    if (rv_splat_room(s, s->count + 1) != RV_OK) return false;
    float *to = rv_splat_particle(s, s->count);
    int size = rv_splat_size(s);
    memset(to, 0, 2 * (size_t)size * sizeof *to);
    for (int c = 0; c < s->grid.axes; c++) to[c] = p[c], to[size + c] = u ? u[c] : s->launch[c];
    if (s->air) s->air[s->count] = 0.0f;
    s->count++;
    s->density_fresh = s->shown.fresh = false;
    s->given = true;
    return true;
}

static float apart(const rv_splat *s)
{
    return (float)(CLOSE * s->params.splat_spacing);
}

// From here on new particles must keep away from all that are there now. Those that are put
// together, as a lattice, need not look at each other.
static void know_all(rv_splat *s)
{
    if (s->card) rv_splat_fetch(s);
    if (!s->backend && s->count - s->sorted > TAIL) rv_splat_sort(s);
    s->known = s->count;
}

// The same for particles that come between two corners (cells). Of those on a card only the ones
// near there are brought; all, where they are many or that was asked often in one step. In form
// height new ones keep away from nobody.
static void know_near(rv_splat *s, const double low[3], const double high[3])
{
    double from[3], to[3];
    for (int c = 0; c < 3; c++) from[c] = low[c] - 1.5, to[c] = high[c] + 1.5;
    bool known = s->card && s->away && s->card->asked++ < ASK_MOST &&
                 (s->grid.up < 0 || rv_grain_know(s, from, to));
    if (known && (s->grid.up < 0 || s->card->near_count <= KNOWN_MOST))
        s->known = s->count;
    else
        know_all(s);
}

// Particles were taken out: what was sorted is not, and all must be sent.
static void forget_order(rv_splat *s)
{
    s->sorted = s->sent = 0;
    s->density_fresh = s->shown.fresh = false;
    if (!s->backend) rv_splat_sort(s);
}

// A number in 0 … 1, the same for the same three.
static double chance(uint64_t seed, uint64_t stream, uint64_t index)
{
    uint64_t z = seed * 0x9e3779b97f4a7c15u + stream * 0xd1b54a32d192ed03u + index + 1;
    for (int i = 0; i < 2; i++) {
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
        z = (z ^ z >> 27) * 0x94d049bb133111ebu;
        z ^= z >> 31;
    }
    return (double)(z >> 11) * 0x1p-53;
}

// Narrow form: a particle off its place on a lattice of spacing h (cells), at random, as it would
// be after a while. A lattice shows, and liquid that loses it swells by a hundredth.
static void shake(const rv_splat *s, double h, float p[3])
{
    float q[3] = {p[0], p[1], p[2]};
    if (!s->narrow) return;
    for (int c = 0; c < s->grid.axes; c++) {
        double by = chance((uint64_t)s->params.seed, (uint64_t)c + 77, (uint64_t)s->count) - 0.5;
        q[c] += (float)(2 * SHAKE * h * by);
    }
    if (free_at(s, q, 0.0f)) memcpy(p, q, sizeof q);
}

// ---- Columns: adding and taking -----------------------------------------------------------------

double rv_splat_add(rv_splat *s, size_t slot, double depth)
{
    const rv_column_set *set = s->columns;
    if (slot >= set->slots || !rv_column_exists(set, slot)) return 0.0;
    rv_splat_see(s);
    double before = (double)s->depth[slot];
    double cap = (double)set->max[slot] - (double)set->base[slot];
    double change = depth < 0 ? -fmin(-depth, before) : fmin(depth, fmax(cap - before, 0));
    float owed = s->owed[slot], after = (float)((double)owed + change);
    s->owed[slot] = after;
    s->depth[slot] = fmaxf(s->depth[slot] + (after - owed), 0.0f);
    s->given = true;
    return (double)after - (double)owed;
}

// Whether liquid is to be taken from a column within `wide` cells of a place.
static bool taken_near(const rv_splat *s, const float *p, int wide)
{
    size_t slot;
    for (int j = -wide; j <= wide; j++)
        for (int i = -wide; i <= wide; i++) {
            float q[3] = {p[0] + (float)i, p[1], s->grid.axes == 3 ? p[2] : 0.0f};
            if (s->grid.up != 1)
                q[1] += (float)j;
            else if (j != 0)
                continue;
            if (rv_splat_column_of(s, q, &slot) && s->owed[slot] < 0.0f) return true;
        }
    return false;
}

// Which particles are taken: asked for each of them, in their order.
typedef struct taking {
    rv_splat *s;
    bool (*wants)(struct taking *t, const float *p);
    double low[3], high[3]; // none beyond these is wanted, cells
    int wide;
    double taken, most; // m³
} taking;

// Those from `from` on that are here.
static void take_from(taking *t, int64_t from)
{
    rv_splat *s = t->s;
    size_t size = 2 * (size_t)rv_splat_size(s);
    int64_t kept = from;
    for (int64_t i = from; i < s->count; i++) {
        const float *p = rv_splat_particle(s, i);
        if (t->wants(t, p)) continue;
        memmove(s->particle + (size_t)kept * size, p, size * sizeof(float));
        if (s->air) s->air[kept] = s->air[i];
        kept++;
    }
    s->count = kept;
}

// Of those that a card has only the ones near are brought, and taken there; false: it has none.
static bool take_there(taking *t)
{
    rv_splat *s = t->s;
    if (!s->card || !s->away || !rv_grain_know(s, t->low, t->high)) return false;
    size_t count, item = 1 + (size_t)s->grid.axes, size = 2 * (size_t)rv_splat_size(s), gone = 0;
    uint32_t *near = rv_grain_known_in_order(s, &count);
    for (size_t i = 0; i < count; i++) {
        float p[3] = {0};
        memcpy(p, near + item * i + 1, (item - 1) * sizeof *p);
        uint32_t number = near[item * i];
        if (t->wants(t, p)) near[gone++] = number; // what was there has been looked at
    }
    int64_t there = s->sent, left = there - (int64_t)gone, before = s->count;
    take_from(t, there);
    memmove(s->particle + (size_t)left * size, s->particle + (size_t)there * size,
            (size_t)(s->count - there) * size * sizeof(float));
    if (s->air)
        memmove(s->air + left, s->air + there, (size_t)(s->count - there) * sizeof *s->air);
    if (gone == 0 && s->count == before) return true;
    s->count -= (int64_t)gone;
    s->density_fresh = s->shown.fresh = false;
    rv_grain_remove(s, gone);
    return true;
}

static void take(taking *t)
{
    rv_splat *s = t->s;
    if (take_there(t)) return;
    rv_splat_fetch(s);
    int64_t before = s->count;
    take_from(t, 0);
    if (s->count != before) forget_order(s);
}

static bool is_due(taking *t, const float *p)
{
    rv_splat *s = t->s;
    if (!(s->clock.due >= s->each && taken_near(s, p, t->wide))) return false;
    s->clock.due -= s->each;
    return true;
}

// Takes particles for what is due: the lowest of the columns it is taken from, or of those beside.
static void take_due(rv_splat *s)
{
    const rv_column_set *set = s->columns;
    double area = s->dx * s->dx;
    taking t = {s, is_due, {s->grid.n[0], s->grid.n[1], 0}, {0, 0, s->grid.n[2]}, 0, 0, 0};
    for (int l = 0; l < set->planes; l++)
        for (int y = set->plane[l].y0; y < set->plane[l].y0 + set->plane[l].ny; y++)
            for (int x = set->plane[l].x0; x < set->plane[l].x0 + set->plane[l].nx; x++) {
                if (!(s->owed[rv_slot(&set->plane[l], x, y)] < 0.0f)) continue;
                t.low[0] = fmin(t.low[0], x), t.high[0] = fmax(t.high[0], x + 1);
                t.low[1] = fmin(t.low[1], y), t.high[1] = fmax(t.high[1], y + 1);
            }
    if (s->grid.up == 1) t.low[1] = 0, t.high[1] = s->grid.n[1];
    for (size_t i = 0; i < set->slots; i++)
        if (s->owed[i] < 0.0f) s->clock.due -= (double)s->owed[i] * area;
    for (int c = 0; c < 2; c++) t.low[c] -= s->law.reach + 1, t.high[c] += s->law.reach + 1;
    for (; t.wide <= s->law.reach && s->clock.due >= s->each; t.wide += s->law.reach) take(&t);
    for (size_t i = 0; i < set->slots; i++)
        if (s->owed[i] < 0.0f) s->owed[i] = 0.0f;
}

// ---- Columns: what is owed becomes particles ----------------------------------------------------

// Bed and ceiling of a column along the grid's vertical axis, cells.
static void column_span(const rv_splat *s, size_t slot, double *low, double *high)
{
    double bottom = s->low[s->grid.up];
    *low = ((double)s->columns->base[slot] - bottom) / s->dx;
    *high = ((double)s->columns->max[slot] - bottom) / s->dx;
}

// Puts up to n particles over each other on the rest lattice, from the bed on; returns how many.
static int stack_up(rv_splat *s, double x, double y, size_t slot, int n)
{
    double low, high, h = s->params.splat_spacing;
    float p[3] = {(float)x, (float)y, 0};
    int placed = 0;
    column_span(s, slot, &low, &high);
    for (int k = (int)ceil(low / h - 0.5 - 1e-6); placed < n; k++) {
        double z = (k + 0.5) * h;
        if (z >= high) break;
        p[s->grid.up] = (float)z;
        if (!(z >= 0 && free_at(s, p, apart(s)))) continue;
        float q[3] = {p[0], p[1], p[2]};
        shake(s, h, q);
        if (put(s, q, NULL)) placed++;
    }
    return placed;
}

typedef struct lattice {
    double whole; // particles that the columns of all lattice lines would take
    double ratio, carry;
    int64_t placed;
} lattice;

// Columns that get at least half a layer at once are filled on the lattice.
static bool wants_layers(const rv_splat *s, size_t slot)
{
    return (double)s->owed[slot] >= 0.5 * s->params.splat_spacing * s->dx;
}

static void lattice_line(rv_splat *s, lattice *t, double x, double y, bool put_them)
{
    const rv_column_set *set = s->columns;
    int i = (int)x, j = s->grid.up == 1 ? 0 : (int)y;
    for (int l = 0; l < set->planes; l++) {
        if (!rv_plane_has(&set->plane[l], i, j)) continue;
        size_t slot = rv_slot(&set->plane[l], i, j);
        if (!rv_column_exists(set, slot) || !wants_layers(s, slot)) continue;
        double need = (double)s->owed[slot] / (s->params.splat_spacing * s->dx);
        t->whole += need;
        if (!put_them) continue;
        double due = need * t->ratio + t->carry;
        int n = (int)floor(due + 0.5);
        t->carry = due - n;
        int placed = stack_up(s, x, y, slot, n);
        t->placed += placed;
    }
}

static void lattice_pass(rv_splat *s, lattice *t, bool put_them)
{
    double h = s->params.splat_spacing;
    int rows = s->grid.axes == 3 ? (int)(s->grid.n[1] / h) : 1;
    for (int j = 0; j < rows; j++)
        for (int k = 0; k < (int)(s->grid.n[0] / h); k++) {
            int i = j % 2 ? (int)(s->grid.n[0] / h) - 1 - k : k; // there and back: carry stays near
            lattice_line(s, t, (i + 0.5) * h, (j + 0.5) * h, put_them);
        }
}

// Fills: all columns that want layers, as one lattice. Lines of the lattice are not columns, so the
// whole is scaled to the volume that is owed.
static void settle_layers(rv_splat *s)
{
    double owed = 0, area = s->dx * s->dx;
    lattice t = {0};
    for (size_t i = 0; i < s->columns->slots; i++)
        if (s->owed[i] > 0.0f && wants_layers(s, i)) owed += (double)s->owed[i] * area;
    if (!(owed > 0)) return;
    lattice_pass(s, &t, false);
    if (!(t.whole > 0)) return;
    t.ratio = owed / s->each / t.whole;
    lattice_pass(s, &t, true);
    for (size_t i = 0; i < s->columns->slots; i++)
        if (s->owed[i] > 0.0f && wants_layers(s, i)) s->owed[i] = 0.0f;
    s->clock.owed += owed - (double)t.placed * s->each;
}

// Sources: columns that are owed a particle or more get it on top of what they have.
static void settle_single(rv_splat *s, int x, int y, size_t slot)
{
    if (s->card && s->away)
        s->known = s->count; // those that came before are here
    else
        know_all(s);
    double area = s->dx * s->dx;
    uint64_t salt = (uint64_t)s->clock.substeps;
    for (int i = 0; i < 64 && (double)s->owed[slot] * area >= s->each; i++) {
        double dx = chance(salt, slot, 2 * (uint64_t)i),
               dy = chance(salt, slot, 2 * (uint64_t)i + 1);
        bool done;
        if (s->grid.up < 0) {
            float p[3] = {(float)(x + dx), (float)(y + dy)};
            done = put(s, p, NULL);
        } else {
            done = stack_up(s, x + dx, y + (s->grid.axes == 3 ? dy : 0), slot, 1) == 1;
        }
        if (!done) return;
        s->owed[slot] -= (float)(s->each / area);
    }
}

// Form height: a lattice as dense as the deepest column asks for; where less is owed, some of its
// places stay empty.
static void flat_pass(rv_splat *s, lattice *t, double h, bool put_them)
{
    int wide = (int)(s->grid.n[0] / h), rows = (int)(s->grid.n[1] / h);
    for (int j = 0; j < rows; j++)
        for (int k = 0; k < wide; k++) {
            double x = ((j % 2 ? wide - 1 - k : k) + 0.5) * h, y = (j + 0.5) * h;
            size_t slot = s->sky[(size_t)y * (size_t)s->grid.n[0] + (size_t)x];
            if (slot == SIZE_MAX || !(s->owed[slot] > 0.0f)) continue;
            double need = (double)s->owed[slot] * s->dx * s->dx / s->each * h * h;
            float p[3] = {(float)x, (float)y, 0};
            t->whole += need, t->carry += put_them ? need * t->ratio : 0;
            if (t->carry < 0.5) continue;
            shake(s, h, p);
            if (!put(s, p, NULL)) continue;
            t->carry -= 1, t->placed++;
        }
}

static void settle_flat(rv_splat *s, float most)
{
    double owed = 0, area = s->dx * s->dx, h = sqrt(s->each / ((double)most * area));
    lattice t = {0};
    for (size_t i = 0; i < s->columns->slots; i++) owed += (double)s->owed[i] * area;
    flat_pass(s, &t, h, false);
    if (!(t.whole > 0)) return;
    t.ratio = owed / s->each / t.whole;
    flat_pass(s, &t, h, true);
    memset(s->owed, 0, s->columns->slots * sizeof *s->owed);
    s->clock.owed += owed - (double)t.placed * s->each;
}

static void settle_rest(rv_splat *s)
{
    const rv_column_set *set = s->columns;
    float least = (float)(s->each / (s->dx * s->dx));
    for (int l = 0; l < set->planes; l++)
        for (int y = set->plane[l].y0; y < set->plane[l].y0 + set->plane[l].ny; y++)
            for (int x = set->plane[l].x0; x < set->plane[l].x0 + set->plane[l].nx; x++) {
                size_t slot = rv_slot(&set->plane[l], x, y);
                if (s->owed[slot] >= least) settle_single(s, x, y, slot);
            }
}

// The least and the most that a column is owed; by lanes, because all columns are looked at in
// every substep.
static void owed_range(const rv_splat *s, float *least, float *most)
{
    float low[LANES] = {0}, high[LANES] = {0};
    size_t slots = s->columns->slots, whole = slots / LANES * LANES;
    for (size_t i = 0; i < whole; i += LANES)
        for (int k = 0; k < LANES; k++) {
            float owed = s->owed[i + (size_t)k];
            low[k] = low[k] < owed ? low[k] : owed;
            high[k] = high[k] > owed ? high[k] : owed;
        }
    for (size_t i = whole; i < slots; i++) {
        low[0] = fminf(low[0], s->owed[i]), high[0] = fmaxf(high[0], s->owed[i]);
    }
    *least = *most = 0.0f;
    for (int k = 0; k < LANES; k++) *least = fminf(*least, low[k]), *most = fmaxf(*most, high[k]);
}

// Knows what is in the columns that are owed a particle or more.
static void know_owed(rv_splat *s)
{
    const rv_column_set *set = s->columns;
    double low[3] = {s->grid.n[0], s->grid.n[1], 0}, high[3] = {0, 0, s->grid.n[2]};
    float least = (float)(s->each / (s->dx * s->dx));
    for (int l = 0; l < set->planes && s->card; l++)
        for (int y = set->plane[l].y0; y < set->plane[l].y0 + set->plane[l].ny; y++)
            for (int x = set->plane[l].x0; x < set->plane[l].x0 + set->plane[l].nx; x++) {
                if (!(s->owed[rv_slot(&set->plane[l], x, y)] >= least)) continue;
                low[0] = fmin(low[0], x), high[0] = fmax(high[0], x + 1);
                low[1] = fmin(low[1], y), high[1] = fmax(high[1], y + 1);
            }
    if (s->grid.up == 1) low[1] = 0, high[1] = s->grid.n[1];
    know_near(s, low, high);
}

// Whether the most that a column is owed is enough for layers of particles, or for one.
static bool fits_layers(const rv_splat *s, float most)
{
    return s->grid.up >= 0 && (double)most >= 0.5 * s->params.splat_spacing * s->dx;
}

static bool fits_one(const rv_splat *s, float most)
{
    return (double)most * s->dx * s->dx >= s->each;
}

bool rv_splat_settles(const rv_splat *s)
{
    float least, most;
    owed_range(s, &least, &most);
    return least < 0.0f || fits_layers(s, most) || fits_one(s, most);
}

void rv_splat_settle(rv_splat *s, bool fill)
{
    float least, most;
    owed_range(s, &least, &most);
    if (least < 0.0f) take_due(s);
    bool layers = fits_layers(s, most);
    bool flat = s->grid.up < 0 && fill && most > 0.0f;
    if (!layers && !flat && !fits_one(s, most)) return;
    if (layers || fill)
        know_all(s);
    else
        know_owed(s);
    if (layers) settle_layers(s);
    if (flat) settle_flat(s, most);
    settle_rest(s);
}

// ---- Emitters -----------------------------------------------------------------------------------

// A place of the world in cells of the grid.
static void to_grid(const rv_splat *s, rv_vec3 at, double out[3])
{
    const double p[3] = {at.x, at.y, at.z};
    out[0] = out[1] = out[2] = 0;
    for (int w = 0; w < 3; w++)
        if (s->axis_of[w] >= 0) out[s->axis_of[w]] = (p[w] - s->low[s->axis_of[w]]) / s->dx;
}

static void velocity_of(const rv_splat *s, rv_vec3 velocity, float out[3])
{
    const double v[3] = {velocity.x, velocity.y, velocity.z};
    for (int w = 0; w < 3; w++)
        if (s->axis_of[w] >= 0) out[s->axis_of[w]] = (float)v[w];
}

static bool in_ball(const double p[3], const double middle[3], double radius, int axes)
{
    double d2 = 0;
    for (int c = 0; c < axes; c++) d2 += (p[c] - middle[c]) * (p[c] - middle[c]);
    return d2 <= radius * radius;
}

// Lattice of spacing h from `low` to `high` (cells), what is inside the ball only (radius 0: all).
// Returns how many particles; -1: such a lattice has no place in the ball.
static int64_t fill_box(rv_splat *s, const double low[3], const double high[3], double radius,
                        double h, const float u[3])
{
    const int axes = s->grid.axes;
    int n[3] = {1, 1, 1};
    double from[3], middle[3] = {0};
    int64_t placed = 0;
    for (int c = 0; c < axes; c++) {
        double a = fmax(low[c], 0), b = fmin(high[c], s->grid.n[c]);
        n[c] = (int)floor((b - a) / h + 1e-6), from[c] = a;
        middle[c] = 0.5 * (low[c] + high[c]);
        if (n[c] < 1) return radius > 0 ? -1 : 0;
        if (radius > 0) from[c] += 0.5 * (b - a - n[c] * h); // symmetric
    }
    if (radius > 0 || s->grid.up >= 0)
        know_near(s, low, high);
    else
        know_all(s);
    float near = (float)(CLOSE * h);
    for (int k = 0; k < n[2]; k++)
        for (int j = 0; j < n[1]; j++)
            for (int i = 0; i < n[0]; i++) {
                const int at[3] = {i, j, k};
                double p[3] = {0};
                float f[3] = {0};
                for (int c = 0; c < axes; c++)
                    p[c] = from[c] + (at[c] + 0.5) * h, f[c] = (float)p[c];
                if (radius > 0 && !in_ball(p, middle, radius, axes)) continue;
                if (!free_at(s, f, near < 1.0f ? near : 1.0f)) continue;
                shake(s, h, f);
                if (!put(s, f, u)) return placed;
                placed++;
            }
    return placed;
}

// Spacing of a lattice: in form height, of one whose depth (m) is given.
static double spacing(const rv_splat *s, double depth)
{
    double h = s->params.splat_spacing;
    if (s->grid.up >= 0) return h;
    return h * sqrt(s->params.splat_depth * s->dx / fmax(depth, 1e-9));
}

static double emit_block(rv_splat *s, const rv_emitter_def *e, const float u[3])
{
    double low[3], high[3];
    to_grid(s, e->from, low);
    to_grid(s, e->to, high);
    double top = fmin(e->to.z, s->params.grid_top), bottom = fmax(e->from.z, s->params.grid_bottom);
    return (double)fill_box(s, low, high, 0, spacing(s, top - bottom), u);
}

static double emit_ball(rv_splat *s, rv_vec3 at, double radius, const float u[3])
{
    double middle[3], low[3], high[3], r = radius / s->dx;
    to_grid(s, at, middle);
    for (int c = 0; c < 3; c++) low[c] = middle[c] - r, high[c] = middle[c] + r;
    int64_t placed = fill_box(s, low, high, r, spacing(s, 4.0 / 3.0 * radius), u);
    if (placed < 0) { // nobody was asked for: it keeps away from those that were known before
        int64_t known = s->known;
        if (s->card && s->away) know_near(s, low, high), s->known = known;
        placed = 0;
    }
    float p[3] = {(float)middle[0], (float)middle[1], (float)middle[2]};
    if (placed == 0 && free_at(s, p, apart(s)) && put(s, p, u)) placed = 1;
    return (double)placed;
}

// One disk of the stream, `along` cells from the mouth.
static int64_t jet_disk(rv_splat *s, const double at[3], const double d[3], double along,
                        double radius, const float u[3])
{
    double a[3], b[3], h = s->params.splat_spacing;
    int wide = (int)(radius / h), deep = s->grid.axes == 3 ? wide : 0;
    int64_t placed = 0;
    rv_jet_across(d, s->grid.axes, a, b);
    for (int j = -deep; j <= deep; j++)
        for (int i = -wide; i <= wide; i++) {
            float p[3] = {0};
            if ((double)(i * i + j * j) * h * h > radius * radius) continue;
            for (int c = 0; c < s->grid.axes; c++)
                p[c] = (float)(at[c] + along * d[c] + h * (i * a[c] + j * b[c]));
            if (!free_at(s, p, apart(s))) continue;
            shake(s, h, p);
            if (put(s, p, u)) placed++;
        }
    return placed;
}

// The same without a lattice (base/jets.h); it brings what its cross-section asks for.
static int64_t jet_spiral(rv_splat *s, const double at[3], const double d[3], double along,
                          double radius, double m, const float u[3])
{
    double a[3], b[3], h = s->params.splat_spacing;
    int axes = s->grid.axes;
    int count = rv_jet_points(m, axes == 3 ? PI * radius * radius / (h * h) : 2 * radius / h);
    int64_t placed = 0;
    rv_jet_across(d, axes, a, b);
    for (int i = 0; i < count; i++) {
        rv_jet_point point = rv_jet_point_at(m, i, count, radius, axes);
        float p[3] = {0};
        for (int c = 0; c < axes; c++)
            p[c] = (float)(at[c] + along * d[c] + point.x * a[c] + point.y * b[c]);
        if (!free_at(s, p, apart(s))) continue;
        // not so far that the next disk finds it too close
        double on = 0.4 * h * point.on;
        float q[3] = {p[0] + (float)(on * d[0]), p[1] + (float)(on * d[1]),
                      p[2] + (float)(on * d[2])};
        if (put(s, free_at(s, q, 0.0f) ? q : p, u)) placed++;
    }
    return placed;
}

// Disk m of the stream leaves the mouth when the liquid has gone m spacings since the start.
static double emit_jet(rv_splat *s, const rv_emitter_def *e, const float u[3], double time,
                       double dt)
{
    double at[3], d[3] = {0}, speed = 0, h = s->params.splat_spacing, radius = e->radius / s->dx;
    int64_t placed = 0;
    to_grid(s, e->at, at);
    for (int c = 0; c < s->grid.axes; c++) d[c] = (double)u[c], speed += d[c] * d[c];
    speed = sqrt(speed);
    if (!(speed > 0)) return 0;
    for (int c = 0; c < 3; c++) d[c] /= speed;
    double from, to, gone = (time - e->start) * speed / s->dx + dt * speed / s->dx; // cells
    rv_jet_numbers(time - e->start, dt, speed / (s->dx * h), &from, &to);
    double low[3] = {0}, high[3] = {0};
    for (int c = 0; c < s->grid.axes; c++) {
        double first = at[c] + (gone - from * h) * d[c], last = at[c] + (gone - to * h) * d[c];
        low[c] = fmin(first, last) - radius, high[c] = fmax(first, last) + radius;
    }
    if (from < to) know_near(s, low, high);
    for (double m = from; m < to && m - from < RV_JET_MOST; m++)
        placed += s->narrow ? jet_spiral(s, at, d, gone - m * h, radius, m, u)
                            : jet_disk(s, at, d, gone - m * h, radius, u);
    return (double)placed;
}

// Form height: what a jet brings, anywhere on its disk.
static double emit_stream(rv_splat *s, const rv_emitter_def *e, int number, const float u[3],
                          double time, double dt)
{
    double at[3], v2 = e->velocity.x * e->velocity.x + e->velocity.y * e->velocity.y +
                       e->velocity.z * e->velocity.z;
    double rate = PI * e->radius * e->radius * sqrt(v2) / s->each; // 1/s
    double from, to;
    int64_t placed = 0;
    rv_jet_numbers(time - e->start, dt, rate, &from, &to);
    to_grid(s, e->at, at);
    for (double m = from; m < to; m++) {
        double r = sqrt(chance((uint64_t)s->params.seed, (uint64_t)number, 2 * (uint64_t)m));
        double far = r * e->radius / s->dx, x, y;
        double turn = chance((uint64_t)s->params.seed, (uint64_t)number, 2 * (uint64_t)m + 1);
        rv_sine(2 * PI * turn, &y, &x);
        float p[3] = {(float)(at[0] + far * x), (float)(at[1] + far * y)};
        if (free_at(s, p, 0.0f) && put(s, p, u)) placed++;
    }
    return (double)placed;
}

// Drop m falls when the rate has brought m of them.
static double emit_rain(rv_splat *s, const rv_emitter_def *e, int number, const float u[3],
                        double time, double dt)
{
    double r = e->radius, drop = 4.0 / 3.0 * PI * r * r * r;
    if (s->grid.up == 1) drop = PI * r * r * s->dx;
    double rate = e->rate / fmax(drop, s->each), placed = 0; // 1/s
    double from, to;
    rv_jet_numbers(time - e->start, dt, rate, &from, &to);
    rv_vec3 low = e->from, high = e->to;
    double x0 = fmax(low.x, s->low[0]), x1 = fmin(high.x, s->low[0] + s->grid.n[0] * s->dx);
    double y0 = fmax(low.y, s->params.grid_y - 0.5 * s->params.grid_ny * s->dx);
    double y1 = fmin(high.y, s->params.grid_y + 0.5 * s->params.grid_ny * s->dx);
    double z0 = fmax(low.z, s->params.grid_bottom), z1 = fmin(high.z, s->params.grid_top);
    for (double m = from; m < to && m - from < 10000; m++) {
        uint64_t seed = (uint64_t)s->params.seed, stream = (uint64_t)number, i = 3 * (uint64_t)m;
        rv_vec3 at = {x0 + (x1 - x0) * chance(seed, stream, i),
                      y0 + (y1 - y0) * chance(seed, stream, i + 1),
                      z0 + (z1 - z0) * chance(seed, stream, i + 2)};
        placed += emit_ball(s, at, r, u);
    }
    return placed;
}

double rv_splat_emit(rv_splat *s, const rv_emitter_def *e, int number, double time, double dt)
{
    float u[3] = {0};
    double placed = 0;
    velocity_of(s, e->velocity, u);
    switch (e->kind) {
    case RV_EMITTER_BLOCK:
        placed = emit_block(s, e, u);
        break;
    case RV_EMITTER_DROP:
        placed = emit_ball(s, e->at, e->radius, u);
        break;
    case RV_EMITTER_JET:
        placed =
            s->grid.up < 0 ? emit_stream(s, e, number, u, time, dt) : emit_jet(s, e, u, time, dt);
        break;
    case RV_EMITTER_RAIN:
        placed = emit_rain(s, e, number, u, time, dt);
        break;
    }
    return placed * s->each;
}

// ---- Taking -------------------------------------------------------------------------------------

static bool is_in_box(taking *t, const float *p)
{
    bool inside = t->taken + t->s->each <= t->most * (1 + 1e-9);
    for (int c = 0; c < t->s->grid.axes; c++)
        inside = inside && (double)p[c] >= t->low[c] && (double)p[c] <= t->high[c];
    if (inside) t->taken += t->s->each;
    return inside;
}

double rv_splat_take(rv_splat *s, rv_vec3 from, rv_vec3 to, double volume)
{
    taking t = {.s = s, .wants = is_in_box, .most = volume};
    to_grid(s, from, t.low);
    to_grid(s, to, t.high);
    take(&t);
    return t.taken;
}
