// Shorthand for making findings.
#pragma once

#include "opcat/base/diagnostic.hpp"

#include <string>
#include <string_view>
#include <utility>

namespace opcat {

inline Diagnostic finding(Severity severity, std::string_view rule, Location where, std::string message,
                          std::string help = {}) {
    return {.severity = severity,
            .rule = rule,
            .message = std::move(message),
            .where = where,
            .notes = {},
            .help = std::move(help)};
}
inline Diagnostic error(std::string_view rule, Location where, std::string message, std::string help = {}) {
    return finding(Severity::error, rule, where, std::move(message), std::move(help));
}
inline Diagnostic warning(std::string_view rule, Location where, std::string message, std::string help = {}) {
    return finding(Severity::warning, rule, where, std::move(message), std::move(help));
}
inline Diagnostic with_note(Diagnostic diagnostic, std::string message, Location where = {}) {
    diagnostic.notes.push_back({std::move(message), where});
    return diagnostic;
}
// With a fix of one edit.
inline Diagnostic with_edit(Diagnostic diagnostic, std::string title, Location where, std::string text,
                            FixEffect effect, bool safe = true) {
    diagnostic.fix = {std::move(title), {{where, std::move(text)}}, safe, effect};
    return diagnostic;
}
// The same for a name. If the name is not written plainly, its place is a point and there is no fix.
inline Diagnostic with_name(Diagnostic diagnostic, Location where, std::string_view name,
                            std::string_view meant, FixEffect effect, bool safe = true) {
    if (meant.empty() || !where || where.length != name.size()) return diagnostic;
    return with_edit(std::move(diagnostic), "write " + std::string(meant), where, std::string(meant), effect,
                     safe);
}
inline Fix put_in_quotes(const Location& word) {
    const std::string text(text_of(word));
    return {"put " + text + " in quotes", {{word, '"' + text + '"'}}, true, FixEffect::text};
}

} // namespace opcat
