// Command lines: one table per subcommand gives the parsing, the help text and the suggestions.
//
//     static const rv_option options[] = {{"--json", NULL, "as JSON"}, {"--plots", "DIR", "…"}};
//     static const rv_command command = {"verify", "[CASE…] [options]", "…", options, 2, NULL};
//
//     rv_args args = rv_args_begin(&command, argc, argv);
//     const char *name, *value;
//     for (rv_arg kind; (kind = rv_args_next(&args, &name, &value)) != RV_ARG_END;) {
//         if (kind == RV_ARG_STOP) return args.status; // help or an error, already printed
//         if (kind == RV_ARG_PLAIN) …value…
//         else if (strcmp(name, "--json") == 0) …
//     }
#ifndef APP_OPTIONS_H
#define APP_OPTIONS_H

#include "io/scene_file.h"

#define RV_EXIT_USAGE 2 // bad usage or bad input

typedef struct rv_option {
    const char *name;    // "--time"
    const char *value;   // what follows it, "S"; NULL: a switch
    const char *meaning; // for the help text; '\n' starts a new line
} rv_option;

typedef struct rv_command {
    const char *name;      // "run"
    const char *arguments; // "SCENE [options]"
    const char *about;     // for the help text, any number of lines, no trailing newline
    const rv_option *options;
    int option_count;
    const char *program; // whose subcommand it is; NULL: rivulet
} rv_command;

typedef enum rv_arg { RV_ARG_END, RV_ARG_OPTION, RV_ARG_PLAIN, RV_ARG_STOP } rv_arg;

typedef struct rv_args {
    const rv_command *command;
    int argc;
    char **argv;
    int next;
    bool plain_only; // after "--"
    int status;      // exit code when RV_ARG_STOP came
} rv_args;

// argv[0] is the subcommand.
rv_args rv_args_begin(const rv_command *command, int argc, char **argv);
// The next argument: `--name value` and `--name=value` alike. Answers --help itself.
rv_arg rv_args_next(rv_args *args, const char **name, const char **value);

// All arguments of a subcommand that is about one thing, such as a scene: the word that stands
// alone goes to *subject, `noun` being what to call it when there are two; options go to `take`,
// which says false when it printed an error. −1: go on; else the exit code. *subject stays as it
// was where there is none.
int rv_args_read(const rv_command *command, int argc, char **argv, const char *noun,
                 const char **subject,
                 bool (*take)(void *user, const char *name, const char *value), void *user);

void rv_command_help(const rv_command *command);
// The program's name, for messages.
const char *rv_program(const rv_command *command);
// Prints "rivulet NAME: message" as one line to stderr; returns RV_EXIT_USAGE.
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
int rv_usage_error(const rv_command *command, const char *format, ...);

// Parse an option's value; false: the error was printed. Times may carry a unit ("200 ms").
bool rv_option_whole(const rv_command *command, const char *name, const char *text, long low,
                     long high, long *out);
bool rv_option_real(const rv_command *command, const char *name, const char *text, const char *unit,
                    double low, double high, double *out);

// The word of a list ("a|b|c") nearest to text, or NULL when none is near. Points into words;
// *length is its length.
const char *rv_nearest_word(const char *words, const char *text, int *length);

// Says that a program knows no such word, and which of a list ("a|b|c") it may have been. Returns
// RV_EXIT_USAGE.
int rv_unknown_word(const char *program, const char *words, const char *word);

// Prints all messages to stderr, one line each; says how many did not fit. Returns RV_EXIT_USAGE.
int rv_print_messages(const rv_messages *messages);
void rv_print_warnings(const rv_messages *messages); // a line each on stderr

// Loads a scene and applies assignments ("key=value"); all problems are printed. false: exit with
// RV_EXIT_USAGE. On success the caller frees the scene.
bool rv_app_load(const char *name, const char *const *sets, int set_count, rv_scene_file *scene);

// One function per subcommand; argv[0] is its name; they return the exit code.
int rv_app_scenes(int argc, char **argv);
int rv_app_params(int argc, char **argv);
int rv_app_liquids(int argc, char **argv);
int rv_app_run(int argc, char **argv);
int rv_app_study(int argc, char **argv);
int rv_app_inspect(int argc, char **argv);
int rv_app_verify(int argc, char **argv);
int rv_app_bench(int argc, char **argv);
int rv_app_view(int argc, char **argv);

#endif
