// Connects to the socket of a run, explains why there is none, and asks over it.

#include "control/client.hpp"

#include "base/error.hpp"
#include "control/socket.hpp"
#include "run/read_run.hpp"

#include <fmt/core.h>
#include <boost/asio/local/stream_protocol.hpp>

#include <cerrno>
#include <string>
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

class Client::Stream : public boost::asio::local::stream_protocol::iostream {};

Client::Client(std::filesystem::path run, Limit limit)
    : run_(std::move(run)), limit_(limit), stream_(std::make_unique<Stream>()) {
    if (!run::is_run(run_)) {
        refuse_answer(fmt::format("{}: is not the folder of a run", run_.string()));
    }
    const auto until = Clock::now() + limit_.value_or(std::chrono::seconds());
    while (const int reason = try_to_connect()) {
        if (reason == EAGAIN) {
            fail_to_answer();
        }
        if (!is_starting(run_, reason) || Clock::now() >= until) {
            fail_to_connect(run_, reason);
        }
        std::this_thread::sleep_for(kBetweenTries);
    }
}

Client::~Client() = default;

int Client::try_to_connect() {
    try {
        Descriptor socket = connect_to(run_, limit_);
        stream_->socket().assign({}, socket.get());
        (void)socket.release();
        return 0;
    } catch (const std::system_error& error) {
        return error.code().value();
    }
}

Reply Client::ask(const Request& request) {
    if (limit_) {
        stream_->expires_after(*limit_);
    }
    // Ignores a disconnect: a server that disconnects this client may have sent the reason first.
    *stream_ << line_of(request) << '\n' << std::flush;
    const bool has_expired = stream_->error() == boost::asio::error::timed_out;
    stream_->clear();
    std::string line;
    if (has_expired || !std::getline(*stream_, line) || stream_->eof()) {
        if (stream_->error() == boost::asio::error::timed_out) {
            fail_to_answer();
        }
        refuse_answer(fmt::format("the run in {} has ended without a reply", run_.string()));
    }
    try {
        return read_reply(line);
    } catch (const ProtocolError& error) {
        throw RunError(kTrainingError, fmt::format("the run in {} sent an invalid reply: {}",
                                                   run_.string(), error.what()));
    }
}

void Client::fail_to_answer() const {
    refuse_answer(
        fmt::format("the run in {} has not replied within {} s: it replies between two episodes. "
                    "The request is withdrawn unless it has begun",
                    run_.string(), limit_->count()));
}

}  // namespace ptp::control
