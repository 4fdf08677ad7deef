// Which columns of awake blocks have anything to work out. A block (awake.c) is wide and wakes its
// neighbours, so most of what is awake is dry: three columns of four where thin streams run. What
// is dry and has been for some substeps comes out as it was, to the bit: no liquid, velocities and
// fluxes of 0 with the sign that the beds give them, heads of tension as the bed alone gives them.
// So it is left as it is.
//
// Blocks are cut into strips. A strip is busy while a column that holds anything at all is in it or
// within REACH cells, also through pipes between planes, and for some substeps after that; and so
// for its first substeps after it woke, or after something was changed from outside. Nothing of
// this is state: a strip that is worked out too often gives what it had.
#include "columns/bands.h"

#include <string.h>

// What a column gets depends on what is this far from it: a pipe's head on the surfaces around both
// of its ends.
#define REACH 2
// Rows of bits: busy; awake; near something in the last two substeps; and while they are found,
// what holds liquid with REACH cells to each side, and what is near some through odd pipes.
enum { BUSY, AWAKE, LAST, LAST_2, HOLDS, SEEDS, KINDS };

#define STRIPS_MOST 64
#define STRIP_LEAST 8

bool rv_busy_make(rv_engine *s)
{
    int width = STRIP_LEAST, lanes = s->loops.rows->lanes;
    while (width < lanes || s->columns->grid.nx > STRIPS_MOST * width) width *= 2;
    s->strip_shift = __builtin_ctz((unsigned)width);
    s->busy = rv_new(&s->allocator, (size_t)KINDS * s->row_count, sizeof *s->busy);
    return s->busy != NULL;
}

void rv_busy_free(rv_engine *s)
{
    rv_free(&s->allocator, s->busy, (size_t)KINDS * s->row_count, sizeof *s->busy);
}

size_t rv_busy_bytes(const rv_engine *s)
{
    return (size_t)KINDS * s->row_count * sizeof *s->busy;
}

void rv_busy_forget(rv_engine *s)
{
    s->strips_stale = true;
    for (int kind = LAST; kind <= LAST_2; kind++)
        memset(s->busy + (size_t)kind * s->row_count, 0xff, s->row_count * sizeof *s->busy);
}

// ---- What is near liquid ------------------------------------------------------------------------

static uint64_t *bits_of(const rv_engine *s, int kind)
{
    return s->busy + (size_t)kind * s->row_count;
}

// The strips of some columns of a row; x may be before its first.
static uint64_t strips_of(const rv_engine *s, int x, int count)
{
    int first = x < 0 ? 0 : x >> s->strip_shift, last = (x + count - 1) >> s->strip_shift;
    uint64_t up_to = last >= 63 ? ~0ull : (1ull << (last + 1)) - 1;
    return up_to >> first << first;
}

static uint64_t strips_of_blocks(const rv_engine *s, uint32_t r, uint64_t blocks)
{
    uint64_t strips = 0;
    for (rv_run run = rv_first_run_of(s, r, blocks); run.count; run = rv_next_run(s, r, run))
        strips |= strips_of(s, run.x, run.count);
    return strips;
}

// Strips of a row's awake blocks that hold anything, and those within reach of it.
static uint64_t holding(const rv_engine *s, uint32_t r)
{
    uint64_t found = 0;
    int width = 1 << s->strip_shift;
    for (rv_run run = rv_first_run_of(s, r, s->awake[r]); run.count; run = rv_next_run(s, r, run)) {
        const float *depth = s->depth + s->row[r].first + run.x;
        uint64_t bits = s->loops.rows->holding(depth, run.count, s->strip_shift);
        found |= bits << (run.x >> s->strip_shift);
    }
    for (uint64_t bits = found; bits; bits &= bits - 1) {
        int strip = __builtin_ctzll(bits);
        const float *depth = s->depth + s->row[r].first + ((size_t)strip << s->strip_shift);
        for (int k = 0; k < REACH; k++) {
            if (depth[k] != 0.0f && strip > 0) found |= 1ull << (strip - 1);
            if (depth[width - 1 - k] != 0.0f) found |= 1ull << strip << 1;
        }
    }
    return found;
}

// The strips of a row that wake or fall asleep, and those next to them: what is not awake has no
// heads, and its velocities are +0.
static uint64_t changed(const rv_engine *s, uint32_t r)
{
    if (s->awake[r] == s->was_awake[r] && !s->strips_stale) return 0;
    uint64_t awake = strips_of_blocks(s, r, s->awake[r]);
    uint64_t other = awake ^ bits_of(s, AWAKE)[r];
    bits_of(s, AWAKE)[r] = awake;
    return other | other << 1 | other >> 1;
}

static bool is_pressed(const rv_engine *s, uint32_t r)
{
    return s->press && s->row[r].y + 1 >= s->pressed.y0 && s->row[r].y <= s->pressed.y1;
}

// What holds something in a row and up to REACH rows beside it.
static uint64_t around(const rv_engine *s, uint32_t r)
{
    const uint64_t *bits = bits_of(s, HOLDS);
    uint64_t near = bits[r];
    int64_t below = r, above = r;
    for (int k = 0; k < REACH; k++) {
        below = below >= 0 ? s->row[below].below : -1;
        above = above >= 0 ? s->row[above].above : -1;
        if (below >= 0) near |= bits[below];
        if (above >= 0) near |= bits[above];
    }
    return near;
}

// ---- Through pipes between planes ---------------------------------------------------------------

// What an odd column has around it; a byte each, in the bands' memory.
enum {
    HELD = 1,  // it holds something
    NEXT = 2,  // … or a column next to it in its plane does
    BEYOND = 4 // … or one that an odd pipe leads to
};

// Its own strip, and those whose pipes lead to it.
static void add_column(const rv_engine *s, const rv_odd_column *column)
{
    uint64_t *seeds = bits_of(s, SEEDS);
    const rv_pipe_row *row = &s->row[column->row];
    uint64_t strips = strips_of(s, (int)(column->slot - row->first) - 1, 2);
    seeds[column->row] |= strips;
    if (row->below >= 0) seeds[row->below] |= strips;
}

static uint8_t mark_of(const rv_engine *s, const rv_odd_column *column, size_t pitch)
{
    const float *depth = s->depth + column->slot;
    bool next = depth[-1] != 0.0f || depth[1] != 0.0f || depth[pitch] != 0.0f ||
                depth[-(ptrdiff_t)pitch] != 0.0f;
    return (uint8_t)((depth[0] != 0.0f ? HELD : 0) | (next ? NEXT : 0));
}

static void look_around(const rv_engine *s, uint8_t *marks)
{
    const uint64_t *holds = bits_of(s, HOLDS);
    memset(marks, 0, s->odd_column_count);
    for (uint32_t r = 0; r < s->row_count; r++) {
        const rv_pipe_row *row = &s->row[r];
        size_t pitch = (size_t)s->columns->plane[row->plane].pitch;
        uint64_t near = holds[r];
        if (row->below >= 0) near |= holds[row->below];
        if (row->above >= 0) near |= holds[row->above];
        if (near == 0) continue;
        for (uint32_t k = row->odd_first; k < row->odd_first + row->odd_count; k++) {
            const rv_odd_column *column = &s->odd_column[k];
            if (near >> ((column->slot - row->first) >> s->strip_shift) & 1)
                marks[k] = mark_of(s, column, pitch);
        }
    }
}

// The two ends of an odd pipe see each other, and what is next to the other: corners are looked
// for by way of sides.
static void add_odd(const rv_engine *s)
{
    uint8_t *marks = s->bands->near;
    look_around(s, marks);
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < s->odd_count; i++) {
            const rv_odd_pipe *p = &s->odd[i];
            if (p->b == RV_NO_SLOT) continue;
            uint32_t a = s->odd_at[p->a] - 1, b = s->odd_at[p->b] - 1;
            if (pass == 0) {
                if (marks[a] & HELD) marks[b] |= BEYOND;
                if (marks[b] & HELD) marks[a] |= BEYOND;
            } else if (marks[a] | marks[b]) {
                add_column(s, &s->odd_column[a]);
                add_column(s, &s->odd_column[b]);
            }
        }
    }
    for (uint32_t k = 0; s->has_borders && k < s->odd_column_count; k++)
        if (s->odd_column[k].at_level) add_column(s, &s->odd_column[k]); // may flood at any time
}

// ---- The whole ----------------------------------------------------------------------------------

static void find_near(rv_engine *s)
{
    uint64_t *holds = bits_of(s, HOLDS);
    for (uint32_t r = 0; r < s->row_count; r++)
        holds[r] = changed(s, r) | (is_pressed(s, r) ? ~0ull : s->awake[r] ? holding(s, r) : 0);
    s->strips_stale = false;
    memset(bits_of(s, SEEDS), 0, s->row_count * sizeof *s->busy);
    if (s->odd_count > 0) add_odd(s);
}

void rv_busy_find(rv_engine *s)
{
    uint64_t *busy = bits_of(s, BUSY);
    if (!s->flow) {
        for (uint32_t r = 0; r < s->row_count; r++) busy[r] = strips_of_blocks(s, r, s->awake[r]);
        return;
    }
    find_near(s);
    for (uint32_t r = 0; r < s->row_count; r++) {
        uint64_t awake = bits_of(s, AWAKE)[r], near = around(s, r);
        uint64_t *last = bits_of(s, LAST) + r, *last_2 = bits_of(s, LAST_2) + r;
        near |= bits_of(s, SEEDS)[r];
        busy[r] = awake & (near | *last | *last_2);
        *last_2 = *last, *last = near | ~awake;
    }
}
