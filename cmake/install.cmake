# What `make install` puts where, and how other projects find it: CMake package and pkg-config file.
include(CMakePackageConfigHelpers)

# Components are the packages of cmake/package.cmake; `make install` installs all of them.
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME development)
install(DIRECTORY include/rivulet DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(DIRECTORY scenes/ DESTINATION ${CMAKE_INSTALL_DATADIR}/rivulet/scenes OPTIONAL COMPONENT scenes
        FILES_MATCHING PATTERN "*.yaml" PATTERN "*.png")
if(TARGET rivulet)
    install(TARGETS rivulet RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT command)
    install(FILES app/desktop/rivulet.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications COMPONENT command)
    install(FILES app/desktop/rivulet.svg
            DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps COMPONENT command)
    # The manual page and the completions come from the command's own tables; where it cannot run, there are none.
    if(NOT CMAKE_CROSSCOMPILING)
        set(manual_dir ${PROJECT_BINARY_DIR}/manual)
        add_custom_command(TARGET rivulet POST_BUILD
            COMMAND ${CMAKE_COMMAND} -E make_directory ${manual_dir}
            COMMAND rivulet --help=man > ${manual_dir}/rivulet.1
            COMMAND rivulet --help=bash > ${manual_dir}/rivulet
            COMMAND rivulet --help=zsh > ${manual_dir}/_rivulet
            COMMAND rivulet --help=fish > ${manual_dir}/rivulet.fish)
        install(FILES ${manual_dir}/rivulet.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT command)
        install(FILES ${manual_dir}/rivulet DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
                COMPONENT command)
        install(FILES ${manual_dir}/_rivulet DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions
                COMPONENT command)
        install(FILES ${manual_dir}/rivulet.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d
                COMPONENT command)
    endif()
endif()
if(TARGET rivulet_python AND RV_PYTHON_DIR)
    install(DIRECTORY python/rivulet DESTINATION ${RV_PYTHON_DIR} COMPONENT python
            FILES_MATCHING PATTERN "*.py" PATTERN "*.pyi" PATTERN "py.typed" PATTERN "__pycache__" EXCLUDE)
    install(TARGETS rivulet_python LIBRARY DESTINATION ${RV_PYTHON_DIR}/rivulet COMPONENT python)
endif()
if(NOT TARGET rivulet_core)
    return()
endif()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/rivulet)
install(TARGETS rivulet_core EXPORT rivulet_targets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT development)
install(EXPORT rivulet_targets FILE rivuletTargets.cmake NAMESPACE rivulet:: DESTINATION ${package_dir})
configure_package_config_file(cmake/rivuletConfig.cmake.in rivuletConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(rivuletConfigVersion.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/rivuletConfig.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/rivuletConfigVersion.cmake DESTINATION ${package_dir})

# A static library's users must link what it needs; a shared one brings it along, but for libm, which inline functions
# of the headers call.
if(BUILD_SHARED_LIBS)
    set(pc_public " -lm")
    set(pc_private "-pthread")
else()
    set(pc_public " -lm -pthread")
    set(pc_private "")
endif()
# The prefix is taken from where the file lies, so an installed tree may be moved.
file(RELATIVE_PATH pc_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" pc_prefix "${pc_prefix}")
configure_file(cmake/rivulet.pc.in rivulet.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/rivulet.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# rivulet_install_side(TARGET NAME WHAT REQUIRES LIBS): headers, library, CMake targets and pkg-config file of one of
# the libraries that need more than the core does. They are static, so who uses them links all that they need.
function(rivulet_install_side target name what requires libs)
    if(NOT TARGET ${target})
        return()
    endif()
    install(DIRECTORY include/rivulet_${name} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
            FILES_MATCHING PATTERN "*.h")
    install(TARGETS ${target} EXPORT rivulet_${name}_targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
    install(EXPORT rivulet_${name}_targets FILE rivulet_${name}Targets.cmake NAMESPACE rivulet::
            DESTINATION ${package_dir})
    set(pc_name rivulet_${name})
    set(pc_what ${what})
    set(pc_requires ${requires})
    set(pc_libs ${libs})
    configure_file(cmake/rivulet_side.pc.in rivulet_${name}.pc @ONLY)
    install(FILES ${CMAKE_CURRENT_BINARY_DIR}/rivulet_${name}.pc
            DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()
rivulet_install_side(rivulet_io io "Files for rivulet: scenes, meshes, volumes, pictures, snapshots"
                     "yaml-0.1 libzip assimp zlib" "-lnifti2 -lm")
rivulet_install_side(rivulet_render gl "Pictures of rivulet's worlds, by OpenGL ES" "epoxy egl glfw3"
                     "-lm -pthread -ldl")

# No pkg-config file: what MPI needs is its compiler's own business (mpicc program.c -lrivulet_mpi …).
if(TARGET rivulet_mpi)
    install(DIRECTORY include/rivulet_mpi DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
    install(TARGETS rivulet_mpi EXPORT rivulet_mpi_targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
    install(EXPORT rivulet_mpi_targets FILE rivulet_mpiTargets.cmake NAMESPACE rivulet:: DESTINATION ${package_dir})
    install(TARGETS rivulet-mpi RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT mpi)
endif()

if(PROJECT_IS_TOP_LEVEL)
    include(cmake/package.cmake)
endif()
