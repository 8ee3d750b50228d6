// YAML as PyYAML's safe_load() reads it: YAML 1.1, in which `on` is true, 010 is 8 and 2024-01-02 is a date.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/policy/python_value.hpp"

#include <string>
#include <vector>

namespace opcat::policy {

// yaml.safe_load(). `shown` is the file's name in exceptions. Throws PythonError as operatorcert does
// (operator_repo/utils.py): for a text that is not YAML, and for a second document.
PythonValue load_python_yaml(const SourceFile& file, const std::string& shown);

// list(yaml.safe_load_all()), of a stream of documents.
std::vector<PythonValue> load_python_documents(const SourceFile& file, const std::string& shown);

} // namespace opcat::policy
