#include "opcat/base/error.hpp"
#include "opcat/bundle/bundle_directory.hpp"

#include <doctest/doctest.h>

using namespace opcat;

TEST_CASE("fields are replaced by the bundle's own names") {
    const BundleNames names{"widgets", "widgets.v1.2.0", "1.2.0"};
    const std::pair<std::string_view, std::string_view> cases[] = {
        {"quay.io/x/{{.Package}}-bundle:v{{.Version}}", "quay.io/x/widgets-bundle:v1.2.0"},
        {"{{ .Name }}", "widgets.v1.2.0"},
        {"a  {{- .Package -}}\n b", "awidgetsb"},
        {"a {{-.Package}}", ""},
        {"plain", "plain"},
        {"", ""},
        {"{{.Version}}{{.Version}}", "1.2.01.2.0"},
    };
    for (const auto& [text, expanded] : cases) {
        CAPTURE(text);
        if (expanded.empty() && !text.empty())
            CHECK_THROWS_AS(ImageTemplate::parse(text), RequestError);
        else
            CHECK(ImageTemplate::parse(text).expand(names) == expanded);
    }
}

TEST_CASE("other actions of Go's templates are refused by name") {
    for (const std::string_view text :
         {"{{.Foo}}", "{{}}", "{{.Package", "{{if .Name}}x{{end}}", "{{.Name | printf}}", "{{/* note */}}"}) {
        CAPTURE(text);
        CHECK_THROWS_AS(ImageTemplate::parse(text), RequestError);
    }
}
