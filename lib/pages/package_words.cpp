#include "opcat/pages/package_words.hpp"

#include "opcat/base/text.hpp"
#include "opcat/catalog/properties.hpp"

#include <algorithm>
#include <span>

namespace opcat::pages {
namespace {

bool is_part_of_word(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || byte >= 0x80;
}

} // namespace

std::vector<std::string> words_in(std::string_view text) {
    std::vector<std::string> words(1);
    for (const char c : ascii_lower(text)) {
        if (is_part_of_word(c))
            words.back() += c;
        else if (!words.back().empty())
            words.emplace_back();
    }
    if (words.back().empty()) words.pop_back();
    return words;
}

double likeness(const std::string& wanted, const std::vector<std::string>& words) {
    constexpr size_t least_for_slip = 4;
    double best = 0;
    for (const std::string& word : words) {
        double found = 0;
        if (word == wanted)
            found = 1;
        else if (word.starts_with(wanted))
            found = 0.8;
        else if (wanted.size() > 2 && word.find(wanted) != std::string::npos)
            found = 0.5;
        else if (const std::string_view known = word;
                 wanted.size() >= least_for_slip && !misspelt(wanted, std::span(&known, 1)).empty())
            found = 0.4;
        best = std::max(best, found);
    }
    return best;
}

std::vector<WordField> word_fields(const PackageGraph& package, const Presentation& said) {
    std::vector<WordField> fields{{"name", 10, std::string(package.name)},
                                  {"display name", 8, said.display_name},
                                  {"provider", 4, said.provider},
                                  {"category", 4, said.categories},
                                  {"summary", 3, said.summary},
                                  {"description", 1, said.description}};
    if (package.package) fields.push_back({"description", 1, std::string(package.package->description)});
    for (const std::string& keyword : said.keywords) fields.push_back({"keyword", 6, keyword, true});
    const Bundle* const head = package.default_head();
    if (!head) return fields;
    for (const Property& property : head->properties) {
        if (property.type != property_type::gvk || !property.value || !property.value->is_object()) continue;
        if (const Value* const kind = property.value->find("kind"))
            fields.push_back({"kind", 6, std::string(kind->string_or_empty()), true});
    }
    return fields;
}

} // namespace opcat::pages
