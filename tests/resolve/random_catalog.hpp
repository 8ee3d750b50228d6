// Small catalogs of one package "p" with everything that affects the resolver, the same in every run.
#pragma once

#include "../choices.hpp"
#include "catalogs.hpp"

#include <string>
#include <vector>

namespace opcat::olmv1 {

class RandomCatalog {
public:
    explicit RandomCatalog(unsigned seed) : choices_(seed) {}

    size_t below(size_t n) { return choices_.below(n); }
    bool one_in(size_t n) { return choices_.one_in(n); }
    template <typename T>
    const T& any_of(const std::vector<T>& items) {
        return choices_.any_of(items);
    }

    std::string version() {
        static const std::vector<std::string> suffixes = {"", "", "", "-rc.1", "+1", "+2", "+git.5"};
        return fmt::format("{}.{}.0{}", below(3), below(3), any_of(suffixes));
    }
    std::string range() {
        static const std::vector<std::string> operators = {">=", "<", "<=", ">", "", "!"};
        return fmt::format("{}{}.{}.0", any_of(operators), below(3), below(3));
    }
    // Sometimes one that crashes OLM.
    std::string skip_range() {
        return one_in(40) ? fmt::format("{} || || {}", range(), range())
                          : fmt::format("{} {}", range(), range());
    }
    std::string name() { return fmt::format("p.b{}", below(8)); }

    std::string yaml() {
        std::string text = "---\nschema: olm.package\nname: p\ndefaultChannel: a\n";
        const std::vector<std::string> channels = {"a", "b", "c"};
        for (const std::string& channel : channels) {
            std::string entries;
            for (size_t n = below(5); n > 0; --n) {
                entries += fmt::format("- name: {}\n", name());
                if (one_in(2)) entries += fmt::format("  replaces: {}\n", name());
                if (one_in(3)) entries += fmt::format("  skips:\n  - {}\n  - {}\n", name(), name());
                if (one_in(3)) entries += fmt::format("  skipRange: \"{}\"\n", skip_range());
            }
            text += fmt::format("---\nschema: olm.channel\npackage: p\nname: {}\nentries:{}\n", channel,
                                entries.empty() ? " []" : "\n" + entries);
        }
        for (size_t i = 0; i < 8; ++i)
            if (!one_in(5)) text += bundle(fmt::format("p.b{}", i));
        if (one_in(2)) text += deprecations_yaml("p", name());
        return text;
    }

    Request request() {
        static const std::vector<std::string> ranges = {"",    "",     ">=1",       "<2",
                                                        "1.x", "^1.1", ">=0.0.0-0", "~0.1 || 2.x"};
        Request request{.package = "p", .version = any_of(ranges)};
        if (one_in(3)) request.channels = {any_of(std::vector<std::string>{"a", "b", "none"})};
        if (!one_in(3)) request.installed = InstalledBundle{name(), version(), std::nullopt};
        if (one_in(5)) request.policy = Policy::self_certified;
        return request;
    }

private:
    std::string bundle(const std::string& bundle_name) {
        std::string text = fmt::format(
            "---\nschema: olm.bundle\npackage: p\nname: {}\nimage: i\nproperties:\n", bundle_name);
        if (one_in(10)) return text + "- type: other\n  value: 1\n";
        text += fmt::format("- type: olm.package\n  value:\n    packageName: p\n    version: \"{}\"\n",
                            one_in(10) ? "1.x" : version());
        if (one_in(8))
            text += "- type: olm.gvk.required\n  value:\n    group: g\n    kind: K\n    version: v1\n";
        return text;
    }

    test::Choices choices_;
};

inline void add_random(Cluster& cluster, RandomCatalog& random) {
    for (size_t n = 1 + random.below(3); n > 0; --n) {
        NamedCatalog& catalog =
            cluster.add(fmt::format("c{}", n), random.yaml(), static_cast<int32_t>(random.below(2)));
        catalog.unavailable = random.one_in(10);
    }
    if (random.one_in(20)) cluster.add_broken("broken", "it burns");
}

} // namespace opcat::olmv1
