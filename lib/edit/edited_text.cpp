#include "opcat/edit/edited_text.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/go_quote.hpp"
#include "opcat/edit/text_changes.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <span>

namespace opcat::edit {
namespace {

// Throws Error for a text that is not YAML or JSON.
Value parse_part(const SourceFile& file, const DocumentRange& range, Arena& arena) {
    Diagnostic problem;
    const auto root = read_document(file, range, arena, problem);
    if (!root)
        throw Error(fmt::format("cannot edit {}: {}", place_of(problem.where), problem.message),
                    problem.help.empty() ? "`opcat validate` says more" : problem.help);
    return *root;
}

std::vector<DocumentRange> documents_of(const SourceFile& file) {
    Diagnostics problems;
    std::vector<DocumentRange> ranges = split_into_documents(file, problems);
    if (has_errors(problems))
        throw Error(fmt::format("cannot edit {}: {}", file.path(), problems.front().message),
                    "`opcat validate` says more");
    return ranges;
}

[[noreturn]] void refuse_layout(const SourceFile& file) {
    throw Error(fmt::format("cannot edit {} without writing it anew: its text has anchors, or another "
                            "layout that cannot be changed in one place",
                            file.path()),
                "`opcat render -o yaml` writes it in the usual layout");
}

// A change of such a key could be one of the value that does not count. Throws Error.
void require_unique_keys(const SourceFile& file, const Value& value, bool also_below) {
    if (value.is_array() && also_below)
        for (const Value& item : value.items()) require_unique_keys(file, item, true);
    if (!value.is_object()) return;
    std::set<std::string_view> keys;
    for (const Member& member : value.members()) {
        const bool is_new = keys.insert(member.key.string()).second;
        // A merge key brings it from an anchor, which is above.
        if (!is_new && std::ranges::any_of(value.members(), [&](const Member& other) {
                return other.key.offset() < value.offset();
            }))
            refuse_layout(file);
        if (!is_new)
            throw Error(fmt::format("cannot edit {}: the key {} is given twice",
                                    place_of({&file, member.key.offset(), 1}), go_quote(member.key.string())),
                        "remove one of them: `opcat validate --fix` does if they say the same");
        if (also_below) require_unique_keys(file, member.value, true);
    }
}

bool is_blank(const Value& value) {
    return value.is_null() || (value.is_array() && value.items().empty());
}

} // namespace

EditedText::EditedText(std::shared_ptr<const SourceFile> file)
    : file_(std::move(file)), ranges_(documents_of(*file_)) {
    roots_.reserve(ranges_.size());
    for (const DocumentRange& range : ranges_) roots_.push_back(parse_part(*file_, range, arena_));
}

CollectionChange& EditedText::change_of(const Value& collection) {
    CollectionChange& change = changes_[{collection.offset(), collection.kind()}];
    change.before = collection;
    return change;
}

void EditedText::append(const Value& object, std::string_view key, const Value& item) {
    const Value* const list = object.find(key);
    if (list && !is_blank(*list) && list->is_array())
        insert_after(*list, list->items().size() - 1, item);
    else
        change_of(object).appended.emplace_back(key, item);
}

void EditedText::insert_after(const Value& list, size_t index, const Value& item) {
    change_of(list).inserted[index].push_back(item);
}

void EditedText::remove_item(const Value& list, size_t index) {
    change_of(list).removed_items.insert(index);
}

void EditedText::set(const Value& object, std::string_view key, const Value& value) {
    change_of(object).set.emplace_back(key, value);
}

void EditedText::remove(const Value& object, std::string_view key) {
    change_of(object).removed_members.emplace(key);
}

void EditedText::insert_document(size_t after, NewDocument document) {
    new_documents_[after].push_back(std::move(document));
}

void EditedText::remove_document(size_t index) {
    removed_documents_.insert(index);
}

bool EditedText::is_changed() const {
    return !changes_.empty() || !new_documents_.empty() || !removed_documents_.empty();
}

Value EditedText::meant(const Value& before, Arena& arena) const {
    if (!before.is_array() && !before.is_object()) return before;
    const auto found = changes_.find({before.offset(), before.kind()});
    const CollectionChange* const change = found == changes_.end() ? nullptr : &found->second;
    if (before.is_array()) {
        std::vector<Value> items;
        for (size_t i = 0; i < before.items().size(); ++i) {
            if (!change || !change->removed_items.contains(i))
                items.push_back(meant(before.items()[i], arena));
            if (!change) continue;
            if (const auto more = change->inserted.find(i); more != change->inserted.end())
                items.insert(items.end(), more->second.begin(), more->second.end());
        }
        return Value::of(std::span<const Value>(arena.copy(std::span<const Value>(items))));
    }
    std::vector<Member> members;
    for (const Member& member : before.members())
        if (!change || !change->removed_members.contains(member.key.string()))
            members.push_back({member.key, meant(member.value, arena)});
    const auto member_named = [&](const std::string& key) -> Value& {
        for (Member& member : members)
            if (member.key.string() == key) return member.value;
        return members.emplace_back(Member{Value::of(arena.copy(key)), {}}).value;
    };
    if (change) {
        for (const auto& [key, value] : change->set) member_named(key) = value;
        std::map<std::string_view, std::vector<Value>> appended;
        for (const auto& [key, item] : change->appended) appended[key].push_back(item);
        for (const auto& [key, item] : change->appended) {
            const auto more = appended.find(key);
            if (more == appended.end()) continue; // all of a list at once
            Value& list = member_named(key);
            std::vector<Value> items;
            if (list.is_array()) items.assign(list.items().begin(), list.items().end());
            items.insert(items.end(), more->second.begin(), more->second.end());
            list = Value::of(std::span<const Value>(arena.copy(std::span<const Value>(items))));
            appended.erase(more);
        }
    }
    return Value::of(std::span<const Member>(arena.copy(std::span<const Member>(members))));
}

std::set<size_t> EditedText::changed_documents() const {
    std::set<size_t> changed;
    for (const auto& [id, change] : changes_) {
        const auto next = std::ranges::upper_bound(ranges_, id.first, {}, &DocumentRange::begin);
        changed.insert(static_cast<size_t>(next - ranges_.begin()) - 1);
    }
    return changed;
}

std::vector<EditedText::Meant> EditedText::meant(Arena& arena) const {
    const std::set<size_t> changed = changed_documents();
    std::vector<Meant> documents;
    for (size_t i = 0; i < roots_.size(); ++i) {
        if (changed.contains(i) && !removed_documents_.contains(i))
            documents.push_back({std::nullopt, meant(roots_[i], arena)});
        else if (!removed_documents_.contains(i))
            documents.push_back({i, roots_[i]});
        if (const auto more = new_documents_.find(i); more != new_documents_.end())
            for (const NewDocument& document : more->second)
                documents.push_back({std::nullopt, document.root});
    }
    return documents;
}

bool EditedText::says(NewText& now, const std::vector<Meant>& wanted) const {
    const std::vector<DocumentRange> ranges = documents_of(*now.file);
    if (ranges.size() != wanted.size()) return false;
    const auto bytes = [](const SourceFile& file, const DocumentRange& range) {
        return file.bytes().substr(range.begin, range.end - range.begin);
    };
    for (size_t i = 0; i < ranges.size(); ++i) {
        const auto& [unchanged, value] = wanted[i];
        if (unchanged && ranges_[*unchanged].notation == ranges[i].notation &&
            bytes(*file_, ranges_[*unchanged]) == bytes(*now.file, ranges[i])) {
            now.documents.push_back({file_.get(), value});
            continue;
        }
        now.documents.push_back({now.file.get(), parse_part(*now.file, ranges[i], now.arena)});
        if (!says_the_same(now.documents.back().value, value)) return false;
    }
    return true;
}

void EditedText::require_no_aliases(const Value& value, std::set<Id>& met) const {
    const Id id{value.offset(), value.kind()};
    if (changes_.contains(id) && !met.insert(id).second)
        throw Error(fmt::format("cannot edit {}: an alias uses this text elsewhere, which would change, too",
                                place_of({file_.get(), id.first, 1})),
                    "`opcat fmt` writes aliases out");
    if (value.is_array())
        for (const Value& item : value.items()) require_no_aliases(item, met);
    if (value.is_object())
        for (const Member& member : value.members()) require_no_aliases(member.value, met);
}

NewText EditedText::after() const {
    if (is_changed()) {
        const std::set<size_t> changed = changed_documents();
        for (size_t i = 0; i < roots_.size(); ++i)
            require_unique_keys(*file_, roots_[i], changed.contains(i));
        std::set<Id> met;
        for (const size_t i : changed) require_no_aliases(roots_[i], met);
    }
    TextChanges texts(*file_, ranges_);
    // Inner ones first: where an inner list ends, the outer one may end as well.
    for (auto change = changes_.rbegin(); change != changes_.rend(); ++change) texts.add(change->second);
    texts.remove_documents(removed_documents_);
    for (const auto& [after, documents] : new_documents_)
        for (const NewDocument& document : documents) texts.insert_document(after, document.text);
    NewText now{is_changed() ? texts.apply() : file_, {}};

    // Whatever the text looked like: it says what was meant, or it is not written.
    Arena arena;
    bool good = false;
    try {
        good = says(now, meant(arena));
    } catch (const Error&) {
        // The same as a text that says something else.
    }
    if (!good) refuse_layout(*file_);
    return now;
}

} // namespace opcat::edit
