// Checks around the TOML library: rejects text that would break it, and puts its messages into
// plain words.

#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ptp {

struct Flaw {
    int line = 0;
    int column = 0;
    std::string message;
};

// Finds the first byte that is not UTF-8, the first character outside of quotes and comments that
// is not ASCII (for a message with a fix), or the first key of more than 32 parts: the library
// recurses over the parts of a key and would overflow the stack.
std::optional<Flaw> find_flaw(std::string_view text);

// Rewords "Error while parsing value: could not determine value type" for people.
std::string plain_syntax_error(std::string_view description);

}  // namespace ptp
