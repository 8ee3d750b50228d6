#include "image/certificates.hpp"

#include "support/error.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace opcat::image {
namespace fs = std::filesystem;
namespace {

void add_directory(const fs::path& directory, Certificates& certificates) {
    std::error_code unreadable; // like one that is not there
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(directory, unreadable)) files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    for (const fs::path& file : files) {
        if (file.extension() == ".crt") certificates.authorities.push_back(file);
        if (file.extension() != ".cert") continue;
        fs::path key = file;
        key.replace_extension(".key");
        if (!fs::exists(key))
            throw Error(fmt::format("the key of the client certificate {} is missing: there is no {}",
                                    file.string(), key.string()));
        if (!certificates.client) certificates.client = {file, key};
    }
}

} // namespace

Certificates find_certificates(const Options& options, const std::string& host) {
    Certificates certificates;
    if (options.cert_directory) add_directory(*options.cert_directory, certificates);
    for (const fs::path& parent : options.host_cert_directories) add_directory(parent / host, certificates);
    return certificates;
}

} // namespace opcat::image
