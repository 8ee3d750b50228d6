// What all verbs of `opcat edit` share: the files, the proof, and how the result is shown.
#pragma once

#include "configuration.hpp"
#include "form.hpp"
#include "opcat/edit/edited_files.hpp"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace opcat {

class Command;
class Option;
class Session;

struct EditFlags {
    std::vector<std::string> in; // none: what .opcat.yaml names
    std::string openshift;       // a range
    bool dry_run = false;
    bool diff = false;
    bool force = false;
    Form output = Form::text;
    std::string message_file;
};

// `flags` is filled when the command line is parsed, and must live as long as the command.
void add_edit_flags(Command command, EditFlags& flags);
// The same without --in, for a verb that knows its files. Returns --openshift.
Option add_writing_flags(Command command, EditFlags& flags);

// Opens the files, lets `change` change them, proves it, and writes them. `intended`: regressions that the
// verb is meant to make.
void run_edit(const EditFlags& flags, const std::vector<edit::EditedReference>& references,
              std::string_view package, const std::function<void(edit::Edit&)>& change,
              std::span<const RegressionKind> intended, Session& session);
// The files of --in, or else those of the configuration that have the package: templates, and catalogs
// without one. Nothing if the configuration has mistakes, which are shown. Throws RequestError if it names
// none, and for a template that --openshift chooses for some of its versions only.
std::optional<std::vector<edit::EditedReference>>
references_of(const EditFlags& flags, const std::string& package, Session& session,
              const std::optional<edit::CreateOptions>& create = {});

// Those for a range of versions of OpenShift; all if it is empty. Throws RequestError if there are none, and
// for a template that is also for other versions.
std::vector<CatalogSetting> chosen_catalogs(const std::vector<CatalogSetting>& catalogs,
                                            const std::string& range);

void add_edit_add(Command tree, Session& session);
void add_edit_apply(Command tree, Session& session);
void add_edit_verbs(Command tree, Session& session);

} // namespace opcat
