// Form height: what a cell's second number told of closed cells, bodies use (floating.c).
layout(local_size_x = 32, local_size_y = 4) in;

void main()
{
    ivec3 c = ivec3(thread_here());
    if (!halted() && inside(c)) cells[slot_of(c)].y = 0.0;
}
