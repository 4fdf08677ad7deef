// Nothing but depth.
#include frame

void main()
{
}
