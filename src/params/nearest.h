// How far a misspelt word is from a known one.
#ifndef RV_PARAMS_NEAREST_H
#define RV_PARAMS_NEAREST_H

#include <stddef.h>

#define RV_WORD_MAX 64 // longer words are near nothing

// Least number of letters to insert, drop, change or swap with a neighbour. Case, '-' and '_' do
// not count. A large number when one of them is longer than RV_WORD_MAX.
int rv_edit_distance(const char *a, size_t a_length, const char *b, size_t b_length);

// Most edits at which a word of this length is still taken for a misspelling.
int rv_edit_limit(size_t length);

#endif
