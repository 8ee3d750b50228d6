#include "named_catalogs.hpp"

#include "opcat/base/error.hpp"
#include "references.hpp"
#include "terminal/findings.hpp"
#include "terminal/session.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace opcat {
namespace {

// REF may hold "=" itself, as a path or a digest may.
std::pair<std::string, std::string> name_and_reference(const std::string& text) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0 ||
        text.substr(0, equals).find_first_of("/:@") != std::string::npos)
        return {text, text};
    return {text.substr(0, equals), text.substr(equals + 1)};
}

} // namespace

std::optional<std::vector<query::NamedCatalog>> open_named(const std::vector<std::string>& words,
                                                           const ImageFlags& images, Session& session) {
    std::vector<std::string> references;
    std::vector<std::string> names;
    for (const std::string& word : words) {
        const auto [name, reference] = name_and_reference(word);
        if (std::find(names.begin(), names.end(), name) != names.end())
            throw RequestError(fmt::format("two catalogs are called {}", name),
                               "name them: v4.16=REF v4.20=REF");
        names.push_back(name);
        references.push_back(reference);
    }
    const std::vector<Source> sources =
        open_each(references, opening(images, session, StandardInput::taken), session.pool());
    std::vector<query::NamedCatalog> catalogs;
    bool good = true;
    for (size_t i = 0; i < sources.size(); ++i) {
        good = report_findings(sources[i].loaded().diagnostics, session) && good;
        catalogs.push_back({names[i], sources[i]});
    }
    if (!good) return std::nullopt;
    for (const query::NamedCatalog& one : catalogs)
        warn_of_no_packages(one.source.catalog(), one.name, session);
    return catalogs;
}

} // namespace opcat
