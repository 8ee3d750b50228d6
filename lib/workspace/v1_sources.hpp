// What OLM v1 reads of catalogs, from references.
#pragma once

#include "opcat/resolve/v1/resolver.hpp"
#include "opcat/workspace/open.hpp"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace opcat {

// Catalogs by reference: each is opened and prepared for requests once.
class V1Sources {
public:
    // `pool` must outlive this.
    V1Sources(OpenOptions options, ThreadPool& pool) : options_(std::move(options)), pool_(pool) {}

    // Opens those that are not open yet, images side by side. `accept` gets the findings about each of them,
    // in their order, and says whether it can be used; false if one cannot. Throws as open_each() does.
    bool open(const std::vector<std::string>& references,
              const std::function<bool(const Diagnostics&)>& accept);

    // Opens it if that has not been done. A catalog that cannot be read has that error, in OLM's words. The
    // index stays where it is for as long as this lives.
    const olmv1::CatalogIndex& index(const std::string& reference);

    // Why OLM classic gets nothing of a catalog (refusal_by_opm); empty: it does.
    const std::string& refusal(const std::string& reference);
    // Those of all that are open, without empty ones.
    std::vector<std::string> refusals();

private:
    OpenOptions options_;
    ThreadPool& pool_;
    std::map<std::string, std::unique_ptr<olmv1::CatalogIndex>> indices_;
    std::map<std::string, std::string> refusals_;
};

} // namespace opcat
