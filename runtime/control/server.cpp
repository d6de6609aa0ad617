#include "control/server.hpp"

#include "base/error.hpp"
#include "control/service.hpp"
#include "control/socket.hpp"

#include <fmt/core.h>
#include <pthread.h>

#include <csignal>
#include <exception>
#include <utility>

namespace ptp::control {

namespace {

// Signals are for the training's thread; one that a new thread would get is blocked from its first
// moment.
class NoSignals {
public:
    NoSignals() {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_BLOCK, &all, &before_);
    }
    ~NoSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    NoSignals(const NoSignals&) = delete;
    NoSignals& operator=(const NoSignals&) = delete;

private:
    sigset_t before_{};
};

}  // namespace

Pending::~Pending() {
    if (mailbox_ != nullptr) {
        reply(Reply::failure("the run has not answered"));
    }
}

void Pending::reply(Reply reply) {
    std::exchange(mailbox_, nullptr)->answer({letter_.client, std::move(reply)});
}

Server::Server(const std::filesystem::path& run_folder) {
    try {
        mailbox_ = std::make_shared<Mailbox>();
        listener_ = std::make_unique<Listener>(run_folder);
        const NoSignals no_signals;
        thread_ = std::thread([this] {
            pthread_setname_np(pthread_self(), "ptp-control");
            Service(*mailbox_, *listener_).run();
        });
    } catch (const std::exception& error) {
        throw RunError(
            kTrainingError,
            fmt::format("cannot make {}: {}", (run_folder / kSocketName).string(), error.what()));
    }
}

Server::~Server() {
    mailbox_->stop();
    thread_.join();
}

std::optional<Pending> Server::next() {
    std::optional<Mailbox::Letter> letter = mailbox_->next();
    return letter ? std::optional<Pending>(std::in_place, mailbox_, std::move(*letter))
                  : std::nullopt;
}

}  // namespace ptp::control
