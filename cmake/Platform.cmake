# The system that is compiled for, in the words of Go, which images, krew and the names of archives use.
string(TOLOWER ${CMAKE_SYSTEM_NAME} OPCAT_GO_OS)
set(arch_x86_64 amd64)
set(arch_aarch64 arm64)
if(DEFINED arch_${CMAKE_SYSTEM_PROCESSOR})
    set(OPCAT_GO_ARCH ${arch_${CMAKE_SYSTEM_PROCESSOR}})
else()
    set(OPCAT_GO_ARCH ${CMAKE_SYSTEM_PROCESSOR}) # ppc64le, s390x; arm64 on macOS
endif()

# Sizes of files, counts of instances and offsets in documents are 64 bits wide, and some of them live in memory.
if(CMAKE_SIZEOF_VOID_P LESS 8)
    message(FATAL_ERROR "opcat needs a 64-bit system, and this compiler makes programs with pointers of ${CMAKE_SIZEOF_VOID_P} bytes")
endif()
