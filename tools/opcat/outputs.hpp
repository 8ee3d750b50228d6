// Keeps commands from writing over what they read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace opcat {

// Returns true for a file of the kind that an output replaces: by its path, and by the first bytes of it.
using IsOwn = std::function<bool(const std::filesystem::path& path, std::string_view beginning)>;

// Text without a form of its own: a message, a list, findings for people. Not scripts, structured files and
// binary ones.
bool is_plain_text(const std::filesystem::path& path, std::string_view beginning);
// Lines SOURCE=TARGET.
bool is_mapping(const std::filesystem::path& path, std::string_view beginning);
// What has this text near its beginning, as documents of opcat have the name of their schema.
IsOwn that_has(std::string mark);

// A file or directory that a flag names; without a path the flag is not given.
struct OutputPath {
    std::string_view flag;
    std::string path;
    IsOwn is_own = {}; // what it may replace; nothing: that is checked elsewhere, or it is a directory
};

// Throws RequestError if two outputs are one file; if one of them is an input, any file with blobs of a
// catalog, a program, a file of git's or of another kind than what is written; or if it lies in an input that
// is a directory: it would become a part of the catalog, unless .indexignore leaves it out. Inputs are
// references, of which only paths count. Pipes, devices and standard output may be named freely, and so may
// empty files.
void require_apart(const std::vector<OutputPath>& outputs, const std::vector<std::string>& inputs);

// Throws RequestError if there is a file that has no blobs, and is not empty: a catalog is not what it is
// there for. A damaged one passes if it mentions schemas of OLM.
void require_catalog_file(const std::filesystem::path& path);

// Throws RequestError if there is something else at the path, or for a file no directory above it: before a
// long run, and so that a dry run says it, too. Nothing is said about an empty path.
enum class PlaceFor : uint8_t { file, directory };
void require_place(std::string_view flag, const std::string& path, PlaceFor what);

// Throws RequestError if there is a file that is not empty and not `what` ("a baseline"), as `is_one` says of
// its bytes: its path is a mistake.
void require_kind(const std::string& path, std::string_view what,
                  const std::function<bool(std::string_view)>& is_one);

} // namespace opcat
