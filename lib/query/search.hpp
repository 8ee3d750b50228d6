// Packages by words: in their names, descriptions, keywords and the kinds that they provide.
#pragma once

#include "opcat/base/thread_pool.hpp"
#include "opcat/query/tables.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace opcat::query {

struct FoundPackage {
    std::string_view catalog;
    std::string package;
    std::string display_name;
    std::string provider;
    std::string channel; // the default one
    std::string head;    // of it; empty: there is none, or several
    std::string version; // of the head
    std::string where;   // the field that matches best: "name", "keyword storage", "kind Bucket"
    double score = 0;
};

// Those in which every word is found, the best first: whole words before their beginnings, these before parts
// of words, these before words with a slip; names before keywords and kinds, these before
// descriptions. Letter case does not matter. Refers to the catalogs. Linear in the texts of the default
// heads.
std::vector<FoundPackage> search(const std::vector<NamedCatalog>& catalogs, std::string_view words,
                                 ThreadPool& pool);

} // namespace opcat::query
