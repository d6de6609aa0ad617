#include "engine/train/time_text.hpp"

#include <fmt/chrono.h>

#include <ctime>

namespace ptp::engine {

std::string now_text() {
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

}  // namespace ptp::engine
