// Which parts of the grid cost anything. Each row of a plane is cut into at most 64 blocks; a block
// is wet if a column in it is deeper than the thinnest film that flows, and awake if it or a
// neighbour is wet. Liquid moves at most one cell in a substep, so nothing can reach a block that
// sleeps. The fluxes of sleeping blocks are zero. With surface tension wet blocks sleep too, once
// they are at rest (rest.c); they wake before anything awake is next to them.
#include "columns/columns.h"
#include "columns/laws/flow.h"
#include "columns/tension.h"

#include <math.h>
#include <string.h>

static uint64_t spread(uint64_t bits)
{
    return bits | bits << 1 | bits >> 1;
}

static int block_columns(const rv_engine *s, uint32_t r, int block)
{
    int rest = s->row[r].count - block * s->block_width;
    return rest < s->block_width ? rest : s->block_width;
}

uint64_t rv_pipes_all_blocks(const rv_engine *s, uint32_t r)
{
    int blocks = (s->row[r].count + s->block_width - 1) / s->block_width;
    return blocks >= 64 ? ~0ull : (1ull << blocks) - 1;
}

// Wet blocks of a row that sleep.
static uint64_t asleep_in(const rv_engine *s, uint32_t r)
{
    return s->tense ? s->tension->asleep[r] : 0;
}

// Wet blocks of a row that do not.
static uint64_t stirs_in(const rv_engine *s, uint32_t r)
{
    return s->wet[r] & ~asleep_in(s, r);
}

// Dry columns have no flow through their odd pipes, those that sleep may have had a little.
static void stop_odd(rv_engine *s, uint32_t r, uint64_t bits)
{
    const rv_pipe_row *row = &s->row[r];
    for (uint32_t k = row->odd_first; k < row->odd_first + row->odd_count; k++) {
        const rv_odd_column *column = &s->odd_column[k];
        if (!(bits >> column->block & 1)) continue;
        for (uint32_t e = column->first; e < column->first + column->count; e++)
            s->odd_flux[s->odd_of[e].pipe] = s->odd_speed[s->odd_of[e].pipe] = 0.0f;
    }
}

static void fall_asleep(rv_engine *s, uint32_t r, uint64_t bits)
{
    if (bits & asleep_in(s, r)) stop_odd(s, r, bits & asleep_in(s, r));
    for (; bits; bits &= bits - 1) {
        int block = __builtin_ctzll(bits);
        size_t first = s->row[r].first + (size_t)(block * s->block_width);
        size_t bytes = (size_t)block_columns(s, r, block) * sizeof(float);
        for (int way = 0; way < rv_ways(s); way++) {
            memset(s->flux[way] + first, 0, bytes);
            if (s->flow) memset(s->speed[way] + first, 0, bytes);
        }
        // or the next block's zeros would have signs that depend on what was here once
        if (s->tense) memset(s->tension->head + first, 0, bytes);
    }
}

// A level that is held beyond a border can flood a dry block.
static void wake_borders(const rv_engine *s, uint64_t *awake)
{
    for (uint32_t k = 0; k < s->odd_column_count; k++) {
        const rv_odd_column *column = &s->odd_column[k];
        if (column->at_level) awake[column->row] |= 1ull << column->block;
    }
}

static void find_awake(const rv_engine *s, uint64_t *awake)
{
    for (uint32_t r = 0; r < s->row_count; r++) {
        const rv_pipe_row *row = &s->row[r];
        uint64_t near = stirs_in(s, r);
        if (row->below >= 0) near |= stirs_in(s, (uint32_t)row->below);
        if (row->above >= 0) near |= stirs_in(s, (uint32_t)row->above);
        // The blocks past the row's end stay clear: their columns do not exist.
        awake[r] = spread(near) & rv_pipes_all_blocks(s, r);
    }
    for (uint32_t i = 0; i < s->link_count; i++) {
        const rv_block_link *l = &s->link[i];
        uint64_t a = 1ull << l->block_a, b = 1ull << l->block_b;
        if ((stirs_in(s, l->row_a) & a) | (stirs_in(s, l->row_b) & b))
            awake[l->row_a] |= a, awake[l->row_b] |= b;
    }
    if (s->has_borders) wake_borders(s, awake);
}

void rv_pipes_wake(rv_engine *s)
{
    uint64_t *last = s->was_awake;
    s->was_awake = s->awake, s->awake = last;
    find_awake(s, s->awake);
    for (uint32_t r = 0; r < s->row_count; r++) {
        uint64_t asleep = s->was_awake[r] & ~s->awake[r];
        if (asleep) fall_asleep(s, r, asleep);
    }
}

static int32_t bits_of(float value)
{
    int32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

// Sets every column of a row that is not finite dry, and counts it.
static void mend(rv_engine *s, uint32_t r)
{
    uint32_t first = s->row[r].first;
    for (uint32_t i = first; i < first + s->row[r].count; i++) {
        if (s->depth[i] >= 0.0f && s->depth[i] < 3e38f) continue;
        s->depth[i] = 0.0f;
        s->totals.not_finite += rv_far_owns(s, r);
    }
}

void rv_pipes_note_row(rv_engine *s, uint32_t r, rv_level_result found)
{
    const rv_column_set *c = s->columns;
    s->wet[r] = found.wet | (s->wet[r] & asleep_in(s, r));
    s->row_most[r] = found.not_finite ? INFINITY : found.most;
    s->row_full[r] = 0;
    if (!s->row[r].ceilings || found.most < s->row[r].lowest * RV_FREE_SHARE) return;
    for (uint64_t bits = found.wet; bits && !s->row_full[r]; bits &= bits - 1) {
        int block = __builtin_ctzll(bits);
        size_t first = s->row[r].first + (size_t)(block * s->block_width);
        s->row_full[r] = (uint8_t)s->loops.rows->any_full(
            c->base + first, c->max + first, s->depth + first, (float)c->grid.top, RV_FREE_SHARE,
            block_columns(s, r, block));
    }
}

static void scan_blocks(rv_engine *s, uint32_t r, uint64_t bits)
{
    rv_level_result found = {0};
    for (; bits; bits &= bits - 1) {
        int block = __builtin_ctzll(bits);
        size_t first = s->row[r].first + (size_t)(block * s->block_width);
        int32_t most = s->loops.rows->greatest(s->depth + first, block_columns(s, r, block));
        float depth;
        memcpy(&depth, &most, sizeof depth);
        if (most > bits_of(s->law.film)) found.wet |= 1ull << block;
        if (most > bits_of(found.most)) found.most = depth;
        if (most >= bits_of(INFINITY)) found.not_finite = 1;
    }
    rv_pipes_note_row(s, r, found);
}

void rv_pipes_scan_row(rv_engine *s, uint32_t r)
{
    scan_blocks(s, r, s->awake[r] & ~asleep_in(s, r));
}

void rv_pipes_gather(rv_engine *s)
{
    float most = 0.0f, pace = 0.0f;
    for (uint32_t r = 0; r < s->row_count; r++) {
        if (!rv_far_owns(s, r)) continue;
        most = rv_f_max(s->row_most[r], most);
        pace = rv_f_max(s->row_pace[r], pace);
    }
    if (most > 3e38f) {
        rv_far_mended(s);
        for (uint32_t r = 0; r < s->row_count; r++) mend(s, r);
        if (!s->far) rv_pipes_scan(s);
        for (uint32_t r = 0; s->far && r < s->row_count; r++) rv_pipes_look(s, r);
        if (s->far) rv_pipes_gather(s);
        return;
    }
    s->deepest = most > s->law.film ? (double)most : 0.0;
    s->pace = (double)pace;
}

uint32_t rv_pipes_row_of(const rv_engine *s, uint32_t slot)
{
    const rv_column_set *c = s->columns;
    const rv_plane *plane = rv_plane_of(c, slot);
    uint32_t r = 0;
    for (const rv_plane *p = c->plane; p < plane; p++) r += (uint32_t)p->ny;
    return r + (uint32_t)((slot - plane->offset) / (size_t)plane->pitch);
}

static void pace_blocks(rv_engine *s, uint32_t r, uint64_t bits)
{
    size_t pitch = (size_t)s->columns->plane[s->row[r].plane].pitch;
    s->row_pace[r] = 0.0f;
    if (!s->flow) return;
    for (rv_run run = rv_first_run_of(s, r, bits); run.count; run = rv_next_run(s, r, run)) {
        size_t i = s->row[r].first + (size_t)run.x;
        const float *u = s->speed[RV_WAY_X] + i, *v = s->speed[RV_WAY_Y] + i;
        float pace = s->loops.flow->pace[s->tense](&s->law, s->depth + i, rv_tension_even(s, i), u,
                                                   v - pitch, v, run.count);
        s->row_pace[r] = rv_f_max(pace, s->row_pace[r]);
    }
}

// The greatest pace of a row's awake blocks, as the arrays stand.
void rv_pipes_pace_row(rv_engine *s, uint32_t r)
{
    pace_blocks(s, r, s->awake[r] & ~asleep_in(s, r));
}

void rv_pipes_look(rv_engine *s, uint32_t r)
{
    uint64_t blocks = rv_pipes_all_blocks(s, r) & ~asleep_in(s, r);
    scan_blocks(s, r, blocks);
    pace_blocks(s, r, blocks);
}

static void touch_pace(rv_engine *s, uint32_t r, uint32_t slot)
{
    size_t pitch = (size_t)s->columns->plane[s->row[r].plane].pitch;
    const float *u = s->speed[RV_WAY_X] + slot, *v = s->speed[RV_WAY_Y] + slot;
    float along = rv_f_max(rv_f_abs(u[-1]), rv_f_abs(u[0]));
    float side = rv_f_max(rv_f_abs(v[-(ptrdiff_t)pitch]), rv_f_abs(v[0]));
    float pace = s->tense ? rv_flow_pace_tense(&s->law, s->depth[slot], *rv_tension_even(s, slot),
                                               along, side)
                          : rv_flow_pace(&s->law, s->depth[slot], along, side);
    s->row_pace[r] = rv_f_max(s->row_pace[r], pace);
    if ((double)pace > s->pace && rv_far_owns(s, r)) s->pace = (double)pace;
}

void rv_pipes_touch(rv_engine *s, uint32_t slot)
{
    uint32_t r = s->touched;
    if (slot - s->row[r].first >= s->row[r].count) s->touched = r = rv_pipes_row_of(s, slot);
    float depth = s->depth[slot];
    if (depth > s->law.film) s->wet[r] |= 1ull << ((slot - s->row[r].first) >> s->block_shift);
    s->row_most[r] = rv_f_max(s->row_most[r], depth);
    if ((double)depth > s->deepest && rv_far_owns(s, r)) s->deepest = (double)depth;
    if (s->flow) touch_pace(s, r, slot);
    if (rv_column_flooded(s->columns, slot, depth, true)) s->row_full[r] = 1;
    if (s->full[slot] && !rv_still_full(s, slot)) s->full[slot] = 0, s->head[slot] = 0.0f;
}

void rv_pipes_wake_row(rv_engine *s, uint32_t r)
{
    s->awake[r] = rv_pipes_all_blocks(s, r); // lets sleeping fluxes be cleared
}

static void wake_and_look(void *context, int row)
{
    rv_engine *s = context;
    uint32_t r = (uint32_t)row;
    if (s->tense) s->tension->asleep[r] = 0;
    rv_pipes_wake_row(s, r);
    rv_pipes_look(s, r);
}

void rv_pipes_scan(rv_engine *s)
{
    rv_far_refresh(s);
    rv_parallel_for(s->pool, (int)s->row_count, wake_and_look, s);
    rv_rest_restored(s);
    rv_busy_forget(s);
    for (uint32_t r = 0; r < s->row_count; r++)
        if (asleep_in(s, r)) rv_pipes_look(s, r);
    rv_pipes_gather(s);
    rv_far_stale(s); // what is known of rows, too, is taken from their owners
}
