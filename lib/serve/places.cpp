#include "opcat/serve/places.hpp"

#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace opcat::serve {
namespace {

// The number of places and of clients that one search looks at, so that it takes the same time with any
// number of them.
constexpr size_t search = 64;

} // namespace

Places::Pool& Places::pool_of(const Place& place) {
    return place.settled_ ? settled_ : newcomers_;
}

void Places::unrank(Pool& pool, const std::string& client, const Group& group) {
    pool.ranking.erase({SIZE_MAX - group.rank_count, group.rank_age, client});
}

void Places::rank(Pool& pool, const std::string& client, Group& group) {
    group.rank_count = group.places.size();
    group.rank_age = group.places.front()->number_;
    pool.ranking.emplace(SIZE_MAX - group.rank_count, group.rank_age, client);
}

void Places::add(Pool& pool, Place& place) {
    Group& group = pool.groups[place.client_];
    if (!group.places.empty()) unrank(pool, place.client_, group);
    place.at_ = group.places.insert(group.places.end(), &place);
    rank(pool, place.client_, group);
    ++pool.size;
}

void Places::remove(Pool& pool, Place& place) {
    const auto found = pool.groups.find(place.client_);
    Group& group = found->second;
    unrank(pool, place.client_, group);
    group.places.erase(place.at_);
    --pool.size;
    if (group.places.empty())
        pool.groups.erase(found);
    else
        rank(pool, place.client_, group);
}

void Places::evict(Place& place) {
    remove(pool_of(place), place);
    place.evicted_ = true;
    place.evict_();
}

// One that has not been used for longest, as far as a short search finds it: those that are used, or were
// since the last search, go to the end of the list. If all are such ones, the first that is not used now.
Places::Place* Places::unused_place(Pool& pool, const std::string& client) {
    Group& group = pool.groups.find(client)->second;
    unrank(pool, client, group);
    Place* found = nullptr;
    Place* recent = nullptr;
    for (size_t tries = std::min(search, group.places.size()); tries > 0 && !found; --tries) {
        Place& first = *group.places.front();
        const bool recently = first.recently_.exchange(false, std::memory_order_relaxed);
        const bool used = first.used_.load(std::memory_order_relaxed);
        if (!used && !recently) {
            found = &first;
        } else {
            if (!used && !recent) recent = &first;
            group.places.splice(group.places.end(), group.places, group.places.begin());
        }
    }
    rank(pool, client, group);
    return found ? found : recent;
}

bool Places::make_room(const std::string& client) {
    const auto own = settled_.groups.find(client);
    const size_t own_count = own == settled_.groups.end() ? 0 : own->second.places.size();
    std::string most; // the client with most places
    size_t most_count = 0;
    // A search changes the ranking.
    std::list<std::string> clients;
    for (const auto& [below_max, age, name] : settled_.ranking) {
        const size_t count = SIZE_MAX - below_max;
        if (count < own_count || clients.size() == search) break;
        if (clients.empty()) most_count = count;
        clients.push_back(name);
    }
    if (!clients.empty()) most = clients.front();
    for (const std::string& name : clients)
        if (Place* const unused = unused_place(settled_, name)) {
            evict(*unused);
            return true;
        }
    if (most_count <= own_count + 1) return false;
    evict(*settled_.groups.find(most)->second.places.front());
    return true;
}

Places::Sizes Places::sizes(size_t settled, size_t most) {
    constexpr size_t usual_newcomers = 256;
    const Sizes wanted{settled, std::max(usual_newcomers, settled / 4)};
    if (most >= wanted.newcomers && most - wanted.newcomers >= settled) return wanted;
    const size_t beside = most - std::min(most, settled);
    const size_t newcomers = std::clamp<size_t>(std::max(most / 4, beside), 1, wanted.newcomers);
    return {std::clamp<size_t>(most - std::min(most, newcomers), 1, settled), newcomers};
}

std::unique_ptr<Places::Place> Places::admit(const std::string& client, std::function<void()> evict_it) {
    std::unique_ptr<Place> place(new Place(*this, client, std::move(evict_it)));
    const std::lock_guard lock(mutex_);
    while (newcomers_.size >= newcomers_.most) {
        const std::string most = std::get<2>(*newcomers_.ranking.begin());
        evict(*newcomers_.groups.find(most)->second.places.front());
    }
    place->number_ = ++last_;
    add(newcomers_, *place);
    return place;
}

void Places::evict_one() {
    const std::lock_guard lock(mutex_);
    Pool& pool = newcomers_.size > 0 ? newcomers_ : settled_;
    if (pool.size == 0) return;
    const std::string most = std::get<2>(*pool.ranking.begin());
    evict(*pool.groups.find(most)->second.places.front());
}

void Places::evict_user() {
    const std::lock_guard lock(mutex_);
    if (settled_.size == 0) return;
    const std::string most = std::get<2>(*settled_.ranking.begin());
    const std::list<Place*>& places = settled_.groups.find(most)->second.places;
    size_t tries = search;
    for (Place* const place : places) {
        if (place->used_.load(std::memory_order_relaxed)) return evict(*place);
        if (--tries == 0) return;
    }
}

Places::Place::~Place() {
    const std::lock_guard lock(places_.mutex_);
    if (!evicted_ && number_ != 0) remove(places_.pool_of(*this), *this);
}

bool Places::Place::settle() {
    const std::lock_guard lock(places_.mutex_);
    if (evicted_) return false;
    if (settled_) return true;
    Pool& pool = places_.settled_;
    if (pool.size >= pool.most && !places_.make_room(client_)) return false;
    remove(places_.newcomers_, *this);
    settled_ = true;
    number_ = ++places_.last_;
    recently_ = true; // it is about to be used
    add(pool, *this);
    return true;
}

std::string client_of(const sockaddr& address) {
    const auto bytes = [](const void* from, size_t size) {
        std::string text(size, '\0');
        std::memcpy(text.data(), from, size);
        return text;
    };
    if (address.sa_family == AF_INET)
        return bytes(&reinterpret_cast<const sockaddr_in&>(address).sin_addr, sizeof(in_addr));
    if (address.sa_family != AF_INET6) return {};
    const in6_addr& ip = reinterpret_cast<const sockaddr_in6&>(address).sin6_addr;
    constexpr size_t of_ipv4 = 12; // where an address of IPv4 begins that is written as one of IPv6
    constexpr size_t network = 8;
    return IN6_IS_ADDR_V4MAPPED(&ip) ? bytes(ip.s6_addr + of_ipv4, sizeof(in_addr))
                                     : bytes(ip.s6_addr, network);
}

} // namespace opcat::serve
