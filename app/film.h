// Pictures of a run: one at the end, one per film frame, and a film.
#ifndef APP_FILM_H
#define APP_FILM_H

#include "app/exposure.h"
#include "io/video.h"
#include "rivulet_gl/renderer.h"

// The liquid's surface now: pictures and meshes of the same moment share one.
typedef struct rv_moment {
    rv_surface *surface; // NULL until it is first wanted
    double time;         // of the world, when it was made; NAN: not yet
    bool drawn;          // it is fit to be drawn only: it may be in a card's memory
    double ms;           // spent on it since the last frame of the simulation
} rv_moment;

rv_moment rv_moment_begin(void);
// Brings it up to date with the world. `drawn`: it is only to be drawn.
rv_result rv_moment_surface(rv_moment *moment, const rv_world *world, bool drawn);
void rv_moment_end(rv_moment *moment);

// When film frames are due: those of pictures, films and meshes alike, so that the numbers of their
// files belong together.
typedef struct rv_film_clock {
    double interval; // simulated seconds between film frames
    int64_t next;    // number of the film frame that comes next, counted from simulated time 0
} rv_film_clock;

rv_film_clock rv_film_clock_start(const rv_world *world);
// The number of a film frame that is due at the world's time; -1: none, or no more.
int64_t rv_film_due(rv_film_clock *clock, const rv_world *world);

typedef struct rv_film {
    const char *image; // NULL: none; with a %04d: one per film frame
    bool numbered;
    rv_video *video;
    rv_target *target;
    bool own; // the target is
    rv_renderer *renderer;
    rv_moment *moment; // borrowed
    uint8_t *rgb;      // or with view.alpha four bytes a pixel
    bool alpha;
    int width, height;
    rv_film_clock clock;
    rv_exposure exposure;
    double ms; // spent drawing (without the surface) since the last frame of the simulation
} rv_film;

// Whether a name has one number to fill in ("%d", "%04d"). *bad: it has something else after a '%'.
bool rv_film_numbered(const char *name, bool *bad);
// Puts a number into such a name.
void rv_film_name(const char *pattern, int64_t number, char *out, size_t out_size);
// Whether two names of output files, numbered or not, can mean the same file.
bool rv_film_names_meet(const char *a, const char *b);

// What is wanted. NULL names: nothing of that kind.
typedef struct rv_film_def {
    const char *image, *video;
    const char *environment; // a Radiance file; NULL: the studio
    const char *backdrop;    // a picture behind a pane; NULL: the street
    rv_target *target;       // to draw on, as large as pictures are; NULL: one of its own
} rv_film_def;

// Draws nothing yet.
bool rv_film_start(rv_film *film, const rv_film_def *def, const rv_world *world, rv_moment *moment,
                   rv_messages *messages);
// After each frame of the simulation, and once before the first: draws what is due. false: some of
// it could not be written; the rest was, and the next frame may be tried.
bool rv_film_frame(rv_film *film, const rv_world *world, rv_messages *messages);
// The picture at the end, and the end of the film. Frees everything in any case; `ms` stays.
bool rv_film_finish(rv_film *film, const rv_world *world, bool keep, rv_messages *messages);

#endif
