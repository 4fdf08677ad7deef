// Angles evened out along lines of contacts, and the field there (../../contacts.c).
layout(local_size_x = 64) in;

#include "contact"

#define EVEN_OVER 8

uint step_on(uint k, uint word)
{
    uint other = word_of(k, word);
    return other != NONE ? other : k;
}

void main()
{
    uint k = thread_x();
    if (k >= law.fresh || !is_contact(law.inside + k)) return;
    float tilt = number_of(k, IS_REST);
    if ((law.has & HAS_BENDS) != 0u) {
        precise float sum = float(EVEN_OVER) * tilt;
        for (uint on = 0u; on < 2u; on++) {
            uint o = k;
            for (int n = EVEN_OVER - 1; n > 0; n--) {
                o = step_on(o, IS_BEFORE + on);
                sum += float(n) * number_of(o, IS_REST);
            }
        }
        precise float mean = sum * (1.0 / float(EVEN_OVER * EVEN_OVER));
        tilt = mean;
    }
    set_number(k, IS_TILT, tilt);
    set_field(law.inside + k, 0.0, pair_of(k, IS_TO_X), tilt);
}
