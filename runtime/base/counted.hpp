// Numbers of things in sentences for users.

#pragma once

#include <fmt/core.h>

#include <string>
#include <string_view>

namespace ptp {

// Returns "1 episode", "2 episodes"; "2 batches" for the noun "batch" and the ending "es".
template <class Number>
std::string counted(Number count, std::string_view noun, std::string_view ending = "s") {
    return fmt::format("{} {}{}", count, noun, count == 1 ? std::string_view() : ending);
}

}  // namespace ptp
