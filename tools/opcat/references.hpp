// References on the command line: the flags that say how they are opened (workspace/open.hpp), and schemas of
// users.
#pragma once

#include "catalog_options.hpp"
#include "opcat/lint/pinning.hpp"
#include "opcat/lint/schemas.hpp"
#include "opcat/workspace/open.hpp"

#include <string>
#include <vector>

namespace opcat {

class Command;
class Session;

// Decides if "-" is a catalog on standard input; never under the name opm.
enum class StandardInput : uint8_t { refused, taken };

// Returns the options for opening references that the flags and the environment give. Warnings and progress
// are shown.
OpenOptions opening(const ImageFlags& images, Session& session,
                    StandardInput standard_input = StandardInput::refused,
                    std::optional<TemplateUse> templates = {});

// --resolve-images and --bundle-dir, for commands that look at templates.
void add_template_flags(Command command, TemplateUse& flags);

// References as commands take them that may have very many.
struct ReferenceFlags {
    std::vector<std::string> references; // REF, on the command line
    std::string file;                    // --refs
    std::string command;                 // that takes them, for messages
};

// `flags` is filled when the command line is parsed, and must live as long as the command.
void add_reference_flags(Command command, ReferenceFlags& flags, const Session& session);

// Those on the command line, and then those in the file: one in each line, without empty lines and comments
// (#). Throws RequestError if there are none.
std::vector<std::string> all_references(const ReferenceFlags& flags);

// Returns the help text for the argument of commands that take a reference.
std::string reference_help(const Session& session);

// Adds files to the schemas of the format. What is wrong with them is shown on standard error; then the
// result is false and the exit status that of wrong usage. Throws Error for a file that cannot be read.
bool add_schema_files(const std::vector<std::string>& paths, Schemas& schemas, Session& session);

// A lock of images: a pull spec, a blank and its digest in each line. Throws RequestError for other lines.
ImageDigests read_image_lock(const std::string& path);

} // namespace opcat
