// Which rows are whose, and what ranks tell each other, see cut.h.
#include "base/cut.h"

#include "base/clock.h"
#include "base/memory.h"

#include <string.h>

rv_cut *rv_cut_make(const rv_ranks *ranks, int ny, const rv_allocator *allocator)
{
    rv_cut *cut = rv_new(allocator, 1, sizeof *cut);
    if (!cut) return NULL;
    cut->ranks = ranks, cut->allocator = *allocator, cut->ny = ny;
    cut->sizes = rv_new(allocator, (size_t)ranks->count, sizeof *cut->sizes);
    cut->places = rv_new(allocator, (size_t)ranks->count, sizeof *cut->places);
    rv_cut_set(cut);
    if (cut->sizes && cut->places) return cut;
    rv_cut_free(cut);
    return NULL;
}

void rv_cut_free(rv_cut *cut)
{
    if (!cut) return;
    rv_allocator a = cut->allocator;
    rv_free(&a, cut->sizes, (size_t)cut->ranks->count, sizeof *cut->sizes);
    rv_free(&a, cut->places, (size_t)cut->ranks->count, sizeof *cut->places);
    rv_free(&a, cut->all, cut->all_room, 1);
    for (int k = 0; k < 3; k++) rv_free(&a, cut->scratch[k], cut->scratch_room[k], 1);
    rv_free(&a, cut, 1, sizeof *cut);
}

rv_rows rv_cut_own_of(const rv_cut *cut, int rank)
{
    int64_t ny = cut->ny, n = cut->ranks->count;
    return (rv_rows){(int)(ny * rank / n), (int)(ny * (rank + 1) / n)};
}

rv_rows rv_cut_kept_of(const rv_cut *cut, int rank)
{
    rv_rows r = rv_cut_own_of(cut, rank);
    if (cut->shared.to > cut->shared.from) {
        if (cut->shared.from < r.from) r.from = cut->shared.from;
        if (cut->shared.to > r.to) r.to = cut->shared.to;
    }
    int reach = RV_CUT_REACH + cut->bodies;
    r.from = r.from > reach ? r.from - reach : 0;
    r.to = r.to < cut->ny - reach ? r.to + reach : cut->ny;
    return r;
}

int rv_cut_owner(const rv_cut *cut, int y)
{
    int64_t n = cut->ranks->count;
    int rank = (int)(n * y / cut->ny);
    while (y >= rv_cut_own_of(cut, rank).to) rank++;
    while (y < rv_cut_own_of(cut, rank).from) rank--;
    return rank;
}

void rv_cut_set(rv_cut *cut)
{
    cut->own = rv_cut_own_of(cut, cut->ranks->rank);
    cut->kept = rv_cut_kept_of(cut, cut->ranks->rank);
    cut->traffic.first = cut->own.from, cut->traffic.end = cut->own.to;
    cut->traffic.low = cut->kept.from, cut->traffic.high = cut->kept.to;
}

// ---- The table ----------------------------------------------------------------------------------

void rv_cut_swap(rv_cut *cut, const rv_rank_part *out, int outs, const rv_rank_part *in, int ins)
{
    if (cut->lost) return;
    double began = rv_wall_ms();
    cut->lost = !cut->ranks->swap(cut->ranks->user, out, outs, in, ins);
    cut->traffic.waiting += 1e-3 * (rv_wall_ms() - began);
    cut->traffic.swaps++, cut->traffic.messages += outs;
    for (int i = 0; i < outs; i++) cut->traffic.bytes += (int64_t)out[i].bytes;
}

void rv_cut_start(rv_cut *cut, const rv_rank_part *out, int outs, const rv_rank_part *in, int ins)
{
    if (cut->lost) return;
    cut->swap.out = out, cut->swap.outs = outs, cut->swap.in = in, cut->swap.ins = ins;
    if (!cut->ranks->start) return;
    double began = rv_wall_ms();
    cut->lost = !cut->ranks->start(cut->ranks->user, out, outs, in, ins);
    cut->traffic.waiting += 1e-3 * (rv_wall_ms() - began);
    cut->traffic.swaps++, cut->traffic.messages += outs;
    for (int i = 0; i < outs; i++) cut->traffic.bytes += (int64_t)out[i].bytes;
}

void rv_cut_nudge(rv_cut *cut)
{
    if (cut->ranks->nudge && cut->ranks->start && !cut->lost) cut->ranks->nudge(cut->ranks->user);
}

void rv_cut_finish(rv_cut *cut)
{
    if (!cut->ranks->start) {
        rv_cut_swap(cut, cut->swap.out, cut->swap.outs, cut->swap.in, cut->swap.ins);
        return;
    }
    if (cut->lost) return;
    double began = rv_wall_ms();
    cut->lost = !cut->ranks->finish(cut->ranks->user);
    cut->traffic.waiting += 1e-3 * (rv_wall_ms() - began);
}

void rv_cut_greatest(rv_cut *cut, double *values, int count)
{
    if (cut->lost) return;
    double began = rv_wall_ms();
    cut->lost = !cut->ranks->greatest(cut->ranks->user, values, count);
    cut->traffic.waiting += 1e-3 * (rv_wall_ms() - began);
    cut->traffic.agreements++;
}

static void gather(rv_cut *cut, const void *own, void *all)
{
    if (cut->lost) return;
    double began = rv_wall_ms();
    cut->lost = !cut->ranks->gather(cut->ranks->user, own, all, cut->sizes);
    cut->traffic.waiting += 1e-3 * (rv_wall_ms() - began);
    cut->traffic.agreements++, cut->traffic.gathered += (int64_t)cut->sizes[cut->ranks->rank];
}

// Without memory this rank is as good as lost: the others wait for what it cannot take.
static bool make_room(rv_cut *cut, size_t bytes)
{
    if (bytes <= cut->all_room) return true;
    size_t room = bytes + bytes / 2 + 4096;
    rv_free(&cut->allocator, cut->all, cut->all_room, 1);
    cut->all = rv_new(&cut->allocator, room, 1);
    cut->all_room = cut->all ? room : 0;
    if (!cut->all) cut->lost = true;
    return cut->all != NULL;
}

// ---- What is made of it -------------------------------------------------------------------------

const void *rv_cut_collect(rv_cut *cut, const void *own, size_t bytes, bool alike)
{
    size_t all = 0, count = (size_t)cut->ranks->count;
    uint64_t size = bytes;
    for (size_t k = 0; k < count; k++) cut->sizes[k] = alike ? bytes : sizeof size;
    if (!alike) {
        if (!make_room(cut, count * sizeof size)) return NULL;
        gather(cut, &size, cut->all);
        if (cut->lost) return NULL;
        for (size_t k = 0; k < count; k++) {
            memcpy(&size, cut->all + k * sizeof size, sizeof size);
            cut->sizes[k] = (size_t)size;
        }
    }
    for (size_t k = 0; k < count; k++) all += cut->sizes[k];
    if (!make_room(cut, all + 1)) return NULL;
    gather(cut, own, cut->all);
    return cut->lost ? NULL : cut->all;
}

static bool widen(rv_cut *cut, int k, size_t bytes)
{
    if (bytes <= cut->scratch_room[k]) return true;
    size_t room = bytes + bytes / 2 + 4096;
    rv_free(&cut->allocator, cut->scratch[k], cut->scratch_room[k], 1);
    cut->scratch[k] = rv_new(&cut->allocator, room, 1);
    cut->scratch_room[k] = cut->scratch[k] ? room : 0;
    if (!cut->scratch[k]) cut->lost = true;
    return cut->scratch[k] != NULL;
}

void *rv_cut_room(rv_cut *cut, int k, size_t bytes)
{
    return widen(cut, k, bytes) ? cut->scratch[k] : NULL;
}

void rv_cut_agree(rv_cut *cut, const int *rank, int count, void *items, size_t item)
{
    size_t all = (size_t)count * item, own = 0, at = 0;
    unsigned char *bytes = items;
    if (!widen(cut, 2, all + 1) || !make_room(cut, all + 1)) return;
    for (int k = 0; k < cut->ranks->count; k++) cut->sizes[k] = 0;
    for (int i = 0; i < count; i++) {
        cut->sizes[rank[i]] += item;
        if (rank[i] != cut->ranks->rank) continue;
        memcpy(cut->scratch[2] + own, bytes + (size_t)i * item, item);
        own += item;
    }
    gather(cut, cut->scratch[2], cut->all);
    if (cut->lost) return;
    for (int k = 0; k < cut->ranks->count; k++) cut->places[k] = at, at += cut->sizes[k];
    for (int i = 0; i < count; i++) {
        memcpy(bytes + (size_t)i * item, cut->all + cut->places[rank[i]], item);
        cut->places[rank[i]] += item;
    }
}

void rv_cut_sum(rv_cut *cut, int64_t *values, int count)
{
    const unsigned char *all = rv_cut_collect(cut, values, (size_t)count * sizeof *values, true);
    if (!all) return;
    memset(values, 0, (size_t)count * sizeof *values);
    for (int rank = 0; rank < cut->ranks->count; rank++)
        for (int i = 0; i < count; i++, all += sizeof *values) {
            int64_t value;
            memcpy(&value, all, sizeof value);
            values[i] += value;
        }
}

bool rv_cut_any(rv_cut *cut, bool own)
{
    double value = own ? 1 : 0;
    rv_cut_greatest(cut, &value, 1);
    return value > 0;
}

void rv_cut_pass(rv_cut *cut, int from, int to, void *data, size_t bytes)
{
    int rank = cut->ranks->rank;
    rv_rank_part out = {to, data, bytes}, in = {from, data, bytes};
    if (from == to || (rank != from && rank != to)) return;
    rv_cut_swap(cut, &out, rank == from, &in, rank == to);
}

void rv_cut_spread(rv_cut *cut, int from, void *data, size_t bytes)
{
    for (int k = 0; k < cut->ranks->count; k++) cut->sizes[k] = k == from ? bytes : 0;
    if (!make_room(cut, bytes + 1)) return;
    gather(cut, data, cut->all);
    if (!cut->lost) memcpy(data, cut->all, bytes);
}
