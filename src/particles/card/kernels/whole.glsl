// The pressure in one call: all cycles of it (rv_narrow_solve in pressure.c), by groups that all run
// at the same time and meet between passes. A pass writes rows of one colour, or a level; every group
// does its share of it. Those that wait in vain for one that the card has not begun, give up: HALT 2.
// ALL: threads of a group. STRIPS: in a plane a group has some rows with those around them, and half a cycle of a level is one
// pass.
layout(local_size_x = ALL) in;
#include "pull"
#include "alone"

#define CHUNK 64
#define PATIENCE 60000u // turns, some 20 ms; drivers that are processors end loops after 65,535

shared bool alone; // others did not come
shared uint most;
uint meetings = 0u;
int group, groups;

// True: all groups came here, and see what all wrote. Who has seen all of them come knows that nobody
// gave up before; who gives up now is missed at the next meeting, or has said so at the last.
bool meet_all()
{
    memoryBarrierBuffer();
    barrier();
    if (gl_LocalInvocationIndex == 0u) {
        uint turns = 0u, goal = ++meetings * uint(groups);
        bool here = atomicAdd(status[MET], 1u) + 1u >= goal;
        while (!here && turns < PATIENCE) here = status[MET] >= goal, turns++;
        if (!here) atomicMax(status[HALT], 2u);
        alone = !here;
    }
    barrier();
    memoryBarrierBuffer();
    return !alone;
}

#ifdef STRIPS
#include "strip"
#include "levels"
#else
#include "listed"
#endif

#ifdef STRIPS
// Groups that make a level meet; the smaller ones are made by one.
bool meet_for(bool large)
{
    if (large) return meet_all();
    meet();
    return true;
}

// A level made anew from the one below it, by the groups that there are for it.
bool make_level(uint i, bool large)
{
    Level f = level_at(i - 1u), l = level_at(i);
    int part = large ? group : 0, of = large ? groups : 1;
    make_sums(l, f, part * LARGE_AT_ONCE, of * LARGE_AT_ONCE, i == 1u);
    if (!meet_for(large)) return false;
    make_diagonals(l, part * ALL, of * ALL);
    return meet_for(large);
}

// Levels made anew from the pressures as they are: large ones by all groups, the others by one.
bool make_all_levels()
{
    for (uint i = 1u; i <= (group == 0 ? law.last : law.coarse - 1u); i++)
        if (!make_level(i, i < law.coarse)) return false;
    remade = true;
    return law.coarse > 1u || meet_all(); // then they are made of pressures that others change
}
#else
// Levels made anew from the pressures as they are.
bool make_all_levels()
{
    for (uint i = 1u; i <= law.last; i++) {
        Level f = level_at(i - 1u), l = level_at(i);
        ivec2 own = own_part(l);
        for (int k = own.x + int(gl_LocalInvocationIndex); k < own.y; k += ALL)
            coarsen_cell(l, f, cell_of(l, k), i == 1u);
        if (!meet_all()) return false;
        if (i < law.coarse) list_rows(i);
    }
    remade = true;
    return true;
}
#endif

// ---- Passes -------------------------------------------------------------------------------------

// A cycle is a list of passes: down level by level, those that one group does alone, and up again;
// before the first of them some more. One loop, for compilers put each call's text in its place.
#ifdef STRIPS
#define EACH 1 // passes of half a level
#define BEFORE 1
#else
#define EACH 5
#define BEFORE 4
#endif

void pass_level(uint i, bool down, int turn, float part, uint left_word)
{
#ifdef STRIPS
    int what = turn < 0 ? BEGIN : down ? SINK : RISE;
    for (int k = group; TALL * k < level_at(i).n.y; k += groups)
        pass_strip(what, i, k, part, left_word);
#else
    if (down && turn == 4)
        restrict_level(i, left_word);
    else if (!down && turn == 0)
        correct_level(i, part);
    else
        relax_level(i, turn & 1);
#endif
}

// Pass k of a cycle, under 0 before it.
bool do_pass(int k, float trust, uint left_word)
{
    int down = EACH * int(law.coarse), up = k - down - 1;
    if (k == down) {
        if (group == 0) solve();
    } else {
        int of_level = k < 0 ? 0 : k < down ? k / EACH : int(law.coarse) - 1 - up / EACH;
        int turn = k < 0 ? k + (EACH > 1 ? BEFORE : 0) : k < down ? k % EACH : up % EACH;
        pass_level(uint(of_level), k < down, turn, of_level == 0 ? trust : 1.0, left_word);
    }
    return meet_all();
}

int passes()
{
    return 2 * EACH * int(law.coarse) + 1;
}

// ---- Cycles -------------------------------------------------------------------------------------

// All of them. Among bodies, where the processor says what each is to do, they are called one by one.
void solve_all()
{
    float endless = uintBitsToFloat(WITHOUT_END);
    float before = endless, left = endless, last = endless;
    bool over = false, tried = false;
    precise float trust = 1.0;
    uint cycle = 0u;
#ifndef STRIPS
    list_rows(0u);
#endif
    for (; cycle < MOST_CYCLES && !over; cycle++) {
        precise float much = law.slow * before, waits = law.stuck * last;
        bool was_whole = whole_level;
        whole_level = cycle > 1u && !tried && left > waits;
        bool anew = cycle == 0u || whole_level || was_whole || left > much;
        float older = left;
        tried = tried || whole_level;
        uint word = CYCLES + 8u * cycle + LEFT;
        for (int k = cycle == 0u ? -BEFORE : 0; k < passes() && !over; k++) {
            if (k == 0 && anew && !make_all_levels()) return;
            if (!do_pass(k, trust, word)) return;
            if (k != EACH - 1) continue;
            before = anew ? endless : left;
            left = uintBitsToFloat(status[word]);
            over = left < law.done;
        }
        precise float slow = law.slow * older, square = left * left, ahead = law.ahead * older;
        if (cycle > 1u && left > slow) trust = trust * law.doubt;
        last = older;
        bool fast = cycle > 0u && !(left > slow) && left < law.most_ahead && square < ahead;
#ifdef STRIPS
        for (int k = group; TALL * k < level_at(0u).n.y && over; k += groups) keep_rows(k);
#endif
        over = over || left < law.enough || fast;
    }
    if (group == 0 && gl_LocalInvocationIndex == 0u)
        status[RECORDS + 8u * law.record + DONE_CYCLES] = cycle;
}

void main()
{
    group = int(thread_here().x) / ALL, groups = int(gl_NumWorkGroups.x);
    // all threads of a group or none: another one may give up meanwhile
    if (gl_LocalInvocationIndex == 0u) alone = halted();
    barrier();
    if (!alone) solve_all();
}
