#include "opcat/serve/acceptor.hpp"

#include "opcat/base/platform.hpp"

#include <fcntl.h>
#include <sys/socket.h>

#include <cerrno>
#include <new>
#include <utility>

namespace opcat::serve {

Acceptor::Acceptor(EventLoop& loop, Places& places, Socket socket, Accept accept)
    : places_(places), socket_(std::move(socket)), accept_(std::move(accept)),
      event_(libevent().event_new(
          loop.base(), socket_.get(), EV_READ | EV_PERSIST,
          [](evutil_socket_t, short, void* self) { static_cast<Acceptor*>(self)->accept_some(); }, this)) {
    if (!event_) throw std::bad_alloc();
    libevent().event_add(event_, nullptr);
}

Acceptor::~Acceptor() {
    libevent().event_free(event_);
}

void Acceptor::pause(bool paused) {
    paused ? libevent().event_del(event_) : libevent().event_add(event_, nullptr);
}

// Few, so that those that are connected are heard before there are so many others that they have to go.
void Acceptor::accept_some() {
    constexpr int most = 16;
    for (int i = 0; i < most; ++i) {
        sockaddr_storage address{};
        socklen_t size = sizeof address;
        Socket accepted(::accept(socket_.get(), reinterpret_cast<sockaddr*>(&address), &size));
        if (accepted.get() >= 0) {
            set_nonblocking(accepted.get());
            ::fcntl(accepted.get(), F_SETFD, FD_CLOEXEC);
            accept_(std::move(accepted), client_of(reinterpret_cast<const sockaddr&>(address)));
            continue;
        }
        if (errno == EINTR || errno == ECONNABORTED) continue;
        // The process or the system has no descriptors left. The client waits, and is tried again.
        if (errno != EAGAIN && errno != EWOULDBLOCK) places_.evict_one();
        return;
    }
}

} // namespace opcat::serve
