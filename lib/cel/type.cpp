#include "opcat/cel/type.hpp"

#include <algorithm>
#include <string_view>

namespace opcat::cel {
namespace {

// Types grow with their expressions, and by macros faster than these: beyond some size they are not tracked.
constexpr uint32_t max_size = 10'000;

std::string_view name_of(TypeKind kind) {
    switch (kind) {
    case TypeKind::dyn:
        return "dyn";
    case TypeKind::any:
        return "any";
    case TypeKind::error:
        return "!error!";
    case TypeKind::null:
        return "null";
    case TypeKind::boolean:
        return "bool";
    case TypeKind::integer:
        return "int";
    case TypeKind::unsigned_integer:
        return "uint";
    case TypeKind::real:
        return "double";
    case TypeKind::string:
        return "string";
    case TypeKind::bytes:
        return "bytes";
    case TypeKind::timestamp:
        return "timestamp";
    case TypeKind::duration:
        return "duration";
    case TypeKind::list:
        return "list";
    case TypeKind::map:
        return "map";
    case TypeKind::type:
        return "type";
    case TypeKind::variable:
        break;
    }
    return "_var";
}

bool equal_or_less_specific(const Type& a, const Type& b) {
    if (a.is_dyn() || a.kind() == TypeKind::variable) return true;
    if (b.is_dyn() || b.kind() == TypeKind::variable) return false;
    if (a.kind() != b.kind()) return false;
    if (a.kind() != TypeKind::list && a.kind() != TypeKind::map) return true;
    for (size_t i = 0; i < a.parameters().size(); ++i)
        if (!equal_or_less_specific(a.parameters()[i], b.parameters()[i])) return false;
    return true;
}

bool may_be_null(const Type& type) {
    return type.kind() == TypeKind::null || type.kind() == TypeKind::timestamp ||
           type.kind() == TypeKind::duration;
}

} // namespace

Type::Type(TypeKind kind, std::vector<Type> parameters) : kind_(kind) {
    for (const Type& parameter : parameters) size_ = std::min(size_ + parameter.size_, max_size + 1);
    if (size_ > max_size) {
        kind_ = TypeKind::dyn;
        size_ = 1;
        return;
    }
    parameters_ = std::make_shared<const std::vector<Type>>(std::move(parameters));
}

const std::vector<Type>& Type::parameters() const {
    static const std::vector<Type> none;
    return parameters_ ? *parameters_ : none;
}

std::string Type::to_string() const {
    std::string text(name_of(kind_));
    if (kind_ == TypeKind::variable) text += std::to_string(number_);
    if (parameters().empty()) return text;
    text += '(';
    for (size_t i = 0; i < parameters().size(); ++i) {
        if (i > 0) text += ", ";
        text += parameters()[i].to_string();
    }
    return text + ')';
}

bool operator==(const Type& a, const Type& b) {
    if (a.kind_ != b.kind_ || a.number_ != b.number_) return false;
    return a.parameters_ == b.parameters_ || a.parameters() == b.parameters();
}

Type TypeBindings::fresh() {
    bound_.push_back(nullptr);
    return Type::variable(static_cast<uint32_t>(bound_.size() - 1));
}

bool TypeBindings::assignable(const Type& from, const Type& to) {
    const size_t mark = trail_.size();
    if (fits(from, to)) return true;
    roll_back(mark);
    return false;
}

bool TypeBindings::assignable(const std::vector<Type>& from, const std::vector<Type>& to) {
    const size_t mark = trail_.size();
    if (fits(from, to)) return true;
    roll_back(mark);
    return false;
}

bool TypeBindings::fits(const std::vector<Type>& a, const std::vector<Type>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [this](const Type& x, const Type& y) { return fits(x, y); });
}

bool TypeBindings::fits(const Type& a, const Type& b) {
    if (b.kind() == TypeKind::variable) {
        bool known = false;
        if (bind(a, b, known)) return true;
        if (known) return false;
    }
    if (a.kind() == TypeKind::variable) {
        bool known = false;
        return bind(b, a, known);
    }
    if (a.is_dyn_or_error() || b.is_dyn_or_error()) return true;
    if (a.kind() == TypeKind::null) return may_be_null(b);
    if (b.kind() == TypeKind::null) return may_be_null(a);
    if (a.kind() != b.kind()) return false;
    if (a.kind() == TypeKind::type) return true;
    return fits(a.parameters(), b.parameters());
}

bool TypeBindings::bind(const Type& type, const Type& variable, bool& known) {
    known = true;
    if (type == variable) return true;
    if (const auto bound = bound_[variable.number()]) {
        if (type == *bound) return true;
        if (!fits(type, *bound)) return false;
        const Type general = most_general(type, *bound);
        if (!occurs(variable, general)) set(variable.number(), general);
        return true;
    }
    known = false;
    if (occurs(variable, type)) return false;
    set(variable.number(), type);
    return true;
}

bool TypeBindings::occurs(const Type& variable, const Type& type) const {
    if (type == variable) return true;
    if (type.kind() == TypeKind::variable) {
        const auto bound = bound_[type.number()];
        return bound && occurs(variable, *bound);
    }
    return std::any_of(type.parameters().begin(), type.parameters().end(),
                       [&](const Type& parameter) { return occurs(variable, parameter); });
}

void TypeBindings::set(uint32_t number, const Type& type) {
    trail_.emplace_back(number, bound_[number]);
    bound_[number] = std::make_shared<const Type>(type);
}

void TypeBindings::roll_back(size_t mark) {
    while (trail_.size() > mark) {
        bound_[trail_.back().first] = std::move(trail_.back().second);
        trail_.pop_back();
    }
}

Type TypeBindings::substitute(const Type& type, bool free_to_dyn) const {
    if (type.kind() == TypeKind::variable) {
        if (const auto bound = bound_[type.number()]) return substitute(*bound, free_to_dyn);
        return free_to_dyn ? Type(TypeKind::dyn) : type;
    }
    const std::vector<Type>& p = type.parameters();
    switch (type.kind()) {
    case TypeKind::list:
        return Type::list(substitute(p[0], free_to_dyn));
    case TypeKind::map:
        return Type::map(substitute(p[0], free_to_dyn), substitute(p[1], free_to_dyn));
    case TypeKind::type:
        return p.empty() ? type : Type::type_of(substitute(p[0], free_to_dyn));
    default:
        return type;
    }
}

Type TypeBindings::most_general(const Type& a, const Type& b) {
    return equal_or_less_specific(a, b) ? a : b;
}

} // namespace opcat::cel
