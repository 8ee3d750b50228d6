#include "opcat/lsp/actions.hpp"

#include "opcat/base/error.hpp"
#include "opcat/document/source_lines.hpp"
#include "opcat/document/stream.hpp"
#include "opcat/edit/catalog_text.hpp"
#include "opcat/edit/text_style.hpp"
#include "opcat/go/fields.hpp"
#include "opcat/lint/fixes.hpp"
#include "opcat/lsp/edit_actions.hpp"
#include "opcat/olm/package_graph.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <memory>

namespace opcat::lsp {

namespace {

// The protocol does not know a place between CR and LF: editors have a command of their own for this.
bool has_fix(const Diagnostic& finding) {
    return finding.fix && finding.rule != "line-breaks";
}

// Returns the edit that makes an entry replace the head of its channel, and what replaced the entry replace
// what it replaced; nothing where the text cannot be changed in one place.
std::optional<TextEdit> move_to_head(const std::shared_ptr<const SourceFile>& file, const Channel& channel,
                                     const ChannelEntry& entry, std::string_view head) {
    try {
        std::vector<edit::EditedText> texts;
        texts.emplace_back(file);
        edit::CatalogText catalog(file->path(), std::move(texts));
        const auto blobs = catalog.channels(channel.package);
        const auto blob = std::ranges::find_if(
            blobs, [&](const edit::BlobText& one) { return one.value.offset() == channel.value.offset(); });
        if (blob == blobs.end()) return std::nullopt;
        for (const ChannelEntry& one : channel.entries) {
            const bool is_above = !one.replaces.empty() && one.replaces == entry.name.text;
            const std::string_view now = &one == &entry ? head
                                         : is_above     ? std::string_view(entry.replaces)
                                                        : std::string_view(one.replaces);
            if (now == one.replaces) continue;
            const auto values = blob->entries();
            const auto value = std::ranges::find(values, one.offset, &Value::offset);
            // In another letter case the field would be there twice.
            if (value == values.end() || value->find("replaces") != find_field(*value, "replaces"))
                return std::nullopt;
            edit::EditedText& text = catalog.text(*blob);
            if (now.empty())
                text.remove(*value, "replaces");
            else
                text.set(*value, "replaces", edit::text_of(now, catalog.arena()));
        }
        return lines_that_change(*file, catalog.after().front().file->bytes());
    } catch (const Error&) {
        return std::nullopt;
    }
}

class Changes {
public:
    Changes(const CatalogAnalysis& analysis, const EditedFile& file, const Mention& mention)
        : analysis_(analysis), file_(file), mention_(mention),
          index_(index_of_package(analysis, mention.thing.package)) {}

    std::vector<Action> run() {
        if (mention_.thing.kind == ThingKind::bundle) {
            graph_ = build_package_graph(index_);
            offer_entries();
            offer_head();
        }
        offer_deprecation();
        return std::move(all_);
    }

private:
    // Its text is in the editor or on the disk as it is here.
    bool is_current(const Blob& blob) const {
        return blob.file && analysis_.place_of(blob.start(), Encoding::utf8).has_value();
    }
    void add(std::string title, std::vector<TextEdit> edits) {
        all_.push_back({std::move(title), std::move(edits), nullptr, false});
    }

    void offer_entries() {
        if (!mention_.defines) return;
        for (const ChannelGraph& channel : graph_.channels) {
            const auto node = graph_.node_by_name.find(mention_.thing.name);
            if (node == graph_.node_by_name.end() || channel.find(node->second) ||
                !is_current(*channel.channel))
                continue;
            const NodeId head = channel.head();
            if (head == no_node) continue;
            if (Fix fix = add_entry(*channel.channel, mention_.thing.name, graph_.nodes[head].name))
                add(fmt::format("add an entry for {} to channel {}", mention_.thing.name, channel.name),
                    std::move(fix.edits));
        }
    }

    // Offers to move the entry to the head of its channel.
    void offer_head() {
        for (const ChannelGraph& channel : graph_.channels) {
            const Channel& blob = *channel.channel;
            if (blob.file != mention_.where.file) continue;
            const ChannelEntry* entry = nullptr;
            for (const ChannelEntry& one : blob.entries)
                if (blob.at(one.name).offset == mention_.where.offset) entry = &one;
            if (!entry) continue;
            const auto id = graph_.node_by_name.find(entry->name);
            if (id == graph_.node_by_name.end()) continue;
            std::vector<const ChannelEntry*> others; // heads
            for (const uint32_t head : channel.heads)
                if (channel.entries[head].node != id->second) others.push_back(channel.entries[head].source);
            if (others.size() != 1) continue;
            const bool is_head = channel.is_head(id->second);
            if (is_head && !entry->replaces.empty()) continue;
            if (!is_head && channel.is_skipped(id->second)) continue;
            const auto edit = move_to_head(text_of(blob), blob, *entry, others.front()->name);
            if (edit)
                add(fmt::format("make {} the head of channel {}", entry->name.text, channel.name), {*edit});
        }
    }
    // The text that a blob of this file is in.
    std::shared_ptr<const SourceFile> text_of(const Blob& blob) const {
        const auto& pieces = file_.pieces();
        const auto piece = std::ranges::find(pieces, blob.file, [](const auto& one) { return one->text; });
        return {*piece, blob.file};
    }

    bool is_deprecated() const {
        for (const Deprecations* blob : index_.deprecations)
            for (const DeprecationEntry& entry : blob->entries)
                if (entry.schema == schema_name() && (entry.name == mention_.thing.name)) return true;
        return false;
    }
    std::string_view schema_name() const {
        return mention_.thing.kind == ThingKind::package   ? schema::package
               : mention_.thing.kind == ThingKind::channel ? schema::channel
                                                           : schema::bundle;
    }

    void offer_deprecation() {
        if (index_.packages.empty() || is_deprecated() || file_.is_json()) return;
        const std::string& name = mention_.thing.own_name();
        const std::string title = fmt::format("deprecate {}", name);
        const auto item = [&](const std::string& indent) {
            std::string text = fmt::format("{0}- reference:\n{0}    schema: {1}\n", indent, schema_name());
            if (mention_.thing.kind != ThingKind::package)
                text += fmt::format("{0}    name: {1}\n", indent, edit::block_scalar(Value::of(name)));
            return text + fmt::format("{0}  message: {1}\n", indent,
                                      edit::block_scalar(Value::of(name + " is deprecated")));
        };
        if (!index_.deprecations.empty()) {
            const Deprecations& blob = *index_.deprecations.front();
            if (blob.entries.empty() || !is_current(blob) || begins_as_json(*blob.file)) return;
            const std::string_view bytes = blob.file->bytes();
            const auto last = line_begun_at(bytes, blob.entries.back().offset);
            if (!last || !last->is_item()) return;
            const size_t end = end_of_field(bytes, *last);
            const std::string text = item(std::string(last->text.substr(0, last->indent())));
            add(title, {{{blob.file, static_cast<uint32_t>(end), 0},
                         end > 0 && bytes[end - 1] != '\n' ? "\n" + text : text}});
            return;
        }
        if (file_.holds() == Holds::one_template) return; // of which another document is no part
        const Piece& end = *file_.pieces().back();
        const std::string_view bytes = end.bytes();
        std::string text = bytes.empty() || bytes.ends_with('\n') ? "" : "\n";
        text += fmt::format("---\nschema: olm.deprecations\npackage: {}\nentries:\n{}",
                            edit::block_scalar(Value::of(mention_.thing.package)), item("  "));
        add(title, {{{end.text, static_cast<uint32_t>(bytes.size()), 0}, std::move(text)}});
    }

    const CatalogAnalysis& analysis_;
    const EditedFile& file_;
    const Mention& mention_;
    PackageIndex index_;
    PackageGraph graph_;
    std::vector<Action> all_;
};

bool touches(const Range& a, const Range& b) {
    return a.begin <= b.end && b.begin <= a.end;
}

} // namespace

std::vector<Action> fixes_at(const CatalogAnalysis& analysis, std::string_view path, const Range& range,
                             Encoding encoding) {
    std::vector<Action> all;
    for (const Diagnostic* finding : analysis.findings(path)) {
        if (!has_fix(*finding)) continue;
        const auto place = analysis.place_of(finding->where, encoding);
        if (!place || !touches(place->range, range)) continue;
        all.push_back({finding->fix.title, finding->fix.edits, finding, finding->fix.safe});
    }
    return all;
}

Action fix_all(const CatalogAnalysis& analysis, std::string_view path) {
    Action all{"correct all that can be corrected safely", {}, nullptr, true};
    const auto overlaps = [&](const TextEdit& edit) {
        return std::any_of(all.edits.begin(), all.edits.end(), [&](const TextEdit& other) {
            return edit.where.file == other.where.file &&
                   edit.where.offset <= other.where.offset + other.where.length &&
                   other.where.offset <= edit.where.offset + edit.where.length;
        });
    };
    constexpr size_t most = 2'000; // each is compared with each other
    for (const Diagnostic* finding : analysis.findings(path)) {
        if (!has_fix(*finding) || !finding->fix.safe || all.edits.size() > most) continue;
        const auto& edits = finding->fix.edits;
        if (std::none_of(edits.begin(), edits.end(), overlaps))
            all.edits.insert(all.edits.end(), edits.begin(), edits.end());
    }
    return all;
}

std::vector<Action> changes_at(const CatalogAnalysis& analysis, std::string_view path, Place place,
                               Encoding encoding) {
    const EditedFile* const file = analysis.find(path);
    const auto mention = mention_at(analysis, path, place, encoding);
    if (!file || !mention) return {};
    return Changes(analysis, *file, *mention).run();
}

} // namespace opcat::lsp
