# Debian packages and archives: `cpack --config build/release/CPackConfig.cmake -G DEB`, `-G TGZ`.
set(CPACK_PACKAGE_VENDOR "The opcat authors")
set(CPACK_PACKAGE_CONTACT "The opcat authors <opcat@example.com>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "toolchain for Kubernetes operator catalogs")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_COMPONENTS_ALL tool development)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_THREADS 0)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION admin)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_TOOL_PACKAGE_NAME opcat)
set(CPACK_DEBIAN_TOOL_PACKAGE_SHLIBDEPS ON)
if(OPCAT_LAZY_LIBRARIES)
    # No tool finds libraries that are loaded when they are first used (lib/base/shared_library.hpp). The last one only draws
    # graphs as svg.
    set(lazy_packages "libarchive13, libcurl4, libevent-core-2.1-7, libevent-extra-2.1-7, libevent-openssl-2.1-7, \
libnghttp2-14, libsqlite3-0, libssl3, zlib1g")
    set(CPACK_DEBIAN_TOOL_PACKAGE_DEPENDS "${lazy_packages}")
    set(CPACK_DEBIAN_TOOL_PACKAGE_SUGGESTS libgvc6)
endif()
# CPack puts the summary before it.
set(CPACK_DEBIAN_TOOL_DESCRIPTION "Renders, checks, draws, compares and resolves catalogs in the file-based
 catalog format, for OLM classic and OLM v1, and installs from them. Also
 serves under the names opm and kubectl-opcat.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libopcat-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "Headers, static libraries and a CMake package of the libraries that opcat
 is made of: reading and checking operator catalogs, upgrade graphs,
 resolution for OLM classic and OLM v1.")
# What a program that links the static libraries needs as well, to build or to run.
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
    "cmake (>= 3.25), pkg-config, libcadical-dev, libfmt-dev, libre2-dev, libtomlplusplus-dev, libyaml-dev, nlohmann-json3-dev")
if(OPCAT_LAZY_LIBRARIES)
    string(APPEND CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS ", ${lazy_packages}")
else()
    string(APPEND CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
           ", libarchive-dev, libcurl4-openssl-dev, libevent-dev, libgraphviz-dev, libnghttp2-dev, libsqlite3-dev, \
libssl-dev, zlib1g-dev")
endif()

set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
set(CPACK_ARCHIVE_TOOL_FILE_NAME opcat-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_ARCHIVE_DEVELOPMENT_FILE_NAME libopcat-dev-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})

include(CPack)
