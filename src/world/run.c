// What hosts do with a world as a whole: running it for a time that is many steps long, and listing
// its columns as a table.
#include "rivulet/world.h"

// ---- Running ------------------------------------------------------------------------------------

// How many frames `seconds` are, and how long each is: time.step where that divides them but for
// rounding, else the next shorter part.
static double frames_in(double seconds, double step, double *frame)
{
    double frames = ceil(seconds / step - 1e-6);
    if (frames < 1) frames = 1;
    *frame = fabs(seconds - frames * step) <= 1e-6 * step ? step : seconds / frames;
    return frames;
}

rv_result rv_world_run(rv_world *world, double seconds, rv_watch *watch, void *user)
{
    if (!world || !(seconds >= 0) || !isfinite(seconds)) return RV_BAD_ARGUMENT;
    if (seconds == 0) return RV_OK;
    double frame, frames = frames_in(seconds, rv_world_params(world)->time_step, &frame);
    for (double i = 0; i < frames; i++) {
        rv_result r = rv_world_step(world, frame);
        if (r != RV_OK) return r;
        if (watch && !watch((i + 1) * frame, seconds, user)) return RV_OK;
    }
    return RV_OK;
}

// ---- The columns as a table ---------------------------------------------------------------------

static void put_whole(int32_t *to, size_t row, int value)
{
    if (to) to[row] = (int32_t)value;
}

static void put_real(float *to, size_t row, float value)
{
    if (to) to[row] = value;
}

static void put_row(const rv_world *world, const rv_columns *c, size_t slot,
                    const rv_column_table *t, size_t row)
{
    put_real(t->min, row, c->min[slot]);
    put_real(t->base, row, c->base[slot]);
    put_real(t->max, row, c->max[slot]);
    put_real(t->depth, row, c->depth[slot]);
    put_real(t->level, row, c->base[slot] + c->depth[slot]);
    if (!t->u && !t->v) return;
    float velocity[2];
    rv_world_get_column_velocity(world, slot, velocity);
    put_real(t->u, row, velocity[0]);
    put_real(t->v, row, velocity[1]);
}

size_t rv_world_list_columns(const rv_world *world, const rv_column_table *out, size_t room)
{
    rv_columns c;
    size_t count = 0;
    if (rv_world_get_columns(world, &c) != RV_OK) return 0;
    if (!out) room = 0;
    for (int p = 0; p < c.planes; p++) {
        const rv_plane *plane = &c.plane[p];
        for (int y = plane->y0; y < plane->y0 + plane->ny; y++)
            for (int x = plane->x0; x < plane->x0 + plane->nx; x++) {
                size_t slot = rv_slot(plane, x, y);
                if (!(c.max[slot] > c.base[slot])) continue;
                if (count < room) {
                    put_whole(out->x, count, x), put_whole(out->y, count, y);
                    put_whole(out->layer, count, p);
                    put_row(world, &c, slot, out, count);
                }
                count++;
            }
    }
    return count;
}
