include(GNUInstallDirs)

# opcat_library(NAME [FOLDER folder] [USES lib...] [LINKS target...])
#
# The static library opcat::NAME of lib/FOLDER (lib/NAME, unless there is a FOLDER), from all of its sources. Its headers
# are reached as "FOLDER/header.hpp", and only by those that USE it (directly or through another library): each library
# has its own include folder, which holds only a link to lib/FOLDER, so an include against the data flow does not compile.
# LINKS are third-party libraries whose headers stay out of ours.
function(opcat_library name)
    cmake_parse_arguments(ARG "" "FOLDER" "USES;LINKS" ${ARGN})
    if(NOT ARG_FOLDER)
        set(ARG_FOLDER ${name})
    endif()
    file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp ${CMAKE_CURRENT_SOURCE_DIR}/*/*.cpp)
    add_library(${name} STATIC ${sources})
    add_library(opcat::${name} ALIAS ${name})
    set_target_properties(${name} PROPERTIES OUTPUT_NAME opcat_${name})

    set(include_dir ${PROJECT_BINARY_DIR}/include/${name})
    cmake_path(GET ARG_FOLDER PARENT_PATH parent)
    file(MAKE_DIRECTORY ${include_dir}/${parent})
    file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR} ${include_dir}/${ARG_FOLDER} SYMBOLIC)
    target_include_directories(${name} PUBLIC $<BUILD_INTERFACE:${include_dir}> $<INSTALL_INTERFACE:include/opcat>)
    install(TARGETS ${name} EXPORT opcat COMPONENT development)
    install(DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} DESTINATION include/opcat/${parent} COMPONENT development
            FILES_MATCHING PATTERN "*.hpp" PATTERN page EXCLUDE)

    list(TRANSFORM ARG_USES PREPEND opcat::)
    target_link_libraries(${name} PUBLIC ${ARG_USES} PRIVATE ${ARG_LINKS})
endfunction()

# opcat_test(NAME [RECORDED] [LIBRARY library] [LINKS target...])
#
# The test program of lib/NAME (or another library), from all tests/NAME/*_test.cpp, run by CTest under the name NAME.
# Most of what a test costs the compiler is headers, so four files are compiled as one: names at their top level must
# differ. RECORDED: some cases, those of the test suite "recorded", need the data in ../shared; they are the test
# NAME.recorded, which CTest reports as skipped where that data is missing.
function(opcat_test name)
    cmake_parse_arguments(ARG "RECORDED" "LIBRARY" "LINKS" ${ARGN})
    if(NOT ARG_LIBRARY)
        set(ARG_LIBRARY ${name})
    endif()
    file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*_test.cpp)
    add_executable(${name}_test ${sources} ${PROJECT_SOURCE_DIR}/tests/doctest_main.cpp)
    target_link_libraries(${name}_test PRIVATE opcat::${ARG_LIBRARY} fmt::fmt ${ARG_LINKS})
    target_compile_definitions(${name}_test PRIVATE OPCAT_TESTDATA="${PROJECT_SOURCE_DIR}/testdata"
                                                    OPCAT_SHARED="${PROJECT_SOURCE_DIR}/../shared")
    set_target_properties(${name}_test PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 4)
    set_source_files_properties(${PROJECT_SOURCE_DIR}/tests/doctest_main.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    if(ARG_RECORDED)
        add_test(NAME ${name} COMMAND ${name}_test --test-suite-exclude=recorded)
        add_test(NAME ${name}.recorded COMMAND ${name}_test --test-suite=recorded)
        set_tests_properties(${name}.recorded PROPERTIES SKIP_RETURN_CODE 77)
    else()
        add_test(NAME ${name} COMMAND ${name}_test)
    endif()
endfunction()

# opcat_fuzzer(NAME LIBRARY)
#
# The libFuzzer target of tests/fuzz/NAME_fuzz.cpp, for lib/LIBRARY (preset fuzz; scripts/fuzz runs them).
function(opcat_fuzzer name library)
    add_executable(${name}_fuzz ${name}_fuzz.cpp)
    target_link_libraries(${name}_fuzz PRIVATE opcat::${library} fmt::fmt)
    target_link_options(${name}_fuzz PRIVATE -fsanitize=fuzzer)
    add_dependencies(fuzzers ${name}_fuzz)
endfunction()
