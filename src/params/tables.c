// The tables of fields, made from the lists in rivulet/params.h, rivulet/scene.h, rivulet/body.h,
// rivulet/particles.h and rivulet/press.h, and their defaults.
#include "rivulet/body.h"
#include "rivulet/particles.h"
#include "rivulet/press.h"
#include "rivulet/scene.h"

#include <assert.h>
#include <string.h>

// Words are stored as enums; the tables read and write them as int.
static_assert(sizeof(rv_area) == sizeof(int), "enumerations are as wide as int");
static_assert(sizeof(rv_shape) == sizeof(int), "enumerations are as wide as int");

// The last of a row's columns are its meaning and, for parameters, RV_FIXED or nothing.
#define FIRST(meaning, ...) meaning
#define SECOND(meaning, fixed, ...) fixed
#define ROW(owner_field, way_, key_, type_, unit_, words_, def, lo, hi, ...)                      \
    {.key = (key_),                                                                                \
     .type = (type_),                                                                              \
     .unit = (unit_),                                                                              \
     .words = (words_),                                                                            \
     .preset = (def),                                                                              \
     .low = (lo),                                                                                  \
     .high = (hi),                                                                                 \
     .offset = offsetof(OWNER, owner_field),                                                       \
     .down = (way_) < 0,                                                                           \
     .up = (way_) > 0,                                                                             \
     .meaning = FIRST(__VA_ARGS__, 0),                                                             \
     .fixed = SECOND(__VA_ARGS__, false, 0)},
#define ROW_REAL(field, key, unit, def, lo, hi, ...)                                               \
    ROW(field, 0, key, RV_REAL, unit, NULL, def, lo, hi, __VA_ARGS__)
#define ROW_WHOLE(field, key, unit, def, lo, hi, ...)                                              \
    ROW(field, 0, key, RV_WHOLE, unit, NULL, def, lo, hi, __VA_ARGS__)
#define ROW_FLAG(field, key, def, ...)                                                             \
    ROW(field, 0, key, RV_FLAG, "", NULL, def, 0, 1, __VA_ARGS__)
#define ROW_WORD(field, key, type, def, words, ...)                                                \
    ROW(field, 0, key, RV_WORD, "", words, def, 0, 0, __VA_ARGS__)
#define ROW_VECTOR(field, key, unit, def, lo, hi, ...)                                             \
    ROW(field, 0, key, RV_VECTOR, unit, NULL, def, lo, hi, __VA_ARGS__)
#define ROW_DOWN(field, key, unit, def, lo, hi, ...)                                               \
    ROW(field, -1, key, RV_VECTOR, unit, NULL, def, lo, hi, __VA_ARGS__)
#define ROW_UP(field, key, unit, def, lo, hi, ...)                                                 \
    ROW(field, 1, key, RV_VECTOR, unit, NULL, def, lo, hi, __VA_ARGS__)

#define OWNER rv_params
static const rv_field_info params_rows[] = {
    RV_PARAMS(ROW_REAL, ROW_WHOLE, ROW_FLAG, ROW_WORD, ROW_DOWN)};
#undef OWNER
#define OWNER rv_solid_def
static const rv_field_info solid_rows[] = {
    RV_SOLID_FIELDS(ROW_REAL, ROW_WHOLE, ROW_FLAG, ROW_WORD, ROW_VECTOR, ROW_UP)};
#undef OWNER
#define OWNER rv_fill_def
static const rv_field_info fill_rows[] = {
    RV_FILL_FIELDS(ROW_REAL, ROW_WHOLE, ROW_FLAG, ROW_WORD, ROW_VECTOR)};
#undef OWNER
#define OWNER rv_source_def
static const rv_field_info source_rows[] = {
    RV_SOURCE_FIELDS(ROW_REAL, ROW_WHOLE, ROW_FLAG, ROW_WORD, ROW_VECTOR)};
#undef OWNER
#define OWNER rv_drain_def
static const rv_field_info drain_rows[] = {
    RV_DRAIN_FIELDS(ROW_REAL, ROW_WHOLE, ROW_FLAG, ROW_WORD, ROW_VECTOR)};
#undef OWNER

#define OWNER rv_event_def
static const rv_field_info event_rows[] = {
    RV_EVENT_FIELDS(ROW_REAL, ROW_WHOLE, ROW_FLAG, ROW_WORD, ROW_VECTOR, ROW_DOWN)};
#undef OWNER
#define OWNER rv_form_def
static const rv_field_info form_rows[] = {
    RV_FORM_FIELDS(ROW_REAL, ROW_WHOLE, ROW_FLAG, ROW_WORD, ROW_VECTOR)};
#undef OWNER

#define OWNER rv_body_def
static const rv_field_info body_rows[] = {
    RV_BODY_FIELDS(ROW_REAL, ROW_WHOLE, ROW_FLAG, ROW_WORD, ROW_VECTOR)};
#undef OWNER

#define OWNER rv_emitter_def
static const rv_field_info emitter_rows[] = {
    RV_EMITTER_FIELDS(ROW_REAL, ROW_WHOLE, ROW_FLAG, ROW_WORD, ROW_VECTOR)};
#undef OWNER

#define OWNER rv_press_def
static const rv_field_info press_rows[] = {
    RV_PRESS_FIELDS(ROW_REAL, ROW_WHOLE, ROW_FLAG, ROW_WORD, ROW_VECTOR)};
#undef OWNER

#define TABLE(rows, name, type)                                                                    \
    {                                                                                              \
        name, rows, (int)(sizeof rows / sizeof rows[0]), sizeof(type)                              \
    }
static const rv_table params_table = TABLE(params_rows, "parameters", rv_params);
static const rv_table solid_table = TABLE(solid_rows, "solid", rv_solid_def);
static const rv_table fill_table = TABLE(fill_rows, "fill", rv_fill_def);
static const rv_table source_table = TABLE(source_rows, "source", rv_source_def);
static const rv_table drain_table = TABLE(drain_rows, "drain", rv_drain_def);
static const rv_table event_table = TABLE(event_rows, "event", rv_event_def);
static const rv_table form_table = TABLE(form_rows, "form", rv_form_def);
static const rv_table body_table = TABLE(body_rows, "body", rv_body_def);
static const rv_table emitter_table = TABLE(emitter_rows, "emitter", rv_emitter_def);
static const rv_table press_table = TABLE(press_rows, "press", rv_press_def);

const rv_table *rv_params_table(void)
{
    return &params_table;
}

const rv_table *rv_solid_table(void)
{
    return &solid_table;
}

const rv_table *rv_fill_table(void)
{
    return &fill_table;
}

const rv_table *rv_source_table(void)
{
    return &source_table;
}

const rv_table *rv_drain_table(void)
{
    return &drain_table;
}

const rv_table *rv_event_table(void)
{
    return &event_table;
}

const rv_table *rv_form_table(void)
{
    return &form_table;
}

const rv_table *rv_body_table(void)
{
    return &body_table;
}

const rv_table *rv_emitter_table(void)
{
    return &emitter_table;
}

const rv_field_info *rv_table_find(const rv_table *table, const char *key)
{
    if (!table || !key) return NULL;
    for (int i = 0; i < table->count; i++)
        if (strcmp(table->fields[i].key, key) == 0) return &table->fields[i];
    return NULL;
}

const char *rv_param_gone(const char *key)
{
    static const struct {
        const char *key, *why;
    } gone[] = {{"pipes.atmosphere",
                 "there is no such parameter any more: the air presses alike on "
                 "all liquid and never moved any; leave it out"}};
    for (size_t i = 0; key && i < sizeof gone / sizeof *gone; i++)
        if (strcmp(gone[i].key, key) == 0) return gone[i].why;
    return NULL;
}

void rv_table_defaults(const rv_table *table, void *object)
{
    if (!table || !object) return;
    memset(object, 0, table->size); // padding too, so that equal definitions are equal bytes
    for (int i = 0; i < table->count; i++) {
        const rv_field_info *field = &table->fields[i];
        char *to = (char *)object + field->offset;
        double real = field->preset;
        int whole = (int)field->preset;
        bool flag = field->preset != 0;
        rv_vec3 vector = {real, real, real};
        if (field->down) vector = (rv_vec3){0, 0, 0.0 - real};
        if (field->up) vector = (rv_vec3){0, 0, real};
        switch (field->type) {
        case RV_REAL:
            memcpy(to, &real, sizeof real);
            break;
        case RV_WHOLE:
        case RV_WORD:
            memcpy(to, &whole, sizeof whole);
            break;
        case RV_FLAG:
            memcpy(to, &flag, sizeof flag);
            break;
        case RV_VECTOR:
            memcpy(to, &vector, sizeof vector);
            break;
        }
    }
}

rv_params rv_default_params(void)
{
    rv_params params;
    rv_table_defaults(&params_table, &params);
    return params;
}

rv_solid_def rv_default_solid_def(void)
{
    rv_solid_def def;
    rv_table_defaults(&solid_table, &def);
    return def;
}

rv_fill_def rv_default_fill_def(void)
{
    rv_fill_def def;
    rv_table_defaults(&fill_table, &def);
    return def;
}

rv_source_def rv_default_source_def(void)
{
    rv_source_def def;
    rv_table_defaults(&source_table, &def);
    return def;
}

rv_drain_def rv_default_drain_def(void)
{
    rv_drain_def def;
    rv_table_defaults(&drain_table, &def);
    return def;
}

rv_event_def rv_default_event_def(void)
{
    rv_event_def def;
    rv_table_defaults(&event_table, &def);
    return def;
}

rv_form_def rv_default_form_def(void)
{
    rv_form_def def;
    rv_table_defaults(&form_table, &def);
    return def;
}

rv_body_def rv_default_body_def(void)
{
    rv_body_def def;
    rv_table_defaults(&body_table, &def);
    return def;
}

rv_emitter_def rv_default_emitter_def(void)
{
    rv_emitter_def def;
    rv_table_defaults(&emitter_table, &def);
    return def;
}

const rv_table *rv_press_table(void)
{
    return &press_table;
}

rv_press_def rv_default_press_def(void)
{
    rv_press_def def;
    rv_table_defaults(&press_table, &def);
    return def;
}
