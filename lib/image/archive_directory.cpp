#include "image/archive_directory.hpp"

#include "image/unpack.hpp"
#include "support/error.hpp"

namespace opcat::image {

ArchiveDirectory::ArchiveDirectory(const std::filesystem::path& file, const Options& options)
    : directory_(options.temporary) {
    std::error_code absent;
    if (!std::filesystem::exists(file, absent)) throw Error("there is no such file");
    if (!std::filesystem::is_regular_file(file, absent)) throw Error("it is no file");
    unpack({{file, "the archive"}}, {""}, options.max_unpacked_size, directory_.path());
}

} // namespace opcat::image
