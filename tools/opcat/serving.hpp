// Serves catalogs until a signal ends it: loading, reloading, logging.
#pragma once

#include "catalog_options.hpp"
#include "opcat/serve/catalog_loader.hpp"
#include "opcat/serve/tls.hpp"

#include <optional>
#include <string>
#include <vector>

namespace opcat {

class Session;

enum class LogFormat : uint8_t { text, json, none };

struct ServingOptions {
    std::vector<serve::ServedSource> sources;
    serve::ServerOptions server;
    bool web = true;                           // pages for browsers
    std::optional<std::chrono::seconds> watch; // how often directories are looked at
    std::chrono::seconds drain{20};
    LogFormat log = LogFormat::text;
    std::string termination_log; // a file for the reason of a start that failed; empty: none
    bool only_check = false;     // load and check, and serve nothing
    bool shows_check = false;    // with only_check: print what would be served
    bool log_requests = false;   // except those about health
    ImageFlags images;
    std::shared_ptr<serve::Tls> tls; // the one in `server`, to be reloaded; null: none
};

// Sets the exit status. Throws Error for catalogs and addresses that are not available.
void serve_catalogs(const ServingOptions& options, Session& session);

} // namespace opcat
