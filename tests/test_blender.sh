#!/bin/sh
# The Blender add-on with the Python module of this build, headless (tests/blender.py): a bake, played and rendered. Blender
# is not built for the sanitizer, and gets its library first where the build has it; what Blender keeps is no leak.
set -eu
if ! command -v blender >/dev/null; then
    echo "skipped: no Blender here; get it with: sh cmake/packages.sh blender (about a gigabyte)"
    exit 77
fi
if [ ! -e "$BUILD/python/rivulet/_rivulet.abi3.so" ]; then
    echo "skipped: no Python module in this build; it needs Python 3.11's headers (Debian: python3-dev)"
    exit 77
fi
if ! blender -b --factory-startup --python-exit-code 1 \
    --python-expr 'import sys, numpy; sys.exit(sys.version_info < (3, 11))' >version.txt 2>&1; then
    echo "skipped: this Blender does not start, or has no Python 3.11 with numpy:"
    tail -n 3 version.txt
    exit 77
fi
lines=$(cat "$SOURCE"/blender/*.py | wc -l)
[ "$lines" -lt 1500 ] || { echo "the add-on has $lines lines; it is to stay under 1,500"; exit 1; }
rm -rf addon whole parts maps moves flows quick
mkdir -p addon/rivulet_liquid/module
cp "$SOURCE"/blender/*.py "$SOURCE"/blender/blender_manifest.toml addon/rivulet_liquid/
cp -r "$BUILD/python/rivulet" addon/rivulet_liquid/module/
case $FLAGS in
*address*)
    ASAN_OPTIONS=detect_leaks=0:alloc_dealloc_mismatch=0:new_delete_type_mismatch=0
    [ -e "$($CC -print-file-name=libasan.so)" ] || { echo "skipped: $CC has no libasan.so to give Blender"; exit 77; }
    LD_PRELOAD="$($CC -print-file-name=libasan.so) $($CC -print-file-name=libubsan.so)"
    export ASAN_OPTIONS LD_PRELOAD
    ;;
esac
blender -b --factory-startup --python-exit-code 1 --python "$SOURCE/tests/blender.py" -- "$PWD/addon" >said.txt 2>&1 &&
    grep -q "blender: all well" said.txt || { grep -v "^Fra:" said.txt; exit 1; }
grep -v "^Fra:" said.txt
