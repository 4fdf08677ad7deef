# How everything here is compiled: link to rivulet_flags, privately.
#
# Results must not depend on the compiler's mood: no -ffast-math, and no contraction of a * b + c, which
# would differ between instruction sets. errno and trapping are given up; nothing here reads either, and
# they would keep loops from being vectorised. NaN checks stay valid. Functions that the headers show are not
# to be replaced by a host's, so those of the same file may be built into each other.
set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)

set(rv_warnings -Wall -Wextra -Wpedantic -Wshadow -Wconversion $<$<BOOL:${RV_WERROR}>:-Werror>)
set(rv_sanitizers)
if(RV_SANITIZE)
    set(rv_sanitizers -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
elseif(RV_SANITIZE_THREADS)
    set(rv_sanitizers -fsanitize=thread -fno-omit-frame-pointer)
endif()

add_library(rivulet_flags INTERFACE)
target_compile_options(rivulet_flags INTERFACE -ffp-contract=off -fno-math-errno -fno-trapping-math
                       $<$<NOT:$<BOOL:${EMSCRIPTEN}>>:-fno-semantic-interposition>
                       ${rv_warnings} ${rv_sanitizers})
target_link_options(rivulet_flags INTERFACE ${rv_sanitizers})
