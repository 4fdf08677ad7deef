// The viewer in a page: what its files share. web/page/ calls the functions marked PAGE, each with
// the page that page_create gave.
#ifndef WEB_PAGE_H
#define WEB_PAGE_H

#include "app/view/view.h"
#include "web/text.h"

#include <emscripten.h>

#define PAGE EMSCRIPTEN_KEEPALIVE

typedef struct rv_page {
    rv_view view;
    rv_text text; // what was asked for last; valid until the next question
    sig_atomic_t signal;
    bool opened; // there is a scene on the stage
} rv_page;

// Where the slider of a tool's value stands, 0 to 1: radius, rate, density, bounce, affinity.
double page_tool_place(rv_page *page, const char *which);

#endif
