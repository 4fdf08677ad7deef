// Angles evened out along lines of contacts, and the field there (../../contacts.c).
layout(local_size_x = 64) in;

#include "contact"

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
        precise float sum = 3.0 * tilt;
        for (uint on = 0u; on < 2u; on++) {
            uint o = step_on(k, IS_BEFORE + on);
            sum += 2.0 * number_of(o, IS_REST) + number_of(step_on(o, IS_BEFORE + on), IS_REST);
        }
        precise float mean = sum * 0.111111111111;
        tilt = mean;
    }
    set_number(k, IS_TILT, tilt);
    set_field(law.inside + k, 0.0, pair_of(k, IS_TO_X), tilt);
}
