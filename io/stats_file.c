// Statistics as a table, one row per frame. Volumes have all their digits: the check that none is
// lost is made on this file.
#include "io/stats_file.h"

#include <inttypes.h>

const char *rv_stats_names(void)
{
    return "time,volume,sourced,drained,wet,deepest,fastest,substeps,ms_simulation,ms_surface,"
           "ms_rendering,flooded,passages,iterations,clipped,unsolved,not_finite,unplaced,held,"
           "airborne,"
           "kinetic,potential,dew,dew_refused\n";
}

bool rv_stats_open(rv_atomic_file *file, const char *path, rv_messages *messages)
{
    if (!rv_atomic_open(file, path, messages)) return false;
    fputs(rv_stats_names(), file->stream);
    return true;
}

void rv_stats_row(rv_atomic_file *file, const rv_stats *s, double ms_surface, double ms_rendering)
{
    FILE *out = file->stream;
    fprintf(out, "%.12g,%.17g,%.17g,%.17g,%" PRId64 ",%.9g,%.9g,%d,", s->time, s->volume,
            s->sourced, s->drained, s->wet, s->deepest, s->fastest, s->substeps);
    fprintf(out, "%.6g,%.6g,%.6g,", s->ms, ms_surface, ms_rendering);
    fprintf(out, "%" PRId64 ",%d,%d,%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",", s->flooded,
            s->passages, s->iterations, s->clipped, s->unsolved, s->not_finite, s->unplaced);
    fprintf(out, "%.17g,%.17g,%.9g,%.9g,%.17g,%" PRId64 "\n", s->held, s->airborne, s->kinetic,
            s->potential, s->dew, s->dew_refused);
}
