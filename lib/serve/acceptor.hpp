// A listening socket of one thread, from which connections are taken a few at a time.
#pragma once

#include "opcat/serve/endpoint.hpp"
#include "opcat/serve/event_loop.hpp"
#include "opcat/serve/places.hpp"

#include <functional>
#include <string>

namespace opcat::serve {

class Acceptor {
public:
    // `accept` receives each connection, and what counts as its client (places.hpp). Throws std::bad_alloc.
    using Accept = std::function<void(Socket socket, const std::string& client)>;
    Acceptor(EventLoop& loop, Places& places, Socket socket, Accept accept);
    ~Acceptor();
    Acceptor(const Acceptor&) = delete;
    Acceptor& operator=(const Acceptor&) = delete;

    void pause(bool paused);

private:
    void accept_some();

    Places& places_;
    Socket socket_;
    Accept accept_;
    event* event_;
};

} // namespace opcat::serve
