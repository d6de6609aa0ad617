// One client of the server: its lines in, its replies out. Nothing here blocks.

#pragma once

#include "base/descriptor.hpp"
#include "control/protocol.hpp"

#include <cstddef>
#include <optional>
#include <string>

namespace ptp::control {

// A client has one request under way at a time; further lines wait, at last in the socket itself.
class Connection {
public:
    explicit Connection(Descriptor socket) : socket_(std::move(socket)) {}

    [[nodiscard]] int descriptor() const { return socket_.get(); }

    // What to poll for; 0 while a reply is awaited from the trainer.
    [[nodiscard]] short events() const;

    // Reads or writes as far as can be done at once.
    void handle(short events);

    // The next request, which is then under way. Lines that are none are answered here.
    std::optional<Request> next_request();

    // Answers the request that is under way.
    void reply(const Reply& reply);

    [[nodiscard]] bool is_waiting() const { return is_waiting_; }

    // Nobody is there any more, or nothing is left to do for who is.
    [[nodiscard]] bool is_over() const;

private:
    void receive();
    void flush();
    void send(const Reply& reply);
    std::optional<std::string> next_line();
    void skip_long_line();

    Descriptor socket_;
    std::string input_;
    std::string output_;
    std::size_t skipped_ = 0;  // bytes of a line that is too long
    bool is_skipping_ = false;
    bool is_waiting_ = false;
    bool has_ended_ = false;  // the client sends no more, but may read
    bool is_gone_ = false;
};

}  // namespace ptp::control
