// The texts of render/shaders/NAME.glsl, by name, as the build put them into the library.
#ifndef RENDER_SHADERS_H
#define RENDER_SHADERS_H

typedef struct rv_shader_text {
    const char *name, *text;
} rv_shader_text;

extern const rv_shader_text rv_shader_texts[]; // ends with a NULL name

#endif
