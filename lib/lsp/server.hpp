// The language server: what a client asks and says, and the answers.
#pragma once

#include "opcat/base/thread_pool.hpp"
#include "opcat/lsp/features.hpp"
#include "opcat/lsp/graph_page.hpp"
#include "opcat/lsp/messages.hpp"
#include "opcat/lsp/open_catalogs.hpp"
#include "opcat/lsp/protocol.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

namespace opcat::lsp {

struct ServerSettings {
    std::string version; // of opcat
    std::string rules;   // the page of the rules, a URL; empty: there is none
};

class LanguageServer {
public:
    LanguageServer(ServerSettings settings, ThreadPool& pool, std::function<void(const Json&)> send)
        : settings_(std::move(settings)), catalogs_(pool), send_(std::move(send)) {}

    // One message of the client. `is_cancelled`: it does not want the answer any more.
    void handle(const Json& message, bool is_cancelled);

    // Checks what has changed and sends the findings. To be called when nothing else waits: what was typed
    // meanwhile is then in one analysis.
    void publish();

    // Looks at the files on the disk if the client does not, or if some could not be read. To be called now
    // and then.
    void look_at_files();

    bool has_exited() const { return has_exited_; }
    bool was_shut_down() const { return state_ == State::shut_down; }

private:
    enum class State : uint8_t { started, initialized, shut_down };

    struct OpenDocument {
        std::string uri; // as the client writes it
        int64_t version = 0;
        CatalogAnalysis* analysis = nullptr; // nullptr: it is not a file of a catalog
        std::string text;                    // then
        bool has_findings = false;           // the client shows some of such a file
    };

    Json answer(const std::string& method, const Json& params);
    void notice(const std::string& method, const Json& params);
    Json initialize(const Json& params);
    void initialized();
    void did_open(const Json& params);
    void did_change(const Json& params);
    void did_close(const Json& params);

    Json about_text(const std::string& method, const Json& params);
    Json execute(const Json& params);
    Json show_graph(const Json& params, bool as_text);
    TextView view_of(const Json& text_document);
    const FieldSchemas& schemas_of(const TextView& view);
    void publish_of_no_catalog(const std::string& path);

    // The open document that a message names by its URI; nullptr: none.
    std::map<std::string, OpenDocument>::iterator find_open(const Json& text_document);
    std::string uri_of(const std::string& path) const;
    void publish(const std::string& path, const CatalogAnalysis& analysis);
    void log_problems();

    ServerSettings settings_;
    OpenCatalogs catalogs_;
    std::function<void(const Json&)> send_;
    DiagnosticForm form_;
    State state_ = State::started;
    bool has_exited_ = false;
    bool client_watches_ = false;
    bool can_register_watches_ = false;
    bool can_show_documents_ = false;
    std::map<std::string, OpenDocument> documents_; // by path
    std::set<std::string> changed_;                 // of those, the ones that are in no catalog
    std::map<std::string, std::string> published_;  // by path: what the client shows
    std::map<std::shared_ptr<const Schemas>, FieldSchemas> schemas_;
    GraphPage graph_page_;
    size_t shown_graphs_ = 0; // each is a request with an id of its own
};

} // namespace opcat::lsp
