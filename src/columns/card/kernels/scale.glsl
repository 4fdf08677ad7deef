// The share of its outflow that a column can give, and with LIMITED of its inflow that it can take
// (../../rows_simd.c). ODD: columns with odd pipes are summed side by side.
layout(local_size_x = 64, local_size_y = 4) in;
READS(AT_DEPTH, Depth, float, depth);
READS(AT_NEW_FLUX, NewFlux, float, new_flux);
CHANGES(AT_SCALES, Scales, float, scales);
READS(AT_BITS, Bits, uint, bits);
CHANGES(AT_STATUS, Status, uint, status);
READS(AT_BEDS, Beds, float, beds);
#ifdef ODD
READS(AT_ODD_COLUMNS, OddColumns, uint, odd_columns);
READS(AT_ODD_FLOW, OddFlow, float, odd_flow);
#endif
#ifdef PASSAGES
#include "full"
#endif
#include "blocks"
#include "halted"
#include "sums"
#ifdef ODD
#include "odd_list"
#include "odd_sums"
#endif

void main()
{
    Place at = place_here();
    if (!at.exists) return;
    bool works = is_awake(at), halted = is_halted();
    uint i = at.slot, n = law.slots;
#ifdef MANY // else what follows is asked for before it is known: the way to it is long
    if (halted || !works) return;
#endif
#ifdef ODD
    uint odd = odd_columns[i];
#endif
    float own = depth[i], west = new_flux[i - 1u], east = new_flux[i];
    float south = new_flux[n + i - at.pitch], north = new_flux[n + i];
    if (halted || !works) return;
    precise float leaves = outflow(west, east, south, north), comes = 0.0;
    bool limits = false;
#ifdef LIMITED
    comes = inflow(west, east, south, north), limits = true;
#endif
#ifdef EIGHT
    uint low = i - at.pitch;
    float sw = new_flux[2u * n + low - 1u], ne = new_flux[2u * n + i];
    float se = new_flux[3u * n + low + 1u], nw = new_flux[3u * n + i];
    leaves = leaves + outflow(sw, ne, se, nw);
#ifdef LIMITED
    comes = comes + inflow(sw, ne, se, nw);
#endif
#endif
#ifdef ODD
    if (odd != 0u) {
        Sums sums = sums_of(odd - 1u, at);
        if (sums.live) leaves = sums.leaves, comes = sums.comes, limits = true;
    }
#endif
    precise float ask = law.dt_area * leaves;
    scales[i] = share_of(to_give(own), ask);
    float taken = 1.0;
    if (limits) {
        precise float cap = beds[n + i] - beds[i], gets = law.dt_area * comes;
        taken = share_of(to_take(own, cap), gets);
    }
    scales[n + i] = taken;
#ifdef LIMITED
    if (taken < 1.0) status[law.status_at + CUT_IN] = 1u;
#ifdef PASSAGES
    if (taken < 1.0) { // full_shares takes them
        uint k = atomicAdd(full[CUTTING], 1u);
        if (k < CUT_MOST) full[CUT_AT + k] = i;
    }
#endif
#endif
}
