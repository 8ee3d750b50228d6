#include "opcat/document/number.hpp"

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>

namespace opcat {
namespace {

// Shortest digits and decimal exponent: value = ±d.ddd × 10^exponent.
struct Decimal {
    bool negative;
    std::string digits;
    int exponent;
};

template <typename Real>
Decimal shortest(Real value) {
    char text[64];
    const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::scientific).ptr;
    std::string_view rest(text, static_cast<size_t>(end - text));
    Decimal decimal{rest.front() == '-', {}, 0};
    if (decimal.negative) rest.remove_prefix(1);
    const size_t e = rest.find('e');
    for (const char c : rest.substr(0, e))
        if (c != '.') decimal.digits += c;
    std::string_view exponent = rest.substr(e + 1);
    if (exponent.front() == '+') exponent.remove_prefix(1);
    std::from_chars(exponent.data(), exponent.data() + exponent.size(), decimal.exponent);
    return decimal;
}

void append_scientific(std::string& out, const Decimal& d, size_t exponent_digits) {
    out += d.digits[0];
    if (d.digits.size() > 1) {
        out += '.';
        out.append(d.digits, 1);
    }
    out += d.exponent < 0 ? "e-" : "e+";
    std::string exponent = std::to_string(std::abs(d.exponent));
    if (exponent.size() < exponent_digits) exponent.insert(0, exponent_digits - exponent.size(), '0');
    out += exponent;
}

void append_fixed(std::string& out, const Decimal& d) {
    const int point = d.exponent + 1; // digits before the point
    const int count = static_cast<int>(d.digits.size());
    if (point <= 0) {
        out += "0.";
        out.append(static_cast<size_t>(-point), '0');
        out += d.digits;
    } else if (count <= point) {
        out += d.digits;
        out.append(static_cast<size_t>(point - count), '0');
    } else {
        out.append(d.digits, 0, static_cast<size_t>(point));
        out += '.';
        out.append(d.digits, static_cast<size_t>(point));
    }
}

template <typename Real>
void append_g(std::string& out, Real value) {
    const Decimal d = shortest(value);
    if (d.negative) out += '-';
    const bool scientific = d.exponent < -4 || d.exponent >= 6;
    if (scientific)
        append_scientific(out, d, 2);
    else
        append_fixed(out, d);
}

} // namespace

std::optional<double> parse_real(std::string_view text) {
    if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
#ifdef __cpp_lib_to_chars
    double value = 0;
    const char* const end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, value);
    if (result.ptr != end) return std::nullopt;
    if (result.ec == std::errc()) return value;
    if (result.ec != std::errc::result_out_of_range) return std::nullopt;
        // Too large or too small: only strtod says which.
#else
    // libc++ has from_chars for integers alone. strtod accepts white space, a sign and hexadecimal digits in
    // addition.
    if (text.find_first_of(" \t\n\v\f\r+") == 0 || text.find_first_of("xX") != text.npos) return std::nullopt;
#endif
    const std::string copy(text);
    char* stop = nullptr;
    errno = 0;
    const double read = std::strtod(copy.c_str(), &stop);
    if (copy.empty() || stop != copy.c_str() + copy.size()) return std::nullopt;
    if (errno == ERANGE && std::isinf(read)) return std::nullopt;
    return read;
}

void append_json_real(std::string& out, double value) {
    const Decimal d = shortest(value);
    if (d.negative) out += '-';
    if (value != 0 && (d.exponent < -6 || d.exponent >= 21))
        append_scientific(out, d, 1);
    else
        append_fixed(out, d);
}

void append_g_real(std::string& out, double value) {
    append_g(out, value);
}
void append_g_float(std::string& out, float value) {
    append_g(out, value);
}

} // namespace opcat
