// The words by which a package is found: the index of `opcat search`, and of the search field of pages
// (files/pages.js).
#pragma once

#include "opcat/olm/package_graph.hpp"
#include "opcat/pages/presentation.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace opcat::pages {

struct WordField {
    std::string_view name;
    int weight = 1;
    std::string text;
    bool is_word = false; // the text is one name, which a result shows
};

// Names before keywords and kinds, these before descriptions. `said`: of the default head.
std::vector<WordField> word_fields(const PackageGraph& package, const Presentation& said);

// In lower case: letters of ASCII, digits, and all that is not ASCII.
std::vector<std::string> words_in(std::string_view text);

// 1: one of the words is the wanted one; less for what is only near; 0: neither. Whole words before their
// beginnings, these before parts of words, these before words with a slip.
double likeness(const std::string& wanted, const std::vector<std::string>& words);

} // namespace opcat::pages
