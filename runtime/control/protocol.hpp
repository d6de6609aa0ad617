// The requests to a running training, and its replies: one JSON object on each line.
//
//     {"command": "learning_rate", "arguments": {"rate": 0.01, "group": "lenet5"}}
//     {"ok": true, "message": "", "result": {"episode": 120}}
//
// control/command.hpp has the commands and their arguments.

#pragma once

#include "base/exit_code.hpp"
#include "base/value.hpp"

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::control {

// Of a line, without its end.
inline constexpr std::size_t kMaxLineLength = 1 << 20;

struct Request {
    std::string command;
    Value arguments;  // a table
};

struct Reply {
    bool is_ok = true;
    std::string message;  // for a person; of a reply that is not ok, what is wrong
    Value result;         // a table

    // Not ok. The result has the exit code for the program that sent the request: {exit_code = 2}.
    static Reply failure(std::string message, ExitCode code = kConfigurationError);

    // kDone when it is ok; otherwise what failure() noted, or kConfigurationError.
    [[nodiscard]] int exit_code() const;
};

// What is wrong with a line, in full.
class ProtocolError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Without the end of the line. Bytes that are not UTF-8 are replaced.
std::string line_of(const Request& request);
std::string line_of(const Reply& reply);

// The request has been checked by parse(). Throws ProtocolError.
Request read_request(std::string_view line);

// Throws ProtocolError.
Reply read_reply(std::string_view line);

}  // namespace ptp::control
