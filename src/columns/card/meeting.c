// Which blocks are awake, heads, and these smoothed, in one call (kernels/met_heads.glsl). The
// passes follow each other, and few tiles of a small world work: a call for each of them takes
// longer to begin than it works. Here all groups of a call run at the same time, as many as the
// card has processors, and meet between passes. Where they prove not to, the substep is left out,
// and asked for with fewer of them, or pass by pass.
#include "columns/card/card.h"

#include "columns/tension.h"

#define OWN_MOST 512u      // tiles of a group, as kernels/dealt.glsl has it
#define LEAST_TOGETHER 32u // groups, fewer of which are not worth it

// As many as there are, and no more than have something to do.
static uint32_t groups_of(const rv_engine *s)
{
    const rv_card *c = s->card;
    uint32_t most = c->constants.tiles + (c->constants.ends + 255) / 256;
    return c->together < most ? c->together : most;
}

bool rv_card_meets(const rv_engine *s)
{
    const rv_card *c = s->card;
    return c->together > 0 && s->flow && s->tense && !s->eight && s->odd_count > 0 &&
           rv_card_is_small(s) && c->constants.tiles <= OWN_MOST * c->together;
}

// The constants are those of the substep.
void rv_card_call_met(rv_engine *s)
{
    rv_card_constants *k = &s->card->constants;
    k->heads_at = rv_card_heads_place(s), k->calm_pass = rv_card_calm_passes(s);
    rv_card_call_grid(s, "met_heads", s->press ? RV_EASE_PRESSED : 0,
                      (const uint32_t[3]){groups_of(s), 1, 1});
    k->calm_pass = 0;
}

void rv_card_missed(rv_engine *s)
{
    static const uint32_t zeros[RV_MEET_WORDS] = {0};
    rv_card *c = s->card;
    uint32_t groups = groups_of(s);
    c->together = groups >= 2 * LEAST_TOGETHER ? groups / 2 : 0;
    rv_card_send(s, RV_AT_STATUS, RV_MEET_AT * sizeof *zeros, zeros, sizeof zeros);
}
