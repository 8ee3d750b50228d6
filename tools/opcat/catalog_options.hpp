// The options of all commands that write catalogs.
#pragma once

#include "catalog/write.hpp"

namespace opcat {

class Command;
class Option;

// -o, --output.
Option add_format_option(Command command, Format& format);

// --migrate-level; `migrate` says whether there is a migration to run.
Option add_migrate_option(Command command, bool& migrate);

} // namespace opcat
