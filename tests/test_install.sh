#!/bin/sh
# Installs this build under a prefix of its own, moves it, and builds and runs a program outside the
# project against it: once through find_package, once through pkg-config.
set -eu

# A path with nothing of the source tree in it, so that nothing can be found there by accident.
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
"$CMAKE" --install "$BUILD" --prefix "$room/first" >"$room/install.log" || {
    cat "$room/install.log"
    exit 1
}
prefix=$room/moved
mv "$room/first" "$prefix"
cp -r "$SOURCE/tests/install" "$room/outside"
cd "$room"

echo "-- what is installed"
for name in bin/rivulet include/rivulet/rivulet.h share/rivulet/scenes/surgery.yaml; do
    [ -e "$prefix/$name" ] || { echo "$name was not installed"; exit 1; }
done
"$prefix/bin/rivulet" scenes >scenes.txt
grep -q surgery scenes.txt || { echo "the installed command lists no surgery scene"; exit 1; }

echo "-- through find_package"
"$CMAKE" -S outside -B by_cmake -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$CC" \
    -DCMAKE_C_FLAGS="$FLAGS" >by_cmake.log 2>&1 || { cat by_cmake.log; exit 1; }
"$CMAKE" --build by_cmake >>by_cmake.log 2>&1 || { cat by_cmake.log; exit 1; }
./by_cmake/outside

echo "-- through pkg-config"
file=$(find "$prefix" -name rivulet.pc)
PKG_CONFIG_PATH=$(dirname "$file")
export PKG_CONFIG_PATH
# shellcheck disable=SC2046,SC2086
"$CC" -std=c17 $FLAGS outside/main.c $(pkg-config --cflags --libs rivulet) -o by_pkg_config
LD_LIBRARY_PATH=$(pkg-config --variable=libdir rivulet) ./by_pkg_config
