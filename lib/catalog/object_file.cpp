#include "catalog/object_file.hpp"

#include "catalog/finding.hpp"
#include "document/stream.hpp"

#include <fmt/core.h>

namespace opcat {

std::optional<Value> read_object(const SourceFile& file, Arena& arena, std::string_view what,
                                 std::string_view rule, Diagnostics& diagnostics) {
    const size_t before = diagnostics.size();
    for (const DocumentRange& range : split_into_documents(file, diagnostics)) {
        Diagnostic problem;
        const std::optional<Value> value = read_document(file, range, arena, problem);
        if (!value) {
            diagnostics.push_back(problem);
            return std::nullopt;
        }
        if (value->is_null()) continue;
        if (value->is_object()) return value;
        diagnostics.push_back(
            error(rule, {&file, value->offset(), 1},
                  fmt::format("{} must be an object, not {}", what, describe(value->kind()))));
        return std::nullopt;
    }
    if (diagnostics.size() == before)
        diagnostics.push_back(
            error(rule, {&file, 0, 0}, fmt::format("the file is empty: it is to hold {}", what)));
    return std::nullopt;
}

} // namespace opcat
