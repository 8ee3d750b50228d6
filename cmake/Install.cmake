# What `cmake --install` puts where, in two components: `tool`, and `development` for programs that use the libraries.
include(CMakePackageConfigHelpers)

# Debian's zsh has its own directory for completions of packages.
if(EXISTS /etc/debian_version)
    set(OPCAT_ZSH_DIRECTORIES vendor-completions CACHE STRING "Where zsh looks for completions, below share/zsh")
else()
    set(OPCAT_ZSH_DIRECTORIES site-functions CACHE STRING "Where zsh looks for completions, below share/zsh")
endif()

# Manual pages and the changelog are compressed, as Debian has it; without a time in them (-n), so that two builds are
# the same.
function(install_compressed file directory name)
    set(compressed ${PROJECT_BINARY_DIR}/compressed/${name}.gz)
    add_custom_command(OUTPUT ${compressed}
        COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/compressed
        COMMAND sh -c "gzip -9 -n -c '${file}' > '${compressed}'"
        DEPENDS ${file} VERBATIM)
    set_property(GLOBAL APPEND PROPERTY OPCAT_COMPRESSED ${compressed})
    install(FILES ${compressed} DESTINATION ${directory} COMPONENT ${ARGN})
endfunction()

file(GLOB pages CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/man/*.1 ${PROJECT_SOURCE_DIR}/man/*.7)
foreach(page ${pages})
    cmake_path(GET page FILENAME name)
    cmake_path(GET page EXTENSION LAST_ONLY section)
    string(REPLACE "." "" section ${section})
    install_compressed(${page} ${CMAKE_INSTALL_MANDIR}/man${section} ${name} tool)
endforeach()
# kubectl runs the program under this name for completion.
set(page ${PROJECT_BINARY_DIR}/compressed/kubectl_complete-opcat.1.gz)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/compressed)
file(CREATE_LINK kubectl-opcat.1.gz ${page} SYMBOLIC)
install(FILES ${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT tool)

foreach(name opcat opm)
    install(FILES ${PROJECT_SOURCE_DIR}/completions/${name}.bash RENAME ${name}
            DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT tool)
    # The first directory has the file, the others a link to it.
    list(GET OPCAT_ZSH_DIRECTORIES 0 first)
    set(file ${PROJECT_SOURCE_DIR}/completions/_${name})
    foreach(directory ${OPCAT_ZSH_DIRECTORIES})
        install(FILES ${file} DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/${directory} COMPONENT tool)
        set(file ${PROJECT_BINARY_DIR}/zsh/_${name})
        file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/zsh)
        file(CREATE_LINK ../${first}/_${name} ${file} SYMBOLIC)
    endforeach()
    install(FILES ${PROJECT_SOURCE_DIR}/completions/${name}.fish
            DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT tool)
endforeach()

foreach(package opcat:tool libopcat-dev:development)
    string(REPLACE ":" ";" parts ${package})
    list(GET parts 0 name)
    list(GET parts 1 component)
    set(doc ${CMAKE_INSTALL_DATADIR}/doc/${name})
    install(FILES ${PROJECT_SOURCE_DIR}/debian/copyright DESTINATION ${doc} COMPONENT ${component})
    install_compressed(${PROJECT_SOURCE_DIR}/debian/changelog ${doc} changelog ${component})
endforeach()
# The page that the link of a finding's rule opens.
add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/rules.html
    COMMAND sh -c "\"$@\" explain --html > rules.html" sh ${CMAKE_CROSSCOMPILING_EMULATOR} $<TARGET_FILE:opcat>
    WORKING_DIRECTORY ${PROJECT_BINARY_DIR} DEPENDS opcat VERBATIM)
install(FILES ${PROJECT_BINARY_DIR}/rules.html DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/opcat COMPONENT tool)

get_property(compressed GLOBAL PROPERTY OPCAT_COMPRESSED)
list(REMOVE_DUPLICATES compressed)
add_custom_target(documents ALL DEPENDS ${compressed} ${PROJECT_BINARY_DIR}/rules.html)

# find_package(opcat), and then opcat::opcat, or opcat::catalog and so on.
set(config ${CMAKE_INSTALL_LIBDIR}/cmake/opcat)
install(TARGETS opcat_all EXPORT opcat COMPONENT development)
install(EXPORT opcat NAMESPACE opcat:: DESTINATION ${config} COMPONENT development)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/opcatConfig.cmake.in
    ${PROJECT_BINARY_DIR}/opcatConfig.cmake INSTALL_DESTINATION ${config})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/opcatConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_SOURCE_DIR}/cmake/FoundByPath.cmake ${PROJECT_BINARY_DIR}/opcatConfig.cmake ${PROJECT_BINARY_DIR}/opcatConfigVersion.cmake
        DESTINATION ${config} COMPONENT development)
