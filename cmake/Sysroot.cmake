# A toolchain file: gcc for the Debian architecture OPCAT_ARCH, with the headers and libraries that scripts/make-sysroot has
# put into build/sysroot, and nothing of this machine's but the compiler.
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES OPCAT_ARCH)
set(triplet_amd64 x86_64-linux-gnu)
set(triplet_arm64 aarch64-linux-gnu)
set(triplet_ppc64el powerpc64le-linux-gnu)
set(triplet_s390x s390x-linux-gnu)
set(triplet ${triplet_${OPCAT_ARCH}})
if(NOT triplet)
    message(FATAL_ERROR "OPCAT_ARCH is amd64, arm64, ppc64el or s390x, not \"${OPCAT_ARCH}\"")
endif()
string(REGEX REPLACE "-.*" "" processor ${triplet})

set(sysroot ${CMAKE_CURRENT_LIST_DIR}/../build/sysroot/${OPCAT_ARCH})
cmake_path(NORMAL_PATH sysroot)
if(NOT EXISTS ${sysroot}/complete)
    message(FATAL_ERROR "${sysroot} is missing: run scripts/make-sysroot ${OPCAT_ARCH}")
endif()
set(CMAKE_SYSROOT ${sysroot})

if(NOT processor STREQUAL CMAKE_HOST_SYSTEM_PROCESSOR)
    set(CMAKE_SYSTEM_NAME Linux)
    set(CMAKE_SYSTEM_PROCESSOR ${processor})
    set(emulated ${processor})
    string(REPLACE powerpc64le ppc64le emulated ${emulated})
    # The same root with Debian's own C library, which its other libraries need.
    set(CMAKE_CROSSCOMPILING_EMULATOR qemu-${emulated}-static -L ${sysroot}-run)
endif()
set(CMAKE_C_COMPILER ${triplet}-gcc)
set(CMAKE_CXX_COMPILER ${triplet}-g++)

# Cross compilers come with a C library of their own, which must not be found.
execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=include OUTPUT_VARIABLE gcc_include OUTPUT_STRIP_TRAILING_WHITESPACE)
set(c_headers "-isystem ${gcc_include} -isystem ${sysroot}/usr/include/${triplet} -isystem ${sysroot}/usr/include")
set(cxx_headers "-isystem ${sysroot}/usr/include/c++/12 -isystem ${sysroot}/usr/include/${triplet}/c++/12 \
-isystem ${sysroot}/usr/include/c++/12/backward")
set(libraries "-B${sysroot}/usr/lib/gcc/${triplet}/12 -B${sysroot}/usr/lib/${triplet}")
set(CMAKE_C_FLAGS_INIT "-nostdinc ${c_headers} ${libraries}")
set(CMAKE_CXX_FLAGS_INIT "-nostdinc -nostdinc++ ${cxx_headers} ${c_headers} ${libraries}")

# Shared libraries are those of a system with a newer C library than the one that programs are linked with.
set(CMAKE_EXE_LINKER_FLAGS_INIT "-static-libstdc++ -static-libgcc -Wl,--allow-shlib-undefined")

set(CMAKE_FIND_ROOT_PATH ${sysroot})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_LIBRARY_ARCHITECTURE ${triplet})
set(ENV{PKG_CONFIG_LIBDIR} ${sysroot}/usr/lib/${triplet}/pkgconfig:${sysroot}/usr/share/pkgconfig)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${sysroot})
