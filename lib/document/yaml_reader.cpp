#include "opcat/document/yaml_reader.hpp"

#include "opcat/base/base64.hpp"
#include "opcat/base/text.hpp"
#include "opcat/base/unicode.hpp"
#include "opcat/document/libyaml.hpp"
#include "opcat/document/number.hpp"
#include "opcat/document/value.hpp"
#include "opcat/document/yaml_scalar.hpp"

#include <fmt/core.h>
#include <yaml.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <new>
#include <string>

namespace opcat {
namespace {

struct YamlFailure {
    uint32_t offset;
    std::string message;
    std::string help = {};
    std::string_view rule = "syntax";
    std::string by_libyaml = {}; // its own message, if it has failed
};

std::string_view view(const yaml_char_t* text) {
    return text ? reinterpret_cast<const char*>(text) : std::string_view();
}

// libyaml's message, and the usual cause.
struct Explanation {
    std::string_view problem, message, help;
};
constexpr Explanation explanations[] = {
    {"mapping values are not allowed in this context", "a key and ':' are not allowed here",
     "put a text that holds ': ' in quotes, and check the indentation"},
    {"could not find expected ':'", "a key without ':'",
     "continue the text of the line above with more indentation, or write \"key: value\""},
    {"did not find expected key", "a key was expected here",
     "check the indentation: it must be that of the keys before it"},
    {"did not find expected '-' indicator", "a list item ('- ') was expected here",
     "check the indentation: it must be that of the items before it"},
    {"found unexpected end of stream", "the document ends inside of a quoted text", "close the quotes"},
    {"did not find expected ',' or '}'", "',' or '}' was expected here", ""},
    {"did not find expected ',' or ']'", "',' or ']' was expected here", ""},
    {"found unknown escape character", "an escape that YAML does not know",
     "write '\\\\' for a backslash, or use single quotes"},
    {"block sequence entries are not allowed in this context", "a list item ('- ') is not allowed here",
     "start the list on the next line"},
    {"found undefined tag handle", "a tag whose prefix is not defined",
     "put a text that begins with '!' in quotes"},
    {"control characters are not allowed", "a control character, which YAML does not allow",
     "write it as an escape in double quotes"},
};

[[noreturn]] void fail_with(const yaml_parser_t& parser, std::string_view bytes, uint32_t base,
                            ByteOffsets& offsets, const YamlSubstitutions& substitutions) {
    if (parser.error == YAML_MEMORY_ERROR) throw std::bad_alloc();
    const std::string_view problem = parser.problem ? parser.problem : "this is not YAML";
    uint32_t offset = 0;
    if (parser.error == YAML_READER_ERROR) {
        offset = base + static_cast<uint32_t>(substitutions.place(parser.problem_offset));
        if (problem.find("UTF-8") != problem.npos || problem.find("octet") != problem.npos)
            throw YamlFailure{offset, fmt::format("this is not UTF-8 ({})", problem),
                              "save the file as UTF-8"};
    } else {
        const bool at_start =
            problem == "could not find expected ':'" || problem == "found unexpected end of stream";
        offset = offsets.of(at_start && parser.context ? parser.context_mark : parser.problem_mark);
        const size_t in_bytes = offset - base;
        if (problem == "found character that cannot start any token" && in_bytes < bytes.size() &&
            bytes[in_bytes] == '\t')
            throw YamlFailure{offset, "a tab cannot be used for indentation", "indent with spaces"};
        if (problem == "found character that cannot start any token" && in_bytes < bytes.size())
            throw YamlFailure{offset, fmt::format("'{}' cannot begin a plain text", bytes[in_bytes]),
                              "put the text in quotes"};
    }
    for (const Explanation& known : explanations)
        if (known.problem == problem)
            throw YamlFailure{offset, std::string(known.message), std::string(known.help), "syntax",
                              std::string(problem)};
    throw YamlFailure{offset,
                      parser.context ? fmt::format("{}: {}", parser.context, problem) : std::string(problem),
                      "", "syntax", std::string(problem)};
}

class Event {
public:
    explicit Event(bool& parsed, yaml_parser_t& parser) { parsed = yaml_parser_parse(&parser, &event_) != 0; }
    ~Event() { yaml_event_delete(&event_); }
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;
    const yaml_event_t* operator->() const { return &event_; }

private:
    yaml_event_t event_{};
};

// yaml.v2 refuses documents that consist mostly of aliases: up to a few hundred thousand nodes nearly all may
// be, from millions on one in ten.
class AliasBudget {
public:
    void count_node() { ++nodes_; }
    void count_alias(size_t expanded, uint32_t offset) {
        nodes_ += expanded;
        aliased_ += expanded;
        if (aliased_ > 100 && nodes_ > 1000 &&
            static_cast<double>(aliased_) > allowed_share() * static_cast<double>(nodes_))
            throw YamlFailure{offset, "aliases make this document excessively large",
                              "write out what the aliases stand for", "limit"};
    }
    size_t nodes() const { return nodes_; }

private:
    double allowed_share() const {
        constexpr double low = 400'000;
        constexpr double high = 4'000'000;
        const double n = std::clamp(static_cast<double>(nodes_), low, high);
        return 0.99 - 0.89 * ((n - low) / (high - low));
    }
    size_t nodes_ = 0;
    size_t aliased_ = 0;
};

class YamlReader {
public:
    // `base` is where `bytes` begin in their file.
    YamlReader(std::string_view bytes, uint32_t base, const YamlSubstitutions& substitutions, Arena& arena)
        : bytes_(bytes), base_(base), offsets_(bytes_, base), substitutions_(substitutions),
          parser_(substitutions.text()), builder_(arena) {}

    Value read() {
        while (true) {
            bool parsed = false;
            const Event event(parsed, parser_.get());
            if (!parsed) fail_with(parser_.get(), bytes_, base_, offsets_, substitutions_);
            switch (event->type) {
            case YAML_STREAM_END_EVENT:
                return Value::of_null(base_); // nothing but comments and blanks
            case YAML_DOCUMENT_START_EVENT:
                check_version(*event.operator->());
                break;
            case YAML_DOCUMENT_END_EVENT:
                find_rest();
                return builder_.take_root();
            case YAML_SEQUENCE_START_EVENT:
                open(false, event->data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE,
                     event->data.sequence_start.anchor, event->start_mark);
                break;
            case YAML_MAPPING_START_EVENT:
                open(true, event->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE,
                     event->data.mapping_start.anchor, event->start_mark);
                break;
            case YAML_SEQUENCE_END_EVENT:
            case YAML_MAPPING_END_EVENT:
                close();
                break;
            case YAML_SCALAR_EVENT:
                add_scalar(*event.operator->());
                break;
            case YAML_ALIAS_EVENT:
                add_alias(view(event->data.alias.anchor), offsets_.of(event->start_mark));
                break;
            default:
                break;
            }
        }
    }

    // The place of content after the document, if there is any.
    std::optional<uint32_t> rest() const { return rest_; }

private:
    void find_rest() {
        bool parsed = false;
        const Event next(parsed, parser_.get());
        if (!parsed)
            rest_ = offsets_.of(parser_.get().problem_mark);
        else if (next->type != YAML_STREAM_END_EVENT)
            rest_ = offsets_.of(next->start_mark);
    }

    struct Frame {
        bool mapping;
        bool flow; // in brackets
        bool key_is_next = true;
        bool merge_is_next = false; // the value of a key <<
        size_t nodes_before;
        std::string anchor;
        size_t height = 1; // levels of collections, this one and what is in it
    };
    struct Anchored {
        bool open = true; // incomplete: an alias to it would contain itself
        Value value;
        size_t nodes = 0;
        size_t height = 0;
    };

    void check_version(const yaml_event_t& event) {
        const auto* version = event.data.document_start.version_directive;
        if (version && (version->major != 1 || version->minor != 1))
            throw YamlFailure{offsets_.of(event.start_mark), "only YAML 1.1 is understood",
                              "leave out the %YAML line"};
    }

    void open(bool mapping, bool flow, const yaml_char_t* anchor, const yaml_mark_t& mark) {
        const uint32_t offset = offsets_.of(mark);
        if (!frames_.empty() && frames_.back().mapping && frames_.back().key_is_next)
            throw YamlFailure{offset, fmt::format("{} cannot be a key", mapping ? "an object" : "a list"),
                              "use a string as the key"};
        if (frames_.size() >= limits::yaml_depth)
            throw YamlFailure{offset, fmt::format("nested more than {} levels deep", limits::yaml_depth), "",
                              "limit"};
        frames_.push_back({.mapping = mapping,
                           .flow = flow,
                           .nodes_before = budget_.nodes(),
                           .anchor = std::string(view(anchor))});
        if (anchor) anchors_[frames_.back().anchor] = {};
        budget_.count_node();
        builder_.open(offset);
    }

    void close() {
        const Frame frame = std::move(frames_.back());
        frames_.pop_back();
        const Value value = frame.mapping ? builder_.close_object() : builder_.close_array();
        if (!frame.anchor.empty())
            anchors_[frame.anchor] = {false, value, budget_.nodes() - frame.nodes_before, frame.height};
        add(value, frame.height);
    }

    void add_scalar(const yaml_event_t& event) {
        budget_.count_node();
        const auto& scalar = event.data.scalar;
        const uint32_t offset = offsets_.of(event.start_mark);
        const std::string_view text = in_file_or_arena(event, offset);
        const std::string_view tag = view(scalar.tag);
        if (scalar.style == YAML_PLAIN_SCALAR_STYLE && !frames_.empty() && frames_.back().flow &&
            text.find('?') != text.npos)
            throw YamlFailure{offset, "YAML 1.1 does not allow '?' in text without quotes between brackets",
                              "put the text in quotes"};
        const bool is_key = !frames_.empty() && frames_.back().mapping && frames_.back().key_is_next;
        if (is_key && text == "<<" &&
            (tag.empty() ? scalar.plain_implicit != 0 : tag == "tag:yaml.org,2002:merge")) {
            frames_.back().key_is_next = false;
            frames_.back().merge_is_next = true;
            return;
        }
        const Value value = !tag.empty()            ? resolve_with_tag(tag, text, offset)
                            : scalar.plain_implicit ? resolve_plain(text, offset)
                                                    : Value::of(text, offset);
        if (scalar.anchor) anchors_[std::string(view(scalar.anchor))] = {false, value, 1, 0};
        add(value, 0);
    }

    Value resolve_with_tag(std::string_view tag, std::string_view text, uint32_t offset) {
        constexpr std::string_view prefix = "tag:yaml.org,2002:";
        if (!tag.starts_with(prefix)) return Value::of(text, offset);
        const std::string_view name = tag.substr(prefix.size());
        if (name == "binary") return Value::of(read_binary(text, offset), offset);
        constexpr std::pair<std::string_view, YamlTag> tags[] = {
            {"str", YamlTag::str},    {"bool", YamlTag::boolean}, {"int", YamlTag::integer},
            {"float", YamlTag::real}, {"null", YamlTag::null},    {"timestamp", YamlTag::timestamp},
        };
        for (const auto& [known, meaning] : tags) {
            if (known != name) continue;
            if (const auto value = resolve_tagged(meaning, text, offset)) return *value;
            throw YamlFailure{offset, fmt::format("'{}' is not a value for the tag !!{}", text, name)};
        }
        return Value::of(text, offset);
    }

    // Decodes base64. Bytes that are not UTF-8 become U+FFFD, as in Go's JSON.
    std::string_view read_binary(std::string_view text, uint32_t offset) {
        const auto decoded = decode_base64(text);
        if (!decoded) throw YamlFailure{offset, "this is not base64, which the tag !!binary asks for"};
        std::string valid;
        for (std::string_view rest = *decoded; !rest.empty();) {
            const size_t length = utf8_sequence_length(rest);
            if (length == 0)
                valid += "\xef\xbf\xbd";
            else
                valid += rest.substr(0, length);
            rest.remove_prefix(std::max<size_t>(1, length));
        }
        return builder_.arena().copy(valid);
    }

    void add_alias(std::string_view name, uint32_t offset) {
        const auto found = anchors_.find(name);
        if (found == anchors_.end())
            throw YamlFailure{offset, fmt::format("the alias *{} has no anchor &{} before it", name, name)};
        if (found->second.open)
            throw YamlFailure{offset, fmt::format("the alias *{} is inside the node that it names", name)};
        if (!frames_.empty() && frames_.back().merge_is_next && !found->second.value.is_object())
            throw YamlFailure{offset, fmt::format("'<<' merges objects, and *{} is not an object", name),
                              "name each object in a list: <<: [*a, *b]"};
        budget_.count_node();
        budget_.count_alias(found->second.nodes, offset);
        // Aliases may nest deeper than the text does, up to what the JSON reader of opm's YAML accepts.
        if (frames_.size() + found->second.height > limits::json_depth)
            throw YamlFailure{offset,
                              fmt::format("aliases nest more than {} levels deep", limits::json_depth),
                              "write out what the aliases stand for", "limit"};
        add(found->second.value, found->second.height);
    }

    // A complete node: a key, a value, an item or the root. `height` is that of a Frame.
    void add(const Value& value, size_t height) {
        if (frames_.empty()) {
            check_finite(value);
            builder_.add(value);
            return;
        }
        Frame& frame = frames_.back();
        frame.height = std::max(frame.height, height + 1);
        if (builder_.size() / 2 >= Value::max_size)
            throw YamlFailure{value.offset(), "too many items", "", "limit"};
        if (frame.mapping && frame.key_is_next) {
            builder_.add(as_key(value));
            frame.key_is_next = false;
            return;
        }
        frame.key_is_next = true;
        if (frame.merge_is_next) {
            frame.merge_is_next = false;
            merge(value);
            return;
        }
        check_finite(value);
        builder_.add(value);
    }

    static void check_finite(const Value& value) {
        if (value.kind() == Value::Kind::real && !std::isfinite(value.real()))
            throw YamlFailure{value.offset(),
                              "infinity and not-a-number cannot be written as JSON, which catalogs are",
                              "put the text in quotes"};
    }

    void merge(const Value& value) {
        constexpr std::string_view message =
            "'<<' merges objects: its value must be an object or a list of objects";
        if (value.is_object()) {
            for (const Member& member : value.members()) {
                builder_.add(member.key);
                builder_.add(member.value);
            }
            return;
        }
        if (!value.is_array()) throw YamlFailure{value.offset(), std::string(message)};
        // Earlier ones take precedence, and in our objects the last one counts.
        for (auto item = value.items().rbegin(); item != value.items().rend(); ++item) {
            if (!item->is_object()) throw YamlFailure{item->offset(), std::string(message)};
            merge(*item);
        }
    }

    Value as_key(const Value& value) {
        std::string text;
        switch (value.kind()) {
        case Value::Kind::string:
            return value;
        case Value::Kind::boolean:
            return Value::of(std::string_view(value.boolean() ? "true" : "false"), value.offset());
        case Value::Kind::integer:
            text = std::to_string(value.integer());
            break;
        case Value::Kind::real:
            if (const float number = static_cast<float>(value.real()); std::isnan(number))
                text = ".nan";
            else if (std::isinf(number))
                text = number > 0 ? ".inf" : "-.inf";
            else
                append_g_float(text, number);
            break;
        default:
            throw YamlFailure{value.offset(),
                              fmt::format("{} cannot be a key", value.kind() == Value::Kind::large_integer
                                                                    ? "a number this large"
                                                                    : describe(value.kind())),
                              "put the key in quotes"};
        }
        return Value::of(builder_.arena().copy(text), value.offset());
    }

    // The scalar's text in the file, if it is unchanged there.
    std::string_view in_file_or_arena(const yaml_event_t& event, uint32_t offset) {
        const auto& scalar = event.data.scalar;
        const std::string_view text(reinterpret_cast<const char*>(scalar.value), scalar.length);
        if (text.size() > Value::max_size)
            throw YamlFailure{offset, "a text of more than 256 MiB", "", "limit"};
        const bool quoted = scalar.style == YAML_SINGLE_QUOTED_SCALAR_STYLE ||
                            scalar.style == YAML_DOUBLE_QUOTED_SCALAR_STYLE;
        const size_t begin = offset - base_ + (quoted ? 1 : 0);
        if (bytes_.substr(std::min(begin, bytes_.size()), text.size()) == text)
            return bytes_.substr(std::min(begin, bytes_.size()), text.size());
        if (scalar.style == YAML_DOUBLE_QUOTED_SCALAR_STYLE)
            check_escapes(offset, offsets_.of(event.end_mark));
        return builder_.arena().copy(substitutions_.restored(text));
    }

    // YAML 1.2 knows "\/", and so does libyaml; opm's YAML 1.1 does not.
    void check_escapes(uint32_t begin, uint32_t end) const {
        const std::string_view raw = bytes_.substr(begin - base_, end - begin);
        for (size_t at = raw.find('\\'); at != raw.npos && at + 1 < raw.size(); at = raw.find('\\', at + 2))
            if (raw[at + 1] == '/')
                throw YamlFailure{begin + static_cast<uint32_t>(at), "'\\/' is not an escape in YAML 1.1",
                                  "write '/' without a backslash"};
    }

    std::string_view bytes_;
    uint32_t base_;
    ByteOffsets offsets_;
    const YamlSubstitutions& substitutions_;
    std::optional<uint32_t> rest_;
    LibyamlParser parser_;
    ValueBuilder builder_;
    std::vector<Frame> frames_;
    std::map<std::string, Anchored, std::less<>> anchors_;
    AliasBudget budget_;
};

} // namespace

std::optional<Value> read_yaml(const SourceFile& file, uint32_t begin, uint32_t end, Arena& arena,
                               Diagnostic& problem) {
    const auto refuse = [&](const YamlFailure& failure) {
        problem = {};
        problem.rule = failure.rule;
        problem.message = failure.message;
        problem.help = failure.help;
        problem.where = {&file, failure.offset, 1};
        return std::nullopt;
    };
    // libyaml needs a minute and 4 GB for a text of 2 GB.
    if (end - begin > Value::max_size) return refuse({begin, "a document of more than 256 MiB", "", "limit"});
    const std::string_view bytes = file.bytes().substr(begin, end - begin);
    YamlSubstitutions substitutions(bytes);
    while (true) {
        try {
            YamlReader reader(bytes, begin, substitutions, arena);
            const Value value = reader.read();
            if (const auto rest = reader.rest())
                problem = {.severity = Severity::warning,
                           .rule = "unread",
                           .message = "this text is ignored: the YAML document has already ended",
                           .where = {&file, *rest, 1},
                           .notes = {},
                           .help = "put a line '---' before it"};
            return value;
        } catch (const YamlFailure& failure) {
            if (!substitutions.exchange(failure.by_libyaml, failure.offset - begin)) return refuse(failure);
        }
    }
}

} // namespace opcat
