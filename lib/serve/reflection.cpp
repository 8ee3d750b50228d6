#include "opcat/serve/reflection.hpp"

#include "api_files.hpp"
#include "opcat/base/text.hpp"
#include "opcat/serve/grpc_answer.hpp"
#include "opcat/serve/protobuf.hpp"

#include <charconv>
#include <map>
#include <set>
#include <vector>

namespace opcat::serve {
namespace {

using protobuf::append_bytes;
using protobuf::append_number;
using protobuf::append_string;

// The API in the language of Protocol Buffers is in the files api/services.txt and api/reflection.txt,
// reduced to what is needed: one statement on each line, of words.
//
//     file NAME PACKAGE [IMPORT…]
//     message NAME             with the fields that follow: NUMBER NAME TYPE, a '*' before the type for a
//     list,
//                              a "NAME?" for one of the message's only oneof
//     map NAME                 the nested type of a map's entries in the message before, with its fields
//     enum NAME VALUE…         numbered from 0
//     service NAME             with the methods that follow: "rpc NAME REQUEST ANSWER", a '*' before what is
//     a stream
//
// Types are string, bytes, bool, double, int32, int64, or names with their packages. An '@' in reflection.txt
// stands for the version of the reflection service.

std::vector<std::string_view> words_of(std::string_view line) {
    std::vector<std::string_view> words;
    while (!line.empty()) {
        const size_t blank = std::min(line.find(' '), line.size());
        if (blank > 0) words.push_back(line.substr(0, blank));
        line.remove_prefix(std::min(blank + 1, line.size()));
    }
    return words;
}

bool takes_mark(std::string_view& word, char mark) {
    if (!word.starts_with(mark)) return false;
    word.remove_prefix(1);
    return true;
}

// The data of reflection: serialized descriptors (google/protobuf/descriptor.proto) by name and by symbol.
class Descriptors {
public:
    Descriptors() {
        read(embedded::services_txt);
        for (const char* const version : {"v1", "v1alpha"})
            read(replace_all(std::string(embedded::reflection_txt), "@", version));
    }

    struct File {
        std::string name;
        std::string descriptor;
        std::vector<std::string> imports;
    };

    const File* by_name(std::string_view name) const {
        for (const File& file : files_)
            if (file.name == name) return &file;
        return nullptr;
    }
    const File* by_symbol(std::string_view symbol) const {
        const auto found = symbols_.find(symbol);
        return found == symbols_.end() ? nullptr : &files_[found->second];
    }
    bool has_message(std::string_view symbol) const { return messages_.contains(symbol); }
    const std::set<std::string>& services() const { return services_; }

private:
    // The message that is being read: its parts are written when all are known.
    struct Message {
        std::string name;
        std::string fields;
        std::string nested;
        std::string enums;
        bool has_oneof = false;
    };

    void read(std::string_view text) {
        for (const std::string_view line : lines_of(text)) {
            const auto words = words_of(line);
            if (!words.empty()) read_line(words);
        }
        end_file();
    }

    void read_line(const std::vector<std::string_view>& words) {
        const std::string_view word = words[0];
        if (word == "file") {
            end_file();
            file_ = {std::string(words[1]), {}, {words.begin() + 3, words.end()}};
            package_ = words[2];
        } else if (word == "message") {
            end_message();
            message_.name = words[1];
            messages_.insert(add_symbol(words[1]));
        } else if (word == "map") {
            map_name_ = words[1];
            add_symbol(message_.name + "." + std::string(words[1]));
        } else if (word == "enum" || word == "nested") {
            const bool nested = word == "nested";
            if (!nested) end_message();
            add_symbol((nested ? message_.name + "." : "") + std::string(words[1]));
            (nested ? message_.enums : enums_) += enum_field(nested ? 4 : 5, words);
        } else if (word == "service") {
            end_message();
            end_service();
            service_name_ = words[1];
            services_.insert(add_symbol(words[1]));
        } else if (word == "rpc") {
            add_symbol(service_name_ + "." + std::string(words[1]));
            append_bytes(service_methods_, 2, method(words));
        } else if (!map_name_.empty()) {
            append_bytes(map_fields_, 2, field(words));
            if (words[0] == "2") end_map();
        } else {
            append_bytes(message_.fields, 2, field(words));
        }
    }

    std::string add_symbol(std::string_view name) {
        std::string symbol = package_ + "." + std::string(name);
        symbols_.emplace(symbol, files_.size());
        return symbol;
    }

    std::string field(const std::vector<std::string_view>& words) {
        enum Label : uint64_t { optional = 1, repeated = 3 };
        static const std::map<std::string_view, uint64_t> scalars = {
            {"double", 1}, {"int64", 3}, {"int32", 5}, {"bool", 8}, {"string", 9}, {"bytes", 12}};
        constexpr uint64_t type_message = 11;
        constexpr uint64_t type_enum = 14;
        uint64_t number = 0;
        std::from_chars(words[0].data(), words[0].data() + words[0].size(), number);
        std::string_view name = words[1];
        std::string_view type = words[2];
        const bool in_oneof = name.ends_with('?');
        if (in_oneof) name.remove_suffix(1);
        const bool is_list = takes_mark(type, '*');
        const bool is_enum = takes_mark(type, '=');
        std::string out;
        append_string(out, 1, name);
        append_number(out, 3, number);
        append_number(out, 4, is_list ? repeated : optional);
        const auto scalar = scalars.find(type);
        const bool is_scalar = scalar != scalars.end();
        append_number(out, 5, is_scalar ? scalar->second : is_enum ? type_enum : type_message);
        if (!is_scalar) append_string(out, 6, "." + std::string(type));
        if (in_oneof) {
            message_.has_oneof = true;
            out += std::string("\x48\0", 2); // oneof_index 0, which is there although it is 0
        }
        return out;
    }

    static std::string enum_field(uint32_t number, const std::vector<std::string_view>& words) {
        std::string descriptor;
        append_string(descriptor, 1, words[1]);
        for (size_t i = 2; i < words.size(); ++i) {
            std::string value;
            append_string(value, 1, words[i]);
            protobuf::append_varint(value, 2 << 3U);
            protobuf::append_varint(value, i - 2);
            append_bytes(descriptor, 2, value);
        }
        std::string out;
        append_bytes(out, number, descriptor);
        return out;
    }

    static std::string method(const std::vector<std::string_view>& words) {
        std::string_view request = words[2];
        std::string_view answer = words[3];
        const bool client_streams = takes_mark(request, '*');
        const bool server_streams = takes_mark(answer, '*');
        std::string out;
        append_string(out, 1, words[1]);
        append_string(out, 2, "." + std::string(request));
        append_string(out, 3, "." + std::string(answer));
        append_number(out, 5, client_streams ? 1 : 0);
        append_number(out, 6, server_streams ? 1 : 0);
        return out;
    }

    void end_map() {
        std::string entry;
        append_string(entry, 1, map_name_);
        entry += map_fields_;
        std::string options;
        append_number(options, 7, 1); // map_entry
        append_bytes(entry, 7, options);
        append_bytes(message_.nested, 3, entry);
        map_name_.clear();
        map_fields_.clear();
    }

    void end_message() {
        if (message_.name.empty()) return;
        std::string descriptor;
        append_string(descriptor, 1, message_.name);
        descriptor += message_.fields + message_.nested + message_.enums;
        if (message_.has_oneof) {
            std::string oneof;
            append_string(oneof, 1, "kind");
            append_bytes(descriptor, 8, oneof);
        }
        append_bytes(file_.descriptor, 4, descriptor);
        message_ = {};
    }

    void end_service() {
        if (service_name_.empty()) return;
        std::string descriptor;
        append_string(descriptor, 1, service_name_);
        descriptor += service_methods_;
        append_bytes(services_text_, 6, descriptor);
        service_name_.clear();
        service_methods_.clear();
    }

    void end_file() {
        end_message();
        end_service();
        if (file_.name.empty()) return;
        std::string head;
        append_string(head, 1, file_.name);
        append_string(head, 2, package_);
        for (const std::string& import : file_.imports) append_bytes(head, 3, import);
        file_.descriptor = head + file_.descriptor + enums_ + services_text_;
        append_string(file_.descriptor, 12, "proto3");
        files_.push_back(std::move(file_));
        file_ = {};
        enums_.clear();
        services_text_.clear();
    }

    std::vector<File> files_;
    std::map<std::string, size_t, std::less<>> symbols_; // places in files_
    std::set<std::string, std::less<>> messages_;
    std::set<std::string> services_;

    // The descriptor of the file that is being read.
    File file_;
    std::string package_;
    std::string enums_;
    std::string services_text_;
    Message message_;
    std::string map_name_;
    std::string map_fields_;
    std::string service_name_;
    std::string service_methods_;
};

const Descriptors& descriptors() {
    static const Descriptors all;
    return all;
}

// The file, and those that it needs.
std::string file_response(const Descriptors::File& file) {
    std::string out;
    append_bytes(out, 1, file.descriptor);
    for (const std::string& import : file.imports)
        append_bytes(out, 1, descriptors().by_name(import)->descriptor);
    return out;
}

std::string error_response(std::string_view message, GrpcStatus status = GrpcStatus::not_found) {
    std::string out;
    append_number(out, 1, static_cast<uint64_t>(status));
    append_string(out, 2, message);
    return out;
}

} // namespace

std::optional<std::string> reflection_response(std::string_view request) {
    enum Response : uint32_t {
        valid_host = 1,
        original_request,
        file = 4,
        extension_numbers,
        services,
        error
    };
    std::string_view host;
    std::optional<protobuf::Field> asked; // the last one of those of which only one may be there
    protobuf::Reader reader(request);
    while (const auto field = reader.next()) {
        if (field->has_bytes && !is_valid_utf8(field->bytes) && field->number != 5) return std::nullopt;
        if (field->number == 1 && field->has_bytes) host = field->bytes;
        if (field->number >= 3 && field->number <= 7 && field->has_bytes) asked = field;
    }
    if (reader.failed()) return std::nullopt;

    std::string out;
    append_string(out, valid_host, host);
    append_bytes(out, original_request, request);
    const auto add_file = [&](const Descriptors::File* found, std::string_view what) {
        if (found)
            append_bytes(out, file, file_response(*found));
        else
            append_bytes(out, error, error_response(what));
    };
    switch (asked ? asked->number : 0) {
    case 3:
        add_file(descriptors().by_name(asked->bytes), "there is no such file");
        break;
    case 4:
        add_file(descriptors().by_symbol(asked->bytes), "there is no such symbol");
        break;
    case 6: {
        if (!descriptors().has_message(asked->bytes)) {
            append_bytes(out, error, error_response("there is no such type"));
            break;
        }
        std::string numbers; // there are none
        append_string(numbers, 1, asked->bytes);
        append_bytes(out, extension_numbers, numbers);
        break;
    }
    case 7: {
        std::string list;
        for (const std::string& name : descriptors().services()) {
            std::string service;
            append_string(service, 1, name);
            append_bytes(list, 1, service);
        }
        append_bytes(out, services, list);
        break;
    }
    case 5: // proto3 does not have extensions
        append_bytes(out, error, error_response("there is no such extension"));
        break;
    default:
        append_bytes(out, error, error_response("the request asks nothing", GrpcStatus::invalid_argument));
    }
    return out;
}

} // namespace opcat::serve
