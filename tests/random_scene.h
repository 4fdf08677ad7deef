// Random scenes as files: what a hostile month would bring. A scene is a list of lines that can be
// left out one by one, so that one that fails can be made smaller.
#ifndef RV_TESTS_RANDOM_SCENE_H
#define RV_TESTS_RANDOM_SCENE_H

#include "rivulet/rivulet.h"

#define SCENE_LINES 96
#define SCENE_TEXT 16384

typedef struct scene_line {
    char section[16]; // "" for a whole key, "liquid" for a parameter, "solids" for an item
    char text[224];
    bool item; // of a list
    bool kept; // false: left out
} scene_line;

typedef struct random_scene {
    rv_solver_kind solver;
    int nx, ny, steps;
    double dx; // m
    scene_line line[SCENE_LINES];
    int count;
} random_scene;

// One number after another, from a seed.
uint64_t random_bits(uint64_t *state);
double random_share(uint64_t *state); // 0 … 1
int random_choice(uint64_t *state, int count);

// Everything follows from the seed.
void random_scene_make(random_scene *scene, uint64_t seed);
// A small plain scene of each kind, for parameters at the ends of their ranges: solvers in their
// order, of splat each form. SCENE_KINDS of them.
#define SCENE_KINDS 6
const char *plain_scene_make(random_scene *scene, int kind);
// Adds a parameter; `text` as in a scene file.
void random_scene_set(random_scene *scene, const char *key, const char *text);
// As a file.
void random_scene_print(const random_scene *scene, char out[SCENE_TEXT]);

#endif
