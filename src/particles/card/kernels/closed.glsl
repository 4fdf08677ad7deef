// Form height: cells that are closed have no level of their own (fill_closed in narrow.c). AGAIN: the
// second round.
layout(local_size_x = 32, local_size_y = 4) in;

void main()
{
    ivec3 c = ivec3(thread_here());
    if (halted() || !inside(c)) return;
    uint at = slot_of(c);
    precise float sum = 0.0;
    float count = 0.0;
    if (solid[at] > 0.0) return;
#ifdef AGAIN
    if (cells[at].y > 0.0) return;
#endif
    for (int j = c.y > 0 ? -1 : 0; j <= (c.y + 1 < law.cells.y ? 1 : 0); j++)
        for (int i = c.x > 0 ? -1 : 0; i <= (c.x + 1 < law.cells.x ? 1 : 0); i++) {
            uint o = slot_of(c + ivec3(i, j, 0));
            bool has = solid[o] > 0.0;
#ifdef AGAIN
            has = has || cells[o].y == 1.0;
#endif
            sum = sum + (has ? cells[o].x : 0.0);
            count += has ? 1.0 : 0.0;
        }
    if (!(count > 0.0)) return;
#ifdef AGAIN
    cells[at].xy = vec2(over_of(sum, count), 2.0);
#else
    cells[at].xy = vec2(over_of(sum, count), 1.0);
#endif
}
