// Drivers gather what they are asked for until somebody waits, or there is much of it: a card would
// begin with a step when all of that is asked for, and the processor wait for all that the card
// does. So they are told after some calls. The device table's word for it is to ask about a fence.
#include "columns/card/card.h"

// Fences that were passed are forgotten, the oldest first; with `wait` all.
static void forget_passed(rv_engine *s, bool wait)
{
    rv_card *c = s->card;
    int n = 0;
    for (bool done = true; n < c->begun_count && done; n += done)
        if (c->device->passed(c->device->user, c->begun[n], wait, &done) != RV_OK) done = true;
    c->begun_count -= n;
    for (int k = 0; k < c->begun_count; k++) c->begun[k] = c->begun[k + n];
}

void rv_card_begin(rv_engine *s, int calls)
{
    rv_card *c = s->card;
    bool done = false;
    if (c->trouble != RV_OK || c->unbegun < calls) return;
    if (c->begun_count == RV_CARD_BEGUN) forget_passed(s, false);
    if (c->begun_count == RV_CARD_BEGUN) return; // it has enough to do
    rv_device_ticket *ticket = &c->begun[c->begun_count];
    if (c->device->fence(c->device->user, ticket) != RV_OK) return; // who waits notices
    c->begun_count++, c->unbegun = 0;
    if (c->device->passed(c->device->user, *ticket, false, &done) != RV_OK || done)
        c->begun_count--;
}

void rv_card_end_begun(rv_engine *s)
{
    forget_passed(s, true);
}
