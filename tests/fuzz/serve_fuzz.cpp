// Input of a server: calls of gRPC in pieces, reflection, targets and headers of HTTP. The first
// byte selects one.
#include "../load_text.hpp"
#include "fuzzing.hpp"
#include "opcat/serve/grpc_stream.hpp"
#include "opcat/serve/http_answers.hpp"
#include "opcat/serve/http_request_reader.hpp"
#include "opcat/serve/reflection.hpp"

#include <iterator>
#include <tuple>

using namespace opcat;
using namespace opcat::serve;

namespace {

ThreadPool& pool() {
    static ThreadPool one(1);
    return one;
}

LoadedCatalog load() {
    constexpr std::string_view text = R"({"schema":"olm.package","name":"a","defaultChannel":"s"}
{"schema":"olm.channel","package":"a","name":"s","entries":[{"name":"a.v1"}]}
{"schema":"olm.bundle","package":"a","name":"a.v1","image":"r.example/a:1","properties":[{"type":"olm.package","value":{"packageName":"a","version":"1.0.0"}},{"type":"olm.csv.metadata","value":{}}]}
{"schema":"note","package":"a","x":[1,{"y":null}]}
)";
    return load_text(text, "catalog.json");
}

void call(std::string_view data) {
    static const auto registry =
        RegistrySnapshot::make(std::make_shared<CatalogDocument>(load().catalog, 0, pool()), pool(),
                               [](const auto&) { return true; });
    static constexpr const char* paths[] = {"/api.Registry/ListBundles",
                                            "/api.Registry/GetPackage",
                                            "/api.Registry/GetBundle",
                                            "/api.Registry/GetBundleThatReplaces",
                                            "/api.Registry/GetChannelEntriesThatProvide",
                                            "/api.Registry/GetDefaultBundleThatProvides",
                                            "/api.ExperimentalRegistry/ExperimentalListPackageCustomSchemas",
                                            "/grpc.health.v1.Health/Watch",
                                            "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo"};
    if (data.size() < 2) return;
    constexpr size_t most = 1 << 16;
    GrpcStream stream;
    stream.add_header(":method", "POST");
    stream.add_header(":path", paths[static_cast<uint8_t>(data[0]) % std::size(paths)]);
    stream.add_header("content-type", "application/grpc");
    stream.add_header("grpc-encoding", (data[1] & 1) != 0 ? "gzip" : "");
    stream.add_header("grpc-timeout", data.substr(0, 9));
    const size_t step = 1 + (static_cast<uint8_t>(data[1]) >> 1U);
    for (size_t at = 2; at < data.size(); at += step) {
        stream.add_data(data.substr(at, step), most);
        while (auto message = stream.take_message(most)) {
            fuzz::require(message->text.size() <= most, "a message is no larger than the limit");
            GrpcAnswer answer = message->failure ? *std::move(message->failure)
                                                 : answer_call({stream.path(), message->text, true}, registry,
                                                               Serving::ready);
            size_t size = 0;
            for (const std::string_view piece : answer.pieces()) size += piece.size();
            const size_t before = stream.pending();
            stream.add_answer(std::move(answer), false);
            fuzz::require(stream.pending() == before + size, "all of it is to be sent");
            stream.take(stream.pending() / 2, [](std::string_view, const auto&) {});
        }
    }
}

void request(std::string_view data) {
    static const auto document = [] {
        auto made = std::make_shared<CatalogDocument>(load().catalog, 1000, pool());
        made->compress(pool());
        return std::shared_ptr<const CatalogDocument>(made);
    }();
    // A target, and the same header for all.
    const size_t line = std::min(data.find('\n'), data.size());
    const std::string_view header = data.substr(std::min(line + 1, data.size()));
    for (const std::string& target :
         {std::string(data.substr(0, line)), "/catalogs/a/api/v1/metas?" + std::string(data.substr(0, line)),
          std::string("/catalogs/a/api/v1/all")}) {
        const HttpRequest asked{"GET", target, [&](const char*) { return header; }};
        const auto answer =
            answer_for_catalogs(asked, [&](std::string_view) { return std::optional(document); });
        fuzz::require(answer.has_value(), "there is an answer");
        size_t size = 0;
        for (const std::string_view piece : answer->body) size += piece.size();
        for (const auto& [name, value] : answer->headers) {
            fuzz::require(value.find_first_of("\r\n") == value.npos, "a header is one line");
            if (name == "Content-Length") fuzz::require(value == std::to_string(size), "the length is right");
        }
    }
}

// Requests end in the same place in whatever pieces they arrive.
void connection(std::string_view data) {
    const auto read = [&](size_t step) {
        HttpRequestReader reader({});
        size_t at = 0;
        while (at < data.size() && reader.state() != HttpRequestReader::State::complete &&
               reader.state() != HttpRequestReader::State::refused)
            at += reader.add(data.substr(at, step));
        return std::tuple(reader.state(), at, reader.status(), std::string(reader.target()));
    };
    const auto whole = read(data.size());
    if (std::get<0>(whole) == HttpRequestReader::State::refused)
        fuzz::require(std::get<0>(read(1)) == HttpRequestReader::State::refused, "it is refused in any case");
    else
        fuzz::require(read(1) == whole && read(7) == whole, "pieces do not matter");
}

} // namespace

FUZZ_TARGET(serve) {
    if (input.empty()) return;
    const std::string_view rest = input.substr(1);
    if (input[0] % 4 == 0)
        call(rest);
    else if (input[0] % 4 == 1)
        request(rest);
    else if (input[0] % 4 == 2)
        connection(rest);
    else
        reflection_response(rest);
}
