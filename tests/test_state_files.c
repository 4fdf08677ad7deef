// Files that a run writes: states, statistics, snapshots, and that they appear whole or not at all.
#define _POSIX_C_SOURCE 200809L // mkdtemp, chdir
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/snapshot_file.h"
#include "io/state_file.h"
#include "io/stats_file.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zip.h>

#define NX 12
#define NY 9

// A sloping bed with liquid on it, fed by a source: a state that differs from column to column.
static rv_world *make_world(double slope)
{
    static float heights[NX * NY];
    for (int y = 0; y < NY; y++)
        for (int x = 0; x < NX; x++)
            heights[y * NX + x] = (float)(0.01 + slope * x + 0.0003 * ((7 * x + 5 * y) % 4));
    rv_world_def def = rv_default_world_def();
    def.params.grid_nx = NX, def.params.grid_ny = NY, def.params.grid_dx = 0.002;
    def.heights = heights;
    rv_fill_def fill = rv_default_fill_def();
    fill.kind = RV_FILL_DEPTH;
    fill.depth = 0.003;
    fill.to.x = 0;
    def.fills = &fill, def.fill_count = 1;
    rv_source_def source = rv_default_source_def();
    source.at = (rv_vec3){0.004, 0.002, 0.05};
    source.rate = 2e-6;
    def.sources = &source, def.source_count = 1;
    rv_world *world = NULL;
    rv_messages m = {0};
    if (rv_world_create(&def, &world, &m) != RV_OK) fail_msg("%s", m.text);
    return world;
}

static void step(rv_world *world, int frames)
{
    for (int i = 0; i < frames; i++) assert_int_equal(rv_world_step(world, 0.01), RV_OK);
}

// How many entries the folder of this test has.
static int entries(void)
{
    int count = 0;
    DIR *folder = opendir(".");
    for (struct dirent *e; (e = readdir(folder));) count += e->d_name[0] != '.';
    closedir(folder);
    return count;
}

static char *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *text = malloc(1 << 20);
    *size = fread(text, 1, (1 << 20) - 1, file);
    text[*size] = '\0';
    fclose(file);
    return text;
}

static void csv_gives_every_float_back(void **state)
{
    (void)state;
    rv_world *world = make_world(0.0005);
    step(world, 20);
    rv_messages m = {0};
    if (!rv_state_write("a.csv", world, &m)) fail_msg("%s", m.text);
    rv_columns c;
    assert_int_equal(rv_world_get_columns(world, &c), RV_OK);
    FILE *file = fopen("a.csv", "r");
    char line[512];
    assert_non_null(fgets(line, sizeof line, file));
    assert_string_equal(line, "x,y,layer,min,base,max,depth,level,u,v\n");
    int rows = 0, moving = 0;
    while (fgets(line, sizeof line, file)) {
        int x, y, layer;
        float min, base, max, depth, level, u, v;
        assert_int_equal(sscanf(line, "%d,%d,%d,%f,%f,%f,%f,%f,%f,%f", &x, &y, &layer, &min, &base,
                                &max, &depth, &level, &u, &v),
                         10);
        size_t slot = rv_slot(&c.plane[layer], x, y);
        assert_true(min == c.min[slot] && base == c.base[slot] && max == c.max[slot]);
        assert_true(depth == c.depth[slot] && level == c.base[slot] + c.depth[slot]);
        moving += u != 0 || v != 0;
        rows++;
    }
    fclose(file);
    assert_int_equal(rows, NX * NY);
    assert_true(moving > 10);
    rv_world_destroy(world);
}

// The data of an array in an .npz, after its header, which must be what NumPy expects.
static void *npy(zip_t *zip, const char *name, const char *head, size_t bytes)
{
    char file[32];
    snprintf(file, sizeof file, "%s.npy", name);
    zip_stat_t status;
    assert_int_equal(zip_stat(zip, file, 0, &status), 0);
    assert_int_equal(status.size, 128 + bytes);
    char *data = malloc(status.size);
    zip_file_t *entry = zip_fopen(zip, file, 0);
    assert_non_null(entry);
    assert_int_equal(zip_fread(entry, data, status.size), status.size);
    zip_fclose(entry);
    assert_memory_equal(data, "\x93NUMPY\x01\x00\x76\x00", 10);
    assert_memory_equal(data + 10, head, strlen(head));
    assert_int_equal(data[127], '\n');
    memmove(data, data + 128, bytes);
    return data;
}

static void npz_holds_the_same_numbers(void **state)
{
    (void)state;
    rv_world *world = make_world(0.0005);
    step(world, 20);
    rv_messages m = {0};
    if (!rv_state_write("a.npz", world, &m)) fail_msg("%s", m.text);
    if (!rv_state_write("b.npz", world, &m)) fail_msg("%s", m.text);
    size_t a_size, b_size;
    char *a = read_file("a.npz", &a_size), *b = read_file("b.npz", &b_size);
    assert_int_equal(a_size, b_size);
    assert_memory_equal(a, b, a_size); // no clock in it
    free(a), free(b);

    rv_columns c;
    rv_stats stats;
    rv_world_get_columns(world, &c);
    rv_world_get_stats(world, &stats);
    zip_t *zip = zip_open("a.npz", ZIP_RDONLY, NULL);
    assert_non_null(zip);
    assert_int_equal(zip_get_num_entries(zip, 0), 15);
    const char *whole = "{'descr': '<i4', 'fortran_order': False, 'shape': (108,), }";
    const char *real = "{'descr': '<f4', 'fortran_order': False, 'shape': (108,), }";
    const char *scalar = "{'descr': '<f8', 'fortran_order': False, 'shape': (), }";
    int32_t *x = npy(zip, "x", whole, 432), *y = npy(zip, "y", whole, 432);
    float *depth = npy(zip, "depth", real, 432), *base = npy(zip, "base", real, 432);
    double *time = npy(zip, "time", scalar, 8), *volume = npy(zip, "volume", scalar, 8);
    double sum = 0;
    for (int i = 0; i < NX * NY; i++) {
        size_t slot = rv_slot(&c.plane[0], x[i], y[i]);
        assert_true(depth[i] == c.depth[slot] && base[i] == c.base[slot]);
        sum += (double)depth[i] * c.dx * c.dx;
    }
    assert_true(*time == stats.time && *volume == stats.volume);
    assert_true(sum > 0 && fabs(sum / *volume - 1) < 1e-6);
    free(x), free(y), free(depth), free(base), free(time), free(volume);
    zip_discard(zip);
    rv_world_destroy(world);
}

// A pane with drops, some of which run.
static rv_world *make_pane(void)
{
    rv_world_def def = rv_default_world_def();
    def.params.solver = RV_SOLVER_GLASS;
    def.params.grid_nx = 60, def.params.grid_ny = 40, def.params.grid_dx = 0.001;
    def.params.time_step = 0.005;
    def.params.glass_drops = 12, def.params.glass_mist = 0.3;
    rv_emitter_def drop = rv_default_emitter_def();
    drop.kind = RV_EMITTER_DROP;
    drop.at = (rv_vec3){0, 0.01, 0}, drop.radius = 0.003;
    def.emitters = &drop, def.emitter_count = 1;
    rv_world *world = NULL;
    rv_messages m = {0};
    if (rv_world_create(&def, &world, &m) != RV_OK) fail_msg("%s", m.text);
    return world;
}

static void drops_and_their_pane(void **state)
{
    (void)state;
    rv_world *world = make_pane();
    step(world, 5);
    rv_messages m = {0};
    if (!rv_state_write("d.csv", world, &m)) fail_msg("%s", m.text);
    if (!rv_state_write("d.npz", world, &m)) fail_msg("%s", m.text);
    rv_particles p;
    rv_pane pane;
    rv_stats stats;
    assert_int_equal(rv_world_get_particles(world, &p), RV_OK);
    assert_int_equal(rv_world_get_pane(world, &pane), RV_OK);
    assert_int_equal(rv_world_get_stats(world, &stats), RV_OK);
    assert_true(p.count > 5 && p.volume);

    FILE *file = fopen("d.csv", "r");
    char line[512];
    assert_non_null(fgets(line, sizeof line, file));
    assert_string_equal(line, "x,y,u,v,volume\n");
    int64_t rows = 0;
    double sum = 0;
    for (float x, y, u, v, volume; fgets(line, sizeof line, file); rows++) {
        assert_int_equal(sscanf(line, "%f,%f,%f,%f,%f", &x, &y, &u, &v, &volume), 5);
        assert_true(x == p.x[rows] && y == p.y[rows] && volume == p.volume[rows]);
        assert_true(u == (p.u ? p.u[rows] : 0) && v == (p.v ? p.v[rows] : 0));
        sum += (double)volume;
    }
    fclose(file);
    assert_int_equal(rows, p.count);
    assert_true(sum > 0 && fabs(sum / stats.volume - 1) < 1e-5);

    zip_t *zip = zip_open("d.npz", ZIP_RDONLY, NULL);
    assert_non_null(zip);
    const char *map = "{'descr': '<f4', 'fortran_order': False, 'shape': (40, 60), }";
    const char *scalar = "{'descr': '<f8', 'fortran_order': False, 'shape': (), }";
    float *height = npy(zip, "height", map, 9600), *mist = npy(zip, "mist", map, 9600);
    double *all = npy(zip, "all", scalar, 8), *low = npy(zip, "x0", scalar, 8);
    for (int y = 0; y < 40; y++) {
        size_t from = (size_t)y * (size_t)pane.pitch, to = (size_t)y * 60;
        assert_memory_equal(height + to, pane.height + from, 240);
        assert_memory_equal(mist + to, pane.mist + from, 240);
    }
    assert_true(*all == stats.volume && fabs(*low + 0.03) < 1e-12);
    free(height), free(mist), free(all), free(low);
    zip_discard(zip);
    rv_world_destroy(world);
}

static void snapshots_go_on_bit_for_bit(void **state)
{
    (void)state;
    rv_world *one = make_world(0.0005), *two = make_world(0.0005);
    rv_messages m = {0};
    step(one, 15);
    if (!rv_snapshot_write("s.snap", one, &m)) fail_msg("%s", m.text);
    step(one, 15);
    if (!rv_snapshot_read("s.snap", two, &m)) fail_msg("%s", m.text);
    step(two, 15);
    assert_true(rv_world_hash(one) == rv_world_hash(two));
    rv_world_destroy(one);
    rv_world_destroy(two);
}

static void bad_snapshots_are_refused_by_name(void **state)
{
    (void)state;
    rv_world *world = make_world(0.0005), *other = make_world(0.001);
    rv_messages m = {0}, n = {0}, o = {0}, p = {0};
    assert_false(rv_snapshot_read("none.snap", world, &m));
    assert_string_equal(m.text, "none.snap: no such file");
    assert_true(rv_snapshot_write("good.snap", world, &m));
    assert_false(rv_snapshot_read("good.snap", other, &n));
    assert_int_equal(strncmp(n.text, "good.snap: ", 11), 0);
    assert_int_equal(n.count, 1);
    size_t size;
    char *bytes = read_file("good.snap", &size);
    for (size_t cut = 0; cut < size; cut += cut < 200 ? 1 : 37) {
        FILE *file = fopen("cut.snap", "wb");
        fwrite(bytes, 1, cut, file);
        fclose(file);
        rv_messages q = {0};
        assert_false(rv_snapshot_read("cut.snap", world, &q));
        assert_int_equal(strncmp(q.text, "cut.snap: ", 10), 0);
    }
    bytes[size / 2] = (char)(bytes[size / 2] ^ 1);
    FILE *file = fopen("flip.snap", "wb");
    fwrite(bytes, 1, size, file);
    fclose(file);
    assert_false(rv_snapshot_read("flip.snap", world, &o));
    assert_int_equal(strncmp(o.text, "flip.snap: ", 11), 0);
    assert_false(rv_snapshot_read(".", world, &p));
    free(bytes);
    rv_world_destroy(world);
    rv_world_destroy(other);
}

static void statistics_have_a_row_per_frame(void **state)
{
    (void)state;
    rv_world *world = make_world(0.0005);
    rv_messages m = {0};
    rv_atomic_file file;
    rv_stats stats;
    assert_true(rv_stats_open(&file, "run.csv", &m));
    for (int i = 0; i < 3; i++) {
        step(world, 1);
        rv_world_get_stats(world, &stats);
        rv_stats_row(&file, &stats, 0, 1.5);
    }
    assert_int_equal(access("run.csv", F_OK), -1); // not before it is whole
    assert_true(rv_atomic_commit(&file, &m));
    size_t size;
    char *text = read_file("run.csv", &size), *line = strchr(text, '\n') + 1;
    const char *columns = "time,volume,sourced,drained,wet,deepest,fastest,substeps,ms_simulation,"
                          "ms_surface,ms_rendering,";
    assert_memory_equal(text, columns, strlen(columns));
    int rows = 0, head = 1, commas = 0;
    for (char *c = text; *c != '\n'; c++) head += *c == ',';
    for (char *c = line; *c; c++) {
        commas += *c == ',';
        if (*c != '\n') continue;
        assert_int_equal(commas + 1, head);
        commas = 0;
        rows++;
        if (c[1]) line = c + 1;
    }
    assert_int_equal(rows, 3);
    double time, volume, sourced, drained;
    assert_int_equal(sscanf(line, "%lf,%lf,%lf,%lf", &time, &volume, &sourced, &drained), 4);
    assert_true(volume == stats.volume && sourced == stats.sourced && drained == stats.drained);
    free(text);
    rv_world_destroy(world);
}

static void an_abandoned_file_leaves_nothing(void **state)
{
    (void)state;
    rv_messages m = {0};
    rv_atomic_file file;
    int before = entries();
    assert_true(rv_atomic_open(&file, "never.txt", &m));
    fputs("half of", file.stream);
    assert_int_equal(entries(), before + 1);
    rv_atomic_abandon(&file);
    assert_int_equal(entries(), before);
    rv_atomic_abandon(&file); // again does no harm

    FILE *old = fopen("old.txt", "w");
    fputs("old", old);
    fclose(old);
    assert_true(rv_atomic_open(&file, "old.txt", &m));
    fputs("new", file.stream);
    rv_atomic_abandon(&file);
    size_t size;
    char *text = read_file("old.txt", &size);
    assert_string_equal(text, "old");
    free(text);
    assert_true(rv_atomic_open(&file, "old.txt", &m));
    fputs("new", file.stream);
    assert_true(rv_atomic_commit(&file, &m));
    text = read_file("old.txt", &size);
    assert_string_equal(text, "new");
    free(text);
}

static void a_link_keeps_being_one(void **state)
{
    (void)state;
    rv_messages m = {0};
    rv_atomic_file file;
    FILE *old = fopen("real.txt", "w");
    fclose(old);
    assert_int_equal(symlink("real.txt", "link.txt"), 0);
    assert_true(rv_atomic_open(&file, "link.txt", &m));
    fputs("new", file.stream);
    assert_true(rv_atomic_commit(&file, &m));
    struct stat status;
    assert_int_equal(lstat("link.txt", &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    size_t size;
    char *text = read_file("real.txt", &size);
    assert_string_equal(text, "new");
    free(text);
}

static void a_full_disk_is_told(void **state)
{
    (void)state;
    if (access("/dev/full", W_OK) != 0) skip();
    rv_messages m = {0};
    rv_atomic_file file;
    assert_true(rv_atomic_open(&file, "/dev/full", &m));
    fputs("anything", file.stream);
    assert_false(rv_atomic_commit(&file, &m));
    assert_string_equal(m.text, "/dev/full: No space left on device");
}

static void bad_places_are_told_before_the_work(void **state)
{
    (void)state;
    rv_messages m = {0};
    assert_true(rv_output_check("--state", "fine.npz", RV_STATE_EXTENSIONS, &m));
    assert_true(rv_output_check("--save", "anything", NULL, &m));
    assert_true(rv_output_check("--stats", "/dev/null", "csv", &m));
    assert_int_equal(m.count, 0);
    mkdir("folder.csv", 0777);
    assert_false(rv_output_check("--state", "a.txt", RV_STATE_EXTENSIONS, &m));
    assert_false(rv_output_check("--state", "npz", RV_STATE_EXTENSIONS, &m));
    assert_false(rv_output_check("--stats", "no/such/a.csv", "csv", &m));
    assert_false(rv_output_check("--stats", "old.txt/a.csv", "csv", &m));
    assert_false(rv_output_check("--stats", "folder.csv", "csv", &m));
    assert_string_equal(m.text, "--state a.txt: the name must end in .npz or .csv\n"
                                "--state npz: the name must end in .npz or .csv\n"
                                "--stats no/such/a.csv: there is no folder 'no/such'\n"
                                "--stats old.txt/a.csv: 'old.txt' is not a folder\n"
                                "--stats folder.csv: is a folder");
    rv_atomic_file file;
    rv_messages n = {0};
    assert_false(rv_atomic_open(&file, "folder.csv", &n));
    assert_false(rv_atomic_open(&file, "no/such/a.csv", &n));
    assert_int_equal(n.count, 2);
    rv_world *world = make_world(0.0005);
    rv_messages o = {0};
    assert_false(rv_state_write("no/such/a.npz", world, &o));
    assert_false(rv_state_write("no/such/a.csv", world, &o));
    assert_false(rv_snapshot_write("no/such/a.snap", world, &o));
    assert_int_equal(o.count, 3);
    rv_world_destroy(world);
}

static int enter_fresh_folder(void **state)
{
    (void)state;
    char name[] = "files-XXXXXX";
    return mkdtemp(name) ? chdir(name) : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(csv_gives_every_float_back),
        cmocka_unit_test(npz_holds_the_same_numbers),
        cmocka_unit_test(drops_and_their_pane),
        cmocka_unit_test(snapshots_go_on_bit_for_bit),
        cmocka_unit_test(bad_snapshots_are_refused_by_name),
        cmocka_unit_test(statistics_have_a_row_per_frame),
        cmocka_unit_test(an_abandoned_file_leaves_nothing),
        cmocka_unit_test(a_link_keeps_being_one),
        cmocka_unit_test(a_full_disk_is_told),
        cmocka_unit_test(bad_places_are_told_before_the_work),
    };
    return cmocka_run_group_tests(tests, enter_fresh_folder, NULL);
}
