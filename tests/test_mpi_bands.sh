#!/bin/sh
# rivulet-mpi run: the hash of `rivulet run` on any number of ranks; snapshots that are the same bytes, and go on with
# another number of ranks or with none; a rank that is killed ends the run and leaves the last snapshot whole; each rank
# has its part of the memory; what is wrong is told in one line.
. "$SOURCE/tests/command.sh"
. "$SOURCE/tests/mpi.sh"
bands="$data/bands.yaml"

hash_of() {
    sed -n 's/.*hash \([0-9a-f]\{16\}\)$/\1/p' "$1"
}

# same STEPS SCENE OPTION…: the same last line, milliseconds aside, on 1, 2, 3 and 5 ranks.
same() {
    steps=$1
    shift
    expect 0 run "$@" --steps "$steps" --quiet
    sed 's/, [0-9.e+-]* ms.frame//' out.txt >one.txt
    for n in 1 2 3 5; do
        mpi_expect 0 $n run "$@" --steps "$steps" --quiet
        sed 's/, [0-9.e+-]* ms.frame//' out.txt | cmp -s - one.txt || fail "$*: on $n ranks: $(cat out.txt)"
    done
}

same 5 "$bands"
same 5 "$bands" --set tension.on=false
same 5 "$bands" --set solver=swe --set tension.on=false
same 2 cross-passage
same 2 three-layers
same 2 tank-light-ball
grep -q "tank-light-ball.yaml:[0-9]*: bodies: the grid is not cut, each of 5 ranks works out the whole of it" err.txt ||
    fail "not told: $(cat err.txt)"

# Snapshots, statistics, and going on.
expect 0 run "$bands" --steps 6 --quiet --stats one.csv
whole=$(hash_of out.txt)
expect 0 run "$bands" --steps 4 --quiet --save four.rvs
mpi_expect 0 3 run "$bands" --steps 4 --quiet --save three.rvs
cmp -s four.rvs three.rvs || fail "the snapshots of one process and of 3 ranks differ"
mpi_expect 0 2 run "$bands" --steps 2 --quiet --resume three.rvs --save two.rvs --stats two.csv --state two.csv.npz
[ "$(hash_of out.txt)" = "$whole" ] || fail "resumed on 2 ranks: another hash"
expect 0 run "$bands" --steps 2 --quiet --resume three.rvs --save one.rvs
cmp -s one.rvs two.rvs || fail "resumed snapshots of one process and of 2 ranks differ"
[ "$(hash_of out.txt)" = "$whole" ] || fail "a snapshot of 3 ranks goes on otherwise in one process"
[ "$(wc -l <two.csv)" = 3 ] || fail "statistics: $(cat two.csv)"
[ -s two.csv.npz ] || fail "no state"

# A rank that is killed.
rm -f kept.rvs
ranks 3 "$RIVULET_MPI" run "$bands" --steps 100000 --quiet --save kept.rvs --save-every 4ms >out.txt 2>err.txt &
job=$!
tries=0
while [ ! -s kept.rvs ] && [ $tries -lt 300 ]; do
    sleep 0.1
    tries=$((tries + 1))
done
# the ranks are children of mpirun, which the shell's function runs in a process of its own, or is
for parent in $job $(cat "/proc/$job/task/$job/children" 2>/dev/null); do
    for child in $(cat "/proc/$parent/task/$parent/children" 2>/dev/null); do
        grep -q rivulet-mpi "/proc/$child/comm" && victim=$child
    done
done
kill -9 "${victim:-none}" || fail "no rank to kill"
wait $job && fail "a run whose rank was killed ended well"
mpi_expect 0 2 run "$bands" --steps 1 --quiet --resume kept.rvs
[ -n "$(hash_of out.txt)" ] || fail "the last snapshot is not whole: $(cat err.txt)"

# Memory: each of four ranks has less than two thirds of what one has, besides what a process has without a grid to speak of.
small="--set terrain.keep=false --set tension.on=false --steps 1 --quiet --traffic"
large="--set grid.ny=4096 --set grid.nx=384 $small"
memory() {
    awk '$1 ~ /^[0-9]+$/ && $2 ~ /-/ && $NF > most {most = $NF} END {print int(most)}' out.txt
}
# more N: MB that the large grid takes on a rank of N, at most
more() {
    # shellcheck disable=SC2086
    mpi_expect 0 "$1" run "$bands" $small
    little=$(memory)
    # shellcheck disable=SC2086
    mpi_expect 0 "$1" run "$bands" $large
    most=$(($(memory) - little))
}
more 1
all=$most
more 4
[ "$all" -gt 0 ] && [ $((3 * most)) -lt $((2 * all)) ] || fail "memory: $most MB a rank of 4, $all MB alone"

# What is wrong.
mpi_expect 2 2 run no-such-scene
[ "$(wc -l <err.txt)" = 1 ] || fail "not one line: $(cat err.txt)"
mpi_expect 2 2 run "$bands" --frob
says err.txt "rivulet-mpi run: unknown option '--frob'; \`rivulet-mpi run --help\` lists them"
mpi_expect 2 2 run glass-merge --steps 1
grep -q "glass-merge.yaml:7: solver: only solvers pipes and swe, on processors, share their grid" err.txt ||
    fail "$(cat err.txt)"
mpi_expect 2 2 run "$bands" --resume one.csv
[ "$(wc -l <err.txt)" = 1 ] || fail "not one line: $(cat err.txt)"
mpi_expect 2 3 run "$bands" --save no/such/folder/a.rvs
[ "$(wc -l <err.txt)" = 1 ] || fail "not one line: $(cat err.txt)"
[ "$failures" = 0 ]
