// Keeps commands from writing over what they read.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace opcat {

// A file or directory that a flag names; without a path the flag is not given.
struct OutputPath {
    std::string_view flag;
    std::string path;
    bool may_be_inside =
        false; // of a directory that is read, as reports are: `validate . --report sarif=out`
};

// Throws RequestError if two outputs are one file, if one of them is an input or any file with blobs of a
// catalog, or if it lies in an input that is a directory: it would become a part of the catalog, unless
// .indexignore leaves it out. Inputs are references, of which only paths count. Pipes, devices and standard
// output may be named freely.
void require_apart(const std::vector<OutputPath>& outputs, const std::vector<std::string>& inputs);

// Throws RequestError if there is something else at the path, or for a file no directory above it: before a
// long run, and so that a dry run says it, too. Nothing is said about an empty path.
enum class PlaceFor : uint8_t { file, directory };
void require_place(std::string_view flag, const std::string& path, PlaceFor what);

// Throws RequestError if there is a file that is not empty and not `what` ("a baseline"), as `is_one` says of
// its bytes: its path is a mistake.
void require_kind(const std::string& path, std::string_view what,
                  const std::function<bool(std::string_view)>& is_one);

} // namespace opcat
