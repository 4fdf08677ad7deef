// The exact solution of a dam that breaks, for the cases that compare with it.
#ifndef APP_VERIFY_DAM_H
#define APP_VERIFY_DAM_H

#define RV_DAM_LENGTH 10.0 // m; the dam is in its middle
#define RV_DAM_TIME 0.6    // s: the front on the dry bed has come three quarters of the way
#define RV_DAM_HIGH 1.0    // m
#define RV_DAM_LOW 0.1     // m, on the wet bed

// What is between the two levels a time after the dam broke.
typedef struct rv_dam {
    double high, low;     // m
    double middle, speed; // m, m/s: depth behind the shock and velocity there
    double shock;         // m/s
} rv_dam;

rv_dam rv_dam_of(double high, double low);
// Depth at x from the dam, m.
double rv_dam_depth(const rv_dam *d, double x, double time);
// Mean over a cell of side dx.
double rv_dam_cell(const rv_dam *d, double x, double dx, double time);

#endif
