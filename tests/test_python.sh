#!/bin/sh
# The Python module of this build (tests/module.py), under the sanitizer where the build has it: Python itself is not
# built so, and gets the sanitizer's library first. What Python keeps until its end is no leak.
set -eu
python=${PYTHON:-/usr/bin/python3}
if [ ! -e "$BUILD/python/rivulet/_rivulet.abi3.so" ]; then
    echo "skipped: no Python module in this build; it needs Python 3.11's headers (Debian: python3-dev)"
    exit 77
fi
if ! "$python" -c 'import numpy' 2>/dev/null; then
    echo "skipped: no numpy for $python (Debian: python3-numpy)"
    exit 77
fi
PYTHONPATH=$BUILD/python
export PYTHONPATH SOURCE RIVULET
lines=$(cat "$SOURCE"/python/*.c "$SOURCE"/python/*.h | wc -l)
[ "$lines" -lt 2500 ] || { echo "the C half of the module has $lines lines; it is to be a thin layer, under 2,500"; exit 1; }
case $FLAGS in
*address*)
    ASAN_OPTIONS=detect_leaks=0
    [ -e "$($CC -print-file-name=libasan.so)" ] || { echo "skipped: $CC has no libasan.so to give Python"; exit 77; }
    LD_PRELOAD="$($CC -print-file-name=libasan.so) $($CC -print-file-name=libubsan.so)"
    export ASAN_OPTIONS LD_PRELOAD
    ;;
esac
"$python" -X faulthandler "$SOURCE/tests/module.py"
for example in drop study heights training; do "$python" "$SOURCE/examples/python/$example.py"; done
[ -s heights.png ] && [ -s training.npz ]
! command -v ffmpeg >/dev/null || { "$python" "$SOURCE/examples/python/flight.py" flight.mp4 0.2 && [ -s flight.mp4 ]; }
