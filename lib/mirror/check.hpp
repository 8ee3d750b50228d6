// Checks that a mirror has everything that its catalogs need, and repairs it.
#pragma once

#include "opcat/base/thread_pool.hpp"
#include "opcat/catalog/catalog.hpp"
#include "opcat/image/copier.hpp"
#include "opcat/mirror/inspection.hpp"
#include "opcat/mirror/plan.hpp"

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace opcat {

struct CheckedImage {
    enum class Kind : uint8_t { catalog, image, attachment };
    Kind kind = Kind::image;
    std::string name;   // in the mirror, below its prefix
    std::string digest; // that it must have; empty: whatever its tag has
    std::set<std::string> catalogs;
    std::vector<std::string> bundles; // that need it
    std::set<std::string> sources;    // at home
    std::vector<PartFault> faults;
    bool repaired = false;             // it had these faults
    std::optional<Error> not_repaired; // although it was tried
};

struct CheckTotals {
    size_t manifests = 0;
    size_t blobs = 0;   // each once for each repository
    uint64_t bytes = 0; // that were read
};

// Read the mirror, then its catalogs, then check. Throws Error for failures that do not concern a single
// image.
class MirrorCheck {
public:
    // `target` as of Mirror. Throws RequestError.
    MirrorCheck(image::Options options, const std::string& target);
    ~MirrorCheck();
    MirrorCheck(const MirrorCheck&) = delete;
    MirrorCheck& operator=(const MirrorCheck&) = delete;

    // Reads the record of runs; false if it has no run that has ended. Throws Error.
    bool read(ThreadPool& pool);
    // Returns true if the last run that filled a directory has not ended.
    bool is_unfinished() const;
    // Images that only an interrupted run has begun to put there.
    size_t unsettled() const;

    // The catalogs there, and how each is opened.
    std::vector<MirrorName> catalogs() const;
    std::string reference_of(const MirrorName& name) const;
    // Adds what a catalog needs: from its content, or if that cannot be read, as far as the record says.
    void add(const MirrorName& name, const Catalog& content);
    void add_unreadable(const MirrorName& name, const Error& why);

    // All images, those with faults first. Without `verify` blobs are only looked for, not read.
    std::vector<CheckedImage> run(bool verify, ThreadPool& pool);
    // Images in the registry, by their whole names there, whether a catalog needs them or not.
    std::vector<std::vector<PartFault>> look_at(const std::vector<std::string>& references, bool verify,
                                                ThreadPool& pool);
    const CheckTotals& totals() const;
    // Copies what is missing or damaged again from home, and checks it again.
    void repair(std::vector<CheckedImage>& images, bool verify, ThreadPool& pool,
                const image::OnCopyProgress& on_progress);

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace opcat
