// Numbers SCANNED(0) and on become the sums of those before them; returned is the sum of all. In one group of 256.
shared uint scan_part[256];

uint scan(uint count)
{
    uint own = gl_LocalInvocationIndex, each = (count + 255u) / 256u, from = own * each;
    uint to = min(from + each, count), all = 0u;
    for (uint n = from; n < to; n++) all += SCANNED(n);
    scan_part[own] = all;
    barrier();
    for (uint by = 1u; by < 256u; by *= 2u) {
        uint more = own >= by ? scan_part[own - by] : 0u;
        barrier();
        scan_part[own] += more;
        barrier();
    }
    uint at = scan_part[own] - all;
    for (uint n = from; n < to; n++) {
        uint number = SCANNED(n);
        SCANNED(n) = at;
        at += number;
    }
    return scan_part[255];
}
