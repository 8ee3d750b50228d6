# The pages of the public headers: `cmake --build --preset release --target api_documentation` writes build/release/api/html.
find_package(Doxygen QUIET)
if(DOXYGEN_FOUND)
    get_property(headers GLOBAL PROPERTY OPCAT_PUBLIC_HEADERS)
    set(DOXYGEN_PROJECT_NAME opcat)
    set(DOXYGEN_PROJECT_NUMBER ${PROJECT_VERSION})
    set(DOXYGEN_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/api)
    set(DOXYGEN_STRIP_FROM_PATH ${PROJECT_SOURCE_DIR}/lib)
    set(DOXYGEN_USE_MDFILE_AS_MAINPAGE ${PROJECT_SOURCE_DIR}/docs/library.md)
    # Ordinary comments are the documentation.
    set(DOXYGEN_INPUT_FILTER "sed -E -f ${PROJECT_SOURCE_DIR}/cmake/doxygen.sed")
    set(DOXYGEN_JAVADOC_AUTOBRIEF YES)
    set(DOXYGEN_EXTRACT_ALL YES)
    set(DOXYGEN_WARN_IF_UNDOCUMENTED NO)
    set(DOXYGEN_WARN_AS_ERROR NO)
    set(DOXYGEN_QUIET YES)
    set(DOXYGEN_GENERATE_LATEX NO)
    doxygen_add_docs(api_documentation ${headers} ${PROJECT_SOURCE_DIR}/docs/library.md
                     COMMENT "Writing the pages of the public headers")
endif()

# A site of docs/ (mkdocs; also the release workflow's).
add_custom_target(site COMMAND ${PROJECT_SOURCE_DIR}/scripts/make-site ${PROJECT_BINARY_DIR}/site VERBATIM)
