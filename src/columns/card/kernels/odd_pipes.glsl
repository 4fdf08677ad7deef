// New fluxes, and with FLOW velocities, of odd pipes (../../seams.c), before they are scaled. Needs
// odd_parts, pressing, beds, depth, and with FLOW speed, flux and through.

// Whether a column is in a block that sleeps though it is wet.
bool is_asleep(uint slot)
{
#ifdef TENSE
    uint where = column_word(odd_columns[slot] - 1u, 3u), block = where >> 24;
    uint word = ASLEEP_AT + 2u * (where & 0xffffffu) + (block >> 5);
    return (bits[word] & (1u << (block & 31u))) != 0u;
#else
    return false;
#endif
}

float slant_of(OddPipe p)
{
    float dx = p.way == 1u ? 0.0 : p.way == 3u ? -1.0 : 1.0, dy = p.way == 0u ? 0.0 : 1.0;
    precise float slant = dx * law.slant_x + dy * law.slant_y;
    return p.back ? -slant : slant;
}

#ifdef FLOW
SideFlow side_flow(uint slot, uint plane, uint side)
{
    uint n = law.slots, pitch = law.plane[2u * plane].y;
    uint at = side == 0u ? slot - 1u : side == 1u ? slot : side == 2u ? n + slot - pitch : n + slot;
    float regular = speed[at]; // the other sides do not count
    return side_of(sides_of(odd_columns[slot], vec4(flux[at]), vec4(regular)), side, regular);
}

Flow flow_of(uint k, OddPipe p, End a, End b)
{
    bool straight = p.way < 2u;
    Pipe pipe;
    pipe.slope = p.slope, pipe.u = odd_flow[LAST_AT + law.pipes + k], pipe.carried = 0.0;
    precise float both = a.depth + b.depth;
    pipe.both = larger(both, law.film);
    pipe.rise = 0.0, pipe.side = 0.0, pipe.pull = 0.0, pipe.slant = slant_of(p), pipe.opening = p.opening;
    precise float share = straight ? law.share + p.gaps * law.share_gap : law.diagonal_share;
    pipe.share = share;
#ifdef CARRIES
    if (straight) {
        float q = odd_flow[LAST_AT + k], u = pipe.u;
        SideFlow low = side_flow(p.a, p.plane_a, 2u * p.way + (p.back ? 1u : 0u));
        SideFlow high = SideFlow(q, u);
        if (!p.border) high = side_flow(p.b, p.plane_b, 2u * p.way + 1u);
        if (p.back) low = SideFlow(-low.flux, -low.speed);
        precise float q_in = low.flux + q, q_out = q + high.flux;
        Past past = Past(q_in, q_out, 0.0, 0.0, pass_by(q_in, low.speed, u),
                         pass_by(q_out, u, high.speed), 0.0, 0.0);
        pipe.carried = flow_carried(past, u);
        pipe.both = larger(pipe.both, flow_comes(past));
    }
#endif
    precise float half_bend = 0.5 * law.bend;
    return flow_through(a, b, pipe, straight ? law.fall : law.diagonal_fall,
                        straight ? law.bend : half_bend, false);
}
#else
float flux_of(uint k, OddPipe p, End a, End b)
{
    precise float level_a = a.base + a.depth, level_b = b.base + b.depth;
    precise float drop = level_a - level_b;
#ifndef PLAIN
    precise float all = (drop + (a.press - b.press)) + slant_of(p);
    precise float share = p.way < 2u ? law.share + p.gaps * law.share_gap : law.diagonal_share;
    drop = all * share * pipe_left(all);
#endif
    precise float driven = law.kept * odd_flow[LAST_AT + k] + law.push * p.slope * drop;
    float pushed = unless_small(driven, FLUX_LEAST);
    float deep = pushed > 0.0 ? a.depth : b.depth;
    precise float square = deep * deep * p.slope;
    precise float total = square + law.drag + 1e-36;
    precise float result = pushed * (square * inverse_of(total));
    return deep > law.film ? result : 0.0;
}
#endif

void set_odd(uint k)
{
    OddPipe p = odd_pipe(k);
    End a = End(beds[p.a], depth[p.a], depth[p.a], 0.0, press_of(p.a)), b;
    bool flows;
    if (p.border) {
        b = End(p.beyond, p.held, p.held, 0.0, 0.0);
#ifdef TENSE
        b.press = a.press; // the surface goes on as it is
#endif
        flows = (a.depth > law.film || p.held > law.film) && !is_asleep(p.a);
    } else {
        b = End(beds[p.b], depth[p.b], depth[p.b], 0.0, press_of(p.b));
        flows = (a.depth > law.film || b.depth > law.film) && !is_asleep(p.a) && !is_asleep(p.b);
    }
    float fresh_flux = 0.0, fresh_speed = 0.0;
    if (flows) {
#ifdef FLOW
        Flow f = flow_of(k, p, a, b);
        fresh_flux = f.flux, fresh_speed = f.speed;
#else
        fresh_flux = flux_of(k, p, a, b);
#endif
    }
    odd_flow[RAW_AT + k] = fresh_flux, odd_flow[RAW_AT + law.pipes + k] = fresh_speed;
}
