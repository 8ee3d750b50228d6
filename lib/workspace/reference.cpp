#include "opcat/workspace/reference.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/go_quote.hpp"
#include "opcat/base/pull_spec.hpp"
#include "opcat/base/text.hpp"

#include <fmt/core.h>

#include <cerrno>
#include <string_view>

namespace opcat {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view git_prefix = "git:";

// "quay.io/org/repo:tag": the first part is a host. Only opm takes a short name for an image, too: a mistyped
// directory must not be asked for at a registry.
bool names_a_registry(std::string_view reference) {
    const size_t slash = reference.find('/');
    if (slash == reference.npos) return false;
    const std::string_view host = reference.substr(0, slash);
    return host == "localhost" || (host.find_first_of(".:") != host.npos && host.front() != '.');
}

// "org/repository:tag": as an image of Docker Hub is written elsewhere. A path seldom looks like that.
bool lacks_a_registry(const std::string& reference) {
    const auto spec = PullSpec::parse(reference);
    return spec && (!spec->tag().empty() || !spec->digest().empty());
}

} // namespace

ReferenceKind kind_of(const std::string& reference, Manner manner) {
    if (image::Name::has_transport(reference)) return ReferenceKind::image;
    std::error_code ignored;
    if (fs::exists(reference, ignored)) return ReferenceKind::path;
    if (manner == Manner::opm) return ReferenceKind::image;
    if (reference.starts_with(git_prefix)) return ReferenceKind::revision;
    return names_a_registry(reference) ? ReferenceKind::image : ReferenceKind::path;
}

bool names_image(const std::string& reference, Manner manner) {
    return kind_of(reference, manner) == ReferenceKind::image;
}

image::Name named_target(const std::string& reference) {
    image::Name name = named_image(reference);
    if (name.spec && !name.spec->tag().empty() && !name.spec->digest().empty())
        throw RequestError(
            fmt::format("{} has a tag and a digest, and an image is written under one of them", reference),
            "leave one of them out");
    return name;
}

image::Name named_image(const std::string& reference) {
    std::error_code ignored;
    if (!image::Name::has_transport(reference) && !names_a_registry(reference))
        throw RequestError(fmt::format("{} is not an image: it has no registry", go_quote(reference)),
                           fs::exists(reference, ignored)
                               ? "`opcat build` makes images of directories; oci:DIR is a layout of images"
                               : "write REGISTRY/REPOSITORY:TAG, or docker://REPOSITORY:TAG for Docker Hub");
    return required(image::Name::parse(reference));
}

fs::path local_path_of(const std::string& reference, Manner manner) {
    switch (kind_of(reference, manner)) {
    case ReferenceKind::path:
        return reference;
    case ReferenceKind::image:
        return required(image::Name::parse(reference)).path;
    case ReferenceKind::revision:
        break;
    }
    return {};
}

void require_existing(const std::string& reference, Manner manner) {
    std::error_code ignored;
    if (kind_of(reference, manner) != ReferenceKind::path ||
        fs::exists(fs::symlink_status(reference, ignored)))
        return;
    const std::string message = "cannot read " + reference + ": " + system_message(ENOENT);
    // opm's flags take "a,b".
    if (const size_t comma = reference.find(',');
        comma != reference.npos && fs::exists(reference.substr(0, comma), ignored))
        throw Error(message, "write blanks between several references: " + replace_all(reference, ",", " "));
    throw Error(message, lacks_a_registry(reference)
                             ? "if it is an image, write its registry, too: HOST/REPOSITORY:TAG, or "
                               "docker://NAME for those of Docker Hub"
                             : "");
}

Revision Revision::parse(const std::string& reference) {
    const std::string text = reference.substr(git_prefix.size());
    const size_t colon = text.find(':');
    if (colon == text.npos || colon == 0 || colon + 1 == text.size())
        throw RequestError(fmt::format("{} names no catalog of a commit", go_quote(reference)),
                           "write git:REVISION:PATH, such as git:main:catalogs/v4.20");
    return {text.substr(0, colon), text.substr(colon + 1)};
}

} // namespace opcat
