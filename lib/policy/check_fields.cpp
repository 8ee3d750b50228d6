// check_required_fields: what OperatorHub shows of a bundle (static_tests/community/validations.py).
#include "opcat/base/text.hpp"
#include "opcat/base/unicode.hpp"
#include "opcat/policy/iso_date.hpp"
#include "opcat/policy/python_versions.hpp"
#include "opcat/policy/static_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

namespace opcat::policy {
namespace {

// ---- patterns, which are matched from the start of str(value) only

size_t count_before_line_break(std::string_view text) {
    return utf8_characters(text.substr(0, text.find('\n'))).size();
}

bool has_characters_on_line(const PythonValue& value, size_t least) {
    return count_before_line_break(value.str()) >= least;
}

bool has_characters(const PythonValue& value, size_t least) {
    return utf8_characters(value.str()).size() >= least;
}

// ([^/]+/){1,}[^/:]+:.+
bool is_image(const PythonValue& value) {
    const std::string text = value.str();
    size_t begin = 0;
    for (size_t slash = text.find('/'); slash != std::string::npos && slash > begin;
         slash = text.find('/', begin)) {
        begin = slash + 1;
        const size_t end = text.find_first_of("/:", begin);
        if (end != std::string::npos && end > begin && text[end] == ':' && end + 1 < text.size() &&
            text[end + 1] != '\n')
            return true;
    }
    return false;
}

// https?://.+
bool is_url(const PythonValue& value) {
    const std::string text = value.str();
    for (const std::string_view prefix : {"http://", "https://"})
        if (text.starts_with(prefix)) return text.size() > prefix.size() && text[prefix.size()] != '\n';
    return false;
}

// ---- functions

bool is_capability(const PythonValue& value) {
    return value.text() && is_one_of(*value.text(), {"Basic Install", "Seamless Upgrades", "Full Lifecycle",
                                                     "Deep Insights", "Auto Pilot"});
}

bool are_categories(const PythonValue& value) {
    const std::string text = value.str();
    for (std::string_view rest = text;;) {
        const size_t comma = rest.find(',');
        if (!is_one_of(python_strip(rest.substr(0, comma)),
                       {"AI/Machine Learning", "Application Runtime", "Big Data", "Cloud Provider",
                        "Developer Tools", "Database", "Drivers and plugins", "Integration & Delivery",
                        "Logging & Tracing", "Modernization & Migration", "Monitoring", "Networking",
                        "OpenShift Optional", "Security", "Storage", "Streaming & Messaging"}))
            return false;
        if (comma == std::string_view::npos) return true;
        rest.remove_prefix(comma + 1);
    }
}

bool is_timestamp(const PythonValue& value) {
    return (value.date() && value.date()->has_time) || is_iso_date(value.str());
}

bool is_semver(const PythonValue& value) {
    if (!value.text()) return false;
    try {
        semver_version(*value.text());
        return true;
    } catch (const PythonError&) {
        return false;
    }
}

bool are_dicts_of_texts(const PythonValue& value, std::initializer_list<std::string_view> fields) {
    if (!value.list() || value.list()->empty()) return false;
    return std::all_of(value.list()->begin(), value.list()->end(), [&](const PythonValue& item) {
        return item.dict() && std::all_of(fields.begin(), fields.end(), [&](std::string_view field) {
                   const PythonValue* const member = item.find(field);
                   return member && member->text();
               });
    });
}

// base64.b64decode(data, validate=True) of Python 3.11.
bool is_base64(std::string_view data) {
    if (!is_ascii(data))
        throw PythonError("ValueError", "string argument should contain only ASCII characters");
    if (data.starts_with('=')) return false;
    size_t quad = 0; // characters of the group of four
    size_t pads = 0;
    bool padded = false;
    for (size_t i = 0; i < data.size(); ++i) {
        const char c = data[i];
        if (c == '=') {
            padded = true;
            if (quad >= 2 && quad + ++pads >= 4) return i + 1 == data.size();
            continue;
        }
        const char lower = ascii_lower(c);
        if (!(is_digit(c) || (lower >= 'a' && lower <= 'z') || c == '+' || c == '/') || padded) return false;
        quad = (quad + 1) % 4;
    }
    return quad == 0;
}

bool are_icons(const PythonValue& value) {
    if (!are_dicts_of_texts(value, {"base64data", "mediatype"})) return false;
    return std::all_of(value.list()->begin(), value.list()->end(), [](const PythonValue& icon) {
        std::string data = *icon.find("base64data")->text();
        std::erase_if(
            data, [](char c) { return std::string_view(" \t\n\r\v\f").find(c) != std::string_view::npos; });
        return data.size() >= 4 && is_base64(data) &&
               is_one_of(*icon.find("mediatype")->text(),
                         {"image/png", "image/jpeg", "image/gif", "image/svg+xml"});
    });
}

bool are_texts(const PythonValue& value) {
    return value.list() && !value.list()->empty() &&
           std::all_of(value.list()->begin(), value.list()->end(),
                       [](const PythonValue& item) { return item.text() != nullptr; });
}

struct Field {
    std::string_view path;
    bool (*is_valid)(const PythonValue&);
    bool fatal;
};

constexpr Field fields[] = {
    {"metadata.annotations.capabilities", is_capability, false},
    {"metadata.annotations.categories", are_categories, false},
    {"metadata.annotations.containerImage", is_image, false},
    {"metadata.annotations.createdAt", is_timestamp, false},
    {"metadata.annotations.repository", is_url, false},
    {"metadata.annotations.support", [](const PythonValue& v) { return has_characters(v, 3); }, false},
    {"metadata.annotations.description", [](const PythonValue& v) { return has_characters(v, 10); }, false},
    {"spec.displayName", [](const PythonValue& v) { return has_characters_on_line(v, 3); }, true},
    {"spec.description", [](const PythonValue& v) { return has_characters(v, 20); }, true},
    {"spec.icon", are_icons, true},
    {"spec.version", is_semver, true},
    {"spec.maintainers",
     [](const PythonValue& v) {
         return are_dicts_of_texts(v, {"name", "email"});
     },
     true},
    {"spec.provider.name", [](const PythonValue& v) { return has_characters_on_line(v, 3); }, true},
    {"spec.links",
     [](const PythonValue& v) {
         return are_dicts_of_texts(v, {"name", "url"});
     },
     true},
    {"spec.keywords", are_texts, false},
};

constexpr size_t longest_display_name = 50;

struct Looked {
    PythonValue value = {};
    uint32_t nearest = 0; // the offset of what would hold it
};

// operator_repo.utils.lookup_dict()
Looked look_up(const PythonValue& csv, std::string_view path) {
    Looked found{csv, csv.offset()};
    while (true) {
        const size_t dot = path.find('.');
        const std::string_view key = path.substr(0, dot);
        found.nearest = found.value.offset();
        if (!found.value.contains(key)) return {PythonValue(), found.nearest};
        found.value = found.value.item(key);
        if (dot == std::string_view::npos) return found;
        path.remove_prefix(dot + 1);
    }
}

} // namespace

void check_required_fields(const OperatorBundle& bundle, Findings& findings) {
    const PythonValue& csv = bundle.csv();
    for (const Field& field : fields) {
        const Looked found = look_up(csv, field.path);
        const bool is_missing = found.value.is_none();
        const Location where = bundle.csv_file().at(is_missing ? found.nearest : found.value.offset());
        if (!is_missing && field.is_valid(found.value)) {
            if (field.path == "spec.displayName" &&
                has_characters_on_line(found.value, longest_display_name + 1))
                findings.passed_by_mistake(
                    fmt::format("spec.displayName has more than {} characters: the official "
                                "pattern has no upper bound in effect",
                                longest_display_name),
                    where);
            continue;
        }
        std::string message = fmt::format(
            "CSV {} {}", is_missing ? "does not define" : "contains an invalid value for", field.path);
        if (field.fatal)
            findings.error(std::move(message), where);
        else
            findings.warn(std::move(message), where);
    }
}

} // namespace opcat::policy
