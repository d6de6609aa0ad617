// Takes requests to a training that is running, over the socket control.sock in its folder.
//
//     Server server(folder);                       // at the start of a run
//     while (auto pending = server.next())         // between two episodes
//         pending->reply(do_it(pending->request()));
//
// A thread of its own talks to the clients, any number at once; whatever they do or leave undone
// never keeps the training waiting. Only the owner of the process and root are listened to.

#pragma once

#include "control/mailbox.hpp"
#include "control/protocol.hpp"

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

namespace ptp::control {

class Listener;

// A request that waits for its reply. It may outlive the server: the client has been told by then
// that the run has ended, and the reply goes nowhere.
class Pending {
public:
    Pending(std::shared_ptr<Mailbox> mailbox, Mailbox::Letter letter)
        : mailbox_(std::move(mailbox)), letter_(std::move(letter)) {}
    // One without a reply gets "the run has not answered".
    ~Pending();
    Pending(Pending&&) = default;  // what is moved from has its reply
    Pending& operator=(Pending&&) = delete;

    // Checked: the arguments are those of the command, and of the right types.
    [[nodiscard]] const Request& request() const { return letter_.request; }

    // [any] Once.
    void reply(Reply reply);

private:
    std::shared_ptr<Mailbox> mailbox_;  // nullptr: it has its reply
    Mailbox::Letter letter_;
};

class Server {
public:
    // Throws RunError, "cannot make RUN/control.sock: Too many open files": a run can go on without.
    explicit Server(const std::filesystem::path& run_folder);

    // Requests without a reply get the error "the run has ended".
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    // [main] The oldest request that has not been taken. One relaxed atomic load when there is
    // none. A client that goes away before its request is taken has withdrawn it.
    [[nodiscard]] std::optional<Pending> next();

    // [main] Returns when there is a request, when a signal came to this thread, or after the limit.
    // A signal that came just before waits for the limit: it should be a fraction of a second.
    void wait(std::chrono::milliseconds limit) const { mailbox_->wait(limit); }

private:
    std::shared_ptr<Mailbox> mailbox_;
    std::unique_ptr<Listener> listener_;
    std::thread thread_;
};

}  // namespace ptp::control
