// What full columns let in when a passage is solved by pressure. A full column may take as much as
// it gives: its room is what is free plus what leaves. Where a gate is full or empty and cuts a
// flux, the cut goes back through the passage until every column fits.
//
// What a column gives depends only on those that it gives to. So columns are taken from the end of
// the flow to its beginning, each after all that it gives to: every share is found once, however
// long the passage. Only where liquid goes round in a circle there is no such order, and shares are
// cut round after round.
#include "columns/passages/passages.h"

#include <math.h>
#include <string.h>

#define ROUNDS 60   // where liquid goes round
#define GENTLE 20   // rounds in which outflow still counts as room
#define MARGIN 1e-5 // of what flows: more than the sums in single precision are off
#define DONE UINT32_MAX

// What flows in a pipe as the scales stand, from one end to the other.
typedef struct flow {
    int32_t from, to; // positions of members, -1: others
    double size;      // as a change of depth, m
} flow;

static flow flow_of(const rv_engine *s, const rv_passage_pipe *p)
{
    const rv_passage_work *w = s->passage;
    float flux = *p->flux;
    bool forward = flux > 0.0f;
    uint32_t from = forward ? p->a : p->b, to = forward ? p->b : p->a;
    int32_t i = forward ? p->ia : p->ib, j = forward ? p->ib : p->ia;
    float out = from == RV_NO_SLOT ? 1.0f : s->out_scale[from];
    float in = to == RV_NO_SLOT ? 1.0f : s->in_scale[to];
    return (flow){rv_is_member(w, i) ? i : -1, rv_is_member(w, j) ? j : -1,
                  (double)(rv_f_abs(flux) * rv_f_min(out, in) * s->law.dt_area)};
}

static float free_room(const rv_engine *s, uint32_t slot)
{
    return rv_f_max(rv_cap(s, slot) * RV_DEPTH_SHARE - s->depth[slot], 0.0f);
}

// Net inflow and size of all flows of each member, as changes of depth, m.
static void sum_flows(const rv_engine *s, double *net, double *size)
{
    const rv_passage_work *w = s->passage;
    uint32_t inside = w->freed ? 0 : w->inside;
    memset(net, 0, w->count * sizeof *net);
    memset(size, 0, w->count * sizeof *size);
    for (uint32_t i = 0; i < inside; i++) { // from member to member: only the giver may cut
        const rv_passage_pipe *p = &w->pipe[i];
        float flux = *p->flux, out = s->out_scale[flux > 0.0f ? p->a : p->b];
        double change = (double)(flux * out * s->law.dt_area);
        net[p->ia] -= change, size[p->ia] += fabs(change);
        net[p->ib] += change, size[p->ib] += fabs(change);
    }
    for (uint32_t i = inside; i < w->pipes; i++) {
        if (*w->pipe[i].flux == 0.0f) continue;
        flow f = flow_of(s, &w->pipe[i]);
        if (f.from >= 0) net[f.from] -= f.size, size[f.from] += f.size;
        if (f.to >= 0) net[f.to] += f.size, size[f.to] += f.size;
    }
}

// Marks members that may have to take more than they can; false: none.
static bool find_suspects(rv_engine *s, double *net, double *size, uint8_t *suspect)
{
    const rv_passage_work *w = s->passage;
    bool any = false;
    sum_flows(s, net, size);
    for (uint32_t k = 0; k < w->count; k++) {
        double room = (double)free_room(s, w->slot[k]);
        suspect[k] = w->member[k] && net[k] > room - MARGIN * size[k];
        any |= suspect[k];
    }
    return any;
}

// To how many other members each gives.
static void count_given(const rv_engine *s, uint32_t *gives)
{
    const rv_passage_work *w = s->passage;
    memset(gives, 0, w->count * sizeof *gives);
    for (uint32_t i = 0; i < w->inside; i++) {
        const rv_passage_pipe *p = &w->pipe[i];
        if (*p->flux == 0.0f || !w->member[p->ia] || !w->member[p->ib]) continue;
        gives[*p->flux > 0.0f ? p->ia : p->ib]++;
    }
}

// The share of its inflow that a member can take, at most what it has now.
static float share_of(const rv_engine *s, uint32_t slot, bool gentle)
{
    rv_through t = rv_pipes_through(s, slot, true);
    float room = free_room(s, slot) + (gentle ? t.out : 0.0f);
    if (t.in <= room) return s->in_scale[slot];
    return rv_f_min(s->in_scale[slot], RV_DEPTH_SHARE * room / t.asked);
}

// A member's share is settled: those that give to it wait for one less, and must be looked at if it
// was cut. Returns how many are ready now, in `queue` from `end` on.
static uint32_t settle(const rv_engine *s, uint32_t k, bool cut, uint32_t *gives, uint8_t *suspect,
                       uint32_t *queue, uint32_t end)
{
    const rv_passage_work *w = s->passage;
    const rv_passage_level *l = w->level;
    gives[k] = DONE;
    for (uint32_t e = l->first[k]; e < l->first[k + 1]; e++) {
        const rv_passage_pipe *p = &w->pipe[w->link_pipe[e]];
        uint32_t j = l->other[e];
        bool into = (uint32_t)p->ib == k ? *p->flux > 0.0f : *p->flux < 0.0f;
        if (!into || !w->member[j]) continue;
        if (cut) suspect[j] = 1;
        if (--gives[j] == 0) queue[end++] = j;
    }
    return end;
}

// Returns how many members could not be settled.
static uint32_t settle_all(rv_engine *s, uint32_t *gives, uint8_t *suspect, uint32_t *queue)
{
    const rv_passage_work *w = s->passage;
    uint32_t end = 0, members = 0;
    for (uint32_t k = 0; k < w->count; k++) {
        members += w->member[k];
        if (w->member[k] && gives[k] == 0) queue[end++] = k;
    }
    for (uint32_t at = 0; at < end; at++) {
        uint32_t k = queue[at], i = w->slot[k];
        float share = suspect[k] ? share_of(s, i, true) : 1.0f;
        bool cut = share < s->in_scale[i];
        s->in_scale[i] = share;
        end = settle(s, k, cut, gives, suspect, queue, end);
    }
    return members - end;
}

// Those that stand in a circle, or give to one: all at once, again and again.
static void cut_rest(rv_engine *s, const uint32_t *gives)
{
    rv_passage_work *w = s->passage;
    for (int round = 0; round < ROUNDS; round++) {
        bool cut = false;
        for (uint32_t k = 0; k < w->count; k++) {
            if (!w->member[k] || gives[k] == DONE) continue;
            w->share[k] = share_of(s, w->slot[k], round < GENTLE);
            cut |= w->share[k] < s->in_scale[w->slot[k]];
        }
        if (!cut) return;
        for (uint32_t k = 0; k < w->count; k++)
            if (w->member[k] && gives[k] != DONE) s->in_scale[w->slot[k]] = w->share[k];
    }
}

void rv_pressure_scales(rv_engine *s)
{
    rv_passage_work *w = s->passage;
    uint32_t *gives = w->scratch[0];
    uint8_t *suspect = w->suspect;
    if (!w->flows) return;
    for (uint32_t k = 0; k < w->count; k++)
        if (w->member[k]) s->in_scale[w->slot[k]] = 1.0f;
    if (!find_suspects(s, w->product, w->scaled, suspect)) return;
    count_given(s, gives);
    if (settle_all(s, gives, suspect, w->scratch[1]) > 0) cut_rest(s, gives);
}
