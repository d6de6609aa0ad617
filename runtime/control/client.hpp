// Sends requests to a running training.

#pragma once

#include "control/protocol.hpp"

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>

namespace ptp::control {

class Client {
public:
    // The time to wait for the connection, including that of a starting training, and then for each
    // reply. Without a limit it does not wait for a training that is starting, but forever for a
    // reply.
    using Limit = std::optional<std::chrono::seconds>;

    // Throws RunError with kConfigurationError, in words for a person, if there is no such run, if
    // it is not running (with the command that continues it), or if it cannot be reached.
    Client(std::filesystem::path run, Limit limit);
    ~Client();
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

    // Sends the request and waits for the reply. Throws RunError: kConfigurationError if the run
    // ends meanwhile or the limit passes, kTrainingError if the reply is invalid.
    Reply ask(const Request& request);

private:
    class Stream;

    int try_to_connect();  // returns errno, or 0
    [[noreturn]] void fail_to_answer() const;

    std::filesystem::path run_;
    Limit limit_;
    std::unique_ptr<Stream> stream_;
};

}  // namespace ptp::control
