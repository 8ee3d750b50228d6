// The two C++ libraries that Debian has as shared ones only, compiled into the program from their headers, as
// both provide for it. With them the shared libstdc++ is not needed either: to load and link the three took
// half of the time of a short run.
#define TOML_IMPLEMENTATION 1

#include <fmt/format-inl.h>
#include <toml++/toml.h>

FMT_BEGIN_NAMESPACE
namespace detail {

template FMT_API auto dragonbox::to_decimal(float x) noexcept -> dragonbox::decimal_fp<float>;
template FMT_API auto dragonbox::to_decimal(double x) noexcept -> dragonbox::decimal_fp<double>;
template FMT_API auto locale_ref::get<std::locale>() const -> std::locale;
template FMT_API auto thousands_sep_impl(locale_ref) -> thousands_sep_result<char>;
template FMT_API auto decimal_point_impl(locale_ref) -> char;
template FMT_API void buffer<char>::append(const char*, const char*);
template FMT_API void vformat_to(buffer<char>&, string_view, basic_format_args<buffer_context<char>>,
                                 locale_ref);

} // namespace detail
FMT_END_NAMESPACE
