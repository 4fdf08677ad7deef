# What the tests of rivulet-mpi share; sourced by them after tests/command.sh, or alone. Where MPI or the program is not
# there, the test counts as skipped.
if ! command -v mpirun >/dev/null || [ ! -x "$RIVULET_MPI" ]; then
    echo "skipped: no mpirun here, or this build has no rivulet-mpi"
    echo "make packages-mpi installs MPI; cmake build/sanitize finds it then"
    exit 77
fi

if ! mpirun --version 2>/dev/null | grep -q "Open MPI"; then
    echo "skipped: the options here are those of Open MPI's mpirun"
    exit 77
fi

# More ranks than cores, not bound to any; no words of mpirun's own, nor of containers that forbid to copy memory.
ranks_options="-q --oversubscribe --bind-to none --mca btl_vader_single_copy_mechanism none"
[ "$(id -u)" -ne 0 ] || ranks_options="$ranks_options --allow-run-as-root"
OMPI_MCA_orte_tmpdir_base=${TMPDIR:-/tmp} # a socket's name must be short
# MPI keeps memory to its end, in parts that are unloaded by then and have no name any more
ASAN_OPTIONS="detect_leaks=0:${ASAN_OPTIONS:-}"
export OMPI_MCA_orte_tmpdir_base ASAN_OPTIONS

# ranks N PROGRAM ARGUMENT…: that many processes of it; their output, and the exit code of the first that failed.
ranks() {
    ranks_count=$1
    shift
    # shellcheck disable=SC2086
    mpirun $ranks_options -n "$ranks_count" "$@"
}

# mpi_expect CODE N ARGUMENT…: runs rivulet-mpi on N ranks, leaves out.txt and err.txt, checks the exit code.
mpi_expect() {
    code=$1
    mpi_ranks=$2
    shift 2
    ranks "$mpi_ranks" "$RIVULET_MPI" "$@" >out.txt 2>err.txt
    got=$?
    [ "$got" = "$code" ] || {
        fail "rivulet-mpi $* on $mpi_ranks ranks: exit code $got, expected $code"
        cat out.txt err.txt
    }
}
