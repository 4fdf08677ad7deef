#!/bin/sh
# `rivulet verify` itself: its small cases pass, its table and its JSON tell the same, bad usage is told.
set -u

failed=0
complain() {
    echo "$*"
    failed=1
}

"$RIVULET" verify --quick >table 2>noise || { cat table noise; complain "verify --quick failed"; }
[ ! -s noise ] || complain "verify writes to stderr in a pipe: $(head -n 1 noise)"
tail -n 1 table | grep -q -E '^[0-9]+ passed, 0 failed$' || complain "last line: $(tail -n 1 table)"

"$RIVULET" verify wave film --quick --json >rows.json || complain "verify --json failed"
rows=$(grep -c '"pass": ' rows.json)
listed=$("$RIVULET" verify wave film --quick | grep -c -E '^(wave|film) ')
[ "$rows" -gt 0 ] && [ "$rows" -eq "$listed" ] || complain "$rows rows in JSON, $listed in the table"
for key in case quantity measured exact error tolerance pass; do
    [ "$(grep -c "\"$key\": " rows.json)" -eq "$rows" ] || complain "a row without $key"
done
if command -v python3 >/dev/null; then
    python3 -c 'import json; json.load(open("rows.json"))' || complain "not JSON"
fi
grep -q '"tolerance": null, "pass": null' rows.json || complain "no row that only informs"

for case in tanks edits whole froude disc slope layers slosh press; do
    "$RIVULET" verify --list | grep -q "^$case " || complain "--list has no $case"
    grep -q "^$case .* yes\$" table || complain "no row of $case that passed"
done
# ---- Plots and the page
"$RIVULET" verify wave film --quick --plots plots/new --markdown page.md >out 2>err ||
    complain "verify --plots failed: $(cat err)"
for ending in svg csv gp; do
    [ -s plots/new/wave-swing.$ending ] || complain "no wave-swing.$ending"
done
[ "$(find plots/new -name '.*' ! -name . ! -name new | wc -l)" -eq 0 ] || complain "something half-done is left in the folder"
grep -q '<svg' plots/new/film-flux.svg || complain "film-flux.svg is no SVG"
grep -q 'linear theory' plots/new/wave-swing.csv || complain "a series without its name"
[ "$(awk -F, '/^"linear theory"/ && NF == 3' plots/new/wave-swing.csv | wc -l)" -gt 50 ] || complain "few points in wave-swing.csv"
grep -q '^## Standing wave (`wave`)$' page.md || complain "no chapter on the wave"
grep -q '^| period, wet pipes, s | .* | yes |$' page.md || complain "no row on the page"
grep -q '(plots/new/wave-swing.svg)' page.md || complain "no plot on the page"
if grep -q '^## Lake' page.md; then complain "a case that was not run is on the page"; fi

# Without gnuplot nothing is run and nothing written.
mkdir -p empty
if PATH=$PWD/empty "$RIVULET" verify wave --quick --plots plots/none >out 2>err; then complain "--plots works without gnuplot"; else status=$?; fi
[ "${status:-0}" -eq 2 ] || complain "no gnuplot: exit code ${status:-0}"
[ ! -s out ] && [ "$(wc -l <err)" -eq 1 ] && grep -q gnuplot err || complain "no gnuplot: $(cat err)"
[ ! -e plots/none ] || complain "a folder was made without gnuplot"
touch plots/file
"$RIVULET" verify wave --quick --plots plots/file/under >out 2>err
[ $? -eq 2 ] && [ "$(wc -l <err)" -eq 1 ] || complain "a folder under a file: $(cat err)"
"$RIVULET" verify wave --quick --markdown nowhere/page.md >out 2>err
[ $? -eq 2 ] && [ "$(wc -l <err)" -eq 1 ] || complain "a page nowhere: $(cat err)"

"$RIVULET" verify wvae >out 2>err
[ $? -eq 2 ] || complain "an unknown case does not give exit code 2"
[ ! -s out ] && [ "$(wc -l <err)" -eq 1 ] && grep -q 'wave' err || complain "unknown case: $(cat err)"
"$RIVULET" verify --threads 0 >out 2>err
[ $? -eq 2 ] || complain "--threads 0 does not give exit code 2"
exit $failed
