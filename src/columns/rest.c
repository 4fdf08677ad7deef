// Liquid at rest (docs/tension.md, What it costs): with surface tension puddles, drops and pools
// come to rest, and what rests need not be worked out again until something touches it.
//
// A pipe is at rest while no more flows through it than
//     rest · max(H, h*)                     and   D² max(H, h*)/(3ν) · DRIVE    in m²/s,
// rest the speed `tension.rest`, H the deeper of its two columns, h* what wetting is spread over:
// films thinner than that hardly count. The second bound is for thick liquid, which creeps for
// long: as long as something drives it that is more than a little slope, it has not come to rest.
// Each column counts the frames in which all its pipes were at rest; the counts are state. A block
// (awake.c) has rested when all of its columns have for long enough.
//
// Islands of wet blocks sleep together: a block sleeps while it and all wet blocks that it hangs
// together with have rested. Blocks hang together if what stirs in one could reach the next but one
// in a substep: over two blocks and two rows of a plane, and through pipes between planes. So
// nothing that is worked out ever sees a column that sleeps, and no liquid is lost between them.
// Which blocks sleep follows from the counts alone, whenever a step begins: a restored world goes
// on to the bit.
#include "columns/card/card.h"
#include "columns/joints.h"
#include "columns/tension.h"

#include <math.h>
#include <string.h>

#define REST_TIME 0.25 // s, of rest before liquid sleeps
#define DRIVE 0.5      // m/s², a slope of 5%
#define RESIDUE 0.05   // of h*: what is left where liquid drew back creeps on for minutes

// ---- What stirs it ------------------------------------------------------------------------------

static bool sleeps(const rv_engine *s)
{
    return s->tense && s->params.tension_rest > 0.0;
}

void rv_rest_stir(rv_engine *s, uint32_t r, uint32_t slot)
{
    if (!s->tense) return;
    uint64_t bit = 1ull << ((slot - s->row[r].first) >> s->block_shift);
    s->tension->rest[slot] = 0;
    s->tension->rested[r] &= ~bit, s->tension->asleep[r] &= ~bit;
}

void rv_rest_stir_cells(rv_engine *s, rv_rect cells)
{
    if (!s->tense) return;
    for (uint32_t r = 0; r < s->row_count; r++) {
        int from, to, x0 = s->columns->plane[s->row[r].plane].x0;
        if (!rv_row_within(s, r, cells, &from, &to)) continue;
        for (int x = from; x < to; x++) rv_rest_stir(s, r, s->row[r].first + (uint32_t)(x - x0));
    }
}

void rv_rest_stir_all(rv_engine *s)
{
    if (!s->tense) return;
    memset(s->tension->rest, 0, s->slots);
    memset(s->tension->rested, 0, s->row_count * sizeof *s->tension->rested);
    memset(s->tension->asleep, 0, s->row_count * sizeof *s->tension->asleep);
}

// ---- Counting -----------------------------------------------------------------------------------

// Frames of rest before a column has rested.
static uint8_t patience(const rv_engine *s)
{
    return (uint8_t)fmin(fmax(ceil(REST_TIME / s->params.time_step), 4.0), 250.0);
}

rv_rest_bounds rv_rest_bounds_of(const rv_engine *s)
{
    const rv_params *p = &s->params;
    double drag = 3.0 * p->liquid_viscosity;
    return (rv_rest_bounds){.slow = (float)(p->grid_dx * p->tension_rest),
                            .drive =
                                drag > 0.0 ? (float)fmin(p->grid_dx * DRIVE / drag, 1e30) : 1e30f,
                            .thin = s->law.thin,
                            .residue = RESIDUE * (double)s->law.thin,
                            .patience = patience(s)};
}

static bool moves(const rv_rest_bounds *b, float flux, float depth_a, float depth_b)
{
    float deep = rv_f_max(depth_a, depth_b), least = rv_f_max(deep, b->thin);
    float driven = (double)deep > b->residue ? b->drive * deep * deep : b->slow;
    return rv_f_abs(flux) > least * rv_f_min(b->slow, driven);
}

// Columns of a row that cannot rest: heads of full ones are solved for. A gap that is filled by no
// more than a film is not one of them, whatever else its row has.
static void stir_full(rv_engine *s, uint32_t r)
{
    uint32_t first = s->row[r].first;
    for (uint32_t i = first; s->row_full[r] && i < first + s->row[r].count; i++)
        if (s->depth[i] > s->law.film && rv_column_flooded(s->columns, i, s->depth[i], true))
            s->tension->rest[i] = 0;
}

static void stir_run(rv_engine *s, const rv_rest_bounds *b, uint32_t r, rv_run run)
{
    uint8_t *rest = s->tension->rest;
    const float *depth = s->depth;
    for (int way = 0; way < rv_ways(s); way++) {
        size_t step = (size_t)rv_way_step((rv_way)way, s->columns->plane[s->row[r].plane].pitch);
        const float *flux = s->flux[way];
        size_t first = s->row[r].first + (size_t)run.x;
        for (size_t i = first; i < first + (size_t)run.count; i++)
            if (flux[i] != 0.0f && moves(b, flux[i], depth[i], depth[i + step]))
                rest[i] = rest[i + step] = 0;
    }
}

// Liquid that stands at a border that lets it out does not rest.
static void stir_odd(rv_engine *s, const rv_rest_bounds *b)
{
    uint8_t *rest = s->tension->rest;
    for (uint32_t k = 0; k < s->odd_count; k++) {
        const rv_odd_pipe *p = &s->odd[k];
        float here = s->depth[p->a];
        bool border = p->b == RV_NO_SLOT;
        float there = border ? here : s->depth[p->b];
        if (border && (double)here > b->residue) rest[p->a] = 0;
        if (s->odd_flux[k] == 0.0f || !moves(b, s->odd_flux[k], here, there)) continue;
        rest[p->a] = 0;
        if (!border) rest[p->b] = 0;
    }
}

// Which of some blocks of a row have rested.
static void find_rested(rv_engine *s, uint32_t r, uint64_t blocks)
{
    uint8_t least = patience(s);
    uint64_t rested = s->tension->rested[r] & ~blocks;
    for (; blocks; blocks &= blocks - 1) {
        int block = __builtin_ctzll(blocks), x = block * s->block_width, n = s->row[r].count - x;
        const uint8_t *rest = s->tension->rest + s->row[r].first + x;
        const float *depth = s->depth + s->row[r].first + x;
        int restless = 0;
        n = n < s->block_width ? n : s->block_width;
        for (int i = 0; i < n; i++) restless |= (depth[i] > s->law.film) & (rest[i] < least);
        if (!restless) rested |= 1ull << block;
    }
    s->tension->rested[r] = rested;
}

void rv_rest_count(rv_engine *s)
{
    if (!sleeps(s) || rv_card_count_rest(s)) return;
    rv_rest_bounds b = rv_rest_bounds_of(s);
    uint8_t *rest = s->tension->rest, most = patience(s);
    for (uint32_t r = 0; r < s->row_count; r++) {
        for (rv_run run = rv_first_run_of(s, r, s->awake[r]); run.count;
             run = rv_next_run(s, r, run)) {
            uint8_t *at = rest + s->row[r].first + run.x;
            for (int i = 0; i < run.count; i++) at[i] = (uint8_t)(at[i] < most ? at[i] + 1 : most);
        }
        stir_full(s, r);
    }
    for (uint32_t r = 0; r < s->row_count; r++)
        for (rv_run run = rv_first_run_of(s, r, s->awake[r]); run.count;
             run = rv_next_run(s, r, run))
            stir_run(s, &b, r, run);
    stir_odd(s, &b);
    for (uint32_t r = 0; r < s->row_count; r++) find_rested(s, r, s->awake[r]);
}

// ---- Islands ------------------------------------------------------------------------------------

static uint64_t spread(uint64_t bits)
{
    return bits | bits << 1 | bits >> 1;
}

static uint64_t stirs(const rv_engine *s, int64_t r)
{
    return s->wet[r] & ~s->tension->asleep[r];
}

// What stirs near blocks of row r: in it and up to `far` rows beside it, spread as far.
static uint64_t near_row(const rv_engine *s, uint32_t r, int far)
{
    uint64_t near = stirs(s, r);
    int64_t below = r, above = r;
    for (int k = 0; k < far; k++) {
        below = below >= 0 ? s->row[below].below : -1;
        above = above >= 0 ? s->row[above].above : -1;
        if (below >= 0) near |= stirs(s, below);
        if (above >= 0) near |= stirs(s, above);
    }
    for (int k = 0; k < far; k++) near = spread(near);
    return near;
}

static bool rouse(rv_engine *s, uint32_t r, uint64_t bits)
{
    uint64_t hit = s->tension->asleep[r] & bits;
    s->tension->asleep[r] &= ~hit;
    return hit != 0;
}

// Wakes what sleeps in a block and those next to it.
static bool rouse_around(rv_engine *s, uint32_t r, int block)
{
    const rv_pipe_row *row = &s->row[r];
    uint64_t bits = spread(1ull << block);
    bool found = rouse(s, r, bits);
    if (row->below >= 0) found |= rouse(s, (uint32_t)row->below, bits);
    if (row->above >= 0) found |= rouse(s, (uint32_t)row->above, bits);
    return found;
}

static bool rouse_row(rv_engine *s, uint32_t r)
{
    bool found = false;
    while (s->tension->asleep[r] && rouse(s, r, near_row(s, r, 2))) found = true;
    return found;
}

static bool rouse_links(rv_engine *s)
{
    bool found = false;
    for (uint32_t i = 0; i < s->link_count; i++) {
        const rv_block_link *l = &s->link[i];
        if (near_row(s, l->row_a, 1) >> l->block_a & 1)
            found |= rouse_around(s, l->row_b, l->block_b);
        if (near_row(s, l->row_b, 1) >> l->block_b & 1)
            found |= rouse_around(s, l->row_a, l->block_a);
    }
    return found;
}

// A level beyond a border may flood what is beside it at any time.
static void rouse_levels(rv_engine *s)
{
    for (uint32_t k = 0; s->has_borders && k < s->odd_column_count; k++)
        if (s->odd_column[k].at_level)
            rouse_around(s, s->odd_column[k].row, s->odd_column[k].block);
}

static bool any_asleep(const rv_engine *s)
{
    uint64_t any = 0;
    for (uint32_t r = 0; r < s->row_count; r++) any |= s->tension->asleep[r];
    return any != 0;
}

// Of the blocks that may sleep, those that nothing stirring can reach.
static void part_islands(rv_engine *s)
{
    bool found = true;
    if (!rv_far_any(s, any_asleep(s))) return;
    rouse_levels(s);
    while (found) {
        found = false;
        for (uint32_t r = 0; r < s->row_count; r++) found |= rouse_row(s, r);
        for (uint32_t r = s->row_count; r-- > 0;) found |= rouse_row(s, r);
        found |= rouse_links(s);
        if (!found) found = rv_far_rouse(s);
    }
}

// ---- Falling asleep and waking ------------------------------------------------------------------

// Brings up to date what follows from which blocks sleep. true: others do than before.
static bool take_over(rv_engine *s)
{
    rv_tension *t = s->tension;
    bool changed = false;
    for (uint32_t r = 0; r < s->row_count; r++) {
        if (t->asleep[r] == t->slept[r]) continue;
        changed = true;
        t->slept[r] = t->asleep[r];
        if (rv_card_knows_rows(s)) rv_pipes_look(s, r);
    }
    t->sleeping = rv_far_any(s, any_asleep(s));
    changed = rv_far_any(s, changed);
    if (changed && !rv_card_take_over(s)) rv_pipes_gather(s);
    if (changed) rv_far_agree(s);
    return changed;
}

void rv_rest_restored(rv_engine *s)
{
    if (!s->tense) return;
    rv_tension *t = s->tension;
    bool known = rv_card_find_rested(s);
    rv_pipes_tidy_links(s);
    for (uint32_t r = 0; r < s->row_count; r++) {
        if (!known) find_rested(s, r, rv_pipes_all_blocks(s, r));
        t->asleep[r] = sleeps(s) ? s->wet[r] & t->rested[r] : 0;
    }
    part_islands(s);
    t->sleeping = rv_far_any(s, any_asleep(s));
    for (uint32_t r = 0; r < s->row_count; r++) t->slept[r] = t->asleep[r];
}

void rv_rest_begin(rv_engine *s)
{
    if (!sleeps(s)) return;
    bool known = rv_card_find_rested(s);
    rv_pipes_tidy_links(s);
    for (uint32_t r = 0; r < s->row_count; r++) {
        if (!known)
            find_rested(s, r, s->wet[r] & ~s->tension->rested[r]); // something may have stirred it
        s->tension->asleep[r] = s->wet[r] & s->tension->rested[r];
    }
    part_islands(s);
    take_over(s);
}

bool rv_rest_rouse(rv_engine *s)
{
    if (!s->tense || !s->tension->sleeping || rv_card_watches(s)) return false;
    for (uint32_t r = 0; r < s->row_count; r++)
        s->tension->asleep[r] &= s->wet[r] & s->tension->rested[r];
    part_islands(s);
    return take_over(s);
}
