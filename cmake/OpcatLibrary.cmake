include(GNUInstallDirs)

# The target waits for networks, processes or people, or starts once. -O1 compiles it in 28 % less time than -O2, into as many
# bytes.
function(opcat_cold target)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()

# opcat_library(NAME [COLD] SOURCES file... [PUBLIC header...] [USES lib...] [LINKS target...] [LOADS target...])
#
# The static library opcat::NAME of this folder. Its headers are reached as "opcat/NAME/header.hpp", and only by libraries
# that USE it (directly or through another one): each library has its own include folder with nothing but a link to its
# sources, so an include against the direction of the data does not compile. PUBLIC headers are installed; they include
# public headers only, and no headers of other projects. LINKS are libraries of others; LOADS are those that are loaded at
# run time with OPCAT_LAZY_LIBRARIES (cmake/Libraries.cmake). COLD: opcat_cold.
function(opcat_library name)
    cmake_parse_arguments(ARG "COLD" "" "SOURCES;PUBLIC;USES;LINKS;LOADS" ${ARGN})
    set(target opcat_${name})
    add_library(${target} STATIC ${ARG_SOURCES})
    if(ARG_COLD)
        opcat_cold(${target})
    endif()
    if(OPCAT_PRECOMPILED)
        target_precompile_headers(${target} REUSE_FROM opcat_library_headers)
    endif()
    add_library(opcat::${name} ALIAS ${target})
    set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
    if(OPCAT_SANITIZE AND name MATCHES "^(bundle|bundle_checks|cluster|compose|legacy_index|mirror|pages)$")
        # No fuzz target runs them, and their tests compute little: without optimization, and without libFuzzer's counters,
        # they take less than half as long to compile.
        target_compile_options(${target} PRIVATE -O0 $<$<BOOL:${OPCAT_FUZZ}>:-fno-sanitize=fuzzer-no-link>)
    endif()

    file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR}/lib ${CMAKE_CURRENT_SOURCE_DIR})
    set(include_dir ${PROJECT_BINARY_DIR}/include/${name})
    cmake_path(GET folder PARENT_PATH parent)
    file(MAKE_DIRECTORY ${include_dir}/opcat/${parent})
    file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR} ${include_dir}/opcat/${folder} SYMBOLIC)
    target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${include_dir}> $<INSTALL_INTERFACE:include>)

    list(TRANSFORM ARG_USES PREPEND opcat::)
    target_link_libraries(${target} PUBLIC ${ARG_USES} PRIVATE ${OPCAT_FMT} ${ARG_LINKS})
    foreach(library ${ARG_LOADS})
        if(OPCAT_LAZY_LIBRARIES)
            target_include_directories(${target} SYSTEM PRIVATE
                                       $<TARGET_PROPERTY:${library},INTERFACE_INCLUDE_DIRECTORIES>)
        else()
            target_link_libraries(${target} PRIVATE ${library})
        endif()
    endforeach()
    set_property(GLOBAL APPEND PROPERTY OPCAT_LIBRARIES ${target})
    list(TRANSFORM ARG_PUBLIC PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ OUTPUT_VARIABLE headers)
    set_property(GLOBAL APPEND PROPERTY OPCAT_PUBLIC_HEADERS ${headers})

    if(OPCAT_INSTALL)
        install(TARGETS ${target} EXPORT opcat COMPONENT development)
        install(FILES ${ARG_PUBLIC} DESTINATION include/opcat/${folder} COMPONENT development)
    endif()
endfunction()

# opcat_full_test(NAME)
#
# The test takes long and shows little more than another: it is run before a release, with the label `full`, and the test
# presets leave it out. It sees FULL_TESTS in its environment.
function(opcat_full_test name)
    set_property(TEST ${name} PROPERTY LABELS full)
    set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT FULL_TESTS=1)
endfunction()

if(OPCAT_TESTS)
    add_custom_target(unit_tests)
    add_library(opcat_test_main OBJECT ${PROJECT_SOURCE_DIR}/tests/doctest_main.cpp)
    target_compile_definitions(opcat_test_main PRIVATE OPCAT_SHARED="${PROJECT_SOURCE_DIR}/../shared")
    if(OPCAT_PRECOMPILED)
        target_sources(opcat_test_headers PRIVATE $<TARGET_OBJECTS:opcat_test_main>)
    endif()
endif()

# opcat_compiled(VARIABLE TARGET SOURCE...)
#
# The sources of a target whose files are compiled together, or with OPCAT_TEST_OBJECTS the objects that the other build has
# made of them.
function(opcat_compiled variable target)
    set(${variable} ${ARGN} PARENT_SCOPE)
    if(OPCAT_TEST_OBJECTS)
        # As CMake names what it compiles there.
        cmake_path(RELATIVE_PATH CMAKE_CURRENT_BINARY_DIR BASE_DIRECTORY ${PROJECT_BINARY_DIR} OUTPUT_VARIABLE folder)
        list(LENGTH ARGN count)
        math(EXPR last "(${count} - 1) / ${CMAKE_UNITY_BUILD_BATCH_SIZE}")
        set(objects)
        foreach(number RANGE ${last})
            list(APPEND objects ${OPCAT_TEST_OBJECTS}/${folder}/CMakeFiles/${target}.dir/Unity/unity_${number}_cxx.cxx.o)
        endforeach()
        set_source_files_properties(${objects} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
        set(${variable} ${objects} PARENT_SCOPE)
    endif()
endfunction()

# opcat_test(NAME SOURCES file... [RECORDED] [SLOW] [LIBRARY library] [LINKS target...])
#
# The test program of lib/NAME (or of another LIBRARY), run by CTest under the name NAME. Most of what a test costs the
# compiler is headers, so its files are compiled together: names at their top level must differ. RECORDED: some cases, those
# of the test suite "recorded", need the data in ../shared; they are the test NAME.recorded, which CTest reports as skipped
# where that data is missing. The label `unit` is all others; `fast`, what a developer runs at every save, all but SLOW ones. The
# target `unit_tests` builds them all.
function(opcat_test name)
    cmake_parse_arguments(ARG "RECORDED;SLOW" "LIBRARY" "SOURCES;LINKS" ${ARGN})
    if(NOT ARG_LIBRARY)
        set(ARG_LIBRARY ${name})
    endif()
    set(target opcat_${name}_test)
    opcat_compiled(sources ${target} ${ARG_SOURCES})
    add_executable(${target} $<TARGET_OBJECTS:opcat_test_main> ${sources})
    target_link_libraries(${target} PRIVATE opcat::${ARG_LIBRARY} ${OPCAT_FMT} ${ARG_LINKS})
    target_compile_definitions(${target} PRIVATE OPCAT_TESTDATA="${PROJECT_SOURCE_DIR}/testdata"
                                                 OPCAT_SHARED="${PROJECT_SOURCE_DIR}/../shared")
    if(OPCAT_PRECOMPILED)
        target_precompile_headers(${target} REUSE_FROM opcat_test_headers)
    endif()
    if(CMAKE_CROSSCOMPILING_EMULATOR)
        target_compile_definitions(${target} PRIVATE OPCAT_EMULATED)
    endif()
    if(CMAKE_CXX_COMPILER_ID STREQUAL Clang AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 16)
        target_compile_options(${target} PRIVATE -include ${PROJECT_SOURCE_DIR}/tests/capture.hpp)
    endif()
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON)
    target_compile_options(${target} PRIVATE -Wno-shadow) # also in the dev preset: joined files see each other's private names
    if(ARG_RECORDED)
        add_test(NAME ${name} COMMAND ${target} --test-suite-exclude=recorded)
        add_test(NAME ${name}.recorded COMMAND ${target} --test-suite=recorded)
        set_tests_properties(${name}.recorded PROPERTIES SKIP_RETURN_CODE 77)
    else()
        add_test(NAME ${name} COMMAND ${target})
    endif()
    set_property(TEST ${name} PROPERTY LABELS unit)
    if(NOT ARG_SLOW)
        set_property(TEST ${name} APPEND PROPERTY LABELS fast)
    endif()
    add_dependencies(unit_tests ${target})
endfunction()
