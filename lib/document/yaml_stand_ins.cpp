#include "document/yaml_stand_ins.hpp"

#include "support/text.hpp"

#include <algorithm>

namespace opcat {
namespace {

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
constexpr std::string_view meanings[] = {"", "'", ":", byte_order_mark};
constexpr size_t original_sizes[] = {1, 1, 1, byte_order_mark.size()};

// Each exchange makes the text anew, and libyaml begins again.
constexpr size_t most_bytes_made = size_t{256} << 20;

bool is_utf16(std::string_view document) {
    return document.starts_with("\xff\xfe") || document.starts_with("\xfe\xff");
}

} // namespace

YamlStandIns::YamlStandIns(std::string_view document) : document_(document) {
    if (!is_utf16(document))
        for (size_t at = document.find(byte_order_mark, 1); at != document.npos;
             at = document.find(byte_order_mark, at + 1))
            add(at, mark);
    if (!exchanged_.empty() || !document.ends_with('\n')) make_text();
}

bool YamlStandIns::exchange(std::string_view problem, size_t at) {
    if (made_ > most_bytes_made) return false;
    const size_t before = exchanged_.size();
    if (problem == "found unexpected ':'" && document_.substr(at).starts_with(':')) {
        add(at, colon);
    } else if (problem == "found unknown escape character") {
        // The others up to the end of the quoted text are as good as this one.
        while (at < document_.size() && document_[at] != '"') {
            if (document_.substr(at).starts_with("\\'")) {
                add(at, nothing);
                add(at + 1, quote);
            }
            at += document_[at] == '\\' ? 2 : 1;
        }
    }
    if (exchanged_.size() == before) return false;
    make_text();
    return true;
}

std::string YamlStandIns::restored(std::string_view read) const {
    std::string text(read);
    for (size_t kind = 0; kind < private_.size(); ++kind)
        if (!private_[kind].empty()) text = replace_all(std::move(text), private_[kind], meanings[kind]);
    return text;
}

size_t YamlStandIns::place(size_t in_text) const {
    size_t added = 0; // bytes, by the exchanges in front of it
    for (const auto& [at, kind] : exchanged_) {
        if (in_text <= at + added) break;
        added += private_[kind].size() - original_sizes[kind];
    }
    return std::min(in_text - added, document_.size());
}

void YamlStandIns::add(size_t at, Kind kind) {
    exchanged_[at] = kind;
    if (!private_[kind].empty()) return;
    char32_t code_point = 0xe000 + kind;
    do {
        private_[kind].clear();
        append_utf8(private_[kind], code_point);
        code_point += static_cast<char32_t>(private_.size()); // so that no two kinds have the same
    } while (document_.find(private_[kind]) != document_.npos);
}

void YamlStandIns::make_text() {
    text_.clear();
    size_t done = 0;
    for (const auto& [at, kind] : exchanged_) {
        text_ += document_.substr(done, at - done);
        text_ += private_[kind];
        done = at + original_sizes[kind];
    }
    text_ += document_.substr(done);
    if (!text_.ends_with('\n')) text_ += '\n';
    made_ += text_.size();
}

} // namespace opcat
