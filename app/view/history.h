// What the plots show: the last few hundred frames of some quantities.
#ifndef APP_VIEW_HISTORY_H
#define APP_VIEW_HISTORY_H

#define RV_HISTORY 300 // frames

typedef enum rv_quantity {
    RV_Q_VOLUME,     // ml
    RV_Q_WET,        // columns
    RV_Q_SIMULATION, // ms, of all steps of a frame
    RV_Q_SURFACE,    // ms, without the meniscus
    RV_Q_MENISCUS,   // ms
    RV_Q_RENDERING,  // ms
    RV_QUANTITIES
} rv_quantity;

typedef struct rv_history {
    float value[RV_QUANTITIES][RV_HISTORY]; // a ring
    int count;                              // that are there
    int next;                               // where the next goes
} rv_history;

void rv_history_clear(rv_history *history);
void rv_history_add(rv_history *history, const float value[RV_QUANTITIES]);
// The value `back` frames ago, 0 is the last one; 0 when there is none.
float rv_history_at(const rv_history *history, rv_quantity which, int back);
// Of the last `frames` frames.
float rv_history_mean(const rv_history *history, rv_quantity which, int frames);
float rv_history_most(const rv_history *history, rv_quantity which);
float rv_history_least(const rv_history *history, rv_quantity which);

#endif
