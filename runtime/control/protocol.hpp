// The requests to a running training, and its replies: one JSON object per line.
//
//     {"command": "learning_rate", "arguments": {"rate": 0.01, "group": "lenet5"}}
//     {"ok": true, "message": "", "result": {"episode": 120}}
//
// The commands and their arguments are in control/command.hpp.

#pragma once

#include "base/exit_code.hpp"
#include "base/value.hpp"

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace ptp::control {

// The maximum length of a line, without its end.
inline constexpr std::size_t kMaxLineLength = 1 << 20;

struct Request {
    std::string command;
    Value arguments;  // a table
};

struct Reply {
    bool is_ok = true;
    std::string message;  // for a person; if not ok, the error
    Value result;         // a table

    // Returns a reply that is not ok. Its result has the exit code for the program that sent the
    // request: {exit_code = 2}.
    static Reply failure(std::string message, ExitCode code = kConfigurationError);

    // Returns kDone if the reply is ok; otherwise the code of failure(), or kConfigurationError.
    [[nodiscard]] int exit_code() const;
};

// Thrown with all errors in a line.
class ProtocolError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Returns the line without its end. Bytes that are not UTF-8 are replaced.
std::string line_of(const Request& request);
std::string line_of(const Reply& reply);

// Returns a request that parse() has checked. Throws ProtocolError.
Request read_request(std::string_view line);

// Throws ProtocolError.
Reply read_reply(std::string_view line);

}  // namespace ptp::control
