// Makes kernels when they are first asked for: one text serves several, by the words that are
// defined before it.
#include "columns/card/card.h"

#include <stdio.h>
#include <string.h>

static const char *text_of(const char *name)
{
    for (const rv_kernel_text *k = rv_kernel_texts; k->name; k++)
        if (strcmp(k->name, name) == 0) return k->text;
    return "";
}

// A line for each word of the ease.
static void write_words(unsigned ease, char *out, size_t room)
{
    static const char *const words[RV_EASES] = {
        "FLOW",   "EIGHT", "PLAIN",   "PRESSED",  "TILTED", "HARD",     "CARRIES",
        "TRACED", "TIMED", "LIMITED", "PARTED",   "ODD",    "CEILINGS", "TENSE",
        "FIRST",  "LAST",  "TWIN",    "SETTLED",  "PLACES", "WAKES",    "TWICE",
        "STOPS",  "ENDS",  "MANY",    "PASSAGES", "KEEPS",  "DOUBLES"};
    size_t used = 0;
    out[0] = 0;
    for (int k = 0; k < RV_EASES; k++)
        if (ease >> k & 1)
            used += (size_t)snprintf(out + used, room - used, "#define %s\n", words[k]);
}

rv_device_kernel *rv_card_kernel_for(rv_engine *s, const char *name, unsigned ease)
{
    rv_card *c = s->card;
    for (int k = 0; k < c->kernel_count; k++)
        if (c->kernel[k].ease == ease && strcmp(c->kernel[k].name, name) == 0)
            return c->kernel[k].kernel;
    char words[RV_EASES * 24];
    write_words(ease, words, sizeof words);
    const char *parts[] = {words, text_of("common"), text_of(name), text_of("thread")};
    rv_device_kernel *made = NULL;
    if (c->asking) {
        c->device->ask_kernel(c->device->user, parts, 4);
        return NULL;
    }
    rv_result result =
        c->kernel_count < RV_CARD_KERNELS
            ? c->device->make_kernel(c->device->user, name, parts, 4, &made, &c->said)
            : RV_OUT_OF_MEMORY;
    if (result != RV_OK) {
        rv_card_fail(s, result);
        return NULL;
    }
    c->kernel[c->kernel_count++] = (rv_card_kernel){name, ease, made};
    return made;
}
