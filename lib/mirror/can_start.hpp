// Decides if the operators of a cluster can start, and go on to their next versions, from a mirror alone.
#pragma once

#include "opcat/mirror/check.hpp"
#include "opcat/mirror/cluster_needs.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace opcat {

// Unknown is never good.
enum class StartState : uint8_t { good, bad, unknown };

struct StartFault {
    StartState state = StartState::unknown;
    std::string image;  // or the catalog's; empty: it concerns none
    std::string bundle; // that needs it; empty: the catalog
    std::string why;
};

struct StartOfOperator {
    std::string name;
    std::string package;
    std::string installed;
    std::vector<std::string>
        next;          // bundles to which it upgrades, one after the other, or that can be installed
    size_t images = 0; // that were looked for
    std::vector<StartFault> faults;

    StartState state() const;
};

class StartCheck {
public:
    // `prefix` of the mirror.
    StartCheck(ClusterNeeds needs, std::string prefix);

    // The catalogs that are in the mirror: their names on the cluster, and those in the mirror to open.
    std::vector<std::pair<std::string, std::string>> catalogs() const;
    // The catalog must outlive the check.
    void add(const std::string& image, const Catalog& content);
    void add_unreadable(const std::string& image, const Error& why);

    std::vector<StartOfOperator> run(MirrorCheck& mirror, bool verify, ThreadPool& pool);

private:
    struct Place { // of an image in the mirror, or why it has none
        std::string reference;
        StartFault fault;
        bool inside() const { return !reference.empty(); }
    };
    Place place_of(const std::string& image) const;
    using Wanted = std::vector<std::pair<std::string, std::string>>; // images, and the bundles that want them
    static void add_bundle(const Bundle& bundle, Wanted& wanted);
    struct Found { // in catalogs
        bool package = false;
        bool channel = false; // that it is subscribed to, or one of them
        bool installed = false;
        void add(const Found& more) {
            package = package || more.package;
            channel = channel || more.channel;
            installed = installed || more.installed;
        }
    };
    // Adds what the installed version and its next ones need, and those to `start`.
    static Found look_into(const Catalog& content, const ClusterOperator& one, StartOfOperator& start,
                           Wanted& wanted, ThreadPool& pool);
    // Why OLM finds nothing in catalogs that were all read; else empty.
    static std::string why_unresolved(const ClusterOperator& one, const Found& found,
                                      const StartOfOperator& start);

    ClusterNeeds needs_;
    std::string prefix_;
    std::map<std::string, const Catalog*> contents_; // by the image on the cluster
    std::map<std::string, StartFault> unreadable_;   // likewise
};

// Lines of cells for a table, the first with the titles.
std::string start_as_rows(const std::vector<StartOfOperator>& operators);
// The JSON object of schema "opcat.mirror-start.v1" (docs/json-output.md), with a line break at the end.
std::string start_as_json(const std::vector<StartOfOperator>& operators);
std::string_view to_string(StartState state);

} // namespace opcat
