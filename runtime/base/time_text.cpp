#include "base/time_text.hpp"

#include <fmt/chrono.h>

#include <ctime>

namespace ptp {

std::string now_text() {
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

}  // namespace ptp
