// Where signatures of OpenPGP are: the files of stores, those of container engines and that of OpenShift's
// releases, and the API of OpenShift's registry.
#pragma once

#include "opcat/image/http.hpp"
#include "opcat/image/options.hpp"
#include "opcat/image/registry.hpp"

#include <string>
#include <vector>

namespace opcat::image {

// What signature-1, signature-2 and so on at a place have, up to the first that does not exist. `place`: a
// URL (https, http or file) without a slash at its end. Throws Error, also for more than 128 files.
std::vector<std::string> signature_files(HttpClient& http, const Options& options, const std::string& place);
// The URL of one of them, from 1.
std::string signature_url(const std::string& place, size_t number);
// What a registry that keeps signatures (RegistryClient::keeps_signatures) has of a manifest: messages of
// simple signing. Entries of other kinds are skipped, as container engines do. Throws Error.
std::vector<std::string> signatures_in_registry(RegistryClient& client, const Endpoint& endpoint,
                                                const std::string& digest);
// The URL of a directory on this machine.
std::string file_url(const std::string& directory);

} // namespace opcat::image
