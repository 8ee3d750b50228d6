// The name grpc_health_probe: images of catalogs have a program of that name, which OLM's probes run.
#pragma once

#include <span>

namespace opcat {

class Session;

// `words` are those after the name. Returns the exit status.
int probe_health(std::span<const char* const> words, Session& session);

} // namespace opcat
