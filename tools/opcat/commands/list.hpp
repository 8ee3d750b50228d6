// The parts of `opcat list`.
#pragma once

#include "catalog_options.hpp"
#include "form.hpp"
#include "olm_release_flags.hpp"
#include "opcat/base/text.hpp"
#include "opcat/graph/contents.hpp"
#include "opcat/graph/graph_view.hpp"
#include "references.hpp"
#include "selection_flags.hpp"

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace opcat {

class Session;

struct ListOptions {
    std::string reference;
    std::vector<std::string> references; // of packages: several catalogs, as REF or NAME=REF
    std::string package;
    std::string channel;
    Form format = Form::table;
    BundleOrder order = BundleOrder::version;
    ImageFlags images;
    TemplateUse templates{.bundle_directories = {}, .needs_channels = true};
    SelectionFlags selection;               // of images
    bool sizes = false;                     // of images
    std::string where;                      // of packages, channels and bundles: an expression of SQL
    std::optional<OlmGeneration> ready_for; // of packages
    std::string at;                         // of lifecycles: a day; empty: today
    OlmReleaseFlags olm;
};

// What --where selects, as pairs of package and name; nothing: everything.
using Selected = std::optional<std::set<std::pair<std::string, std::string>>>;
inline bool is_selected(const Selected& selected, std::string_view package, std::string_view name) {
    return !selected || selected->contains({std::string(package), std::string(name)});
}

// In a table, text of a catalog is on one line and cannot control the terminal.
inline std::string cell(std::string_view text) {
    return escape_controls(text);
}

// Whether OLM v1 installs what it would choose of each package.
void print_readiness(const UpgradeGraph& graph, const ListOptions& options, const Selected& selected,
                     Session& session);
// Images with what pulling them takes, as the registries say, and the sums of packages.
void print_sizes(const std::vector<ImageRow>& rows, const ListOptions& options, Session& session);
// Packages by catalogs, with the heads of their default channels.
void print_across(const ListOptions& options, Session& session);

} // namespace opcat
