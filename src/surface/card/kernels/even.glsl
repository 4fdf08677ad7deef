// Angles evened out along lines of contacts, and the field there (../../contacts.c).
#ifndef ALONE
layout(local_size_x = 64) in;
#endif

#include "contact"

#define EVEN_OVER 8

#ifdef ALONE
shared uint even_on[ENDS_MOST]; // as line_on, of those that are settled
shared float even_rest[ENDS_MOST];

void bring_even(uint k)
{
    even_on[k] = min(word_of(k, IS_BEFORE), NOBODY) | min(word_of(k, IS_AFTER), NOBODY) << 16;
    even_rest[k] = number_of(k, IS_REST);
}

uint beside_even(uint k, bool on)
{
    uint o = on ? even_on[k] >> 16 : even_on[k] & NOBODY;
    return o == NOBODY ? NONE : o;
}

float rest_at(uint k)
{
    return even_rest[k];
}
#else
uint beside_even(uint k, bool on)
{
    return word_of(k, on ? IS_AFTER : IS_BEFORE);
}

float rest_at(uint k)
{
    return number_of(k, IS_REST);
}
#endif

void even_out(uint k)
{
    float tilt = rest_at(k);
    if ((law.has & HAS_BENDS) != 0u) {
        precise float sum = float(EVEN_OVER) * tilt;
        for (uint on = 0u; on < 2u; on++) {
            uint o = k;
            for (int n = EVEN_OVER - 1; n > 0; n--) {
                uint next = beside_even(o, on == 1u);
                o = next != NONE ? next : o;
                sum += float(n) * rest_at(o);
            }
        }
        precise float mean = sum * (1.0 / float(EVEN_OVER * EVEN_OVER));
        tilt = mean;
    }
    set_number(k, IS_TILT, tilt);
    set_field(counted.inside + k, 0.0, pair_of(k, IS_TO_X), tilt);
}

#ifndef ALONE
void main()
{
    uint k = thread_x();
    take_counts();
    if (k < counted.fresh && is_contact(counted.inside + k)) even_out(k);
}
#endif
