// Words of a list of places, for the processor: PLACES puts the list's words there instead.
layout(local_size_x = 64) in;
#include "picked"
#ifdef PLACES
#define FIRST_TOLD 0u
#else
#define FIRST_TOLD 256u // after a list of columns that there is none of
#endif

void main()
{
    uint k = thread_here().x;
    if (k < law.count) trade(k, law.list_at + 2u * law.count + FIRST_TOLD + k);
}
