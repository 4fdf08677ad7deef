// Command lines: one table per subcommand gives the parsing, the help text and the suggestions.
#include "app/manual.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS_MAX 64
#define HELP_COLUMN 26 // where the meanings of options start in a help text

rv_args rv_args_begin(const rv_command *command, int argc, char **argv)
{
    return (rv_args){.command = command, .argc = argc, .argv = argv, .next = 1};
}

const char *rv_program(const rv_command *command)
{
    return command->program ? command->program : "rivulet";
}

static rv_arg stop(rv_args *args, int status)
{
    args->status = status;
    return RV_ARG_STOP;
}

static rv_arg unknown_option(rv_args *args, const char *text, size_t length)
{
    char word[WORDS_MAX];
    rv_field_info rows[WORDS_MAX] = {{.key = "--help"}};
    int count = 1;
    snprintf(word, sizeof word, "%.*s", (int)(length < WORDS_MAX ? length : WORDS_MAX - 1), text);
    for (int i = 0; i < args->command->option_count && count < WORDS_MAX; i++)
        rows[count++].key = args->command->options[i].name;
    rv_table table = {"options", rows, count, 0};
    const char *near = rv_table_nearest(&table, word);
    if (near)
        return stop(args, rv_usage_error(args->command, "unknown option '%s'; did you mean '%s'?",
                                         word, near));
    return stop(args,
                rv_usage_error(args->command, "unknown option '%s'; `%s %s --help` lists them",
                               word, rv_program(args->command), args->command->name));
}

static rv_arg take_option(rv_args *args, const rv_option *option, const char *equals,
                          const char **value)
{
    *value = NULL;
    if (!option->value) {
        if (!equals) return RV_ARG_OPTION;
        return stop(args, rv_usage_error(args->command, "%s takes no value", option->name));
    }
    if (equals)
        *value = equals + 1;
    else if (args->next < args->argc)
        *value = args->argv[args->next++];
    if (*value) return RV_ARG_OPTION;
    return stop(args, rv_usage_error(args->command, "%s needs a value: %s %s", option->name,
                                     option->name, option->value));
}

rv_arg rv_args_next(rv_args *args, const char **name, const char **value)
{
    *name = *value = NULL;
    if (args->next >= args->argc) return RV_ARG_END;
    const char *text = args->argv[args->next++];
    if (args->plain_only || text[0] != '-' || text[1] == '\0') {
        *value = text;
        return RV_ARG_PLAIN;
    }
    if (strcmp(text, "--") == 0) {
        args->plain_only = true;
        return rv_args_next(args, name, value);
    }
    if (strcmp(text, "--help") == 0 || strcmp(text, "-h") == 0) {
        rv_command_help(args->command);
        return stop(args, 0);
    }
    if (strncmp(text, "--help=", 7) == 0 && rv_manual_of(text + 7) != RV_MANUAL_NONE) {
        rv_manual_command(rv_manual_of(text + 7), args->command);
        return stop(args, 0);
    }
    const char *equals = strchr(text, '=');
    size_t length = equals ? (size_t)(equals - text) : strlen(text);
    for (int i = 0; i < args->command->option_count; i++) {
        const rv_option *option = &args->command->options[i];
        if (strlen(option->name) != length || memcmp(option->name, text, length) != 0) continue;
        *name = option->name;
        return take_option(args, option, equals, value);
    }
    return unknown_option(args, text, length);
}

int rv_args_read(const rv_command *command, int argc, char **argv, const char *noun,
                 const char **subject,
                 bool (*take)(void *user, const char *name, const char *value), void *user)
{
    rv_args args = rv_args_begin(command, argc, argv);
    const char *name, *value;
    for (rv_arg kind; (kind = rv_args_next(&args, &name, &value)) != RV_ARG_END;) {
        if (kind == RV_ARG_STOP) return args.status;
        if (kind == RV_ARG_OPTION) {
            if (!take(user, name, value)) return RV_EXIT_USAGE;
        } else if (*subject) {
            return rv_usage_error(command, "'%s': only one %s at a time", value, noun);
        } else {
            *subject = value;
        }
    }
    return -1;
}

// "   --time S              how long", further lines of the meaning below each other.
static void print_option(const char *name, const char *value, const char *meaning)
{
    int used = printf("  %s%s%s", name, value ? " " : "", value ? value : "");
    if (used >= HELP_COLUMN) used = printf("\n") - 1;
    for (const char *line = meaning; *line;) {
        size_t length = strcspn(line, "\n");
        printf("%*s%.*s\n", HELP_COLUMN - used, "", (int)length, line);
        line += length + (line[length] == '\n');
        used = 0;
    }
}

void rv_command_help(const rv_command *command)
{
    printf("usage: %s %s %s\n\n%s\n\noptions:\n", rv_program(command), command->name,
           command->arguments, command->about);
    for (int i = 0; i < command->option_count; i++)
        print_option(command->options[i].name, command->options[i].value,
                     command->options[i].meaning);
    print_option("--help", NULL, "this text");
}

int rv_usage_error(const rv_command *command, const char *format, ...)
{
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    fprintf(stderr, "%s %s: %s\n", rv_program(command), command->name, line);
    return RV_EXIT_USAGE;
}

bool rv_option_real(const rv_command *command, const char *name, const char *text, const char *unit,
                    double low, double high, double *out)
{
    char why[256];
    rv_field_info field = {.key = name, .type = RV_REAL, .unit = unit, .low = low, .high = high};
    if (rv_field_parse(&field, text, out, why, sizeof why)) return true;
    rv_usage_error(command, "%s: %s", name, why);
    return false;
}

bool rv_option_whole(const rv_command *command, const char *name, const char *text, long low,
                     long high, long *out)
{
    double value = 0;
    if (!rv_option_real(command, name, text, "1", (double)low, (double)high, &value)) return false;
    *out = (long)value;
    if ((double)*out == value) return true;
    rv_usage_error(command, "%s: '%s' is not a whole number", name, text);
    return false;
}

const char *rv_nearest_word(const char *words, const char *text, int *length)
{
    char copy[WORDS_MAX][WORDS_MAX];
    const char *starts[WORDS_MAX];
    rv_field_info rows[WORDS_MAX] = {0};
    int count = 0;
    for (const char *word = words; *word && count < WORDS_MAX;) {
        size_t n = strcspn(word, "|");
        snprintf(copy[count], sizeof copy[count], "%.*s", (int)(n < 63 ? n : 63), word);
        rows[count].key = copy[count];
        starts[count++] = word;
        word += n + (word[n] == '|');
    }
    rv_table table = {"words", rows, count, 0};
    const char *near = rv_table_nearest(&table, text);
    for (int i = 0; near && i < count; i++) {
        if (rows[i].key != near) continue;
        *length = (int)strlen(near);
        return starts[i];
    }
    return NULL;
}

int rv_unknown_word(const char *program, const char *words, const char *word)
{
    int length;
    const char *near = rv_nearest_word(words, word, &length);
    const char *kind = word[0] == '-' ? "option" : "subcommand";
    if (near)
        fprintf(stderr, "%s: unknown %s '%s'; did you mean '%.*s'?\n", program, kind, word, length,
                near);
    else
        fprintf(stderr, "%s: unknown %s '%s'; `%s --help` lists them\n", program, kind, word,
                program);
    return RV_EXIT_USAGE;
}

int rv_print_messages(const rv_messages *messages)
{
    int lines = 0;
    for (const char *c = messages->text; *c; c++) lines += *c == '\n';
    lines += messages->text[0] != '\0';
    if (lines > 0) fprintf(stderr, "%s\n", messages->text);
    if (messages->count > lines)
        fprintf(stderr, "… and %d more problem%s\n", messages->count - lines,
                messages->count - lines == 1 ? "" : "s");
    return RV_EXIT_USAGE;
}

void rv_print_warnings(const rv_messages *messages)
{
    for (const char *c = messages->text; *c;) {
        size_t length = strcspn(c, "\n");
        fprintf(stderr, "warning: %.*s\n", (int)length, c);
        c += length + (c[length] == '\n');
    }
}

bool rv_app_load(const char *name, const char *const *sets, int set_count, rv_scene_file *scene)
{
    rv_messages messages = {0};
    if (!rv_scene_load(name, scene, &messages)) {
        // The assignments are looked at too, on default parameters, so that all problems come at
        // once.
        rv_scene_file other = {.params = rv_default_params()};
        for (int i = 0; i < set_count; i++) rv_scene_set(&other, sets[i], &messages);
        rv_scene_free(&other);
        rv_print_messages(&messages);
        return false;
    }
    for (int i = 0; i < set_count; i++) rv_scene_set(scene, sets[i], &messages);
    if (messages.count == 0 && set_count > 0) rv_scene_check(scene, &messages);
    if (messages.count == 0) return true;
    rv_print_messages(&messages);
    rv_scene_free(scene);
    return false;
}
