# The rivulet command and the two libraries it stands on: io/ (file formats, rivulet::io outside), and render/ and
# gl/ (pictures and graphics cards, rivulet::gl outside). cmake/install.cmake repeats what they need.
find_package(PkgConfig REQUIRED)
pkg_check_modules(rivulet_formats REQUIRED IMPORTED_TARGET yaml-0.1 libzip assimp zlib)
# libnifti has no pkg-config file; its headers include each other without their folder
find_path(nifti_folder nifti/nifti2_io.h REQUIRED)
find_library(nifti_library nifti2 REQUIRED)
add_library(rivulet_nifti INTERFACE)
target_include_directories(rivulet_nifti SYSTEM INTERFACE ${nifti_folder} ${nifti_folder}/nifti)
target_link_libraries(rivulet_nifti INTERFACE ${nifti_library})
# stb is headers only; its library would be one more thing to have at run time
find_path(stb_folder stb/stb_image_write.h REQUIRED)
add_library(rivulet_stb INTERFACE)
target_include_directories(rivulet_stb SYSTEM INTERFACE ${stb_folder})

# GL through epoxy, which finds the driver when it runs; EGL for pictures without a display, GLFW for windows
pkg_check_modules(rivulet_graphics REQUIRED IMPORTED_TARGET epoxy egl glfw3)
pkg_check_modules(imgui REQUIRED IMPORTED_TARGET imgui) # the viewer's panel, the one C++ file
enable_language(CXX)
set(CMAKE_CXX_STANDARD 17)

# rivulet_side_library(NAME FOLDERS OUTSIDE [libraries…]): folders of .c files that see include/ and themselves, called
# rivulet::OUTSIDE by others. Always static, because the command and the tests know more of it than it shows; made so
# that a host may put it into a shared library of its own.
function(rivulet_side_library name folders outside)
    list(TRANSFORM folders APPEND /*.c)
    file(GLOB sources CONFIGURE_DEPENDS ${folders})
    if(sources)
        add_library(${name} STATIC ${sources})
        add_library(rivulet::${outside} ALIAS ${name})
        set_target_properties(${name} PROPERTIES
                              OUTPUT_NAME rivulet_${outside}
                              EXPORT_NAME ${outside}
                              C_VISIBILITY_PRESET hidden
                              POSITION_INDEPENDENT_CODE ON)
        target_include_directories(${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
                                   $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
        target_link_libraries(${name} PUBLIC rivulet_core
                              PRIVATE $<BUILD_INTERFACE:rivulet_flags> ${ARGN} m)
    endif()
endfunction()

# Where the shipped scenes are: before and after installing. A package knows the latter only.
set(scenes_installed ${CMAKE_INSTALL_FULL_DATADIR}/rivulet/scenes)
set(scenes_here ${PROJECT_SOURCE_DIR}/scenes)
if(RV_PACKAGE)
    set(scenes_here ${scenes_installed})
endif()
add_library(rivulet_places INTERFACE)
target_compile_definitions(rivulet_places INTERFACE
    RV_SCENES_BUILD_DIR="${scenes_here}"
    RV_SCENES_INSTALL_DIR="${scenes_installed}")

rivulet_side_library(rivulet_io io io PkgConfig::rivulet_formats $<BUILD_INTERFACE:rivulet_nifti>
                     $<INSTALL_INTERFACE:nifti2> $<BUILD_INTERFACE:rivulet_stb>
                     $<BUILD_INTERFACE:rivulet_places>)
rivulet_side_library(rivulet_render "render;gl" gl PkgConfig::rivulet_graphics Threads::Threads ${CMAKE_DL_LIBS})
if(TARGET rivulet_render) # shaders travel inside the library
    file(GLOB shaders CONFIGURE_DEPENDS render/shaders/*.glsl)
    set(shaders_c ${PROJECT_BINARY_DIR}/generated/shaders.c)
    add_custom_command(OUTPUT ${shaders_c}
        COMMAND ${CMAKE_COMMAND} -DOUT=${shaders_c} -DHEADER=render/shaders.h -DTYPE=rv_shader_text
                -DARRAY=rv_shader_texts "-DFILES=${shaders}" -P ${PROJECT_SOURCE_DIR}/cmake/texts.cmake
        DEPENDS ${shaders} cmake/texts.cmake VERBATIM)
    set_source_files_properties(${shaders_c} PROPERTIES COMPILE_OPTIONS -Wno-overlength-strings)
    target_sources(rivulet_render PRIVATE ${shaders_c})
endif()
if(TARGET rivulet_io) # where scenes are searched, after $RIVULET_SCENES
    target_compile_definitions(rivulet_io PRIVATE
        RV_SCENES_BUILD_DIR="${scenes_here}"
        RV_SCENES_INSTALL_DIR="${scenes_installed}")
endif()
set(rivulet_sides)
foreach(side IN ITEMS rivulet_io rivulet_render)
    if(TARGET ${side})
        list(APPEND rivulet_sides ${side})
    endif()
endforeach()

file(GLOB app_sources CONFIGURE_DEPENDS app/*.c app/*/*.c app/*/*.cpp)
if(app_sources)
    add_executable(rivulet ${app_sources})
    target_include_directories(rivulet PRIVATE ${PROJECT_SOURCE_DIR})
    target_link_libraries(rivulet PRIVATE rivulet_flags ${rivulet_sides} rivulet_core
                          PkgConfig::rivulet_graphics PkgConfig::imgui m)
    set_target_properties(rivulet PROPERTIES
                          RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}
                          INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
endif()
