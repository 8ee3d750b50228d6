#include "opcat/signatures/gpg.hpp"

#include "opcat/base/base64.hpp"
#include "opcat/base/directories.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/process.hpp"
#include "opcat/base/text.hpp"

#include <fmt/core.h>

#include <chrono>
#include <optional>
#include <utility>
#include <vector>

namespace opcat::signatures {
namespace {

constexpr std::chrono::seconds gpgv_timeout{60};
constexpr uint64_t max_content = 4 << 20;

std::string_view without_blanks_at_end(std::string_view line) {
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ' || line.back() == '\t'))
        line.remove_suffix(1);
    return line;
}

// Why gpgv has not found exactly one good signature, by the lines that it writes for programs (DETAILS of
// GnuPG); empty: it has.
std::string reason_against(std::string_view status) {
    size_t signatures = 0;
    size_t good = 0;
    size_t valid = 0;
    std::string reason;
    for (std::string_view line : lines_of(status)) {
        constexpr std::string_view start = "[GNUPG:] ";
        if (!line.starts_with(start)) continue;
        line.remove_prefix(start.size());
        const std::string_view word = line.substr(0, line.find(' '));
        if (word == "NEWSIG") ++signatures;
        if (word == "GOODSIG") ++good;
        if (word == "VALIDSIG") ++valid;
        if (word == "NO_PUBKEY") reason = "it is by none of the keys that are given";
        if (word == "BADSIG") reason = "what is signed was altered";
        if (word == "EXPSIG") reason = "it has expired";
        if (word == "EXPKEYSIG" || word == "KEYEXPIRED") reason = "its key has expired";
        if (word == "REVKEYSIG" || word == "KEYREVOKED") reason = "its key was revoked";
    }
    if (signatures > 1) return fmt::format("the message has {} signatures, not one", signatures);
    if (!reason.empty()) return reason;
    return signatures == 1 && good == 1 && valid == 1 ? "" : "gpgv finds no good signature in it";
}

} // namespace

std::string without_armor(std::string_view text) {
    constexpr std::string_view begin = "-----BEGIN PGP";
    constexpr std::string_view end = "-----END PGP";
    if (text.find(begin) == text.npos) return std::string(text);
    enum class Part { outside, headers, body, checksum };
    Part part = Part::outside;
    std::string packets;
    std::string body;
    for (std::string_view line : lines_of(text)) {
        line = without_blanks_at_end(line);
        if (line.starts_with(end)) {
            const auto decoded = decode_base64(body);
            if (part == Part::outside || !decoded) throw Error("the armor of an OpenPGP key is damaged");
            packets += *decoded;
            part = Part::outside;
        } else if (part == Part::outside) {
            if (!line.starts_with(begin)) continue;
            part = Part::headers;
            body.clear();
        } else if (part == Part::headers) {
            if (line.empty()) part = Part::body;
        } else if (line.starts_with('=')) {
            part = Part::checksum;
        } else if (part == Part::body) {
            body += line;
        }
    }
    if (part != Part::outside) throw Error("the armor of an OpenPGP key has no end");
    return packets;
}

std::string signed_content(std::string_view message, std::span<const std::string> keys,
                           const std::filesystem::path& temporary) {
    const TemporaryDirectory directory(temporary);
    const auto file = [&](const std::string& name) { return (directory.path() / name).string(); };
    // gpgv takes a name that ends in .sig or .asc for that of a signature of another file.
    const std::string signature = file("message");
    write_file(signature, message);
    // The content comes through the pipe, where it can be limited: little that is packed may become much.
    // What gpgv has to say to people must not look like what it says to programs.
    std::vector<std::string> arguments{"gpgv",        "--homedir", directory.path().string(),
                                       "--status-fd", "2",         "--log-file",
                                       "/dev/null",   "--output",  "-"};
    for (size_t i = 0; i < keys.size(); ++i) {
        const std::string keyring = file(fmt::format("keys-{}", i));
        const std::string packets = without_armor(keys[i]);
        if (packets.empty()) throw Error("a file of keys is empty");
        write_file(keyring, packets);
        arguments.insert(arguments.end(), {"--keyring", keyring});
    }
    arguments.push_back(signature);
    ProcessResult result;
    try {
        result = run_process({.arguments = arguments,
                              .timeout = gpgv_timeout,
                              .max_output = max_content,
                              .environment = {"LC_ALL=C"}});
    } catch (const Error& error) {
        throw Error(fmt::format("gpgv cannot read the signature: {}", error.what()),
                    "gpgv must be there: of the package gpgv (Debian), gnupg2 (Fedora) or gpg2 (SUSE)");
    }
    if (const std::string reason = reason_against(result.err); !reason.empty()) throw Error(reason);
    if (result.exit_status != 0)
        throw Error(fmt::format("gpgv ends with exit status {}", result.exit_status));
    return std::move(result.out);
}

} // namespace opcat::signatures
