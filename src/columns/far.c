// Columns whose rows are shared out among processes (base/cut.h, docs/scale.md). A rank works out
// its own rows and those beside them that it keeps; before each substep it takes the state of the
// latter from the ranks that own them. What the engine decides by the whole, how deep and how fast
// the liquid is, which blocks may sleep, whether all inflow finds room, is agreed on.
//
// Rows cross whole, in one message for each other rank that keeps some: in the order of planes and
// rows, each with what is known of it, its arrays by slot, and then the odd pipes of each row of
// the grid.
#include "columns/tension.h"

#include <string.h>

// Rows of another rank that are here, and own ones that are there.
typedef struct peer {
    int rank;
    rv_rows out, in;
    int out_odd, in_odd;      // odd pipes are known up to this row, there and here
    unsigned char *put, *get; // messages
    size_t put_bytes, get_bytes;
} peer;

struct rv_far {
    rv_cut *cut;
    peer *peers;
    int count;
    rv_rank_part *out, *in; // [count]
    unsigned char *memory;
    size_t bytes;
    bool early;   // rows may cross within a substep
    bool fresh;   // rows are as their owners have them
    bool arrived; // … since they came within the substep
    bool due;     // something was done since ranks last agreed on how deep and fast the liquid is
};

// What is known of a row of a plane besides its arrays.
typedef struct known {
    uint64_t wet, rested;
    float most, pace;
    uint64_t full;
} known;

typedef struct array {
    void *data;
    size_t item; // bytes
} array;

#define ARRAYS_MOST 14
#define INNER_LEAST 16 // rows to work out while others are on their way

static int arrays_of(const rv_engine *s, array out[ARRAYS_MOST])
{
    int n = 0;
    out[n++] = (array){s->depth, sizeof(float)};
    for (int way = 0; way < rv_ways(s); way++) {
        out[n++] = (array){s->flux[way], sizeof(float)};
        if (s->flow) out[n++] = (array){s->speed[way], sizeof(float)};
    }
    if (s->has_ceilings) out[n++] = (array){s->head, sizeof(float)};
    if (s->has_ceilings) out[n++] = (array){s->full, 1};
    if (s->tense) out[n++] = (array){s->tension->wetted, sizeof(float)};
    if (s->tense) out[n++] = (array){s->tension->rest, 1};
    return n;
}

// The row of a plane at y; false: it has none there.
static bool row_at(const rv_engine *s, int plane, int y, uint32_t *r)
{
    int at = y - s->columns->plane[plane].y0;
    *r = s->plane_row[plane] + (uint32_t)at;
    return at >= 0 && at < s->columns->plane[plane].ny;
}

// ---- Memory -------------------------------------------------------------------------------------

// Most that some rows take, by law `flow` and with tension: both may come while it runs.
static size_t most_bytes(const rv_engine *s, rv_rows rows)
{
    size_t bytes = 0;
    uint32_t r;
    for (int y = rows.from; y < rows.to; y++) {
        for (int p = 0; p < s->columns->planes; p++)
            if (row_at(s, p, y, &r))
                bytes += sizeof(known) + s->row[r].count * (ARRAYS_MOST * sizeof(float));
        bytes += 2 * (s->odd_row[y + 1] - s->odd_row[y]) * sizeof(float);
        bytes += (size_t)s->columns->grid.nx; // how its cells wet
    }
    return (bytes + 63) / 64 * 64;
}

static int odd_end(const rv_cut *cut, int rank)
{
    int to = rv_cut_kept_of(cut, rank).to;
    return to == cut->ny ? to : to - 1; // the last row's pipes to the next are not known
}

// Of the rows of a rank, those that no other keeps.
static rv_rows inner_of(const rv_cut *cut, int rank)
{
    rv_rows own = rv_cut_own_of(cut, rank), rows = own;
    for (int other = 0; other < cut->ranks->count; other++) {
        rv_rows out = rv_rows_both(own, rv_cut_kept_of(cut, other));
        if (other == rank || out.to <= out.from) continue;
        if (other < rank && out.to > rows.from) rows.from = out.to;
        if (other > rank && out.from < rows.to) rows.to = out.from;
    }
    return rows;
}

// Whether it is worth while on all ranks: where one sends early the other must take it then.
static bool all_have_inner(const rv_cut *cut)
{
    for (int rank = 0; rank < cut->ranks->count; rank++) {
        rv_rows rows = inner_of(cut, rank);
        if (rows.to - rows.from < INNER_LEAST) return false;
    }
    return true;
}

static void find_peers(const rv_engine *s, rv_far *f)
{
    rv_cut *cut = f->cut;
    f->count = 0;
    for (int rank = 0; rank < cut->ranks->count; rank++) {
        peer p = {.rank = rank,
                  .out = rv_rows_both(cut->own, rv_cut_kept_of(cut, rank)),
                  .in = rv_rows_both(cut->kept, rv_cut_own_of(cut, rank)),
                  .out_odd = odd_end(cut, rank),
                  .in_odd = odd_end(cut, cut->ranks->rank)};
        if (rank == cut->ranks->rank || (p.out.to <= p.out.from && p.in.to <= p.in.from)) continue;
        p.put_bytes = most_bytes(s, p.out), p.get_bytes = most_bytes(s, p.in);
        if (f->peers) f->peers[f->count] = p;
        f->count++;
    }
}

// Messages as long as the rows may need.
rv_result rv_far_fit(rv_engine *s)
{
    rv_far *f = s->far;
    size_t bytes = 0, at = 0;
    if (!f) return RV_OK;
    find_peers(s, f);
    for (int k = 0; k < f->count; k++) bytes += f->peers[k].put_bytes + f->peers[k].get_bytes;
    if (bytes > f->bytes) {
        unsigned char *memory = rv_new(&s->allocator, bytes + bytes / 8, 1);
        if (!memory) return RV_OUT_OF_MEMORY;
        rv_free(&s->allocator, f->memory, f->bytes, 1);
        f->memory = memory, f->bytes = bytes + bytes / 8;
    }
    for (int k = 0; k < f->count; k++) {
        f->peers[k].put = f->memory + at, at += f->peers[k].put_bytes;
        f->peers[k].get = f->memory + at, at += f->peers[k].get_bytes;
    }
    return RV_OK;
}

rv_result rv_far_make(rv_engine *s)
{
    rv_cut *cut = s->columns->grid.cut;
    if (!cut) return RV_OK;
    rv_far *f = rv_new(&s->allocator, 1, sizeof *f);
    if (!f) return RV_OUT_OF_MEMORY;
    s->far = f, f->cut = cut, f->due = true;
    f->early = all_have_inner(cut);
    find_peers(s, f);
    size_t n = (size_t)f->count;
    f->peers = rv_new(&s->allocator, n, sizeof *f->peers);
    f->out = rv_new(&s->allocator, n, sizeof *f->out);
    f->in = rv_new(&s->allocator, n, sizeof *f->in);
    if (!f->peers || !f->out || !f->in) return RV_OUT_OF_MEMORY;
    return rv_far_fit(s);
}

void rv_far_free(rv_engine *s)
{
    rv_far *f = s->far;
    if (!f) return;
    size_t n = (size_t)f->count;
    rv_free(&s->allocator, f->memory, f->bytes, 1);
    rv_free(&s->allocator, f->peers, n, sizeof *f->peers);
    rv_free(&s->allocator, f->out, n, sizeof *f->out);
    rv_free(&s->allocator, f->in, n, sizeof *f->in);
    rv_free(&s->allocator, f, 1, sizeof *f);
    s->far = NULL;
}

size_t rv_far_bytes(const rv_engine *s)
{
    return s->far ? sizeof *s->far + s->far->bytes +
                        (size_t)s->far->count * (sizeof *s->far->peers + 2 * sizeof *s->far->out)
                  : 0;
}

// ---- Rows ---------------------------------------------------------------------------------------

// To or from a message: `put` says which way.
static unsigned char *copy(unsigned char *at, void *data, size_t bytes, bool put)
{
    if (put)
        memcpy(at, data, bytes);
    else
        memcpy(data, at, bytes);
    return at + bytes;
}

static unsigned char *copy_known(rv_engine *s, uint32_t r, unsigned char *at, bool put)
{
    known k = {s->wet[r], s->tense ? s->tension->rested[r] : 0, s->row_most[r], s->row_pace[r],
               s->row_full[r]};
    at = copy(at, &k, sizeof k, put);
    if (put) return at;
    s->wet[r] = k.wet, s->row_most[r] = k.most, s->row_pace[r] = k.pace;
    s->row_full[r] = (uint8_t)k.full;
    if (s->tense) s->tension->rested[r] = k.rested;
    return at;
}

static unsigned char *copy_odd(rv_engine *s, int y, unsigned char *at, bool put)
{
    uint32_t first = s->odd_row[y], count = s->odd_row[y + 1] - first;
    at = copy(at, s->odd_flux + first, count * sizeof(float), put);
    return s->flow ? copy(at, s->odd_speed + first, count * sizeof(float), put) : at;
}

// All that a substep needs of some rows; returns how many bytes that is.
static size_t copy_rows(rv_engine *s, rv_rows rows, int odd_to, unsigned char *message, bool put)
{
    array arrays[ARRAYS_MOST];
    int n = arrays_of(s, arrays);
    unsigned char *at = message;
    for (int y = rows.from; y < rows.to; y++) {
        for (int p = 0; p < s->columns->planes; p++) {
            uint32_t r;
            if (!row_at(s, p, y, &r)) continue;
            at = copy_known(s, r, at, put);
            for (int k = 0; k < n; k++) {
                unsigned char *data = arrays[k].data;
                at = copy(at, data + s->row[r].first * arrays[k].item,
                          s->row[r].count * arrays[k].item, put);
            }
        }
        if (y < odd_to) at = copy_odd(s, y, at, put);
    }
    return (size_t)(at - message);
}

// How long a message of some rows is, which sender and receiver both know.
static size_t bytes_of_rows(const rv_engine *s, rv_rows rows, int odd_to)
{
    array arrays[ARRAYS_MOST];
    int n = arrays_of(s, arrays);
    size_t bytes = 0, item = 0;
    for (int k = 0; k < n; k++) item += arrays[k].item;
    for (int y = rows.from; y < rows.to; y++) {
        for (int p = 0; p < s->columns->planes; p++) {
            uint32_t r;
            if (row_at(s, p, y, &r)) bytes += sizeof(known) + s->row[r].count * item;
        }
        size_t odd = (s->odd_row[y + 1] - s->odd_row[y]) * sizeof(float);
        if (y < odd_to) bytes += s->flow ? 2 * odd : odd;
    }
    return bytes;
}

// The lists of messages to all peers and from them.
static void list_parts(rv_far *f, int *outs, int *ins)
{
    *outs = *ins = 0;
    for (int k = 0; k < f->count; k++) {
        const peer *p = &f->peers[k];
        if (p->put_bytes > 0) f->out[(*outs)++] = (rv_rank_part){p->rank, p->put, p->put_bytes};
        if (p->get_bytes > 0) f->in[(*ins)++] = (rv_rank_part){p->rank, p->get, p->get_bytes};
    }
}

static void swap(rv_far *f)
{
    int outs, ins;
    list_parts(f, &outs, &ins);
    rv_cut_swap(f->cut, f->out, outs, f->in, ins);
}

// ---- When they cross ----------------------------------------------------------------------------

void rv_far_stale(rv_engine *s)
{
    if (s->far) s->far->fresh = false, s->far->due = true;
}

void rv_far_swept(rv_engine *s)
{
    if (!s->far) return;
    s->far->fresh = s->far->arrived, s->far->due = true;
    s->far->arrived = false;
}

void rv_far_mended(rv_engine *s)
{
    if (s->far) s->far->arrived = s->far->fresh = false;
}

static void pack(rv_engine *s)
{
    rv_far *f = s->far;
    for (int k = 0; k < f->count; k++) {
        peer *p = &f->peers[k];
        p->put_bytes = copy_rows(s, p->out, p->out_odd, p->put, true);
        p->get_bytes = bytes_of_rows(s, p->in, p->in_odd);
    }
}

static void unpack(rv_engine *s)
{
    rv_far *f = s->far;
    for (int k = 0; k < f->count && !f->cut->lost; k++)
        copy_rows(s, f->peers[k].in, f->peers[k].in_odd, f->peers[k].get, false);
}

void rv_far_refresh(rv_engine *s)
{
    if (!s->far) return;
    pack(s);
    swap(s->far);
    unpack(s);
    s->far->fresh = true;
}

void rv_far_send(rv_engine *s)
{
    int outs, ins;
    pack(s);
    list_parts(s->far, &outs, &ins);
    s->far->cut->traffic.beside += s->far->early;
    rv_cut_start(s->far->cut, s->far->out, outs, s->far->in, ins);
}

void rv_far_arrive(rv_engine *s)
{
    rv_cut_finish(s->far->cut);
    unpack(s);
    s->far->arrived = true;
}

bool rv_far_inner(const rv_engine *s, rv_rows *rows)
{
    *rows = inner_of(s->far->cut, s->far->cut->ranks->rank);
    return s->far->early;
}

// ---- Shares of inflow ---------------------------------------------------------------------------

static size_t copy_shares(rv_engine *s, rv_rows rows, unsigned char *message, bool put)
{
    unsigned char *at = message;
    uint32_t r;
    for (int y = rows.from; y < rows.to; y++)
        for (int p = 0; p < s->columns->planes; p++)
            if (row_at(s, p, y, &r))
                at = copy(at, s->in_scale + s->row[r].first, s->row[r].count * sizeof(float), put);
    return (size_t)(at - message);
}

void rv_far_shares(rv_engine *s)
{
    rv_far *f = s->far;
    if (!f) return;
    for (int k = 0; k < f->count; k++) {
        peer *p = &f->peers[k];
        p->put_bytes = copy_shares(s, p->out, p->put, true);
        p->get_bytes = 0;
        for (int y = p->in.from; y < p->in.to; y++)
            for (int plane = 0; plane < s->columns->planes; plane++) {
                uint32_t r;
                if (row_at(s, plane, y, &r)) p->get_bytes += s->row[r].count * sizeof(float);
            }
    }
    swap(f);
    for (int k = 0; k < f->count && !f->cut->lost; k++)
        copy_shares(s, f->peers[k].in, f->peers[k].get, false);
}

// ---- How cells wet ------------------------------------------------------------------------------

void rv_far_affinity(rv_engine *s)
{
    rv_far *f = s->far;
    size_t nx = (size_t)s->columns->grid.nx;
    if (!f || !s->tension) return;
    for (int k = 0; k < f->count; k++) {
        peer *p = &f->peers[k];
        const unsigned char *from = s->tension->affinity;
        p->put_bytes = nx * (size_t)(p->out.to - p->out.from);
        p->get_bytes = nx * (size_t)(p->in.to - p->in.from);
        if (p->put_bytes > 0)
            memcpy(p->put, from + (size_t)(p->out.from - s->tension->cells.from) * nx,
                   p->put_bytes);
    }
    swap(f);
    for (int k = 0; k < f->count && !f->cut->lost; k++) {
        const peer *p = &f->peers[k];
        if (p->get_bytes > 0)
            memcpy(s->tension->affinity + (size_t)(p->in.from - s->tension->cells.from) * nx,
                   p->get, p->get_bytes);
    }
}

// ---- What sleeps --------------------------------------------------------------------------------

// Blocks of rows that their owners have woken are awake here too; true: some were not.
static size_t copy_asleep(rv_engine *s, rv_rows rows, unsigned char *message, bool put, bool *woke)
{
    unsigned char *at = message;
    uint32_t r;
    for (int y = rows.from; y < rows.to; y++)
        for (int p = 0; p < s->columns->planes; p++) {
            if (!row_at(s, p, y, &r)) continue;
            uint64_t bits = s->tension->asleep[r];
            at = copy(at, &bits, sizeof bits, put);
            if (put) continue;
            *woke = *woke || (s->tension->asleep[r] & ~bits);
            s->tension->asleep[r] &= bits;
        }
    return (size_t)(at - message);
}

bool rv_far_rouse(rv_engine *s)
{
    rv_far *f = s->far;
    bool woke = false;
    if (!f) return false;
    for (int k = 0; k < f->count; k++) {
        peer *p = &f->peers[k];
        p->put_bytes = copy_asleep(s, p->out, p->put, true, NULL);
        p->get_bytes = 0;
        for (int y = p->in.from; y < p->in.to; y++)
            for (int plane = 0; plane < s->columns->planes; plane++) {
                uint32_t r;
                if (row_at(s, plane, y, &r)) p->get_bytes += sizeof(uint64_t);
            }
    }
    swap(f);
    for (int k = 0; k < f->count && !f->cut->lost; k++)
        copy_asleep(s, f->peers[k].in, f->peers[k].get, false, &woke);
    return rv_cut_any(f->cut, woke);
}

// ---- What is agreed on --------------------------------------------------------------------------

bool rv_far_any(const rv_engine *s, bool own)
{
    return s->far ? rv_cut_any(s->far->cut, own) : own;
}

void rv_far_agree(rv_engine *s)
{
    if (!s->far) return;
    double most[2] = {s->deepest, s->pace};
    rv_cut_greatest(s->far->cut, most, 2);
    s->deepest = most[0], s->pace = most[1];
}

// Whether rows are stale may be so on one rank alone, so that is agreed on with the rest.
void rv_far_begin(rv_engine *s)
{
    rv_far *f = s->far;
    if (!f || !f->due) return;
    double most[3] = {s->deepest, s->pace, f->fresh ? 0 : 1};
    rv_cut_greatest(f->cut, most, 3);
    s->deepest = most[0], s->pace = most[1], f->due = false;
    if (most[2] > 0) rv_far_refresh(s);
}

bool rv_far_owns(const rv_engine *s, uint32_t r)
{
    return !s->far || rv_rows_have(s->far->cut->own, s->row[r].y);
}
