// What a plot is made of, between plot.c, which collects it, and gnuplot.c, which draws it.
#ifndef APP_VERIFY_PLOT_H
#define APP_VERIFY_PLOT_H

#include "verify.h"

struct rv_series {
    rv_series *next;
    char label[96];
    rv_plot_mark mark;
    int hue;
    bool unlisted; // not in the key
    double (*point)[2];
    int count, capacity;
};

struct rv_plot {
    rv_plot *next;
    const char *owner; // name of the case
    char name[64];     // of its files, without extension
    char title[128], x_label[64], y_label[64];
    const char *key;
    bool log;
    bool cells;                          // x is the side of a cell, halved and halved again
    double x_low, x_high, y_low, y_high; // NAN: as the points have it
    rv_series *series;
};

#endif
