// What all programs share: the numbers of a frame (rv_frame_numbers, lengths in cells) and colours on their way.
precision highp float;
precision highp int;

layout(std140) uniform Frame {
    mat4 to_picture;
    mat4 to_shadow;
    vec4 eye;
    vec4 right;
    vec4 up;
    vec4 forward;
    vec4 picture;
    vec4 range;
    vec4 block;
    vec4 key;
    vec4 key_light;
    vec4 turn;
    vec4 sky[9];
    vec4 fade;
    vec4 back;
    vec4 rest;
    vec4 meniscus;
    vec4 mode;
    vec4 material;
    vec4 wet;
    vec4 legend;
    vec4 detail;
    vec4 rows;
};

// Colours are kept between 0 and 1 until the end, so that means over samples are not ruled by the brightest.
vec3 keep(vec3 c)
{
    c = max(c, vec3(0.0));
    return c / (1.0 + max(c.r, max(c.g, c.b)));
}

vec3 unkeep(vec3 c)
{
    return c / max(1.0 - max(c.r, max(c.g, c.b)), 1e-4);
}
