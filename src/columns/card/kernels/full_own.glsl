// The pipes of listed columns, a thread each, as full_heads finds them for the kernels after it.
#define MEMBERS 256u // RV_PLAIN_MOST
#define OWN_MOST 24u // pipes of a column
// Words of the e-th pipe of this thread's column.
#define OWN(word, e) full[PIPES_AT + ((word) * OWN_MOST + (e)) * MEMBERS + gl_LocalInvocationIndex]
#define PLACE 0u // with COMES_IN
#define LINK 1u  // one more than the place of the other end in the list, and IS_DRY, IS_SHUT
#define OPENING 2u
#define CONDUCT 3u // doubles
#define START 5u
#define GATE 7u
#define OTHER 9u
#define COMES_IN 0x40000000u // positive flux does
#define IS_DRY 0x80000000u   // what is at the other end
#define IS_SHUT 0x40000000u

#define OWN_COUNT full[PIPES_AT + 10u * OWN_MOST * MEMBERS + gl_LocalInvocationIndex]

double own_double(uint word, uint e)
{
    return packDouble2x32(uvec2(OWN(word, e), OWN(word + 1u, e)));
}

void put_own(uint word, uint e, double value)
{
    uvec2 words = unpackDouble2x32(value);
    OWN(word, e) = words.x, OWN(word + 1u, e) = words.y;
}

uint link_of(uint e)
{
    return OWN(LINK, e) & ~(IS_DRY | IS_SHUT);
}

