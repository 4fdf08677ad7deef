// The rivulet command: finds the subcommand and leaves the rest to it.
#include "app/manual.h"

#include <stdio.h>
#include <string.h>

typedef struct subcommand {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *arguments, *meaning;
} subcommand;

static const subcommand subcommands[] = {
    {"scenes", rv_app_scenes, "", "list the shipped scenes"},
    {"params", rv_app_params, "[SCENE]",
     "list every parameter: key, unit, default, range, meaning"},
    {"liquids", rv_app_liquids, "", "list the liquids and where their numbers are from"},
    {"run", rv_app_run, "SCENE [options]", "simulate a scene; write states, statistics, pictures"},
    {"study", rv_app_study, "FILE [options]", "many worlds from one scene; a table of the results"},
    {"view", rv_app_view, "SCENE [options]", "a window: turn, pour, drill, change everything"},
    {"inspect", rv_app_inspect, "FILE [options]",
     "tell what a mesh, volume, height map or scene is"},
    {"verify", rv_app_verify, "[CASE...]", "compare the solvers with exact solutions"},
    {"bench", rv_app_bench, "[SCENE...]", "time the shipped scenes"},
};
#define SUBCOMMANDS ((int)(sizeof subcommands / sizeof subcommands[0]))

static void print_help(FILE *out)
{
    fputs("rivulet: liquid on solid things, in real time\n\nusage:\n", out);
    for (int i = 0; i < SUBCOMMANDS; i++) {
        char usage[64];
        snprintf(usage, sizeof usage, "%s %s", subcommands[i].name, subcommands[i].arguments);
        fprintf(out, "  rivulet %-22s %s\n", usage, subcommands[i].meaning);
    }
    fputs("  rivulet --version              print the version\n"
          "  rivulet --help=man             print the manual page; =bash, =zsh, =fish: "
          "completions\n\n"
          "`rivulet SUBCOMMAND --help` tells more. SCENE is a shipped name or a YAML file.\n"
          "A first try:  rivulet run coffee --image coffee.png\n",
          out);
}

static int unknown(const char *word)
{
    char words[128] = "--help|--version";
    size_t used = strlen(words);
    for (int i = 0; i < SUBCOMMANDS; i++)
        used += (size_t)snprintf(words + used, sizeof words - used, "|%s", subcommands[i].name);
    return rv_unknown_word("rivulet", words, word);
}

// The manual page, or what a shell completes words with, of all subcommands.
static int print_manual(rv_manual manual, char *word)
{
    char names[128] = "";
    size_t used = 0;
    for (int i = 0; i < SUBCOMMANDS; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i > 0 ? " " : "",
                                 subcommands[i].name);
    rv_manual_begin(manual, names);
    for (int i = 0; i < SUBCOMMANDS; i++) {
        char name[16];
        snprintf(name, sizeof name, "%s", subcommands[i].name);
        char *arguments[] = {name, word, NULL};
        int status = subcommands[i].run(2, arguments);
        if (status != 0) return status;
    }
    rv_manual_end(manual);
    return 0;
}

// What was printed must have arrived: a full disk under a redirected output is an error.
static int finish(int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout)) return status;
    fputs("rivulet: the output could not be written\n", stderr);
    return status ? status : 1;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return RV_EXIT_USAGE;
    }
    const char *word = argv[1];
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0) {
        print_help(stdout);
        return finish(0);
    }
    if (strncmp(word, "--help=", 7) == 0 && rv_manual_of(word + 7) != RV_MANUAL_NONE)
        return finish(print_manual(rv_manual_of(word + 7), argv[1]));
    if (strcmp(word, "--version") == 0) {
        printf("rivulet %s\n", rv_version());
        return finish(0);
    }
    rv_messages messages = {0};
    if (!rv_instructions_check(&messages)) {
        fprintf(stderr, "rivulet: %s\n", messages.text);
        return RV_EXIT_USAGE;
    }
    for (int i = 0; i < SUBCOMMANDS; i++)
        if (strcmp(word, subcommands[i].name) == 0)
            return finish(subcommands[i].run(argc - 1, argv + 1));
    return unknown(word);
}
