// Something to tell users about their input. Collected, never thrown; errors of the environment are `Error`.
#pragma once

#include "base/source_file.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace opcat {

enum class Severity : uint8_t { error, warning, note };

std::string_view to_string(Severity severity);

struct Note {
    std::string message;
    Location where; // may be nowhere
};

struct Diagnostic {
    Severity severity = Severity::error;
    std::string_view rule; // a stable id of static duration, from the table of rules
    std::string message;   // one sentence in lower case without a full stop
    Location where;
    std::vector<Note> notes;
    std::string help; // what to do about it; may be empty
};

using Diagnostics = std::vector<Diagnostic>;

// By file name, then position, then severity; findings without a place come first. Stable.
void sort_by_place(Diagnostics& diagnostics);

bool has_errors(const Diagnostics& diagnostics);

// "FILE:LINE:COLUMN", without control characters; empty for nowhere.
std::string place_of(const Location& where);

struct DiagnosticStyle {
    bool colour = false;
    unsigned width = 0; // columns to cut quoted lines to; 0: only very long ones
};

// The text form, in the manner of compilers: place, severity, message and rule; the line with the range
// marked; notes; help. Ends with a line break.
std::string to_text(const Diagnostic& diagnostic, const DiagnosticStyle& style);

} // namespace opcat
