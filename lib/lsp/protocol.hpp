// Values of the protocol (LSP 3.17) from and to JSON.
#pragma once

#include "opcat/lsp/catalog_analysis.hpp"
#include "opcat/lsp/messages.hpp"
#include "opcat/lsp/positions.hpp"

#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace opcat::lsp {

// The error codes of JSON-RPC and LSP.
enum class ErrorCode : int {
    parse_error = -32700,
    invalid_request = -32600,
    method_not_found = -32601,
    invalid_params = -32602,
    internal_error = -32603,
    server_not_initialized = -32002,
    request_cancelled = -32800,
    request_failed = -32803,
};

// Why a request is not answered.
struct RequestFailure : std::runtime_error {
    RequestFailure(ErrorCode why, const std::string& message) : std::runtime_error(message), code(why) {}
    ErrorCode code;
};

// Members of messages, which a client may have got wrong. All throw RequestFailure.
const Json& member(const Json& object, const char* name);
const std::string& text_member(const Json& object, const char* name);
uint32_t number_member(const Json& object, const char* name);
Place place_from(const Json& position);
Range range_from(const Json& range);
// nullptr if there is none, at any step.
const Json* find_member(const Json& object, std::initializer_list<const char*> path);

// The folders that a client has opened, of the parameters of its first request.
std::vector<std::string> folders_from(const Json& params);

Json response(const Json& id, Json result);
Json failure(const Json& id, ErrorCode code, const std::string& message);
Json notification(const char* method, Json params);

Json to_json(const Place& place);
Json to_json(const Range& range);

// The form in which a client wants diagnostics.
struct DiagnosticForm {
    Encoding encoding = Encoding::utf16;
    bool related_information = false;
    std::string rules; // the page of the rules; empty: there is none
    std::function<std::string(const std::string& path)> uri_of;
};
// Returns where a place in a text is in its file.
using PlaceOf = std::function<std::optional<FileRange>(const Location&)>;
// Nothing for a finding in no file.
std::optional<Json> to_json(const Diagnostic& finding, const PlaceOf& place_of, const DiagnosticForm& form);
// At most `most` of a file's findings, and then one that counts the others.
Json shown_findings(const std::vector<const Diagnostic*>& findings, size_t most, const PlaceOf& place_of,
                    const DiagnosticForm& form);

} // namespace opcat::lsp
