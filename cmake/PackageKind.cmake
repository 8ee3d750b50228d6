# Read by CPack for each kind of package: archives are unpacked anywhere, into one directory; packages below /usr.
if(CPACK_GENERATOR STREQUAL TGZ)
    set(CPACK_PACKAGING_INSTALL_PREFIX /)
    set(CPACK_COMPONENT_INCLUDE_TOPLEVEL_DIRECTORY ON)
    set(CPACK_PACKAGE_FILE_NAME opcat-${CPACK_PACKAGE_VERSION}-${CPACK_OPCAT_SYSTEM})
endif()
