// Asks /proc for the boot.

#include "base/boot_id.hpp"

#include <fstream>

namespace ptp {

std::string boot_id() {
    std::ifstream stream("/proc/sys/kernel/random/boot_id");
    std::string id;
    std::getline(stream, id);
    return id;
}

}  // namespace ptp
