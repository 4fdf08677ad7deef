// Puts the texts of a program together, compiles and links it, and hands on what the driver says.
#include "render/program.h"

#include "render/shaders.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 4 };

typedef struct text {
    char *bytes;
    size_t used, room;
    bool failed;
} text;

static void append(text *t, const char *bytes, size_t count)
{
    if (t->failed) return;
    if (t->used + count + 1 > t->room) {
        size_t room = 2 * (t->used + count + 1);
        char *more = realloc(t->bytes, room);
        if (!more) {
            t->failed = true;
            return;
        }
        t->bytes = more, t->room = room;
    }
    memcpy(t->bytes + t->used, bytes, count);
    t->used += count;
    t->bytes[t->used] = 0;
}

static const char *find(const char *name, size_t length)
{
    for (const rv_shader_text *s = rv_shader_texts; s->name; s++)
        if (strlen(s->name) == length && memcmp(s->name, name, length) == 0) return s->text;
    return NULL;
}

// Appends a text line by line, with those that it includes.
static void expand(text *out, const char *name, size_t length, int depth)
{
    static const char word[] = "#include ";
    const char *line = find(name, length);
    if (!line || depth > DEPTH_MAX) out->failed = true;
    while (line && *line) {
        const char *end = strchr(line, '\n');
        size_t count = end ? (size_t)(end - line) : strlen(line);
        size_t head = sizeof word - 1;
        if (count > head && memcmp(line, word, head) == 0) {
            expand(out, line + head, count - head, depth + 1);
        } else {
            append(out, line, count);
            append(out, "\n", 1);
        }
        line += count + (end ? 1 : 0);
    }
}

// Asks the driver to compile; it may take its time. 0: it was not asked, and messages has why.
static GLuint begin(GLenum kind, const char *name, const char *defines, rv_messages *messages)
{
    static const char head[] = "#version 300 es\n";
    text t = {0};
    bool own = defines && strncmp(defines, "#version", 8) == 0; // a later one
    if (!own) append(&t, head, sizeof head - 1);
    if (defines) append(&t, defines, strlen(defines));
    expand(&t, name, strlen(name), 0);
    GLuint shader = t.failed ? 0 : glCreateShader(kind);
    if (shader) {
        const char *bytes = t.bytes;
        glShaderSource(shader, 1, &bytes, NULL);
        glCompileShader(shader);
    } else {
        rv_messages_add(messages, "shader %s: %s", name,
                        t.failed ? "it or what it includes is missing" : "the driver has no room");
    }
    free(t.bytes);
    return shader;
}

// Waits for it.
static bool compiled(GLuint shader, const char *name, rv_messages *messages)
{
    char log[2000] = "";
    GLint good = 0;
    if (shader) glGetShaderiv(shader, GL_COMPILE_STATUS, &good);
    if (good || !shader) return good;
    glGetShaderInfoLog(shader, sizeof log, NULL, log);
    rv_messages_add(messages, "shader %s: %s", name, log);
    return false;
}

static bool linked(GLuint program, const char *vertex, const char *pixel, rv_messages *messages)
{
    GLint good = 0;
    glGetProgramiv(program, GL_LINK_STATUS, &good);
    if (good) return true;
    char log[2000] = "";
    glGetProgramInfoLog(program, sizeof log, NULL, log);
    rv_messages_add(messages, "shaders %s and %s: %s", vertex, pixel, log);
    return false;
}

rv_program_asked rv_program_ask(const char *vertex, const char *pixel, const char *defines,
                                const char *captured, rv_messages *messages)
{
    rv_program_asked asked = {.name = {vertex, pixel}};
    asked.shader[0] = begin(GL_VERTEX_SHADER, vertex, defines, messages);
    if (asked.shader[0]) asked.shader[1] = begin(GL_FRAGMENT_SHADER, pixel, defines, messages);
    if (asked.shader[1]) asked.program = glCreateProgram();
    if (!asked.program) return asked;
    glAttachShader(asked.program, asked.shader[0]);
    glAttachShader(asked.program, asked.shader[1]);
    if (captured) glTransformFeedbackVaryings(asked.program, 1, &captured, GL_SEPARATE_ATTRIBS);
    glLinkProgram(asked.program);
    return asked;
}

rv_program_asked rv_program_ask_kernel(const char *name, const char *defines, rv_messages *messages)
{
    rv_program_asked asked = {.name = {name, name}};
#ifdef __EMSCRIPTEN__
    (void)defines, (void)messages;
#else
    char head[256];
    bool own = defines && strncmp(defines, "#version", 8) == 0; // a later one
    snprintf(head, sizeof head, "%s%s", own ? "" : "#version 310 es\n", defines ? defines : "");
    asked.shader[0] = begin(GL_COMPUTE_SHADER, name, head, messages);
    if (asked.shader[0]) asked.program = glCreateProgram();
    if (!asked.program) return asked;
    glAttachShader(asked.program, asked.shader[0]);
    glLinkProgram(asked.program);
#endif
    return asked;
}

// Ties its textures and its block of numbers to the places that all programs share (RV_AT_…).
static void wire(GLuint program)
{
    static const struct {
        const char *name;
        GLint at;
    } textures[] = {{"scene", RV_AT_SCENE},
                    {"scene_depth", RV_AT_DEPTH},
                    {"front_depth", RV_AT_FRONT},
                    {"nearest", RV_AT_NEAREST},
                    {"second", RV_AT_SECOND},
                    {"second_depth", RV_AT_SECOND_DEPTH},
                    {"whole", RV_AT_WHOLE},
                    {"over", RV_AT_WHOLE},
                    {"shadow", RV_AT_SHADOW},
                    {"blocker", RV_AT_BLOCKER},
                    {"room", RV_AT_ROOM},
                    {"noise", RV_AT_NOISE},
                    {"floor_light", RV_AT_FLOOR},
                    {"letters", RV_AT_LETTERS},
                    {"colours", RV_AT_COLOURS},
                    {"body_shadow", RV_AT_BODY_SHADOW},
                    {"body_blocker", RV_AT_BODY_BLOCKER},
                    {"density", RV_AT_DENSITY},
                    {"coarse", RV_AT_COARSE},
                    {"wet_light", RV_AT_WET},
                    {"wet_depth", RV_AT_WET_DEPTH},
                    {"solids", RV_AT_SOLIDS},
                    {"heights", RV_AT_HEIGHTS},
                    {"liquid_depth", RV_AT_LIQUID},
                    {"open_map", RV_AT_OPEN},
                    {"lamp_map", RV_AT_LAMP},
                    {"shape_first", RV_AT_SHAPE},
                    {"shape_rest", RV_AT_SHAPE_REST},
                    {"tiles", RV_AT_TILES},
                    {"codes", RV_AT_CODES},
                    {"numbers", RV_AT_SHAPE},
                    {"spots", RV_AT_SPOTS},
                    {"froth", RV_AT_FROTH}};
    glUseProgram(program);
    for (size_t n = 0; n < sizeof textures / sizeof textures[0]; n++) {
        GLint place = glGetUniformLocation(program, textures[n].name);
        if (place >= 0) glUniform1i(place, textures[n].at);
    }
    static const char *const blocks[] = {"Frame", "Bodies"};
    for (GLuint n = 0; n < 2; n++) {
        GLuint block = glGetUniformBlockIndex(program, blocks[n]);
        if (block != GL_INVALID_INDEX) glUniformBlockBinding(program, block, n);
    }
}

GLuint rv_program_take(rv_program_asked *asked, rv_messages *messages)
{
    GLuint program = asked->program;
    bool good = program != 0;
    for (int n = 0; n < 2; n++) {
        good = good && (!asked->shader[n] || compiled(asked->shader[n], asked->name[n], messages));
        glDeleteShader(asked->shader[n]);
    }
    good = good && linked(program, asked->name[0], asked->name[1], messages);
    *asked = (rv_program_asked){0};
    if (good) {
        wire(program);
        return program;
    }
    glDeleteProgram(program);
    return 0;
}

void rv_program_drop(rv_program_asked *asked)
{
    glDeleteShader(asked->shader[0]);
    glDeleteShader(asked->shader[1]);
    glDeleteProgram(asked->program);
    *asked = (rv_program_asked){0};
}

GLuint rv_program_make(const char *vertex, const char *pixel, const char *defines,
                       const char *captured, rv_messages *messages)
{
    rv_program_asked asked = rv_program_ask(vertex, pixel, defines, captured, messages);
    return rv_program_take(&asked, messages);
}

GLuint rv_program_make_kernel(const char *name, const char *defines, rv_messages *messages)
{
    rv_program_asked asked = rv_program_ask_kernel(name, defines, messages);
    return rv_program_take(&asked, messages);
}
