// A repository of operators as operatorcert reads it (operator_repo/core.py): operators/NAME/VERSION are
// bundles, catalogs/NAME/OPERATOR are file-based catalogs. Nothing is read before it is asked for, and a file
// that Python cannot read throws only then.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/policy/once.hpp"
#include "opcat/policy/python_value.hpp"
#include "opcat/policy/python_versions.hpp"

#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace opcat::policy {

class Repository;

constexpr std::string_view package_annotation = "operators.operatorframework.io.bundle.package.v1";
constexpr std::string_view openshift_annotation = "com.redhat.openshift.versions";

// A file of YAML that is read at most once.
class YamlFile {
public:
    // `path` is relative to the repository. If there is no such file, .yaml and .yml stand for each other.
    YamlFile(const Repository& repository, std::string path);

    const Repository& repository() const { return *repository_; }
    bool exists() const { return !found_.empty(); }
    // Relative to the repository, as it was found or was looked for.
    const std::string& path() const { return found_.empty() ? path_ : found_; }
    // Throws PythonError; of a missing file, too.
    const PythonValue& value() const;
    const std::vector<PythonValue>& documents() const;
    // A place in it: nowhere if it was not read.
    Location at(uint32_t offset) const { return {file_, offset, file_ ? 1U : 0U}; }
    Location start() const;

private:
    const SourceFile& read() const;

    const Repository* repository_;
    std::string path_;
    std::string found_;
    mutable const SourceFile* file_ = nullptr;
    mutable std::optional<PythonValue> value_;
    mutable std::optional<std::vector<PythonValue>> documents_;
    mutable std::optional<PythonError> error_;
};

class Operator;

class OperatorBundle {
public:
    OperatorBundle(const Operator& owner, std::string directory);

    const Operator& owner() const { return *owner_; }
    const std::string& directory() const { return directory_; } // its name
    // The name of the directory that a link leads to, which is what the pipelines call the bundle.
    const std::string& name() const { return name_; }
    const std::string& path() const { return path_; }
    std::string text() const; // "Bundle(operator/name)"

    // All throw PythonError.
    const PythonValue& csv() const;
    const YamlFile& csv_file() const;
    PythonValue annotations() const;
    PythonValue release_config() const; // None if there is none
    std::vector<YamlFile>& manifests() const;
    std::string package() const; // of the annotations; may be empty
    const std::string& csv_name() const;
    const std::string& csv_version() const; // of the CSV's name
    const PythonVersion& semantic() const;  // the same, read
    const std::set<std::string>& channels() const;
    std::optional<std::string> default_channel() const;
    // By the names and versions of their CSVs.
    bool is_before(const OperatorBundle& other) const;
    bool is_like(const OperatorBundle& other) const;

    const YamlFile& annotations_file() const { return annotations_; }
    const YamlFile& release_config_file() const { return release_config_; }

private:
    const std::pair<std::string, std::string>& full_name() const;
    // nullptr: it is not a version.
    const PythonVersion* semantic_if_valid() const;

    const Operator* owner_;
    std::string directory_;
    std::string path_;
    std::string name_;
    YamlFile annotations_;
    YamlFile release_config_;
    mutable std::unique_ptr<YamlFile> csv_;
    mutable std::optional<std::vector<YamlFile>> manifests_;
    // All bundles are asked for these by the checks of each one.
    mutable Once<std::pair<std::string, std::string>> full_name_;
    mutable Once<PythonVersion> semantic_;
    mutable Once<std::set<std::string>> channels_;
};

class ChannelGraph;
using BundlesByVersion = std::map<std::string, const OperatorBundle*>;
using NameCounts = std::map<std::string, size_t>; // how many bundles have the name

class Operator {
public:
    Operator(const Repository& repository, std::string name);

    const Repository& repository() const { return *repository_; }
    const std::string& name() const { return name_; }
    std::string text() const { return "Operator(" + name_ + ")"; }
    // ci.yaml; an empty dict if there is none. Throws PythonError.
    PythonValue config() const;
    const YamlFile& config_file() const { return config_; }
    bool uses_catalogs() const; // fbc.enabled; throws PythonError
    // By the names of their directories.
    const std::deque<OperatorBundle>& bundles() const { return bundles_; }
    const OperatorBundle* bundle(std::string_view directory) const; // nullptr: there is none
    // Paths of directories with one of manifests/ and metadata/, which the pipelines do not take for bundles.
    const std::vector<std::string>& half_bundles() const { return half_bundles_; }
    // By csv_version(); the last of several. Throws PythonError.
    const BundlesByVersion& by_version() const;
    // A bundle whose name cannot be read has none.
    const NameCounts& packages() const;
    const NameCounts& csv_names() const;
    const ChannelGraph& channel(const std::string& name) const; // upgrade_graph.hpp

private:
    const Repository* repository_;
    std::string name_;
    YamlFile config_;
    std::deque<OperatorBundle> bundles_;
    std::vector<std::string> half_bundles_;
    mutable Once<BundlesByVersion> by_version_;
    mutable Once<NameCounts> packages_;
    mutable Once<NameCounts> csv_names_;
    mutable std::map<std::string, std::shared_ptr<const ChannelGraph>> channels_;
};

// The part of a catalog that belongs to one operator.
class OperatorCatalog {
public:
    OperatorCatalog(const Repository& repository, std::string catalog, std::string name);

    const std::string& catalog() const { return catalog_; }
    std::string text() const { return "OperatorCatalog(" + catalog_ + "/" + operator_ + ")"; }
    const YamlFile& file() const { return file_; }

private:
    std::string catalog_;
    std::string operator_;
    YamlFile file_;
};

class Repository {
public:
    // Throws Error if there is no such directory.
    explicit Repository(std::filesystem::path root);
    // Throws RequestError if it has neither operators/ nor catalogs/, which the one before a change may lack.
    void require_content() const;

    const std::filesystem::path& root() const { return root_; }
    // config.yaml; an empty dict if there is none. Throws PythonError.
    PythonValue config() const;
    const YamlFile& config_file() const { return *config_; }

    // nullptr: there is none.
    const Operator* find_operator(const std::string& name) const;
    const OperatorCatalog* find_catalog(const std::string& catalog, const std::string& name) const;
    bool has_catalog(const std::string& catalog) const;
    std::vector<std::string> operators() const; // names of folders
    std::vector<std::string> catalogs() const;
    std::vector<std::string> catalog_operators() const; // of all catalogs: "v4.18/gizmo"

    // By paths relative to the root. A link that leads out of the repository throws Error.
    bool is_file(const std::string& path) const;
    bool is_directory(const std::string& path) const;
    std::vector<std::string> names_in(const std::string& directory) const; // sorted
    // Kept as long as the repository. Throws Error.
    const SourceFile& read(const std::string& path) const;
    // The last component of what a path that exists leads to.
    std::string resolved_name(const std::string& path) const;

private:
    std::filesystem::path inside(const std::string& path) const;

    std::filesystem::path root_;
    std::filesystem::path canonical_root_;
    mutable std::vector<std::unique_ptr<SourceFile>> files_;
    std::unique_ptr<YamlFile> config_;
    mutable std::map<std::string, std::unique_ptr<Operator>> operators_;
    mutable std::map<std::pair<std::string, std::string>, std::unique_ptr<OperatorCatalog>> catalogs_;
};

} // namespace opcat::policy
