// Short ways to write catalogs and to show their findings.
#pragma once

#include "../load_text.hpp"
#include "opcat/catalog/write.hpp"

#include <fmt/core.h>

#include <string>
#include <string_view>

namespace opcat {

// Documents of two lines each: "---" and an object.
inline std::string package(std::string_view more = "defaultChannel: stable") {
    return fmt::format("---\n{{schema: olm.package, name: foo, {}}}\n", more);
}
inline std::string channel(std::string_view entries, std::string_view name = "stable") {
    return fmt::format("---\n{{schema: olm.channel, package: foo, name: {}, entries: [{}]}}\n", name,
                       entries);
}
inline std::string bundle(std::string_view name, std::string_view version, std::string_view more = "") {
    return fmt::format("---\n{{schema: olm.bundle, package: foo, name: {}, image: r.example/foo, properties: "
                       "[{{type: olm.package, "
                       "value: {{packageName: foo, version: {}}}}}{}]}}\n",
                       name, version, more);
}
inline std::string with_image(std::string_view image, std::string_view more = "") {
    return fmt::format("---\n{{schema: olm.bundle, package: foo, name: a, image: {}, properties: [{{type: "
                       "olm.package, value: "
                       "{{packageName: foo, version: 1.0.0}}}}]{}}}\n",
                       image, more);
}

// Each finding on a line: the rule, the line, and the text that is marked.
inline std::string shown(const Diagnostics& findings) {
    std::string text;
    for (const Diagnostic& d : findings) {
        if (!text.empty()) text += '\n';
        text += d.rule;
        if (!d.where) continue;
        const std::string_view marked = d.where.file->bytes().substr(d.where.offset, d.where.length);
        text += fmt::format(" {} {}", d.where.file->position(d.where.offset).line, marked);
    }
    return text;
}

inline std::string written(const Catalog& catalog, Format format, ThreadPool& pool) {
    std::string text;
    write_catalog(catalog, format, pool, [&](std::string_view, std::string_view piece) { text += piece; });
    return text;
}

} // namespace opcat
