#include "opcat/shard/merge.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/json.hpp"
#include "opcat/base/mapped_file.hpp"
#include "opcat/catalog/write.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <tuple>
#include <variant>

namespace opcat {
namespace {

using Json = nlohmann::ordered_json;

struct Placed {
    const PartItem* item;
    size_t part;
};

// The items of all parts in the order of the run.
std::vector<Placed> in_order(std::span<const Part> parts) {
    std::vector<Placed> all;
    for (size_t i = 0; i < parts.size(); ++i)
        for (const PartItem& item : parts[i].items) all.push_back({&item, i});
    std::sort(all.begin(), all.end(),
              [](const Placed& a, const Placed& b) { return a.item->item < b.item->item; });
    return all;
}

class Data {
public:
    explicit Data(std::span<const Part> parts) {
        files_.reserve(parts.size());
        for (const Part& part : parts) files_.emplace_back(part.data_file);
    }

    std::string_view text(size_t part, const Piece& piece) const {
        return files_[part].bytes().substr(piece.offset, piece.size);
    }

private:
    std::vector<MappedFile> files_;
};

void merge_lines(const std::vector<Placed>& items, const Data& data, const MergeSink& sink) {
    for (const Placed& placed : items)
        for (const Piece& piece : placed.item->pieces) sink(data.text(placed.part, piece));
}

void merge_blobs(std::span<const Part> parts, const std::vector<Placed>& items, const Data& data,
                 const MergeSink& sink) {
    struct PieceOf {
        const Piece* piece;
        size_t part;
    };
    std::vector<BlobKey> keys;
    std::vector<PieceOf> pieces;
    for (const Placed& placed : items)
        for (const Piece& piece : placed.item->pieces) {
            if (piece.kind >= std::variant_size_v<AnyBlob>)
                throw Error(fmt::format("cannot read {}: it has a blob of an unknown kind",
                                        parts[placed.part].index_file.string()));
            keys.push_back({static_cast<BlobKind>(piece.kind), piece.package, piece.name});
            pieces.push_back({&piece, placed.part});
        }
    for (const PackageOrder& package : order_of(keys))
        for (const size_t i : package.blobs) sink(data.text(pieces[i].part, *pieces[i].piece));
}

// Returns true if what the order looks at has the right types.
bool is_finding(const Json& finding) {
    static const Json::json_pointer offset("/range/start/offset");
    const auto is_text = [&](const char* field) {
        return !finding.contains(field) || finding[field].is_string();
    };
    return finding.is_object() && is_text("severity") && is_text("file") &&
           (!finding.contains(offset) || finding.at(offset).is_number_unsigned());
}

// By place, as findings of several catalogs are printed (sort_by_place in base/diagnostic.hpp).
bool is_before(const Json& a, const Json& b) {
    constexpr std::array<std::string_view, 3> severities{"error", "warning", "note"};
    const auto key = [&](const Json& finding) {
        static const Json::json_pointer offset("/range/start/offset");
        const std::string severity = finding.value("severity", "");
        return std::tuple(finding.value("file", ""), finding.value(offset, uint64_t{0}),
                          std::find(severities.begin(), severities.end(), severity) - severities.begin());
    };
    return key(a) < key(b);
}

// Adds the report of one item. False if it is not a report.
bool add_report(std::string_view text, Json& merged, std::vector<Json>& findings) {
    auto parsed = parse_shallow_json<Json>(text);
    if (!parsed || !parsed->is_object()) return false;
    Json& report = *parsed;
    if (!report["summary"].is_object() || !report["findings"].is_array()) return false;
    for (Json& finding : report["findings"]) findings.push_back(std::move(finding));
    if (merged.is_null()) {
        merged = std::move(report);
        return true;
    }
    for (const auto& [name, value] : report["summary"].items()) {
        Json& sum = merged["summary"][name];
        if (value.is_array()) {
            for (const Json& one : value)
                if (std::find(sum.begin(), sum.end(), one) == sum.end()) sum.push_back(one);
        } else if (value.is_boolean()) {
            sum = value.get<bool>() || (sum.is_boolean() && sum.get<bool>());
        } else {
            sum = value.get<uint64_t>() + (sum.is_null() ? uint64_t{0} : sum.get<uint64_t>());
        }
    }
    return true;
}

// What only some reports have, in the order of a report.
void put_in_order(Json& summary) {
    for (const char* const name : {"bundlesNotRead", "notChecked"}) {
        if (!summary.contains(name)) continue;
        Json value = std::move(summary[name]);
        summary.erase(name);
        if (value.is_array()) std::sort(value.begin(), value.end());
        summary[name] = std::move(value);
    }
}

void merge_findings(std::span<const Part> parts, const std::vector<Placed>& items, const Data& data,
                    const MergeSink& sink) {
    Json merged;
    std::vector<Json> findings;
    for (const Placed& placed : items) {
        const auto damaged = [&] {
            return Error(fmt::format("cannot read {}: its findings are damaged",
                                     parts[placed.part].data_file.string()),
                         "run this shard again");
        };
        try {
            for (const Piece& piece : placed.item->pieces)
                if (!add_report(data.text(placed.part, piece), merged, findings)) throw damaged();
        } catch (const Json::exception&) { // a count is not a number
            throw damaged();
        }
    }
    if (merged.is_null()) return;
    if (!std::all_of(findings.begin(), findings.end(), is_finding))
        throw Error("cannot merge the shards: a finding is damaged", "run them again");
    std::stable_sort(findings.begin(), findings.end(), is_before);
    put_in_order(merged["summary"]);
    merged["findings"] = std::move(findings);
    sink(as_document(merged));
}

} // namespace

void merge_parts(std::span<const Part> parts, const MergeSink& sink) {
    const std::vector<Placed> items = in_order(parts);
    const Data data(parts);
    switch (parts.front().run.output) {
    case ShardOutput::blobs:
        merge_blobs(parts, items, data, sink);
        break;
    case ShardOutput::findings:
        merge_findings(parts, items, data, sink);
        break;
    case ShardOutput::lines:
        merge_lines(items, data, sink);
        break;
    }
}

std::vector<const PartItem*> failed_items(std::span<const Part> parts) {
    std::vector<const PartItem*> failed;
    for (const Placed& placed : in_order(parts))
        if (placed.item->failure) failed.push_back(placed.item);
    return failed;
}

} // namespace opcat
