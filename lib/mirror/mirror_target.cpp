#include "opcat/mirror/mirror_target.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/pull_spec.hpp"

#include <fmt/core.h>

#include <string_view>

namespace opcat {
namespace {

constexpr std::string_view directory_start = "dir:";
constexpr std::string_view archive_start = "archive:";
constexpr std::string_view docker_start = "docker://";
constexpr std::string_view file_start = "file://";

} // namespace

MirrorTarget MirrorTarget::parse(const std::string& text) {
    if (text.starts_with(directory_start)) {
        std::string directory = text.substr(directory_start.size());
        if (directory.empty()) throw RequestError("dir: names no directory", "write dir:DIR");
        return {Kind::directory, std::move(directory)};
    }
    if (text.starts_with(archive_start)) {
        std::string prefix = text.substr(archive_start.size());
        if (prefix.empty() || prefix.ends_with('/'))
            throw RequestError(fmt::format("{} names no archive", text),
                               "write archive:DIR/NAME, for DIR/NAME-000001.tar and so on");
        return {Kind::archive, std::move(prefix)};
    }
    if (text.starts_with(file_start))
        throw RequestError(fmt::format("{} is how oc-mirror names a directory", text),
                           "write dir:" + text.substr(file_start.size()) +
                               ", or archive:DIR/NAME for tar files of archiveSize");
    std::string prefix = text.starts_with(docker_start) ? text.substr(docker_start.size()) : text;
    while (prefix.ends_with('/')) prefix.pop_back();
    const auto spec = PullSpec::parse(prefix + "/x:x");
    if (!spec || spec->registry().empty() || spec->to_string() != prefix + "/x:x")
        throw RequestError(fmt::format("\"{}\" is neither a registry nor a path there", text),
                           "write registry.example/prefix, dir:DIR or archive:DIR/NAME");
    return {Kind::registry, std::move(prefix)};
}

bool MirrorTarget::is_local(const std::string& text) {
    return text.starts_with(directory_start) || text.starts_with(archive_start);
}

} // namespace opcat
