#include "opcat/authoring/dockerfile.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/go_quote.hpp"
#include "opcat/document/json_writer.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>

namespace opcat {
namespace {

// The only special characters inside double quotes; a backslash escapes them.
std::string escape_in_quotes(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '"' || c == '\\' || c == '$') out += '\\';
        out += c;
    }
    return out;
}

void check_label(std::string_view text) {
    if (text.find_first_of(std::string_view("\n\r\0", 3)) != text.npos)
        throw RequestError(
            fmt::format("label {}: a Dockerfile cannot contain a line break in a label", go_quote(text)),
            "put it on one line, or set it when the image is built: docker build --label");
}

// FROM takes one word, in which $ would introduce an argument.
void check_image(std::string_view image, std::string_view what) {
    if (image.empty()) throw RequestError(fmt::format("the {} image has no name", what));
    const bool good = std::all_of(image.begin(), image.end(), [](unsigned char c) {
        return c > ' ' && c < 0x7f && c != '$' && c != '"' && c != '\'' && c != '\\' && c != '`';
    });
    if (!good || image.starts_with('-') || image.starts_with('#'))
        throw RequestError(fmt::format("the {} image {} is not a pull spec", what, go_quote(image)));
}

bool is_plain(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-' || c == '/' || c == '+' || c == ',' || c == '@' || c == '%';
}

// ADD reads JSON strings, unquotes them like a shell, and then treats them as patterns.
std::string escape_path(std::string_view path) {
    std::string pattern;
    for (const char c : path) {
        if (c == '*' || c == '?' || c == '[')
            pattern += {'[', c, ']'};
        else if (c == '\\')
            pattern += "\\\\";
        else
            pattern += c;
    }
    std::string word;
    for (const char c : pattern) {
        if (c == '"' || c == '\'' || c == '\\' || c == '$') word += '\\';
        word += c;
    }
    std::string json;
    append_json_string(json, "./" + word);
    return json;
}

std::string add_instruction(std::string_view directory) {
    const bool plain = std::all_of(directory.begin(), directory.end(), is_plain) &&
                       !directory.starts_with('-') && !directory.starts_with("git@");
    return plain ? fmt::format("ADD {} /configs\n", directory)
                 : fmt::format("ADD [{}, \"/configs\"]\n", escape_path(directory));
}

constexpr std::string_view serving = "# The base image is expected to contain\n"
                                     "# /bin/opm (with serve subcommand) and /bin/grpc_health_probe\n"
                                     "\n"
                                     "# Configure the entrypoint and command\n"
                                     "ENTRYPOINT [\"/bin/opm\"]\n"
                                     "CMD [\"serve\", \"/configs\", \"--cache-dir=/tmp/cache\"]\n";

constexpr std::string_view not_serving = "# OLMv0 CatalogSources that use binary-less images must set:\n"
                                         "# spec:\n"
                                         "#   grpcPodConfig:\n"
                                         "#     extractContent:\n"
                                         "#       catalogDir: /configs\n"
                                         "#       cacheDir: /tmp/cache\n";

// The labels that say where the catalog is, and those of the user.
std::string labels(const std::map<std::string, std::string>& custom) {
    std::string out = "# Set FBC-specific label for the location of the FBC root directory\n"
                      "# in the image\n"
                      "LABEL operators.operatorframework.io.index.configs.v1=/configs\n";
    if (custom.empty()) return out;
    out += "\n# Set other custom labels\n";
    for (const auto& [key, value] : custom) {
        check_label(key);
        check_label(value);
        out += fmt::format("LABEL \"{}\"=\"{}\"\n", escape_in_quotes(key), escape_in_quotes(value));
    }
    return out;
}

} // namespace

std::string to_text(const Dockerfile& dockerfile) {
    check_image(dockerfile.base_image, "base");
    check_image(dockerfile.builder_image, "builder");
    if (dockerfile.builder_image == "scratch")
        throw RequestError("the builder image cannot be scratch: it must have /bin/opm");
    if (dockerfile.directory.empty()) throw RequestError("the directory of the catalog has no name");

    std::string out = "# The builder image is expected to contain\n"
                      "# /bin/opm (with serve subcommand)\n";
    out += fmt::format("FROM {} as builder\n\n", dockerfile.builder_image);
    out += "# Copy FBC root into image at /configs and pre-populate serve cache\n";
    out += add_instruction(dockerfile.directory);
    out += "RUN [\"/bin/opm\", \"serve\", \"/configs\", \"--cache-dir=/tmp/cache\", \"--cache-only\"]\n\n";
    out += fmt::format("FROM {}\n", dockerfile.base_image);
    out += dockerfile.base_image == "scratch" ? not_serving : serving;
    out += "\nCOPY --from=builder /configs /configs\n"
           "COPY --from=builder /tmp/cache /tmp/cache\n"
           "\n";
    return out + labels(dockerfile.labels);
}

std::string to_text(const ServingDockerfile& dockerfile) {
    check_image(dockerfile.base_image, "base");
    if (dockerfile.base_image == "scratch")
        throw RequestError("the base image cannot be scratch: it must have opcat");
    if (dockerfile.directory.empty()) throw RequestError("the directory of the catalog has no name");

    std::string out =
        "# The base image is expected to contain opcat, as the one of packaging/Containerfile\n";
    out += fmt::format("FROM {}\n\n", dockerfile.base_image);
    out += "# OLM's probes call opcat by this name\n"
           "USER 0\n"
           "RUN [\"ln\", \"-s\", \"/usr/bin/opcat\", \"/bin/grpc_health_probe\"]\n"
           "USER 1001\n\n";
    out += "# Copy FBC root into image at /configs; a catalog that cannot be served fails here\n";
    out += add_instruction(dockerfile.directory);
    out += "RUN [\"opcat\", \"serve\", \"/configs\", \"--check\"]\n\n"
           "# Nothing is written when it runs: the root file system may be read-only\n"
           "EXPOSE 50051\n"
           "ENTRYPOINT [\"opcat\"]\n"
           "CMD [\"serve\", \"/configs\", \"--termination-log\", \"/dev/termination-log\"]\n\n";
    return out + labels(dockerfile.labels);
}

} // namespace opcat
