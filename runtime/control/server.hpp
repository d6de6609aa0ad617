// Takes requests to a training that is running, over the socket control.sock in its folder.
//
//     Server server(folder);                       // at the start of a run
//     while (auto pending = server.next())         // between two episodes
//         pending->reply(do_it(pending->request()));
//
// A thread of its own talks to the clients, up to 64 at once; whatever they do or leave undone
// never keeps the training waiting. Only the owner of the process and root may send requests.

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

// A request that waits for its reply. It may outlive the server: the client has got a reply by then
// that the run has ended, and the reply goes nowhere.
class Pending {
public:
    Pending(Request request, std::function<void(const Reply&)> send)
        : request_(std::move(request)), send_(std::move(send)) {}
    // One without a reply gets "the run has not answered".
    ~Pending();
    Pending(const Pending&) = delete;
    Pending& operator=(const Pending&) = delete;
    Pending(Pending&& other) noexcept
        : request_(std::move(other.request_)), send_(std::exchange(other.send_, nullptr)) {}
    Pending& operator=(Pending&&) = delete;

    // Checked: the arguments are known to the command, and of the right types.
    [[nodiscard]] const Request& request() const { return request_; }

    // [any] Once.
    void reply(const Reply& reply) { std::exchange(send_, nullptr)(reply); }

private:
    Request request_;
    std::function<void(const Reply&)> send_;  // nullptr: it has its reply
};

class Server {
public:
    // Throws RunError, "cannot make RUN/control.sock: Too many open files": a run can continue
    // without.
    explicit Server(const std::filesystem::path& run_folder);

    // Requests without a reply get the error "the run has ended".
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    // [main] The oldest request that has not been taken. One relaxed atomic load when there is
    // none. A client that goes away before its request is taken has withdrawn it.
    [[nodiscard]] std::optional<Pending> next();

    // [main] Whether next() may have one.
    [[nodiscard]] bool has_requests() const;

    // [main] Returns when there is a request, when a signal came to this thread or after the limit.
    // A signal that came just before waits for the limit: it should be a fraction of a second.
    void wait(std::chrono::milliseconds limit) const;

private:
    std::shared_ptr<Service> service_;
    std::thread thread_;
};

}  // namespace ptp::control
