#!/bin/sh
# `rivulet study` as a user meets it: the table, the folders, going on after an end that was not planned, parts of it,
# and several processes at one folder.
. "$SOURCE/tests/command.sh"

write_study() {
    cat >"$1" <<END
scene: $tray
title: How deep the tray gets
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
}

same() {
    cmp -s "$1" "$2" || fail "$1 and $2 differ"
}

# ---- the list, and one run after another
write_study s.yaml
expect 2 study
says err.txt "rivulet study: which study? Name a YAML file"
expect 2 study nowhere.yaml
says err.txt "nowhere.yaml: no such file"
echo "scene: $tray" >bad.yaml
echo "vary: {grid.mx: [1]}" >>bad.yaml
expect 2 study bad.yaml
says err.txt "bad.yaml:2: vary.grid.mx: unknown key; did you mean 'grid.nx'?"
expect 0 study s.yaml --dry-run
[ -e s ] && fail "--dry-run made a folder"
[ "$(grep -c 'to do' out.txt)" = 8 ] || fail "--dry-run lists $(grep -c 'to do' out.txt) runs"
grep -q '^0004  to do  *sources\[0\].rate=4e-06 liquid.viscosity=0.0001 liquid.tension=0.0' out.txt || fail "--dry-run"
expect 0 study s.yaml --jobs 1
says out.txt "s.yaml: 8 of 8 runs done; s/table.csv"
[ "$(wc -l <s/table.csv)" = 9 ] || fail "the table has $(wc -l <s/table.csv) lines"
head -n 1 s/table.csv | grep -q '^run,status,sources\[0\].rate,liquid.viscosity,liquid.tension,time,volume,.*,deepest.max,deepest.mean,hash$' ||
    fail "header: $(head -n 1 s/table.csv)"
head -n 1 s/table.csv | grep -q ms_ && fail "a clock is in the table"
for file in again.sh stats.csv state.npz result.csv; do [ -s "s/0008/$file" ] || fail "no s/0008/$file"; done
for file in lock resume.snap stats.csv.part failed.txt; do [ -e "s/0008/$file" ] && fail "s/0008/$file was left"; done
grep -q '<circle' "s/deepest.max-liquid.viscosity-sources[0].rate.svg" || fail "no plot"

# ---- what it says made a run does make it
PATH=$(dirname "$RIVULET"):$PATH
sh s/0003/again.sh --stats again.csv >again.txt 2>&1 || { fail "again.sh"; cat again.txt; }
hash=$(sed -n 's/.*hash \([0-9a-f]*\)$/\1/p' again.txt)
grep -q "^3,done,.*,$hash\$" s/table.csv || fail "again.sh: another hash, $hash"
cut -d, -f1-8,12-22 again.csv >a.csv && cut -d, -f1-8,12-22 s/0003/stats.csv >b.csv && same a.csv b.csv

# ---- finished is finished; any number of jobs, the same table
cp -p s/0001/result.csv kept.csv
expect 0 study s.yaml
[ kept.csv -nt s/0001/result.csv ] || [ s/0001/result.csv -nt kept.csv ] && fail "a finished run was made again"
expect 0 study s.yaml --jobs 3 --folder three
same s/table.csv three/table.csv
same s/table.npz three/table.npz

# ---- a job array, in any order; two processes at once
for k in 8 3 1-2; do
    expect 0 study s.yaml --folder array --only "$k" --threads 2
    grep -q 'no table yet$' out.txt || fail "a table of a part"
done
TASK=5 expect 0 study s.yaml --folder array --only-from TASK
says out.txt "s.yaml: 1 of 1 runs done; no table yet"
expect 2 study s.yaml --folder array --only 9
says err.txt "rivulet study: no run 9: there are runs 1 to 8"
expect 2 study s.yaml --only-from NO_SUCH_TASK
expect 0 study s.yaml --folder array --table
[ "$(wc -l <array/table.csv)" = 6 ] || fail "--table: $(wc -l <array/table.csv) lines"
"$RIVULET" study s.yaml --folder array --jobs 1 >/dev/null 2>&1 &
"$RIVULET" study s.yaml --folder array --jobs 1 >/dev/null 2>&1
wait
expect 0 study s.yaml --folder array
same s/table.csv array/table.csv

# ---- killed, and stopped by a signal, it goes on
sed -e 's/^time: .*/time: 0.6/' s.yaml >long.yaml

# cut_short SIGNAL FOLDER: starts two runs and ends them when they have begun; sets code
cut_short() {
    for try in 1 2 3 4 5; do # on a fast machine they may be over by then
        rm -rf "$2"
        "$RIVULET" study long.yaml --only 1-2 --jobs 2 --folder "$2" >out.txt 2>err.txt &
        pid=$!
        until [ -e "$2/0001/resume.snap" ] || [ -e "$2/0001/result.csv" ]; do :; done
        kill "-$1" $pid
        wait $pid
        code=$?
        [ -e "$2/0001/result.csv" ] || return
    done 2>/dev/null
    fail "five times it was over before SIG$1 came"
}

expect 0 study long.yaml --only 1-2 --jobs 2 --folder whole
expect 0 study long.yaml --folder whole --table
for signal in KILL INT; do
    cut_short $signal "cut$signal"
    if [ $signal = INT ]; then
        [ "$code" = 130 ] || fail "Ctrl-C: exit code $code"
        says err.txt "stopped by Ctrl-C; go on with: rivulet study long.yaml --folder cutINT"
        grep -q 'cut short; no table yet$' out.txt || fail "Ctrl-C: $(cat out.txt)"
    fi
    expect 0 study long.yaml --only 1 --folder "cut$signal" --dry-run
    grep -q '^0001  stopped' out.txt || { fail "not cut short"; cat out.txt; }
    expect 0 study long.yaml --only 1-2 --folder "cut$signal"
    expect 0 study long.yaml --folder "cut$signal" --table
    same whole/table.csv "cut$signal/table.csv"
    for run in 0001 0002; do
        same "whole/$run/state.npz" "cut$signal/$run/state.npz"
        cut -d, -f1-8,12-22 "whole/$run/stats.csv" >a.csv
        cut -d, -f1-8,12-22 "cut$signal/$run/stats.csv" >b.csv
        same a.csv b.csv
    done
done

# ---- other settings are not mixed; runs that fail are told, and the rest goes on
sed -e 's/1 ml/2 ml/' s.yaml >other.yaml
expect 2 study other.yaml --folder three
grep -q '^three/0001: holds a run of another scene or other settings' err.txt || fail "other settings"
expect 0 study other.yaml --folder three --again
cmp -s s/table.csv three/table.csv && fail "--again made nothing"
cat >fails.yaml <<END
scene: $tray
time: 0.02
vary: {grid.top: [4 cm, -1 cm], grid.nx: [20, 24]}
END
expect 1 study fails.yaml
says out.txt "fails.yaml: 2 of 4 runs done, 2 failed; fails/table.csv"
[ "$(grep -c '^run [34] failed: .*grid.top: -0.01 must be above grid.bottom' err.txt)" = 2 ] || { fail "failures"; cat err.txt; }
[ "$(grep -c '^[34],failed,-0.01,2[04],,' fails/table.csv)" = 2 ] || { fail "failed rows"; cat fails/table.csv; }
[ -s fails/0003/failed.txt ] || fail "no failed.txt"
expect 1 study fails.yaml
: >file
expect 2 study s.yaml --folder file

[ "$failures" = 0 ]
