// The rivulet-mpi command: what `rivulet` does on one machine, over the processes of an MPI job.
// Finds the subcommand and leaves the rest to it; rank 0 prints for all.
#include "app/options.h"
#include "mpi/program.h"
#include "mpi/ranks.h"

#include <stdio.h>
#include <string.h>

typedef struct subcommand {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *arguments, *meaning;
} subcommand;

static const subcommand subcommands[] = {
    {"run", rv_mpi_app_run, "SCENE [options]", "simulate a scene in bands of rows over the ranks"},
    {"study", rv_mpi_app_study, "FILE [options]", "many worlds from one scene, as a queue"},
    {NULL, NULL, NULL, NULL},
};

static void print_help(FILE *out)
{
    fputs("rivulet-mpi: liquid on solid things, over the ranks of an MPI job\n\nusage:\n", out);
    for (const subcommand *s = subcommands; s->name; s++) {
        char usage[64];
        snprintf(usage, sizeof usage, "%s %s", s->name, s->arguments);
        fprintf(out, "  mpirun -n N rivulet-mpi %-22s %s\n", usage, s->meaning);
    }
    fputs("  rivulet-mpi --version                          print the version\n\n"
          "`rivulet-mpi SUBCOMMAND --help` tells more. The options are those of `rivulet`, whose\n"
          "results are the same to the bit.\n",
          out);
}

static int unknown(const char *word)
{
    char words[128] = "--help|--version";
    size_t used = strlen(words);
    for (const subcommand *s = subcommands; s->name; s++)
        used += (size_t)snprintf(words + used, sizeof words - used, "|%s", s->name);
    return rv_unknown_word(RV_MPI_PROGRAM, words, word);
}

static const subcommand *find(int argc, char **argv)
{
    for (const subcommand *s = subcommands; argc > 1 && s->name; s++)
        if (strcmp(argv[1], s->name) == 0) return s;
    return NULL;
}

// Words that are no subcommand: rank 0 answers them.
static int answer(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return RV_EXIT_USAGE;
    }
    const char *word = argv[1];
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0)
        print_help(stdout);
    else if (strcmp(word, "--version") == 0)
        printf(RV_MPI_PROGRAM " %s\n", rv_version());
    else
        return unknown(word);
    return 0;
}

// Each rank for itself: machines may differ.
static int check_machine(int rank)
{
    rv_messages messages = {0};
    if (rv_instructions_check(&messages)) return 0;
    fprintf(stderr, RV_MPI_PROGRAM ": rank %d: %s\n", rank, messages.text);
    return RV_EXIT_USAGE;
}

// What was printed must have arrived: a full disk under a redirected output is an error.
static int finish(int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout)) return status;
    fputs(RV_MPI_PROGRAM ": the output could not be written\n", stderr);
    return status ? status : 1;
}

int main(int argc, char **argv)
{
    int level = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    int rank = rv_mpi_rank(MPI_COMM_WORLD), status = 0;
    const subcommand *asked = find(argc, argv);
    if (asked) status = rv_mpi_greatest(MPI_COMM_WORLD, check_machine(rank));
    if (asked && status == 0)
        status = asked->run(argc - 1, argv + 1);
    else if (!asked && rank == 0)
        status = answer(argc, argv);
    status = finish(status);
    MPI_Finalize();
    return status;
}
