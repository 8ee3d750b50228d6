// Removes versions from a mirror in two steps: a plan that people review, and its execution.
#pragma once

#include "opcat/base/thread_pool.hpp"
#include "opcat/catalog/catalog.hpp"
#include "opcat/image/image_stores.hpp"
#include "opcat/mirror/plan.hpp"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace opcat {

struct PlannedRemoval {
    std::string digest;
    std::vector<std::string> bundles; // that needed it; of an attachment none
};

struct DeletionPlan {
    std::string target; // the prefix of the mirror
    // The bundles to remove, by the names of their catalogs in the mirror, and additional images by their
    // names.
    std::map<std::string, std::set<std::string>> bundles;
    std::set<std::string> additional;
    std::map<MirrorName, PlannedRemoval> images;
    std::map<std::string, std::string> kept; // images of these bundles, and why they stay

    // The JSON object of schema "opcat.mirror-delete.v1" (docs/json-output.md).
    std::string to_json() const;
    // Throws Error.
    static DeletionPlan parse(std::string_view json);
};

struct DeletionResult {
    std::vector<std::string> removed;                         // or would be
    std::vector<std::pair<std::string, std::string>> refused; // of the plan, and why
};

// Read the mirror and all its catalogs, then plan or execute. Throws Error.
class MirrorDeletion {
public:
    MirrorDeletion(image::Options options, std::string prefix);
    ~MirrorDeletion();
    MirrorDeletion(const MirrorDeletion&) = delete;
    MirrorDeletion& operator=(const MirrorDeletion&) = delete;

    // Throws Error if there is no record: only what runs have put there is removed.
    void read(ThreadPool& pool);
    std::vector<MirrorName> catalogs() const;
    // The content must outlive the object.
    void add(const MirrorName& name, const Catalog& content);

    // The images that nothing else needs, and nobody else has named, with what is attached to them.
    DeletionPlan plan(std::map<std::string, std::set<std::string>> bundles, std::set<std::string> additional,
                      ThreadPool& pool);
    // Only what a plan that is made now has, too, with the same digest.
    DeletionResult execute(const DeletionPlan& plan, bool dry_run, ThreadPool& pool);

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace opcat
