#include "opcat/workspace/template_set.hpp"

#include "opcat/template/template.hpp"

#include <fmt/core.h>

#include <utility>

namespace opcat {

namespace {

// Rendering takes the file.
std::unique_ptr<SourceFile> copy_of(const SourceFile& file) {
    return std::make_unique<SourceFile>(file.path(), file.bytes());
}

} // namespace

void TemplateSet::add(const std::string& path, std::unique_ptr<SourceFile> file,
                      std::optional<TemplateKind> kind) {
    // Without bundles only their names become known; what is wrong is reported when it is rendered.
    const auto note_names = [&](std::span<const std::string> names) {
        try {
            require_own_bundles(names, path, bundle_directories_, options_.manner);
        } catch (const RequestError& error) {
            throw RequestError(fmt::format("{} (the template {} names it)", error.what(), path),
                               error.hint());
        }
        for (const std::string& name : names)
            if (bundles_.emplace(name, std::nullopt).second) wanted_.push_back(name);
        return std::optional<std::vector<LoadedCatalog>>();
    };
    render_template(copy_of(*file), kind, note_names, pool_);
    templates_.insert_or_assign(path, Template{std::move(file), kind});
}

void TemplateSet::open_bundles() {
    std::vector<Source> opened = open_each(wanted_, options_, pool_);
    for (size_t i = 0; i < wanted_.size(); ++i) bundles_.at(wanted_[i]) = std::move(opened[i]);
    wanted_.clear();
}

LoadedCatalog TemplateSet::render(const std::string& path) const {
    const Template& one = templates_.at(path);
    const auto load = [&](std::span<const std::string> names) {
        std::vector<LoadedCatalog> all;
        for (const std::string& name : names) all.push_back(Source(*bundles_.at(name)).take());
        return std::optional(std::move(all));
    };
    return render_template(copy_of(*one.file), one.kind, load, pool_);
}

} // namespace opcat
