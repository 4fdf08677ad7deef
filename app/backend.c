// Opens the backend that was asked for.
#include "app/backend.h"

#include <string.h>

bool rv_backend_option(rv_backend *b, const rv_command *command, const char *value)
{
    b->half = strcmp(value, "gl-half") == 0;
    b->draws = b->half || strcmp(value, "gl") == 0;
    b->is_card = strcmp(value, "card") == 0;
    b->wanted = b->draws || b->is_card;
    if (b->wanted || strcmp(value, "cpu") == 0) return true;
    rv_usage_error(command, "--backend %s: there are cpu, card, gl and gl-half", value);
    return false;
}

// A page has no compute kernels.
#ifdef __EMSCRIPTEN__
static rv_result open_card(rv_backend *b, rv_messages *messages)
{
    (void)b;
    rv_messages_add(messages, "--backend card: a page has none");
    return RV_BAD_ARGUMENT;
}

static void close_card(rv_device_gl *card)
{
    (void)card;
}

static const rv_device *table_of(const rv_device_gl *card)
{
    (void)card;
    return NULL;
}
#else
static rv_result open_card(rv_backend *b, rv_messages *messages)
{
    return rv_device_gl_create(b->target, &b->card, messages);
}

static void close_card(rv_device_gl *card)
{
    rv_device_gl_destroy(card);
}

static const rv_device *table_of(const rv_device_gl *card)
{
    return rv_device_gl_table(card);
}
#endif

// What a scene must be like for particles that are stepped by drawing.
static bool suits_drawing(const rv_params *params, rv_messages *messages)
{
    if (params->solver != RV_SOLVER_SPLAT) {
        rv_messages_add(messages, "--backend gl: only solver splat has one");
        return false;
    }
    if (params->splat_method != RV_SPLAT_WIDE && !params->splat_plain) {
        rv_messages_add(messages, "--backend gl: has splat.method wide only; add --set "
                                  "splat.method=wide");
        return false;
    }
    return true;
}

bool rv_backend_open(rv_backend *b, rv_target *target, const rv_params *params,
                     rv_messages *messages)
{
    if (!b->wanted || b->gl || b->card) return true;
    if (b->draws && !suits_drawing(params, messages)) return false;
    rv_target_def def = {
        .kind = RV_TARGET_HEADLESS, .width = params->view_width, .height = params->view_height};
    def.computes = b->is_card;
    rv_result result = RV_OK;
    int said = messages->count;
    b->target = target, b->own = !target;
    if (b->own) result = rv_target_create(&def, &b->target, messages);
    rv_splat_gl_def how = {.half = b->half};
    if (result == RV_OK && b->draws) result = rv_splat_gl_create(b->target, &how, &b->gl, messages);
    if (result == RV_OK && b->is_card) result = open_card(b, messages);
    if (result == RV_OK) return true;
    if (messages->count == said)
        rv_messages_add(messages, "--backend %s: %s", b->is_card ? "card" : "gl",
                        rv_result_text(result));
    rv_backend_close(b);
    return false;
}

const rv_splat_backend *rv_backend_table(const rv_backend *b)
{
    return rv_splat_gl_backend(b->gl);
}

const rv_device *rv_backend_device(const rv_backend *b)
{
    return table_of(b->card);
}

void rv_backend_close(rv_backend *b)
{
    rv_splat_gl_destroy(b->gl);
    close_card(b->card);
    if (b->own) rv_target_destroy(b->target);
    *b = (rv_backend){
        .wanted = b->wanted, .draws = b->draws, .half = b->half, .is_card = b->is_card};
}
