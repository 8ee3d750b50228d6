#include "opcat/lint/suppressions.hpp"

#include "opcat/base/text.hpp"
#include "opcat/catalog/finding.hpp"
#include "opcat/document/source_lines.hpp"
#include "opcat/lint/rules.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace opcat {
namespace {

constexpr std::string_view suppression_rule = "suppression";
constexpr std::string_view comment_blanks = " \t\r";

} // namespace

Suppressions::Suppressions(const std::vector<Location>& remarks, std::vector<std::string_view> own_rules)
    : own_rules_(std::move(own_rules)) {
    constexpr size_t most = 10'000;
    for (const Location& remark : remarks) {
        if (all_.size() == most) {
            problems_.push_back(
                warning(suppression_rule, remark,
                        fmt::format("opcat reads {} comments of this kind: the rest, from here "
                                    "on, has no effect",
                                    most),
                        "set the levels of rules in .opcat.yaml instead"));
            break;
        }
        read(remark);
    }
    find_spans();
}

void Suppressions::find_spans() {
    for (const Suppression& suppression : all_)
        spans_.push_back({suppression.comment.file, suppression.begin, suppression.end});
    std::ranges::sort(spans_, {}, &Span::order);
    const auto is_same = [](const Span& a, const Span& b) { return a.order() == b.order(); };
    spans_.erase(std::unique(spans_.begin(), spans_.end(), is_same), spans_.end());
    for (size_t i = 1; i < spans_.size(); ++i) {
        size_t around = i - 1;
        while (around != none &&
               (spans_[around].file != spans_[i].file || spans_[around].end <= spans_[i].begin))
            around = spans_[around].around;
        spans_[i].around = around;
    }
    for (const Suppression& suppression : all_) {
        auto& used = spans_[span_of(suppression)].used;
        for (const Suppressed& suppressed : suppression.rules) used.emplace(suppressed.rule, false);
    }
}

size_t Suppressions::span_of(const Suppression& suppression) const {
    const Span span{suppression.comment.file, suppression.begin, suppression.end};
    return static_cast<size_t>(std::ranges::lower_bound(spans_, span.order(), {}, &Span::order) -
                               spans_.begin());
}

void Suppressions::read(const Location& comment) {
    const std::string_view bytes = comment.file->bytes();
    const std::string_view text = bytes.substr(comment.offset, comment.length);
    const auto offset_of = [&](std::string_view part) {
        return static_cast<uint32_t>(part.data() - bytes.data());
    };
    std::string_view rest = text.substr(std::string_view("# opcat:").size());
    rest.remove_prefix(std::min(rest.find_first_not_of(comment_blanks), rest.size()));
    constexpr std::string_view word = "ignore[";
    const size_t bracket = rest.find(']');
    if (!rest.starts_with(word) || bracket == rest.npos) {
        problems_.push_back(warning(suppression_rule, comment, "this comment to opcat is not understood",
                                    "write \"# opcat: ignore[RULE] reason\""));
        return;
    }
    Suppression suppression{comment, 0, 0, {}};
    std::vector<std::string_view> known = own_rules_;
    for (const Rule& rule : rules()) known.push_back(rule.id);
    std::string_view list = rest.substr(word.size(), bracket - word.size());
    while (true) {
        const size_t comma = list.find(',');
        std::string_view name = list.substr(0, comma);
        name.remove_prefix(std::min(name.find_first_not_of(comment_blanks), name.size()));
        name = name.substr(0, name.find_last_not_of(comment_blanks) + 1);
        const Location where{comment.file, offset_of(name), static_cast<uint32_t>(name.size())};
        if (find_rule(name) || std::find(own_rules_.begin(), own_rules_.end(), name) != own_rules_.end())
            suppression.rules.push_back({name, where});
        else
            problems_.push_back(warning(suppression_rule, where, fmt::format("there is no rule \"{}\"", name),
                                        did_you_mean(name, known)));
        if (comma == list.npos) break;
        list.remove_prefix(comma + 1);
    }
    const SourceLine own = line_of(bytes, comment.offset);
    suppression.begin = static_cast<uint32_t>(own.begin);
    suppression.end = static_cast<uint32_t>(own.begin + own.text.size());
    const bool has_own_line = own.says_nothing() || own.is_separator();
    const bool same_as_before = has_own_line && !all_.empty() && all_.back().comment.file == comment.file &&
                                all_.back().comment.offset < comment.offset &&
                                comment.offset < all_.back().begin;
    if (same_as_before) { // else many in a row would take quadratic time
        suppression.begin = all_.back().begin;
        suppression.end = all_.back().end;
    } else if (has_own_line) {
        SourceLine first = line_of(bytes, std::min(own.next(), bytes.size()));
        while (first.next() < bytes.size() && (first.says_nothing() || first.is_separator()))
            first = line_of(bytes, first.next());
        suppression.begin = static_cast<uint32_t>(first.begin);
        suppression.end = static_cast<uint32_t>(
            begins_document(bytes, first) ? document_of(bytes, first.begin).end : end_of_field(bytes, first));
    }
    all_.push_back(std::move(suppression));
}

bool Suppressions::suppress(const Diagnostic& finding) {
    // Every span around the place: the last one that begins before it, and those around that.
    const Span at{finding.where.file, finding.where.offset, 0};
    const auto after = std::ranges::upper_bound(spans_, at.order(), {}, &Span::order);
    bool found = false;
    for (size_t i = static_cast<size_t>(after - spans_.begin()) - 1; i != none; i = spans_[i].around) {
        Span& span = spans_[i];
        if (span.file != finding.where.file) break;
        if (finding.where.offset >= span.end) continue;
        if (const auto rule = span.used.find(finding.rule); rule != span.used.end())
            found = rule->second = true;
    }
    return found;
}

Diagnostics
Suppressions::findings(const std::function<bool(std::string_view rule, const Location&)>& is_checked) const {
    Diagnostics all = problems_;
    for (const Suppression& suppression : all_) {
        for (const Suppressed& suppressed : suppression.rules) {
            if (spans_[span_of(suppression)].used.at(suppressed.rule) ||
                !is_checked(suppressed.rule, suppression.comment))
                continue;
            Diagnostic unused =
                warning(suppression_rule, suppressed.where,
                        fmt::format("this comment suppresses nothing: there is no finding of rule {} here",
                                    suppressed.rule),
                        "remove it");
            // A comment that also lists other rules is left to people.
            if (suppression.rules.size() == 1) {
                const std::string_view bytes = suppression.comment.file->bytes();
                const SourceLine line = line_of(bytes, suppression.comment.offset);
                size_t begin = line.begin;
                size_t end = std::min(line.next(), bytes.size());
                if (!line.says_nothing()) {
                    begin = bytes.find_last_not_of(comment_blanks, suppression.comment.offset - 1) + 1;
                    end = suppression.comment.offset + suppression.comment.length;
                }
                unused.fix = {"remove the comment",
                              {{{suppression.comment.file, static_cast<uint32_t>(begin),
                                 static_cast<uint32_t>(end - begin)},
                                ""}}};
            }
            all.push_back(std::move(unused));
        }
    }
    return all;
}

} // namespace opcat
