add_custom_target(embedded_files)

# opcat_embed(LIBRARY HEADER FILE...)
#
# Makes the bytes of files part of a library: HEADER ("page_files.hpp") declares for each file, as
# opcat::embedded::graph_css for graph.css, a std::string_view. Files stay readable sources; a change of one
# builds the library again. The target `embedded_files` writes all such headers, for tools that read sources without
# building them (scripts/check-tidy).
function(opcat_embed library header)
    set(directory ${CMAKE_CURRENT_BINARY_DIR}/embedded)
    cmake_path(GET header STEM name)
    set(source ${directory}/${name}.cpp)
    add_custom_command(
        OUTPUT ${source} ${directory}/${header}
        COMMAND ${CMAKE_COMMAND} -DHEADER=${header} -DDIRECTORY=${directory} "-DFILES=${ARGN}"
                -P ${PROJECT_SOURCE_DIR}/cmake/WriteEmbedded.cmake
        DEPENDS ${ARGN} ${PROJECT_SOURCE_DIR}/cmake/WriteEmbedded.cmake
        VERBATIM)
    add_custom_target(${library}_files DEPENDS ${source} ${directory}/${header})
    add_dependencies(embedded_files ${library}_files)
    add_dependencies(${library} ${library}_files)
    target_sources(${library} PRIVATE ${source} ${directory}/${header})
    target_include_directories(${library} PRIVATE ${directory})
endfunction()
