#include "catalog_options.hpp"

#include "command.hpp"

namespace opcat {

Option add_format_option(Command command, Format& format) {
    return command.add_choice("-o,--output", format, {{"json", Format::json}, {"yaml", Format::yaml}},
                              "Format: json or yaml");
}

Option add_migrate_option(Command command, bool& migrate) {
    return command.add_choice("--migrate-level", migrate,
                              {{"none", false}, {"bundle-object-to-csv-metadata", true}},
                              "Last migration to run: none or bundle-object-to-csv-metadata");
}

} // namespace opcat
