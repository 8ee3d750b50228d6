#include "bundle/document_file.hpp"

#include "base/error.hpp"
#include "base/file.hpp"
#include "catalog/finding.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace opcat {
namespace {

namespace fs = std::filesystem;

// As the nodes of a bundle's folder have no business being larger.
constexpr uint64_t max_file_size = uint64_t{64} << 20;
constexpr size_t max_files = 10'000;

void read_first_document(DocumentFile& result, Arena& arena) {
    const SourceFile& file = *result.file;
    Diagnostics problems;
    const std::vector<DocumentRange> documents = split_into_documents(file, problems);
    if (documents.empty() || (!problems.empty() && problems.front().where.offset <= documents.front().end)) {
        if (!problems.empty())
            result.problem = problems.front();
        else
            result.problem = warning("bundle-file", {&file, 0, 0}, "the file is empty");
        return;
    }
    result.notation = documents.front().notation;
    result.value = read_document(file, documents.front(), arena, result.problem);
    Arena scratch;
    Diagnostic ignored;
    for (size_t i = 1; i < documents.size() && !result.has_more; ++i) {
        const auto next = read_document(file, documents[i], scratch, ignored);
        result.has_more = next && !next->is_null();
    }
}

} // namespace

std::vector<DocumentFile> read_folder(const fs::path& folder, const fs::path& shown, bool hidden_ones,
                                      Arena& arena) {
    std::error_code failure;
    std::vector<std::string> names;
    for (fs::directory_iterator at(folder, failure), end; !failure && at != end; at.increment(failure)) {
        const std::string name = at->path().filename().string();
        if (at->symlink_status().type() != fs::file_type::directory &&
            (hidden_ones || !name.starts_with('.')))
            names.push_back(name);
    }
    if (failure)
        throw Error(fmt::format("cannot read {}: {}", shown.string(), system_message(failure.value())));
    if (names.size() > max_files)
        throw Error(fmt::format("cannot read {}: it has {} files, more than the limit of {}", shown.string(),
                                names.size(), max_files));
    std::sort(names.begin(), names.end());

    std::vector<DocumentFile> files;
    for (const std::string& name : names) {
        DocumentFile file{.file = nullptr, .name = name, .value = {}, .problem = {}};
        try {
            file.file = read_file(folder / name, (shown / name).string(), max_file_size);
            read_first_document(file, arena);
        } catch (const Error& failed) {
            file.problem = warning("bundle-file", {}, failed.what());
        }
        files.push_back(std::move(file));
    }
    return files;
}

} // namespace opcat
