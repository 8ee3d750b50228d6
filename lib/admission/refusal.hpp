// Why the API server does not create an object: its field errors, in its own words.
#pragma once

#include "opcat/kube/object.hpp"

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace opcat::admission {

struct Refusal {
    std::string field;   // "spec.template.metadata.labels"
    std::string what;    // "Required value: …"
    uint32_t offset = 0; // of the value in the object's file

    std::string to_string() const { return field + ": " + what; }
};

// Field errors of apimachinery (pkg/util/validation/field), in the order in which they are found.
class Refusals {
public:
    // `value` as the API server prints it: quoted text, a number, JSON.
    void invalid(std::string field, const kube::Fields& part, std::string_view why);
    void invalid_text(std::string field, const kube::Fields& part, std::string_view text,
                      std::string_view why);
    void required(std::string field, const kube::Fields& near, std::string_view why = {});
    void forbidden(std::string field, const kube::Fields& part, std::string_view why);
    void duplicate(std::string field, const kube::Fields& part);
    void not_supported(std::string field, const kube::Fields& part,
                       std::initializer_list<std::string_view> supported);
    // The same unless the text is among the supported ones, or missing.
    void check_choice(std::string field, const kube::Fields& part,
                      std::initializer_list<std::string_view> supported);
    void add(std::string field, const kube::Fields& part, std::string what);

    const std::vector<Refusal>& list() const { return list_; }
    std::vector<Refusal> take() && { return std::move(list_); }

private:
    std::vector<Refusal> list_;
};

// "ConfigMap "x" is invalid: …": `kind` with its group, as in "Deployment.apps".
std::string invalid_message(std::string_view kind, std::string_view name,
                            const std::vector<Refusal>& refusals);

// The names that fields and keys of lists have in these paths.
std::string item(const std::string& path, size_t index);
std::string entry(const std::string& path, std::string_view key);

// ---- what several kinds of objects share

bool is_dns1035_label(std::string_view text);
std::vector<std::string> dns1035_label_errors(std::string_view text);
std::vector<std::string> dns1123_label_errors(std::string_view text);
// The name of a port in a pod.
std::vector<std::string> port_name_errors(std::string_view text);
void check_port(const std::string& path, const kube::Fields& port, Refusals& out);
void check_labels(const std::string& path, const kube::Fields& labels, Refusals& out);
void check_selector(const std::string& path, const kube::Fields& selector, Refusals& out);
// An expression of a selector without its values; those of nodes may also compare numbers.
void check_requirement(const std::string& path, const kube::Fields& expression, bool of_nodes, Refusals& out);
// A number, or a percentage: of a whole (`is_part`) at most 100%.
void check_amount(const std::string& path, const kube::Fields& amount, bool is_part, Refusals& out);

} // namespace opcat::admission
