#include "opcat/cue/schema.hpp"

#include "opcat/base/text.hpp"
#include "opcat/cue/parser.hpp"

#include <algorithm>

namespace opcat::cue {

std::optional<Schema> Schema::compile(std::shared_ptr<const SourceFile> file, Diagnostics& problems) {
    auto tree = parse(*file);
    if (!tree) {
        problems.push_back(tree.error());
        return std::nullopt;
    }
    Schema schema;
    schema.file_ = std::move(file);
    schema.tree_ = std::make_shared<const File>(*std::move(tree));
    auto compiled = cue::compile(*schema.tree_, *schema.file_, problems);
    if (!compiled) return std::nullopt;
    schema.compiled_ = *std::move(compiled);
    for (const Declaration& declaration : schema.tree_->body.declarations) {
        if (declaration.kind != Declaration::Kind::definition || schema.find(declaration.name)) continue;
        schema.definitions_.push_back({declaration.name, schema.compiled_.definitions.at(declaration.name),
                                       declaration.range, declaration.documentation});
    }
    return schema;
}

const Definition* Schema::find(std::string_view name) const {
    const auto found =
        std::find_if(definitions_.begin(), definitions_.end(), [&](const Definition& definition) {
            return definition.name == name ||
                   (definition.name.starts_with('#') && definition.name.substr(1) == name);
        });
    return found == definitions_.end() ? nullptr : &*found;
}

std::optional<std::string_view> Schema::constant(const Definition& definition, std::string_view field) const {
    std::optional<std::string_view> text;
    for (const Alternative& alternative : program().nodes[definition.node].alternatives) {
        const auto found = std::find_if(alternative.fields.begin(), alternative.fields.end(),
                                        [&](const Field& f) { return f.name == field; });
        if (found == alternative.fields.end()) return std::nullopt;
        for (const Alternative& value : program().nodes[found->node].alternatives) {
            if (!value.constant || value.constant->kind != Constant::Kind::string) return std::nullopt;
            if (text && *text != value.constant->text) return std::nullopt;
            text = value.constant->text;
        }
    }
    return text;
}

std::string Schema::comment(Range documentation) const {
    const std::string_view text =
        file_->bytes().substr(documentation.begin, documentation.end - documentation.begin);
    std::string out;
    for (std::string_view line : lines_of(text)) {
        line.remove_prefix(std::min(line.find("//"), line.size()));
        line.remove_prefix(std::min<size_t>(2, line.size()));
        if (line.starts_with(' ')) line.remove_prefix(1);
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (!out.empty()) out += '\n';
        out += line;
    }
    return out;
}

} // namespace opcat::cue
