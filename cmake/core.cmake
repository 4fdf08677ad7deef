# librivulet: everything in src/, needing libc, libm and threads only. Others link rivulet::rivulet.
find_package(Threads REQUIRED)

file(GLOB_RECURSE core_sources CONFIGURE_DEPENDS src/*.c)
set(simd_sources ${core_sources})
list(FILTER simd_sources INCLUDE REGEX "_simd\\.c$")
list(FILTER core_sources EXCLUDE REGEX "_simd\\.c$")

# What the core and the tests of its insides share.
add_library(rivulet_inside INTERFACE)
target_include_directories(rivulet_inside INTERFACE ${PROJECT_SOURCE_DIR}/include
                           ${PROJECT_SOURCE_DIR}/src)

# Files named *_simd.c are compiled once per instruction set, with RV_ISA naming it, for the program to
# choose from at run time. No FMA: it would round differently and results would depend on the machine.
set(rv_isas baseline)
set(rv_isa_flags_baseline)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$" AND CMAKE_SIZEOF_VOID_P EQUAL 8)
    list(APPEND rv_isas avx2 avx512)
    set(rv_isa_flags_avx2 -mavx2)
    set(rv_isa_flags_avx512 -mavx512f -mavx512vl -mavx512dq -mavx512bw -mprefer-vector-width=512)
    target_compile_definitions(rivulet_inside INTERFACE RV_HAVE_X86_ISAS=1)
endif()

if(EMSCRIPTEN)
    # Only here: clang 14 miscompiles matrices in ordinary files with it, and so does its vectoriser of
    # straight code.
    set(rv_isa_flags_baseline -msimd128 -fno-slp-vectorize)
endif()

# A shared library shows what the headers mark with RV_API and nothing else; only the tests look inside.
set(rv_visibility hidden)
if(BUILD_SHARED_LIBS AND RV_TESTS)
    set(rv_visibility default)
endif()

# An archive may go into a shared library of a host's own, as it does into the Python module.
set(rv_anywhere ON)
if(EMSCRIPTEN)
    set(rv_anywhere OFF)
endif()

set(simd_objects)
if(simd_sources)
    foreach(isa IN LISTS rv_isas)
        add_library(rivulet_simd_${isa} OBJECT ${simd_sources})
        target_compile_definitions(rivulet_simd_${isa} PRIVATE RV_ISA=${isa})
        target_compile_options(rivulet_simd_${isa} PRIVATE ${rv_isa_flags_${isa}})
        target_link_libraries(rivulet_simd_${isa} PRIVATE rivulet_inside rivulet_flags)
        set_target_properties(rivulet_simd_${isa} PROPERTIES
                              C_VISIBILITY_PRESET ${rv_visibility}
                              POSITION_INDEPENDENT_CODE ${rv_anywhere})
        list(APPEND simd_objects $<TARGET_OBJECTS:rivulet_simd_${isa}>)
    endforeach()
endif()

# Libraries of one major version stand in for each other.
set(rv_soversion ${PROJECT_VERSION_MAJOR})

# The target is not called rivulet, because the command is; the file, and the name outside, are.
if(core_sources)
    file(GLOB kernels CONFIGURE_DEPENDS src/columns/card/kernels/*.glsl) # they travel inside the library
    file(GLOB surface_kernels CONFIGURE_DEPENDS src/surface/card/kernels/*.glsl)
    set(shared_kernels ${PROJECT_SOURCE_DIR}/src/columns/card/kernels)
    file(GLOB grain_kernels CONFIGURE_DEPENDS src/particles/card/kernels/*.glsl)
    list(APPEND grain_kernels ${shared_kernels}/thread.glsl)
    if(EMSCRIPTEN) # a page has no kernels to run, and should be small
        set(kernels "")
        set(surface_kernels "")
        set(grain_kernels "")
    endif()
    set(kernels_c ${PROJECT_BINARY_DIR}/generated/kernels.c)
    add_custom_command(OUTPUT ${kernels_c}
        COMMAND ${CMAKE_COMMAND} -DOUT=${kernels_c} -DHEADER=columns/card/card.h -DTYPE=rv_kernel_text
                -DARRAY=rv_kernel_texts "-DFILES=${kernels}" -P ${PROJECT_SOURCE_DIR}/cmake/texts.cmake
        DEPENDS ${kernels} cmake/texts.cmake VERBATIM)
    set_source_files_properties(${kernels_c} PROPERTIES COMPILE_OPTIONS -Wno-overlength-strings)
    set(surface_kernels_c ${PROJECT_BINARY_DIR}/generated/surface_kernels.c)
    add_custom_command(OUTPUT ${surface_kernels_c}
        COMMAND ${CMAKE_COMMAND} -DOUT=${surface_kernels_c} -DHEADER=surface/card/card.h -DTYPE=rv_sheet_text
                -DARRAY=rv_sheet_texts -DALSO=${shared_kernels}
                "-DFILES=${surface_kernels}" -P ${PROJECT_SOURCE_DIR}/cmake/texts.cmake
        DEPENDS ${surface_kernels} ${kernels} cmake/texts.cmake VERBATIM)
    set_source_files_properties(${surface_kernels_c} PROPERTIES COMPILE_OPTIONS -Wno-overlength-strings)
    set(grain_kernels_c ${PROJECT_BINARY_DIR}/generated/grain_kernels.c)
    add_custom_command(OUTPUT ${grain_kernels_c}
        COMMAND ${CMAKE_COMMAND} -DOUT=${grain_kernels_c} -DHEADER=particles/card/card.h -DTYPE=rv_grain_text
                -DARRAY=rv_grain_texts -DALSO=${shared_kernels}
                "-DFILES=${grain_kernels}" -P ${PROJECT_SOURCE_DIR}/cmake/texts.cmake
        DEPENDS ${grain_kernels} ${kernels} cmake/texts.cmake VERBATIM)
    set_source_files_properties(${grain_kernels_c} PROPERTIES COMPILE_OPTIONS -Wno-overlength-strings)
    add_library(rivulet_core ${core_sources} ${kernels_c} ${surface_kernels_c} ${grain_kernels_c} ${simd_objects})
    add_library(rivulet::rivulet ALIAS rivulet_core)
    set_target_properties(rivulet_core PROPERTIES
                          OUTPUT_NAME rivulet
                          EXPORT_NAME rivulet
                          C_VISIBILITY_PRESET ${rv_visibility}
                          VERSION ${PROJECT_VERSION}
                          SOVERSION ${rv_soversion}
                          POSITION_INDEPENDENT_CODE ${rv_anywhere})
    target_include_directories(rivulet_core PUBLIC
                               $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                               $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    # inline functions of the headers call libm
    target_link_libraries(rivulet_core PUBLIC m PRIVATE $<BUILD_INTERFACE:rivulet_inside>
                          $<BUILD_INTERFACE:rivulet_flags> Threads::Threads)
endif()
