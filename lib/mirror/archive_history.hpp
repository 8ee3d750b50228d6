// Which blobs the archives of one name have carried: PREFIX-history.json on the side that fills them. The
// other side need not answer.
#pragma once

#include "opcat/mirror/archive_format.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace opcat {

struct WrittenArchive;

struct CarriedBlobs {
    BlobPlaces blobs;
    std::vector<std::string> archives; // that carried them
};

// Those of all archives until then; `since` is "last", or a day or a time (RFC 3339) that is excluded. Throws
// RequestError for another text, and if no archive is recorded; Error for a file that is not a history.
CarriedBlobs carried_since(const std::filesystem::path& prefix, const std::string& since);

// Adds an archive that has just been written. Throws Error.
void remember_archive(const std::filesystem::path& prefix, const WrittenArchive& archive);

} // namespace opcat
