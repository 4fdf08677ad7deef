// The queue of a study that several processes share: runs that are given away, that come back, and
// a process that has no list of its own. The other process is played by the function that meets it.
#include "io/study_file.h"
#include "io/study_queue.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define RUNS 6
#define FOLDER "queue"

typedef struct other {
    int taken[RUNS], count; // runs that it has
    int most;               // that it takes
    bool told;              // what it has ended
    rv_study_state state;   // how that ended
    int ended, failed;      // runs of all, as the host heard
    char why[64];           // of the last that failed
    double share;           // the highest
    double wanted;          // share that is to be told before it ends what it has
    bool stop;              // ask for an end
    int next;               // of runs that it gives
} other;

static rv_study *open_six(void **state)
{
    static const char text[] = "scene: " RV_SOURCE_DIR "/tests/data/tray.yaml\n"
                               "time: 0.01\n"
                               "vary: {grid.nx: [20, 21, 22, 23, 24, 25]}\n";
    (void)state;
    rv_study *study;
    rv_messages messages = {0};
    assert_int_equal(system("rm -rf " FOLDER), 0);
    if (rv_study_open_memory(text, strlen(text), "s.yaml", &study, &messages) != RV_OK)
        fail_msg("%s", messages.text);
    return study;
}

static bool on_progress(double share, int ended, int runs, void *user)
{
    other *o = user;
    (void)ended, (void)runs;
    assert_true(share <= 1 + 1e-9);
    if (share > o->share) o->share = share;
    return true;
}

static void on_ended(int run, rv_study_state state, const char *why, void *user)
{
    other *o = user;
    (void)run;
    o->ended++;
    if (state == RV_STUDY_FAILED) o->failed++, snprintf(o->why, sizeof o->why, "%s", why);
}

static rv_study_report run(rv_study *study, other *o, bool given,
                           void (*meet)(rv_study_queue *, void *))
{
    rv_messages messages = {0};
    rv_study_report report;
    rv_study_work work = rv_default_study_work();
    const rv_study_sharing sharing = {given, meet, o};
    work.jobs = 2;
    work.folder = FOLDER;
    work.progress = on_progress, work.ended = on_ended, work.user = o;
    if (rv_study_run_shared(study, &work, &sharing, &report, &messages) != RV_OK)
        fail_msg("%s", messages.text);
    return report;
}

static rv_study_state look(const rv_study *study, int run_number)
{
    rv_study_work work = rv_default_study_work();
    work.folder = FOLDER;
    return rv_study_look(study, &work, run_number);
}

// Takes some at once, and tells how they ended when all others have.
static void take_and_wait(rv_study_queue *queue, void *user)
{
    other *o = user;
    while (o->count < o->most) {
        int got = rv_study_queue_take(queue);
        assert_true(got >= 1 && got <= RUNS);
        o->taken[o->count++] = got;
    }
    rv_study_queue_far(queue, o->told ? 0 : 0.5 * o->count);
    if (o->stop) rv_study_queue_stop(queue);
    assert_true(rv_study_queue_stopping(queue) == o->stop);
    if (o->stop) assert_int_equal(rv_study_queue_take(queue), 0);
    if (o->told || (!o->stop && o->ended < RUNS - o->most) || o->share < o->wanted) return;
    o->told = true;
    rv_study_queue_far(queue, 0);
    for (int run_number = 0; run_number <= RUNS + 1; run_number++) // it cannot end what it has not
        rv_study_queue_ended(queue, run_number, o->state, "far away");
}

static void a_run_that_is_away_is_waited_for(void **state)
{
    rv_study *study = open_six(state);
    other o = {.most = 1, .state = RV_STUDY_FAILED, .wanted = 0.9}; // five and a half of six
    rv_study_report report = run(study, &o, false, take_and_wait);
    // a fixed split would have left some for it to make
    assert_int_equal(o.ended, RUNS);
    assert_int_equal(report.made, RUNS - 1);
    assert_int_equal(report.done, RUNS - 1);
    assert_int_equal(report.failed, 1);
    assert_int_equal(o.failed, 1);
    assert_string_equal(o.why, "far away");
    assert_int_equal(look(study, o.taken[0]), RV_STUDY_TO_DO);
    rv_study_close(study);
}

static void runs_that_come_back_are_made_here(void **state)
{
    rv_study *study = open_six(state);
    other o = {.most = 3, .state = RV_STUDY_TO_DO};
    rv_study_report report = run(study, &o, false, take_and_wait);
    assert_int_equal(o.ended, RUNS);
    assert_int_equal(report.made, RUNS);
    assert_int_equal(report.failed, 0);
    for (int i = 1; i <= RUNS; i++) assert_int_equal(look(study, i), RV_STUDY_DONE);
    rv_study_close(study);
}

static void after_a_stop_nothing_is_given_away(void **state)
{
    rv_study *study = open_six(state);
    other o = {.most = 2, .state = RV_STUDY_STOPPED, .stop = true};
    rv_study_report report = run(study, &o, false, take_and_wait);
    assert_true(report.made < RUNS);
    assert_int_equal(report.failed, 0);
    assert_int_equal(look(study, o.taken[1]), RV_STUDY_TO_DO);
    rv_study_close(study);
}

// Gives runs 5, 3, 1, one whenever a thread has nothing to do, then no more.
static void give_some(rv_study_queue *queue, void *user)
{
    other *o = user;
    int idle = rv_study_queue_free(queue);
    assert_true(idle >= 0 && idle <= 2);
    if (idle > 0 && o->next > 0) {
        rv_study_queue_give(queue, o->next);

        o->next -= 2;
    } else if (o->next < 0) {
        rv_study_queue_close(queue);
    }
}

static void without_a_list_it_makes_what_it_is_given(void **state)
{
    rv_study *study = open_six(state);
    other o = {.next = 5};
    rv_study_report report = run(study, &o, true, give_some);
    assert_int_equal(o.ended, 3);
    assert_int_equal(report.made, 3);
    for (int i = 1; i <= RUNS; i++)
        assert_int_equal(look(study, i), i % 2 == 1 ? RV_STUDY_DONE : RV_STUDY_TO_DO);
    rv_study_close(study);
}

// Whoever has a run has its lock, and a process that ended has none.
static void look_at_a_lock(rv_study_queue *queue, void *user)
{
    other *o = user;
    rv_messages messages = {0};
    if (o->count > 0) return;
    int got = rv_study_queue_take(queue);
    char path[RV_STUDY_PATH];
    o->taken[o->count++] = got;
    assert_true(rv_study_path(FOLDER, got, NULL, path) && rv_study_make_folder(path, &messages));
    assert_false(rv_study_queue_held(queue, got));
    int lock = rv_study_lock(FOLDER, got, &messages);
    assert_true(lock >= 0);
    assert_true(rv_study_queue_held(queue, got));
    rv_study_unlock(FOLDER, got, lock);
    assert_false(rv_study_queue_held(queue, got));
    rv_study_queue_ended(queue, got, RV_STUDY_TO_DO, NULL);
}

static void who_is_at_a_run_is_seen_by_its_lock(void **state)
{
    rv_study *study = open_six(state);
    other o = {0};
    rv_study_report report = run(study, &o, false, look_at_a_lock);
    assert_int_equal(report.made, RUNS);
    rv_study_close(study);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_that_is_away_is_waited_for),
        cmocka_unit_test(runs_that_come_back_are_made_here),
        cmocka_unit_test(after_a_stop_nothing_is_given_away),
        cmocka_unit_test(without_a_list_it_makes_what_it_is_given),
        cmocka_unit_test(who_is_at_a_run_is_seen_by_its_lock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
