#include "opcat/policy/operator_repo.hpp"

#include "opcat/base/below.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/go_quote.hpp"
#include "opcat/policy/python_yaml.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <system_error>

namespace opcat::policy {
namespace {

constexpr uint64_t largest_file = uint64_t{1} << 30;

constexpr std::array<std::string_view, 3> catalog_names{"catalog.json", "catalog.yaml", "catalog.yml"};

PythonError invalid_bundle(const std::string& message) {
    return {"operatorcert.operator_repo.exceptions.InvalidBundleException", message};
}

// One component of a path: names come from flags, too.
bool is_name(std::string_view name) {
    return !name.empty() && name != "." && name != ".." && name.find('/') == std::string_view::npos &&
           name.find('\0') == std::string_view::npos;
}

// The name of the file of an operator's catalog; empty if there is none.
std::string catalog_file(const Repository& repository, const std::string& path) {
    if (!repository.is_directory(path)) return {};
    for (const std::string& name : repository.names_in(path))
        if (std::find(catalog_names.begin(), catalog_names.end(), name) != catalog_names.end()) return name;
    return {};
}

template <class Bundles, class Name>
NameCounts counted_names(const Bundles& bundles, const Name& name) {
    NameCounts counts;
    for (const OperatorBundle& bundle : bundles) {
        try {
            ++counts[name(bundle)];
        } catch (const PythonError&) {
        }
    }
    return counts;
}

} // namespace

// ---- files

YamlFile::YamlFile(const Repository& repository, std::string path)
    : repository_(&repository), path_(std::move(path)) {
    if (repository.is_file(path_)) {
        found_ = path_;
        return;
    }
    const std::filesystem::path named(path_);
    for (const char* const suffix : {".yaml", ".yml"}) {
        const std::string other = std::filesystem::path(named).replace_extension(suffix).string();
        if (other != path_ && found_.empty() && repository.is_file(other)) found_ = other;
    }
}

Location YamlFile::start() const {
    return exists() ? Location{&read(), 0, 0} : Location{};
}

const SourceFile& YamlFile::read() const {
    if (!exists()) throw PythonError("FileNotFoundError", "Can't find yaml file. Tried: " + path_);
    if (!file_) file_ = &repository_->read(found_);
    return *file_;
}

const PythonValue& YamlFile::value() const {
    if (error_) throw PythonError(*error_);
    try {
        if (!value_) value_ = load_python_yaml(read(), found_);
    } catch (const PythonError& error) {
        error_ = error;
        throw;
    }
    return *value_;
}

const std::vector<PythonValue>& YamlFile::documents() const {
    if (error_) throw PythonError(*error_);
    try {
        if (!documents_) documents_ = load_python_documents(read(), found_);
    } catch (const PythonError& error) {
        error_ = error;
        throw;
    }
    return *documents_;
}

// ---- bundles

OperatorBundle::OperatorBundle(const Operator& owner, std::string directory)
    : owner_(&owner), directory_(std::move(directory)),
      path_(fmt::format("operators/{}/{}", owner.name(), directory_)),
      name_(owner.repository().resolved_name(path_)),
      annotations_(owner.repository(), path_ + "/metadata/annotations.yaml"),
      release_config_(owner.repository(), path_ + "/release-config.yaml") {}

std::string OperatorBundle::text() const {
    return fmt::format("Bundle({}/{})", owner_->name(), name_);
}

const YamlFile& OperatorBundle::csv_file() const {
    if (csv_) return *csv_;
    const Repository& repository = owner_->repository();
    for (const std::string_view suffix : {".clusterserviceversion.yaml", ".clusterserviceversion.yml"})
        for (const std::string& name : repository.names_in(path_ + "/manifests"))
            if (name.ends_with(suffix)) {
                csv_ = std::make_unique<YamlFile>(repository, path_ + "/manifests/" + name);
                return *csv_;
            }
    throw invalid_bundle(fmt::format("CSV file for {}/{} not found", owner_->name(), name_));
}

const PythonValue& OperatorBundle::csv() const {
    const YamlFile& file = csv_file();
    const PythonValue& csv = file.value();
    if (!csv.dict()) throw invalid_bundle(fmt::format("Invalid CSV contents ({})", file.path()));
    return csv;
}

PythonValue OperatorBundle::annotations() const {
    if (!annotations_.exists()) return empty_dict();
    const PythonValue& content = annotations_.value();
    if (content.is_none()) return empty_dict();
    if (!content.dict()) throw invalid_bundle("Invalid annotations.yaml contents");
    const PythonValue annotations = content.get("annotations", empty_dict());
    return annotations.is_true() ? annotations : empty_dict();
}

PythonValue OperatorBundle::release_config() const {
    // Only this name is looked for.
    if (!owner_->repository().is_file(path_ + "/release-config.yaml")) return {};
    return release_config_.value();
}

std::vector<YamlFile>& OperatorBundle::manifests() const {
    if (manifests_) return *manifests_;
    manifests_.emplace();
    const Repository& repository = owner_->repository();
    for (const std::string_view suffix : {".yaml", ".yml"})
        for (const std::string& name : repository.names_in(path_ + "/manifests"))
            if (name.ends_with(suffix)) manifests_->emplace_back(repository, path_ + "/manifests/" + name);
    return *manifests_;
}

std::string OperatorBundle::package() const {
    return annotations().get(package_annotation, PythonValue::of("")).str();
}

const std::pair<std::string, std::string>& OperatorBundle::full_name() const {
    return full_name_.get([&]() -> std::pair<std::string, std::string> {
        const auto invalid = [&] {
            return invalid_bundle(fmt::format("CSV for {} has invalid .metadata.name", text()));
        };
        const PythonValue* metadata = nullptr;
        try {
            metadata = csv().find("metadata");
        } catch (const PythonError& error) {
            if (error.is_value_error()) throw invalid();
            throw;
        }
        if (!metadata || (metadata->dict() && !metadata->find("name"))) throw invalid();
        const PythonValue name = metadata->item("name");
        const std::string& full = name.text_for("split");
        const size_t dot = full.find('.');
        if (dot == std::string::npos) throw invalid();
        const size_t version = full.find_first_not_of('v', dot + 1);
        return {full.substr(0, dot), version == std::string::npos ? "" : full.substr(version)};
    });
}

const std::string& OperatorBundle::csv_name() const {
    return full_name().first;
}

const std::string& OperatorBundle::csv_version() const {
    return full_name().second;
}

const PythonVersion& OperatorBundle::semantic() const {
    return semantic_.get([&] { return semantic_version(csv_version()); });
}

const std::set<std::string>& OperatorBundle::channels() const {
    return channels_.get([&]() -> std::set<std::string> {
        constexpr std::string_view key = "operators.operatorframework.io.bundle.channels.v1";
        const PythonValue all = annotations();
        if (all.dict() && !all.find(key)) return {};
        const PythonValue named = all.item(key);
        std::set<std::string> channels;
        std::string_view rest = named.text_for("split");
        while (true) {
            const size_t comma = rest.find(',');
            channels.emplace(python_strip(rest.substr(0, comma)));
            if (comma == std::string_view::npos) return channels;
            rest.remove_prefix(comma + 1);
        }
    });
}

std::optional<std::string> OperatorBundle::default_channel() const {
    constexpr std::string_view key = "operators.operatorframework.io.bundle.channel.default.v1";
    const PythonValue all = annotations();
    if (all.dict() && !all.find(key)) return std::nullopt;
    return std::string(python_strip(all.item(key).str()));
}

const PythonVersion* OperatorBundle::semantic_if_valid() const {
    try {
        return &semantic();
    } catch (const PythonError&) {
        return nullptr;
    }
}

bool OperatorBundle::is_before(const OperatorBundle& other) const {
    if (csv_name() != other.csv_name()) return csv_name() < other.csv_name();
    const PythonVersion* const version = semantic_if_valid();
    const PythonVersion* const other_version = other.semantic_if_valid();
    return version && other_version ? version->before(*other_version) : csv_version() < other.csv_version();
}

bool OperatorBundle::is_like(const OperatorBundle& other) const {
    if (csv_name() != other.csv_name()) return false;
    const PythonVersion* const version = semantic_if_valid();
    const PythonVersion* const other_version = other.semantic_if_valid();
    return version && other_version ? *version == *other_version : csv_version() == other.csv_version();
}

// ---- operators and catalogs

Operator::Operator(const Repository& repository, std::string name)
    : repository_(&repository), name_(std::move(name)),
      config_(repository, "operators/" + name_ + "/ci.yaml") {
    const std::string path = "operators/" + name_;
    for (const std::string& directory : repository.names_in(path)) {
        const std::string folder = path + "/" + directory;
        const bool has_manifests = repository.is_directory(folder + "/manifests");
        const bool has_metadata = repository.is_directory(folder + "/metadata");
        if (has_manifests && has_metadata)
            bundles_.emplace_back(*this, directory);
        else if (has_manifests || has_metadata)
            half_bundles_.push_back(folder);
    }
}

PythonValue Operator::config() const {
    return config_.exists() ? config_.value() : empty_dict();
}

bool Operator::uses_catalogs() const {
    return config().get("fbc", empty_dict()).get("enabled").is_true();
}

const OperatorBundle* Operator::bundle(std::string_view directory) const {
    for (const OperatorBundle& bundle : bundles_)
        if (bundle.directory() == directory) return &bundle;
    return nullptr;
}

const BundlesByVersion& Operator::by_version() const {
    return by_version_.get([&] {
        BundlesByVersion versions;
        for (const OperatorBundle& bundle : bundles_) versions[bundle.csv_version()] = &bundle;
        return versions;
    });
}

const NameCounts& Operator::packages() const {
    return packages_.get(
        [&] { return counted_names(bundles_, [](const auto& bundle) { return bundle.package(); }); });
}

const NameCounts& Operator::csv_names() const {
    return csv_names_.get(
        [&] { return counted_names(bundles_, [](const auto& bundle) { return bundle.csv_name(); }); });
}

OperatorCatalog::OperatorCatalog(const Repository& repository, std::string catalog, std::string name)
    : catalog_(std::move(catalog)), operator_(std::move(name)),
      file_(repository,
            fmt::format("catalogs/{0}/{1}/{2}", catalog_, operator_,
                        catalog_file(repository, fmt::format("catalogs/{}/{}", catalog_, operator_)))) {}

// ---- the repository

Repository::Repository(std::filesystem::path root) : root_(std::move(root)) {
    std::error_code failed;
    canonical_root_ = std::filesystem::canonical(root_, failed);
    if (failed)
        throw Error(fmt::format("cannot read {}: {}", root_.string(), system_message(failed.value())));
    config_ = std::make_unique<YamlFile>(*this, "config.yaml");
}

PythonValue Repository::config() const {
    return config_->exists() ? config_->value() : empty_dict();
}

const Operator* Repository::find_operator(const std::string& name) const {
    if (!is_name(name)) return nullptr;
    const auto [known, is_new] = operators_.try_emplace(name);
    const std::string path = "operators/" + name;
    if (is_new && is_directory(path)) {
        auto found = std::make_unique<Operator>(*this, name);
        if (!found->bundles().empty() || is_file(path + "/ci.yaml")) known->second = std::move(found);
    }
    return known->second.get();
}

const OperatorCatalog* Repository::find_catalog(const std::string& catalog, const std::string& name) const {
    if (!is_name(catalog) || !is_name(name)) return nullptr;
    const auto [known, is_new] = catalogs_.try_emplace({catalog, name});
    if (is_new && !catalog_file(*this, fmt::format("catalogs/{}/{}", catalog, name)).empty())
        known->second = std::make_unique<OperatorCatalog>(*this, catalog, name);
    return known->second.get();
}

bool Repository::has_catalog(const std::string& catalog) const {
    if (!is_name(catalog) || !is_directory("catalogs/" + catalog)) return false;
    const std::vector<std::string> names = names_in("catalogs/" + catalog);
    return std::any_of(names.begin(), names.end(),
                       [&](const std::string& name) { return find_catalog(catalog, name) != nullptr; });
}

void Repository::require_content() const {
    if (!is_directory("operators") && !is_directory("catalogs"))
        throw RequestError(
            fmt::format("{} is not a repository of operators: it has neither operators/ nor catalogs/",
                        go_quote(root_.string())),
            "name the top of a repository such as community-operators");
}

std::vector<std::string> Repository::operators() const {
    return is_directory("operators") ? names_in("operators") : std::vector<std::string>();
}

std::vector<std::string> Repository::catalogs() const {
    std::vector<std::string> all =
        is_directory("catalogs") ? names_in("catalogs") : std::vector<std::string>();
    std::erase_if(all, [&](const std::string& name) { return !has_catalog(name); });
    return all;
}

std::vector<std::string> Repository::catalog_operators() const {
    std::vector<std::string> all;
    for (const std::string& catalog : catalogs())
        for (const std::string& name : names_in("catalogs/" + catalog))
            if (find_catalog(catalog, name)) all.push_back(catalog + "/" + name);
    return all;
}

std::filesystem::path Repository::inside(const std::string& path) const {
    std::error_code failed;
    std::filesystem::path full = root_ / path;
    const std::filesystem::path real = std::filesystem::canonical(full, failed);
    if (failed) return {};
    if (!is_below(real, canonical_root_))
        throw Error(fmt::format("cannot read {}: it leads out of the repository", full.string()),
                    "replace the symbolic link by what it leads to");
    return full;
}

bool Repository::is_file(const std::string& path) const {
    std::error_code failed;
    const std::filesystem::path full = inside(path);
    return !full.empty() && std::filesystem::is_regular_file(full, failed);
}

bool Repository::is_directory(const std::string& path) const {
    std::error_code failed;
    const std::filesystem::path full = inside(path);
    return !full.empty() && std::filesystem::is_directory(full, failed);
}

std::string Repository::resolved_name(const std::string& path) const {
    return std::filesystem::canonical(inside(path)).filename().string();
}

std::vector<std::string> Repository::names_in(const std::string& directory) const {
    std::vector<std::string> names;
    std::error_code failed;
    for (std::filesystem::directory_iterator entry(root_ / directory, failed), end; !failed && entry != end;
         entry.increment(failed))
        names.push_back(entry->path().filename().string());
    if (failed)
        throw Error(
            fmt::format("cannot read {}: {}", (root_ / directory).string(), system_message(failed.value())));
    std::sort(names.begin(), names.end());
    return names;
}

const SourceFile& Repository::read(const std::string& path) const {
    const std::filesystem::path full = inside(path);
    return *files_.emplace_back(read_file(full, full.string(), largest_file));
}

} // namespace opcat::policy
