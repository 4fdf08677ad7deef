#!/bin/sh
# The Markdown of the project: no line of hundreds of characters, and every link within it leads somewhere, down to
# the heading.
#
#     sh tests/test_markdown.sh          checks the source tree, and then that planted faults are found
#     sh tests/test_markdown.sh FOLDER   checks that tree only
set -u

# Prints a line for each fault; fails if there is one. Lines of tables cannot be broken; pictures and HTML in them aside
# they should be short too, but that is left to the eye.
check() (
    cd "$1" || exit 1
    find . -name '*.md' -not -path './build/*' -not -path './.git/*' | sort >"$list"
    [ -s "$list" ] || { echo "no Markdown in $1"; exit 1; }
    LC_ALL=C.UTF-8 awk '
    function folder(path) { return path ~ /\// ? substr(path, 1, match(path, /\/[^\/]*$/)) : "" }

    # As web pages name a heading: lower case, words joined by dashes.
    function anchor(text) {
        text = tolower(text)
        gsub(/[^a-z0-9_ -]/, "", text)
        sub(/^ +/, "", text)
        sub(/ +$/, "", text)
        gsub(/ /, "-", text)
        return text
    }

    function complain(what) { printf "%s:%d: %s\n", path, line, what; bad = 1 }

    function exists(name, code) {
        gsub(/\047/, "", name)
        return system("[ -e \047" name "\047 ]") == 0
    }

    function look(link, to, hash) {
        if (link ~ /^[a-z]+:/) return
        hash = link ~ /#/ ? substr(link, index(link, "#") + 1) : ""
        to = link ~ /#/ ? substr(link, 1, index(link, "#") - 1) : link
        to = to == "" ? path : folder(path) to
        while (to ~ /[^\/]+\/\.\.\//) sub(/[^\/.]+\/\.\.\//, "", to)
        if (!(to in there)) there[to] = exists(to)
        if (!there[to]) complain("there is no " link)
        else if (hash != "" && to ~ /\.md$/ && !((to, hash) in heading)) complain("no heading for " link)
    }

    { files[++count] = $0 }
    END {
        for (k = 1; k <= count; k++) { # the headings first
            path = files[k]
            code = 0
            while ((getline text < path) > 0) {
                if (text ~ /^ *```/) code = !code
                if (code || text !~ /^#+ /) continue
                sub(/^#+ /, "", text)
                heading[path, anchor(text)] = 1
            }
            close(path)
        }
        for (k = 1; k <= count; k++) {
            path = files[k]
            code = 0
            for (line = 1; (getline text < path) > 0; line++) {
                if (text ~ /^ *```/) code = !code
                if (text !~ /^ *\|/ && length(text) > 200) complain(length(text) " characters")
                if (code) continue
                gsub(/`[^`]*`/, "", text)
                while (match(text, /\]\([^) ]+\)/)) {
                    look(substr(text, RSTART + 2, RLENGTH - 3))
                    text = substr(text, RSTART + RLENGTH)
                }
            }
            close(path)
        }
        exit bad
    }' "$list"
)

list=$(mktemp) && tree=$(mktemp -d) || exit 1
trap 'rm -rf "$list" "$tree"' EXIT
check "${1:-${SOURCE:-.}}" || exit 1
[ $# -eq 0 ] || exit 0

# Comments name pages and papers (docs/papers.md), no text that a reader does not have.
hidden=$(cd "${SOURCE:-.}" && grep -rnE 'SPEC §|[Pp]aper 00[0-9]|[^0-9]00[0-9] §' include src io render app web/page tests docs \
    scenes fuzz/*.c ./*.md 2>/dev/null | grep -v '^docs/validation.md\|test_markdown.sh')
[ -z "$hidden" ] || { echo "$hidden"; exit 1; }

# A fault must be found, and it alone: planted LINE
failed=0
mkdir "$tree/docs"
good='# One: `two` — three

See [it](docs/a.md#a-b), [above](#one-two--three), [out](https://example.org/x.md) and `[code](no.md)`.'
plant() {
    echo "$good" >"$tree/README.md"
    printf '## A, b\n\n[back](../README.md)\n\n```\n[no link](no.md)\n```\n' >"$tree/docs/a.md"
}
plant
check "$tree" || { echo "Markdown without a fault was refused"; failed=1; }
planted() {
    plant
    echo "$1" >>"$tree/docs/a.md"
    found=$(check "$tree")
    [ "$(echo "$found" | grep -c .)" = 1 ] || { echo "planted: $1; found: ${found:-nothing}"; failed=1; }
}
planted '[x](b.md)'
planted '[x](../docs/b.md)'
planted '[x](#a-c)'
planted '[x](../README.md#two)'
planted '![x](images/x.png)'
planted "$(printf '%0201d' 0)"
exit $failed
