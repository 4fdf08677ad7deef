#!/bin/sh
# The example of the README runs, says what it should, and is the program that the README shows.
set -eu
"$BUILD/examples/pour" >pour.txt
cat pour.txt
[ "$(wc -l <"$SOURCE/examples/pour.c")" -lt 60 ] || { echo "examples/pour.c has grown past 60 lines"; exit 1; }
# all that was poured is there at the end: 2 ml/s for 3 s
awk '/ml/ { last = $0 } END { exit last !~ / 6\.00 ml/ }' pour.txt || { echo "expected 6.00 ml at the end"; exit 1; }
