// Whole catalogs: loaded, checked (with the comments that suppress findings), shown and written; the written
// catalog is loaded and written again. A NUL begins another file.
#include "fuzzing.hpp"
#include "opcat/base/error.hpp"
#include "opcat/catalog/load.hpp"
#include "opcat/catalog/write.hpp"
#include "opcat/lint/lint.hpp"
#include "opcat/lint/rules.hpp"
#include "opcat/lint/schemas.hpp"

#include <algorithm>
#include <optional>
#include <string>

using namespace opcat;

namespace {

LoadedCatalog load(std::string_view text, ThreadPool& pool) {
    std::vector<std::unique_ptr<SourceFile>> files;
    while (true) {
        const size_t end = std::min(text.find('\0'), text.size());
        files.push_back(
            std::make_unique<SourceFile>("f" + std::to_string(files.size()), text.substr(0, end)));
        if (end == text.size()) break;
        text.remove_prefix(end + 1);
    }
    return load_catalog(std::move(files), pool);
}

void show(const Diagnostics& findings) {
    for (const Diagnostic& finding : findings) {
        fuzz::require(find_rule(finding.rule) != nullptr, "the rule of a finding is in the table");
        const bool of_whole_catalog = finding.rule == "empty-catalog" || finding.rule == "several-catalogs";
        fuzz::require(finding.where || of_whole_catalog, "a finding has a place");
        to_text(finding, {.colour = false, .width = 80});
    }
}

std::optional<std::string> write(const Catalog& catalog, Format format, ThreadPool& pool) {
    try {
        std::string text;
        write_catalog(catalog, format, pool,
                      [&](std::string_view, std::string_view piece) { text += piece; });
        return text;
    } catch (const Error&) {
        return std::nullopt; // a string that YAML cannot have
    }
}

} // namespace

FUZZ_TARGET(catalog) {
    static ThreadPool pool(1);
    static const Schemas schemas;
    const LoadedCatalog loaded = load(input, pool);
    show(loaded.diagnostics);
    show(lint({{Source("catalog", loaded), nullptr, &schemas}}, {}, pool).findings);
    if (!loaded.diagnostics.empty()) return;
    for (const Format format : {Format::json, Format::yaml}) {
        const auto once = write(loaded.catalog, format, pool);
        if (!once || once->find('\0') != once->npos || once->find("\xc2\x85") != once->npos) continue;
        const LoadedCatalog again = load(*once, pool);
        if (!again.diagnostics.empty() && again.diagnostics[0].rule == "limit") continue;
        fuzz::require(again.diagnostics.empty(), "what is written can be loaded");
        fuzz::require(write(again.catalog, format, pool) == once, "written again it is the same");
    }
}
