// A YAML file as a tree of nodes that know their lines, made from libyaml's events. The depth is
// bounded before anything recursive sees it, and what YAML can do beyond plain data is refused.
#include "io/yaml_tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#define KEYS_MAX 1000         // in one map; keeps the search for duplicates cheap
#define BLOCK_BYTES (1 << 16) // memory is taken in blocks of at least this size

typedef struct block {
    struct block *next;
    size_t used, size;
} block;

typedef struct builder {
    rv_yaml_tree *tree;
    const char *path;
    rv_messages *messages;
    yaml_parser_t parser;
    rv_yaml_node **open; // maps and lists not closed yet, outermost first
    int depth, depth_max;
    const char *key; // of the entry to come
    int key_line;
    bool key_repeated;
    int documents;
} builder;

static void *take(rv_yaml_tree *tree, size_t bytes)
{
    size_t head = (sizeof(block) + 15) & ~(size_t)15;
    bytes = (bytes + 15) & ~(size_t)15;
    block *b = tree->memory;
    if (!b || b->size - b->used < bytes) {
        size_t size = head + bytes > BLOCK_BYTES ? head + bytes : BLOCK_BYTES;
        block *fresh = malloc(size);
        if (!fresh) return NULL;
        *fresh = (block){b, head, size};
        tree->memory = b = fresh;
    }
    void *memory = (char *)b + b->used;
    b->used += bytes;
    return memory;
}

static const char *copy_text(rv_yaml_tree *tree, const char *text, size_t length)
{
    char *copy = take(tree, length + 1);
    if (!copy) return NULL;
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

static int line_of(yaml_mark_t mark)
{
    return mark.line < 100000000 ? (int)mark.line + 1 : 100000000;
}

static bool refuse(builder *b, int line, const char *what)
{
    rv_messages_add(b->messages, "%s:%d: %s", b->path, line, what);
    return false;
}

static bool refuse_memory(builder *b)
{
    rv_messages_add(b->messages, "%s: not enough memory", b->path);
    return false;
}

// libyaml gives no line for bytes that are not UTF-8, only an offset.
static bool refuse_syntax(builder *b, const char *text, size_t size)
{
    const yaml_parser_t *p = &b->parser;
    if (p->error == YAML_MEMORY_ERROR) return refuse_memory(b);
    const char *problem = p->problem ? p->problem : "cannot be read";
    if (p->error == YAML_READER_ERROR) {
        int line = 1;
        for (size_t i = 0; i < size && i < p->problem_offset; i++) line += text[i] == '\n';
        rv_messages_add(b->messages, "%s:%d: not valid UTF-8 text: %s", b->path, line, problem);
        return false;
    }
    rv_messages_add(b->messages, "%s:%d: not valid YAML: %s%s%s", b->path, line_of(p->problem_mark),
                    problem, p->context ? " " : "", p->context ? p->context : "");
    return false;
}

static rv_yaml_node *parent(const builder *b)
{
    return b->depth > 0 ? b->open[b->depth - 1] : NULL;
}

static const rv_yaml_node *find_key(const rv_yaml_node *map, const char *key)
{
    for (const rv_yaml_node *n = map->first; n; n = n->next)
        if (strcmp(n->key, key) == 0) return n;
    return NULL;
}

static rv_yaml_node *append(builder *b, rv_yaml_kind kind, int line)
{
    rv_yaml_node *node = take(b->tree, sizeof *node);
    if (!node) {
        refuse_memory(b);
        return NULL;
    }
    *node = (rv_yaml_node){.kind = kind, .line = line};
    rv_yaml_node *up = parent(b);
    if (!up) {
        b->tree->root = node;
        return node;
    }
    if (up->kind == RV_YAML_MAP) {
        node->key = b->key;
        node->line = b->key_line;
        node->repeated = b->key_repeated;
        b->key = NULL;
    }
    if (up->last)
        up->last->next = node;
    else
        up->first = node;
    up->last = node;
    up->count++;
    return node;
}

static bool open_node(builder *b, rv_yaml_kind kind, int line)
{
    if (b->depth >= b->depth_max) return refuse(b, line, "nested too deep");
    rv_yaml_node *node = append(b, kind, line);
    if (node) b->open[b->depth++] = node;
    return node != NULL;
}

// "solids[2].radius": where the reader is, and the key that comes now.
static void full_key(const builder *b, const char *key, char *out, size_t out_size)
{
    size_t used = 0;
    out[0] = '\0';
    for (int i = 1; i <= b->depth && used < out_size; i++) {
        const char *name = i < b->depth ? b->open[i]->key : key;
        int wrote = name ? snprintf(out + used, out_size - used, "%s%s", used > 0 ? "." : "", name)
                         : snprintf(out + used, out_size - used, "[%d]", b->open[i - 1]->count - 1);
        if (wrote > 0) used += (size_t)wrote;
    }
}

static bool add_key(builder *b, const char *text, int line)
{
    rv_yaml_node *map = parent(b);
    if (map->count >= KEYS_MAX) return refuse(b, line, "too many keys in one map");
    const rv_yaml_node *twin = find_key(map, text);
    if (twin) {
        char key[256];
        full_key(b, text, key, sizeof key);
        rv_messages_add(b->messages, "%s:%d: %s: given twice, first on line %d", b->path, line, key,
                        twin->line);
    }
    // The entry stays in the tree, so that reading goes on and finds the other problems.
    b->key = text;
    b->key_line = line;
    b->key_repeated = twin != NULL;
    return true;
}

static bool add_scalar(builder *b, const yaml_event_t *event)
{
    const char *text = (const char *)event->data.scalar.value;
    size_t length = event->data.scalar.length;
    int line = line_of(event->start_mark);
    if (memchr(text, '\0', length)) return refuse(b, line, "a text with a zero byte in it");
    const char *copy = copy_text(b->tree, text, length);
    if (!copy) return refuse_memory(b);
    rv_yaml_node *up = parent(b);
    if (up && up->kind == RV_YAML_MAP && !b->key) return add_key(b, copy, line);
    rv_yaml_node *node = append(b, RV_YAML_SCALAR, line);
    if (node) node->text = copy;
    return node != NULL;
}

static bool needs_key(const builder *b)
{
    return b->depth > 0 && parent(b)->kind == RV_YAML_MAP && !b->key;
}

static bool plain_data(builder *b, const yaml_char_t *anchor, const yaml_char_t *tag, int line)
{
    if (anchor) return refuse(b, line, "anchors (&name) are not part of the scene format");
    if (tag) return refuse(b, line, "tags (!name) are not part of the scene format");
    return true;
}

static bool take_event(builder *b, const yaml_event_t *e)
{
    int line = line_of(e->start_mark);
    switch (e->type) {
    case YAML_DOCUMENT_START_EVENT:
        if (++b->documents > 1) return refuse(b, line, "a second document in one file");
        return true;
    case YAML_ALIAS_EVENT:
        return refuse(b, line, "aliases (*name) are not part of the scene format");
    case YAML_SCALAR_EVENT:
        return plain_data(b, e->data.scalar.anchor, e->data.scalar.tag, line) && add_scalar(b, e);
    case YAML_SEQUENCE_START_EVENT:
    case YAML_MAPPING_START_EVENT: {
        bool list = e->type == YAML_SEQUENCE_START_EVENT;
        const yaml_char_t *anchor =
            list ? e->data.sequence_start.anchor : e->data.mapping_start.anchor;
        const yaml_char_t *tag = list ? e->data.sequence_start.tag : e->data.mapping_start.tag;
        if (!plain_data(b, anchor, tag, line)) return false;
        if (needs_key(b)) return refuse(b, line, "a key must be a word");
        return open_node(b, list ? RV_YAML_LIST : RV_YAML_MAP, line);
    }
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        b->depth--;
        return true;
    default:
        return true;
    }
}

static bool read_events(builder *b, const char *text, size_t size)
{
    for (bool end = false; !end;) {
        yaml_event_t event;
        if (!yaml_parser_parse(&b->parser, &event)) return refuse_syntax(b, text, size);
        end = event.type == YAML_STREAM_END_EVENT;
        bool good = take_event(b, &event);
        yaml_event_delete(&event);
        if (!good) return false;
    }
    return true;
}

bool rv_yaml_read(rv_yaml_tree *tree, const char *text, size_t size, const char *path,
                  int depth_max, rv_messages *messages)
{
    *tree = (rv_yaml_tree){0};
    builder b = {.tree = tree, .path = path, .messages = messages, .depth_max = depth_max};
    b.open = calloc((size_t)depth_max, sizeof *b.open);
    if (!b.open) return refuse_memory(&b);
    if (!yaml_parser_initialize(&b.parser)) {
        free(b.open);
        return refuse_memory(&b);
    }
    yaml_parser_set_input_string(&b.parser, (const unsigned char *)text, size);
    yaml_parser_set_encoding(&b.parser, YAML_UTF8_ENCODING);
    bool good = read_events(&b, text, size);
    yaml_parser_delete(&b.parser);
    free(b.open);
    return good;
}

void rv_yaml_free(rv_yaml_tree *tree)
{
    for (block *b = tree->memory; b;) {
        block *next = b->next;
        free(b);
        b = next;
    }
    *tree = (rv_yaml_tree){0};
}
