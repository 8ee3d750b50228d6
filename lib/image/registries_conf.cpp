#include "opcat/image/registries_conf.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/text.hpp"

#include <fmt/core.h>
#include <toml++/toml.h>

#include <algorithm>

namespace opcat::image {
namespace fs = std::filesystem;
namespace {

using Registry = RegistriesConf::Registry;
using Mirror = RegistriesConf::Mirror;
using PullFromMirror = RegistriesConf::PullFromMirror;

constexpr uint64_t max_conf_size = 4 << 20;

// One file while it is parsed; every error names the line.
class Reader {
public:
    explicit Reader(std::string file) : file_(std::move(file)) {}

    std::vector<Registry> read(const toml::table& root) const {
        if (const auto* old = root.get("registries"))
            fail(*old, "it is written in the old version 1 of the format",
                 "write [[registry]] tables, as containers-registries.conf(5) describes");
        std::vector<Registry> registries;
        for (const toml::table* table : tables(root, "registry")) registries.push_back(read_registry(*table));
        return registries;
    }

private:
    Registry read_registry(const toml::table& table) const {
        Registry registry;
        registry.location = location(table);
        registry.prefix = text(table, "prefix");
        if (registry.prefix.empty()) registry.prefix = registry.location;
        if (registry.prefix.empty()) fail(table, "a registry has neither prefix nor location");
        if (registry.location.empty() && !registry.prefix.starts_with("*."))
            registry.location = registry.prefix;
        registry.insecure = flag(table, "insecure");
        registry.blocked = flag(table, "blocked");
        const bool digest_only = flag(table, "mirror-by-digest-only");
        for (const toml::table* mirror : tables(table, "mirror")) {
            registry.mirrors.push_back(read_mirror(*mirror));
            if (digest_only) registry.mirrors.back().use = PullFromMirror::digest_only;
        }
        return registry;
    }

    Mirror read_mirror(const toml::table& table) const {
        Mirror mirror{location(table), flag(table, "insecure"), PullFromMirror::all};
        if (mirror.location.empty()) fail(table, "a mirror has no location");
        const std::string use = text(table, "pull-from-mirror");
        if (use == "digest-only")
            mirror.use = PullFromMirror::digest_only;
        else if (use == "tag-only")
            mirror.use = PullFromMirror::tag_only;
        else if (!use.empty() && use != "all")
            fail(table,
                 fmt::format("pull-from-mirror is \"{}\", not all, digest-only or tag-only", printable(use)));
        return mirror;
    }

    std::string location(const toml::table& table) const {
        std::string where = text(table, "location");
        while (where.ends_with('/')) where.pop_back();
        if (where.find("://") != std::string::npos)
            fail(table,
                 fmt::format("the location \"{}\" has a scheme; write the host alone", printable(where)));
        return where;
    }

    std::string text(const toml::table& table, std::string_view key) const {
        const toml::node* const value = table.get(key);
        if (value && !value->is_string()) fail(*value, fmt::format("{} is not a string", key));
        return value ? value->value_or(std::string()) : std::string();
    }

    bool flag(const toml::table& table, std::string_view key) const {
        const toml::node* const value = table.get(key);
        if (value && !value->is_boolean()) fail(*value, fmt::format("{} is neither true nor false", key));
        return value && value->value_or(false);
    }

    std::vector<const toml::table*> tables(const toml::table& parent, std::string_view key) const {
        std::vector<const toml::table*> found;
        const toml::node* const value = parent.get(key);
        if (!value) return found;
        const toml::array* const list = value->as_array();
        if (!list) fail(*value, fmt::format("{} is not a list of tables; write [[{}]]", key, key));
        for (const toml::node& item : *list) {
            if (!item.is_table()) fail(item, fmt::format("{} is not a table", key));
            found.push_back(item.as_table());
        }
        return found;
    }

    [[noreturn]] void fail(const toml::node& at, const std::string& why, const std::string& hint = {}) const {
        throw Error(fmt::format("cannot use {}:{}: {}", file_, at.source().begin.line, why), hint);
    }

    std::string file_;
};

std::vector<Registry> load_file(const fs::path& path) {
    const std::string file = path.string();
    const auto source = read_file(path, file, max_conf_size);
    try {
        return Reader(file).read(toml::parse(source->bytes()));
    } catch (const toml::parse_error& error) {
        throw Error(fmt::format("cannot use {}:{}: {}", file, error.source().begin.line,
                                printable(error.description())));
    }
}

// `path` itself, or the files in that directory.
std::vector<fs::path> expand(const fs::path& path) {
    std::error_code error;
    if (!fs::is_directory(path, error)) return {path};
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(path, error))
        if (entry.path().extension() == ".conf") files.push_back(entry.path());
    if (error) throw Error(fmt::format("cannot read {}: {}", path.string(), error.message()));
    std::sort(files.begin(), files.end());
    return files;
}

// Returns the length of the part of an image's full name that a prefix covers; nothing if the name does not
// begin so, at the border of a part.
std::optional<size_t> covered(std::string_view prefix, std::string_view name) {
    if (prefix.starts_with("*.")) {
        const std::string_view domain = prefix.substr(1);
        const std::string_view host = name.substr(0, name.find_first_of(":/"));
        if (domain.find('/') != std::string_view::npos || !host.ends_with(domain)) return std::nullopt;
        return host.size();
    }
    if (!name.starts_with(prefix)) return std::nullopt;
    const std::string_view rest = name.substr(prefix.size());
    if (!rest.empty() && rest[0] != '/' && rest[0] != ':' && rest[0] != '@') return std::nullopt;
    // "quay.io" is not the prefix of "quay.io:8443/repo".
    if (prefix.find('/') == std::string_view::npos && !rest.empty() && rest[0] != '/') return std::nullopt;
    return prefix.size();
}

std::string name_of(const PullSpec& spec) {
    return spec.name() + (spec.tag().empty() ? "" : ':' + spec.tag()) +
           (spec.digest().empty() ? "" : '@' + spec.digest());
}

PullSpec at_location(const PullSpec& spec, size_t prefix_size, const std::string& location) {
    if (location.empty()) return spec;
    auto moved = PullSpec::parse(location + name_of(spec).substr(prefix_size));
    if (!moved || moved->registry().empty())
        throw Error(fmt::format("the location \"{}\" in registries.conf does not give a valid image: {}",
                                printable(location), moved ? "it has no host" : moved.error().message));
    return *moved;
}

} // namespace

RegistriesConf RegistriesConf::load(const std::vector<fs::path>& paths) {
    RegistriesConf conf;
    for (const fs::path& path : paths) {
        for (const fs::path& file : expand(path)) {
            for (Registry& registry : load_file(file)) {
                std::erase_if(conf.registries,
                              [&](const Registry& r) { return r.prefix == registry.prefix; });
                conf.registries.push_back(std::move(registry));
            }
        }
    }
    return conf;
}

// The entry with the longest prefix of the image's full name, and the length of that.
const Registry* RegistriesConf::find(const std::string& name, size_t& size) const {
    const Registry* best = nullptr;
    for (const Registry& registry : registries) {
        const auto prefix = covered(registry.prefix, name);
        if (!prefix || (best && registry.prefix.size() <= best->prefix.size())) continue;
        best = &registry;
        size = *prefix;
    }
    if (best && best->blocked) throw Error(fmt::format("registries.conf blocks {}", printable(best->prefix)));
    return best;
}

std::vector<Endpoint> RegistriesConf::endpoints(const PullSpec& spec) const {
    size_t size = 0;
    const Registry* const best = find(name_of(spec), size);
    if (!best) return {{spec, false, false}};
    std::vector<Endpoint> places;
    for (const Mirror& mirror : best->mirrors) {
        const bool by_digest = !spec.digest().empty();
        if (mirror.use == (by_digest ? PullFromMirror::tag_only : PullFromMirror::digest_only)) continue;
        places.push_back({at_location(spec, size, mirror.location), mirror.insecure, true});
    }
    places.push_back({at_location(spec, size, best->location), best->insecure, false});
    return places;
}

Endpoint RegistriesConf::push_endpoint(const PullSpec& spec) const {
    size_t size = 0;
    const Registry* const registry = find(name_of(spec), size);
    return {spec, registry && registry->insecure, false};
}

} // namespace opcat::image
