# Static libraries that have no CMake package, as targets: for the project itself, and for programs that use what it installs.
find_library(CADICAL_LIBRARY cadical REQUIRED)
find_library(RE2_LIBRARY libre2.a REQUIRED)
foreach(name CADICAL RE2)
    if(NOT TARGET opcat_found::${name})
        add_library(opcat_found::${name} UNKNOWN IMPORTED GLOBAL)
        set_target_properties(opcat_found::${name} PROPERTIES IMPORTED_LOCATION ${${name}_LIBRARY})
    endif()
endforeach()
