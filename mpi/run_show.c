// What of `rivulet-mpi run` needs the whole world in one place: pictures, films, meshes, states.
// Rank 0 makes one of its own, and brings it up to date from the state of all ranks where a film
// frame is due, and at the end.
#include "mpi/run.h"

#include "io/scene_world.h"
#include "io/state_file.h"
#include "mpi/ranks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool keep_piece(void *user, const void *bytes, size_t count)
{
    rv_band_whole *w = user;
    if (!w->bytes) return true; // another rank of a world that is not cut: rank 0 has it too
    if (count > w->room - w->used) { // droplets came
        size_t room = w->used + count + (1u << 20);
        unsigned char *more = realloc(w->bytes, room);
        if (!more) return false;
        w->bytes = more, w->room = room;
    }
    memcpy(w->bytes + w->used, bytes, count);
    w->used += count;
    return true;
}

// ---- A part of it -------------------------------------------------------------------------------

// A place along an axis as the number of a line between cells, within the grid.
static int line_of(double line, int cells)
{
    return (int)fmin(fmax(line, 0), cells);
}

// The cells that a window has a part of.
static bool find_cells(rv_band_run *r)
{
    const rv_params *p = &r->scene.params;
    const double *at = r->options->window;
    double x0 = p->grid_x - 0.5 * p->grid_nx * p->grid_dx;
    double y0 = p->grid_y - 0.5 * p->grid_ny * p->grid_dx;
    int x = line_of(floor((at[0] - x0) / p->grid_dx + 1e-6), p->grid_nx);
    int y = line_of(floor((at[1] - y0) / p->grid_dx + 1e-6), p->grid_ny);
    int x1 = line_of(ceil((at[2] - x0) / p->grid_dx - 1e-6), p->grid_nx);
    int y1 = line_of(ceil((at[3] - y0) / p->grid_dx - 1e-6), p->grid_ny);
    r->whole.x = x, r->whole.y = y, r->whole.nx = x1 - x, r->whole.ny = y1 - y;
    if (x1 > x && y1 > y) return true;
    rv_messages_add(&r->messages, "--window: lies outside the grid");
    return false;
}

// A world of those cells, without anything that flows or happens.
static bool make_window(rv_band_run *r)
{
    rv_scene_file part = r->scene; // its lists are borrowed
    rv_params *p = &part.params;
    const rv_band_whole *w = &r->whole;
    p->grid_x += (w->x + 0.5 * w->nx - 0.5 * p->grid_nx) * p->grid_dx;
    p->grid_y += (w->y + 0.5 * w->ny - 0.5 * p->grid_ny) * p->grid_dx;
    p->grid_nx = w->nx, p->grid_ny = w->ny;
    p->border_west = p->border_east = p->border_south = p->border_north = RV_BORDER_WALL;
    part.fill_count = part.source_count = part.drain_count = part.event_count = 0;
    part.body_count = 0;
    return rv_prepare_world(&part, r->pool, NULL, &r->whole.world, &r->messages);
}

// Whether a body's middle is in the window.
static bool is_within(const rv_params *p, rv_vec3 at)
{
    return fabs(at.x - p->grid_x) <= 0.5 * p->grid_nx * p->grid_dx &&
           fabs(at.y - p->grid_y) <= 0.5 * p->grid_ny * p->grid_dx;
}

// Which body of the window is which of all; more only where bodies came. false: no memory.
static bool widen_bodies(rv_band_whole *w, int count)
{
    if (count <= w->bodies) return true;
    int *more = realloc(w->body, (size_t)count * sizeof *more);
    if (!more) return false;
    for (int i = w->bodies; i < count; i++) more[i] = -1;
    w->body = more, w->bodies = count;
    return true;
}

// Bodies whose middle is in the window, as they are now. One that stays is moved, since numbers of
// bodies are never used again: a film would have more of them with each frame.
static bool take_bodies(rv_band_run *r)
{
    rv_band_whole *w = &r->whole;
    rv_messages unread = {0};
    if (!widen_bodies(w, rv_world_body_count(r->world))) return false;
    for (int i = 0; i < w->bodies; i++) {
        rv_body_def def;
        rv_body_state state;
        bool there = rv_world_get_body(r->world, i, &def, &state) == RV_OK &&
                     is_within(rv_world_params(w->world), state.at);
        if (!there && w->body[i] >= 0) rv_world_remove_body(w->world, w->body[i]), w->body[i] = -1;
        if (!there) continue;
        def.at = state.at;
        if (w->body[i] < 0 && rv_world_add_body(w->world, &def, &w->body[i], &unread) != RV_OK) {
            w->body[i] = -1;
            continue;
        }
        rv_world_set_body(w->world, w->body[i], &state);
    }
    return true;
}

static bool gather_window(rv_band_run *r)
{
    const rv_band_whole *w = &r->whole;
    bool good = rv_world_get_window(r->world, w->x, w->y, w->nx, w->ny, w->world) == RV_OK;
    return good && (r->rank != 0 || take_bodies(r));
}

// ---- All of it ----------------------------------------------------------------------------------

// All ranks: their state into the world of rank 0.
static bool gather(rv_band_run *r, rv_messages *messages)
{
    rv_band_whole *w = &r->whole;
    bool good;
    w->used = 0;
    if (r->options->has_window)
        good = gather_window(r);
    else
        good = rv_world_save_to(r->world, keep_piece, w) == RV_OK;
    if (r->rank == 0 && good && !r->options->has_window)
        good = rv_world_restore(w->world, w->bytes, w->used, messages) == RV_OK;
    if (r->rank == 0 && !good && messages->count == 0)
        rv_messages_add(messages, "not enough memory on rank 0 for what is shown of the world");
    return rv_mpi_of_first(MPI_COMM_WORLD, good);
}

static bool make_whole(rv_band_run *r)
{
    rv_band_whole *w = &r->whole;
    if (w->made) return true;
    if (r->options->has_window) {
        w->made = find_cells(r) && rv_mpi_of_first(MPI_COMM_WORLD, r->rank != 0 || make_window(r));
        return w->made;
    }
    w->room = rv_world_snapshot_size(r->world);
    w->bytes = r->rank == 0 ? malloc(w->room) : NULL;
    bool good = rv_mpi_of_first(MPI_COMM_WORLD, w->bytes != NULL);
    if (!good)
        rv_messages_add(&r->messages,
                        "not enough memory for the whole world on rank 0, which --state, --mesh, "
                        "--terrain, --image and --video need");
    if (good && r->rank == 0)
        good = rv_prepare_world(&r->scene, r->pool, NULL, &w->world, &r->messages);
    w->made = rv_mpi_of_first(MPI_COMM_WORLD, good);
    return w->made;
}

static bool start(rv_band_run *r)
{
    const rv_run_options *o = r->options;
    rv_film_def def = {.image = o->image, .video = o->video, .environment = r->scene.environment};
    if (r->rank != 0) return true;
    r->moment = rv_moment_begin();
    rv_meshes_start(&r->meshes, r->whole.world, &r->moment, o->mesh);
    return rv_film_start(&r->film, &def, r->whole.world, &r->moment, &r->messages);
}

// Whether something is shown on the way.
static bool has_frames(const rv_run_options *o)
{
    bool bad;
    return o->video || (o->image && rv_film_numbered(o->image, &bad)) ||
           (o->mesh && rv_film_numbered(o->mesh, &bad));
}

bool rv_band_show_begin(rv_band_run *r)
{
    if (!has_frames(r->options)) return true;
    if (!make_whole(r) || !gather(r, &r->messages)) return false;
    r->clock = rv_film_clock_start(r->world);
    r->shows = rv_mpi_of_first(MPI_COMM_WORLD, start(r));
    return r->shows && rv_band_show_frame(r);
}

bool rv_band_show_frame(rv_band_run *r)
{
    rv_messages why = {0};
    if (!r->shows || rv_film_due(&r->clock, r->world) < 0) return true;
    bool good = gather(r, &why);
    if (r->rank == 0 && good) {
        good = rv_film_frame(&r->film, r->whole.world, &why);
        good = rv_meshes_frame(&r->meshes, r->whole.world, &why) && good;
    }
    if (!good && r->lost++ == 0 && r->rank == 0) rv_print_messages(&why);
    return true; // what comes later may well find room
}

bool rv_band_show_end(rv_band_run *r)
{
    const rv_run_options *o = r->options;
    rv_messages *messages = &r->messages;
    if (!o->state && !o->image && !o->mesh && !o->terrain && !o->video) return true;
    bool good = make_whole(r) && gather(r, messages);
    if (good && !r->shows) good = rv_mpi_of_first(MPI_COMM_WORLD, start(r));
    if (r->rank == 0 && r->whole.world) {
        const rv_world *world = r->whole.world;
        good = rv_film_finish(&r->film, world, good, messages) && good;
        good = good && rv_meshes_finish(&r->meshes, world, messages);
        if (o->state) good = good && rv_state_write(o->state, world, messages);
        if (o->terrain) good = good && rv_terrain_export(world, o->terrain, messages);
    }
    return rv_mpi_of_first(MPI_COMM_WORLD, good);
}

void rv_band_show_free(rv_band_run *r)
{
    if (r->rank == 0 && r->whole.world) rv_moment_end(&r->moment);
    rv_world_destroy(r->whole.world);
    free(r->whole.bytes);
    free(r->whole.body);
}
