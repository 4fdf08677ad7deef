#!/bin/sh
# A name means one thing: types and functions with the prefix rv_ are defined in one file of the tree.
# And the world names no solver: what tells them apart are tables and traits (src/solvers/solver.h).
#
#     sh tests/test_names.sh          checks the source tree, and then that planted violations are found
#     sh tests/test_names.sh FOLDER   checks that tree only
set -u

# Prints a line for each name that is defined in two files, and for each file that names a solver.
check() (
    cd "$1" || exit 1
    # web/instead.c is what the page has in place of files of io/
    find include src io gl render app web python mpi examples -type f \
        \( -name '*.c' -o -name '*.h' -o -name '*.inc' -o -name '*.cpp' -o -name '*.cu' \) 2>/dev/null |
        grep -v '^web/instead\.c$' | sort >"$list"
    [ -s "$list" ] || { echo "no source files in $1"; exit 1; }
    awk -v solvers="$solvers" '
    function note(what, name, key) {
        key = what " " name
        if (!(key in where)) where[key] = path
        else if (where[key] != path && !((key, path) in told)) {
            printf "%s:%d: %s is in %s too\n", path, line, key, where[key]
            told[key, path] = bad = 1
        }
    }

    # The last word rv_… of a text that "(" or the end follows.
    function last_name(text) {
        if (!match(text, /rv_[a-z0-9_]+$/)) return ""
        return substr(text, RSTART, RLENGTH)
    }

    # A line that begins at the margin: what it defines, if anything.
    function look(text, name) {
        if (text ~ /^(typedef )?(struct|enum|union) rv_[a-z0-9_]+ [{]/) {
            name = text
            sub(/^(typedef )?[a-z]+ /, "", name)
            sub(/ .*/, "", name)
            note("type", name)
            return
        }
        if (text ~ /^typedef .*;/) {
            name = text
            sub(/;.*/, "", name)
            if (name ~ /\(/) sub(/\(.*/, "", name)
            if (last_name(name) != "") note("typedef", last_name(name))
            return
        }
        if (text ~ /^[}] rv_[a-z0-9_]+;/) {
            sub(/^[}] /, "", text)
            sub(/;.*/, "", text)
            note("typedef", text)
            return
        }
        if (text !~ /^[a-z][a-z0-9_ *]*rv_[a-z0-9_]+\(/ || text ~ /^(typedef|extern) /) return
        pending = text
        sub(/\(.*/, "", pending)
        pending = last_name(pending)
    }

    # A line that solvers are named in, but for the ones that begin a comment.
    function names_solver(text) {
        sub(/\/\/.*/, "", text)
        return text ~ /RV_SOLVER_[A-Z]/ || text ~ ("RV_(" toupper(solvers) ")_") ||
               text ~ ("(^|[^a-z])(rv_)?(" solvers ")_[a-z]") || text ~ ("\"(" solvers ")\"")
    }

    { files[++count] = $0 }

    END {
        for (k = 1; k <= count; k++) {
            path = files[k]
            pending = ""
            free = path ~ /^src\/(world|surface|bodies|spray|terrain|base)\//
            for (line = 1; (getline text < path) > 0; line++) {
                if (free && names_solver(text)) {
                    printf "%s:%d: names a solver: %s\n", path, line, text
                    bad = 1
                }
                # a body follows on a line of its own; a declaration ends before
                if (pending != "" && text ~ /^[{]/) note("function", pending)
                if (text ~ /;[ \t]*(\/\/.*)?$/ || text ~ /^[{]/) pending = ""
                if (text ~ /^[a-z}]/) look(text)
                if (text ~ /;[ \t]*(\/\/.*)?$/) pending = ""
            }
            close(path)
        }
        exit bad
    }' "$list"
)

# Writes a file into the planted tree: plant FILE TEXT
plant() {
    mkdir -p "$(dirname "$tree/$1")"
    printf '%b' "$2" >"$tree/$1"
}

# A tree in which all is well.
plant_good() {
    rm -rf "$tree"
    plant include/rivulet/world.h 'typedef struct rv_world rv_world;\nrv_world *rv_make(int a);\n'
    plant src/world/world.c 'struct rv_world {\n    int a;\n};\n\nrv_world *rv_make(int a)\n{\n}\n'
    plant src/world/cast.c '// solver splat_form is none of ours\ntypedef struct ray {\n    int a;\n} ray;\n'
    plant src/columns/rows.h 'typedef struct rv_row {\n    int a;\n} rv_row;\n\nstatic inline int rv_count(const rv_row *row)\n{\n}\n'
    plant src/pane/rain.c 'typedef struct ray {\n    int b;\n} ray;\n\nstatic int count(\n    int a)\n{\n}\nint x = RV_SOLVER_GLASS;\n'
    plant web/instead.c 'struct rv_world {\n    int b;\n};\n'
}

# A violation must be found, and it alone: planted FILE TEXT
planted() {
    plant_good
    plant "$1" "$2"
    found=$(check "$tree")
    if [ "$(echo "$found" | grep -c .)" -ne 1 ]; then
        echo "planted in $1: $2; expected one complaint, found: ${found:-none}"
        failed=1
    fi
}

# "pipes|swe|…"
solvers=$(sed -n 's/^#define RV_WORDS_SOLVER "\(.*\)"$/\1/p' "${1:-${SOURCE:-.}}/include/rivulet/params.h")
[ -n "$solvers" ] || { echo "RV_WORDS_SOLVER was not found"; exit 1; }
list=$(mktemp) && tree=$(mktemp -d) || exit 1
trap 'rm -rf "$list" "$tree"' EXIT
check "${1:-${SOURCE:-.}}" || exit 1
[ $# -eq 0 ] || exit 0

failed=0
plant_good
check "$tree" || { echo "a tree without a violation was refused"; failed=1; }
planted app/rows.h 'struct rv_row {\n    int b;\n};\n'
planted app/rows.h 'typedef int rv_row;\n'
planted app/rows.h 'typedef int rv_row(int a);\n'
planted app/rows.h 'typedef struct rv_world rv_world; // once more\n'
planted app/count.c 'int rv_count(int a)\n{\n}\n'
planted app/count.c 'int rv_count(int a,\n    int b)\n{\n}\n'
planted app/count.c 'static int *rv_count(int a)\n{\n}\n'
planted src/world/pour.c '    if (solver == RV_SOLVER_GLASS) return;\n'
planted src/world/pour.c '    if (params->splat_form == 2) return;\n'
planted src/surface/mesh.c '    return p->pipes_film;\n'
planted src/world/pour.c 'const rv_splat_backend *backend;\n'
planted src/world/pour.c '    return same(name, "glass");\n'
exit $failed
