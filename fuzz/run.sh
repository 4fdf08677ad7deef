#!/bin/sh
# Runs the fuzz targets that were built: sh fuzz/run.sh BUILD_FOLDER SECONDS [NAME…]
#
# Each starts from fuzz/corpus/NAME, copied to BUILD_FOLDER/corpus/NAME, where what it learns stays for the
# next time. One line a target; what broke a reader lies in BUILD_FOLDER/found, and the exit code is 1.
set -u
build=$1
seconds=$2
shift 2
source=$(cd "$(dirname "$0")" && pwd)
[ $# -gt 0 ] || set -- $(cd "$source" && ls fuzz_*.c | sed 's/^fuzz_//; s/\.c$//')

mkdir -p "$build/found"
bad=0
for name in "$@"; do
    corpus=$build/corpus/$name
    log=$build/fuzz_$name.log
    mkdir -p "$corpus"
    cp -n "$source/corpus/$name"/* "$corpus"/ 2>/dev/null
    words=
    [ -f "$source/words/$name.txt" ] && words="-dict=$source/words/$name.txt"
    # shellcheck disable=SC2086
    "$build/fuzz/fuzz_$name" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=3000 -max_len=8192 $words \
        -artifact_prefix="$build/found/$name-" "$corpus" >"$log" 2>&1
    code=$?
    runs=$(sed -n 's/^Done \([0-9]*\) runs.*/\1/p' "$log")
    kept=$(ls "$corpus" | wc -l)
    if [ $code -eq 0 ] && [ -n "$runs" ]; then
        echo "$name: $runs runs, $kept files kept, nothing found"
    else
        echo "$name: FOUND something: $(grep -m1 -E 'ERROR|runtime error|ALARM' "$log"); see $log"
        bad=1
    fi
done
exit $bad
