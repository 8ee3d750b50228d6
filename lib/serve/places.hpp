// Decides which clients may be connected to a server: no client can keep all others out.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <tuple>

struct sockaddr;

namespace opcat::serve {

// A connection is a newcomer until it asks for more than health and metrics; then it needs a settled place.
// Newcomers are never refused: where there are too many, the oldest one of the address with the most of them
// goes. That leaves a client time to send its request, also while others connect without end.
//
// Where all settled places are taken, the client with the most of them gives one up that it does not use. If
// it uses all, it gives up the one that it has used longest, for a client with fewer. So an address may have
// all places that no other one asks for, and none can keep another one out. Thread-safe.
class Places {
public:
    class Place;

    // How many there are.
    struct Sizes {
        size_t settled;
        size_t newcomers;
    };
    // Those for so many settled ones; fewer of both kinds where both together are more than `most`.
    static Sizes sizes(size_t settled, size_t most);

    explicit Places(const Sizes& sizes) : settled_{sizes.settled}, newcomers_{sizes.newcomers} {}
    Places(const Places&) = delete;
    Places& operator=(const Places&) = delete;

    // For a new connection; `client` as client_of() gives it. `evict` is called once if the place is taken
    // away, on any thread and under a lock: it only passes that on.
    std::unique_ptr<Place> admit(const std::string& client, std::function<void()> evict);
    // Takes a place away from the client with most: a newcomer's, if there is one. For want of descriptors.
    void evict_one();
    // The same with a place that is used, as far as there is one: for want of memory.
    void evict_user();

private:
    // The connections of one address; the first ones are those that have waited longest.
    struct Group {
        std::list<Place*> places;
        size_t rank_count = 0; // as in the ranking
        uint64_t rank_age = 0;
    };
    struct Pool {
        size_t most = 0;
        size_t size = 0;
        std::map<std::string, Group> groups = {};
        // Addresses by the number of their places, most first, then by the age of their first place.
        std::set<std::tuple<size_t, uint64_t, std::string>> ranking = {};
    };

    Pool& pool_of(const Place& place);
    static void unrank(Pool& pool, const std::string& client, const Group& group);
    static void rank(Pool& pool, const std::string& client, Group& group);
    static void add(Pool& pool, Place& place);
    static void remove(Pool& pool, Place& place);
    void evict(Place& place);
    static Place* unused_place(Pool& pool, const std::string& client);
    bool make_room(const std::string& client);

    std::mutex mutex_;
    uint64_t last_ = 0;
    Pool settled_;
    Pool newcomers_;
};

// Belongs to a connection, and is given back with it.
class Places::Place {
public:
    ~Place();
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

    // To be called before the first request that is not about health or metrics. False: there is no place.
    bool settle();
    // Notes if a request other than a watch is in progress.
    void set_used(bool used) {
        used_.store(used, std::memory_order_relaxed);
        if (used) recently_.store(true, std::memory_order_relaxed);
    }

private:
    friend class Places;
    Place(Places& places, std::string client, std::function<void()> evict)
        : places_(places), client_(std::move(client)), evict_(std::move(evict)) {}

    Places& places_;
    std::string client_;
    std::function<void()> evict_;
    uint64_t number_ = 0; // later ones are higher
    bool settled_ = false;
    bool evicted_ = false;
    std::atomic<bool> used_ = false;
    std::atomic<bool> recently_ = false; // since the last search
    std::list<Place*>::iterator at_;     // in its group
};

// Returns what counts as one client: an address of IPv4, a network of IPv6 (64 bits, which any user has), all
// connections to a path.
std::string client_of(const sockaddr& address);

} // namespace opcat::serve
