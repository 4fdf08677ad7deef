// What a child that reads strangers' files can do, and what it cannot (io/sandbox.h).
#define _DEFAULT_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define NO_SANDBOX 77

// One bit for each thing that a child could do though it must not, or could not though it may.
static int try_all(const char *path, bool may_read)
{
    int wrong = 0;
    if (!rv_sandbox_enter(may_read)) return NO_SANDBOX;
    errno = 0;
    bool could = open(path, O_RDONLY) >= 0;
    wrong |= could != may_read || (!could && errno != EPERM) ? 1 : 0;
    wrong |= open("made", O_WRONLY | O_CREAT, 0600) >= 0 ? 2 : 0;
    wrong |= socket(AF_INET, SOCK_STREAM, 0) >= 0 ? 4 : 0;
    wrong |= execl("/bin/true", "true", (char *)NULL) >= 0 ? 8 : 0;
    char *much = malloc(32 << 20);
    wrong |= !much ? 16 : 0;
    if (much) memset(much, 1, 32 << 20), free(much);
    return wrong;
}

static void try_child(bool may_read)
{
    int ends[2], status = 0;
    char byte = 0;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        int wrong = try_all("/etc/passwd", may_read);
        if (write(ends[1], "x", 1) != 1) wrong |= 32;
        _exit(wrong);
    }
    close(ends[1]);
    assert_int_equal(read(ends[0], &byte, 1), 1);
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == NO_SANDBOX) skip();
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void a_child_has_its_memory_and_what_is_open(void **state)
{
    (void)state;
    try_child(false);
}

static void one_may_read_but_not_write(void **state)
{
    (void)state;
    try_child(true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_child_has_its_memory_and_what_is_open),
        cmocka_unit_test(one_may_read_but_not_write),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
