#include "resolve/classic/entry.hpp"
#include "resolve/classic/go_json.hpp"

#include <array>

namespace opcat::classic {

void find_facts(Facts& facts) {
    for (const EntryProperty& property : facts.properties) {
        if (property.type == property_type::gvk) {
            Gvk gvk;
            const std::array<StringField, 3> fields = {
                {{"group", &gvk.group}, {"kind", &gvk.kind}, {"version", &gvk.version}}};
            if (read_strings(property.value, fields, {}, {}).empty()) facts.gvks.push_back(gvk);
        } else if (property.type == property_type::package) {
            PackageProperty package;
            std::string_view version;
            const std::array<StringField, 2> fields = {
                {{"packageName", &package.name}, {"version", &version}}};
            if (!read_strings(property.value, fields, {}, {}).empty()) continue;
            if (auto parsed = semver::Version::parse(version)) package.version = *std::move(parsed);
            facts.packages.push_back(std::move(package));
        } else if (property.type == property_type::label) {
            std::string_view label;
            const std::array<StringField, 1> fields = {{{"label", &label}}};
            if (read_strings(property.value, fields, {}, {}).empty()) facts.labels.push_back(label);
        } else if (property.type == property_type::deprecated) {
            facts.deprecated = true;
        }
    }
}

std::string Entry::identifier() const {
    std::string text = snapshot->key.name;
    for (const std::string_view part : {std::string_view(snapshot->key.ns), channel, name}) {
        text += '/';
        text += part;
    }
    return text;
}

std::string Snapshot::key_of(const Gvk& gvk) {
    std::string key(gvk.group);
    key += '\0';
    key += gvk.version;
    key += '\0';
    key += gvk.kind;
    return key;
}

void Snapshot::build_index() {
    const auto add = [](std::vector<uint32_t>& positions, uint32_t position) {
        if (positions.empty() || positions.back() != position) positions.push_back(position);
    };
    for (uint32_t i = 0; i < entries.size(); ++i) {
        Entry& entry = entries[i];
        entry.snapshot = this;
        add(by_name[entry.name], i);
        add(by_package[entry.package], i);
        for (const PackageProperty& package : entry.facts->packages) add(by_package[package.name], i);
        for (const Gvk& gvk : entry.facts->gvks) add(by_gvk[key_of(gvk)], i);
    }
}

} // namespace opcat::classic
