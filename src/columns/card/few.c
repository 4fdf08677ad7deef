// Few columns at a time: sources, drains, drops and edges look at some and change some in every
// substep, and the rest stays on the card. What is looked at is stamped; only depths of stamped
// columns are changed here, and go back before the next substep. To wait for the card takes longer
// than to gather: what was asked for after the last substep comes along with the first that is
// asked for after this one.
#include "columns/card/card.h"

#include "columns/joints.h"
#include "columns/tension.h"

#include <string.h>

static bool takes_few(const rv_engine *s)
{
    const rv_card *c = s->card;
    return c && !c->host_fresh && c->card_fresh && c->trouble == RV_OK;
}

// What came of all substeps.
static bool is_known(const rv_card *c)
{
    return c->ahead_count == 0 && !c->untold;
}

void rv_card_free_few(rv_engine *s)
{
    rv_card *c = s->card;
    rv_free(&s->allocator, c->stamp, 2 * c->stamp_count, sizeof *c->stamp);
    c->stamp = NULL, c->stamp_count = 0;
    rv_free(&s->allocator, c->few, 1, sizeof *c->few);
    c->few = NULL;
}

static bool take_stamps(rv_engine *s)
{
    rv_card *c = s->card;
    if (c->few && c->stamp_count == s->slots) return true;
    rv_card_free_few(s);
    c->few = rv_new(&s->allocator, 1, sizeof *c->few);
    c->stamp = rv_new(&s->allocator, 2 * s->slots, sizeof *c->stamp);
    if (c->stamp) c->stamp_count = s->slots, c->stamp_now = 1;
    if (c->few && c->stamp) return true;
    rv_card_free_few(s);
    return false;
}

void rv_card_forget_few(rv_engine *s)
{
    rv_card *c = s->card;
    if (!c) return;
    c->dirty_count = c->pushed_count = 0;
    if (++c->stamp_now != 0) return;
    if (c->stamp) memset(c->stamp, 0, 2 * c->stamp_count * sizeof *c->stamp);
    c->stamp_now = 1;
}

static size_t pitch_of(const rv_engine *s, size_t slot)
{
    return (size_t)rv_plane_of(s->columns, (uint32_t)slot)->pitch;
}

// ---- Looking ------------------------------------------------------------------------------------

// Names a column, unless it was. false: there is no room.
static bool name_column(rv_engine *s, size_t slot)
{
    rv_card *c = s->card;
    rv_card_few *f = c->few;
    if (c->stamp[slot] == c->stamp_now) return true;
    if (f->count == RV_CARD_FEW) return false;
    c->stamp[slot] = c->stamp_now;
    f->named[2 * f->count] = (uint32_t)slot;
    f->named[2 * f->count++ + 1] = (uint32_t)pitch_of(s, slot);
    return true;
}

// Those that are asked for and not known, and where these are the first those of the last time.
static bool name_columns(rv_engine *s, const size_t *slots, int count)
{
    rv_card *c = s->card;
    rv_card_few *f = c->few;
    bool first = c->few_turned;
    f->count = 0;
    if (first) {
        memcpy(f->habit, f->asked, f->asked_count * sizeof *f->habit);
        f->habit_count = f->asked_count, f->asked_count = 0;
        c->few_turned = false;
    }
    for (int k = 0; k < count; k++) {
        size_t slot = slots[k];
        if (slot >= s->slots || !rv_column_exists(s->columns, slot)) continue;
        if (!name_column(s, slot)) return false;
        uint32_t *asked = c->stamp + s->slots + slot;
        if (*asked == c->stamp_now || f->asked_count == RV_CARD_FEW) continue;
        *asked = c->stamp_now, f->asked[f->asked_count++] = (uint32_t)slot;
    }
    for (uint32_t k = 0; first && k < f->habit_count; k++)
        if (!name_column(s, f->habit[k])) break;
    return true;
}

static void call_gather(rv_engine *s)
{
    rv_card_few *f = s->card->few;
    size_t bytes = 2 * f->count * sizeof *f->named;
    rv_card_push_stirred(s);
    if (f->sent_count != f->count || memcmp(f->sent, f->named, bytes) != 0) {
        rv_card_send(s, RV_AT_LIST, RV_FEW_AT * sizeof *f->named, f->named, bytes);
        memcpy(f->sent, f->named, bytes);
        f->sent_count = f->count;
    }
    s->card->constants.list_at = RV_FEW_AT;
    rv_card_call_few(s, "gather", (s->flow ? RV_EASE_FLOW : 0) | (s->tense ? RV_EASE_TENSE : 0),
                     f->count);
}

// Puts one column's answer where the engine has it.
static void put(rv_engine *s, size_t slot, const uint32_t *words)
{
    size_t pitch = pitch_of(s, slot);
    float answer[RV_FEW_WORDS];
    memcpy(answer, words, sizeof answer);
    s->depth[slot] = answer[0];
    s->flux[RV_WAY_X][slot] = answer[6], s->flux[RV_WAY_Y][slot] = answer[7];
    if (s->tense) s->tension->rest[slot] = (uint8_t)answer[5];
    if (!s->flow) return;
    s->speed[RV_WAY_X][slot - 1] = answer[1], s->speed[RV_WAY_X][slot] = answer[2];
    s->speed[RV_WAY_Y][slot - pitch] = answer[3], s->speed[RV_WAY_Y][slot] = answer[4];
}

// Of columns that were gathered.
static void put_all(rv_engine *s)
{
    const rv_card_few *f = s->card->few;
    for (uint32_t k = 0; k < f->count; k++) put(s, f->named[2 * k], f->answer + RV_FEW_WORDS * k);
}

static rv_card_ask ask_gathered(rv_card_few *f)
{
    return (rv_card_ask){RV_AT_LIST, RV_FEW_ANSWERS * sizeof *f->answer, f->answer,
                         RV_FEW_WORDS * f->count * sizeof *f->answer};
}

bool rv_card_ask_habit(rv_engine *s, rv_card_ask *out)
{
    rv_card *c = s->card;
    rv_card_few *f = c->few;
    if (!takes_few(s) || !f || c->stamp_count != s->slots || !c->few_turned) return false;
    if (!name_columns(s, NULL, 0) || f->count == 0) return false;
    call_gather(s);
    *out = ask_gathered(f);
    return true;
}

void rv_card_take_habit(rv_engine *s, bool good)
{
    rv_card *c = s->card;
    if (c && good) put_all(s);
    if (c && !good && c->dirty_count + c->pushed_count == 0) rv_card_forget_few(s);
}

// Gathers what was named, and what else is looked at after substeps. false: substeps that were
// under way came out otherwise, and it is to be done again.
static bool gather(rv_engine *s)
{
    rv_card *c = s->card;
    rv_card_few *f = c->few;
    size_t odd = s->odd_count * sizeof(float);
    bool odd_too = c->wants_odd && !c->odd_fresh && odd <= RV_DEVICE_READ_MOST;
    bool speeds = odd_too && c->wants_odd_speed && s->flow;
    rv_card_ask asks[3];
    int n = 0;
    if (f->count > 0) {
        call_gather(s);
        asks[n++] = ask_gathered(f);
    }
    if (odd_too) asks[n++] = (rv_card_ask){RV_AT_ODD_FLOW, 0, c->answers, odd};
    if (speeds) asks[n++] = (rv_card_ask){RV_AT_ODD_FLOW, odd, s->odd_speed, odd};
    if (!rv_card_settle_and(s, asks, n)) return false;
    put_all(s);
    if (odd_too) memcpy(s->odd_flux, c->answers, odd), c->odd_fresh = true;
    if (speeds) c->odd_speed_fresh = true;
    return true;
}

bool rv_card_look(rv_engine *s, const size_t *slots, int count)
{
    for (int round = 0; round < 2 && s->card; round++) {
        rv_card *c = s->card;
        if (is_known(c) && c->host_fresh && c->card_fresh) return true; // so are all
        if (!takes_few(s) || count > RV_CARD_FEW || !take_stamps(s)) {
            rv_card_settle(s);
            return !s->card || (s->card->host_fresh && s->card->card_fresh);
        }
        if (!name_columns(s, slots, count)) return false;
        if ((c->few->count == 0 && is_known(c)) || gather(s)) return true;
        if (s->card) rv_card_forget_few(s); // nothing was changed here since the last substep
    }
    return !s->card;
}

// Depths of all columns. Those that were changed here since are newer than the card's.
bool rv_card_look_depths(rv_engine *s)
{
    size_t bytes = s->slots * sizeof(float);
    for (int round = 0; round < 2 && s->card; round++) {
        rv_card *c = s->card;
        if (is_known(c) && ((c->host_fresh && c->card_fresh) || c->depths_fresh)) return true;
        if (!takes_few(s) || !take_stamps(s) || !rv_card_keep_depths(s)) return false;
        float *kept = (float *)(void *)c->few->answer;
        if (c->dirty_count > RV_FEW_WORDS * RV_CARD_FEW) return false;
        for (uint32_t k = 0; k < c->dirty_count; k++) kept[k] = s->depth[c->dirty[k]];
        const rv_card_ask ask = {RV_AT_DEPTH, 0, s->depth, bytes};
        bool good = rv_card_settle_and(s, &ask, 1);
        if (!s->card) return false;
        for (uint32_t k = 0; k < c->dirty_count; k++) s->depth[c->dirty[k]] = kept[k];
        c->depths_fresh = good;
        if (good) return true;
        rv_card_forget_few(s); // nothing was changed here since the last substep
    }
    return !s->card;
}

// Liquid falls to the lower bed of a pipe, if at all.
bool rv_card_look_falls(rv_engine *s, double drop)
{
    rv_card *c = s->card;
    const float *base = s->columns->base;
    size_t bytes = s->odd_count * sizeof(float);
    int n = 0;
    if (!c || (is_known(c) && c->host_fresh && c->card_fresh)) return true;
    if (bytes == 0) return true; // nothing to fall through
    if (!takes_few(s) || !take_stamps(s) || bytes > RV_DEVICE_READ_MOST) return false;
    for (uint32_t i = 0; i < s->odd_count; i++) {
        const rv_odd_pipe *p = &s->odd[i];
        if (p->b == RV_NO_SLOT) continue;
        uint32_t low = base[p->a] < base[p->b] ? p->a : p->b, high = low == p->a ? p->b : p->a;
        if (!((double)base[high] - (double)base[low] >= drop)) continue;
        if (n == RV_CARD_FEW) return false;
        c->few->low[n++] = low;
    }
    c->wants_odd = true;
    if (!rv_card_look(s, c->few->low, n)) return false;
    if (!s->card || c->odd_fresh || c->host_fresh) return true;
    c->odd_fresh = rv_card_read(s, RV_AT_ODD_FLOW, 0, s->odd_flux, bytes);
    return c->odd_fresh;
}

// ---- Changes ------------------------------------------------------------------------------------

// Whether an entry changes no more than its column's depth.
static bool is_of_depth(const rv_engine *s, const rv_entry *e)
{
    return e->kind == RV_ENTRY_ADD && (!e->still || !s->flow);
}

#define BESIDE_MOST 24 // columns that an entry is about

// Odd pipes of a column; 0: it has none.
static uint32_t odd_pipes_at(const rv_engine *s, size_t slot)
{
    const rv_odd_column *column =
        slot < s->slots && s->odd_at[slot] ? rv_pipes_odd_column(s, (uint32_t)slot) : NULL;
    return column ? column->count : 0;
}

// Whether the pipes of a column can be looked at: with four neighbours, and few others.
static bool is_plain(const rv_engine *s, size_t slot)
{
    return !s->eight && odd_pipes_at(s, slot) <= BESIDE_MOST - 5 &&
           s->odd_count * sizeof(float) <= RV_DEVICE_READ_MOST;
}

// The column of an entry, and those that pipes join to it if it changes these; returns how many.
static int name_entry(const rv_engine *s, const rv_entry *e, size_t out[BESIDE_MOST])
{
    out[0] = e->slot;
    if (is_of_depth(s, e) || e->slot >= s->slots || !rv_column_exists(s->columns, e->slot))
        return 1;
    size_t pitch = pitch_of(s, e->slot);
    uint32_t odd = odd_pipes_at(s, e->slot);
    int n = 5;
    out[1] = e->slot - 1, out[2] = e->slot + 1, out[3] = e->slot - pitch, out[4] = e->slot + pitch;
    for (uint32_t k = 0; k < odd; k++) {
        const rv_odd_column *column = rv_pipes_odd_column(s, (uint32_t)e->slot);
        const rv_odd_pipe *p = &s->odd[s->odd_of[column->first + k].pipe];
        if (p->b != RV_NO_SLOT) out[n++] = p->a == e->slot ? p->b : p->a;
    }
    return n;
}

// Fluxes and velocities of odd pipes are those of now.
static bool look_at_odd(rv_engine *s)
{
    rv_card *c = s->card;
    size_t bytes = s->odd_count * sizeof(float);
    c->wants_odd = c->wants_odd_speed = true;
    if ((c->host_fresh && c->card_fresh) || (c->odd_fresh && c->odd_speed_fresh)) return true;
    const rv_card_ask asks[] = {{RV_AT_ODD_FLOW, 0, s->odd_flux, bytes},
                                {RV_AT_ODD_FLOW, bytes, s->odd_speed, bytes}};
    c->odd_fresh = c->odd_speed_fresh = rv_card_read_all(s, asks, 2);
    return c->odd_fresh;
}

static void note_changed(rv_card *c, const rv_engine *s, const rv_entry *e)
{
    if (e->slot >= s->slots || e->asks) return;
    c->dirty[c->dirty_count++] = (uint32_t)e->slot;
    if (!is_of_depth(s, e)) c->pushed[c->pushed_count++] = (uint32_t)e->slot;
}

bool rv_card_trade(rv_engine *s, rv_entry *entries, int count)
{
    rv_card *c = s->card;
    size_t slots[BESIDE_MOST * 32];
    bool odd = false;
    if (!c) return false;
    for (int k = 0; k < count; k++) {
        if (is_of_depth(s, &entries[k])) continue;
        if (!is_plain(s, entries[k].slot)) return false;
        odd = odd || odd_pipes_at(s, entries[k].slot) > 0;
    }
    for (int first = 0; first < count; first += 32) {
        int n = 0;
        for (int k = first; k < count && k < first + 32; k++)
            n += name_entry(s, &entries[k], slots + n);
        if (!rv_card_look(s, slots, n) || !s->card) return false;
    }
    if (odd && !look_at_odd(s)) return false;
    uint32_t most = c->dirty_count > c->pushed_count ? c->dirty_count : c->pushed_count;
    if (most + (uint32_t)count > RV_CARD_DIRTY) return false;
    for (int k = 0; k < count; k++) note_changed(c, s, &entries[k]);
    rv_pipes_exchange(s, entries, count);
    return true;
}

bool rv_card_stir(rv_engine *s, const rv_solver_rod *rod)
{
    rv_card_end_scan(s);
    rv_card *c = s->card;
    rv_rect r = rv_pipes_rod_cells(s, rod);
    if (!c || s->eight || !take_stamps(s)) return false;
    rv_card_few *f = c->few;
    int n = 0;
    for (int l = 0; l < s->columns->planes; l++)
        for (int y = r.y0 - 1; y <= r.y1; y++)
            for (int x = r.x0 - 1; x <= r.x1; x++) {
                const rv_plane *p = &s->columns->plane[l];
                if (!rv_plane_has(p, x, y)) continue;
                size_t slot = rv_slot(p, x, y);
                if (!rv_column_exists(s->columns, slot)) continue;
                if (n == RV_CARD_FEW || s->odd_at[slot]) return false;
                f->low[n++] = slot;
            }
    if (c->pushed_count + (uint32_t)n > RV_CARD_DIRTY || !rv_card_look(s, f->low, n) || !s->card)
        return false;
    for (int k = 0; k < n; k++) c->pushed[c->pushed_count++] = (uint32_t)f->low[k];
    rv_pipes_stir_cells(s, rod);
    return true;
}

static void push_odd(rv_engine *s, uint32_t slot)
{
    uint32_t count = odd_pipes_at(s, slot);
    for (uint32_t k = 0; k < count; k++) {
        uint32_t pipe = s->odd_of[rv_pipes_odd_column(s, slot)->first + k].pipe;
        rv_card_word(s, RV_WORD_ODD, pipe, s->odd_flux + pipe);
        if (s->flow) rv_card_word(s, RV_WORD_ODD, s->odd_count + pipe, s->odd_speed + pipe);
        s->card->odd_kept = false; // they are those before the next substep
    }
}

// Pipes of columns that were pushed.
static void push_pipes(rv_engine *s)
{
    rv_card *c = s->card;
    bool first = s->flow && s->clock.substeps == 0; // then fluxes are seen to change
    if (c->pushed_count == 0 || !rv_card_begin_words(s, true)) return;
    for (uint32_t k = 0; k < c->pushed_count; k++)
        for (int way = 0; way < 2; way++) {
            size_t slot = c->pushed[k], step = way == RV_WAY_X ? 1 : pitch_of(s, slot);
            for (size_t i = slot - step; i <= slot; i += step) {
                size_t at = (size_t)way * s->slots + i;
                if (s->slope[way][i] == 0) continue;
                if (s->flow) rv_card_word(s, RV_WORD_SPEED, at, s->speed[way] + i);
                if (!s->flow || first) rv_card_word(s, RV_WORD_FLUX, at, s->flux[way] + i);
            }
        }
    for (uint32_t k = 0; k < c->pushed_count; k++) push_odd(s, c->pushed[k]);
    rv_card_end_words(s);
}

#define STAYS_FULL 256u // as kernels/scatter.glsl has it

// Depths and pipes that were changed here, to the card.
void rv_card_push_few(rv_engine *s)
{
    rv_card *c = s->card;
    uint32_t *pack = c->pack, n = 0, room = (uint32_t)(c->pack_count / 5);
    for (uint32_t k = 0; k < c->dirty_count; k++) {
        uint32_t slot = c->dirty[k], row = rv_pipes_row_of(s, slot);
        uint32_t block = (slot - s->row[row].first) >> s->block_shift;
        memcpy(&pack[5 * n + 1], &s->depth[slot], sizeof(float));
        pack[5 * n] = slot, pack[5 * n + 2] = 2 * row + (block >> 5);
        pack[5 * n + 3] = 1u << (block & 31);
        pack[5 * n + 4] =
            (s->tense ? s->tension->rest[slot] : 0u) | (s->full[slot] ? STAYS_FULL : 0u);
        if (++n < room && k + 1 < c->dirty_count) continue;
        rv_card_send(s, RV_AT_LIST, 0, pack, 5 * n * sizeof *pack);
        rv_card_call_few(s, "scatter",
                         (s->tense ? RV_EASE_TENSE : 0) | (c->twin ? RV_EASE_TWIN : 0) |
                             (rv_card_has_full(s) ? RV_EASE_PASSAGES : 0),
                         n);
        n = 0;
    }
    push_pipes(s);
    rv_card_push_stirred(s);
    if (c->dirty_count + c->pushed_count > 0) rv_card_forget_few(s);
}

// ---- All of them, without bringing them ---------------------------------------------------------

// What comes of it is looked at when somebody must know.
bool rv_card_scan(rv_engine *s)
{
    rv_card_settle(s);
    if (!takes_few(s) || s->eight) return false;
    rv_card_push_few(s);
    if (s->tense) memset(s->tension->asleep, 0, s->row_count * sizeof *s->tension->asleep);
    rv_card_send_asleep(s);
    rv_card_begin_scan(s);
    return true;
}
