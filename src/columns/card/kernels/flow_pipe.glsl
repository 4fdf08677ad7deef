// One pipe that carries momentum, from the column at `at`. CARRIES: what flows past counts; TRACED: it
// is traced back instead (../../trace.c); TIMED: solver `swe`. ODD: beside odd pipes as `seam` has it.
// Needs through, around.

#ifdef TRACED
float blend(float own, float along, float across, float both, float back, float side)
{
    precise float near = own + back * (along - own), far = across + back * (both - across);
    precise float result = near + side * (far - near);
    return result;
}

float part_of(float u)
{
    precise float c = abs(u) * law.lead;
    return c < 1.0 ? c : 1.0;
}

float traced(Place at, uint way)
{
    uint other = 1u - way;
    bool along_y = way == 1u;
    float own = speed_at(at, way, 0, 0);
    precise float mean =
        along_y ? 0.25 * ((speed_at(at, other, 0, 0) + speed_at(at, other, 0, 1)) +
                          (speed_at(at, other, -1, 0) + speed_at(at, other, -1, 1)))
                : 0.25 * ((speed_at(at, other, 0, 0) + speed_at(at, other, 1, 0)) +
                          (speed_at(at, other, 0, -1) + speed_at(at, other, 1, -1)));
    int back = own > 0.0 ? -1 : 1, aside = mean > 0.0 ? -1 : 1;
    float along = along_y ? speed_at(at, way, 0, back) : speed_at(at, way, back, 0);
    float across = along_y ? speed_at(at, way, aside, 0) : speed_at(at, way, 0, aside);
    float both = along_y ? speed_at(at, way, aside, back) : speed_at(at, way, back, aside);
    return blend(own, along, across, both, part_of(own), part_of(mean));
}
#endif

// What flows past the pipe of `way`, along it and across.
Past past_of(Place at, uint way)
{
    uint other = 1u - way;
    int dx = way == 0u ? 1 : 0, dy = 1 - dx;
    float u[5], v[5]; // velocities of this way along it and across it, from -2 to +2
    for (int k = -2; k <= 2; k++) {
        u[k + 2] = speed_at(at, way, k * dx, k * dy);
        v[k + 2] = speed_at(at, way, k * dy, k * dx);
    }
    Past p;
    float f = flux_at(at, way, 0, 0);
    precise float q_low = flux_at(at, way, -dx, -dy) + f, q_high = f + flux_at(at, way, dx, dy);
    // what flows across comes through the pipes of the other way at both ends, below and above
    precise float q_south = flux_at(at, other, -dy, -dx) + flux_at(at, other, dx - dy, dy - dx);
    precise float q_north = flux_at(at, other, 0, 0) + flux_at(at, other, dx, dy);
    p.comes_in = q_low, p.goes_out = q_high, p.in_side = q_south, p.out_side = q_north;
    p.low = flow_between(u[0], u[1], u[2], u[3], q_low);
    p.high = flow_between(u[1], u[2], u[3], u[4], q_high);
    p.south = flow_between(v[0], v[1], v[2], v[3], q_south);
    p.north = flow_between(v[1], v[2], v[3], v[4], q_north);
    return p;
}

Flow pipe_of(Place at, uint way, int dx, int dy, float slope, float rise, float gaps)
{
    bool straight = way < 2u;
    uint n = law.slots, i = at.slot;
    End a = end_at(at, 0, 0, -dx, -dy), b = end_at(at, dx, dy, dx, dy);
    Pipe p;
    p.slope = slope;
    p.u = straight ? speed_at(at, way, 0, 0) : speed[way * n + i];
    p.carried = 0.0;
    precise float both = a.depth + b.depth;
    p.both = larger(both, law.film);
#ifdef TRACED
    p.u = traced(at, way);
#elif defined(CARRIES)
    Past past;
    bool beside = false;
#ifdef ODD
    beside = straight && slope > 0.0 && (own_sides.live || far_sides[way & 1u].live);
    if (beside) past = past_beside(at, way, own_sides, far_sides[way & 1u]);
#endif
    if (!beside) past = past_of(at, way);
    p.carried = flow_carried(past, p.u);
    p.both = larger(p.both, flow_comes(past));
#endif
    p.rise = rise, p.side = 0.0, p.pull = 0.0;
#ifdef TILTED
    if (straight) {
        precise float side = lean_at(at, 0, 0, dy, dx) + lean_at(at, dx, dy, dy, dx);
        p.side = side;
#ifdef TENSE
        precise float pull = pull_at(at, 0, 0, dy, dx) + pull_at(at, dx, dy, dy, dx);
        p.pull = pull;
#endif
    }
#endif
    p.slant = 0.0, p.opening = 0.0, p.share = 1.0;
    float fall = straight ? law.fall : law.diagonal_fall, bend = law.bend;
    if (!straight) {
        precise float half_bend = 0.5 * law.bend;
        bend = half_bend;
    }
#ifdef HARD
    uint j = uint(int(i) + dx + dy * int(at.pitch));
    precise float slant = float(dx) * law.slant_x + float(dy) * law.slant_y;
    precise float opening = smaller(beds[n + i], beds[n + j]) - larger(a.base, b.base);
    precise float share = straight ? law.share + gaps * law.share_gap : law.diagonal_share;
    p.slant = slant, p.opening = opening, p.share = share;
#if defined(ODD) && defined(CARRIES)
    if (beside) p.share = law.share;
#endif
#endif
#ifdef TIMED
    p.low = speed_at(at, way, -dx, -dy), p.high = speed_at(at, way, dx, dy);
#if defined(ODD) && defined(CARRIES)
    return flow_through(a, b, p, fall, bend, !beside);
#else
    return flow_through(a, b, p, fall, bend, true);
#endif
#else
    return flow_through(a, b, p, fall, bend, false);
#endif
}
