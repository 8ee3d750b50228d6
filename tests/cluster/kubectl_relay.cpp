// Replaces kubectl in tests that run opcat hundreds of times: starting kubectl takes a hundred times longer
// than its request. Passes its call to the test (standin/relay.py), which answers what it can; the real
// kubectl does the rest.
//
// KUBECTL_RELAY names the socket of the test, REAL_KUBECTL the program.
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

namespace {

constexpr uint32_t run_the_real_one = 255;
constexpr uint32_t stay = 254;

void append(std::string& message, std::string_view part) {
    const auto size = static_cast<uint32_t>(part.size());
    message.append(reinterpret_cast<const char*>(&size), sizeof size).append(part);
}

bool write_all(int to, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(to, text.data(), text.size());
        if (written <= 0) return false;
        text.remove_prefix(static_cast<size_t>(written));
    }
    return true;
}

std::string read_all(int from) {
    std::string text;
    char buffer[16384];
    for (ssize_t size; (size = ::read(from, buffer, sizeof buffer)) > 0;)
        text.append(buffer, static_cast<size_t>(size));
    return text;
}

uint32_t take_number(std::string_view& text) {
    uint32_t number = run_the_real_one;
    if (text.size() < sizeof number) return number;
    std::memcpy(&number, text.data(), sizeof number);
    text.remove_prefix(sizeof number);
    return number;
}

std::string_view take(std::string_view& text) {
    const std::string_view part = text.substr(0, take_number(text));
    text.remove_prefix(part.size());
    return part;
}

std::string ask(const char* path, const std::string& message) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path, sizeof address.sun_path - 1);
    const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        !write_all(socket, message) || ::shutdown(socket, SHUT_WR) != 0)
        return {};
    return read_all(socket);
}

int run_real(char** arguments, const std::string& input, bool has_input) {
    const char* const program = std::getenv("REAL_KUBECTL");
    if (has_input) {
        const int file = ::memfd_create("input", 0);
        if (file < 0 || !write_all(file, input) || ::lseek(file, 0, SEEK_SET) != 0 || ::dup2(file, 0) != 0)
            return 1;
    }
    if (program) ::execv(program, arguments);
    std::perror("kubectl relay");
    return 1;
}

} // namespace

int main(int count, char** arguments) {
    const char* const kubeconfig = std::getenv("KUBECONFIG");
    std::string message;
    append(message, kubeconfig ? kubeconfig : "");
    bool has_input = false;
    for (int i = 1; i < count; ++i) has_input = has_input || std::string_view(arguments[i]) == "--filename=-";
    const std::string input = has_input ? read_all(0) : std::string();
    append(message, input);
    for (int i = 1; i < count; ++i) append(message, arguments[i]);
    const char* const path = std::getenv("KUBECTL_RELAY");
    const std::string answer = path ? ask(path, message) : std::string();
    std::string_view rest = answer;
    const uint32_t status = take_number(rest);
    if (status == run_the_real_one) return run_real(arguments, input, has_input);
    write_all(1, take(rest));
    write_all(2, take(rest));
    if (status == stay) ::pause();
    return static_cast<int>(status);
}
