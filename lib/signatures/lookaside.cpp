#include "opcat/signatures/lookaside.hpp"

#include "opcat/base/diagnostic.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/text.hpp"
#include "opcat/document/yaml_reader.hpp"
#include "opcat/signatures/identity.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace opcat::signatures {
namespace fs = std::filesystem;
namespace {

constexpr uint64_t max_settings_file = 4 << 20;

std::vector<fs::path> settings_files(const fs::path& directory) {
    std::vector<fs::path> files;
    std::error_code failed;
    if (!fs::exists(directory, failed)) return files;
    for (const auto& entry : fs::directory_iterator(directory, failed))
        if (entry.path().extension() == ".yaml") files.push_back(entry.path());
    if (failed) throw Error(fmt::format("cannot read {}: {}", directory.string(), failed.message()));
    std::sort(files.begin(), files.end());
    return files;
}

} // namespace

// One file.
struct SignatureStores::Reader {
    SignatureStores& stores;
    const SourceFile& file;

    void read() const {
        Arena arena;
        Diagnostic problem;
        const auto root = read_yaml(file, 0, static_cast<uint32_t>(file.bytes().size()), arena, problem);
        if (!root) fail(problem.where.offset, problem.message);
        if (root->is_null()) return;
        if (!root->is_object()) fail(root->offset(), "it is not an object");
        if (const Value* const general = root->find("default-docker"); general && !general->is_null()) {
            if (stores.general_)
                fail(general->offset(), "default-docker is set twice: in this file and in one before");
            stores.general_ = settings(*general);
        }
        const Value* const docker = root->find("docker");
        if (!docker || docker->is_null()) return;
        if (!docker->is_object()) fail(docker->offset(), "docker is not an object");
        for (const Member& member : docker->members())
            if (!stores.by_scope_.emplace(member.key.string(), settings(member.value)).second)
                fail(member.key.offset(), fmt::format("docker has {} twice: in this file and in one before",
                                                      printable(member.key.string())));
    }

    Settings settings(const Value& value) const {
        Settings found;
        if (value.is_null()) return found;
        if (!value.is_object()) fail(value.offset(), "it is not an object");
        // The second is the old name.
        for (const std::string_view name : {"lookaside", "sigstore"}) {
            const Value* const url = value.find(name);
            if (!url || url->is_null()) continue;
            if (!url->is_string()) fail(url->offset(), fmt::format("{} is not a string", name));
            if (found.lookaside.empty()) found.lookaside = url->string();
        }
        if (const Value* const attached = value.find("use-sigstore-attachments");
            attached && !attached->is_null()) {
            if (!attached->is_boolean())
                fail(attached->offset(), "use-sigstore-attachments is neither true nor false");
            found.are_attached = attached->boolean();
        }
        return found;
    }

    [[noreturn]] void fail(uint32_t offset, std::string_view why) const {
        throw Error(fmt::format("cannot use {}:{}: {}", file.path(), file.position(offset).line, why));
    }
};

SignatureStores::SignatureStores(const fs::path& directory, std::string usual) : usual_(std::move(usual)) {
    for (const fs::path& path : settings_files(directory)) {
        const auto file = read_file(path, path.string(), max_settings_file);
        Reader{*this, *file}.read();
    }
}

std::vector<const SignatureStores::Settings*> SignatureStores::settings_for(const PullSpec& image) const {
    std::vector<const Settings*> found;
    for (const std::string& scope : scopes_of(image))
        if (const auto at = by_scope_.find(scope); at != by_scope_.end()) found.push_back(&at->second);
    if (general_) found.push_back(&*general_);
    return found;
}

std::string SignatureStores::lookaside(const PullSpec& image, const std::string& digest) const {
    std::string base = usual_;
    for (const Settings* const settings : settings_for(image))
        if (!settings->lookaside.empty()) {
            base = settings->lookaside;
            break;
        }
    while (base.ends_with('/')) base.pop_back();
    return fmt::format("{}/{}@{}", base, image.repository(), replace_all(digest, ":", "="));
}

bool SignatureStores::are_attached(const PullSpec& image) const {
    for (const Settings* const settings : settings_for(image))
        if (settings->are_attached) return *settings->are_attached;
    return false;
}

} // namespace opcat::signatures
