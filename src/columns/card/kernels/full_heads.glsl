// The heads of flooded passages, and the fluxes of their pipes (../../passages/pressure.c, iterate.c): one
// group, a thread for each full column. Each has a pipe of its own of those that it shares with
// another; both find the same. Sums are taken in any order (any_order). Where columns, their pipes
// or rounds are too many, the substep is left out for the processor.
layout(local_size_x = 256) in;
READS(AT_BEDS, Beds, float, beds);
READS(AT_DEPTH, Depth, float, depth);
READS(AT_PIPES, Pipes, uint, pipes);
CHANGES(AT_FLUX, Flux, float, flux);
CHANGES(AT_NEW_FLUX, NewFlux, float, new_flux);
CHANGES(AT_STATUS, Status, uint, status);
#ifdef ODD
READS(AT_ODD, Odd, uint, odd);
READS(AT_ODD_COLUMNS, OddColumns, uint, odd_columns);
CHANGES(AT_ODD_FLOW, OddFlow, float, odd_flow);
#endif
#ifdef TENSE
READS(AT_BITS, Bits, uint, bits);
#endif
#if defined(TENSE) || defined(PRESSED)
READS(AT_PRESS, Press, float, press);
#endif
#include "halted"
#include "full"
#include "full_pipes"
#include "full_own"
#include "full_flux"
#define SUMS 6
#include "any_order"

// As in pressure.c.
#define SOLUTIONS 6
#define LOW 0.9995lf
#define TARGET 0.9998lf
#define REFILL 0.2lf
#define RELIEF 1e-3lf
#define RELIEF_ALL 0.1lf
#define LEAK 1e-6lf
#define LEAK_GATED 1e-14lf
#define FREE_SHARE 1e-3lf
#define FLOW_SHARE 3e-4lf
#define REST_SHARE 0.25lf
#define HEAD_SPACING (1.0lf / 8388608.0lf)
#define NEARLY_NONE 1e-300lf

shared double vector[MEMBERS];            // of which the matrix is taken times, and heads
shared uint member[MEMBERS], group[MEMBERS]; // as w->member, w->group
shared uint group_open[MEMBERS];
shared uint most_pipes, most_conduct, most_high, most_low;
// Of loops, three in turn: see full_shares.
shared uint bad[3], joins[3], changed[3];
shared uint freed, flowing, too_many, groups;

// A column as its thread has it.
struct Own {
    bool there;
    uint slot, count, links; // pipes, and those to full columns
    double least;            // head, m
    double cap, deep;        // m
    double head, right, limit, diagonal, inverse, through;
};

// ---- The lists ----------------------------------------------------------------------------------

// Head that gravity's horizontal parts add along a pipe, m.
double slant_along(FullPipe p)
{
    double dx = p.way == 1u ? 0.0lf : p.way == 3u ? -1.0lf : 1.0lf, dy = p.way == 0u ? 0.0lf : 1.0lf;
    precise double slant = dx * double(law.slant_x) + dy * double(law.slant_y);
    return p.outward ? -slant : slant;
}

void put_pipe(uint e, FullPipe p, FullColumn c)
{
    double height = double(p.opening), slope = double(p.code) / 65535.0lf;
    precise double square = height * height * slope;
    precise double under = square + LAW_GAP_DRAG + NEARLY_NONE;
    precise double keep = square / under;
#ifdef FLOW
    precise double push = LAW_PUSH * height;
#else
    precise double push = LAW_PUSH * LAW_DX;
#endif
    precise double conduct = keep * push * slope * (share_of_push(p.way, p.gaps) * LAW_REACH);
    precise double start = keep * double(law.kept) * old_flux(p.place) + conduct * slant_along(p);
    Gate gate = gate_of(p, c);
    uint link = p.mark >> 2;
    OWN(PLACE, e) = p.place | (p.back ? COMES_IN : 0u);
    OWN(LINK, e) = link | (gate.dry ? IS_DRY : 0u);
    OWN(OPENING, e) = floatBitsToUint(p.opening), OWN(OTHER, e) = p.other;
    put_own(CONDUCT, e, conduct);
    put_own(START, e, start);
    put_own(GATE, e, gate.head);
    uint size = exponent_of(conduct);
    if (size > most_conduct) atomicMax(most_conduct, size);
}

// Returns how many pipes the column has; those to full columns are `links`.
void list_pipes(inout Own own)
{
    FullColumn c = full_column(own.slot);
    for (uint e = 0u; e < c.candidates; e++) {
        FullPipe p = full_pipe(c, e);
        if (!p.there) continue;
        if (own.count == OWN_MOST) {
            too_many = 1u;
            return;
        }
        put_pipe(own.count, p, c);
        own.links += link_of(own.count) != 0u ? 1u : 0u;
        own.count++;
    }
    OWN_COUNT = own.count;
    if (own.count > most_pipes) atomicMax(most_pipes, own.count);
}

Own own_column(uint n)
{
    uint k = gl_LocalInvocationIndex;
    Own own = Own(k < n, 0u, 0u, 0u, 0.0lf, 0.0lf, 0.0lf, 0.0lf, 0.0lf, 0.0lf, 0.0lf, 0.0lf, 0.0lf);
    member[k] = own.there ? 1u : 0u, group[k] = k;
    if (!own.there) return own;
    own.slot = full[LIST_AT + k];
    float ceiling = beds[law.slots + own.slot];
    precise float least = ceiling + outside_press(own.slot), cap = ceiling - beds[own.slot];
    own.least = double(least), own.cap = double(cap), own.deep = double(depth[own.slot]);
    double head = double(uintBitsToFloat(full[HEADS_AT + own.slot]));
    own.head = head > own.least ? head : own.least;
    list_pipes(own);
    return own;
}

// The lowest place of all that hang together.
void find_groups(Own own)
{
    uint k = gl_LocalInvocationIndex;
    bool again = true;
    for (uint round = 0u; again; round++) {
        uint low = group[k];
        for (uint e = 0u; e < own.count; e++)
            if (link_of(e) != 0u) low = min(low, group[link_of(e) - 1u]);
        low = min(low, group[low]);
        if (k == 0u) joins[(round + 1u) % 3u] = 0u;
        barrier();
        if (low < group[k]) group[k] = low, joins[round % 3u] = 1u;
        barrier();
        again = joins[round % 3u] != 0u;
    }
    if (own.there && group[k] == k) atomicAdd(groups, 1u);
}

// ---- The system ---------------------------------------------------------------------------------

bool is_member(uint place)
{
    return member[place] != 0u;
}

// What the e-th pipe leads to, for a column that is a member.
bool is_inside(uint e)
{
    uint link = link_of(e);
    return link != 0u && is_member(link - 1u);
}

bool is_shut(uint e)
{
    return (OWN(LINK, e) & IS_SHUT) != 0u;
}

// What a full column should gain, m³/s.
double wanted(Own own, double relief)
{
    precise double target = TARGET * own.cap, low = LOW * own.cap;
    precise double lack = REFILL * (target - own.deep) * LAW_PER_DEPTH;
    if (own.deep > target) return lack > -relief ? lack : -relief;
    return own.deep < low ? lack : 0.0lf;
}

double gate_push(uint e)
{
    precise double push = own_double(CONDUCT, e) * own_double(GATE, e);
    return push;
}

void set_matrix(inout Own own, bool mine)
{
    double rounder = rounder_of(most_pipes, most_conduct), sum = 0.0lf;
    uint k = gl_LocalInvocationIndex;
    group_open[k] = 0u;
    barrier();
    for (uint e = 0u; mine && e < own.count; e++) {
        bool inside = is_inside(e);
        if (!inside && is_shut(e)) continue;
        precise double more = sum + rounded(own_double(CONDUCT, e), rounder);
        sum = more;
        if (!inside) group_open[group[k]] = 1u;
    }
    barrier();
    own.diagonal = sum, own.inverse = 0.0lf;
}

// Sizes of what the right side is made of, of all pipes: of those that columns share both ends have
// the same.
void note_pushes(Own own, bool mine)
{
    for (uint e = 0u; e < own.count; e++) {
        note_size(0u, own_double(START, e));
        bool inside = is_inside(e);
        if (mine && !inside) note_size(0u, gate_push(e));
    }
}

void add_pushes(inout Own own, bool mine)
{
    double rounder = rounder_of(2u * most_pipes, sum_top[0]), right = 0.0lf, through = 0.0lf;
    for (uint e = 0u; mine && e < own.count; e++) {
        bool inside = is_inside(e);
        if (!inside && is_shut(e)) continue;
        double start = rounded(own_double(START, e), rounder);
        precise double out_of = (OWN(PLACE, e) & COMES_IN) != 0u ? right + start : right - start;
        precise double all = through + abs(start);
        precise double more = out_of + rounded(gate_push(e), rounder);
        right = inside ? out_of : more, through = all;
    }
    own.right = right, own.through = through;
}

// The greatest of a number of all threads, not under 0.
double greatest(double value)
{
    uvec2 words = unpackDouble2x32(value);
    if (gl_LocalInvocationIndex == 0u) most_high = 0u, most_low = 0u;
    barrier();
    if (words.y > most_high) atomicMax(most_high, words.y);
    barrier();
    if (words.y == most_high) atomicMax(most_low, words.x);
    barrier();
    return packDouble2x32(uvec2(most_low, most_high));
}

void set_right(inout Own own, bool mine, uint n)
{
    double flow = FLOW_SHARE * greatest(own.through);
    double relief = min(RELIEF, RELIEF_ALL / double(n));
    double share = group_open[group[gl_LocalInvocationIndex]] != 0u ? LEAK_GATED : LEAK;
    precise double leak = share * own.diagonal + NEARLY_NONE;
    if (!mine) leak = 0.0lf;
    precise double diagonal = own.diagonal + leak;
    own.diagonal = diagonal;
    precise double inverse = 1.0lf / diagonal;
    own.inverse = diagonal > 0.0lf ? inverse : 0.0lf;
    precise double limit =
        LAW_ALLOWED * own.cap + flow + HEAD_SPACING * diagonal * abs(own.head);
    own.limit = limit;
    precise double right =
        own.right + (leak * own.least - wanted(own, relief * own.through));
    own.right = mine ? right : 0.0lf;
}

// ---- Conjugate gradients ------------------------------------------------------------------------

// The matrix times `vector`, of which this column's is `value`.
double row_times(Own own, bool mine, double value)
{
    uint most = 0u;
    for (uint e = 0u; mine && e < own.count; e++) {
        if (!is_inside(e)) continue;
        precise double term = own_double(CONDUCT, e) * vector[link_of(e) - 1u];
        most = max(most, exponent_of(term));
    }
    double rounder = rounder_of(own.links, most), sum = 0.0lf;
    for (uint e = 0u; mine && e < own.count; e++) {
        if (!is_inside(e)) continue;
        precise double term = own_double(CONDUCT, e) * vector[link_of(e) - 1u];
        precise double more = sum + rounded(term, rounder);
        sum = more;
    }
    precise double row = own.diagonal * value - sum;
    return row;
}

// go_plain in iterate.c. false: it takes more rounds.
bool iterate(inout Own own, bool mine, uint n, inout uint rounds)
{
    uint k = gl_LocalInvocationIndex;
    double direction = 0.0lf, product = 0.0lf, size = 0.0lf, step = 0.0lf;
    vector[k] = own.head;
    if (k < 3u) bad[k] = 0u;
    if (k < 6u) clear_sum(k);
    barrier();
    precise double residual = own.right - row_times(own, mine, own.head);
    if (!mine) residual = 0.0lf;
    barrier();
    for (uint round = 0u;; round++) {
        uint now = round % 3u, next = (round + 1u) % 3u;
        precise double u = own.inverse * residual;
        vector[k] = u;
        if (!(abs(residual) <= own.limit) && own.there) bad[now] = 1u;
        barrier();
        if (bad[now] == 0u) return true;
        if (round == law.rounds_most) return false;
        rounds++;
        if (k < 2u) clear_sum(2u * next + k);
        if (k == 2u) bad[next] = 0u;
        double z = row_times(own, mine, u);
        precise double a = z * u, b = residual * u;
        note_size(2u * now, a);
        note_size(2u * now + 1u, b);
        barrier();
        add_up(2u * now, n, a);
        add_up(2u * now + 1u, n, b);
        barrier();
        double last = size, turn = 0.0lf, curvature = sum_of(2u * now, n);
        size = sum_of(2u * now + 1u, n);
        if (round > 0u) {
            precise double quotient = size / last;
            precise double less = curvature - quotient * size / step;
            turn = quotient, curvature = less;
        }
        if (!(curvature > 0.0lf) || !(size > 0.0lf)) return false;
        precise double far = size / curvature;
        step = far;
        precise double p = u + turn * direction, q = z + turn * product;
        precise double head = own.head + step * p, left = residual - step * q;
        direction = p, product = q, own.head = head, residual = left;
    }
}

// ---- Freed columns and shut gates ---------------------------------------------------------------

void free_column(Own own, uint solution)
{
    uint k = gl_LocalInvocationIndex;
    precise double least = own.least - FREE_SHARE * own.cap;
    if (!own.there || !is_member(k) || own.head >= least) return;
    member[k] = 0u;
    freed = 1u, changed[solution % 3u] = 1u;
}

void shut_gates(Own own, uint solution)
{
    if (!own.there || !is_member(gl_LocalInvocationIndex)) return;
    for (uint e = 0u; e < own.count; e++) {
        uint link = OWN(LINK, e);
        bool shut = !is_inside(e) && (link & IS_DRY) != 0u && own_double(GATE, e) >= own.head;
        if (shut == ((link & IS_SHUT) != 0u)) continue;
        OWN(LINK, e) = link ^ IS_SHUT;
        changed[solution % 3u] = 1u;
    }
}

// ---- Fluxes -------------------------------------------------------------------------------------

void set_flux(Own own, uint e)
{
    uint place = OWN(PLACE, e);
    bool inside = is_inside(e), back = (place & COMES_IN) != 0u;
    double far = inside ? vector[link_of(e) - 1u] : own_double(GATE, e);
    double a = back ? far : own.head, b = back ? own.head : far;
    double conduct = own_double(CONDUCT, e);
    precise double flow = own_double(START, e) + conduct * (a - b);
    double size = max(abs(a), abs(b)), opening = double(uintBitsToFloat(OWN(OPENING, e)));
    precise double none =
        REST_SHARE * LAW_FLUX_ALLOWED * opening + HEAD_SPACING * conduct * size;
    if ((!inside && is_shut(e)) || abs(flow) <= none) flow = 0.0lf;
    if (flow != 0.0lf) flowing = 1u;
    if (!inside || !back) put_flux(place & ~COMES_IN, float(flow));
}

void main()
{
    uint k = gl_LocalInvocationIndex, n = full[LISTING], rounds = 0u;
    bool halted = is_halted();
    if (k == 0u) {
        most_pipes = 1u, most_conduct = 0u, freed = 0u, flowing = 0u, groups = 0u;
        too_many = n > MEMBERS ? 1u : 0u;
    }
    if (k < 3u) joins[k] = 0u, changed[k] = 0u;
    barrier();
    if (halted) return;
    Own own = own_column(too_many != 0u ? 0u : n);
    barrier();
    if (k == 0u) full[LISTED] = n;
    if (too_many != 0u) {
        if (k == 0u) status[law.status_at + HALT] = LEAVE_OUT;
        return;
    }
    if (n == 0u) {
        if (k == 0u) full[FLOWS] = 0u, full[GROUPS] = 0u;
        return;
    }
    find_groups(own);
    shut_gates(own, 2u);
    bool again = true;
    for (uint solution = 0u; solution < SOLUTIONS && again; solution++) {
        bool mine = own.there && is_member(k);
        if (k == 0u) clear_sum(0u);
        set_matrix(own, mine);
        note_pushes(own, mine);
        barrier();
        add_pushes(own, mine);
        set_right(own, mine, n);
        bool solved = iterate(own, mine, n, rounds);
        if (!solved) {
            if (k == 0u) status[law.status_at + HALT] = LEAVE_OUT;
            return;
        }
        free_column(own, solution);
        if (k == 0u) changed[(solution + 1u) % 3u] = 0u;
        barrier();
        shut_gates(own, solution);
        barrier();
        again = changed[solution % 3u] != 0u;
    }
    bool mine = own.there && is_member(k);
    vector[k] = own.head;
    barrier();
    for (uint e = 0u; mine && e < own.count; e++) set_flux(own, e);
    if (own.there) {
        full[HEADS_AT + own.slot] = mine ? floatBitsToUint(float(own.head)) : 0u;
        full[MARK_AT + own.slot] = mark_of(k, mine);
    }
    barrier();
    if (k != 0u) return;
    full[FLOWS] = freed | flowing;
    full[GROUPS] = groups;
    full[ROUNDS] += rounds;
}
