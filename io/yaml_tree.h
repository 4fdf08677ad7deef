// A YAML file as a tree of nodes that know their lines: what the scene reader walks over.
//
// Bounded against hostile files: depth, keys in a map, no anchors, no aliases, no tags, one
// document.
#ifndef IO_YAML_TREE_H
#define IO_YAML_TREE_H

#include "rivulet/base.h"

typedef enum rv_yaml_kind { RV_YAML_SCALAR, RV_YAML_MAP, RV_YAML_LIST } rv_yaml_kind;

typedef struct rv_yaml_node {
    rv_yaml_kind kind;
    int line;                          // from 1; of the key for an entry of a map
    const char *key;                   // NULL for items of a list and the root
    const char *text;                  // of a scalar, zero-terminated
    struct rv_yaml_node *first, *last; // entries of a map, items of a list
    int count;
    bool repeated; // its key came before in the same map, which was reported
    struct rv_yaml_node *next;
} rv_yaml_node;

typedef struct rv_yaml_tree {
    rv_yaml_node *root; // NULL when the file has nothing in it
    void *memory;       // blocks that hold nodes and texts
} rv_yaml_tree;

// Reads a buffer. false: messages say why, with `path` and line. Free the tree in either case.
bool rv_yaml_read(rv_yaml_tree *tree, const char *text, size_t size, const char *path,
                  int depth_max, rv_messages *messages);
void rv_yaml_free(rv_yaml_tree *tree);

#endif
