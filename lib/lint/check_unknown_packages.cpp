#include "opcat/base/text.hpp"
#include "opcat/catalog/finding.hpp"
#include "opcat/catalog/properties.hpp"
#include "opcat/lint/checks.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <unordered_map>

namespace opcat {
namespace {

std::string described(const Blob& blob, std::string_view kind) {
    return blob.name.empty() ? fmt::format("an {} blob", kind)
                             : fmt::format("{} \"{}\"", kind.substr(kind.find('.') + 1), blob.name.text);
}

class UnknownPackages {
public:
    UnknownPackages(std::span<const PackageIndex> packages, Diagnostics& out)
        : packages_(packages), out_(out) {
        for (const PackageIndex& package : packages) {
            by_name_.emplace(package.name, &package);
            if (!package.packages.empty() && !package.name.empty()) known_.push_back(package.name);
        }
    }

    void run(std::span<const OtherBlob> others) {
        for (const PackageIndex& package : packages_) {
            if (!package.packages.empty()) continue;
            if (package.name.empty())
                check_nameless(package);
            else
                check(package);
        }
        if (!known_.empty())
            for (const OtherBlob& blob : others) check_other(blob);
    }

private:
    template <class Visit>
    static void for_each_blob(const PackageIndex& package, Visit visit) {
        for (const Channel* channel : package.channels) visit(*channel, schema::channel);
        for (const Bundle* bundle : package.bundles)
            if (!bundle->is_unknown) visit(*bundle, schema::bundle);
        for (const Deprecations* deprecations : package.deprecations)
            visit(*deprecations, schema::deprecations);
    }

    void check_nameless(const PackageIndex& package) {
        for_each_blob(package, [&](const Blob& blob, std::string_view kind) {
            out_.push_back(error("package-unknown", blob.start(),
                                 fmt::format("{} must name its package", described(blob, kind)),
                                 "add \"package: NAME\""));
            out_.back().explains.packages.emplace_back();
            // The blob may belong to any package of its file.
            constexpr size_t most = 100;
            for (size_t i = 0; i < std::min(most, known_.size()); ++i)
                if (is_of_file(*by_name_.at(known_[i]), blob))
                    out_.back().explains.packages.emplace_back(known_[i]);
        });
    }

    // An editor's file is in pieces, each a SourceFile of the same path.
    static bool is_of_file(const PackageIndex& package, const Blob& blob) {
        const auto is_there = [&](const auto& blobs) {
            return !blobs.empty() && blobs.front()->file && blob.file &&
                   blobs.front()->file->path() == blob.file->path();
        };
        return is_there(package.packages) || is_there(package.bundles) || is_there(package.channels);
    }

    // One finding for all blobs of a package.
    void check(const PackageIndex& package) {
        const Blob* first = nullptr;
        std::string_view kind;
        size_t count = 0;
        for_each_blob(package, [&](const Blob& blob, std::string_view of) {
            if (++count > 1) return;
            first = &blob;
            kind = of;
        });
        if (!first) return;
        const std::string_view meant = meant_by(package);
        const auto known = by_name_.find(meant);
        const bool is_package_misspelt = !meant.empty() && is_alone(*known->second);
        if (is_package_misspelt) {
            const Package& blob = *known->second->packages.front();
            const Location where = blob.at(blob.name);
            out_.push_back(with_name(
                error("package-unknown", where,
                      fmt::format("package \"{}\" has neither channels nor bundles, and \"{}\", which {} to, "
                                  "does not exist",
                                  meant, package.name,
                                  count == 1 ? "a blob belongs" : fmt::format("{} blobs belong", count)),
                      fmt::format("did you mean {}?", package.name)),
                where, blob.name, package.name, FixEffect::text, false));
            out_.back().explains.blob = true;
        } else {
            out_.push_back(error(
                "package-unknown", first->at(first->package),
                fmt::format("{} belongs to package \"{}\", which the catalog does not have",
                            described(*first, kind), package.name),
                meant.empty() ? fmt::format("add an olm.package blob with \"name: {}\", or correct the name",
                                            package.name)
                              : fmt::format("did you mean {}?", meant)));
            if (count == 1 && !meant.empty())
                out_.back() = with_name(std::move(out_.back()), first->at(first->package), package.name,
                                        meant, FixEffect::text, false);
            if (count > 1)
                out_.back().notes.push_back(
                    {fmt::format("{} more {} to it", count - 1, count == 2 ? "blob belongs" : "blobs belong"),
                     {}});
        }
        out_.back().explains.packages = {std::string(package.name), std::string(meant)};
        if (meant.empty()) out_.back().explains.packages.pop_back();
    }

    // Opm accepts blobs of other schemas.
    void check_other(const OtherBlob& blob) {
        if (blob.package.empty() || by_name_.contains(blob.package)) return;
        const std::string_view meant = near(blob.package);
        const Location where = blob.at(blob.package);
        out_.push_back(
            with_name(warning("blob-of-no-package", where,
                              fmt::format("a blob of schema {} belongs to package \"{}\", which the catalog "
                                          "does not have",
                                          blob.schema.text, blob.package.text),
                              meant.empty() ? std::string("correct the name, or remove the blob")
                                            : fmt::format("did you mean {}?", meant)),
                      where, blob.package, meant, FixEffect::text, false));
    }

    // An olm.package blob without any other.
    static bool is_alone(const PackageIndex& package) {
        return package.channels.empty() && package.bundles.empty() && package.deprecations.empty();
    }

    std::string_view near(std::string_view name) {
        if (comparisons_left_ == 0) return {};
        --comparisons_left_;
        return misspelt(name, known_);
    }

    // A name like it, or the one that its bundles or its channels' entries belong to.
    std::string_view meant_by(const PackageIndex& package) {
        if (const std::string_view name = near(package.name); !name.empty()) return name;
        for (const Bundle* bundle : package.bundles) {
            const auto property = package_property(*bundle);
            const auto found = property ? by_name_.find(property->package) : by_name_.end();
            if (found != by_name_.end() && !found->second->packages.empty()) return found->first;
        }
        constexpr size_t most = 1000; // packages
        for (const Channel* channel : package.channels) {
            if (channel->entries.empty() || comparisons_left_ == 0) continue;
            --comparisons_left_;
            for (size_t i = 0; i < std::min(most, known_.size()); ++i)
                if (by_name_.at(known_[i])->bundle_by_name.contains(channel->entries.front().name))
                    return known_[i];
        }
        return {};
    }

    std::span<const PackageIndex> packages_;
    Diagnostics& out_;
    std::unordered_map<std::string_view, const PackageIndex*> by_name_;
    std::vector<std::string_view> known_;
    size_t comparisons_left_ = 20; // with all names
};

} // namespace

void check_unknown_packages(std::span<const PackageIndex> packages, std::span<const OtherBlob> others,
                            Diagnostics& out) {
    UnknownPackages(packages, out).run(others);
}

} // namespace opcat
