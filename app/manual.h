// The manual page and the completions of shells, made from the tables of options.
#ifndef APP_MANUAL_H
#define APP_MANUAL_H

#include "app/options.h"

typedef enum rv_manual {
    RV_MANUAL_NONE,
    RV_MANUAL_MAN,
    RV_MANUAL_BASH,
    RV_MANUAL_ZSH,
    RV_MANUAL_FISH
} rv_manual;

// "man", "bash", "zsh", "fish".
rv_manual rv_manual_of(const char *word);

// What stands before the subcommands, for each of them, and after them. `names`: all of them, with
// spaces between.
void rv_manual_begin(rv_manual manual, const char *names);
void rv_manual_command(rv_manual manual, const rv_command *command);
void rv_manual_end(rv_manual manual);

#endif
