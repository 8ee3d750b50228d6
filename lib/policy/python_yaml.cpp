#include "opcat/policy/python_yaml.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/text.hpp"
#include "opcat/document/libyaml.hpp"
#include "opcat/policy/python_scalars.hpp"

#include <fmt/format.h>

#include <exception>
#include <optional>
#include <unordered_map>

namespace opcat::policy {
namespace {

constexpr std::string_view repo_exception = "operatorcert.operator_repo.exceptions.OperatorRepoException";
constexpr std::string_view constructor_error = "yaml.constructor.ConstructorError";

// The limit for one file. A value takes about 100 bytes, and two bytes of a file can make one.
constexpr size_t most_values = 10'000'000;

// Python's stack ends about here.
constexpr size_t deepest = 450;

// An error of PyYAML's composer, which operatorcert takes for a second document.
class ComposerError : public PythonError {
public:
    explicit ComposerError(std::string_view message) : PythonError("yaml.composer.ComposerError", message) {}
};

// The same for the keys that Python takes for the same one.
std::string identity_of(const PythonValue& key) {
    if (const auto* const text = key.text()) return "t" + *text;
    if (const bool* const truth = key.boolean()) return *truth ? "n1.0" : "n0.0";
    if (const auto* const whole = std::get_if<int64_t>(&key.content()))
        return "n" + PythonValue(static_cast<double>(*whole)).str();
    return (std::get_if<double>(&key.content()) ? "n" : "o") + key.str();
}

// libyaml and PyYAML say a few things differently.
std::string in_words_of_python(const std::string& problem) {
    constexpr std::string_view end = " are not allowed in this context";
    if (!problem.ends_with(end)) return problem;
    const std::string what = problem.substr(0, problem.size() - end.size());
    return (what == "block sequence entries" ? "sequence entries" : what) + " are not allowed here";
}

class DictBuilder {
public:
    // A key that is there already keeps its place, and gets the new value.
    void set(PythonValue key, PythonValue value) {
        const auto [known, is_new] = places_.try_emplace(identity_of(key), members_.size());
        if (is_new)
            members_.emplace_back(std::move(key), std::move(value));
        else
            members_[known->second].second = std::move(value);
    }
    PythonDict take() { return std::move(members_); }

private:
    PythonDict members_;
    std::unordered_map<std::string, size_t> places_;
};

struct Frame {
    bool is_dict = false;
    std::string anchor;
    uint32_t offset = 0;
    PythonList items; // of a dict keys and values in turn
    std::vector<PythonValue> merged;
    bool merge_is_next = false;
};

class Reader {
public:
    Reader(const SourceFile& file, const std::string& shown)
        : shown_(shown), parser_(file.bytes()), offsets_(file.bytes(), 0) {}
    ~Reader() { yaml_event_delete(&event_); }
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;

    // Nothing at the end. What cannot be constructed is reported by finish().
    std::optional<PythonValue> document() {
        next();
        if (event_.type == YAML_STREAM_START_EVENT) next();
        if (event_.type == YAML_STREAM_END_EVENT) return std::nullopt;
        anchors_.clear();
        result_ = PythonValue();
        do {
            next();
            take_event();
        } while (!frames_.empty() || event_.type != YAML_DOCUMENT_END_EVENT);
        return result_;
    }

    // Returns true if another document begins after this one; what it is does not matter.
    bool has_more() {
        next();
        return event_.type != YAML_STREAM_END_EVENT;
    }

    // Throws what constructing the values came upon.
    void finish() const {
        if (failed_) throw PythonError(*failed_);
    }

private:
    void next() {
        yaml_event_delete(&event_);
        yaml_parser_t& parser = parser_.get();
        if (yaml_parser_parse(&parser, &event_)) return;
        event_ = {};
        const char* const text = parser.context ? parser.context : parser.problem;
        const std::string problem = text ? text : "";
        if (parser.error == YAML_MEMORY_ERROR) throw std::bad_alloc();
        if (parser.error == YAML_PARSER_ERROR)
            throw PythonError(repo_exception, fmt::format("{} is not a valid yaml document", shown_));
        throw PythonError(parser.error == YAML_READER_ERROR ? "yaml.reader.ReaderError"
                                                            : "yaml.scanner.ScannerError",
                          in_words_of_python(problem));
    }

    void take_event() {
        const uint32_t offset = offsets_.of(event_.start_mark);
        switch (event_.type) {
        case YAML_ALIAS_EVENT:
            return take_alias();
        case YAML_SCALAR_EVENT:
            return take_scalar(offset);
        case YAML_SEQUENCE_START_EVENT:
            return open(false, event_.data.sequence_start.anchor, event_.data.sequence_start.tag, offset);
        case YAML_MAPPING_START_EVENT:
            return open(true, event_.data.mapping_start.anchor, event_.data.mapping_start.tag, offset);
        case YAML_SEQUENCE_END_EVENT:
        case YAML_MAPPING_END_EVENT:
            return close();
        default:
            return;
        }
    }

    void take_alias() {
        const std::string name(reinterpret_cast<const char*>(event_.data.alias.anchor));
        const auto known = anchors_.find(name);
        if (known == anchors_.end()) throw ComposerError("found undefined alias " + python_repr(name));
        // Python prints "[...]" for a value that holds itself; here it is empty.
        if (!known->second) return add(holds_itself(name), false);
        add(*known->second, false);
    }

    PythonValue holds_itself(const std::string& anchor) const {
        for (const Frame& frame : frames_)
            if (frame.anchor == anchor) return frame.is_dict ? empty_dict() : empty_list();
        return {};
    }

    void take_scalar(uint32_t offset) {
        const auto& scalar = event_.data.scalar;
        const std::string_view text(reinterpret_cast<const char*>(scalar.value), scalar.length);
        ScalarKind kind = ScalarKind::text;
        if (scalar.tag)
            kind = tagged(reinterpret_cast<const char*>(scalar.tag));
        else if (scalar.style == YAML_PLAIN_SCALAR_STYLE)
            kind = python_scalar_kind(text);
        const std::string anchor = declare(scalar.anchor);
        PythonValue value;
        try {
            value = construct_python_scalar(kind, text, offset);
        } catch (const PythonError& error) {
            fail(error);
        }
        if (!anchor.empty()) anchors_[anchor] = value;
        add(std::move(value), kind == ScalarKind::merge);
    }

    ScalarKind tagged(std::string_view tag) {
        constexpr std::string_view prefix = "tag:yaml.org,2002:";
        if (tag == "!") return ScalarKind::text;
        const std::pair<std::string_view, ScalarKind> known[] = {
            {"str", ScalarKind::text},   {"bool", ScalarKind::boolean}, {"int", ScalarKind::integer},
            {"float", ScalarKind::real}, {"null", ScalarKind::none},    {"timestamp", ScalarKind::timestamp}};
        if (tag.starts_with(prefix))
            for (const auto& [name, kind] : known)
                if (tag.substr(prefix.size()) == name) return kind;
        refuse_tag(tag);
        return ScalarKind::text;
    }

    void refuse_tag(std::string_view tag) {
        fail({constructor_error,
              fmt::format("could not determine a constructor for the tag {}", python_repr(tag))});
    }

    // The name of an anchor, which from now on is known, but without a value.
    std::string declare(const yaml_char_t* anchor) {
        if (!anchor) return {};
        std::string name(reinterpret_cast<const char*>(anchor));
        if (!anchors_.try_emplace(name).second)
            throw ComposerError(
                fmt::format("found duplicate anchor {}; first occurrence", python_repr(name)));
        return name;
    }

    void open(bool is_dict, const yaml_char_t* anchor, const yaml_char_t* tag, uint32_t offset) {
        if (frames_.size() >= deepest)
            throw PythonError("RecursionError", "maximum recursion depth exceeded");
        const std::string_view name = tag ? reinterpret_cast<const char*>(tag) : "";
        if (!name.empty() && name != "!" &&
            name != (is_dict ? "tag:yaml.org,2002:map" : "tag:yaml.org,2002:seq"))
            refuse_tag(name);
        Frame& frame = frames_.emplace_back();
        frame.is_dict = is_dict;
        frame.anchor = declare(anchor);
        frame.offset = offset;
    }

    void close() {
        Frame frame = std::move(frames_.back());
        frames_.pop_back();
        PythonValue value =
            frame.is_dict
                ? PythonValue(std::make_shared<const PythonDict>(members_of(frame)), frame.offset)
                : PythonValue(std::make_shared<const PythonList>(std::move(frame.items)), frame.offset);
        if (!frame.anchor.empty()) anchors_[frame.anchor] = value;
        add(std::move(value), false);
    }

    // First what `<<` brings, which its own members override.
    PythonDict members_of(Frame& frame) {
        DictBuilder members;
        const auto merge = [&](const PythonValue& from) {
            const PythonDict* const dict = from.dict();
            if (!dict) return fail({constructor_error, "while constructing a mapping"});
            for (const auto& [key, value] : *dict) {
                count_value();
                members.set(key, value);
            }
        };
        for (const PythonValue& from : frame.merged) {
            if (const PythonList* const list = from.list())
                for (auto item = list->rbegin(); item != list->rend(); ++item) merge(*item);
            else
                merge(from);
        }
        for (size_t i = 0; i + 1 < frame.items.size(); i += 2) {
            PythonValue& key = frame.items[i];
            if (key.list() || key.dict()) {
                fail({constructor_error, "while constructing a mapping"}); // its key cannot be hashed
                continue;
            }
            members.set(std::move(key), std::move(frame.items[i + 1]));
        }
        return members.take();
    }

    void count_value() {
        if (++values_ > most_values)
            throw Error(fmt::format("cannot read {}: it has more than {} values", shown_, most_values));
    }

    void add(PythonValue value, bool is_merge) {
        count_value();
        if (frames_.empty()) {
            result_ = std::move(value);
            return;
        }
        Frame& frame = frames_.back();
        if (frame.is_dict && frame.merge_is_next) {
            frame.merged.push_back(std::move(value));
            frame.merge_is_next = false;
        } else if (frame.is_dict && is_merge && frame.items.size() % 2 == 0) {
            frame.merge_is_next = true;
        } else {
            frame.items.push_back(std::move(value));
        }
    }

    // Python constructs the values when the whole document was read: an error of its syntax comes first.
    void fail(const PythonError& error) {
        if (!failed_) failed_ = error;
    }

    const std::string& shown_;
    LibyamlParser parser_;
    ByteOffsets offsets_;
    yaml_event_t event_{};
    std::vector<Frame> frames_;
    std::unordered_map<std::string, std::optional<PythonValue>> anchors_;
    PythonValue result_;
    std::optional<PythonError> failed_;
    size_t values_ = 0;
};

// Python decodes the whole file first.
void require_utf8(std::string_view bytes) {
    size_t at = 0;
    while (at < bytes.size()) {
        const size_t length = utf8_sequence_length(bytes.substr(at));
        if (length == 0)
            throw PythonError(
                "UnicodeDecodeError",
                fmt::format("'utf-8' codec can't decode byte 0x{:02x} in position {}: invalid start byte",
                            static_cast<unsigned char>(bytes[at]), at));
        at += length;
    }
}

} // namespace

PythonValue load_python_yaml(const SourceFile& file, const std::string& shown) {
    if (!is_valid_utf8(file.bytes())) require_utf8(file.bytes());
    try {
        Reader reader(file, shown);
        const std::optional<PythonValue> first = reader.document();
        if (!first) return {};
        if (reader.has_more()) throw ComposerError("expected a single document in the stream");
        reader.finish();
        return *first;
    } catch (const ComposerError&) {
        throw PythonError(repo_exception, fmt::format("{} contains multiple yaml documents", shown));
    }
}

std::vector<PythonValue> load_python_documents(const SourceFile& file, const std::string& shown) {
    if (!is_valid_utf8(file.bytes())) require_utf8(file.bytes());
    Reader reader(file, shown);
    std::vector<PythonValue> all;
    while (auto document = reader.document()) {
        reader.finish();
        all.push_back(*std::move(document));
    }
    return all;
}

} // namespace opcat::policy
