// The manual page and the completions of shells, from the tables that --help is made from: each
// subcommand is asked for its own with --help=man, bash, zsh or fish, and main.c for all of them.
#include "app/manual.h"

#include <stdio.h>
#include <string.h>

rv_manual rv_manual_of(const char *word)
{
    static const char *const names[] = {"man", "bash", "zsh", "fish"};
    for (int i = 0; i < 4; i++)
        if (strcmp(word, names[i]) == 0) return (rv_manual)(i + 1);
    return RV_MANUAL_NONE;
}

// ---- What an option's value is ------------------------------------------------------------------

static bool is_file(const rv_option *option)
{
    return option->value &&
           (strncmp(option->value, "FILE", 4) == 0 || strncmp(option->value, "DIR", 3) == 0);
}

static bool is_key(const rv_option *option)
{
    return option->value && strcmp(option->value, "KEY=VALUE") == 0;
}

// ---- The manual page ----------------------------------------------------------------------------

// A hyphen is a minus, a backslash itself, and no line begins with a request.
static void print_roff(const char *text)
{
    bool start = true;
    for (const char *c = text; *c; c++) {
        if (start && (*c == '.' || *c == '\'')) fputs("\\&", stdout);
        if (*c == '-')
            fputs("\\-", stdout);
        else if (*c == '\\')
            fputs("\\e", stdout);
        else
            putchar(*c);
        start = *c == '\n';
    }
}

static void man_command(const rv_command *command)
{
    fputs(".SS rivulet ", stdout);
    print_roff(command->name);
    putchar(' ');
    print_roff(command->arguments);
    putchar('\n');
    print_roff(command->about);
    putchar('\n');
    for (int i = 0; i < command->option_count; i++) {
        const rv_option *option = &command->options[i];
        fputs(".TP\n.B ", stdout);
        print_roff(option->name);
        if (option->value) {
            fputs(" \\fI", stdout);
            print_roff(option->value);
            fputs("\\fR", stdout);
        }
        putchar('\n');
        print_roff(option->meaning);
        putchar('\n');
    }
}

static void man_begin(void)
{
    printf(".TH RIVULET 1 \"\" \"rivulet %s\" \"User Commands\"\n", rv_version());
    fputs(
        ".SH NAME\nrivulet \\- liquid on solid things, in real time\n"
        ".SH SYNOPSIS\n.B rivulet\n.I SUBCOMMAND\n.RI [ options ]\n"
        ".SH DESCRIPTION\nSimulates liquid that runs over, under and through solid things: films, "
        "puddles,\nrivulets, splashes, rain on glass. It leaves pictures, films, meshes and "
        "numbers, and has\na window to pour and drill in. A scene is a shipped name or a YAML "
        "file.\n.SH SUBCOMMANDS\n",
        stdout);
}

static void man_end(void)
{
    fputs(
        ".SH EXIT STATUS\n0: done. 1: something failed on the way. 2: bad usage or bad input, "
        "told in one line each.\n"
        ".SH ENVIRONMENT\n.TP\n.B RIVULET_SCENES\nthe folder of the shipped scenes\n"
        ".TP\n.B RIVULET_ISA\navx512, avx2 or baseline: the instruction set; results are the same\n"
        ".SH EXAMPLES\n.nf\nrivulet run coffee \\-\\-image coffee.png\n"
        "rivulet view surgery\nrivulet run coffee \\-\\-set liquid.viscosity=1e\\-4 \\-\\-video "
        "syrup.mp4\n.fi\n",
        stdout);
}

// ---- Shells -------------------------------------------------------------------------------------

static void print_options(const rv_command *command, bool (*which)(const rv_option *option))
{
    for (int i = 0; i < command->option_count; i++)
        if (which(&command->options[i])) printf(" %s", command->options[i].name);
}

static bool any(const rv_option *option)
{
    return option != NULL;
}

static bool other_value(const rv_option *option)
{
    return option->value && !is_file(option) && !is_key(option);
}

static void print_keys(void)
{
    const rv_table *table = rv_params_table();
    for (int i = 0; i < table->count; i++) printf(" %s", table->fields[i].key);
}

static void bash_command(const rv_command *command)
{
    printf("    %s)\n        options=\"--help", command->name);
    print_options(command, any);
    fputs("\"\n        files=\"", stdout);
    print_options(command, is_file);
    fputs(" \"\n        values=\"", stdout);
    print_options(command, other_value);
    fputs(" \"\n        ;;\n", stdout);
}

static void bash_begin(const char *names)
{
    fputs("# bash completion for rivulet, made by `rivulet --help=bash`\n"
          "_rivulet() {\n"
          "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
          "    local options files values keys=\"",
          stdout);
    print_keys();
    printf("\"\n    COMPREPLY=()\n    if ((COMP_CWORD == 1)); then\n"
           "        COMPREPLY=($(compgen -W \"%s --help --version\" -- \"$cur\"))\n        return\n"
           "    fi\n    case ${COMP_WORDS[1]} in\n",
           names);
}

static void bash_end(void)
{
    fputs("    *) return ;;\n    esac\n"
          "    if [[ $prev == --set ]]; then\n        compopt -o nospace\n"
          "        COMPREPLY=($(compgen -W \"$keys\" -S = -- \"$cur\"))\n"
          "    elif [[ $files == *\" $prev \"* ]]; then\n"
          "        compopt -o filenames\n        COMPREPLY=($(compgen -f -- \"$cur\"))\n"
          "    elif [[ $values == *\" $prev \"* ]]; then\n        return\n"
          "    elif [[ $cur == -* ]]; then\n"
          "        COMPREPLY=($(compgen -W \"$options\" -- \"$cur\"))\n"
          "    else\n        compopt -o filenames\n"
          "        COMPREPLY=($(compgen -f -- \"$cur\")\n"
          "            $(compgen -W \"$(rivulet scenes 2>/dev/null | awk '{print $1}')\" -- "
          "\"$cur\"))\n    fi\n}\ncomplete -F _rivulet rivulet\n",
          stdout);
}

// The first line of a meaning, without what a shell's quotes or brackets would trip over.
static void print_meaning(const char *text)
{
    for (; *text && *text != '\n'; text++)
        if (!strchr("'\"`[]:$\\", *text)) putchar(*text);
}

static void zsh_command(const rv_command *command)
{
    printf("    %s)\n        _arguments '--help[tell more]'", command->name);
    for (int i = 0; i < command->option_count; i++) {
        const rv_option *o = &command->options[i];
        printf(" \\\n            '%s%s[", is_key(o) ? "*" : "", o->name);
        print_meaning(o->meaning);
        putchar(']');
        if (is_key(o))
            fputs(":key:_rivulet_keys", stdout);
        else if (o->value)
            printf(":value:%s", is_file(o) ? "_files" : "");
        putchar('\'');
    }
    fputs(" \\\n            '*:scene or file:_rivulet_scenes'\n        ;;\n", stdout);
}

static void zsh_begin(const char *names)
{
    fputs("#compdef rivulet\n# made by `rivulet --help=zsh`\n"
          "_rivulet_keys() { compadd -S = --",
          stdout);
    print_keys();
    printf("; }\n_rivulet_scenes() { compadd -- ${(f)\"$(rivulet scenes 2>/dev/null | awk '{print "
           "$1}')\"}; _files }\n"
           "_rivulet() {\n    if ((CURRENT == 2)); then\n"
           "        compadd -- %s --help --version\n        return\n    fi\n"
           "    local name=${words[2]}\n    shift words\n    ((CURRENT--))\n    case $name in\n",
           names);
}

static void zsh_end(void)
{
    fputs("    esac\n}\n_rivulet \"$@\"\n", stdout);
}

static void fish_command(const rv_command *command)
{
    for (int i = 0; i < command->option_count; i++) {
        const rv_option *o = &command->options[i];
        printf("complete -c rivulet -n '__fish_seen_subcommand_from %s' -l %s%s -d '",
               command->name, o->name + 2,
               !o->value    ? ""
               : is_file(o) ? " -r -F"
                            : " -x");
        print_meaning(o->meaning);
        putchar('\'');
        if (is_key(o)) {
            fputs(" -a '", stdout);
            const rv_table *table = rv_params_table();
            for (int k = 0; k < table->count; k++) printf("%s= ", table->fields[k].key);
            putchar('\'');
        }
        putchar('\n');
    }
}

static void fish_begin(const char *names)
{
    printf("# fish completion for rivulet, made by `rivulet --help=fish`\n"
           "complete -c rivulet -n __fish_use_subcommand -f -a '%s'\n"
           "complete -c rivulet -n '__fish_seen_subcommand_from run view inspect params bench' "
           "-a \"(rivulet scenes 2>/dev/null | string replace -r ' .*' '')\"\n",
           names);
}

// ---- All of it ----------------------------------------------------------------------------------

void rv_manual_begin(rv_manual manual, const char *names)
{
    if (manual == RV_MANUAL_MAN) man_begin();
    if (manual == RV_MANUAL_BASH) bash_begin(names);
    if (manual == RV_MANUAL_ZSH) zsh_begin(names);
    if (manual == RV_MANUAL_FISH) fish_begin(names);
}

void rv_manual_command(rv_manual manual, const rv_command *command)
{
    if (manual == RV_MANUAL_MAN) man_command(command);
    if (manual == RV_MANUAL_BASH) bash_command(command);
    if (manual == RV_MANUAL_ZSH) zsh_command(command);
    if (manual == RV_MANUAL_FISH) fish_command(command);
}

void rv_manual_end(rv_manual manual)
{
    if (manual == RV_MANUAL_MAN) man_end();
    if (manual == RV_MANUAL_BASH) bash_end();
    if (manual == RV_MANUAL_ZSH) zsh_end();
}
