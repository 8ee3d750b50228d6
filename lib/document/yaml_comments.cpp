#include "document/yaml_comments.hpp"

#include "document/libyaml.hpp"
#include "document/stream.hpp"

namespace opcat {
namespace {

class Search {
public:
    explicit Search(const SourceFile& file) : file_(file), bytes_(file.bytes()) {}

    std::vector<Location> run() {
        Diagnostics ignored;
        uint32_t end = 0;
        for (const DocumentRange& range : split_into_documents(file_, ignored)) {
            add_all(end, range.begin); // the lines of separators
            if (range.notation == Notation::yaml) search(range);
            end = range.end;
        }
        add_all(end, static_cast<uint32_t>(bytes_.size()));
        return std::move(found_);
    }

private:
    // Only scalars may hold a '#' behind a blank that begins no comment.
    void search(const DocumentRange& range) {
        const std::string_view text = bytes_.substr(range.begin, range.end - range.begin);
        if (text.find('#') == text.npos) return;
        LibyamlParser parser(text);
        ByteOffsets offsets(text, range.begin);
        uint32_t end = range.begin;
        while (true) {
            yaml_token_t token;
            if (!yaml_parser_scan(&parser.get(), &token)) break;
            const bool ended = token.type == YAML_STREAM_END_TOKEN;
            if (token.type == YAML_SCALAR_TOKEN) {
                uint32_t begin = offsets.of(token.start_mark);
                const auto style = token.data.scalar.style;
                // Behind the '|' or '>' of a block there may be a comment.
                if (style == YAML_LITERAL_SCALAR_STYLE || style == YAML_FOLDED_SCALAR_STYLE)
                    begin = static_cast<uint32_t>(std::min(bytes_.find('\n', begin), bytes_.size()));
                add_all(end, begin);
                end = std::max(begin, offsets.of(token.end_mark));
            }
            yaml_token_delete(&token);
            if (ended) break;
        }
        add_all(end, range.end);
    }

    void add_all(uint32_t begin, uint32_t end) {
        for (size_t at = bytes_.find('#', begin); at < end; at = bytes_.find('#', at + 1)) {
            if (at > 0 && std::string_view(" \t\r\n").find(bytes_[at - 1]) == std::string_view::npos)
                continue; // part of an anchor or a tag
            const size_t line_end = std::min(bytes_.find_first_of("\r\n", at), bytes_.size());
            found_.push_back({&file_, static_cast<uint32_t>(at), static_cast<uint32_t>(line_end - at)});
            at = line_end - 1;
        }
    }

    const SourceFile& file_;
    std::string_view bytes_;
    std::vector<Location> found_;
};

} // namespace

std::vector<Location> find_yaml_comments(const SourceFile& file) {
    return Search(file).run();
}

} // namespace opcat
