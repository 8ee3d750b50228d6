#include "opcat/policy/fragment_image.hpp"

#include "opcat/base/json.hpp"
#include "opcat/base/pull_spec.hpp"
#include "opcat/base/text.hpp"
#include "opcat/semver/version.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>
#include <vector>

namespace opcat::policy {
namespace {

using Variables = std::map<std::string, std::string>;

// Variables may be made of variables, and stages of stages.
constexpr size_t most_text = size_t{256} << 10; // that variables stand for, in bytes
constexpr size_t most_stages = 100;

constexpr std::string_view allowed_bases[] = {
    "registry.redhat.io/openshift4/ose-operator-registry",
    "registry.redhat.io/openshift4/ose-operator-registry-rhel9",
    "registry.redhat.io/openshift5/ose-operator-registry",
    "registry.redhat.io/openshift5/ose-operator-registry-rhel9",
    "brew.registry.redhat.io/rh-osbs/openshift-ose-operator-registry-rhel9"};

bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    return text;
}

// The words that end the texts which an instruction takes from the lines after it (here-documents).
std::vector<std::string> ends_of_texts(std::string_view instruction) {
    std::vector<std::string> ends;
    const std::string word = ascii_lower(instruction.substr(0, instruction.find_first_of(" \t")));
    if (word != "run" && word != "copy" && word != "add") return ends;
    for (size_t at = instruction.find("<<"); at != instruction.npos; at = instruction.find("<<", at + 2)) {
        std::string_view end = instruction.substr(at + 2);
        if (end.starts_with('-')) end.remove_prefix(1);
        end = end.substr(0, end.find_first_of(" \t;&|>"));
        if (end.size() > 2 && (end.front() == '"' || end.front() == '\'') && end.front() == end.back())
            end = end.substr(1, end.size() - 2);
        if (!end.empty() && !end.starts_with('<')) ends.emplace_back(end);
    }
    return ends;
}

// An instruction for each, without comments and with its continuation lines.
std::vector<std::string> instructions_of(std::string_view text) {
    char escape = '\\';
    std::vector<std::string> all;
    bool continues = false;
    std::vector<std::string> ends; // of texts that are passed over
    for (const std::string_view whole : lines_of(text)) {
        const std::string_view line = trimmed(whole);
        if (!ends.empty()) {
            if (line == ends.front()) ends.erase(ends.begin());
            continue;
        }
        if (all.empty() && line.starts_with("# escape=")) escape = line.ends_with('`') ? '`' : '\\';
        if (line.empty() || line.starts_with('#')) continue;
        if (!continues) all.emplace_back();
        continues = line.ends_with(escape);
        all.back() += continues ? line.substr(0, line.size() - 1) : line;
        if (!continues) ends = ends_of_texts(all.back());
    }
    return all;
}

class DockerfileReader {
public:
    explicit DockerfileReader(const std::string& name) : name_(name) {}

    FragmentImage read(std::string_view text) {
        for (const std::string& instruction : instructions_of(text)) {
            const size_t blank = instruction.find_first_of(" \t");
            const std::string word = ascii_lower(instruction.substr(0, blank));
            const std::string_view rest = blank == std::string::npos
                                              ? std::string_view()
                                              : trimmed(std::string_view(instruction).substr(blank));
            if (word == "from")
                begin_stage(rest);
            else if (word == "arg" || (word == "env" && has_stage_))
                set_variable(rest, word == "env");
            else if (word == "label" && has_stage_)
                add_labels(rest);
        }
        if (!has_stage_)
            throw Error(fmt::format("cannot read {}: it has no FROM", name_), "name a Dockerfile");
        return std::move(stage_);
    }

private:
    struct Word {
        std::string text;
        size_t equals = std::string::npos; // the first one outside of quotes
        std::string unknown = {};          // a variable in it that only the build knows
    };

    // Words as a Dockerfile quotes them, with the values of variables.
    std::vector<Word> words_of(std::string_view text, const Variables& variables) {
        std::vector<Word> words;
        char quote = 0;
        bool in_word = false;
        for (size_t i = 0; i < text.size(); ++i) {
            const char c = text[i];
            if (!quote && is_blank(c)) {
                in_word = false;
                continue;
            }
            if (!in_word) words.emplace_back();
            in_word = true;
            Word& word = words.back();
            if ((c == '"' || c == '\'') && (!quote || quote == c)) {
                quote = quote ? 0 : c;
            } else if (c == '\\' && quote != '\'' && i + 1 < text.size()) {
                word.text += text[++i];
            } else if (c == '$' && quote != '\'') {
                i = add_variable(text, i, variables, word);
            } else {
                if (c == '=' && !quote && word.equals == std::string::npos) word.equals = word.text.size();
                word.text += c;
            }
        }
        return words;
    }

    // "$A", "${A}", "${A:-otherwise}". Returns the place of its last character.
    size_t add_variable(std::string_view text, size_t at, const Variables& variables, Word& word) {
        const bool braced = at + 1 < text.size() && text[at + 1] == '{';
        const size_t begin = at + (braced ? 2 : 1);
        size_t end = begin;
        while (end < text.size() && (is_digit(text[end]) || text[end] == '_' ||
                                     (ascii_lower(text[end]) >= 'a' && ascii_lower(text[end]) <= 'z')))
            ++end;
        const std::string variable(text.substr(begin, end - begin));
        std::string_view otherwise;
        bool has_otherwise = false;
        if (braced) {
            const size_t close = text.find('}', end);
            if (close == text.npos || variable.empty())
                throw Error(
                    fmt::format("cannot read {}: a variable is not complete: {}", name_, printable(text)));
            has_otherwise = text.substr(end).starts_with(":-");
            if (has_otherwise) otherwise = text.substr(end + 2, close - end - 2);
            end = close + 1;
        }
        const auto found = variables.find(variable);
        if (found != variables.end() && !(has_otherwise && found->second.empty()))
            otherwise = found->second;
        else if (!has_otherwise)
            word.unknown = variable;
        expanded_ += otherwise.size();
        if (expanded_ > most_text)
            throw Error(
                fmt::format("cannot read {}: its variables stand for more than {} bytes", name_, most_text));
        word.text += otherwise;
        return end - 1;
    }

    void require_known(const Word& word) const {
        if (!word.unknown.empty())
            throw Error(fmt::format("cannot read {}: only the build knows the value of {}", name_,
                                    printable(word.unknown)),
                        "give the ARG a default, or name the image that was built");
    }

    void begin_stage(std::string_view rest) {
        std::vector<Word> words = words_of(rest, global_);
        std::erase_if(words, [](const Word& word) { return word.text.starts_with("--"); });
        if (words.empty()) throw Error(fmt::format("cannot read {}: FROM names no image", name_));
        require_known(words[0]);
        remember_stage();
        if (number_of_stages_ > most_stages)
            throw Error(fmt::format("cannot read {}: it has more than {} stages", name_, most_stages));
        const auto before = stages_.find(ascii_lower(words[0].text));
        stage_ = before == stages_.end() ? FragmentImage{.base = words[0].text} : before->second;
        variables_ = {};
        has_stage_ = true;
        as_.clear();
        if (words.size() == 3 && ascii_lower(words[1].text) == "as") as_ = ascii_lower(words[2].text);
    }

    void remember_stage() {
        if (!has_stage_) return;
        if (!as_.empty()) stages_[as_] = stage_;
        stages_[std::to_string(number_of_stages_++)] = stage_;
    }

    void set_variable(std::string_view rest, bool is_env) {
        Variables& variables = has_stage_ ? variables_ : global_;
        for (const Word& word : words_of(rest, variables)) {
            const std::string name = word.text.substr(0, word.equals);
            if (!word.unknown.empty())
                variables.erase(name);
            else if (word.equals != std::string::npos)
                variables[name] = word.text.substr(word.equals + 1);
            else if (const auto outer = global_.find(name); !is_env && outer != global_.end())
                variables[name] = outer->second;
        }
    }

    void add_labels(std::string_view rest) {
        const std::vector<Word> words = words_of(rest, variables_);
        if (words.size() > 1 && words[0].equals == std::string::npos) { // "LABEL key the value"
            std::string value;
            for (size_t i = 1; i < words.size(); ++i) value.append(i > 1 ? " " : "").append(words[i].text);
            for (const Word& word : words) add_label(words[0].text, value, word);
        } else {
            for (const Word& word : words)
                if (word.equals != std::string::npos)
                    add_label(word.text.substr(0, word.equals), word.text.substr(word.equals + 1), word);
        }
    }

    // Values of other labels need not be known before the build.
    void add_label(const std::string& label, std::string value, const Word& word) {
        if (label == configs_label || label == versions_label) require_known(word);
        stage_.labels[label] = std::move(value);
    }

    const std::string& name_;
    bool has_stage_ = false;
    FragmentImage stage_;
    std::string as_;
    size_t number_of_stages_ = 0; // before this one
    size_t expanded_ = 0;
    std::map<std::string, FragmentImage> stages_;
    Variables global_;
    Variables variables_; // of the stage
};

bool is_openshift(std::string_view version) {
    if (version.starts_with('v')) version.remove_prefix(1);
    return (version.starts_with("4.") || version.starts_with("5.")) && version.size() > 2 &&
           semver::is_all_digits(version.substr(2));
}

} // namespace

const std::string* FragmentImage::label(std::string_view name) const {
    const auto found = labels.find(std::string(name));
    return found == labels.end() ? nullptr : &found->second;
}

FragmentImage read_dockerfile(std::string_view text, const std::string& name) {
    return DockerfileReader(name).read(text);
}

std::string base_with_digest(const FragmentImage& image) {
    const auto spec = PullSpec::parse(image.base);
    if (!spec) return image.base;
    return spec->digest().empty() ? spec->name() : spec->name() + "@" + spec->digest();
}

bool has_allowed_base(const FragmentImage& image) {
    const auto spec = PullSpec::parse(image.base);
    return spec && std::find(std::begin(allowed_bases), std::end(allowed_bases), spec->name()) !=
                       std::end(allowed_bases);
}

std::optional<std::string> openshift_of(const FragmentImage& image) {
    if (const std::string* const label = image.label(versions_label)) {
        const auto list = parse_shallow_json<nlohmann::json>(*label);
        if (!list || !list->is_array() || list->empty()) return std::nullopt;
        for (const auto& version : *list)
            if (!version.is_string() || !is_openshift(version.get<std::string>())) return std::nullopt;
        return as_line(*list);
    }
    const auto spec = PullSpec::parse(image.base);
    if (!spec || spec->tag().empty()) return std::nullopt;
    return spec->tag();
}

} // namespace opcat::policy
