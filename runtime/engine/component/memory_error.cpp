#include "engine/component/memory_error.hpp"

namespace ptp::engine {

bool is_about_memory(std::string_view message) {
    return message.find("std::bad_alloc") != std::string_view::npos ||
           message.find("can't allocate memory") != std::string_view::npos ||
           message.find("out of memory") != std::string_view::npos ||
           message.find("OutOfMemoryError") != std::string_view::npos;
}

}  // namespace ptp::engine
