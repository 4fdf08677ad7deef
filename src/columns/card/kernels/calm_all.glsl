// Heads of deep liquid, levels included, smoothed as often as `calm` does in several kernels, in one:
// a group smooths what is around it too, a column less each time. law.calm_pass: how often. ODD: odd
// pipes join columns, as long as no two of these are deep enough to be smoothed; where some are, the
// substep is left out, and the processor asks for it with `calm`.
#include "tile"
READS(AT_BEDS, Beds, float, beds);
READS(AT_DEPTH, Depth, float, depth);
READS(AT_PIPES, Pipes, uint, pipes);
READS(AT_SPEED, Speed, float, speed);
READS(AT_BITS, Bits, uint, bits);
CHANGES(AT_STATUS, Status, uint, status);
CHANGES(AT_PRESS, Press, float, press);
#ifdef ODD
READS(AT_ODD, Odd, uint, odd);
READS(AT_ODD_COLUMNS, OddColumns, uint, odd_columns);
#include "odd_list"
#endif
#include "halted"
#include "rows"
#include "tile_rows"
#include "calming"

// The group's columns and four more to each side: level and head, twice, depths and slopes.
#define AROUND 40u
#define COLUMNS (AROUND * 16u)
shared float wholes[2u * COLUMNS], deep_here[COLUMNS];
shared uint slopes_here[COLUMNS];

void take_place(Place at, uint k)
{
    int x = int(at.x) - int(gl_LocalInvocationID.x) + int(k % AROUND) - 4;
    int y = int(tile_y) + int(k / AROUND) - 4;
    Place own = moved_to(at, x, y);
    // slopes of pipes from the west, and beyond the plane there are no others
    bool has_pipes = x >= -1 && x < int(at.nx) && y >= -1 && y < int(at.ny);
    precise float whole = 0.0;
    if (own.exists) whole = (beds[own.slot] + depth[own.slot]) + press[law.heads_at + own.slot];
    wholes[k] = whole, wholes[COLUMNS + k] = whole;
    deep_here[k] = own.exists ? depth[own.slot] : 0.0;
    slopes_here[k] = has_pipes ? pipes[own.slot] : 0u;
}

float pass_from(uint pass)
{
    return pass == 0u ? law.calm_0 : pass == 1u ? law.calm_1 : pass == 2u ? law.calm_2 : law.calm_3;
}

float toward(float own, float share, uint other, uint slope, uint pass)
{
    if (slope == 0u) return 0.0;
    float least = smaller(share, calm_share(deep_here[other], pass_from(pass)));
    precise float gain = least * (wholes[(pass & 1u) * COLUMNS + other] - own);
    return gain;
}

void smooth_place(uint k, uint pass)
{
    float own = wholes[(pass & 1u) * COLUMNS + k];
    float share = calm_share(deep_here[k], pass_from(pass));
    precise float after = own;
    if (share > 0.0) { // else nothing of its neighbours counts
        uint low = k - AROUND, high = k + AROUND;
        precise float sum = (toward(own, share, k - 1u, slopes_here[k - 1u] & 0xffffu, pass) +
                             toward(own, share, k + 1u, slopes_here[k] & 0xffffu, pass)) +
                            (toward(own, share, low, slopes_here[low] >> 16, pass) +
                             toward(own, share, high, slopes_here[k] >> 16, pass));
        after = own + 0.09375 * sum;
    }
    wholes[(1u - (pass & 1u)) * COLUMNS + k] = after;
}

// As one thread found it: another group may say so meanwhile, and all threads of one go on, or none.
shared bool halted;

#ifdef ODD
bool is_deep(float own)
{
    float from = larger(larger(law.calm_0, law.calm_1), larger(law.calm_2, law.calm_3));
    return calm_share(own, from) > 0.0;
}

// Whether an odd pipe joins a deep column to another one.
bool is_joined(uint slot, uint k)
{
    OddSpan span = span_of(k);
    bool found = false;
    for (uint e = span.first; e < span.end; e += 4u) {
        OddFour four = four_from(e, span.end);
        uvec4 a = FOUR_WORDS(odd, 8u * four.pipe), b = FOUR_WORDS(odd, 8u * four.pipe + 1u), far;
        for (int j = 0; j < 4; j++) far[j] = b[j] == NO_SLOT ? slot : a[j] == slot ? b[j] : a[j];
        vec4 deep = FOUR_OF(depth, far);
        for (int j = 0; j < 4; j++) found = found || (far[j] != slot && is_deep(deep[j]));
    }
    return found;
}
#endif

void main()
{
    Place at = place_first();
    if (gl_LocalInvocationIndex == 0u) halted = is_halted();
    take_rows(at);
    for (uint k = gl_LocalInvocationIndex; k < COLUMNS; k += 256u) take_place(at, k);
#ifdef ODD
    uint odd_here = odd_columns[at.exists ? at.slot : 0u];
#endif
    barrier();
    if (halted || !group_works(at)) return;
#ifdef ODD
    if (odd_here != 0u && at.exists && is_awake(at) && is_deep(depth[at.slot]) &&
        is_joined(at.slot, odd_here - 1u))
        status[law.status_at + HALT] = 2u;
#endif
    for (uint pass = 0u; pass < law.calm_pass; pass++) {
        uint edge = pass + 1u;
        for (uint k = gl_LocalInvocationIndex; k < COLUMNS; k += 256u) {
            uint x = k % AROUND, y = k / AROUND;
            if (x >= edge && x < AROUND - edge && y >= edge && y < 16u - edge) smooth_place(k, pass);
        }
        barrier();
    }
    if (!at.exists || !is_awake(at)) return;
    uint i = at.slot, n = law.slots, k = (gl_LocalInvocationID.y + 4u) * AROUND;
    k += gl_LocalInvocationID.x + 4u;
    float deep = calm_share(depth[i], law.calm_0), after = wholes[(law.calm_pass & 1u) * COLUMNS + k];
    precise float head = press[law.heads_at + i];
    if (deep > 0.0) { // else it keeps its head
        precise float spread = (speed[i] - speed[i - 1u]) + (speed[n + i] - speed[n + i - at.pitch]);
        precise float damps = deep * spread * law.damp;
        head = (after - (beds[i] + depth[i])) - damps;
    }
    press[n + i] = head;
}
