// Who gets a place, and who has to give one up.
#include "opcat/serve/places.hpp"

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <netinet/in.h>

#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

using opcat::serve::client_of;
using opcat::serve::Places;

namespace {

struct Client {
    Client(Places& places, const std::string& name)
        : place(places.admit(name, [gone_flag = gone] { *gone_flag = true; })) {}

    bool settle(bool used) {
        if (!place->settle()) return false;
        place->set_used(used);
        return true;
    }
    bool is_gone() const { return *gone; }

    std::shared_ptr<bool> gone = std::make_shared<bool>(false);
    std::unique_ptr<Places::Place> place;
};

std::vector<std::unique_ptr<Client>> settled(Places& places, const std::string& name, size_t count,
                                             bool used) {
    std::vector<std::unique_ptr<Client>> clients;
    for (size_t i = 0; i < count; ++i) {
        clients.push_back(std::make_unique<Client>(places, name));
        CHECK(clients.back()->settle(used));
    }
    return clients;
}

size_t gone(const std::vector<std::unique_ptr<Client>>& clients) {
    size_t count = 0;
    for (const auto& client : clients) count += client->is_gone();
    return count;
}

std::string client_at(int family, const char* text) {
    sockaddr_storage address{};
    address.ss_family = static_cast<sa_family_t>(family);
    void* const to = family == AF_INET6
                         ? static_cast<void*>(&reinterpret_cast<sockaddr_in6&>(address).sin6_addr)
                         : static_cast<void*>(&reinterpret_cast<sockaddr_in&>(address).sin_addr);
    REQUIRE(inet_pton(family, text, to) == 1);
    return client_of(reinterpret_cast<const sockaddr&>(address));
}

} // namespace

TEST_CASE("newcomers always get in: the oldest of the client with most goes") {
    Places places(Places::sizes(8, SIZE_MAX));
    std::vector<std::unique_ptr<Client>> many;
    const Client quiet(places, "quiet");
    for (size_t i = 0; i < 3 * Places::sizes(8, SIZE_MAX).newcomers; ++i)
        many.push_back(std::make_unique<Client>(places, "many"));
    CHECK_FALSE(quiet.is_gone());
    CHECK(many.front()->is_gone());
    CHECK_FALSE(many.back()->is_gone());
    CHECK(gone(many) == 2 * Places::sizes(8, SIZE_MAX).newcomers + 1);
}

TEST_CASE("among clients with one newcomer each, the oldest goes") {
    Places places(Places::sizes(8, SIZE_MAX));
    std::vector<std::unique_ptr<Client>> many;
    for (size_t i = 0; i <= Places::sizes(8, SIZE_MAX).newcomers; ++i)
        many.push_back(std::make_unique<Client>(places, std::to_string(i)));
    CHECK(many.front()->is_gone());
    CHECK(gone(many) == 1);
}

TEST_CASE("one client may have all places, and gives up what another one needs") {
    for (const bool used : {false, true}) {
        CAPTURE(used);
        Places places(Places::sizes(8, SIZE_MAX));
        const auto many = settled(places, "many", 8, used);
        Client other(places, "other");
        CHECK(other.settle(true));
        CHECK(gone(many) == 1);
        const auto others = settled(places, "other", 3, true);
        CHECK(gone(many) == 4);
        // Both have four: who uses them keeps them.
        Client beyond(places, "other");
        CHECK(beyond.settle(true) == !used);
        CHECK_FALSE(other.is_gone());
    }
}

TEST_CASE("a client whose places are all used does not take those of others") {
    Places places(Places::sizes(8, SIZE_MAX));
    const auto few = settled(places, "few", 3, true);
    const auto many = settled(places, "many", 5, true);
    Client beyond(places, "many");
    CHECK_FALSE(beyond.settle(true));
    CHECK_FALSE(beyond.is_gone()); // it may still ask for the state of health
    CHECK(gone(few) == 0);
    few.front()->place->set_used(false);
    many.front()->place->set_used(false);
    CHECK(beyond.settle(true));
    CHECK(gone(few) == 0);
    CHECK(many.front()->is_gone());
}

TEST_CASE("a place that was used a moment ago is given up before a request is refused") {
    constexpr size_t more_than_a_search_sees = 200;
    Places places(Places::sizes(more_than_a_search_sees, SIZE_MAX));
    const auto many = settled(places, "many", more_than_a_search_sees, true);
    for (const auto& client : many) client->place->set_used(false);
    Client beyond(places, "many");
    CHECK(beyond.settle(true));
    CHECK(gone(many) == 1);
}

TEST_CASE("places are given back") {
    Places places(Places::sizes(2, SIZE_MAX));
    for (int i = 0; i < 10; ++i) {
        const auto two = settled(places, "a", 2, true);
        Client third(places, "a");
        CHECK_FALSE(third.settle(true));
    }
    CHECK(Client(places, "b").settle(true));
}

TEST_CASE("for want of memory a used place goes, for want of descriptors a newcomer") {
    Places places(Places::sizes(4, SIZE_MAX));
    const auto unused = settled(places, "a", 1, false);
    const auto used = settled(places, "a", 1, true);
    places.evict_user();
    CHECK((gone(unused) == 0 && gone(used) == 1));
    places.evict_user();
    CHECK(gone(unused) == 0);
    const Client newcomer(places, "b");
    places.evict_one();
    CHECK((newcomer.is_gone() && gone(unused) == 0));
    places.evict_one();
    CHECK(gone(unused) == 1);
    places.evict_one(); // nobody is left
}

TEST_CASE("a client is an address of IPv4, or a network of IPv6") {
    CHECK(client_at(AF_INET, "192.0.2.1") == client_at(AF_INET6, "::ffff:192.0.2.1"));
    CHECK(client_at(AF_INET, "192.0.2.1") != client_at(AF_INET, "192.0.2.2"));
    CHECK(client_at(AF_INET6, "2001:db8::1") == client_at(AF_INET6, "2001:db8::2"));
    CHECK(client_at(AF_INET6, "2001:db8::1") != client_at(AF_INET6, "2001:db8:0:1::1"));
}

TEST_CASE("a small limit of open files leaves places for both kinds of connections") {
    for (const auto& [most, settled, newcomers] : {std::tuple<size_t, size_t, size_t>{4096, 1024, 256},
                                                   {1280, 1024, 256},
                                                   {960, 720, 240},
                                                   {192, 144, 48},
                                                   {1, 1, 1},
                                                   {0, 1, 1}}) {
        CAPTURE(most);
        const Places::Sizes sizes = Places::sizes(1024, most);
        CHECK(sizes.settled == settled);
        CHECK(sizes.newcomers == newcomers);
    }
    CHECK(Places::sizes(8, 236).settled == 8);
    CHECK(Places::sizes(8, 236).newcomers == 228);
}
