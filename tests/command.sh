# What the tests of the command share; sourced by them. Each works in a fresh folder, counts its failures, and ends
# with the exit code `[ "$failures" = 0 ]`.
set -u
failures=0
data="$SOURCE/tests/data"
tray="$data/tray.yaml"
rm -rf work && mkdir work && cd work || exit 1

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# expect CODE ARGUMENT…: runs the command, leaves out.txt and err.txt, checks the exit code.
expect() {
    code=$1
    shift
    "$RIVULET" "$@" >out.txt 2>err.txt
    got=$?
    [ "$got" = "$code" ] || {
        fail "rivulet $*: exit code $got, expected $code"
        cat out.txt err.txt
    }
}

# says FILE TEXT: the file has exactly this line.
says() {
    grep -qxF -- "$2" "$1" || {
        fail "expected the line: $2"
        echo "got:"
        cat "$1"
    }
}
