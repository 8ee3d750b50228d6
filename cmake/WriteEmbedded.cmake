# Writes DIRECTORY/HEADER and the .cpp beside it with the bytes of FILES. See EmbedFiles.cmake.
cmake_path(GET HEADER STEM name)
set(declarations "")
set(definitions "")
foreach(file IN LISTS FILES)
    cmake_path(GET file FILENAME variable)
    string(REGEX REPLACE "[^A-Za-z0-9]" "_" variable ${variable})
    file(READ ${file} hex HEX)
    string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${hex}")
    string(APPEND declarations "extern const std::string_view ${variable};\n")
    string(APPEND definitions "static const char ${variable}_bytes[] = {${bytes}'\\0'};\n"
                              "const std::string_view ${variable}(${variable}_bytes, sizeof ${variable}_bytes - 1);\n")
endforeach()
file(WRITE ${DIRECTORY}/${HEADER}
     "// Made by cmake/WriteEmbedded.cmake.\n#pragma once\n\n#include <string_view>\n\n"
     "namespace opcat::embedded {\n${declarations}}\n")
file(WRITE ${DIRECTORY}/${name}.cpp
     "#include \"${HEADER}\"\n\nnamespace opcat::embedded {\n${definitions}}\n")
