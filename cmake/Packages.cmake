# Packages of Debian and of RHEL and their like, and archives: `cpack --config build/release/CPackConfig.cmake -G DEB`,
# `-G RPM`, `-G TGZ`.
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
if(OPCAT_STATIC_LIBYAML)
    # The C library is all that is linked, that of scripts/make-sysroot: of Debian 11, or of Debian 12 where that has no such
    # architecture any more.
    if(OPCAT_HAS_ARC4RANDOM)
        set(c_library_package "libc6 (>= 2.36), ")
    else()
        set(c_library_package "libc6 (>= 2.31), ")
    endif()
    set(CPACK_DEBIAN_TOOL_PACKAGE_SHLIBDEPS OFF)
    set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE ${OPCAT_ARCH})
else()
    set(CPACK_DEBIAN_TOOL_PACKAGE_SHLIBDEPS ON)
endif()
if(OPCAT_LAZY_LIBRARIES)
    # No tool finds libraries that are loaded when they are first used (lib/base/shared_library.hpp). Suggested are the one
    # that draws graphs as svg, and the program that checks OpenPGP signatures.
    set(lazy_packages "libarchive13, libcurl4, libevent-core-2.1-7, libevent-openssl-2.1-7, \
libnghttp2-14, libsqlite3-0, libssl3, zlib1g")
    set(CPACK_DEBIAN_TOOL_PACKAGE_DEPENDS "${c_library_package}${lazy_packages}")
    set(CPACK_DEBIAN_TOOL_PACKAGE_SUGGESTS "libgvc6, gpgv")
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

set(CPACK_RPM_COMPONENT_INSTALL ON)
set(CPACK_RPM_FILE_NAME RPM-DEFAULT)
set(CPACK_RPM_PACKAGE_ARCHITECTURE ${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_RPM_PACKAGE_LICENSE Apache-2.0)
set(CPACK_RPM_PACKAGE_RELOCATABLE OFF)
set(CPACK_RPM_PACKAGE_GROUP Applications/System)
set(CPACK_RPM_TOOL_PACKAGE_NAME opcat)
set(CPACK_RPM_TOOL_PACKAGE_SUMMARY "Toolchain for Kubernetes operator catalogs")
set(CPACK_RPM_TOOL_PACKAGE_DESCRIPTION "Renders, checks, draws, compares and resolves catalogs in the file-based
catalog format, for OLM classic and OLM v1, and installs from them. Also
serves under the names opm and kubectl-opcat.")
# CPack has stripped the program, and rpm's own steps are for programs of this machine. Nothing reads the clock.
set(CPACK_RPM_SPEC_MORE_DEFINE "%define __os_install_post %{nil}
%define _build_id_links none
%define _buildhost localhost
%define use_source_date_epoch_as_buildtime 1
%define clamp_mtime_to_source_date_epoch 1
%define source_date_epoch_from_changelog 0")
set(CPACK_RPM_CHANGELOG_FILE ${PROJECT_SOURCE_DIR}/packaging/changelog.rpm)
set(CPACK_RPM_DEVELOPMENT_PACKAGE_NAME opcat-devel)
# Directories of the system and of other packages are not ours.
set(CPACK_RPM_EXCLUDE_FROM_AUTO_FILELIST_ADDITION /usr/share/man /usr/share/man/man1 /usr/share/man/man7
    /usr/share/bash-completion /usr/share/bash-completion/completions /usr/share/zsh /usr/share/zsh/site-functions /usr/share/zsh/vendor-completions
    /usr/share/fish /usr/share/fish/vendor_completions.d /usr/share/licenses)
if(OPCAT_LAZY_LIBRARIES)
    # By file: the packages have other names on each system.
    set(CPACK_RPM_TOOL_PACKAGE_REQUIRES "libarchive.so.13()(64bit), libcurl.so.4()(64bit), libcrypto.so.3()(64bit), \
libssl.so.3()(64bit), libevent_core-2.1.so.7()(64bit), \
libevent_openssl-2.1.so.7()(64bit), libnghttp2.so.14()(64bit), libsqlite3.so.0()(64bit), libz.so.1()(64bit)")
endif()

set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
set(CPACK_OPCAT_SYSTEM ${OPCAT_GO_OS}-${OPCAT_GO_ARCH})
set(CPACK_ARCHIVE_TOOL_FILE_NAME opcat-${PROJECT_VERSION}-${OPCAT_GO_OS}-${OPCAT_GO_ARCH})
set(CPACK_ARCHIVE_DEVELOPMENT_FILE_NAME libopcat-dev-${PROJECT_VERSION}-${OPCAT_GO_OS}-${OPCAT_GO_ARCH})
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_SOURCE_DIR}/cmake/PackageKind.cmake)

include(CPack)
