// `opcat mcp`: opcat's answers for agents and editors, by the Model Context Protocol (2025-06-18) on standard
// input and output: a JSON-RPC message on each line. Every tool is a command that only reads, run as a
// process of its own, so that its answer is what the command prints and a hostile catalog ends at most that.
#include "command.hpp"
#include "commands.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/json.hpp"
#include "opcat/base/platform.hpp"
#include "opcat/base/process.hpp"
#include "opcat/base/text.hpp"
#include "terminal/session.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <iterator>

namespace opcat {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t most_bytes_of_a_message = size_t{1} << 20;
constexpr size_t most_bytes_of_an_answer = size_t{16} << 20;
constexpr std::chrono::minutes most_time_of_a_call{2};
constexpr const char* newest_protocol = "2025-06-18";
constexpr std::string_view protocols[] = {"2024-11-05", "2025-03-26", newest_protocol};

// ---- the tools

enum class Kind : uint8_t { text, list };

struct Parameter {
    const char* name;
    const char* meaning;
    const char* flag; // "--package"; nullptr: an argument without a flag, in this order
    bool is_required = false;
    Kind kind = Kind::text;
};

struct Tool {
    const char* name;
    const char* meaning;
    std::initializer_list<const char*> command;
    std::initializer_list<Parameter> parameters;
};

constexpr const char* catalog_meaning = "A catalog: a directory, file, image or layout";

const Tool tools[] = {
    {"list_packages",
     "The packages of a catalog with their default channels",
     {"list", "packages", "-o", "json"},
     {{"catalog", catalog_meaning, nullptr, true}}},
    {"show_package",
     "The channels and bundles of a package, with versions and upgrade edges",
     {"list", "bundles", "-o", "json"},
     {{"catalog", catalog_meaning, nullptr, true},
      {"package", "The package", "--package", true},
      {"channel", "Only this channel", "--channel"}}},
    {"validate",
     "All mistakes in catalogs or bundles, with place, rule and help",
     {"validate", "--format", "json"},
     {{"catalogs", "Catalogs, templates or bundles", nullptr, true, Kind::list},
      {"policy", "Instead the verdict of a pipeline, or of OLM v1: konflux, community, certified, olm-v1",
       "--policy"}}},
    {"diff",
     "What changed between two catalogs, and which installed versions it affects",
     {"diff", "-o", "json"},
     {{"old", "The catalog before", nullptr, true}, {"new", "The catalog after", nullptr, true}}},
    {"upgrade_path",
     "The upgrades that users of a version get with both OLMs, step by step, with reasons",
     {"graph", "-o", "json"},
     {{"catalog", catalog_meaning, nullptr, true},
      {"package", "The package", "--package", true},
      {"from", "The installed version or bundle", "--from", true},
      {"to", "The wanted version or bundle", "--to"}}},
    {"resolve",
     "Which bundle OLM v1 installs or upgrades to, and why not another",
     {"resolve", "v1", "-o", "json"},
     {{"package", "The package", nullptr, true},
      {"catalogs", "Catalogs", "--catalog", true, Kind::list},
      {"installed", "The installed version or bundle", "--installed"},
      {"version", "A range of versions", "--version"},
      {"channels", "Channels", "--channel", false, Kind::list}}},
    {"plan",
     "The upgrades of a cluster's operators along the versions of OpenShift: what to do before each step, "
     "what blocks",
     {"plan", "-o", "json"},
     {{"cluster_version", "The version that the cluster runs, such as 4.16.32", "--cluster-version", true},
      {"to", "The minor version of OpenShift to reach, such as 4.18", "--to", true},
      {"catalogs", "A catalog for each minor version, as VERSION=REF, or one REF with {version} in it",
       "--catalog", true, Kind::list},
      {"installed", "Installed operators: NAME[@VERSION][,channel=C][,olm=v1][,namespace=N][,manual]",
       "--installed", false, Kind::list},
      {"cluster", "In place of `installed`: files with manifests of the cluster", "--cluster", false,
       Kind::list},
      {"at", "The day whose support counts, such as 2027-01-31 (default: today)", "--at"}}},
    {"query",
     "Ask catalogs in SQL (SQLite): tables packages, channels, entries, edges, bundles, properties, apis, "
     "dependencies, images, install_modes, deprecations, lifecycles, blobs, findings",
     {"query", "-o", "json"},
     {{"catalogs", "Catalogs, as REF or NAME=REF", nullptr, true, Kind::list},
      {"sql", "One SELECT; query_tables shows the columns", nullptr, true}}},
    {"query_tables", "The tables and columns that `query` knows", {"query", "--tables"}, {}},
    {"explain_rule",
     "What a rule of findings means and how to correct it",
     {"explain"},
     {{"rule", "The rule, such as channel-heads", nullptr, true}}},
};

Json description_of(const Tool& tool) {
    Json properties = Json::object();
    Json required = Json::array();
    for (const Parameter& one : tool.parameters) {
        Json schema{{"type", "string"}};
        if (one.kind == Kind::list)
            schema = {{"type", "array"}, {"items", {{"type", "string"}}}, {"minItems", 1}};
        schema["description"] = one.meaning;
        properties[one.name] = std::move(schema);
        if (one.is_required) required.push_back(one.name);
    }
    return {{"name", tool.name},
            {"description", tool.meaning},
            {"inputSchema",
             {{"type", "object"},
              {"properties", std::move(properties)},
              {"required", std::move(required)},
              {"additionalProperties", false}}},
            {"annotations", {{"readOnlyHint", true}}}};
}

// A mistake of a client, for JSON-RPC.
struct Refusal {
    int code;
    std::string message;
};
constexpr int parse_error = -32700;
constexpr int invalid_request = -32600;
constexpr int method_not_found = -32601;
constexpr int invalid_params = -32602;

// The values of a parameter. Throws Refusal.
std::vector<std::string> values_of(const Tool& tool, const Parameter& parameter, const Json& given) {
    const auto refuse = [&](std::string_view why) {
        return Refusal{invalid_params, fmt::format("{}: \"{}\" {}", tool.name, parameter.name, why)};
    };
    const auto found = given.find(parameter.name);
    if (found == given.end()) {
        if (parameter.is_required) throw refuse("is missing");
        return {};
    }
    std::vector<std::string> values;
    const auto add = [&](const Json& value) {
        if (!value.is_string())
            throw refuse(parameter.kind == Kind::list ? "is not a list of texts" : "is not a text");
        values.push_back(value.get<std::string>());
        if (values.back().empty() || values.back().find('\0') != std::string::npos) throw refuse("is empty");
        // Also of a catalog with a name: "v4.16=-".
        if (values.back() == "-" || (parameter.kind == Kind::list && values.back().ends_with("=-")))
            throw refuse("may not be standard input, which is the client's");
    };
    if (parameter.kind == Kind::text)
        add(*found);
    else if (!found->is_array() || found->empty())
        throw refuse("is not a list of texts");
    else
        for (const Json& value : *found) add(value);
    return values;
}

// No value is taken for a flag. Throws Refusal.
std::vector<std::string> arguments_for(const Tool& tool, const Json& given) {
    if (!given.is_object())
        throw Refusal{invalid_params, fmt::format("{}: the arguments are not an object", tool.name)};
    for (const auto& [name, value] : given.items())
        if (std::none_of(tool.parameters.begin(), tool.parameters.end(),
                         [&name = name](const Parameter& one) { return name == one.name; }))
            throw Refusal{invalid_params, fmt::format("{} does not have an argument \"{}\"", tool.name,
                                                      escape_controls(name))};
    std::vector<std::string> arguments(tool.command.begin(), tool.command.end());
    std::vector<std::string> others;
    for (const Parameter& parameter : tool.parameters)
        for (std::string& value : values_of(tool, parameter, given)) {
            if (parameter.flag)
                arguments.push_back(fmt::format("{}={}", parameter.flag, value));
            else
                others.push_back(std::move(value));
        }
    if (!others.empty()) arguments.emplace_back("--");
    arguments.insert(arguments.end(), others.begin(), others.end());
    return arguments;
}

// ---- the protocol

Json text_result(const std::string& text, bool is_error) {
    return {{"content", Json::array({{{"type", "text"}, {"text", text}}})}, {"isError", is_error}};
}

Json call(const Tool& tool, const Json& given) {
    std::vector<std::string> arguments = arguments_for(tool, given);
    arguments.insert(arguments.begin(), own_program().string());
    try {
        const ProcessResult done = run_process(
            {.arguments = std::move(arguments),
             .timeout = std::chrono::duration_cast<std::chrono::milliseconds>(most_time_of_a_call),
             .max_output = most_bytes_of_an_answer,
             .environment = {"NO_COLOR=1"}});
        // With findings and changes, too, the answer is what was printed.
        const bool has_answer = done.exit_status == exit_ok || done.exit_status == exit_findings;
        if (has_answer && !done.out.empty()) return text_result(done.out, false);
        return text_result(done.err.empty() ? done.out : done.err, !has_answer || done.out.empty());
    } catch (const Error& error) {
        return text_result(error.what(), true);
    }
}

Json answer_to(const std::string& method, const Json& params) {
    const auto text = [&](const char* name) {
        const auto found = params.is_object() ? params.find(name) : params.end();
        return params.is_object() && found != params.end() && found->is_string() ? found->get<std::string>()
                                                                                 : std::string();
    };
    if (method == "initialize") {
        const std::string wanted = text("protocolVersion");
        const bool is_known =
            std::find(std::begin(protocols), std::end(protocols), wanted) != std::end(protocols);
        return {{"protocolVersion", is_known ? wanted : newest_protocol},
                {"capabilities", {{"tools", Json::object()}}},
                {"serverInfo", {{"name", "opcat"}, {"version", OPCAT_VERSION}}},
                {"instructions",
                 "Reads catalogs of Kubernetes operators (file-based catalogs). Nothing is changed."}};
    }
    if (method == "ping") return Json::object();
    if (method == "tools/list") {
        Json list = Json::array();
        for (const Tool& tool : tools) list.push_back(description_of(tool));
        return {{"tools", std::move(list)}};
    }
    if (method != "tools/call")
        throw Refusal{method_not_found, fmt::format("there is no method {}", escape_controls(method))};
    const std::string name = text("name");
    const auto* const tool =
        std::find_if(std::begin(tools), std::end(tools), [&](const Tool& one) { return name == one.name; });
    if (tool == std::end(tools))
        throw Refusal{invalid_params, fmt::format("there is no tool \"{}\"", escape_controls(name))};
    return call(*tool, params.contains("arguments") ? params["arguments"] : Json::object());
}

void send(Json message, Session& session) {
    message["jsonrpc"] = "2.0";
    session.out.write(message.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
    session.out.flush();
}

void refuse(const Json& id, const Refusal& refusal, Session& session) {
    send({{"id", id}, {"error", {{"code", refusal.code}, {"message", refusal.message}}}}, session);
}

void handle(std::string_view line, Session& session) {
    const auto parsed = parse_shallow_json<Json>(line, deepest_message);
    if (!parsed)
        return refuse({},
                      {parse_error, fmt::format("this line is not JSON, or is nested deeper than {} levels",
                                                deepest_message)},
                      session);
    const Json& message = *parsed;
    const bool is_request =
        message.is_object() && message.contains("method") && message["method"].is_string();
    const bool is_answer = message.is_object() && (message.contains("result") || message.contains("error"));
    if (is_answer) return;
    if (!is_request) return refuse({}, {invalid_request, "this is not a request of JSON-RPC"}, session);
    // Notifications have no answer, and none of them changes anything here.
    if (!message.contains("id")) return;
    const Json id = message["id"];
    try {
        const Json params = message.contains("params") ? message["params"] : Json::object();
        send({{"id", id}, {"result", answer_to(message["method"].get<std::string>(), params)}}, session);
    } catch (const Refusal& refusal) {
        refuse(id, refusal, session);
    }
}

void answer_all(Session& session) {
    if (::isatty(0))
        session.print("opcat mcp waits for a client on standard input (docs/query.md); end it with Ctrl-D\n");
    std::string waiting;
    bool skips = false; // the rest of a line that is too long
    char buffer[64 * 1024];
    while (true) {
        const ssize_t count = ::read(0, buffer, sizeof buffer);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) { // the last line may end with the input
            if (!skips && waiting.find_first_not_of(" \t\r") != std::string::npos) handle(waiting, session);
            return;
        }
        for (std::string_view part(buffer, static_cast<size_t>(count)); !part.empty();) {
            const size_t end = part.find('\n');
            if (!skips) waiting += part.substr(0, end);
            part.remove_prefix(end == part.npos ? part.size() : end + 1);
            if (waiting.size() > most_bytes_of_a_message) {
                refuse({}, {invalid_request, "the message is larger than 1 MiB"}, session);
                waiting.clear();
                skips = true;
            }
            if (end == std::string_view::npos) continue;
            if (!skips && waiting.find_first_not_of(" \t\r") != std::string::npos) handle(waiting, session);
            waiting.clear();
            skips = false;
        }
    }
}

} // namespace

void add_mcp(Command tree, Session& session) {
    const Command command =
        tree.add_command("mcp", "Answer agents and editors by the Model Context Protocol, on standard input");
    command.footer("Every tool only reads: list_packages, show_package, validate, diff, upgrade_path, "
                   "resolve, plan, query, "
                   "query_tables, explain_rule.\n\n"
                   "Example, which clients start by themselves, with "
                   "{\"mcpServers\": {\"opcat\": {\"command\": \"opcat\", \"args\": [\"mcp\"]}}}:\n"
                   "  opcat mcp");
    command.callback([&session] { answer_all(session); });
}

} // namespace opcat
