#!/bin/sh
# `rivulet-mpi study` as a user meets it: the table of the plain command on any number of ranks, a queue and no fixed
# split, and going on after ranks were killed, stopped, or left.
. "$SOURCE/tests/command.sh"
. "$SOURCE/tests/mpi.sh"

cat >s.yaml <<END
scene: $tray
time: 0.05
set: {border.east: wall}
vary:
  sources[0].rate: [1 ml/s, 4 ml/s]
  liquid.viscosity: {from: 1e-6, to: 1e-4, count: 2, spacing: log}
draw: {liquid.tension: {uniform: [0.03, 0.07]}}
draws: 2
table: {deepest: [max, mean]}
plots:
  - {x: liquid.viscosity, y: deepest.max, by: "sources[0].rate"}
keep: {state: npz, every: 10 ms}
END

same() {
    cmp -s "$1" "$2" || fail "$1 and $2 differ"
}

one_line() {
    [ "$(wc -l <err.txt)" = 1 ] || { fail "not one line:"; cat err.txt; }
}

# ---- what is wrong is said once, by rank 0
mpi_expect 0 2 --version
[ "$(cat out.txt)" = "$("$RIVULET" --version | sed 's/rivulet/rivulet-mpi/')" ] || fail "--version: $(cat out.txt)"
mpi_expect 2 2 stduy
says err.txt "rivulet-mpi: unknown subcommand 'stduy'; did you mean 'study'?"
one_line
mpi_expect 2 3 study
says err.txt "rivulet-mpi study: which study? Name a YAML file"
one_line
mpi_expect 2 2 study s.yaml --jbos 2
says err.txt "rivulet-mpi study: unknown option '--jbos'; did you mean '--jobs'?"
one_line
mpi_expect 2 2 study nowhere.yaml
says err.txt "nowhere.yaml: no such file"
one_line
mpi_expect 2 2 study s.yaml --only 9
one_line
mpi_expect 0 2 study --help
[ "$(grep -c '^usage: rivulet-mpi study FILE.yaml' out.txt)" = 1 ] || fail "--help is said once"

# ---- the table of the plain command; finished is finished; either goes on with what the other left
expect 0 study s.yaml --folder plain
for n in 1 2 5; do
    mpi_expect 0 $n study s.yaml --folder "ranks$n"
    says out.txt "s.yaml: 8 of 8 runs done; ranks$n/table.csv"
    same plain/table.csv "ranks$n/table.csv"
    same plain/table.npz "ranks$n/table.npz"
    same plain/0007/state.npz "ranks$n/0007/state.npz"
    [ -z "$(find "ranks$n" -name lock -o -name resume.snap)" ] || fail "$n ranks left locks or snapshots"
done
expect 0 study s.yaml --folder both --only 1-3
mpi_expect 0 2 study s.yaml --folder both --only 3-6 --jobs 2 --threads 2
says out.txt "s.yaml: 4 of 4 runs done; no table yet"
cp -p both/0001/result.csv kept.csv
mpi_expect 0 3 study s.yaml --folder both
[ kept.csv -nt both/0001/result.csv ] || [ both/0001/result.csv -nt kept.csv ] && fail "a finished run was made again"
same plain/table.csv both/table.csv
mpi_expect 0 2 study s.yaml --folder both --dry-run
[ "$(grep -c '^000[1-8]  done' out.txt)" = 8 ] || { fail "--dry-run"; cat out.txt; }
mpi_expect 0 2 study s.yaml --folder both --table

# ---- a run that fails is told by rank 0 whoever made it, and other settings are not mixed
cat >fails.yaml <<END
scene: $tray
time: 0.02
vary: {grid.top: [4 cm, -1 cm], grid.nx: [20, 24]}
END
mpi_expect 1 3 study fails.yaml
says out.txt "fails.yaml: 2 of 4 runs done, 2 failed; fails/table.csv"
[ "$(grep -c '^run [34] failed: .*grid.top: -0.01 must be above grid.bottom' err.txt)" = 2 ] || { fail "failures"; cat err.txt; }
sed -e 's/1 ml/2 ml/' s.yaml >other.yaml
mpi_expect 2 2 study other.yaml --folder both
grep -q '^both/0001: holds a run of another scene or other settings' err.txt || fail "other settings"

# ---- a queue: one rank is at the long run, and the other makes all the rest
cat >uneven.yaml <<END
scene: $tray
time: 0.15
set: {grid.ny: 48}
vary: {grid.nx: [2400, 20, 21, 22]}
END
rm -rf uneven
ranks 2 "$RIVULET_MPI" study uneven.yaml >out.txt 2>err.txt &
pid=$!
until [ -e uneven/0004/result.csv ]; do
    kill -0 $pid 2>/dev/null || break
    sleep 0.02
done
[ -e uneven/0001/result.csv ] && fail "the long run was over before the others: a fixed split, or too short"
[ "$(ls uneven/000[23]/result.csv | wc -l)" = 2 ] || fail "run 4 was made before runs 2 and 3"
wait $pid || { fail "uneven"; cat out.txt err.txt; }

# ---- killed, left and stopped
sed -e 's/^time: .*/time: 1.5/' -e '/^draws/s/2/1/' s.yaml >long.yaml
expect 0 study long.yaml --folder whole

# begin FOLDER OPTION…: three ranks, until each has a run; sets pid, of mpirun, and those of the ranks
begin() {
    folder=$1
    shift
    rm -rf "$folder"
    # shellcheck disable=SC2086
    mpirun $ranks_options "$@" -n 3 "$RIVULET_MPI" study long.yaml --folder "$folder" >out.txt 2>err.txt &
    pid=$!
    until [ -e "$folder/0001/resume.snap" ] && [ -e "$folder/0002/resume.snap" ] && [ -e "$folder/0003/resume.snap" ]; do
        kill -0 $pid 2>/dev/null || { fail "$folder: over too soon"; break; }
        sleep 0.02
    done
    rank0=$(rank_pid 0) && rank1=$(rank_pid 1)
}

# The process of that rank: MPI tells each its own in its environment.
rank_pid() {
    for child in $(cat "/proc/$pid/task"/*/children); do
        tr '\0' '\n' <"/proc/$child/environ" | grep -qx "OMPI_COMM_WORLD_RANK=$1" && echo "$child" && return
    done
    return 1
}

goes_on() {
    mpi_expect 0 "$2" study long.yaml --folder "$1"
    same whole/table.csv "$1/table.csv"
    same whole/table.npz "$1/table.npz"
    same whole/0002/state.npz "$1/0002/state.npz"
}

# mpirun ends all when one dies; what they were at is on the disk. A job on another number of ranks goes on from it.
begin killed
kill -KILL "$rank1"
wait $pid && fail "a rank was killed, and all was well"
[ -e killed/table.csv ] && fail "a table of a part"
goes_on killed 2
begin killed0
kill -KILL "$rank0"
wait $pid && fail "rank 0 was killed, and all was well"
goes_on killed0 2
# Where mpirun lets the others live, they make what was left.
begin outlived --enable-recovery
kill -KILL "$rank1"
wait $pid || fail "the others did not outlive a rank: $?"
says out.txt "long.yaml: 4 of 4 runs done; outlived/table.csv"
says err.txt "1 rank went away; others make what was left, now or the next time"
same whole/table.csv outlived/table.csv
same whole/0002/state.npz outlived/0002/state.npz
# One that is told to go hands its run on.
begin left
kill -TERM "$rank1"
wait $pid || fail "a rank left: $?"
says out.txt "long.yaml: 4 of 4 runs done; left/table.csv"
same whole/table.csv left/table.csv
# Rank 0 stops all; mpirun does this to every rank after Ctrl-C.
begin stopped
kill -TERM "$rank0"
wait $pid
code=$?
[ "$code" = 143 ] || fail "rank 0 was stopped: exit code $code"
says err.txt "stopped by a signal; go on with: rivulet-mpi study long.yaml --folder stopped"
grep -q 'cut short; no table yet$' out.txt || fail "stopped: $(cat out.txt)"
goes_on stopped 5

[ "$failures" = 0 ]
