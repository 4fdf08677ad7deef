// A filter of system calls, where the kernel has seccomp: a child that reads a file that means ill
// can use its memory and the pipe to its parent, and no more. What is not on the list fails with
// EPERM rather than ending the process, since libraries look for locales and the like, and do
// without.
#define _DEFAULT_SOURCE
#include "io/sandbox.h"

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#if defined(__x86_64__)
#define MACHINE AUDIT_ARCH_X86_64
#define OTHER_ABI 0x40000000u // calls of the 32-bit pointers' interface have this bit
#else
#define MACHINE AUDIT_ARCH_AARCH64
#define OTHER_ABI 0xffffffffu
#endif

// Memory, what is open, the clock, and coming to an end; what sanitizers and C++ need besides.
static const int allowed[] = {
    SYS_read,        SYS_readv,           SYS_write,         SYS_writev,
    SYS_lseek,       SYS_close,           SYS_fstat,         SYS_mmap,
    SYS_munmap,      SYS_mremap,          SYS_mprotect,      SYS_madvise,
    SYS_brk,         SYS_futex,           SYS_sched_yield,   SYS_rt_sigaction,
    SYS_sigaltstack, SYS_rt_sigprocmask,  SYS_rt_sigreturn,  SYS_getpid,
    SYS_gettid,      SYS_tgkill,          SYS_clock_gettime, SYS_gettimeofday,
    SYS_getrandom,   SYS_restart_syscall, SYS_exit,          SYS_exit_group,
};
#define ALLOWED (sizeof allowed / sizeof *allowed)

// To find files: where they are, not what is in them.
static const int looking[] = {
    SYS_newfstatat, SYS_statx, SYS_readlinkat, SYS_faccessat, SYS_getcwd, SYS_fcntl,
#if defined(SYS_stat)
    SYS_stat,       SYS_lstat, SYS_readlink,   SYS_access,
#endif
};
#define LOOKING (sizeof looking / sizeof *looking)

static struct sock_filter load(size_t what)
{
    return (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)what);
}

static struct sock_filter answer(unsigned what)
{
    return (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, what);
}

// Goes on `yes` or `no` instructions further.
static struct sock_filter branch(unsigned how, unsigned value, size_t yes, size_t no)
{
    return (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_K | how, value, (unsigned char)yes,
                                        (unsigned char)no);
}

bool rv_sandbox_enter(bool may_read)
{
    struct sock_filter code[ALLOWED + LOOKING + 12];
    unsigned short n = 0;
    const unsigned no = SECCOMP_RET_ERRNO | EPERM, write_bits = O_WRONLY | O_RDWR | O_CREAT;
    size_t all = ALLOWED + (may_read ? LOOKING : 0);
    code[n++] = load(offsetof(struct seccomp_data, arch));
    code[n++] = branch(BPF_JEQ, MACHINE, 1, 0);
    code[n++] = answer(no);
    code[n++] = load(offsetof(struct seccomp_data, nr));
    code[n++] = branch(BPF_JGE, OTHER_ABI, all + 1, 0);
    code[n++] = branch(BPF_JEQ, may_read ? (unsigned)SYS_openat : OTHER_ABI, all + 2, 0);
    for (size_t i = 0; i < all; i++) {
        int call = i < ALLOWED ? allowed[i] : looking[i - ALLOWED];
        code[n++] = branch(BPF_JEQ, (unsigned)call, all - i, 0);
    }
    code[n++] = answer(no);
    code[n++] = answer(SECCOMP_RET_ALLOW);
    code[n++] = load(offsetof(struct seccomp_data, args) + 2 * sizeof(uint64_t)); // its flags
    code[n++] = branch(BPF_JSET, write_bits, 0, 1);
    code[n++] = answer(no);
    code[n++] = answer(SECCOMP_RET_ALLOW);
    struct sock_fprog program = {n, code};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

#else

bool rv_sandbox_enter(bool may_read)
{
    (void)may_read;
    return false;
}

#endif
