// Connects to the socket of a run, and explains why there is none.

#include "control/client.hpp"

#include "base/error.hpp"
#include "control/socket.hpp"
#include "run/read_run.hpp"

#include <fmt/core.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <thread>
#include <utility>

namespace ptp::control {

namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void refuse_answer(const std::string& message) {
    throw RunError(kConfigurationError, message);
}

// Returns why a run cannot be reached, according to its folder; "" if unknown.
std::string why_not(const run::Run& run, const run::Machine& machine) {
    const std::string folder = run.folder.string();
    if (run.state == "done") {
        return fmt::format("the run in {} is done", folder);
    }
    const std::string go_on = fmt::format("; `ptprun resume {}` continues it", folder);
    if (run.state == "stopped" || run.state == "failed") {
        const std::string reason = run.reason.empty() ? "" : fmt::format(" ({})", run.reason);
        return fmt::format("the run in {} has {}{}{}", folder, run.state, reason, go_on);
    }
    if (run.state == "died") {
        return fmt::format("the process of the run in {} is gone{}", folder, go_on);
    }
    if (run.process && run.process->host != machine.host) {
        return fmt::format("the run in {} is on the machine '{}', and can be controlled only there",
                           folder, run.process->host);
    }
    return "";
}

[[noreturn]] void fail_to_connect(const std::filesystem::path& folder, int reason) {
    const run::Machine machine = run::this_machine();
    const std::string known = why_not(run::read_run(folder, machine), machine);
    if (!known.empty()) {
        refuse_answer(known);
    }
    if (reason == EACCES || reason == EPERM) {
        refuse_answer(fmt::format("only its owner may control the run in {}", folder.string()));
    }
    if (reason == ENOENT || reason == ECONNREFUSED) {
        refuse_answer(fmt::format(
            "cannot connect to {}: the run is starting or ending, or its {} states why it cannot "
            "be controlled",
            (folder / kSocketName).string(), run::kLogFile));
    }
    refuse_answer(fmt::format("cannot connect to {}: {}", (folder / kSocketName).string(),
                              std::generic_category().message(reason)));
}

// A training creates its socket some seconds after its folder.
constexpr std::chrono::milliseconds kBetweenTries{50};

// Returns whether the training may have a socket soon.
bool is_starting(const std::filesystem::path& folder, int reason) {
    if (reason != ENOENT && reason != ECONNREFUSED) {
        return false;
    }
    const run::Run run = run::read_run(folder, run::this_machine());
    return run.state == "running" && why_not(run, run::this_machine()).empty();
}

}  // namespace

Client::Client(std::filesystem::path run, Limit limit) : run_(std::move(run)), limit_(limit) {
    if (!run::is_run(run_)) {
        refuse_answer(fmt::format("{}: is not the folder of a run", run_.string()));
    }
    const auto until = Clock::now() + limit_.value_or(std::chrono::seconds());
    for (int reason = 0; !socket_.is_open();) {
        reason = try_to_connect();
        if (reason == EAGAIN) {
            fail_to_answer();
        }
        if (reason != 0 && (!is_starting(run_, reason) || Clock::now() >= until)) {
            fail_to_connect(run_, reason);
        }
        if (reason != 0) {
            std::this_thread::sleep_for(kBetweenTries);
        }
    }
}

int Client::try_to_connect() {
    try {
        socket_ = connect_to(run_, limit_);
        return 0;
    } catch (const std::system_error& error) {
        return error.code().value();
    }
}

Reply Client::ask(const Request& request) {
    send(line_of(request) + '\n');
    const std::string line = receive_line();
    try {
        return read_reply(line);
    } catch (const ProtocolError& error) {
        throw RunError(kTrainingError, fmt::format("the run in {} sent an invalid reply: {}",
                                                   run_.string(), error.what()));
    }
}

// Ignores a disconnect: a server that disconnects this client may have sent the reason first, which
// is read later.
void Client::send(std::string line) {
    while (!line.empty()) {
        const ssize_t count = ::send(socket_.get(), line.data(), line.size(), MSG_NOSIGNAL);
        if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            fail_to_answer();
        }
        if (count < 0 && errno != EINTR) {
            return;
        }
        line.erase(0, count > 0 ? static_cast<std::size_t>(count) : 0);
    }
}

std::string Client::receive_line() {
    const auto until = Clock::now() + limit_.value_or(std::chrono::seconds());
    while (input_.find('\n') == std::string::npos) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
        const int wait_ms = limit_ ? std::max(0, static_cast<int>(left.count())) : -1;
        pollfd polled{.fd = socket_.get(), .events = POLLIN, .revents = 0};
        const int count = poll(&polled, 1, wait_ms);
        if (count == 0) {
            fail_to_answer();
        }
        std::array<char, 16384> piece{};
        const ssize_t size =
            count < 0 ? -1 : recv(socket_.get(), piece.data(), piece.size(), MSG_DONTWAIT);
        if (size == 0 || (size < 0 && errno != EINTR && errno != EAGAIN)) {
            refuse_answer(fmt::format("the run in {} has ended without a reply", run_.string()));
        }
        input_.append(piece.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
    }
    const std::size_t end = input_.find('\n');
    std::string line = input_.substr(0, end);
    input_.erase(0, end + 1);
    return line;
}

void Client::fail_to_answer() const {
    refuse_answer(
        fmt::format("the run in {} has not replied within {} s: it replies between two episodes. "
                    "The request is withdrawn unless it has begun",
                    run_.string(), limit_->count()));
}

}  // namespace ptp::control
