// The odd pipes of a column, four at a time. The way to memory is long: all that is known of four is
// asked for at once, where a loop over single ones would go that way for each of them, and for the
// next thing after each. Needs odd_columns.
#define NO_SLOT 0xffffffffu

uint column_word(uint k, uint word)
{
    return odd_columns[law.slots + 4u * k + word];
}

// Entries of an odd column.
struct OddSpan {
    uint first, end;
};

OddSpan span_of(uint k)
{
    uint first = column_word(k, 1u), count = column_word(k, 2u);
    return OddSpan(first, first + count);
}

struct OddFour {
    uvec4 pipe, how; // side, and over 255: positive flux leaves the column
};

// From entry e on, which is before `end`; past that the last one again.
OddFour four_from(uint e, uint end)
{
    uint at = law.slots + 4u * law.columns;
    uvec4 w = at + 2u * min(uvec4(e, e + 1u, e + 2u, e + 3u), uvec4(end - 1u));
    return OddFour(uvec4(odd_columns[w.x], odd_columns[w.y], odd_columns[w.z], odd_columns[w.w]),
                   uvec4(odd_columns[w.x + 1u], odd_columns[w.y + 1u], odd_columns[w.z + 1u],
                         odd_columns[w.w + 1u]));
}

#define FOUR_OF(array, at) vec4(array[(at).x], array[(at).y], array[(at).z], array[(at).w])
#define FOUR_WORDS(array, at) uvec4(array[(at).x], array[(at).y], array[(at).z], array[(at).w])
