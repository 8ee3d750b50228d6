// `opcat search` in catalogs that are named, without a cluster.
#include "commands/search.hpp"
#include "named_catalogs.hpp"
#include "opcat/base/json.hpp"
#include "opcat/base/text.hpp"
#include "opcat/query/search.hpp"
#include "terminal/output.hpp"
#include "terminal/session.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace opcat {

void search_offline(const std::string& words, const std::vector<std::string>& references, Form output,
                    const ImageFlags& images, Session& session) {
    const auto catalogs = open_named(references, images, session);
    if (!catalogs) return;
    const std::vector<query::FoundPackage> found = query::search(*catalogs, words, session.pool());
    if (found.empty()) session.exit_status = exit_findings;
    if (output == Form::json) {
        nlohmann::ordered_json json{{"schema", "opcat.search-offline.v1"},
                                    {"packages", nlohmann::ordered_json::array()}};
        for (const query::FoundPackage& one : found)
            json["packages"].push_back({{"package", one.package},
                                        {"catalog", one.catalog},
                                        {"displayName", one.display_name},
                                        {"provider", one.provider},
                                        {"defaultChannel", one.channel},
                                        {"head", one.head},
                                        {"version", one.version},
                                        {"foundIn", one.where}});
        session.out.write(as_document(json));
        return;
    }
    if (found.empty())
        return session.print_error(fmt::format("no package matches \"{}\"", escape_controls(words)));
    std::string table = "PACKAGE\tCATALOG\tDISPLAY NAME\tHEAD\tFOUND IN\n";
    for (const query::FoundPackage& one : found)
        table += fmt::format("{}\t{}\t{}\t{}\t{}\n", escape_controls(one.package),
                             escape_controls(one.catalog), escape_controls(one.display_name),
                             escape_controls(one.head), escape_controls(one.where));
    session.out.write(table_in_locale(table, session));
}

} // namespace opcat
