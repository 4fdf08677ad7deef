// What becomes of full columns and their pipes after the depths of a flooded substep, worked out on
// the card (rv_passages_levels in ../passages/): the processor, which sees none of these depths,
// does not wait for them. Which columns are still full comes along with what is read next.
#include "columns/card/card.h"

#include "columns/passages/passages.h"
#include "columns/tension.h"

#include <string.h>

#define COLUMN_WORDS 3u // slot, what it was, depth that it keeps
#define PIPE_WORDS 5u   // kind, index, both ends as one more than their places in the list, area

enum { WAS_FULL = 1, KEEPS = 2 }; // of a column
enum { REGULAR_PIPE, ODD_PIPE };  // of a pipe

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

// Unified passages: what goes in at one gate comes out at others, and full columns stay.
static void put_columns(const rv_engine *s, uint32_t *out)
{
    const rv_passage_work *w = s->passage;
    bool unified = s->params.pipes_passages == RV_PASSAGES_UNIFIED;
    for (uint32_t k = 0; k < w->count; k++) {
        bool keeps = unified && w->member[k];
        *out++ = w->slot[k];
        *out++ = (s->full[w->slot[k]] ? WAS_FULL : 0u) | (keeps ? KEEPS : 0u);
        *out++ = bits_of(keeps ? w->share[k] : 0.0f);
    }
}

// Words of pipes that are put together.
typedef struct pipes {
    uint32_t *words, count, room;
} pipes;

static bool put_pipe(const rv_engine *s, pipes *p, uint32_t kind, size_t index, uint32_t a,
                     uint32_t b)
{
    const rv_column_set *c = s->columns;
    const int32_t *at = s->passage->index;
    float opening = rv_f_min(c->max[a], c->max[b]) - rv_f_max(c->base[a], c->base[b]);
    if (p->count == p->room) return false;
    uint32_t *out = p->words + PIPE_WORDS * p->count++;
    out[0] = kind, out[1] = (uint32_t)index, out[2] = (uint32_t)(at[a] + 1);
    out[3] = (uint32_t)(at[b] + 1), out[4] = bits_of(s->law.width * opening);
    return true;
}

// A regular pipe between two that are listed is put by the lower one alone.
static bool put_pipes_of(const rv_engine *s, pipes *p, uint32_t i)
{
    ptrdiff_t pitch = rv_plane_of(s->columns, i)->pitch;
    bool fine = true;
    for (int way = 0; way < rv_ways(s) && fine; way++) {
        uint32_t step = (uint32_t)rv_way_step((rv_way)way, pitch);
        size_t at = (size_t)way * s->slots;
        if (s->slope[way][i - step] && s->passage->index[i - step] < 0)
            fine = put_pipe(s, p, REGULAR_PIPE, at + i - step, i - step, i);
        if (s->slope[way][i]) fine = fine && put_pipe(s, p, REGULAR_PIPE, at + i, i, i + step);
    }
    const rv_odd_column *column = rv_pipes_odd_column(s, i);
    for (uint32_t e = 0; column && e < column->count && fine; e++) {
        uint32_t pipe = s->odd_of[column->first + e].pipe;
        const rv_odd_pipe *odd = &s->odd[pipe];
        fine = put_pipe(s, p, ODD_PIPE, pipe, odd->a, odd->b == RV_NO_SLOT ? odd->a : odd->b);
    }
    return fine;
}

bool rv_card_put_ends(rv_engine *s, rv_card_block *out)
{
    const rv_passage_work *w = s->passage;
    uint32_t room, used = 2 + COLUMN_WORDS * w->count, *words = rv_card_room(s, &room);
    if (used > room || w->count > RV_CARD_LISTED) return false;
    pipes p = {words + used, 0, (room - used) / PIPE_WORDS};
    words[0] = w->count, words[1] = RV_ENDED_AT;
    put_columns(s, words + 2);
    for (uint32_t k = 0; s->flow && k < w->count; k++)
        if (!put_pipes_of(s, &p, w->slot[k])) return false;
    *out = rv_card_close_room(s, used + PIPE_WORDS * p.count);
    out->count = w->count + p.count;
    return true;
}

void rv_card_call_ended(rv_engine *s, rv_card_block block)
{
    rv_card_words *words = s->card->words;
    const rv_passage_work *w = s->passage;
    s->card->constants.list_at = RV_WORDS_AT + block.at;
    rv_card_call_few(s, "ended", s->tense ? RV_EASE_TENSE : 0, block.count);
    memcpy(words->ended, w->slot, w->count * sizeof *words->ended);
    words->ended_count = w->count;
}

bool rv_card_ask_ended(const rv_engine *s, rv_card_ask *out)
{
    rv_card_words *w = s->card->words;
    if (!w || w->ended_count == 0) return false;
    *out = (rv_card_ask){RV_AT_LIST, RV_ENDED_AT * sizeof *w->flag, w->flag,
                         w->ended_count * sizeof *w->flag};
    return true;
}

void rv_card_take_ended(rv_engine *s)
{
    rv_card_words *w = s->card->words;
    for (uint32_t k = 0; w && k < w->ended_count; k++) {
        uint32_t i = w->ended[k];
        s->full[i] = w->flag[k] != 0;
        if (!s->full[i]) s->head[i] = 0.0f;
    }
    if (w) w->flag_count = w->ended_count, w->ended_count = 0;
}
