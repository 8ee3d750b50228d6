# The libraries of others, each found once. OPCAT_LAZY_LIBRARIES decides how the program uses those that few runs need:
#
# OFF  Every library is linked as usual. The dynamic linker loads all of them when the program starts, and packagers find
#      them as dependencies of the program.
# ON   libarchive, libcurl, libcrypto, libevent, nghttp2, SQLite, zlib and Graphviz are loaded when they are first used
#      (lib/base/shared_library.hpp): a short run is several times faster, and an archive works on systems that lack the
#      libraries it does not use.
#
# OPCAT_STATIC_CXX, by default the same, makes fmt, toml++ and the C++ library parts of the program: it starts a fifth faster, and
# takes half as long again to compile.
find_package(CLI11 REQUIRED)
find_package(CURL REQUIRED)
find_package(LibArchive REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(PkgConfig REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(tomlplusplus REQUIRED)
if(OPCAT_STATIC_LIBYAML)
    find_path(LIBYAML_INCLUDE_DIR yaml.h REQUIRED)
    find_library(LIBYAML_STATIC libyaml.a REQUIRED)
    add_library(PkgConfig::LIBYAML STATIC IMPORTED)
    set_target_properties(PkgConfig::LIBYAML PROPERTIES IMPORTED_LOCATION ${LIBYAML_STATIC}
                          INTERFACE_INCLUDE_DIRECTORIES ${LIBYAML_INCLUDE_DIR})
else()
    pkg_check_modules(LIBYAML REQUIRED IMPORTED_TARGET yaml-0.1)
endif()
pkg_check_modules(LIBEVENT REQUIRED IMPORTED_TARGET libevent_core libevent_openssl)
pkg_check_modules(NGHTTP2 REQUIRED IMPORTED_TARGET libnghttp2)
pkg_check_modules(GRAPHVIZ REQUIRED IMPORTED_TARGET libgvc libcgraph)
include(FoundByPath)
find_path(CADICAL_INCLUDE_DIR cadical.hpp REQUIRED)
set_target_properties(opcat_found::CADICAL PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${CADICAL_INCLUDE_DIR})

if(OPCAT_LAZY_LIBRARIES)
    add_compile_definitions(OPCAT_LAZY_LIBRARIES)
endif()
if(OPCAT_STATIC_CXX)
    set(OPCAT_FMT fmt::fmt-header-only)
    set(OPCAT_TOML "") # its headers are enough
else()
    set(OPCAT_FMT fmt::fmt)
    set(OPCAT_TOML tomlplusplus::tomlplusplus)
endif()
