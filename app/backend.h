// Where liquid is stepped: --backend cpu, card (columns and particles) or gl (particles), for run, bench, verify
// and view.
#ifndef APP_BACKEND_H
#define APP_BACKEND_H

#include "app/options.h"
#include "render/splat_gl.h"
#include "rivulet_gl/device_gl.h"

// The row of an option table.
#define RV_BACKEND_OPTION                                                                          \
    {                                                                                              \
        "--backend", "NAME",                                                                       \
            "where liquid is stepped: cpu (default), card (but glass), gl or gl-half (solver splat)" \
    }

typedef struct rv_backend {
    bool wanted;  // one of those below is
    bool draws;   // gl
    bool half;    // with half-float grids
    bool is_card; // columns on the card
    rv_target *target;
    bool own; // the target is
    rv_splat_gl *gl;
    rv_device_gl *card;
} rv_backend;

// The option's value. false: the error was printed.
bool rv_backend_option(rv_backend *backend, const rv_command *command, const char *value);
// Opens what was asked for, if anything: on the target, or on one of its own without a display that
// has the size of the scene's pictures. false: messages say what the driver, or the scene's solver,
// lacks.
bool rv_backend_open(rv_backend *backend, rv_target *target, const rv_params *params,
                     rv_messages *messages);
// For rv_world_def.backend and rv_world_def.device; NULL: the CPU.
const rv_splat_backend *rv_backend_table(const rv_backend *backend);
const rv_device *rv_backend_device(const rv_backend *backend);
// After the worlds that were made with it.
void rv_backend_close(rv_backend *backend);

#endif
