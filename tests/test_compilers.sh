#!/bin/sh
# The core is C17 to a second compiler too (clang), without a warning, for every instruction set that it
# is built for; and each public header stands alone, in C and in C++.
set -u
room=$PWD
cd "$SOURCE" || exit 1

command -v clang >/dev/null || { echo "clang is not installed (make test would install it)"; exit 1; }
strict="-Werror -Wall -Wextra -Wpedantic -Wshadow -Wconversion -fsyntax-only"
core="-std=c17 $strict -Iinclude -Isrc"
sets="baseline:"
case $(uname -m) in
x86_64)
    core="$core -DRV_HAVE_X86_ISAS=1"
    sets="baseline: avx2:-mavx2 avx512:-mavx512f,-mavx512vl,-mavx512dq,-mavx512bw"
    ;;
esac

failed=0
compile() { "$@" || { echo "failed: $*"; failed=1; }; }

for file in $(find src -name '*.c' ! -name '*_simd.c' | sort); do
    compile clang $core "$file"
done
for file in $(find src -name '*_simd.c' | sort); do
    for set in $sets; do
        compile clang $core -DRV_ISA="${set%%:*}" $(echo "${set#*:}" | tr , ' ') "$file"
    done
done
mpi=$(mpicc --showme:incdirs 2>/dev/null) # Open MPI's way; without it those headers are left out
for file in include/*/*.h; do
    name=${file#include/}
    also=
    case $name in rivulet_mpi/*)
        [ -n "$mpi" ] || continue
        for folder in $mpi; do also="$also -isystem $folder"; done
        ;;
    esac
    echo "#include <$name>" >"$room/alone.c"
    compile clang -x c -std=c17 $strict -Iinclude $also "$room/alone.c"
    compile clang -x c++ -std=c++17 $strict -Iinclude $also "$room/alone.c"
done
exit $failed
