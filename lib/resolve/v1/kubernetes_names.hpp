// The rules that Kubernetes has for names and labels, and its words for breaking them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace opcat::olmv1 {

constexpr size_t longest_label = 63;
constexpr size_t longest_subdomain = 253;

// By their characters only: lengths are for the caller, as the API server checks them apart.
bool is_dns1123_label(std::string_view text);
bool is_dns1123_subdomain(std::string_view text);

// What is wrong with a DNS-1123 subdomain, a label's key ("name" or "prefix/name"), a label's value; empty if
// nothing is.
std::vector<std::string> subdomain_errors(std::string_view text);
std::vector<std::string> label_key_errors(std::string_view text);
std::vector<std::string> label_value_errors(std::string_view text);

} // namespace opcat::olmv1
