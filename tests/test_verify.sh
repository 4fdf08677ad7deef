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

for case in tanks edits; do
    "$RIVULET" verify --list | grep -q "^$case " || complain "--list has no $case"
    grep -q "^$case .* yes\$" table || complain "no row of $case that passed"
done
"$RIVULET" verify wvae >out 2>err
[ $? -eq 2 ] || complain "an unknown case does not give exit code 2"
[ ! -s out ] && [ "$(wc -l <err)" -eq 1 ] && grep -q 'wave' err || complain "unknown case: $(cat err)"
"$RIVULET" verify --threads 0 >out 2>err
[ $? -eq 2 ] || complain "--threads 0 does not give exit code 2"
exit $failed
