// For tests that draw: what GL drivers keep until the program ends is not ours to free.
#ifndef TESTS_DRIVER_LEAKS_H
#define TESTS_DRIVER_LEAKS_H

const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libEGL\nleak:libGLX\nleak:libGLdispatch\nleak:libgallium\nleak:swrast_dri\n"
           "leak:libLLVM\nleak:_dri.so\nleak:libdrm\n";
}

#endif
