// Columns that live on a graphics card (docs/card.md): the engine's arrays stand in buffers there,
// and a substep is a few kernels (kernels/) that do what the passes do (sweep.c), to the bit. The
// engine's own arrays are then a copy that is brought up to date when somebody looks
// (rv_card_pull), and sent back when somebody changed it (rv_card_push).
#ifndef RV_COLUMNS_CARD_CARD_H
#define RV_COLUMNS_CARD_CARD_H

#include "columns/columns.h"
#include "columns/passages/passages.h"

#include "rivulet/device.h"

// The text of a kernel, with what it includes; cmake puts them into the library.
typedef struct rv_kernel_text {
    const char *name, *text;
} rv_kernel_text;

extern const rv_kernel_text rv_kernel_texts[]; // ends with a NULL name

// Where kernels find the buffers, as in kernels/common.glsl.
typedef enum rv_card_binding {
    RV_AT_BEDS,      // base, max; with tension lean, advance, recede, full
    RV_AT_DEPTH,     //
    RV_AT_PIPES,     // pairs of 16 bits: slopes, rises; eight neighbours: diagonal slopes, gaps
    RV_AT_SPEED,     // by way
    RV_AT_NEW_SPEED, //
    RV_AT_FLUX,      // by way, as the last substep left them; and then as this one does
    RV_AT_NEW_FLUX,  // before they are scaled
    RV_AT_SCALES,    // of outflow, of inflow
    RV_AT_BITS,      // of blocks, pairs of words by row, see rv_card_bits
    RV_AT_STATUS,
    RV_AT_ODD,         // odd pipes
    RV_AT_ODD_COLUMNS, // 1 + the odd column of a slot; then these, then their entries
    RV_AT_ODD_FLOW,    // flux, speed, and both before the substep; then fluxes by substep
    RV_AT_PRESS,       // from outside; with tension heads, twice while smoothed, wetted, rest, full
    RV_AT_LIST,        // columns that somebody asks for
    RV_AT_ENDS,        // columns beside walls and edges, RV_END_WORDS each
    RV_CARD_BINDINGS,
    // In the place of the last one, in kernels of passages: heads and marks of full columns, by
    // slot; then what full.c has.
    RV_AT_FULL = RV_CARD_BINDINGS,
    RV_CARD_BUFFERS
} rv_card_binding;

// Which bits of blocks stand where. Those of wet ones stand there three times: before a substep,
// after it, and made ready for the one after that; those of awake ones for two substeps.
typedef enum rv_card_bits {
    RV_BITS_WET,
    RV_BITS_AWAKE = 3,
    RV_BITS_ASLEEP = 5,
    RV_BITS_RESTLESS,
    RV_CARD_BITS
} rv_card_bits;

// The constants of a call: law and sizes, as in kernels/common.glsl.
typedef struct rv_card_constants {
    uint32_t plane[2 * RV_LAYERS_MAX][4];
    uint32_t salts[4], band[4];
    float push, share, share_gap, kept;
    float drag, dt_area, film, fall;
    float quotient, carried, lead, courant;
    float width, second, reach, deepest;
    float fastest, bend, bend_side, gravity;
    float slant_x, slant_y, diagonal_share, diagonal_fall;
    float turned;
    uint32_t salt, slots, rows;
    uint32_t shift;
    uint32_t wet_at, next_at;
    uint32_t status_at;
    uint32_t pipes, columns, entries;
    uint32_t ways;
    uint32_t count;
    float top;
    uint32_t last_at;
    float pace_most, deep_most, steepest;
    float stiff, stiff_thin, thin, drag_pace;
    float draw, draw_side, damp;
    float calm[4];
    float length2, per, quarter, curve_bend, curve_thin;
    float per_half;
    float rest_slow, rest_drive, rest_residue, patience;
    uint32_t calm_pass;
    uint32_t ends;
    uint32_t clear_at;
    uint32_t awake_at, before_at;
    uint32_t planes;
    uint32_t list_at;
    uint32_t heads_at;
    uint32_t rounds_most;
    float border_level[4];
    // of passages, as kernels/full_pipes.glsl names them
    double push_all, gap_drag, pipe_reach, share_axial, share_diagonal, dx;
    double per_depth, allowed, flux_allowed, passage_drag;
} rv_card_constants;

#define RV_ODD_WORDS 8u // of an odd pipe
#define RV_END_WORDS 21u
#define RV_STATUS_WORDS 8u
enum {
    RV_STATUS_MOST,
    RV_STATUS_PACE,
    RV_STATUS_NOT_FINITE,
    RV_STATUS_CUT_IN,
    RV_STATUS_FULL,
    RV_STATUS_HALT,
    RV_STATUS_ROUSED, // something that sleeps must wake
    RV_STATUS_LATER   // what comes after the substep is to be done here
};

// A substep that was asked for and not looked at yet, and the clock before it.
#define RV_AHEAD 64
typedef struct rv_card_ahead {
    double dt, span;
    uint32_t substeps;
    float last;
    bool parted;
    bool part;  // of a substep that was divided
    int times;  // so many, from this one on, are one call; 0: it is of the call of one before
    float deep; // depth that those before the last of a call must not pass
    bool rests; // columns at rest were counted after it
    int later;  // 1 + the number of what the world asked for after it; 0: nothing
} rv_card_ahead;

// Kernels that were made so far, by what they are made for.
#define RV_CARD_KERNELS 96
typedef struct rv_card_kernel {
    const char *name;
    unsigned ease;
    rv_device_kernel *kernel;
} rv_card_kernel;

// What a kernel is made for: words that its text asks about.
enum {
    RV_EASE_FLOW = 1,
    RV_EASE_EIGHT = 2,
    RV_EASE_PLAIN = 4,
    RV_EASE_PRESSED = 8,
    RV_EASE_TILTED = 16,
    RV_EASE_HARD = 32,
    RV_EASE_CARRIES = 64,
    RV_EASE_TRACED = 128,
    RV_EASE_TIMED = 256,
    RV_EASE_LIMITED = 512,
    RV_EASE_PARTED = 1024,
    RV_EASE_ODD = 2048,
    RV_EASE_CEILINGS = 4096,
    RV_EASE_TENSE = 8192,
    RV_EASE_FIRST = 16384,
    RV_EASE_LAST = 32768,
    RV_EASE_TWIN = 65536, // new depths stand beside the old ones
    RV_EASE_SETTLED = 131072,
    RV_EASE_PLACES = 262144,
    RV_EASE_WAKES = 524288,  // the first kernel of a substep finds out which blocks work
    RV_EASE_TWICE = 1048576, // two substeps a call
    RV_EASE_STOPS = 2097152, // the first kernel over the grid stops what falls asleep
    RV_EASE_ENDS = 4194304,
    RV_EASE_MANY = 8388608,      // columns: groups look first whether they work
    RV_EASE_PASSAGES = 16777216, // passages are the card's
    RV_EASE_KEEPS = 33554432,    // and members of them keep their depths
    RV_EASE_DOUBLES = 67108864,  // the card has them
    RV_EASES = 27
};

// Substeps that one call may be.
#define RV_CARD_TIMES 4

#define RV_CARD_DIRTY 8192
#define RV_CARD_FEW 16384 // columns that are gathered at a time; for more all are brought
#define RV_FEW_WORDS 8u   // of an answer: depth, velocities around, rest, fluxes
#define RV_FEW_AT 65536u  // where they are named in the list, by slot and pitch
#define RV_FEW_ANSWERS (RV_FEW_AT + 2 * RV_CARD_FEW) // and answered

#define RV_ENDED_AT (RV_FEW_ANSWERS + RV_FEW_WORDS * RV_CARD_FEW) // full after a flooded substep

// What the world asks for after substeps (later.c), as words of the list: in the order that
// kernels/later.glsl knows.
#define RV_LATER_AT (RV_ENDED_AT + RV_CARD_LISTED)
#define RV_LATER_GIVING 16    // sources at a time
#define RV_LATER_COLUMNS 1024 // of all of them
#define RV_LATER_FALLS 8192   // pipes over edges, and what is told of them
typedef enum rv_card_later_place {
    RV_LATER_UNDER_COUNT = 1, // after how many give
    RV_LATER_AREA = 2,
    RV_LATER_DROP = 4,
    RV_LATER_TIME = 6,
    RV_LATER_FALL_COUNT = 8,
    RV_LATER_ANEW = 9, // the first after all was known: what fell is counted from 0 on
    RV_LATER_VOLUME = 10,
    RV_LATER_OWED = RV_LATER_VOLUME + 2 * RV_LATER_GIVING,
    RV_LATER_SWALLOWED = RV_LATER_OWED + 2 * RV_LATER_GIVING,
    RV_LATER_SPAN = RV_LATER_SWALLOWED + 2 * RV_LATER_GIVING,
    RV_LATER_COLUMN = RV_LATER_SPAN + 2 * RV_LATER_GIVING,
    RV_LATER_UNDER = RV_LATER_COLUMN + 4 * RV_LATER_COLUMNS,
    RV_LATER_FALL = RV_LATER_UNDER + 7 * RV_LATER_FALLS,
    RV_LATER_SITE = RV_LATER_FALL + 4 * RV_LATER_FALLS,
    RV_LATER_LOG = RV_LATER_SITE + RV_LATER_FALLS,
    RV_LATER_FELL_COUNT = RV_LATER_LOG + 2 * RV_LATER_GIVING * RV_AHEAD,
    RV_LATER_FELL = RV_LATER_FELL_COUNT + 1,
    RV_LATER_WORDS = RV_LATER_FELL + 4 * RV_LATER_FALLS
} rv_card_later_place;

#define RV_WORDS_AT (RV_LATER_AT + RV_LATER_WORDS) // where blocks of words.c stand
#define RV_WORDS_ROOM (8 * RV_CARD_WORDS)

// What inflow borders give and drains take (exchange.c), as words of the list.
#define RV_TRADE_AT (RV_WORDS_AT + RV_WORDS_ROOM)
#define RV_TRADE_DRAINS 8 // at a time
#define RV_TRADE_CELLS 4096
#define RV_TRADE_COLUMNS 16384 // of all of them
#define RV_TRADE_LOG_WORDS (2 + 4 * RV_TRADE_DRAINS)
typedef enum rv_card_trade_place {
    RV_TRADE_CELL_COUNT = 1, // after how many drains
    RV_TRADE_AREA = 2,
    RV_TRADE_FRESH = 4,
    RV_TRADE_OWED = 6,
    RV_TRADE_TIME = 8,
    RV_TRADE_SWALLOWED = 10,
    RV_TRADE_SCALE = 12,
    RV_TRADE_VOLUME = 16, // of drains
    RV_TRADE_DRAIN_OWED = RV_TRADE_VOLUME + 2 * RV_TRADE_DRAINS,
    RV_TRADE_DRAIN_SCALE = RV_TRADE_DRAIN_OWED + 2 * RV_TRADE_DRAINS,
    RV_TRADE_SPAN = RV_TRADE_DRAIN_SCALE + 2 * RV_TRADE_DRAINS,
    RV_TRADE_LOG = RV_TRADE_SPAN + 2 * RV_TRADE_DRAINS,
    RV_TRADE_CELL = RV_TRADE_LOG + RV_TRADE_LOG_WORDS * RV_AHEAD,
    RV_TRADE_WAS = RV_TRADE_CELL + 4 * RV_TRADE_CELLS,
    RV_TRADE_COLUMN = RV_TRADE_WAS + 2 * RV_TRADE_CELLS,
    RV_TRADE_WORDS = RV_TRADE_COLUMN + 4 * RV_TRADE_COLUMNS
} rv_card_trade_place;

typedef struct rv_card_trade_work {
    uint32_t word[RV_TRADE_WORDS]; // as the card has them, but for what is owed
    uint32_t log[RV_TRADE_LOG_WORDS * RV_AHEAD];
    bool sent; // columns are
    int drains, cells;
} rv_card_trade_work;

// A pipe that liquid may fall through, and where its flux stands.
typedef struct rv_card_fall {
    rv_fall fall; // but for its volume
    uint32_t pipe;
} rv_card_fall;

typedef struct rv_card_later {
    uint32_t word[RV_LATER_LOG]; // as the card has them, but for what is owed after some substeps
    bool sent;                   // it has them
    uint64_t changes;            // of the columns, when they were put together
    rv_card_fall fall[RV_LATER_FALLS];
    uint32_t fall_count;
    uint32_t log[RV_LATER_WORDS - RV_LATER_LOG]; // what came of them, and of what fell
    uint32_t fell_count, fell_read;              // of these there are, and were read with the rest
    rv_fallen told[RV_LATER_FALLS];
    int pending; // asked for, and it is not known what came of them
    int shy;     // flooded substeps after which nothing is asked for: it could not be done
    rv_later asked;
} rv_card_later;

// Full columns of substeps whose passages are worked out there (full.c): what comes back, as words
// of RV_AT_FULL after heads and marks, and where lists begin.
#define RV_FULL_LISTED 4096u // columns at a time
typedef enum rv_card_full_place {
    RV_FULL_TOLD_COUNT = 4,
    RV_FULL_ROUNDS,
    RV_FULL_GROUPS,
    RV_FULL_TOLD = 8, // slot, flag, head
    RV_FULL_LIST = RV_FULL_TOLD + 3 * RV_FULL_LISTED,
    RV_FULL_CUT = RV_FULL_LIST + RV_FULL_LISTED,
    RV_FULL_PIPES = RV_FULL_CUT + 3 * RV_FULL_LISTED,
    // of pressure 10 words for each of a column's pipes, and one; of unified passages pipes, gates
    // and groups; of those along axes two times 11 words a column
    RV_FULL_PRESSURE = (10 * 24 + 1) * RV_PLAIN_MOST,
    RV_FULL_UNIFIED = 2 + 2 * 16384 + (12 + 10) * RV_FULL_LISTED,
    RV_FULL_WORDS = RV_FULL_PIPES + RV_FULL_UNIFIED
} rv_card_full_place;

typedef struct rv_card_full {
    uint32_t told[RV_FULL_LIST];
    uint32_t slot[RV_FULL_LISTED], count; // that are full, by the last time it was told …
    bool known;                           // … if there are no others here
    uint32_t rounds;                      // of all solutions that are counted
    uint32_t expected;                    // how many there may be
} rv_card_full;

// Columns that somebody looks at between substeps.
typedef struct rv_card_few {
    uint32_t named[2 * RV_CARD_FEW], count;
    uint32_t sent[2 * RV_CARD_FEW], sent_count; // as the card has them
    uint32_t answer[RV_FEW_WORDS * RV_CARD_FEW];
    // Those that were asked for since the last substep; and after the one before, which are brought
    // along with the first that is asked for.
    uint32_t asked[RV_CARD_FEW], asked_count;
    uint32_t habit[RV_CARD_FEW], habit_count;
    size_t low[RV_CARD_FEW]; // lower ends of odd pipes
} rv_card_few;

// What is read together.
#define RV_CARD_ASKS 16
typedef struct rv_card_ask {
    rv_card_binding from;
    size_t at;
    void *data;
    size_t bytes;
} rv_card_ask;

// The same while nobody waits.
typedef struct rv_card_awaited {
    bool there;
    rv_card_ask asks[RV_CARD_ASKS];
    rv_device_ticket ticket[RV_CARD_ASKS];
    int count, asked;
} rv_card_awaited;

// Words that cross one by one: of which buffer, and where they stand here. The first few kinds, in
// the order that kernels/pick.glsl knows.
typedef enum rv_card_kind {
    RV_WORD_DEPTH,
    RV_WORD_PRESS,
    RV_WORD_FLUX,
    RV_WORD_NEW_FLUX,
    RV_WORD_SCALES,
    RV_WORD_ODD,
    RV_WORD_SPEED,
    RV_WORD_STATUS
} rv_card_kind;

#define RV_CARD_WORDS 16384  // at a time
#define RV_CARD_LISTED 16384 // columns that are listed at once
#define RV_LISTED_FIRST 255u // of these, that are read together with how many there are

// Words that cross together, which may be sent with others: where they stand, and how many.
typedef struct rv_card_block {
    uint32_t at, count;
} rv_card_block;

// Columns that were listed lately, sorted, and how many substeps ago.
typedef struct rv_card_lately {
    uint32_t slot[RV_CARD_LISTED], count;
    uint8_t age[RV_CARD_LISTED];
} rv_card_lately;

typedef struct rv_card_words {
    float *at[RV_CARD_WORDS];     // of the block that is put together, or that an answer is for
    uint32_t sent[RV_WORDS_ROOM]; // blocks since the last were sent
    uint32_t used, count;         // words of whole blocks; words named in the next one
    bool places;                  // to the card, not from it
    bool holds, over;             // words wait for what comes before them; there are too many
    uint32_t heard[1 + RV_LISTED_FIRST + RV_CARD_WORDS];
    rv_device_ticket ticket;                            // of a list that was asked for,
    bool asked;                                         // if one was
    uint32_t near[RV_CARD_LISTED], cut[RV_CARD_LISTED]; // columns that are nearly full; and those
    uint32_t near_count, cut_count;                     // that cannot take all of their inflow
    uint32_t others[RV_CARD_LISTED];
    rv_card_lately nearly, limited, before;      // these, lately; and room
    uint32_t ended[RV_CARD_LISTED], ended_count; // of whose flags an answer is on its way
    uint32_t flag[RV_CARD_LISTED], flag_count;   // as the card has them
    uint32_t *named,
        named_now;      // by slot, in these words: 32 times the number of the last time, and
    size_t named_count; // bits for it and its pipes by way
    float flags[2];     // no, yes
} rv_card_words;

// What a buffer holds, and which words of it are known; NULL: none.
typedef struct rv_card_mirror_of {
    uint32_t *word;
    uint8_t *known;
    size_t count;
} rv_card_mirror_of;

struct rv_card {
    const rv_device *device;
    rv_device_buffer *buffer[RV_CARD_BUFFERS];
    size_t bytes[RV_CARD_BUFFERS];
    // A second buffer of depths, for substeps in which shares and depths are found at once; NULL:
    // there are none, because of odd pipes or eight neighbours.
    rv_device_buffer *twin;
    size_t twin_bytes;
    bool twin_fresh;  // it has the depths of columns that are not awake
    bool at_once;     // so are those under way
    bool whole;       // and fluxes with them
    bool speeds_stay; // velocities that are left go where the last ones were
    rv_card_kernel kernel[RV_CARD_KERNELS];
    int kernel_count;
    bool making; // kernels only: nothing is called
    bool asking; // … and a word ahead of it to the driver
    rv_card_constants constants;
    uint32_t groups[3], tiles[3]; // of 64 by 4 columns, of 32 by 8
    uint32_t wide, high;          // columns and rows of the largest planes
    uint32_t turns;               // calls so far, of six: which bits are those of now
    bool host_fresh;              // the engine's arrays are as those on the card, or newer
    bool card_fresh;              // those on the card are as the engine's, or newer
    bool beds_fresh;              // columns and pipes there are as the engine's
    bool press_fresh;
    bool rows_fresh;  // what the engine knows of its rows is as the arrays are
    uint64_t *asleep; // by row: blocks that sleep, as the card knows them
    uint32_t asleep_count;
    rv_card_ahead ahead[RV_AHEAD];
    int ahead_count;
    int waiting;                           // the last of these are to be one call, not made yet
    rv_card_constants waiting_constants;   // but for what differs from one to the next
    uint32_t waiting_salts[RV_CARD_TIMES]; // their own
    unsigned waiting_ease;
    bool flushing;     // that call is being made
    bool divided;      // substeps are parts of one, which is not to be divided again
    bool one_by_one;   // none is to be asked for ahead
    bool full;         // a column was nearly full after the last substep there
    uint32_t *pack;    // room to put pairs together
    size_t pack_count; // words
    // Columns that were looked at since the last substep have the present stamp; those whose depths
    // were changed here.
    uint32_t *stamp, stamp_now;
    size_t stamp_count; // then as many for those that were asked for
    rv_card_few *few;   // NULL: not yet
    bool few_turned;    // there was a substep since somebody asked
    bool wants_odd;     // somebody looks at odd pipes after substeps
    bool wants_odd_speed;
    bool odd_fresh;       // their fluxes here are those of now
    bool odd_speed_fresh; // and their velocities
    bool odd_kept;        // those of the last substep are beside them on the card
    bool wet_fresh;       // and so are bits of wet blocks
    bool depths_fresh;    // and so are depths
    uint32_t *answers;    // room for words of rows and odd pipes
    size_t answer_count;
    uint32_t dirty[RV_CARD_DIRTY], dirty_count;
    uint32_t pushed[RV_CARD_DIRTY], pushed_count; // columns whose pipes were changed here
    rv_rect stirred;                              // cells whose columns are at rest no more
    rv_rect press_sent; // cells outside of which the card's heads from outside are 0 …
    bool press_known;   // … if that is so
    rv_card_mirror_of mirror[RV_CARD_BUFFERS];
    bool state_known;          // some of it by these
    rv_card_words *words;      // room for words that cross one by one; NULL: not yet
    rv_card_later *later;      // NULL: nothing was asked for yet
    rv_card_trade_work *trade; // NULL: nothing was asked for yet
    rv_card_full *full_work;
    bool passing;    // passages of the substeps that are asked for are worked out there
    bool full_fresh; // flags and heads there are those of now
    bool full_none;  // there are none, for so many slots
    size_t full_slots;
    int leave_out; // substeps in which they are the processor's: they were more than the card does
    int joined;    // steps in which deep columns are taken to be joined by odd pipes
    rv_card_watcher watcher; // without `ask`: nobody
    uint64_t version;        // of depths and fluxes
    rv_card_awaited scan;    // of all columns, that is not known yet
    uint32_t scanned[RV_STATUS_WORDS];
    bool rested_fresh; // which blocks are wet and restless now is known, in `answers`
    bool untold;       // what came of the last substep was asked for, and is not known yet
    uint32_t told_at;  // which words of the status are about it: the first, or the second
    uint32_t place;    // those of a flooded substep, and whether it is asked for before it is
    bool follows;      // known what came of the one before it
    bool halted;       // and the card has left it out
    bool flooding;     // in a substep in which passages have a say: arrays here are not whole
    rv_result trouble; // the first there was
    rv_messages said;  // and what was said of it
    // The clock and totals when the engine's arrays were last brought up to date: where the
    // processor goes on from when the card fails.
    float *kept_depth; // depths then, if some were brought since; NULL: there were none yet
    size_t kept_count;
    bool kept_whole; // they are such
    uint32_t kept_substeps;
    float kept_rate, kept_last;
};

// card.c
// Opens what is needed; RV_BAD_ARGUMENT and a message where the card cannot do what the engine
// asks.
rv_result rv_card_open(rv_engine *s, const rv_device *device, rv_messages *messages);
void rv_card_close(rv_engine *s);
size_t rv_card_bytes(const rv_engine *s); // on the card
bool rv_card_fit(rv_engine *s); // buffers as large as the arrays are now; false: the card failed

// state.c
void rv_card_pull(rv_engine *s);  // the engine's arrays are up to date then
void rv_card_stale(rv_engine *s); // they were changed
void rv_card_stale_beds(rv_engine *s);
bool rv_card_push(rv_engine *s); // what was changed; false: the card failed
void rv_card_fail(rv_engine *s, rv_result why);
void rv_card_copy_fluxes(rv_engine *s); // to the others, with velocities
void rv_card_keep(rv_engine *s);        // the arrays here are those of this time
bool rv_card_keep_depths(rv_engine *s); // before some depths are brought; false: no memory
bool rv_card_send(rv_engine *s, rv_card_binding to, size_t at, const void *data, size_t bytes);
bool rv_card_fetch(rv_engine *s, rv_card_binding from, size_t at, void *data, size_t bytes);
void rv_card_send_awake(rv_engine *s); // all blocks, and none is wet
void rv_card_send_bits(rv_engine *s, uint32_t place, const uint64_t *bits, bool all);
void rv_card_take_bits(rv_engine *s, uint32_t place, uint64_t *bits);
void rv_card_put_bits(const rv_engine *s, const uint32_t *words, uint64_t *bits);
// Places of bits: wet before the substep, so many later; awake in it, and in the one before.
static inline uint32_t rv_card_wet_place(const rv_card *c, uint32_t later)
{
    return RV_BITS_WET + (c->turns + later) % 3;
}

static inline uint32_t rv_card_awake_place(const rv_card *c, uint32_t before)
{
    return RV_BITS_AWAKE + (c->turns + before) % 2;
}

rv_result rv_card_trouble(rv_engine *s); // that there was since the last time it was asked
bool rv_card_lend(rv_engine *s, rv_card_liquid *out); // to who draws it; false: there is no card
void rv_card_watch(rv_engine *s, rv_card_watcher watcher);
void rv_card_call_watcher(rv_engine *s); // what it asks for stands before what is waited for next

// mirror.c: what the card has, as far as it is known here, so that only what is other crosses.
void rv_card_mirror(rv_engine *s, rv_card_binding of, size_t at, const void *data, size_t bytes);
void rv_card_mirror_state(rv_engine *s); // the engine's arrays are what the card has
void rv_card_forget_state(rv_engine *s); // a kernel changed it
void rv_card_forget_mirror(rv_engine *s, rv_card_binding of, size_t at, size_t bytes);
bool rv_card_send_changed(rv_engine *s, rv_card_binding to, size_t at, const void *data,
                          size_t bytes);
void rv_card_free_mirrors(rv_engine *s);

// few.c
// These columns' depths, and the velocities around them, are up to date here. false: they are not,
// and all must be brought.
bool rv_card_look(rv_engine *s, const size_t *slots, int count);
bool rv_card_look_depths(rv_engine *s); // the same for all depths, and nothing else
bool rv_card_trade(rv_engine *s, rv_entry *entries,
                   int count);                             // rv_pipes_exchange; false: it was not
bool rv_card_stir(rv_engine *s, const rv_solver_rod *rod); // false: it was not
// rv_pipes_falls can be called: odd pipes and what is under them are up to date. false: as above.
bool rv_card_look_falls(rv_engine *s, double drop);
// What was looked at after the last substep of the last step, as words that are read with others;
// false: there is nothing. And when they came: then it need not be waited for.
bool rv_card_ask_habit(rv_engine *s, rv_card_ask *out);
void rv_card_take_habit(rv_engine *s, bool good);
void rv_card_push_few(rv_engine *s);
void rv_card_forget_few(rv_engine *s);
void rv_card_free_few(rv_engine *s);
bool rv_card_scan(rv_engine *s); // rv_pipes_scan, there, if only asked for; false: it was not

// several.c: substeps of law `cell`, of which several are one call.
bool rv_card_takes_several(const rv_engine *s);
void rv_card_wait(rv_engine *s);         // with the substep that is the last one ahead
void rv_card_flush(rv_engine *s);        // makes the call of those that wait
void rv_card_make_several(rv_engine *s); // its kernels
int rv_card_calls(const rv_card *c, int first, int count); // of these substeps ahead
void rv_card_undo_several(rv_engine *s);                   // after the turns of its call

// step.c
void rv_card_fill_law(const rv_engine *s, rv_card_constants *c);
void rv_card_fill_places(const rv_engine *s, rv_card_constants *c);
void rv_card_set_constants(rv_engine *s, int k); // of the substep that is the k-th to be looked at
void rv_card_turn(rv_engine *s, int times, bool back);
unsigned rv_card_flux_ease(const rv_engine *s);
void rv_card_call_few(rv_engine *s, const char *name, unsigned ease, uint32_t count);
void rv_card_call_listed(rv_engine *s, bool cut, rv_card_block block); // kernel `listed`
void rv_card_look_at_rows(rv_engine *s);
void rv_card_call_grid(rv_engine *s, const char *name, unsigned ease, const uint32_t groups[3]);
unsigned rv_card_common_ease(const rv_engine *s);
void rv_card_call_all(rv_engine *s, const char *name, unsigned ease); // between substeps
void rv_card_call_after(rv_engine *s, const char *name, unsigned ease, const uint32_t groups[3]);
// One substep, with the law as it is set. false: as several, and the clock has gone on.
bool rv_card_advance(rv_engine *s);
// The same stage by stage, for flooded.c.
typedef enum rv_card_stage {
    RV_STAGE_AWAKE,
    RV_STAGE_FLUXES,
    RV_STAGE_SCALES,
    RV_STAGE_FINISH, // scaled fluxes and depths at once, as in other substeps
    RV_STAGE_SETTLE, // or scaled fluxes
    RV_STAGE_LEVELS  // and then depths
} rv_card_stage;
void rv_card_relax_all(rv_engine *s); // shares of inflow, with all columns brought
bool rv_card_begin_substep(rv_engine *s);
void rv_card_call_stage(rv_engine *s, rv_card_stage stage);
void rv_card_end_substep(rv_engine *s);
void rv_card_call_levels(rv_engine *s); // depths of a substep whose shares were worked out here

// settle.c
bool rv_card_read(rv_engine *s, rv_card_binding from, size_t at, void *data, size_t bytes);
bool rv_card_read_all(rv_engine *s, const rv_card_ask *asks, int count); // in one wait
void rv_card_send_zeros(rv_engine *s); // the words of the first substeps
void rv_card_read_later(rv_engine *s, rv_card_awaited *a);
bool rv_card_collect(rv_engine *s, rv_card_awaited *a); // waits for it
// The greatest depth and pace of all columns, and what may sleep, asked for; and known, if somebody
// asked. false: the card failed.
void rv_card_begin_scan(rv_engine *s);
bool rv_card_end_scan(rv_engine *s);
void rv_card_look_again(rv_engine *s); // the greatest depth and pace of what does not sleep
// The greatest depth and pace, and wet blocks besides those that are known to be, when somebody
// settles; `zero`: the words of the status are.
void rv_card_tell_later(rv_engine *s, bool zero);
// What went through borders in the first `count` substeps that were asked for; it stands there from
// `first` on.
void rv_card_count_borders(rv_engine *s, int first, int count);
void rv_card_add_listed(const uint32_t groups[3], uint32_t count, uint32_t out[3]);
// Dispatches are what takes long; else there are so many groups that a kernel should do one thing,
// and a thread more of it.
static inline bool rv_card_is_small(const rv_engine *s)
{
    return s->slots < 150000;
}

// Where odd pipes stand before they are scaled, in words.
static inline size_t rv_card_raw_odd(const rv_engine *s)
{
    return (4 + RV_AHEAD) * (size_t)s->odd_count;
}

// And those that borders are counted by.
static inline size_t rv_card_told_odd(const rv_engine *s)
{
    return 4 * (size_t)s->odd_count;
}

// Whether substeps are under way whose results are not known yet.
static inline bool rv_card_is_ahead(const rv_engine *s)
{
    return s->card && s->card->ahead_count > 0;
}

// The last of these, or a flooded one, of which it is not known either; NULL: there is none.
static inline rv_card_ahead *rv_card_last(rv_card *c)
{
    return c->ahead_count > 0 ? &c->ahead[c->ahead_count - 1] : c->untold ? c->ahead : NULL;
}

void rv_card_settle(rv_engine *s);          // waits for all that was asked for
void rv_card_settle_substeps(rv_engine *s); // but for a scan
bool rv_card_goes_on(const rv_engine *s);   // flooded.c: the next need not wait for the last
// What came of the last substep, before the next is divided.
static inline void rv_card_hear(rv_engine *s)
{
    if (s->card && s->card->untold && !rv_card_goes_on(s)) rv_card_settle(s);
}

void rv_card_check(rv_engine *s); // after a substep: waits for it where it must be known
// Settles, and reads besides, in one wait; false: those substeps were not all done as they were
// asked for, and what was read is of before.
bool rv_card_settle_and(rv_engine *s, const rv_card_ask *asks, int count);
// `meanwhile` is called before it waits.
bool rv_card_settle_while(rv_engine *s, const rv_card_ask *asks, int count,
                          void (*meanwhile)(rv_engine *s));
void rv_card_make_kernels(rv_engine *s);

// later.c: what the world asks for after a substep.
bool rv_card_later_too(rv_engine *s, const rv_later *what);   // false: it is to be done here
void rv_card_end_step(rv_engine *s);                          // settles, and knows what may sleep
void rv_card_begin_step(rv_engine *s);                        // the same, of the step before
int rv_card_ask_later(const rv_engine *s, rv_card_ask *asks); // how many, two at most
// Of the first substeps that were asked for, by their words; the first of these are `first`.
void rv_card_took(rv_engine *s, uint32_t (*status)[RV_STATUS_WORDS], int first, int count);
// What was asked for after a substep, here; `fell`: what falls was taken.
rv_later_done rv_card_later_done(const uint32_t status[RV_STATUS_WORDS]);
unsigned rv_card_later_ease(const rv_engine *s); // of its kernel
void rv_card_do_later(rv_engine *s, int later, rv_later_done done);
void rv_card_free_later(rv_engine *s);
void rv_card_put_double(uint32_t *out, double value); // two words
double rv_card_double_at(const uint32_t *in);
void rv_card_put_column(const rv_engine *s, uint32_t slot, uint32_t out[4]);

// exchange.c: inflow borders and drains, with what is asked for later.
bool rv_card_put_trade(rv_engine *s, const rv_later *what); // false: it is to be done here
void rv_card_call_trade(rv_engine *s);
bool rv_card_ask_trade(const rv_engine *s, size_t substeps, rv_card_ask *out);
void rv_card_tell_trade(const rv_card *c, int substep, rv_later_told *out, double *taken,
                        double *owed);
void rv_card_free_trade(rv_engine *s);

// tension.c: surface tension and what sleeps.
bool rv_card_fit_tension(rv_engine *s); // room for what is kept here; false: there is none
void rv_card_free_tension(rv_engine *s);
void rv_card_send_surveyed(rv_engine *s); // what beds and walls are
void rv_card_send_tension(rv_engine *s);  // the state
int rv_card_ask_tension(rv_engine *s, rv_card_ask *asks);
void rv_card_take_tension(rv_engine *s);
void rv_card_mirror_tension(rv_engine *s);
void rv_card_send_asleep(rv_engine *s); // if others sleep than the card knows
void rv_card_set_tension(rv_engine *s, rv_card_constants *c);
void rv_card_make_tension(rv_engine *s); // its kernels
// The kernels that give columns their heads; the depth up to which these are all that there are.
void rv_card_call_heads(rv_engine *s, unsigned common);
float rv_card_calm_most(const rv_engine *s);
void rv_card_call_rouse(rv_engine *s, unsigned common);
// In the places of rest.c: false: the engine's arrays are those that count, and it does it itself.
bool rv_card_find_rested(rv_engine *s);
bool rv_card_take_over(rv_engine *s);        // others sleep than before
bool rv_card_knows_rows(const rv_engine *s); // the greatest depths of rows, and their paces
bool rv_card_watches(rv_engine *s);          // the card does, while substeps are under way
bool rv_card_count_rest(rv_engine *s);
// Which blocks are restless: as words that are read with others, two of them; and when they came.
int rv_card_ask_rested(rv_engine *s, rv_card_ask *asks);
// What is pressed on in these cells, or was, is at rest no more; false: all must be brought.
bool rv_card_stirs(rv_engine *s, rv_rect before, rv_rect now);
void rv_card_push_stirred(rv_engine *s);

// words.c: words from here and there, and lists of columns.
bool rv_card_begin_words(rv_engine *s, bool places); // false: no memory
void rv_card_word(rv_engine *s, rv_card_kind kind, size_t index, float *at);
void rv_card_end_words(rv_engine *s);
// The same in parts, so that several blocks are sent at once: what was named is a block; all blocks
// go to the card; its words are put where they belong, or picked. What others put together stands
// at rv_card_room.
rv_card_block rv_card_close_words(rv_engine *s);
uint32_t *rv_card_room(rv_engine *s, uint32_t *words); // how many there is room for
rv_card_block rv_card_close_room(rv_engine *s, uint32_t words);
void rv_card_send_words(rv_engine *s);
void rv_card_call_words(rv_engine *s, rv_card_block block, bool places);
// Slots that the card lists, sorted; words of the block cross in the same wait. First it is asked,
// then waited for. false: they are too many, or the card failed.
void rv_card_ask_list(rv_engine *s, bool cut, rv_card_block block);
bool rv_card_take_list(rv_engine *s, bool cut, rv_card_block block);
void rv_card_forget_named(rv_engine *s); // none of these words was named
void rv_card_free_words(rv_engine *s);

// flooded.c
// One substep in which passages may have a say.
typedef enum rv_card_flooded {
    RV_FLOODED,      // done
    RV_FLOODED_NOT,  // not done, and nothing was changed: there are too many full columns
    RV_FLOODED_AGAIN // the same: the one before came out otherwise than was counted on
} rv_card_flooded;
rv_card_flooded rv_card_advance_flooded(rv_engine *s);
// Whether passages change nothing between scaled fluxes and depths. Where some blocks sleep they
// do: what they set there is not scaled.
bool rv_card_leaves_fluxes(const rv_engine *s);
bool rv_card_relax(
    rv_engine *s); // shares of inflow, of columns that the card lists; false: too many

// full.c: passages that are worked out there, without the processor.
bool rv_card_has_full(const rv_engine *s); // the card can do it, and this world may have some
bool rv_card_takes_passages(const rv_engine *s);
bool rv_card_choose_passing(rv_engine *s); // for the substeps that are asked for from now on
void rv_card_fill_full(const rv_engine *s, rv_card_constants *c);
typedef enum rv_card_full_stage {
    RV_FULL_LISTS,
    RV_FULL_HEADS,  // after the fluxes of ordinary pipes
    RV_FULL_SHARES, // after the shares
    RV_FULL_LAST,   // after fluxes were scaled, where passages set them once more
    RV_FULL_END     // after the depths
} rv_card_full_stage;
void rv_card_call_full(rv_engine *s, rv_card_full_stage stage);
void rv_card_make_full(rv_engine *s);
void rv_card_send_full(rv_engine *s); // flags and heads
bool rv_card_ask_full(const rv_engine *s, rv_card_ask *out);
void rv_card_take_full(rv_engine *s);
void rv_card_check_full(rv_engine *s); // depths here are new: what is full no more
void rv_card_left_out(rv_engine *s);
void rv_card_free_full(rv_engine *s);

// ended.c
// After the depths of a flooded substep: flags of full columns and velocities of their pipes,
// there; the flags come with what is read next. First the words for it, which are sent with others;
// false: they are too many.
bool rv_card_put_ends(rv_engine *s, rv_card_block *out);
void rv_card_call_ended(rv_engine *s, rv_card_block block);
bool rv_card_ask_ended(const rv_engine *s, rv_card_ask *out); // false: none is on its way
void rv_card_take_ended(rv_engine *s);

// kernels.c
rv_device_kernel *rv_card_kernel_for(rv_engine *s, const char *name, unsigned ease);

#endif
