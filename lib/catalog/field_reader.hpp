// Fields of an object, found and checked as Go's encoding/json fills a struct.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/catalog/catalog.hpp"
#include "opcat/document/value.hpp"

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace opcat {

// Reads the fields of one object. `what` names it in messages ("olm.channel", "channel entry"). A value of
// the wrong type is an error of rule "field-type"; null counts as absent.
class FieldReader {
public:
    FieldReader(const SourceFile* file, const Value& object, std::string_view what, Diagnostics& diagnostics)
        : file_(file), object_(object), what_(what), diagnostics_(diagnostics) {}

    // As Go finds it (go/fields.hpp).
    const Value* find(std::string_view field) const;

    Text string(std::string_view field) const;
    // nullptr if it is absent or null.
    const Value* array(std::string_view field) const;
    const Value* object(std::string_view field) const;
    // Items that are not strings are errors and left out; null becomes an empty string.
    std::span<const Text> strings(std::string_view field, Arena& arena) const;

    // Decodes each item of a list of objects with `decode(FieldReader, const Value& item)`. `item_name` names
    // one in messages.
    template <typename Item, typename Decode>
    std::span<const Item> objects(std::string_view field, std::string_view item_name, Arena& arena,
                                  Decode decode) const {
        const Value* const list = array(field);
        if (!list) return {};
        std::vector<Item> items;
        items.reserve(list->items().size());
        for (const Value& item : list->items()) {
            if (!item.is_object() && !item.is_null()) {
                wrong_type(item, item_name, "an object");
                continue;
            }
            items.push_back(decode(FieldReader(file_, item, item_name, diagnostics_), item));
        }
        return arena.copy(std::span<const Item>(items));
    }

    // Reports fields with other names than these as findings of `rule`.
    void refuse_all_but(std::span<const std::string_view> known, std::string_view rule,
                        Severity severity = Severity::error) const;

    uint32_t offset() const { return object_.offset(); }
    void error(std::string_view rule, uint32_t offset, std::string message, std::string help = {}) const;

private:
    void wrong_type(const Value& value, std::string_view field, std::string_view wanted) const;

    const SourceFile* file_;
    Value object_;
    std::string_view what_;
    Diagnostics& diagnostics_;
};

// The fix for a number or a boolean that should be a text: in quotes, or as a version of three numbers where
// it must be one. Nothing if the text would be wrong as well.
enum class TextForm : uint8_t { any, version, range };
Fix write_as_text(TextForm form, const Location& word);
// Returns a help text for it.
std::string help_to_write(TextForm form, const Location& word);

// The object in a small file that people write by hand (a template, a configuration): the first document that
// is not empty, which must be an object. `what` names it in messages ("a template"); mistakes are errors of
// `rule`, and so is what follows unless it may (`Rest::stays`).
enum class Rest : uint8_t { refused, stays };
std::optional<Value> read_object(const SourceFile& file, Arena& arena, std::string_view what,
                                 std::string_view rule, Diagnostics& diagnostics, Rest rest = Rest::refused);

} // namespace opcat
