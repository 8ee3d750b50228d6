set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

if(OPCAT_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER AND NOT DEFINED ENV{CCACHE_DISABLE})
    find_program(CCACHE ccache)
    if(CCACHE)
        set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
    endif()
endif()

add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wold-style-cast -Wconversion
                    -Wno-sign-conversion)
if(CMAKE_UNITY_BUILD)
    # Whole libraries and tests as one: most of what a file costs the compiler is headers, and templates that other files use, too.
    # The dev preset joins only tests, and by CMake's default eight files, so that an edit of one compiles less.
    set(CMAKE_UNITY_BUILD_BATCH_SIZE 32)
    # Joined files see each other's private names. The dev preset compiles the files of libraries one by one, and checks for what
    # these warn of.
    add_compile_options(-Wno-shadow)
    if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
        # gcc's garbage collection takes a tenth of the time to save a fifth of the memory. Not in the dev preset, whose options
        # clang-tidy reads: it does not know this one. Presets also make malloc ask for huge pages (GLIBC_TUNABLES): 5 % less time.
        add_compile_options(-Wno-subobject-linkage --param=ggc-min-heapsize=4000000)
    endif()
endif()
if(OPCAT_WERROR)
    add_compile_options(-Werror)
endif()

# nlohmann/json.hpp includes <filesystem> and <ranges> for conversions that nobody here makes: half a second per file.
add_compile_definitions(JSON_HAS_FILESYSTEM=0 JSON_HAS_EXPERIMENTAL_FILESYSTEM=0 JSON_HAS_RANGES=0)

# lld needs a quarter of the time of the platform's linker, which links what users get.
find_program(LLD ld.lld)
if(LLD)
    add_link_options($<$<CONFIG:Dev,Sanitized,Coverage>:-fuse-ld=lld>)
endif()

# Released programs do not contain the path of the build directory.
add_compile_options($<$<CONFIG:Release>:-ffile-prefix-map=${PROJECT_SOURCE_DIR}=.>)

if(OPCAT_SANITIZE)
    add_compile_options(-fsanitize=${OPCAT_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
    add_link_options(-fsanitize=${OPCAT_SANITIZE})
elseif(OPCAT_HARDENING)
    add_compile_options(-fstack-protector-strong)
    add_compile_definitions($<$<CONFIG:Release>:_FORTIFY_SOURCE=2>)
    add_link_options(-pie -Wl,-z,relro,-z,now)
endif()
if(OPCAT_FUZZ)
    # The checks left out find what the address sanitizer stops at, too, and are a fifth of what clang takes to compile.
    add_compile_options(-fsanitize=fuzzer-no-link -fno-sanitize=null,object-size,vptr)
endif()
