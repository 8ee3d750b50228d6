#include "opcat/lsp/edit_actions.hpp"

#include "opcat/base/error.hpp"
#include "opcat/edit/catalog_text.hpp"
#include "opcat/edit/edit.hpp"
#include "opcat/edit/proof.hpp"
#include "opcat/lsp/mentions.hpp"
#include "opcat/template/template.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <memory>

namespace opcat::lsp {
namespace {

constexpr size_t most_bytes = size_t{2} << 20; // they are read for each action that is offered
constexpr size_t most_channels = 4;            // to promote to

using Verb = std::function<void(edit::Edit&)>;

bool has_blobs_of(const Catalog& catalog, std::string_view package) {
    const auto any = [&](const auto& blobs) {
        return std::ranges::any_of(blobs, [&](const Blob& blob) { return blob.package == package; });
    };
    return std::ranges::any_of(catalog.packages, [&](const Package& one) { return one.name == package; }) ||
           any(catalog.channels) || any(catalog.bundles) || any(catalog.deprecations);
}

// The documents of one package, as they are edited together.
class PackageTexts {
public:
    PackageTexts(const CatalogAnalysis& analysis, std::string_view package) : analysis_(analysis) {
        size_t size = 0;
        is_whole_ = analysis.has_all_files();
        for (const auto& [path, file] : analysis.files())
            for (const auto& piece : file.pieces()) {
                is_whole_ = is_whole_ && !piece->broken;
                if (file.holds() != Holds::one_template && !has_blobs_of(piece->loaded.catalog, package))
                    continue;
                pieces_.push_back(piece);
                size += piece->bytes().size();
            }
        is_whole_ = is_whole_ && !pieces_.empty() && size <= most_bytes;
    }

    bool can_be_edited() const { return is_whole_; }

    // Nothing if the command would refuse it, or if it changes nothing.
    std::optional<Action> try_edit(std::string title, const Verb& verb,
                                   std::span<const RegressionKind> intended) const {
        try {
            edit::Edit edit;
            std::vector<edit::EditedText> texts;
            for (const auto& piece : pieces_)
                texts.emplace_back(std::shared_ptr<const SourceFile>(piece, piece->text));
            edit.catalogs.emplace_back(pieces_.front()->text->path(), std::move(texts));
            verb(edit);
            const edit::CatalogText& catalog = edit.catalogs.front();
            const std::vector<edit::NewText> after = catalog.after();
            Action action{std::move(title), {}, nullptr, false};
            for (size_t i = 0; i < after.size(); ++i)
                if (const SourceFile& before = catalog.texts()[i].file(); after[i].file.get() != &before)
                    action.edits.push_back(lines_that_change(before, after[i].file->bytes()));
            const auto open = [&](LoadedCatalog& loaded) {
                open_template(
                    loaded, [](auto) { return std::nullopt; }, analysis_.pool());
            };
            const edit::Proof proof = edit::prove(catalog, after, {}, open, intended, analysis_.pool());
            if (proof.refuses() || action.edits.empty()) return std::nullopt;
            if (!proof.unknown.empty()) action.title += " (whether users are left behind is not known)";
            return action;
        } catch (const Error&) {
            return std::nullopt; // the command refuses it
        }
    }

private:
    const CatalogAnalysis& analysis_;
    std::vector<std::shared_ptr<const Piece>> pieces_;
    bool is_whole_ = true;
};

class Offers {
public:
    Offers(const CatalogAnalysis& analysis, const Mention& mention)
        : thing_(mention.thing), index_(index_of_package(analysis, thing_.package)),
          texts_(analysis, thing_.package) {}

    std::vector<Action> run() {
        if (!texts_.can_be_edited()) return {};
        if (thing_.kind == ThingKind::bundle) offer_for_bundle();
        if (thing_.kind == ThingKind::channel) offer_for_channel();
        offer_undo();
        return std::move(all_);
    }

private:
    void offer(std::string title, const Verb& verb, std::span<const RegressionKind> intended) {
        if (auto action = texts_.try_edit(std::move(title), verb, intended))
            all_.push_back(*std::move(action));
    }

    void offer_for_bundle() {
        const std::string& package = thing_.package;
        const std::string& name = thing_.name;
        size_t channels = 0;
        for (const Channel* channel : index_.channels) {
            const bool has_it = std::ranges::any_of(
                channel->entries, [&](const ChannelEntry& entry) { return entry.name == name; });
            if (has_it || ++channels > most_channels) continue;
            const std::string to(channel->name.text);
            offer(fmt::format("promote {} to channel {}", name, to),
                  [&](edit::Edit& edit) { edit::promote(edit, package, {name}, {to}); }, {});
        }
        offer(
            fmt::format("retract {}: its users are upgraded away", name),
            [&](edit::Edit& edit) { edit::retract(edit, package, name, {}, {}); }, edit::meant_by_retract);
        offer(
            fmt::format("remove {}", name),
            [&](edit::Edit& edit) { edit::remove_bundles(edit, package, {name}); }, edit::meant_by_remove);
    }

    void offer_for_channel() {
        const std::string& package = thing_.package;
        const std::string& name = thing_.name;
        offer(
            fmt::format("make {} the default channel", name),
            [&](edit::Edit& edit) { edit::set_default_channel(edit, package, name); },
            edit::meant_by_default_channel);
        offer(
            fmt::format("remove channel {}", name),
            [&](edit::Edit& edit) { edit::remove_channel(edit, package, name, {}); }, edit::meant_by_remove);
    }

    void offer_undo() {
        const std::string_view schema = thing_.kind == ThingKind::package   ? schema::package
                                        : thing_.kind == ThingKind::channel ? schema::channel
                                                                            : schema::bundle;
        for (const Deprecations* blob : index_.deprecations)
            for (const DeprecationEntry& entry : blob->entries)
                if (entry.schema == schema && entry.name == thing_.name)
                    return offer(
                        fmt::format("take back the deprecation of {}", thing_.own_name()),
                        [&](edit::Edit& edit) {
                            edit::deprecate(edit, thing_.package, {schema, thing_.name}, {});
                        },
                        edit::meant_by_deprecate);
    }

    const Thing& thing_;
    const PackageIndex index_;
    const PackageTexts texts_;
    std::vector<Action> all_;
};

} // namespace

TextEdit lines_that_change(const SourceFile& file, std::string_view after) {
    const std::string_view before = file.bytes();
    const size_t shorter = std::min(before.size(), after.size());
    size_t begin = 0;
    while (begin < shorter && before[begin] == after[begin]) ++begin;
    begin = begin == 0 ? 0 : before.rfind('\n', begin - 1) + 1;
    size_t same = 0;
    while (same < shorter - begin && before[before.size() - 1 - same] == after[after.size() - 1 - same])
        ++same;
    while (same > 0 && before[before.size() - same - 1] != '\n') --same;
    return {{&file, static_cast<uint32_t>(begin), static_cast<uint32_t>(before.size() - same - begin)},
            std::string(after.substr(begin, after.size() - same - begin))};
}

std::vector<Action> edits_at(const CatalogAnalysis& analysis, std::string_view path, Place place,
                             Encoding encoding) {
    const auto mention = mention_at(analysis, path, place, encoding);
    if (!mention) return {};
    return Offers(analysis, *mention).run();
}

} // namespace opcat::lsp
