// One package "p" that breaks all rules: names without bundles, bundles twice, cycles, several heads, ranges
// that do not parse and ranges that crash OLM.
#pragma once

#include "../choices.hpp"

#include <fmt/core.h>

#include <string>
#include <string_view>

namespace opcat::test {

class OddPackage {
public:
    explicit OddPackage(Choices& choices) : choices_(choices) {}

    std::string yaml() {
        std::string text = "schema: olm.package\nname: p\ndefaultChannel: a\n";
        const size_t versions = 2 + below(7);
        for (const std::string_view channel : {"b", "a", "c"}) {
            if (one_in(3)) continue;
            text += fmt::format("---\nschema: olm.channel\npackage: p\nname: {}\nentries:\n", channel);
            for (size_t i = 0; i < versions; ++i) {
                if (i > 0 && one_in(5)) continue;
                text += fmt::format("- name: {}\n", name(one_in(9) ? below(versions) : i));
                if (i > 0 && !one_in(4))
                    text += fmt::format("  replaces: {}\n", name(one_in(5) ? below(versions + 2) : i - 1));
                if (one_in(4)) {
                    const size_t first = below(versions);
                    const size_t second = below(versions + 2);
                    text += fmt::format("  skips: [{}, {}]\n", name(first), name(second));
                }
                if (one_in(4)) text += fmt::format("  skipRange: '{}'\n", range(versions));
            }
        }
        for (size_t i = 0; i < versions; ++i)
            for (size_t copies = one_in(9) ? below(3) : 1; copies > 0; --copies) text += bundle(i, versions);
        if (one_in(2))
            text += fmt::format("---\nschema: olm.deprecations\npackage: p\nentries:\n- reference: {{schema: "
                                "olm.bundle, name: {}}}\n  message: old\n",
                                name(below(versions)));
        return text;
    }

private:
    size_t below(size_t n) { return choices_.below(n); }
    bool one_in(size_t n) { return choices_.one_in(n); }
    static std::string version(size_t i) { return fmt::format("{}.{}.0", 1 + i / 4, i % 4); }
    static std::string name(size_t i) { return "p.v" + version(i); }

    std::string range(size_t versions) {
        const std::string at = version(below(versions + 1));
        const char* const forms[] = {
            "<{}", ">=1.0.0 <{}", "!{}", "{} || >1.2.0", "{} || || 1.0.0", "nonsense {}", ""};
        return fmt::format(fmt::runtime(forms[below(7)]), at);
    }
    std::string bundle(size_t i, size_t versions) {
        const std::string_view suffixes[] = {"", "", "", "", "-rc.1", "+1", "+2", "+git.5"};
        const std::string written = one_in(9) ? "1.x" : version(one_in(9) ? below(versions) : i);
        std::string text =
            fmt::format("---\nschema: olm.bundle\npackage: p\nname: {}\nimage: i\nproperties:\n"
                        "- type: olm.package\n  value: {{packageName: p, version: \"{}{}\"}}\n",
                        name(i), written, suffixes[below(8)]);
        if (one_in(8)) text += "- type: olm.gvk.required\n  value: {group: g, kind: K, version: v1}\n";
        return text;
    }

    Choices& choices_;
};

} // namespace opcat::test
