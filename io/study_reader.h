// What the two halves of the reader of study files share: io/study_read.c has the file,
// io/study_params.c the parameters and their values.
#ifndef IO_STUDY_READER_H
#define IO_STUDY_READER_H

#include "io/study_file.h"
#include "io/yaml_tree.h"

typedef struct rv_study_reader {
    rv_study *study;
    rv_messages *messages;
    rv_scene_file scene; // to try settings on
} rv_study_reader;

// Adds `FILE:LINE: KEY: what`.
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
void rv_study_problem(rv_study_reader *r, int line, const char *key, const char *format, ...);
void rv_study_unknown(rv_study_reader *r, const rv_yaml_node *node, const char *path,
                      const char *const *keys, int count);
// NULL without memory, which is told.
char *rv_study_copy(rv_study_reader *r, const char *text);

// Each tells what is wrong and returns false, the word −1.
bool rv_study_is_map(rv_study_reader *r, const rv_yaml_node *node, const char *path);
bool rv_study_scalar(rv_study_reader *r, const rv_yaml_node *node, const char *path);
bool rv_study_real(rv_study_reader *r, const rv_yaml_node *node, const char *path, const char *unit,
                   double low, double high, double *out);
bool rv_study_whole(rv_study_reader *r, const rv_yaml_node *node, const char *path, double low,
                    double high, double *out);
int rv_study_word(rv_study_reader *r, const rv_yaml_node *node, const char *path,
                  const char *words);

// The maps `set`, `vary` and `draw`.
void rv_study_read_sets(rv_study_reader *r, const rv_yaml_node *node);
void rv_study_read_params(rv_study_reader *r, const rv_yaml_node *node, bool drawn);

#endif
