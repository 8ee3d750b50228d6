#include "opcat/document/yaml_layout.hpp"

#include "opcat/document/yaml_text.hpp"

#include <utility>

namespace opcat::yaml {

std::string_view line_before(std::string_view bytes, size_t at) {
    std::string_view line = bytes.substr(0, at);
    line.remove_prefix(line.find_last_of("\r\n") + 1); // of none, npos + 1 is 0
    for (const std::string_view one : yaml_line_breaks)
        if (const size_t found = line.rfind(one); found != line.npos) line.remove_prefix(found + one.size());
    return line;
}

Layout::Layout(const SourceFile& file, const DocumentRange& range)
    : bytes_(file.bytes()), text_(bytes_.substr(range.begin, range.end - range.begin)), base_(range.begin) {}

bool Layout::is_on_own_line(uint32_t at) const {
    return line_before(bytes_, at).find_first_not_of(" \t") == std::string_view::npos;
}

bool Layout::scan_tokens() {
    LibyamlParser parser(text_);
    ByteOffsets offsets(text_, base_);
    for (bool ended = false; !ended;) {
        yaml_token_t token;
        if (!yaml_parser_scan(&parser.get(), &token)) return false;
        ended = token.type == YAML_STREAM_END_TOKEN;
        const uint32_t begin = offsets.of(token.start_mark);
        tokens_.push_back({token.type, begin, offsets.of(token.end_mark)});
        yaml_token_delete(&token);
    }
    return true;
}

bool Layout::parse_nodes() {
    LibyamlParser parser(text_);
    ByteOffsets offsets(text_, base_);
    std::vector<Frame> open;
    while (true) {
        yaml_event_t event;
        if (!yaml_parser_parse(&parser.get(), &event)) return false;
        const yaml_event_type_t type = event.type;
        const uint32_t begin = offsets.of(event.start_mark);
        const uint32_t end = offsets.of(event.end_mark);
        const bool is_sequence = type == YAML_SEQUENCE_START_EVENT;
        const bool is_flow = is_sequence ? event.data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE
                                         : type == YAML_MAPPING_START_EVENT &&
                                               event.data.mapping_start.style == YAML_FLOW_MAPPING_STYLE;
        yaml_event_delete(&event);
        if (type == YAML_DOCUMENT_END_EVENT || type == YAML_STREAM_END_EVENT) return !nodes_.empty();
        if (type == YAML_SEQUENCE_END_EVENT || type == YAML_MAPPING_END_EVENT) {
            nodes_[open.back().node].end = end;
            open.pop_back();
            continue;
        }
        const bool is_collection = is_sequence || type == YAML_MAPPING_START_EVENT;
        if (!is_collection && type != YAML_SCALAR_EVENT && type != YAML_ALIAS_EVENT) continue;
        if (!open.empty() && open.back().is_mapping && !open.back().key) {
            if (is_collection) return false; // a key that opm does not accept
            skip_tokens_before(begin);
            open.back().key = Key{begin, column_of(question_mark_.value_or(begin))};
            continue;
        }
        add(open, begin, end, is_collection, is_sequence, is_flow);
    }
}

void Layout::add(std::vector<Frame>& open, uint32_t begin, uint32_t end, bool is_collection, bool is_sequence,
                 bool is_flow) {
    Node node{.is_collection = is_collection,
              .is_flow = is_flow,
              .is_sequence = is_sequence,
              .begin = begin,
              .value = begin,
              .end = end};
    node.column = column_of(begin);
    if (!open.empty()) {
        Frame& frame = open.back();
        node.parent = frame.node;
        node.is_key = frame.is_mapping;
        if (frame.is_mapping) {
            const Key key = *std::exchange(frame.key, std::nullopt);
            node.begin = key.begin;
            node.column = key.column;
        } else if (!nodes_[frame.node].is_flow) {
            skip_tokens_before(begin);
            node.begin = last_dash_;
            node.column = column_of(last_dash_);
        }
    }
    if (is_collection) open.push_back({nodes_.size(), !is_sequence, std::nullopt});
    nodes_.push_back(node);
}

void Layout::skip_tokens_before(uint32_t node) {
    for (; next_token_ < tokens_.size() && tokens_[next_token_].begin < node; ++next_token_) {
        const Token& token = tokens_[next_token_];
        if (token.type == YAML_BLOCK_ENTRY_TOKEN) last_dash_ = token.begin;
        if (token.type == YAML_KEY_TOKEN)
            question_mark_ = token.begin;
        else if (token.type != YAML_ANCHOR_TOKEN && token.type != YAML_TAG_TOKEN)
            question_mark_.reset();
    }
}

} // namespace opcat::yaml
