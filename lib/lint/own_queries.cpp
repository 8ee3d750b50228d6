#include "opcat/lint/own_queries.hpp"

#include "opcat/base/go_quote.hpp"
#include "opcat/catalog/field_reader.hpp"
#include "opcat/catalog/finding.hpp"
#include "opcat/lint/own_rules.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

namespace opcat {
namespace {

constexpr std::string_view query_rule = "configuration";

class QueryReader {
public:
    QueryReader(const SourceFile& file, Diagnostics& diagnostics) : file_(file), diagnostics_(diagnostics) {}

    void read(const Value& item) {
        if (!item.is_object())
            return add_error(item, fmt::format("a query must be an object, not {}", describe(item.kind())));
        const FieldReader fields(&file_, item, "a query", diagnostics_);
        constexpr std::array<std::string_view, 3> known{"name", "question", "sql"};
        fields.refuse_all_but(known, query_rule);
        OwnQuery query;
        for (const auto& [field, to] :
             {std::pair("name", &query.name), {"question", &query.question}, {"sql", &query.sql}}) {
            const Value* const value = fields.find(field);
            const bool may_be_missing = to == &query.question;
            if (!value && may_be_missing) continue;
            if (!value || value->string_or_empty().empty() || value->string().size() > OwnQuery::longest)
                return add_error(value ? *value : item,
                                 fmt::format("a query needs \"{}\", a text of at most {} bytes", field,
                                             OwnQuery::longest));
            *to = value->string();
        }
        const Value& name = *fields.find("name");
        if (!is_plain_name(query.name))
            return add_error(name,
                             fmt::format("{} cannot name a query: use lower-case letters, digits and \"-\"",
                                         go_quote(query.name)));
        if (std::any_of(queries.begin(), queries.end(),
                        [&](const OwnQuery& one) { return one.name == query.name; }))
            return add_error(name, fmt::format("the query {} is defined twice", query.name));
        if (queries.size() == OwnQuery::most)
            return add_error(name, fmt::format("a configuration has at most {} queries", OwnQuery::most));
        query.origin = place_of({&file_, name.offset(), 1});
        queries.push_back(std::move(query));
    }

    std::vector<OwnQuery> queries;

private:
    void add_error(const Value& at, std::string message) {
        diagnostics_.push_back(error(query_rule, {&file_, at.offset(), 1}, std::move(message),
                                     "write {name: NAME, question: WHAT IT ANSWERS, sql: SELECT …}"));
    }

    const SourceFile& file_;
    Diagnostics& diagnostics_;
};

} // namespace

std::vector<OwnQuery> read_own_queries(const SourceFile& file, const Value& list, Diagnostics& diagnostics) {
    QueryReader reader(file, diagnostics);
    for (const Value& item : list.items()) reader.read(item);
    return std::move(reader.queries);
}

} // namespace opcat
