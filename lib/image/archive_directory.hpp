// A tar archive, unpacked for as long as it is used.
#pragma once

#include "image/options.hpp"
#include "support/file.hpp"

#include <filesystem>

namespace opcat::image {

class ArchiveDirectory {
public:
    // Unpacks all of `file` below Options::temporary, up to Options::max_unpacked_size. Throws Error.
    ArchiveDirectory(const std::filesystem::path& file, const Options& options);

    std::filesystem::path root() const { return directory_.path() / "root"; }

private:
    TemporaryDirectory directory_;
};

} // namespace opcat::image
