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

static GLuint compile(GLenum kind, const char *name, const char *defines, rv_messages *messages)
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
        GLint good = 0;
        glShaderSource(shader, 1, &bytes, NULL);
        glCompileShader(shader);
        glGetShaderiv(shader, GL_COMPILE_STATUS, &good);
        if (!good) {
            char log[2000] = "";
            glGetShaderInfoLog(shader, sizeof log, NULL, log);
            rv_messages_add(messages, "shader %s: %s", name, log);
            glDeleteShader(shader);
            shader = 0;
        }
    } else {
        rv_messages_add(messages, "shader %s: %s", name,
                        t.failed ? "it or what it includes is missing" : "the driver has no room");
    }
    free(t.bytes);
    return shader;
}

static bool link(GLuint program, const char *vertex, const char *pixel, rv_messages *messages)
{
    GLint good = 0;
    glLinkProgram(program);
    glGetProgramiv(program, GL_LINK_STATUS, &good);
    if (good) return true;
    char log[2000] = "";
    glGetProgramInfoLog(program, sizeof log, NULL, log);
    rv_messages_add(messages, "shaders %s and %s: %s", vertex, pixel, log);
    return false;
}

GLuint rv_program_make(const char *vertex, const char *pixel, const char *defines,
                       const char *captured, rv_messages *messages)
{
    GLuint a = compile(GL_VERTEX_SHADER, vertex, defines, messages);
    GLuint b = a ? compile(GL_FRAGMENT_SHADER, pixel, defines, messages) : 0;
    GLuint program = b ? glCreateProgram() : 0;
    if (program) {
        glAttachShader(program, a);
        glAttachShader(program, b);
        if (captured) glTransformFeedbackVaryings(program, 1, &captured, GL_SEPARATE_ATTRIBS);
        if (!link(program, vertex, pixel, messages)) {
            glDeleteProgram(program);
            program = 0;
        }
    }
    glDeleteShader(a);
    glDeleteShader(b);
    return program;
}

GLuint rv_program_make_kernel(const char *name, const char *defines, rv_messages *messages)
{
#ifdef __EMSCRIPTEN__
    (void)name, (void)defines, (void)messages;
    return 0;
#else
    char head[256];
    snprintf(head, sizeof head, "#version 310 es\n%s", defines ? defines : "");
    GLuint shader = compile(GL_COMPUTE_SHADER, name, head, messages);
    GLuint program = shader ? glCreateProgram() : 0;
    if (program) glAttachShader(program, shader);
    if (program && !link(program, name, "no other", messages)) {
        glDeleteProgram(program);
        program = 0;
    }
    glDeleteShader(shader);
    return program;
#endif
}

void rv_program_wire(GLuint program)
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
