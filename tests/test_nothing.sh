#!/bin/sh
# Every public function lives through being given nothing: NULL for each pointer, and 0, 1, -1 and 77 for each
# number. A program is made from the headers, so a function that comes is tried without a line here. Those over MPI are
# left out: no number is a communicator.
set -eu

# Prototypes, one a line: name|argument|argument…
prototypes() {
    cat "$SOURCE"/include/rivulet/*.h "$SOURCE"/include/rivulet_io/*.h "$SOURCE"/include/rivulet_gl/*.h | sed 's,//.*,,' | tr '\n' ' ' | grep -o 'RV_API [^;(]*rv_[a-z0-9_]*([^;]*);' |
        sed 's/[^(]*[^a-z0-9_]\(rv_[a-z0-9_]*\)(/\1|/; s/);$//; s/  */ /g; s/, */|/g' |
        grep -v '^rv_messages_add|' # printf's way: a format is needed
}

prototypes | awk -F'|' '
    BEGIN {
        print "#include <rivulet/rivulet.h>\n#include <rivulet_gl/rivulet_gl.h>"
        print "#include <rivulet_io/rivulet_io.h>\n#include <stdio.h>\n\nint main(void)\n{"
        print "    static const int numbers[] = {0, 1, -1, 77};"
        print "    for (int k = 0; k < 4; k++) {\n        int n = numbers[k];\n        (void)n;"
    }
    {
        call = ""
        for (i = 2; i <= NF; i++) {
            type = $i
            if (type ~ /^ ?void ?$/) continue
            if (type ~ /[*[]/) value = "NULL"
            else {
                sub(/ [a-z0-9_]+ *$/, "", type)
                value = type ~ /rv_vec3|rv_logger/ ? "(" type "){0}" : "(" type ")n"
            }
            call = call (i > 2 ? ", " : "") value
        }
        printf "        fputs(\"%s\\n\", stderr);\n        (void)%s(%s);\n", $1, $1, call
        count++
    }
    END { printf "    }\n    printf(\"%d functions\\n\");\n}\n", count }' >nothing.c

needs=$(pkg-config --libs yaml-0.1 libzip assimp zlib epoxy egl glfw3)
# shellcheck disable=SC2086
"$CC" -std=c17 -w $FLAGS -I"$SOURCE/include" nothing.c "$GL_LIBRARY" "$IO_LIBRARY" "$LIBRARY" $needs -lnifti2 -ldl \
    -lm -pthread -o nothing
# what is made is not freed here
ASAN_OPTIONS=detect_leaks=0 LD_LIBRARY_PATH=$(dirname "$LIBRARY") ./nothing >said.txt 2>called.txt || {
    grep -v '^rv_' called.txt || true
    echo "ended in $(grep '^rv_' called.txt | tail -n 1)"
    exit 1
}
cat said.txt
grep -q -E '^1[0-9][0-9] functions$|^[2-9][0-9][0-9] functions$' said.txt
