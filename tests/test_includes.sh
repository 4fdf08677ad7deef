#!/bin/sh
# Who may include whom: the arrows between the folders point one way. The rules are in allowed(), below.
#
#     sh tests/test_includes.sh          checks the source tree, and then that planted violations are found
#     sh tests/test_includes.sh FOLDER   checks that tree only
set -u

# Prints a line for each include that breaks a rule; fails if there is one.
check() (
    cd "$1" || exit 1
    find include src io render gl app web python mpi examples -type f \
        \( -name '*.c' -o -name '*.h' -o -name '*.inc' -o -name '*.cpp' -o -name '*.cu' -o -name '*_rule.glsl' \) 2>/dev/null |
        sort >"$list"
    [ -s "$list" ] || { echo "no source files in $1"; exit 1; }
    awk '
    function folder(path) { sub(/\/[^\/]*$/, "", path); return path }

    # The room a file belongs to; its first folder, or in src/ and include/ the first two, or the solver.
    function room(path, part, n) {
        n = split(path, part, "/")
        if (part[1] == "include" && n > 2) return "include/" part[2]
        if (part[1] != "src") return part[1]
        if (n < 3) return "src"
        if (part[2] == "solvers" && n > 3) return "src/solvers/" part[3]
        return "src/" part[2]
    }

    function exists(path) { return path in files }

    # The file of the tree that an include means, or "" when it is a header of the system.
    function resolve(from, name, path, i, n, place) {
        n = split(folder(from) " include src .", place, " ")
        for (i = 1; i <= n; i++) {
            path = place[i] "/" name
            sub(/^\.\//, "", path)
            while (path ~ /[^\/]+\/\.\.\//) sub(/[^\/]+\/\.\.\//, "", path)
            if (exists(path)) return path
        }
        return ""
    }

    # May a file of room `from` include the file `to`?
    function allowed(from, to, other) {
        other = room(to)
        if (from == other || other == "include/rivulet") return 1
        # what a library shows: its own folder has it, and those who use the library
        if (other == "include/rivulet_io") return from ~ /^(io|app|web|python|mpi|include\/rivulet_mpi|examples)$/
        if (other == "include/rivulet_gl") return from ~ /^(render|gl|app|web|python|mpi|examples)$/
        if (other == "include/rivulet_mpi") return from ~ /^(mpi|examples)$/
        if (from == "app") return other == "io" || other == "render"
        if (from == "web" || from == "mpi") return other == "io" || other == "render" || other == "app"
        if (from !~ /^src\//) return 0 # include, io, render, python, examples
        if (from == "src/world") return other ~ /^src\//
        if (other == "src/base") return from != "src/base"
        if (from == "src/base" || from == "src/params") return 0
        if (other == "src/terrain") return 1
        # the surface, and whatever folder is not one of these is that of a solver
        if (to == "src/solvers/solver.h" || to == "src/solvers/potential.h")
            return from !~ /^src\/(bodies|dew|spray|terrain)$/
        # the registry is the one file that knows every solver
        return path_now == "src/solvers/registry.c" && other !~ /^src\/(bodies|dew|spray|surface|world|params)$/
    }

    # The core needs libc, libm and threads, so these are all the system headers that it may want. Memory
    # alone gives the system advice about its pages, where there is Linux.
    function core_header(name) {
        if (path_now == "src/base/memory.c" && name == "sys/mman.h") return 1
        return name ~ /^(assert|complex|ctype|errno|fenv|float|inttypes|iso646|limits|locale|math)\.h$/ ||
               name ~ /^(setjmp|signal|stdalign|stdarg|stdatomic|stdbool|stddef|stdint|stdio)\.h$/ ||
               name ~ /^(stdlib|stdnoreturn|string|tgmath|threads|time|uchar|wchar|wctype)\.h$/ ||
               name ~ /^(pthread|sched|unistd|[a-z]+intrin|cpuid|arm_neon|wasm_simd128)\.h$/
    }

    function complain(why) {
        printf "%s:%d: includes %s: %s\n", path_now, line, name, why
        bad = 1
    }

    { files[$0] = 1; order[++count] = $0 }

    END {
        for (k = 1; k <= count; k++) {
            path_now = order[k]
            from = room(path_now)
            if (from == "src") {
                printf "%s: belongs into a folder of src/\n", path_now
                bad = 1
            }
            for (line = 1; (getline text < path_now) > 0; line++) {
                if (text !~ /^[ \t]*#[ \t]*include[ \t]*["<]/) continue
                name = text
                sub(/^[^"<]*["<]/, "", name)
                sub(/[">].*$/, "", name)
                to = resolve(path_now, name)
                if (to != "") {
                    if (!allowed(from, to)) complain(from " may not include " room(to))
                } else if (text ~ /include[ \t]*"/) {
                    complain("there is no such file")
                } else if ((from ~ /^src/ || from ~ /^include/) && !core_header(name) &&
                           !(from == "include/rivulet_mpi" && name == "mpi.h")) {
                    complain("the core needs libc, libm and threads only")
                }
            }
            close(path_now)
        }
        exit bad
    }' "$list"
)

# Writes a file into the planted tree: plant FILE INCLUDE…
plant() {
    file=$tree/$1
    shift
    mkdir -p "$(dirname "$file")"
    for name in "$@"; do echo "#include $name"; done >"$file"
}

# A tree that keeps every rule.
plant_good() {
    rm -rf "$tree"
    plant include/rivulet/base.h '<stddef.h>'
    plant include/rivulet/world.h '"base.h"'
    plant src/base/memory.h '"rivulet/base.h"'
    plant src/params/tables.c '"base/memory.h"'
    plant src/terrain/columns.h '"base/memory.h"'
    plant src/solvers/solver.h '"terrain/columns.h"'
    plant src/columns/columns.h '"solvers/solver.h"' '<math.h>'
    plant src/solvers/swe/swe.h '"../solver.h"'
    plant src/solvers/registry.c '"columns/columns.h"' '"swe/swe.h"'
    plant src/surface/links.h '"solvers/solver.h"' '"terrain/columns.h"'
    plant src/bodies/bodies.h '"terrain/columns.h"'
    plant src/spray/spray.h '"base/memory.h"' '"terrain/columns.h"'
    plant src/world/world.c '"solvers/solver.h"' '"surface/links.h"' '"bodies/bodies.h"'
    plant include/rivulet_io/files.h '<rivulet/world.h>'
    plant include/rivulet_gl/target.h '<rivulet/world.h>'
    plant io/scene.h '"rivulet/world.h"' '"rivulet_io/files.h"' '<yaml.h>'
    plant render/picture.h '<rivulet/world.h>' '"rivulet_gl/target.h"'
    plant gl/device.h '<rivulet/world.h>' '"rivulet_gl/target.h"'
    plant app/main.c '"io/scene.h"' '"render/picture.h"'
    plant python/world.c '<rivulet/world.h>' '<rivulet_io/files.h>' '<rivulet_gl/target.h>' '<Python.h>'
    plant include/rivulet_mpi/study.h '<rivulet_io/files.h>' '<mpi.h>'
    plant mpi/main.c '"rivulet_mpi/study.h"' '"io/scene.h"' '"render/picture.h"' '<mpi.h>'
    plant examples/pour.c '<rivulet/world.h>' '<rivulet_io/files.h>' '<rivulet_gl/target.h>' '<stdio.h>'
}

# A violation must be found, and it alone: planted FILE INCLUDE
planted() {
    plant_good
    mkdir -p "$(dirname "$tree/$1")"
    echo "#include $2" >>"$tree/$1"
    found=$(check "$tree")
    if [ "$(echo "$found" | grep -c .)" -ne 1 ] || [ "${found#"$1":}" = "$found" ]; then
        echo "planted in $1: #include $2; expected one complaint about it, found: ${found:-none}"
        failed=1
    fi
}

list=$(mktemp) && tree=$(mktemp -d) || exit 1
trap 'rm -rf "$list" "$tree"' EXIT
check "${1:-${SOURCE:-.}}" || exit 1
[ $# -eq 0 ] || exit 0

# The plain solver must not share what it is there to check.
shared=$(cd "${SOURCE:-.}" && grep -n '#include "\(columns\|solvers\|base/depths\|base/simd\)' tests/plain_*)
[ -z "$shared" ] || { echo "the plain solver shares what it checks: $shared"; exit 1; }

failed=0
plant_good
check "$tree" || { echo "a tree without a violation was refused"; failed=1; }
planted include/rivulet/base.h '"base/memory.h"'
planted include/rivulet/base.h '<yaml.h>'
planted src/base/memory.h '"terrain/columns.h"'
planted src/base/memory.h '"params/tables.c"'
planted src/params/tables.c '"terrain/columns.h"'
planted src/terrain/columns.h '"solvers/solver.h"'
planted src/terrain/columns.h '"../params/tables.c"'
planted src/columns/columns.h '"solvers/swe/swe.h"'
planted src/columns/columns.h '"../swe/swe.h"'
planted src/columns/columns.h '"solvers/registry.c"'
planted src/solvers/solver.h '"columns/columns.h"'
planted src/columns/columns.h '"world/world.c"'
planted src/surface/links.h '"columns/columns.h"'
planted src/surface/links.h '"bodies/bodies.h"'
planted src/bodies/bodies.h '"solvers/solver.h"'
planted src/spray/spray.h '"solvers/solver.h"'
planted src/spray/spray.h '"bodies/bodies.h"'
planted src/world/world.c '"io/scene.h"'
planted src/world/world.c '"render/picture.h"'
planted src/world/world.c '"app/main.c"'
planted src/world/world.c '<zip.h>'
planted src/world/world.c '"not_there.h"'
planted io/scene.h '"render/picture.h"'
planted io/scene.h '"base/memory.h"'
planted io/scene.h '<base/memory.h>'
planted render/picture.h '"io/scene.h"'
planted gl/device.h '"render/picture.h"'
planted gl/device.h '"base/memory.h"'
planted render/picture.h '"gl/device.h"'
planted render/picture.h '"../src/world/world.c"'
planted app/main.c '"world/world.c"'
planted examples/pour.c '"io/scene.h"'
planted include/rivulet/base.h '<rivulet_io/files.h>'
planted include/rivulet_io/files.h '<rivulet_gl/target.h>'
planted include/rivulet_gl/target.h '<epoxy/gl.h>'
planted src/world/world.c '"rivulet_io/files.h"'
planted io/scene.h '"rivulet_gl/target.h"'
planted render/picture.h '"rivulet_io/files.h"'
planted python/world.c '"io/scene.h"'
planted mpi/main.c '"world/world.c"'
planted app/main.c '"rivulet_mpi/study.h"'
planted include/rivulet_io/files.h '<mpi.h>'
planted src/loose.c '"rivulet/base.h"'
exit $failed
