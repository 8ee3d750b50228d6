#include "opcat/document/value.hpp"

namespace opcat {

std::string_view describe(Value::Kind kind) {
    switch (kind) {
    case Value::Kind::null:
        return "null";
    case Value::Kind::boolean:
        return "a boolean";
    case Value::Kind::integer:
    case Value::Kind::large_integer:
    case Value::Kind::real:
        return "a number";
    case Value::Kind::string:
        return "a string";
    case Value::Kind::array:
        return "a list";
    case Value::Kind::object:
        return "an object";
    }
    return {};
}

} // namespace opcat
