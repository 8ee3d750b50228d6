#include "cel/declarations.hpp"

#include <map>
#include <string>

namespace opcat::cel {
namespace {

using K = TypeKind;
using Table = std::map<std::string_view, std::vector<Overload>>;

class Declarations {
public:
    Declarations() {
        const Type boolean = K::boolean;
        generic("_?_:_", {boolean, a, a}, a, 1);
        add("!_", {boolean}, boolean);
        generic("_==_", {a, a}, boolean, 1);
        generic("_!=_", {a, a}, boolean, 1);
        for (const std::string_view compare : {"_<_", "_<=_", "_>_", "_>=_"})
            for (const K kind : {K::boolean, K::integer, K::unsigned_integer, K::real, K::string, K::bytes,
                                 K::timestamp, K::duration})
                add(compare, {kind, kind}, boolean);
        arithmetic();
        collections();
        conversions();
        text();
        times();
        add("semver_compare", {K::any, K::any}, K::integer);
    }

    const Table& table() const { return table_; }

private:
    void add(std::string_view name, std::vector<Type> arguments, const Type& result) {
        table_[name].push_back({std::move(arguments), result, false, 0});
    }
    void add_member(std::string_view name, std::vector<Type> arguments, const Type& result) {
        table_[name].push_back({std::move(arguments), result, true, 0});
    }
    void generic(std::string_view name, std::vector<Type> arguments, const Type& result, uint32_t variables) {
        table_[name].push_back({std::move(arguments), result, false, variables});
    }

    void arithmetic() {
        for (const K kind : {K::bytes, K::real, K::duration}) add("_+_", {kind, kind}, kind);
        add("_+_", {K::duration, K::timestamp}, K::timestamp);
        add("_+_", {K::timestamp, K::duration}, K::timestamp);
        add("_+_", {K::integer, K::integer}, K::integer);
        generic("_+_", {Type::list(a), Type::list(a)}, Type::list(a), 1);
        add("_+_", {K::string, K::string}, K::string);
        add("_+_", {K::unsigned_integer, K::unsigned_integer}, K::unsigned_integer);
        for (const K kind : {K::real, K::duration, K::integer}) add("_-_", {kind, kind}, kind);
        add("_-_", {K::timestamp, K::duration}, K::timestamp);
        add("_-_", {K::timestamp, K::timestamp}, K::duration);
        add("_-_", {K::unsigned_integer, K::unsigned_integer}, K::unsigned_integer);
        for (const K kind : {K::real, K::integer, K::unsigned_integer}) {
            add("_*_", {kind, kind}, kind);
            add("_/_", {kind, kind}, kind);
        }
        add("_%_", {K::integer, K::integer}, K::integer);
        add("_%_", {K::unsigned_integer, K::unsigned_integer}, K::unsigned_integer);
        add("-_", {K::real}, K::real);
        add("-_", {K::integer}, K::integer);
    }

    void collections() {
        generic("_[_]", {Type::list(a), K::integer}, a, 1);
        generic("_[_]", {Type::map(a, b), a}, b, 2);
        generic("@in", {a, Type::list(a)}, K::boolean, 1);
        generic("@in", {a, Type::map(a, b)}, K::boolean, 2);
        for (const bool member : {false, true}) {
            auto& size = table_["size"];
            size.push_back({{K::bytes}, K::integer, member, 0});
            size.push_back({{Type::list(a)}, K::integer, member, 1});
            size.push_back({{Type::map(a, b)}, K::integer, member, 2});
            size.push_back({{K::string}, K::integer, member, 0});
        }
    }

    void conversions() {
        generic("type", {a}, Type::type_of(a), 1);
        generic("dyn", {a}, K::dyn, 1);
        const auto from = [this](std::string_view name, K to, std::initializer_list<K> kinds) {
            for (const K kind : kinds) add(name, {kind}, to);
        };
        from("bool", K::boolean, {K::boolean, K::string});
        from("bytes", K::bytes, {K::bytes, K::string});
        from("double", K::real, {K::real, K::integer, K::string, K::unsigned_integer});
        from("duration", K::duration, {K::duration, K::integer, K::string});
        from("int", K::integer,
             {K::integer, K::real, K::duration, K::string, K::timestamp, K::unsigned_integer});
        from("string", K::string,
             {K::string, K::boolean, K::bytes, K::real, K::duration, K::integer, K::timestamp,
              K::unsigned_integer});
        from("timestamp", K::timestamp, {K::timestamp, K::integer, K::string});
        from("uint", K::unsigned_integer, {K::unsigned_integer, K::real, K::integer, K::string});
    }

    void text() {
        for (const std::string_view name : {"contains", "endsWith", "startsWith"})
            add_member(name, {K::string, K::string}, K::boolean);
        add("matches", {K::string, K::string}, K::boolean);
        add_member("matches", {K::string, K::string}, K::boolean);
    }

    void times() {
        for (const std::string_view name :
             {"getFullYear", "getMonth", "getDayOfYear", "getDate", "getDayOfMonth", "getDayOfWeek",
              "getHours", "getMinutes", "getSeconds", "getMilliseconds"}) {
            add_member(name, {K::timestamp}, K::integer);
            add_member(name, {K::timestamp, K::string}, K::integer);
        }
        for (const std::string_view name : {"getHours", "getMinutes", "getSeconds", "getMilliseconds"})
            add_member(name, {K::duration}, K::integer);
    }

    Type a = Type::variable(0);
    Type b = Type::variable(1);
    Table table_;
};

} // namespace

std::span<const Overload> overloads_of(std::string_view function) {
    static const Declarations declarations;
    const auto found = declarations.table().find(function);
    return found == declarations.table().end() ? std::span<const Overload>() : found->second;
}

} // namespace opcat::cel
