// Receives requests to a running training, over the socket control.sock in its folder.
//
//     Server server(folder);                       // at the start of a run
//     while (auto pending = server.next())         // between two episodes
//         pending->reply(do_it(pending->request()));
//
// A separate thread serves the clients, up to 64 at once; they can never make the training wait.
// Only the owner of the process and root may send requests.

#pragma once

#include "control/protocol.hpp"

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

namespace ptp::control {

class Service;

// A request that waits for its reply. It may outlive the server: the client then gets the reply
// that the run has ended, and its own reply is discarded.
class Pending {
public:
    Pending(Request request, std::function<void(const Reply&)> send)
        : request_(std::move(request)), send_(std::move(send)) {}
    // Replies "the run has not answered" if there was no reply.
    ~Pending();
    Pending(const Pending&) = delete;
    Pending& operator=(const Pending&) = delete;
    Pending(Pending&& other) noexcept
        : request_(std::move(other.request_)), send_(std::exchange(other.send_, nullptr)) {}
    Pending& operator=(Pending&&) = delete;

    // Returns the request, whose arguments are known to the command, and of the right types.
    [[nodiscard]] const Request& request() const { return request_; }

    // [any] Sends the reply. Call it once.
    void reply(const Reply& reply) { std::exchange(send_, nullptr)(reply); }

private:
    Request request_;
    std::function<void(const Reply&)> send_;  // nullptr: already replied
};

class Server {
public:
    // Throws RunError, "cannot make RUN/control.sock: Too many open files": a run can continue
    // without the server.
    explicit Server(const std::filesystem::path& run_folder);

    // Answers pending requests with the error "the run has ended".
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    // [main] Returns the oldest request that has not been taken. Takes one relaxed atomic load if
    // there is none. A client that disconnects before its request is taken withdraws it.
    [[nodiscard]] std::optional<Pending> next();

    // [main] Returns whether next() may have a request.
    [[nodiscard]] bool has_requests() const;

    // [main] Returns on a request, after a signal to this thread or after the limit. A signal that
    // came just before the call is noticed only after the limit, which should be a fraction of a
    // second.
    void wait(std::chrono::milliseconds limit) const;

private:
    std::shared_ptr<Service> service_;
    std::thread thread_;
};

}  // namespace ptp::control
