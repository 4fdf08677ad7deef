#!/bin/sh
# Installs this build under a prefix of its own, moves it, and builds and runs a program outside the
# project and the examples against it: once through find_package, once through pkg-config.
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
cp -r "$SOURCE/examples" "$room/outside/examples"
cd "$room"

echo "-- what is installed"
for name in bin/rivulet include/rivulet/rivulet.h include/rivulet_io/rivulet_io.h \
    include/rivulet_gl/rivulet_gl.h share/rivulet/scenes/surgery.yaml share/rivulet/scenes/wet-wall.png share/man/man1/rivulet.1 \
    share/bash-completion/completions/rivulet share/applications/rivulet.desktop; do
    [ -e "$prefix/$name" ] || { echo "$name was not installed"; exit 1; }
done
"$prefix/bin/rivulet" scenes >scenes.txt
grep -q surgery scenes.txt || { echo "the installed command lists no surgery scene"; exit 1; }

version=$("$prefix/bin/rivulet" --version | sed 's/rivulet //; s/\.[0-9]*$//')
echo "-- through find_package"
"$CMAKE" -S outside -B by_cmake -DRIVULET_WANTED="$version" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$CC" \
    -DCMAKE_C_FLAGS="$FLAGS" >by_cmake.log 2>&1 || { cat by_cmake.log; exit 1; }
"$CMAKE" --build by_cmake >>by_cmake.log 2>&1 || { cat by_cmake.log; exit 1; }
./by_cmake/outside
RIVULET_SCENES=$prefix/share/rivulet/scenes
export RIVULET_SCENES
./by_cmake/examples/scene bowl by_cmake.ply
./by_cmake/examples/picture by_cmake.png
./by_cmake/examples/ask
for name in pour splash by_cmake.ply by_cmake.png; do
    [ -s "$name" ] || [ -x "by_cmake/examples/$name" ] || { echo "$name is missing"; exit 1; }
done

echo "-- without the parts it is found too, and parts that do not exist are refused"
mkdir least && cat >least/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.25)
project(least LANGUAGES C)
find_package(rivulet ${RIVULET_WANTED} REQUIRED)
if(TARGET rivulet::io OR NOT TARGET rivulet::rivulet)
    message(FATAL_ERROR "parts that nobody asked for, or no library")
endif()
find_package(rivulet ${RIVULET_WANTED} QUIET COMPONENTS nonsense)
if(rivulet_FOUND)
    message(FATAL_ERROR "found a part that does not exist")
endif()
END
"$CMAKE" -S least -B by_least -DRIVULET_WANTED="$version" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$CC" >least.log 2>&1 ||
    { cat least.log; exit 1; }

if [ -e "$prefix/bin/rivulet-mpi" ]; then
    echo "-- over MPI"
    mkdir ranks && cat >ranks/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.25)
project(ranks LANGUAGES C)
find_package(rivulet ${RIVULET_WANTED} REQUIRED COMPONENTS io mpi)
add_executable(ranks main.c)
target_link_libraries(ranks PRIVATE rivulet::mpi)
END
    cat >ranks/main.c <<'END'
#include <rivulet_mpi/study.h>
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int refused = rv_mpi_study_run(MPI_COMM_WORLD, NULL, NULL, NULL, NULL, NULL) == RV_BAD_ARGUMENT;
    MPI_Finalize();
    return !refused;
}
END
    { "$CMAKE" -S ranks -B by_ranks -DRIVULET_WANTED="$version" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$CC" \
        -DCMAKE_C_FLAGS="$FLAGS" && "$CMAKE" --build by_ranks; } >by_ranks.log 2>&1 || { cat by_ranks.log; exit 1; }
    ASAN_OPTIONS=detect_leaks=0 ./by_ranks/ranks || { echo "a study that is none was not refused"; exit 1; }
    ASAN_OPTIONS=detect_leaks=0 "$prefix/bin/rivulet-mpi" --version
fi

echo "-- the headers alone, in C and in C++"
for name in rivulet/rivulet.h rivulet_io/rivulet_io.h rivulet_gl/rivulet_gl.h; do
    echo "#include <$name>" | "$CC" -std=c17 -Wall -Wextra -Wpedantic -Werror -I"$prefix/include" \
        -x c -fsyntax-only -
    ! command -v c++ >/dev/null || echo "#include <$name>" |
        c++ -std=c++17 -Wall -Wextra -Werror -I"$prefix/include" -x c++ -fsyntax-only -
done

echo "-- through pkg-config"
file=$(find "$prefix" -name rivulet.pc)
PKG_CONFIG_PATH=$(dirname "$file")
export PKG_CONFIG_PATH
# shellcheck disable=SC2046,SC2086
"$CC" -std=c17 $FLAGS outside/main.c $(pkg-config --cflags --libs rivulet) -o by_pkg_config
LD_LIBRARY_PATH=$(pkg-config --variable=libdir rivulet) ./by_pkg_config
for example in "scene:rivulet_io" "picture:rivulet_gl rivulet_io" "ask:rivulet" "pour:rivulet" "splash:rivulet"; do
    name=${example%%:*}
    # shellcheck disable=SC2046,SC2086
    "$CC" -std=c17 $FLAGS outside/examples/$name.c $(pkg-config --cflags --libs ${example##*:}) -pthread \
        -o pkg_$name
done
LD_LIBRARY_PATH=$(pkg-config --variable=libdir rivulet) ./pkg_scene bowl by_pkg_config.ply
cmp by_cmake.ply by_pkg_config.ply
