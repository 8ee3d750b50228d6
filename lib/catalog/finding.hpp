// Shorthand for making findings.
#pragma once

#include "opcat/base/diagnostic.hpp"

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

} // namespace opcat
