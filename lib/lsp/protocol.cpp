#include "opcat/lsp/protocol.hpp"

#include "opcat/base/file_uri.hpp"
#include "opcat/base/text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace opcat::lsp {

const Json& member(const Json& object, const char* name) {
    const auto found = object.is_object() ? object.find(name) : object.end();
    if (!object.is_object() || found == object.end())
        throw RequestFailure(ErrorCode::invalid_params, fmt::format("\"{}\" is missing", name));
    return *found;
}

const std::string& text_member(const Json& object, const char* name) {
    const Json& value = member(object, name);
    if (!value.is_string())
        throw RequestFailure(ErrorCode::invalid_params, fmt::format("\"{}\" must be a string", name));
    return value.get_ref<const std::string&>();
}

uint32_t number_member(const Json& object, const char* name) {
    const Json& value = member(object, name);
    if (!value.is_number_unsigned() || value.get<uint64_t>() > INT32_MAX)
        throw RequestFailure(ErrorCode::invalid_params, fmt::format("\"{}\" must be a number", name));
    return value.get<uint32_t>();
}

Place place_from(const Json& position) {
    return {number_member(position, "line"), number_member(position, "character")};
}

Range range_from(const Json& range) {
    return {place_from(member(range, "start")), place_from(member(range, "end"))};
}

const Json* find_member(const Json& object, std::initializer_list<const char*> path) {
    const Json* value = &object;
    for (const char* name : path) {
        if (!value->is_object()) return nullptr;
        const auto found = value->find(name);
        if (found == value->end()) return nullptr;
        value = &*found;
    }
    return value;
}

Json to_json(const Place& place) {
    return {{"line", place.line}, {"character", place.character}};
}

Json to_json(const Range& range) {
    return {{"start", to_json(range.begin)}, {"end", to_json(range.end)}};
}

namespace {

// Returns the range that is underlined for a finding: a point gets the word that is there.
Range visible_range(const Location& where, const PlaceOf& place_of) {
    Location shown = where;
    if (shown.length <= 1) {
        const std::string_view rest =
            shown.file->bytes().substr(std::min<size_t>(shown.offset, shown.file->bytes().size()));
        shown.length = static_cast<uint32_t>(std::min(rest.find_first_of(" \t\r\n,:"), rest.size()));
        shown.length = std::max(shown.length, where.length);
    }
    const auto place = place_of(shown);
    return place ? place->range : Range();
}

} // namespace

std::optional<Json> to_json(const Diagnostic& finding, const PlaceOf& place_of, const DiagnosticForm& form) {
    if (!finding.where) return std::nullopt;
    std::string message = finding.message;
    Json related = Json::array();
    for (const Note& note : finding.notes) {
        const auto place = place_of(note.where);
        if (place && form.related_information)
            related.push_back({{"location",
                                {{"uri", form.uri_of(place->path)},
                                 {"range", to_json(visible_range(note.where, place_of))}}},
                               {"message", note.message + " here"}});
        else if (place)
            message += fmt::format("\n{} in line {}", note.message, place->range.begin.line + 1);
        else
            message += "\n" + note.message;
    }
    if (!finding.help.empty()) message += "\n" + finding.help;
    constexpr int severities[] = {1, 2, 3};
    Json json{{"range", to_json(visible_range(finding.where, place_of))},
              {"severity", severities[static_cast<size_t>(finding.severity)]},
              {"code", finding.rule},
              {"source", "opcat"},
              {"message", message}};
    if (!form.rules.empty())
        json["codeDescription"] = {{"href", fmt::format("{}#{}", form.rules, finding.rule)}};
    if (!related.empty()) json["relatedInformation"] = std::move(related);
    return json;
}

Json shown_findings(const std::vector<const Diagnostic*>& findings, size_t most, const PlaceOf& place_of,
                    const DiagnosticForm& form) {
    Json shown = Json::array();
    Diagnostic rest;
    rest.rule = "limit";
    rest.severity = Severity::note;
    rest.count = 0;
    for (const Diagnostic* finding : findings) {
        if (shown.size() < most) {
            if (auto json = to_json(*finding, place_of, form)) shown.push_back(*std::move(json));
            continue;
        }
        if (rest.count == 0) rest.where = finding->where;
        rest.severity = std::min(rest.severity, finding->severity);
        rest.count += finding->count;
    }
    if (rest.count > 0) {
        rest.message = fmt::format("and {} more in this file: `opcat validate` reports them",
                                   counted(rest.count, "finding"));
        if (auto json = to_json(rest, place_of, form)) shown.push_back(*std::move(json));
    }
    return shown;
}

Json response(const Json& id, Json result) {
    return {{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}};
}

Json failure(const Json& id, ErrorCode code, const std::string& message) {
    return {
        {"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", static_cast<int>(code)}, {"message", message}}}};
}

Json notification(const char* method, Json params) {
    return {{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}};
}

std::vector<std::string> folders_from(const Json& params) {
    std::vector<std::string> folders;
    const auto add_folder = [&](const Json* uri) {
        if (uri && uri->is_string())
            if (auto path = path_of_uri(uri->get_ref<const std::string&>()))
                folders.push_back(*std::move(path));
    };
    if (const Json* const list = find_member(params, {"workspaceFolders"}); list && list->is_array())
        for (const Json& folder : *list) add_folder(find_member(folder, {"uri"}));
    if (folders.empty()) add_folder(find_member(params, {"rootUri"}));
    for (std::string& folder : folders)
        while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
    return folders;
}

} // namespace opcat::lsp
