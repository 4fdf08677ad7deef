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
[ -s err.txt ] && fail "bodies are cut, and yet something is told: $(cat err.txt)"
mpi_expect 0 2 run tank-light-ball --set spray.on=true --steps 1 --quiet
grep -q "tank-light-ball.yaml:[0-9]*: spray.on: the grid is not cut, each of 2 ranks works out the whole of it" err.txt ||
    grep -q "spray.on: the grid is not cut, each of 2 ranks works out the whole of it" err.txt ||
    fail "not told: $(cat err.txt)"
# every rank has all of it then, and rank 0 alone writes
mpi_expect 0 2 run tank-light-ball --set spray.on=true --steps 1 --quiet --save /dev/null --state uncut.npz
[ -s uncut.npz ] || fail "no state of a world that is not cut"

# Bodies that reach into rows which ranks did not keep: they come to keep them.
expect 0 run tank-light-ball --steps 1 --quiet --save large.rvs
sed 's/radius: 9 cm/radius: 1 cm/' "$SOURCE/scenes/tank-light-ball.yaml" >small.yaml
expect 0 run small.yaml --steps 1 --quiet --resume large.rvs
large=$(hash_of out.txt)
mpi_expect 0 2 run small.yaml --steps 1 --quiet --resume large.rvs
[ "$(hash_of out.txt)" = "$large" ] || fail "with larger bodies than the scene's another hash: $(cat out.txt)"
mpi_expect 2 2 run small.yaml --steps 1 --quiet --resume large.rvs --set terrain.keep=false
[ "$(wc -l <err.txt)" = 1 ] || fail "not one line: $(cat err.txt)"

# Terrain that changes, and a jet: cut, the same, and to be resumed.
same 8 "$data/bands_edits.yaml"
same 8 "$data/bands_jet.yaml"
[ -s err.txt ] && fail "a jet is cut, and yet something is told: $(cat err.txt)"
expect 0 run "$data/bands_edits.yaml" --steps 8 --quiet
carved=$(hash_of out.txt)
mpi_expect 0 3 run "$data/bands_edits.yaml" --steps 5 --quiet --save carving.rvs
expect 0 run "$data/bands_edits.yaml" --steps 3 --quiet --resume carving.rvs --save carved.rvs
mpi_expect 0 2 run "$data/bands_edits.yaml" --steps 3 --quiet --resume carving.rvs --save again.rvs
[ "$(hash_of out.txt)" = "$carved" ] || fail "carved on 3 and 2 ranks: another hash: $(cat out.txt)"
cmp -s carved.rvs again.rvs || fail "the snapshots of a carved world differ"

# As many rows, or columns, as a grid may have.
long() {
    expect 0 run "$data/tall.yaml" --steps 2 --quiet "$@"
    tall=$(hash_of out.txt)
    mpi_expect 0 3 run "$data/tall.yaml" --steps 2 --quiet --save tall.rvs "$@"
    [ "$(hash_of out.txt)" = "$tall" ] || fail "a long grid has another hash on 3 ranks"
    expect 0 run "$data/tall.yaml" --steps 0 --quiet --resume tall.rvs "$@"
    [ "$(hash_of out.txt)" = "$tall" ] || fail "the snapshot of a long grid is another"
}
long
long --set grid.nx=65536 --set grid.ny=5
expect 2 run "$data/tall.yaml" --set grid.nx=65536
grep -q "grid.nx: 65536 x 65536 cells are more than 1 process can number, about 4e9 each; more ranks share them" err.txt ||
    fail "too many cells: $(cat err.txt)"

# A window of the world has the columns of the whole; meshes on the way.
expect 0 run "$bands" --steps 4 --quiet --state whole.csv
mpi_expect 0 3 run "$bands" --steps 4 --quiet --state window.csv --mesh way%04d.ply --window=-20mm,-60mm,20mm,60mm \
    --set view.rate=125
[ -s way0000.ply ] && [ -s way0002.ply ] || fail "no meshes on the way: $(ls)"
awk -F, 'FNR == 1 {for (i = 1; i <= NF; i++) at[$i] = i; file++; next}
    file == 1 {depth[$at["x"] - 10 "," $at["y"] - 130] = $at["depth"]; next}
    {seen++; if (depth[$at["x"] "," $at["y"]] != $at["depth"]) bad++}
    END {exit !(seen == 20 * 60 && bad == 0)}' whole.csv window.csv || fail "the window has other columns"
mpi_expect 2 2 run "$bands" --steps 1 --window 1,2,3
says err.txt "rivulet-mpi run: --window 1,2,3: must be X0,Y0,X1,Y1"

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

# What a killed run left beside its snapshot is removed, and told; what another one writes stays.
echo half >three.rvs.99999999-0.part
echo other >three.rvs.1-x.part
mpi_expect 0 2 run "$bands" --steps 1 --quiet --save three.rvs
says err.txt "warning: $(pwd -P)/three.rvs.99999999-0.part: left by a run that was killed; removed"
[ ! -e three.rvs.99999999-0.part ] && [ -e three.rvs.1-x.part ] || fail "leftovers: $(ls)"

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
grep -q "^rivulet-mpi: rank [012] is gone, after [0-9]* frames, at [0-9.]* s; kept.rvs is whole, of [0-9.]* s$" err.txt ||
    fail "a rank is lost, and that is not told: $(cat err.txt)"
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

# A grid that one process may not hold, where a limit can be set at all.
if (ulimit -v 900000 && "$RIVULET_MPI" --version) >/dev/null 2>&1; then
    limited="--set grid.ny=9000 --set grid.nx=2400 $small"
    # shellcheck disable=SC2086
    (ulimit -v 900000 && ranks 1 "$RIVULET_MPI" run "$bands" $limited) >out.txt 2>err.txt &&
        fail "one process held more than it may"
    grep -q "grid.nx: not enough memory for 2400 x 9000 cells" err.txt || fail "without memory: $(cat err.txt)"
    # shellcheck disable=SC2086
    (ulimit -v 900000 && ranks 4 "$RIVULET_MPI" run "$bands" $limited) >out.txt 2>err.txt ||
        fail "four ranks did not hold what one may not: $(cat err.txt)"
    # one of four may hold less than it must: that ends all of them, with its line
    # shellcheck disable=SC2016
    printf '#!/bin/sh\n[ "$OMPI_COMM_WORLD_RANK" != 1 ] || ulimit -v 300000\nexec "$@"\n' >uneven
    chmod +x uneven
    # shellcheck disable=SC2086
    ranks 4 ./uneven "$RIVULET_MPI" run "$bands" $limited >out.txt 2>err.txt && fail "a rank held more than it may"
    grep -q "rank 1: .*grid.nx: not enough memory for 2400 x 9000 cells" err.txt || fail "an uneven job: $(cat err.txt)"
fi

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
