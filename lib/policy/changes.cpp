#include "opcat/policy/changes.hpp"

#include <fmt/format.h>

#include <array>
#include <iterator>
#include <optional>

namespace opcat::policy {
namespace {

// The first components of a path as pathlib splits it: without ".", and without empty ones.
std::vector<std::string> parts_of(const std::string& path) {
    std::vector<std::string> parts;
    for (size_t begin = 0; begin <= path.size();) {
        const size_t end = std::min(path.find('/', begin), path.size());
        std::string part = path.substr(begin, end - begin);
        if (!part.empty() && part != ".") parts.push_back(std::move(part));
        begin = end + 1;
    }
    return parts;
}

bool has_bundle(const Repository& repository, const NamePair& name) {
    const Operator* const owner = repository.find_operator(name.first);
    return owner && owner->bundle(name.second);
}

bool has_catalog(const Repository& repository, const NamePair& name) {
    return repository.find_catalog(name.first, name.second) != nullptr;
}

void sort_into(ChangedNames& changes, const NamePair& name, bool in_head, bool in_base) {
    if (in_head && !in_base)
        changes.added.insert(name);
    else if (in_head)
        changes.modified.insert(name);
    else
        changes.deleted.insert(name);
}

// As Python prints a list of tuples.
std::string listed(const std::set<NamePair>& names) {
    std::string out = "[";
    for (const auto& [first, second] : names) {
        if (out.size() > 1) out += ", ";
        out += fmt::format("({}, {})", python_repr(first), python_repr(second));
    }
    return out + "]";
}

std::string listed(const std::set<std::string>& names) {
    return python_repr(std::vector<std::string>(names.begin(), names.end()));
}

std::set<NamePair> united(std::set<NamePair> a, const std::set<NamePair>& b) {
    a.insert(b.begin(), b.end());
    return a;
}

class Rules {
public:
    Rules(const PullRequest& changes, const Repository& head, const Repository& base)
        : changes_(changes), head_(head), base_(base) {}

    std::vector<ChangeError> errors() {
        constexpr std::array<void (Rules::*)(), std::size(change_checks)> methods{
            &Rules::check_added_bundles,      &Rules::check_affected_catalog_operators,
            &Rules::check_affected_operators, &Rules::check_deleted_bundles,
            &Rules::check_extra_files,        &Rules::check_modified_bundles};
        for (size_t i = 0; i < methods.size(); ++i) {
            name_ = change_checks[i].name;
            try {
                (this->*methods[i])();
            } catch (const PythonError& error) {
                add(fmt::format("Traceback: {}", error.what()));
                break;
            }
        }
        return std::move(errors_);
    }

private:
    void add(std::string message) { errors_.push_back({std::string(name_), std::move(message)}); }

    void check_added_bundles() {
        const auto& [added, modified, deleted] = changes_.bundles;
        if (added.size() > 1) add("The PR affects more than one bundle: " + listed(added));
        if (!added.empty() && !deleted.empty())
            add("The PR adds and deletes bundles at the same time. This is not allowed. Please split the "
                "changes into 2 "
                "separate pull requests.");
    }

    void check_affected_catalog_operators() {
        const auto& [added, modified, deleted] = changes_.catalogs;
        const std::set<NamePair> bundles = united(changes_.bundles.added, changes_.bundles.modified);
        const std::set<NamePair> catalogs = united(united(added, modified), deleted);
        if (bundles.empty() || catalogs.empty()) return;
        add(fmt::format(
            "The PR affects a bundle ({}) and catalog ({}) at the same time. Split operator and catalog "
            "changes into 2 separate pull requests.",
            listed(bundles), listed(catalogs)));
    }

    void check_affected_operators() {
        const auto& [added, modified, deleted] = changes_.bundles;
        if (changes_.operators.size() > 1 && (!added.empty() || !modified.empty() || !deleted.empty()))
            add("The PR affects more than one operator: " + listed(changes_.operators));
    }

    void check_deleted_bundles() {
        const std::set<NamePair>& deleted = changes_.bundles.deleted;
        std::set<std::string> operators;
        for (const auto& [owner, bundle] : deleted) operators.insert(owner);
        for (const std::string& name : operators) {
            const Operator* const owner = base_.find_operator(name);
            if (owner && !owner->uses_catalogs())
                add(fmt::format("The PR deletes an existing operator: {}. This feature is only allowed for "
                                "bundles with FBC "
                                "enabled.",
                                owner->text()));
        }
        for (const NamePair& name : deleted) check_deleted_bundle(name);
    }

    // Reports a deleted bundle that a catalog still has.
    void check_deleted_bundle(const NamePair& name) {
        const Operator* const owner = base_.find_operator(name.first);
        const OperatorBundle* const bundle = owner ? owner->bundle(name.second) : nullptr;
        if (!bundle) return;
        const PythonValue csv_name = bundle->csv().item("metadata").item("name");
        for (const std::string& catalog : head_.catalogs()) {
            const OperatorCatalog* const found = head_.find_catalog(catalog, name.first);
            if (!found) continue;
            bool is_used = false;
            for (const PythonValue& blob : found->file().documents()) {
                const PythonValue schema = blob.get("schema");
                is_used = is_used || (schema.text() && *schema.text() == "olm.bundle" &&
                                      python_equal(blob.get("name"), csv_name));
            }
            if (is_used)
                add(fmt::format("The PR deletes a bundle ({}/{}) that is in use by a catalog (Catalog({}))",
                                name.first, name.second, catalog));
        }
    }

    void check_extra_files() {
        if (!changes_.other_files.empty())
            add("The PR affects non-operator files: " + listed(changes_.other_files));
    }

    void check_modified_bundles() {
        const std::set<NamePair>& modified = changes_.bundles.modified;
        if (!modified.empty()) add("The PR modifies existing bundles: " + listed(modified));
    }

    const PullRequest& changes_;
    const Repository& head_;
    const Repository& base_;
    std::string_view name_;
    std::vector<ChangeError> errors_;
};

} // namespace

PullRequest changes_of(const std::vector<std::string>& files, const Repository& head,
                       const Repository& base) {
    PullRequest changes;
    for (const std::string& file : files) {
        const std::vector<std::string> parts = parts_of(file);
        const bool is_deep = parts.size() >= 3;
        if (is_deep && parts[0] == "operators" &&
            (head.find_operator(parts[1]) || base.find_operator(parts[1]))) {
            changes.operators.insert(parts[1]);
            const NamePair bundle{parts[1], parts[2]};
            const bool in_head = has_bundle(head, bundle);
            const bool in_base = has_bundle(base, bundle);
            if (in_head || in_base) sort_into(changes.bundles, bundle, in_head, in_base);
            continue;
        }
        if (is_deep && parts[0] == "catalogs") {
            const NamePair catalog{parts[1], parts[2]};
            const bool in_head = has_catalog(head, catalog);
            const bool in_base = has_catalog(base, catalog);
            if (in_head || in_base) {
                sort_into(changes.catalogs, catalog, in_head, in_base);
                continue;
            }
        }
        changes.other_files.insert(file);
    }
    return changes;
}

std::vector<ChangeError> change_errors(const PullRequest& changes, const Repository& head,
                                       const Repository& base) {
    return Rules(changes, head, base).errors();
}

} // namespace opcat::policy
