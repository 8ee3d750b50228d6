// The structure of the text of a YAML document, according to libyaml: where keys, items and tokens are.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/document/libyaml.hpp"
#include "opcat/document/stream.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace opcat::yaml {

constexpr size_t none = SIZE_MAX;

// A key with its value, an item, or the root.
struct Node {
    size_t parent = none;
    bool is_key = false;
    bool is_collection = false;
    bool is_flow = false;     // between brackets
    bool is_sequence = false; // the value
    uint32_t begin = 0;       // the key, the dash of an item, or the value
    uint32_t value = 0;       // where that begins
    uint32_t end = 0;         // of a scalar or of brackets
    size_t column = 0;        // of `begin`, or of the question mark before the key
};

struct Token {
    yaml_token_type_t type;
    uint32_t begin;
    uint32_t end;
};

// The text of the line up to a place.
std::string_view line_before(std::string_view bytes, size_t at);

class Layout {
public:
    Layout(const SourceFile& file, const DocumentRange& range);

    // False if libyaml cannot scan the document.
    bool scan() { return scan_tokens() && parse_nodes(); }

    // In the order of the text; the first is the root.
    const std::vector<Node>& nodes() const { return nodes_; }
    const std::vector<Token>& tokens() const { return tokens_; }

    size_t column_of(uint32_t at) const { return line_before(bytes_, at).size(); }
    bool is_on_own_line(uint32_t at) const;

private:
    struct Key {
        uint32_t begin;
        size_t column;
    };

    struct Frame {
        size_t node;
        bool is_mapping;
        std::optional<Key> key; // that has been read, and waits for its value
    };

    bool scan_tokens();
    bool parse_nodes();
    void add(std::vector<Frame>& open, uint32_t begin, uint32_t end, bool is_collection, bool is_sequence,
             bool is_flow);
    void skip_tokens_before(uint32_t node);

    std::string_view bytes_;
    std::string_view text_;
    uint32_t base_;
    std::vector<Token> tokens_;
    std::vector<Node> nodes_;
    size_t next_token_ = 0;
    uint32_t last_dash_ = 0;
    std::optional<uint32_t> question_mark_; // of a key, if the next node is one that has it
};

} // namespace opcat::yaml
