#include "opcat/lsp/server.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/file_uri.hpp"
#include "opcat/base/json.hpp"
#include "opcat/lsp/document_findings.hpp"
#include "opcat/lsp/outline.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <new>
#include <utility>

namespace opcat::lsp {

// Shows the page of a package's upgrade graph. Its argument is a TextDocumentPositionParams.
constexpr std::string_view show_graph_command = "opcat.showGraph";

void LanguageServer::handle(const Json& message, bool is_cancelled) {
    const Json* const method = find_member(message, {"method"});
    const Json* const id = find_member(message, {"id"});
    if (!method && id && (message.contains("result") || message.contains("error"))) return; // an answer to us
    if (!message.is_object() || !method || !method->is_string()) {
        const bool is_json = !message.is_object() || !message.contains("opcat-parse-error");
        send_(failure(id ? *id : Json(), is_json ? ErrorCode::invalid_request : ErrorCode::parse_error,
                      is_json ? "the message has no method" : "the message is not JSON"));
        return;
    }
    const std::string& name = method->get_ref<const std::string&>();
    const Json params = message.value("params", Json::object());
    if (!id) {
        try {
            notice(name, params);
        } catch (const std::bad_alloc&) {
            // Otherwise our text would differ from the editor's from now on.
            throw Error(fmt::format("cannot follow the editor ({}): there is not enough memory", name),
                        "give the server more memory; editors restart it");
        } catch (const std::exception& refused) {
            send_(notification("window/logMessage",
                               {{"type", 1}, {"message", fmt::format("{}: {}", name, refused.what())}}));
        }
        return;
    }
    // Whatever goes wrong with one request, the next one is answered.
    Json reply;
    try {
        if (is_cancelled) throw RequestFailure(ErrorCode::request_cancelled, "the request was cancelled");
        reply = response(*id, answer(name, params));
    } catch (const RequestFailure& refused) {
        reply = failure(*id, refused.code, refused.what());
    } catch (const Error& error) {
        reply = failure(*id, ErrorCode::request_failed, error.what());
    } catch (const std::bad_alloc&) {
        reply = failure(*id, ErrorCode::request_failed, "there is not enough memory");
    } catch (const std::exception& error) {
        reply = failure(*id, ErrorCode::internal_error, error.what());
    }
    send_(reply);
    if (name == "initialize" && state_ == State::initialized) log_problems();
}

Json LanguageServer::answer(const std::string& method, const Json& params) {
    if (method == "initialize") return initialize(params);
    if (state_ == State::started)
        throw RequestFailure(ErrorCode::server_not_initialized, "the first request must be initialize");
    if (state_ == State::shut_down)
        throw RequestFailure(ErrorCode::invalid_request, "the server was shut down");
    if (method == "shutdown") {
        state_ = State::shut_down;
        return nullptr;
    }
    if (method == "workspace/symbol") {
        constexpr size_t most = 500;
        Json all = Json::array();
        for (const auto& catalog : catalogs_.catalogs())
            for (Json& symbol : to_json(find_symbols(*catalog->analysis, text_member(params, "query"),
                                                     most - std::min(most, all.size()), form_.encoding),
                                        form_))
                all.push_back(std::move(symbol));
        return all;
    }
    if (method == "workspace/executeCommand") return execute(params);
    if (method == "opcat/graph") return show_graph(params, true);
    if (method.starts_with("textDocument/")) return about_text(method, params);
    throw RequestFailure(ErrorCode::method_not_found, fmt::format("there is no request \"{}\"", method));
}

TextView LanguageServer::view_of(const Json& text_document) {
    const auto found = find_open(text_document);
    if (found == documents_.end())
        throw RequestFailure(ErrorCode::invalid_params, "the document is not open");
    const auto& [path, open] = *found;
    const auto& catalogs = catalogs_.catalogs();
    return {path, open.analysis, open.text, catalogs.empty() ? nullptr : catalogs.front()->analysis.get()};
}

const FieldSchemas& LanguageServer::schemas_of(const TextView& view) {
    const CatalogAnalysis* const analysis = view.analysis ? view.analysis : view.meant;
    const std::shared_ptr<const Schemas> schemas = analysis ? analysis->settings().schemas : nullptr;
    const auto found = schemas_.find(schemas);
    if (found != schemas_.end()) return found->second;
    return schemas_.emplace(schemas, FieldSchemas(schemas ? schemas : std::make_shared<const Schemas>()))
        .first->second;
}

Json LanguageServer::about_text(const std::string& method, const Json& params) {
    const TextView view = view_of(member(params, "textDocument"));
    const Features features(form_, schemas_of(view));
    if (method == "textDocument/documentSymbol") return features.symbols(view);
    if (method == "textDocument/foldingRange") return features.folds(view);
    if (method == "textDocument/formatting") return features.formatting(view);
    if (method == "textDocument/codeAction") {
        std::vector<std::string> only;
        if (const Json* const kinds = find_member(params, {"context", "only"}); kinds && kinds->is_array())
            for (const Json& kind : *kinds)
                if (kind.is_string()) only.push_back(kind.get<std::string>());
        return features.actions(view, range_from(member(params, "range")), only);
    }
    const Place place = place_from(member(params, "position"));
    // Clients ask for one of these wherever the cursor goes.
    if (const auto named = features.mention(view, place)) graph_page_.follow(named->thing);
    if (method == "textDocument/completion") return features.completion(view, place);
    if (method == "textDocument/hover") return features.hover(view, place);
    if (method == "textDocument/definition") return features.definition(view, place);
    if (method == "textDocument/documentHighlight") return features.highlights(view, place);
    if (method == "textDocument/prepareRename") return features.prepare_rename(view, place);
    if (method == "textDocument/rename") return features.rename(view, place, text_member(params, "newName"));
    if (method == "textDocument/references") {
        const Json* const with = find_member(params, {"context", "includeDeclaration"});
        return features.references(view, place, with && with->is_boolean() && with->get<bool>());
    }
    throw RequestFailure(ErrorCode::method_not_found, fmt::format("there is no request \"{}\"", method));
}

Json LanguageServer::execute(const Json& params) {
    const std::string& command = text_member(params, "command");
    if (command != show_graph_command)
        throw RequestFailure(ErrorCode::invalid_params, fmt::format("there is no command \"{}\"", command));
    const Json& arguments = member(params, "arguments");
    if (!arguments.is_array() || arguments.empty())
        throw RequestFailure(ErrorCode::invalid_params, "the command needs a place in a text");
    return show_graph(arguments.front(), false);
}

Json LanguageServer::show_graph(const Json& params, bool as_text) {
    const TextView view = view_of(member(params, "textDocument"));
    const Features features(form_, schemas_of(view));
    const auto named = features.mention(view, place_from(member(params, "position")));
    if (!named)
        throw RequestFailure(ErrorCode::request_failed,
                             "put the cursor on the name of a package, a channel or a bundle");
    const std::string bundle = named->thing.kind == ThingKind::bundle ? named->thing.name : std::string();
    Json result{{"package", named->thing.package}, {"bundle", bundle}};
    try {
        if (as_text) {
            result["html"] = graph_page(*view.analysis, named->thing.package);
            return result;
        }
        result["uri"] = uri_of_path(graph_page_.open(*view.analysis, named->thing.package, bundle));
    } catch (const Error& error) {
        throw RequestFailure(ErrorCode::request_failed, error.what());
    }
    if (can_show_documents_)
        send_({{"jsonrpc", "2.0"},
               {"id", fmt::format("graph-{}", ++shown_graphs_)},
               {"method", "window/showDocument"},
               {"params", {{"uri", result["uri"]}, {"external", true}}}});
    return result;
}

void LanguageServer::notice(const std::string& method, const Json& params) {
    if (method == "exit") {
        has_exited_ = true;
        return;
    }
    if (state_ != State::initialized) return;
    if (method == "initialized") return initialized();
    if (method == "textDocument/didOpen") return did_open(params);
    if (method == "textDocument/didChange") return did_change(params);
    if (method == "textDocument/didClose") return did_close(params);
    // Another file may have changed with it.
    if (method == "workspace/didChangeWatchedFiles" || method == "textDocument/didSave")
        catalogs_.look_for_changes();
}

Json LanguageServer::initialize(const Json& params) {
    if (state_ != State::started)
        throw RequestFailure(ErrorCode::invalid_request, "the server is initialized already");
    std::vector<std::string> folders = folders_from(params);
    if (const Json* const list = find_member(params, {"initializationOptions", "catalogs"});
        list && list->is_array() && !folders.empty()) {
        std::vector<std::string> roots;
        for (const Json& root : *list)
            if (root.is_string())
                roots.push_back((std::filesystem::path(folders.front()) / root.get<std::string>())
                                    .lexically_normal()
                                    .string());
        catalogs_.set_catalogs(std::move(roots));
    }
    catalogs_.set_folders(std::move(folders));

    const auto supports = [&](std::initializer_list<const char*> path) {
        const Json* const value = find_member(params, path);
        return value && value->is_boolean() && value->get<bool>();
    };
    form_.related_information =
        supports({"capabilities", "textDocument", "publishDiagnostics", "relatedInformation"});
    if (supports({"capabilities", "textDocument", "publishDiagnostics", "codeDescriptionSupport"}))
        form_.rules = settings_.rules;
    form_.uri_of = [this](const std::string& path) { return uri_of(path); };
    can_show_documents_ = supports({"capabilities", "window", "showDocument", "support"});
    can_register_watches_ =
        supports({"capabilities", "workspace", "didChangeWatchedFiles", "dynamicRegistration"});
    if (const Json* const encodings = find_member(params, {"capabilities", "general", "positionEncodings"});
        encodings && encodings->is_array() &&
        std::find(encodings->begin(), encodings->end(), Json("utf-8")) != encodings->end())
        form_.encoding = Encoding::utf8;
    state_ = State::initialized;
    const Json capabilities{
        {"positionEncoding", form_.encoding == Encoding::utf8 ? "utf-8" : "utf-16"},
        {"textDocumentSync", {{"openClose", true}, {"change", 2}, {"save", {{"includeText", false}}}}},
        {"completionProvider", {{"triggerCharacters", {":", " ", "-", "\""}}}},
        {"hoverProvider", true},
        {"definitionProvider", true},
        {"referencesProvider", true},
        {"documentHighlightProvider", true},
        {"renameProvider", {{"prepareProvider", true}}},
        {"documentSymbolProvider", true},
        {"workspaceSymbolProvider", true},
        {"foldingRangeProvider", true},
        {"documentFormattingProvider", true},
        {"codeActionProvider",
         {{"codeActionKinds", {"quickfix", "refactor.rewrite", "source.fixAll.opcat"}}}},
        {"executeCommandProvider", {{"commands", Json::array({show_graph_command})}}}};
    return {{"serverInfo", {{"name", "opcat"}, {"version", settings_.version}}},
            {"capabilities", capabilities}};
}

void LanguageServer::initialized() {
    if (!can_register_watches_) return;
    client_watches_ = true;
    Json watchers = Json::array();
    for (const char* pattern : {"**/*.yaml", "**/*.yml", "**/*.json", "**/*.jsonl", "**/*.cue",
                                "**/.indexignore", "**/.opcat.yaml"})
        watchers.push_back({{"globPattern", pattern}});
    send_({{"jsonrpc", "2.0"},
           {"id", "watch"},
           {"method", "client/registerCapability"},
           {"params",
            {{"registrations",
              {{{"id", "watch"},
                {"method", "workspace/didChangeWatchedFiles"},
                {"registerOptions", {{"watchers", std::move(watchers)}}}}}}}}});
}

std::map<std::string, LanguageServer::OpenDocument>::iterator
LanguageServer::find_open(const Json& text_document) {
    const auto path = path_of_uri(text_member(text_document, "uri"));
    return path ? documents_.find(*path) : documents_.end();
}

void LanguageServer::did_open(const Json& params) {
    const Json& document = member(params, "textDocument");
    const std::string& uri = text_member(document, "uri");
    const auto path = path_of_uri(uri);
    if (!path) return; // of another program, such as the text of a comparison
    const std::string& text = text_member(document, "text");
    OpenDocument& open = documents_[*path];
    open.uri = uri;
    const Json* const version = find_member(document, {"version"});
    open.version = version && version->is_number_integer() ? version->get<int64_t>() : 0;
    open.analysis = catalogs_.open(*path, text);
    open.text = open.analysis ? std::string() : text;
    if (!open.analysis) changed_.insert(*path);
    published_.erase(*path);
}

void LanguageServer::did_change(const Json& params) {
    const Json& document = member(params, "textDocument");
    const auto found = find_open(document);
    if (found == documents_.end())
        throw RequestFailure(ErrorCode::invalid_params, "a document changes that is not open");
    auto& [path, open] = *found;
    const Json* const version = find_member(document, {"version"});
    if (version && version->is_number_integer()) {
        if (version->get<int64_t>() < open.version)
            throw RequestFailure(ErrorCode::invalid_params, "an old version comes after a new one");
        open.version = version->get<int64_t>();
    }
    const Json& changes = member(params, "contentChanges");
    if (!changes.is_array())
        throw RequestFailure(ErrorCode::invalid_params, "\"contentChanges\" must be a list");
    for (const Json& change : changes) {
        const std::string& text = text_member(change, "text");
        const Json* const range = find_member(change, {"range"});
        if (open.analysis && range)
            open.analysis->edit(path, range_from(*range), text, form_.encoding);
        else if (open.analysis)
            open.analysis->open(path, text);
        else if (range) {
            const LineIndex lines(open.text);
            const Range where = range_from(*range);
            const size_t begin = lines.byte(open.text, where.begin, form_.encoding);
            const size_t end = lines.byte(open.text, where.end, form_.encoding);
            open.text.replace(std::min(begin, end), std::max(begin, end) - std::min(begin, end), text);
        } else
            open.text = text;
    }
    if (open.analysis)
        if (CatalogAnalysis* const other = catalogs_.move_if_changed(path)) open.analysis = other;
    // It may be one now: an empty file was opened, and a template has been chosen.
    if (!open.analysis && looks_like_catalog(open.text)) {
        open.analysis = catalogs_.open(path, open.text);
        if (open.analysis) open.text.clear();
    }
    if (!open.analysis) changed_.insert(path);
}

void LanguageServer::did_close(const Json& params) {
    const auto found = find_open(member(params, "textDocument"));
    if (found == documents_.end()) return;
    const std::string path = found->first;
    documents_.erase(found);
    catalogs_.close(path);
    // It was not noted what the client shows, so the findings are sent again in any case.
    published_[path] = "of the open document";
}

std::string LanguageServer::uri_of(const std::string& path) const {
    const auto open = documents_.find(path);
    return open == documents_.end() ? uri_of_path(path) : open->second.uri;
}

void LanguageServer::look_at_files() {
    if (!client_watches_ || catalogs_.is_incomplete()) catalogs_.look_for_changes();
}

void LanguageServer::log_problems() {
    for (const std::string& problem : catalogs_.take_problems())
        send_(notification("window/logMessage", {{"type", 2}, {"message", problem}}));
}

void LanguageServer::publish() {
    log_problems();
    for (const std::string& path : std::exchange(changed_, {})) publish_of_no_catalog(path);
    for (const auto& catalog : catalogs_.catalogs()) {
        const std::set<std::string> changed = catalog->analysis->update();
        if (!changed.empty()) graph_page_.catalog_changed(*catalog->analysis);
        // Open files come first.
        for (const bool open : {true, false})
            for (const std::string& path : changed)
                if (documents_.contains(path) == open) publish(path, *catalog->analysis);
    }
}

// Publishes findings of files next to catalogs that say something about them.
void LanguageServer::publish_of_no_catalog(const std::string& path) {
    const auto open = documents_.find(path);
    if (open == documents_.end() || open->second.analysis) return;
    const SourceFile file(path, open->second.text);
    const auto found = find_in_document(file);
    if (!found && !open->second.has_findings) return; // of what it was before
    const LineIndex lines(file.bytes());
    const PlaceOf place_of = [&](const Location& where) -> std::optional<FileRange> {
        if (!where) return std::nullopt;
        return FileRange{path,
                         {lines.place(file.bytes(), where.offset, form_.encoding),
                          lines.place(file.bytes(), size_t{where.offset} + where.length, form_.encoding)}};
    };
    std::vector<const Diagnostic*> all;
    if (found)
        for (const Diagnostic& finding : *found) all.push_back(&finding);
    Json findings = shown_findings(all, all.size(), place_of, form_);
    open->second.has_findings = !findings.empty();
    send_(notification("textDocument/publishDiagnostics", {{"uri", open->second.uri},
                                                           {"version", open->second.version},
                                                           {"diagnostics", std::move(findings)}}));
}

void LanguageServer::publish(const std::string& path, const CatalogAnalysis& analysis) {
    const auto open = documents_.find(path);
    const size_t most = open == documents_.end() ? 100 : 2'000;
    const PlaceOf place_of = [&](const Location& where) { return analysis.place_of(where, form_.encoding); };
    Json params{{"uri", uri_of(path)},
                {"diagnostics", shown_findings(analysis.findings(path), most, place_of, form_)}};
    const bool nothing = params["diagnostics"].empty();
    if (open != documents_.end()) {
        params["version"] = open->second.version;
    } else {
        // A file that nobody looks at is only worth a message if there is something new about it.
        std::string text = nothing ? std::string() : as_line(params);
        std::string& before = published_[path];
        if (std::exchange(before, std::move(text)) == before) return;
    }
    send_(notification("textDocument/publishDiagnostics", std::move(params)));
}

} // namespace opcat::lsp
