#include "engine/swap/mapped_memory.hpp"

#include <fstream>
#include <sstream>
#include <string>

namespace ptp::engine {

std::int64_t mapped_kilobytes(const std::filesystem::path& file) {
    std::error_code ignored;
    const std::string name = std::filesystem::canonical(file, ignored).string();
    std::ifstream maps("/proc/self/smaps");
    std::int64_t total = 0;
    bool is_of_file = false;
    for (std::string line; std::getline(maps, line);) {
        std::istringstream words(line);
        std::string first;
        words >> first;
        if (!first.empty() && first.back() != ':') {  // "7f..-7f.. r-xp 0 08:01 12 /path"
            is_of_file = !name.empty() && line.ends_with(name);
        } else if (is_of_file && first == "Rss:") {
            std::int64_t kilobytes = 0;
            words >> kilobytes;
            total += kilobytes;
        }
    }
    return total;
}

}  // namespace ptp::engine
