// `opcat template render` to files: one template to a directory, or all that .opcat.yaml names.
#pragma once

#include "catalog_options.hpp"
#include "command.hpp"
#include "configuration.hpp"
#include "opcat/catalog/layout.hpp"
#include "opcat/template/template.hpp"

#include <optional>
#include <string>
#include <vector>

namespace opcat {

class Session;

struct OutputFlags {
    bool all = false;
    bool check = false;
    std::string directory;
    std::string layout{layout_names[0]};
    ConfigurationFlags configuration;
};

// `flags` is filled when the command line is parsed, and must live as long as the command. `of_one`: flags
// that only make sense with one template.
void add_output_flags(Command command, OutputFlags& flags, const std::vector<Option>& of_one);

// The flags for rendering besides the template.
struct RenderFlags {
    const std::vector<std::string>& bundle_directories;
    const ImageFlags& images;
    bool allow_empty;
};

struct NamedTemplate {
    std::string path; // "-": standard input
    std::optional<TemplateKind> kind;
    bool migrate = false;

    friend auto operator<=>(const NamedTemplate&, const NamedTemplate&) = default;
};

void render_to_directory(const NamedTemplate& what, Format format, const OutputFlags& flags,
                         const RenderFlags& rendering, Session& session);

// Renders every template of the configuration; its images are pulled together, each once. Nothing is written
// if one of them has an error.
void render_all(const OutputFlags& flags, const RenderFlags& rendering, Session& session);

// For all templates of the configuration: --all, which excludes what is `of_one`, and --config. Variables are
// as for add_output_flags.
struct AllFlags {
    Option all;
    Option configuration;
};
AllFlags add_all_flags(Command command, bool& all, const std::string& description,
                       ConfigurationFlags& configuration, const std::vector<Option>& of_one);

// Makes each template of the configuration that does not exist, of its catalog. Nothing is written if one of
// them has an error. Throws RequestError if catalogs of one template differ.
void convert_all(TemplateKind kind, const ConfigurationFlags& configuration, Session& session);

// opm reads only the first document of a template, in silence.
void warn_of_other_documents(const SourceFile& file, const Session& session);

} // namespace opcat
