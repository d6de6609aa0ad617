// What the server's thread does.

#pragma once

#include "control/connection.hpp"
#include "control/mailbox.hpp"
#include "control/socket.hpp"

#include <poll.h>

#include <map>
#include <vector>

namespace ptp::control {

class Service {
public:
    Service(Mailbox& mailbox, const Listener& listener) : mailbox_(mailbox), listener_(listener) {}

    // Until the mailbox is stopped.
    void run();

private:
    void step();

    // Waits for something to happen, and gives what is polled: the mailbox, the listener, and then
    // all connections in their order.
    std::vector<pollfd> wait();
    void take_client();
    void deliver_answers();
    void serve(ClientId id, Connection& connection);
    void say_farewell();

    Mailbox& mailbox_;
    const Listener& listener_;
    std::map<ClientId, Connection> connections_;
    ClientId next_id_ = 1;
    bool is_full_ = false;  // the system had no room for a client: not asked again at once
};

}  // namespace ptp::control
