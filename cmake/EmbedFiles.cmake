# opcat_embed(LIBRARY HEADER FILE...)
#
# Makes the bytes of files part of a library: HEADER ("page_files.hpp") declares for each file, as
# opcat::embedded::graph_css for graph.css, a std::string_view. Files stay readable sources; a change of one
# builds the library again.
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
    target_sources(${library} PRIVATE ${source} ${directory}/${header})
    target_include_directories(${library} PRIVATE ${directory})
endfunction()
