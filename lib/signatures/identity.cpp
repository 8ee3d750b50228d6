#include "opcat/signatures/identity.hpp"

#include "opcat/base/error.hpp"

#include <fmt/core.h>
#include <re2/re2.h>

#include <algorithm>
#include <system_error>
#include <utility>

namespace opcat::signatures {
namespace fs = std::filesystem;
namespace {

// The digest if there is one, else the tag: the name that the image is asked for by.
PullSpec without_extra_tag(const PullSpec& spec) {
    if (spec.digest().empty() || spec.tag().empty()) return spec;
    return required(PullSpec::parse(spec.name() + "@" + spec.digest()));
}

bool is_name_only(const PullSpec& spec) {
    return spec.tag().empty() && spec.digest().empty();
}

bool begins_with_path(const std::string& name, const std::string& prefix) {
    return name.starts_with(prefix) && (name.size() == prefix.size() || name[prefix.size()] == '/');
}

// As an image is named: with a digest, any tag of the repository may be signed.
bool same_repository_or_exact(const PullSpec& image, const PullSpec& named) {
    if (is_name_only(named)) return false;
    if (!image.tag().empty()) return named == image;
    return !image.digest().empty() && named.name() == image.name();
}

} // namespace

std::vector<std::string> scopes_of(const PullSpec& spec) {
    const std::string name = spec.name();
    const std::string reference = spec.reference();
    std::vector<std::string> scopes{name + (spec.digest().empty() ? ':' : '@') + reference};
    std::string part = name;
    for (scopes.push_back(part); part.find('/') != std::string::npos; scopes.push_back(part))
        part.resize(part.rfind('/'));
    part.resize(std::min(part.find(':'), part.size()));
    for (size_t dot = part.find('.'); dot != std::string::npos; dot = part.find('.')) {
        part.erase(0, dot + 1);
        scopes.push_back("*." + part);
    }
    return scopes;
}

ImageIdentity ImageIdentity::in_registry(const PullSpec& spec) {
    PullSpec own = without_extra_tag(spec);
    // What "latest" stands for.
    if (is_name_only(own)) own = required(PullSpec::parse(own.to_string()));
    return {"docker", own, scopes_of(own)};
}

ImageIdentity ImageIdentity::in_file(std::string transport, const fs::path& path) {
    ImageIdentity image{std::move(transport)};
    if (image.transport == "docker-archive") return image; // has no scopes
    std::error_code failed;
    const fs::path resolved = fs::weakly_canonical(fs::absolute(path), failed);
    if (failed) throw Error(fmt::format("cannot resolve {}: {}", path.string(), failed.message()));
    std::string part = resolved.string();
    while (part.ends_with('/')) part.pop_back();
    for (; !part.empty(); part.resize(part.rfind('/'))) image.scopes.push_back(part);
    return image;
}

// The grammar of the distribution project's references.
bool SignedIdentity::is_prefix(const std::string& text) {
    static const RE2 prefix(R"((?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9]))"
                            R"((?:\.(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9]))*(?::[0-9]+)?)"
                            R"((?:/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*)");
    return RE2::FullMatch(text, prefix);
}

// With the signed prefix; nothing if the result is not the full name of an image.
std::optional<PullSpec> SignedIdentity::at_home(const PullSpec& spec) const {
    if (prefix_.empty() || !begins_with_path(spec.name(), prefix_)) return spec;
    const std::string moved = signed_prefix_ + spec.to_string().substr(prefix_.size());
    const auto parsed = PullSpec::parse(moved);
    if (!parsed || parsed->to_string() != moved) return std::nullopt;
    return *parsed;
}

bool SignedIdentity::accepts(const ImageIdentity& image, const std::string& signed_name) const {
    const auto named = PullSpec::parse(signed_name);
    const std::optional<PullSpec>& intended = expected_ ? expected_ : image.spec;
    if (!named || !intended) return false;
    switch (kind_) {
    case Kind::match_repository:
    case Kind::exact_repository:
        return named->name() == intended->name();
    case Kind::match_exact:
    case Kind::exact_reference:
        return !is_name_only(*named) && *named == *intended;
    case Kind::match_repo_digest_or_exact:
        break;
    }
    const std::optional<PullSpec> home = at_home(*intended);
    return home && same_repository_or_exact(*home, *named);
}

} // namespace opcat::signatures
