#include "base/memory.hpp"

#include <unistd.h>

#include <fstream>

namespace ptp {

std::uint64_t resident_bytes() {
    std::ifstream file("/proc/self/statm");
    std::uint64_t pages = 0;
    std::uint64_t resident_pages = 0;
    if (!(file >> pages >> resident_pages)) {
        return 0;
    }
    return resident_pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace ptp
