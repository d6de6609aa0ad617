// Checks before and after the TOML library: text that would break it is refused first, and its
// messages are put into plain words.

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

// The first byte that is not UTF-8, the first character outside of quotes and comments that is not
// ASCII, for a message that states what to do, or the first key of more than 32 parts: the library
// follows the parts of a key on the stack and would overflow it.
std::optional<Flaw> find_flaw(std::string_view text);

// "Error while parsing value: could not determine value type" for people.
std::string plain_syntax_error(std::string_view description);

}  // namespace ptp
