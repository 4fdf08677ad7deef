// Suggestions: the known key nearest to a misspelt one, by edit distance (optimal string
// alignment).
#include "params/nearest.h"

#include "rivulet/params.h"

#include <limits.h>
#include <string.h>

static char fold(char c)
{
    if (c >= 'A' && c <= 'Z') return (char)(c - 'A' + 'a');
    return c == '-' ? '_' : c;
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

int rv_edit_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    if (a_length > RV_WORD_MAX || b_length > RV_WORD_MAX) return INT_MAX / 4;
    // Three rows are enough: swapping two letters looks two rows back.
    int rows[3][RV_WORD_MAX + 1];
    for (size_t j = 0; j <= b_length; j++) rows[0][j] = (int)j;
    for (size_t i = 1; i <= a_length; i++) {
        int *row = rows[i % 3], *last = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
        row[0] = (int)i;
        for (size_t j = 1; j <= b_length; j++) {
            int change = fold(a[i - 1]) != fold(b[j - 1]);
            int best = least(last[j - 1] + change, least(last[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && fold(a[i - 1]) == fold(b[j - 2]) &&
                fold(a[i - 2]) == fold(b[j - 1]))
                best = least(best, before[j - 2] + 1);
            row[j] = best;
        }
    }
    return rows[a_length % 3][b_length];
}

int rv_edit_limit(size_t length)
{
    return length < 3 ? 1 : (int)((length + 2) / 3);
}

static const char *last_component(const char *key)
{
    const char *dot = strrchr(key, '.');
    return dot ? dot + 1 : key;
}

// Twice the edits between two keys, or INT_MAX when they are not alike. The last component must be
// alike in any case: a group that is right says nothing about it. A key whose group is wrong or
// missing loses a tie against one that is near as a whole.
static int distance(const char *key, const char *known)
{
    const char *part = last_component(key), *known_part = last_component(known);
    size_t length = strlen(key), part_length = strlen(part);
    int partial = rv_edit_distance(part, part_length, known_part, strlen(known_part));
    if (partial > rv_edit_limit(part_length)) return INT_MAX;
    int whole = rv_edit_distance(key, length, known, strlen(known));
    int best = whole <= rv_edit_limit(length) ? 2 * whole : INT_MAX;
    bool grouped = part != key || known_part != known;
    int limit = part_length < 3 ? 0 : rv_edit_limit(part_length) - 1;
    return grouped && partial <= limit ? least(best, 2 * partial + 1) : best;
}

const char *rv_table_nearest(const rv_table *table, const char *key)
{
    if (!table || !key || !*key) return NULL;
    const char *nearest = NULL;
    int best = INT_MAX;
    for (int i = 0; i < table->count; i++) {
        int d = distance(key, table->fields[i].key);
        if (d >= best) continue;
        best = d;
        nearest = table->fields[i].key;
    }
    return nearest;
}
