// What is known of full columns (../full.c): by slot their heads, and marks, IS_FULL, IS_MEMBER of a
// passage, and over that one more than the place in the list of this substep; then words, lists, and
// the pipes of those that are listed. RV_FULL_… in ../card.h.
#define AT_FULL 15
#ifdef SHARED_FULL // what one thread writes others read
layout(std430, binding = AT_FULL) restrict coherent buffer Full { uint full[]; };
#else
CHANGES(AT_FULL, Full, uint, full);
#endif
#define HEADS_AT 0u
#define MARK_AT law.slots
#define FULL_AT (2u * law.slots)
#define LISTING (FULL_AT)      // how many are being listed
#define CUTTING (FULL_AT + 1u) // how many that cannot take all of their inflow
#define LISTED (FULL_AT + 2u)  // how many are in this substep
#define FLOWS (FULL_AT + 3u)   // some flux of a passage is not 0
#define TOLD (FULL_AT + 4u)    // how many were after the last substep …
#define ROUNDS (FULL_AT + 5u)  // … rounds of all solutions, and passages
#define GROUPS (FULL_AT + 6u)
#define TOLD_LIST (FULL_AT + 8u) // slot, flag, head
#define FULL_MOST 4096u
#define LIST_AT (TOLD_LIST + 3u * FULL_MOST)
#define CUT_AT (LIST_AT + FULL_MOST) // new shares, and those that are safe
#define CUT_MOST 4096u
#define PIPES_AT (CUT_AT + 3u * CUT_MOST)

// The processor has to do what comes now of this substep: it is left out.
#define LEAVE_OUT 3u

#define IS_FULL 1u
#define IS_MEMBER 2u

#ifdef FREES
// A column of which liquid was taken is full no more.
void free_slot(uint i)
{
    uint mark = full[MARK_AT + i];
    if ((mark & IS_FULL) == 0u) return;
    full[MARK_AT + i] = mark & ~IS_FULL, full[HEADS_AT + i] = 0u;
#ifdef TENSE
    press[6u * law.slots + i] = 0.0;
#endif
}
#endif

bool is_full_slot(uint i)
{
    return (full[MARK_AT + i] & IS_FULL) != 0u;
}

// One more than the place in the list; 0: it is not there.
uint place_of_slot(uint i)
{
    return full[MARK_AT + i] >> 2;
}

uint mark_of(uint place, bool is_full)
{
    return ((place + 1u) << 2) | (is_full ? IS_FULL | IS_MEMBER : 0u);
}
