#include "control/service.hpp"

#include <cerrno>
#include <exception>
#include <utility>

namespace ptp::control {

namespace {

constexpr std::size_t kMaxClients = 64;
constexpr int kRetryMs = 100;

// Says why to a client that is not served.
void refuse(Descriptor client, const char* reason) {
    Connection(std::move(client)).reply(Reply::failure(reason));
}

}  // namespace

// Memory that runs out because of a client must not end the training: then all of them are let go.
void Service::run() {
    while (!mailbox_.is_stopped()) {
        try {
            step();
        } catch (const std::exception&) {
            for (const auto& [id, connection] : connections_) {
                mailbox_.withdraw(id);
            }
            connections_.clear();
        }
    }
    say_farewell();
}

void Service::step() {
    const std::vector<pollfd> polled = wait();
    if (polled[0].revents != 0) {
        deliver_answers();
    }
    std::size_t i = 2;
    for (auto& [id, connection] : connections_) {
        connection.handle(polled[i++].revents);
        serve(id, connection);
    }
    std::erase_if(connections_, [](const auto& one) { return one.second.is_over(); });
    if ((polled[1].revents & POLLIN) != 0) {
        take_client();
    }
}

std::vector<pollfd> Service::wait() {
    const int listener = std::exchange(is_full_, false) ? -1 : listener_.descriptor();
    std::vector<pollfd> polled = {
        {.fd = mailbox_.answered().descriptor(), .events = POLLIN, .revents = 0},
        {.fd = listener, .events = POLLIN, .revents = 0}};
    for (const auto& [id, connection] : connections_) {
        polled.push_back(
            {.fd = connection.descriptor(), .events = connection.events(), .revents = 0});
    }
    if (poll(polled.data(), polled.size(), listener < 0 ? kRetryMs : -1) < 0) {
        for (pollfd& one : polled) {
            one.revents = 0;
        }
    }
    return polled;
}

void Service::take_client() {
    Descriptor client = listener_.accept();
    if (!client.is_open()) {
        is_full_ = errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS;
        return;
    }
    if (!may_control(client)) {
        refuse(std::move(client), "only the owner of the run may control it");
    } else if (connections_.size() >= kMaxClients) {
        refuse(std::move(client), "too many clients control this run already");
    } else {
        connections_.emplace(next_id_++, std::move(client));
    }
}

void Service::deliver_answers() {
    mailbox_.answered().clear();
    for (const Mailbox::Answer& answer : mailbox_.answers()) {
        const auto connection = connections_.find(answer.client);
        if (connection != connections_.end()) {
            connection->second.reply(answer.reply);
        }
    }
}

void Service::serve(ClientId id, Connection& connection) {
    if (connection.is_over()) {
        mailbox_.withdraw(id);
    } else if (std::optional<Request> request = connection.next_request()) {
        mailbox_.post({id, std::move(*request)});
    }
}

void Service::say_farewell() {
    deliver_answers();
    for (auto& [id, connection] : connections_) {
        mailbox_.withdraw(id);
        if (connection.is_waiting()) {
            connection.reply(Reply::failure("the run has ended"));
        }
    }
}

}  // namespace ptp::control
