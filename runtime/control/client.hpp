// Sends requests to a running training.

#pragma once

#include "base/descriptor.hpp"
#include "control/protocol.hpp"

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

namespace ptp::control {

class Client {
public:
    // The time to wait for the connection, including that of a starting training, and then for each
    // reply; without a limit it waits for the reply forever.
    using Limit = std::optional<std::chrono::seconds>;

    // Throws RunError with kConfigurationError, in words for a person, if there is no such run, if
    // it is not running (with the command that continues it), or if it cannot be reached.
    Client(std::filesystem::path run, Limit limit);

    // Sends the request and waits for the reply. Throws RunError: kConfigurationError if the run
    // ends meanwhile or the limit passes, kTrainingError if the reply is invalid.
    Reply ask(const Request& request);

private:
    int try_to_connect();  // returns errno, or 0
    void send(std::string line);
    std::string receive_line();
    [[noreturn]] void fail_to_answer() const;

    std::filesystem::path run_;
    Limit limit_;
    Descriptor socket_;
    std::string input_;  // received after the last complete line
};

}  // namespace ptp::control
