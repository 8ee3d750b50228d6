#include "commands/resolve.hpp"

#include "command.hpp"
#include "opcat/base/error.hpp"
#include "references.hpp"
#include "terminal/findings.hpp"
#include "terminal/session.hpp"

#include <charconv>
#include <set>

namespace opcat {

namespace {

using namespace olmv1;

std::vector<std::string_view> settings_in(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    for (size_t begin = 0;;) {
        const size_t end = text.find(separator, begin);
        parts.push_back(text.substr(begin, end - begin));
        if (end == text.npos) return parts;
        begin = end + 1;
    }
}

// The last part of a path or a pull spec, without tag and digest: the usual name of the catalog.
std::string name_from(std::string_view reference) {
    while (reference.size() > 1 && reference.ends_with('/')) reference.remove_suffix(1);
    std::string_view name = reference.substr(reference.rfind('/') + 1);
    name = name.substr(0, name.find('@'));
    const size_t colon = name.rfind(':');
    if (colon != name.npos && colon > 0) name = name.substr(0, colon);
    return std::string(name);
}

struct CatalogOption {
    NamedCatalog catalog;
    std::string reference;
};

void apply(std::string_view setting, CatalogOption& option, const std::string& text) {
    const auto wrong = [&](std::string_view why) {
        return RequestError(fmt::format("--catalog {}: {}", text, why),
                            "write [NAME=]REF[,priority=N][,labels=KEY=VALUE][,unavailable]");
    };
    if (setting == "unavailable") {
        option.catalog.unavailable = true;
    } else if (setting.starts_with("priority=")) {
        const std::string_view number = setting.substr(9);
        const auto [end, error] =
            std::from_chars(number.data(), number.data() + number.size(), option.catalog.priority);
        if (error != std::errc() || end != number.data() + number.size())
            throw wrong(fmt::format("\"{}\" is not an integer of 32 bits", number));
    } else if (setting.starts_with("labels=")) {
        const std::string_view label = setting.substr(7);
        const size_t equals = label.find('=');
        if (equals == label.npos) throw wrong(fmt::format("\"{}\" is not KEY=VALUE", label));
        option.catalog.labels[std::string(label.substr(0, equals))] = label.substr(equals + 1);
    } else {
        throw wrong(fmt::format("\"{}\" is not a setting", setting));
    }
}

CatalogOption parse_option(const std::string& text) {
    const auto parts = settings_in(text, ',');
    CatalogOption option;
    // A name has no slash; a path may have an equals sign.
    const std::string_view first = parts[0];
    const size_t equals = first.find('=');
    const bool named = equals != first.npos && equals > 0 && first.substr(0, equals).find('/') == first.npos;
    option.reference = named ? first.substr(equals + 1) : first;
    option.catalog.name = named ? std::string(first.substr(0, equals)) : name_from(option.reference);
    if (option.reference.empty()) throw RequestError(fmt::format("--catalog {}: there is no REF", text));
    std::set<std::string_view> seen;
    for (size_t i = 1; i < parts.size(); ++i) {
        const std::string_view setting = parts[i].substr(0, parts[i].find('='));
        if (setting != "labels" && !seen.insert(setting).second)
            throw RequestError(fmt::format("--catalog {}: {} is given twice", text, setting));
        apply(parts[i], option, text);
    }
    return option;
}

} // namespace

CatalogCache::CatalogCache(Session& session, const ImageFlags& images)
    : sources(opening(images, session), session.pool()), session_(session) {}

bool CatalogCache::load_all(const std::vector<std::string>& references) {
    return sources.open(references,
                        [&](const Diagnostics& findings) { return report_findings(findings, session_); });
}

std::optional<std::vector<NamedCatalog>> CatalogCache::load(const std::vector<std::string>& options) {
    if (options.empty())
        throw RequestError("there is no catalog to resolve from", "name one with --catalog [NAME=]REF");
    std::vector<CatalogOption> parsed;
    for (const std::string& text : options) {
        CatalogOption option = parse_option(text);
        for (const CatalogOption& other : parsed)
            if (other.catalog.name == option.catalog.name)
                throw RequestError(fmt::format("two catalogs are called {}", option.catalog.name),
                                   "give them different names with --catalog NAME=REF");
        parsed.push_back(std::move(option));
    }
    std::vector<std::string> references;
    references.reserve(parsed.size());
    for (const CatalogOption& option : parsed) references.push_back(option.reference);
    if (!load_all(references)) return std::nullopt;
    std::vector<NamedCatalog> catalogs;
    for (CatalogOption& option : parsed) {
        option.catalog.index = &sources.index(option.reference);
        catalogs.push_back(std::move(option.catalog));
    }
    return catalogs;
}

void add_resolve(Command tree, Session& session) {
    const Command command = tree.add_command("resolve", "Predict what OLM would install or upgrade to");
    command.needs_command();
    command.footer("Examples:\n"
                   "  opcat resolve v1 argocd-operator --catalog catalog/ --installed 0.8.0\n"
                   "  opcat resolve classic -n shop --catalog olm/community=catalog/ --subscribe prometheus\n"
                   "  opcat resolve ocp-upgrade --cluster-version 4.18.3 --catalog catalog/ --installed "
                   "quay-operator@3.9.1");
    add_resolve_v1(command, session);
    add_resolve_ocp_upgrade(command, session);
    add_resolve_classic(command, session);
}

} // namespace opcat
