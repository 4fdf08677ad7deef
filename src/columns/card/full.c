// Substeps in which passages are flooded, worked out on the card from list to velocities
// (kernels/full_*.glsl): as other substeps they are asked for ahead, and the processor hears at the
// end which columns are full. The card must have doubles as the processor's. What is too much for
// it, more columns than a group has threads or more rounds than the plain ones of
// ../passages/iterate.c, it leaves out: then the processor does it as in flooded.c, and goes on so
// for a while.
#include "columns/card/card.h"

#include "columns/tension.h"

#include <string.h>

static const size_t word = sizeof(uint32_t);

bool rv_card_has_full(const rv_engine *s)
{
    return s->card->device->doubles && s->has_ceilings;
}

bool rv_card_takes_passages(const rv_engine *s)
{
    const rv_card *c = s->card;
    return c && rv_card_has_full(s) && c->leave_out == 0 && rv_gravity_down(&s->params) > 0.0 &&
           s->params.pipes_passages != RV_PASSAGES_NONE;
}

bool rv_card_choose_passing(rv_engine *s)
{
    rv_card *c = s->card;
    c->passing = rv_card_takes_passages(s);
    if (!c->passing && c->leave_out > 0) c->leave_out--;
    if (!c->passing) return false;
    if (!c->full_work) c->full_work = rv_new(&s->allocator, 1, sizeof *c->full_work);
    if (!c->full_work) return c->passing = false;
    if (!c->full_fresh) rv_card_send_full(s);
    rv_passages_none(s);
    c->full_none = false, c->full = true; // also if these substeps are to be asked for again
    return true;
}

void rv_card_free_full(rv_engine *s)
{
    rv_card *c = s->card;
    if (c->full_work) rv_free(&s->allocator, c->full_work, 1, sizeof *c->full_work);
    c->full_work = NULL;
}

// ---- Calls --------------------------------------------------------------------------------------

void rv_card_fill_full(const rv_engine *s, rv_card_constants *c)
{
    const rv_params *q = &s->params;
    const double levels[] = {q->border_west_level, q->border_east_level, q->border_south_level,
                             q->border_north_level};
    double area = (double)s->law.dt_area, nu = q->liquid_viscosity;
    c->rounds_most =
        (uint32_t)(q->pipes_iterations < RV_PLAIN_ROUNDS ? q->pipes_iterations : RV_PLAIN_ROUNDS);
    for (int side = 0; side < 4; side++) c->border_level[side] = (float)levels[side];
    c->push_all = s->dt * rv_gravity_down(q), c->gap_drag = 12.0 * s->dt * nu;
    c->pipe_reach = rv_pipe_reach(s), c->dx = q->grid_dx;
    c->share_axial = s->share_axial, c->share_diagonal = s->share_diagonal;
    c->per_depth = 1.0 / area, c->allowed = q->pipes_tolerance * c->per_depth;
    c->flux_allowed = q->pipes_tolerance / area;
    c->passage_drag = s->dt * nu * (s->flow ? 12.0 : 3.0);
}

void rv_card_call_full(rv_engine *s, rv_card_full_stage stage)
{
    const rv_card *c = s->card;
    static const uint32_t one[3] = {1, 1, 1};
    unsigned tense = s->tense ? RV_EASE_TENSE : 0, press = s->press ? RV_EASE_PRESSED : 0;
    unsigned flow = s->flow ? RV_EASE_FLOW : 0;
    unsigned ease = RV_EASE_PASSAGES | (rv_card_common_ease(s) & (RV_EASE_EIGHT | RV_EASE_ODD));
    static const char *const names[] = {[RV_PASSAGES_AXIS] = "full_axis",
                                        [RV_PASSAGES_UNIFIED] = "full_unified",
                                        [RV_PASSAGES_PRESSURE] = "full_heads"};
    const char *name = names[s->params.pipes_passages];
    if (stage == RV_FULL_LISTS)
        rv_card_call_grid(s, "full_list", RV_EASE_PASSAGES, c->groups);
    else if (stage == RV_FULL_HEADS)
        rv_card_call_grid(s, name, ease | tense | press | flow, one);
    else if (stage == RV_FULL_SHARES)
        rv_card_call_grid(s, "full_shares", ease, one);
    else if (stage == RV_FULL_LAST)
        rv_card_call_grid(s, name, ease | flow | RV_EASE_LAST, one);
    else
        rv_card_call_after(s, "full_end", ease | tense | flow, one);
}

void rv_card_make_full(rv_engine *s)
{
    if (!rv_card_takes_passages(s)) return;
    for (int stage = RV_FULL_LISTS; stage <= RV_FULL_END; stage++)
        if (stage != RV_FULL_LAST || s->params.pipes_passages != RV_PASSAGES_PRESSURE)
            rv_card_call_full(s, (rv_card_full_stage)stage);
}

// ---- What is known here -------------------------------------------------------------------------

#define UNTOLD UINT32_MAX // in place of a count: no substep has ended since flags and heads went

// Flags and heads as they are here, and rounds from 0 on.
void rv_card_send_full(rv_engine *s)
{
    static const uint32_t words[RV_FULL_TOLD] = {[RV_FULL_TOLD_COUNT] = UNTOLD};
    rv_card *c = s->card;
    size_t slots = s->slots, bytes = slots * word;
    if (!rv_card_has_full(s)) return;
    bool none = !memchr(s->full, 1, slots);
    if (!none || !c->full_none || c->full_slots != slots) {
        for (size_t i = 0; i < slots; i++) c->pack[i] = s->full[i];
        rv_card_send(s, RV_AT_FULL, 0, s->head, bytes);
        rv_card_send(s, RV_AT_FULL, bytes, c->pack, bytes);
    }
    rv_card_send(s, RV_AT_FULL, 2 * bytes, words, sizeof words);
    if (c->full_work) c->full_work->rounds = 0, c->full_work->known = false;
    c->full_fresh = true, c->full_none = none, c->full_slots = slots;
}

#define TOLD_FIRST 170u // columns that are read with how many there are

bool rv_card_ask_full(const rv_engine *s, rv_card_ask *out)
{
    rv_card_full *f = s->card->full_work;
    if (!s->card->passing || !f) return false;
    uint32_t count = f->count + f->count / 4 < TOLD_FIRST ? TOLD_FIRST : f->count + f->count / 4;
    f->expected = count < RV_FULL_LISTED ? count : RV_FULL_LISTED;
    *out = (rv_card_ask){RV_AT_FULL, 2 * s->slots * word, f->told,
                         (RV_FULL_TOLD + 3 * f->expected) * word};
    return true;
}

static void forget(rv_engine *s)
{
    rv_card_full *f = s->card->full_work;
    if (!f->known) memset(s->full, 0, s->slots), memset(s->head, 0, s->slots * sizeof *s->head);
    for (uint32_t k = 0; f->known && k < f->count; k++)
        s->full[f->slot[k]] = 0, s->head[f->slot[k]] = 0.0f;
    f->count = 0, f->known = true;
}

void rv_card_take_full(rv_engine *s)
{
    rv_card_full *f = s->card->full_work;
    uint32_t count = f->told[RV_FULL_TOLD_COUNT], known = f->expected, *rest;
    if (count == UNTOLD) return; // what is here still holds
    if (count > RV_FULL_LISTED) count = RV_FULL_LISTED;
    rest = f->told + RV_FULL_TOLD + 3 * known;
    if (count > known &&
        !rv_card_fetch(s, RV_AT_FULL, (2 * s->slots + RV_FULL_TOLD + 3 * known) * word, rest,
                       3 * (count - known) * word))
        return;
    forget(s);
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t *in = f->told + RV_FULL_TOLD + 3 * k;
        if (!in[1]) continue;
        f->slot[f->count++] = in[0];
        s->full[in[0]] = 1;
        memcpy(&s->head[in[0]], &in[2], sizeof(float));
    }
    s->totals.passages = (int)f->told[RV_FULL_GROUPS];
    s->totals.iterations += (int)(f->told[RV_FULL_ROUNDS] - f->rounds);
    f->rounds = f->told[RV_FULL_ROUNDS];
}

void rv_card_check_full(rv_engine *s)
{
    const rv_card_full *f = s->card->full_work;
    for (uint32_t k = 0; f && k < f->count; k++) {
        uint32_t i = f->slot[k];
        if (s->full[i] && !rv_still_full(s, i)) s->full[i] = 0, s->head[i] = 0.0f;
    }
}

#define LEFT_OUT 32 // substeps: what was too much once is so for a while

void rv_card_left_out(rv_engine *s)
{
    s->card->leave_out = LEFT_OUT, s->card->full_fresh = false;
}
