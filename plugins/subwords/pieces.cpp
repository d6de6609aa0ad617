// Reads files, and collects all pieces.

#include "pieces.hpp"

#include <ptp/error.hpp>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

namespace subwords {

ptp::Data Pieces::mappings() const {
    ptp::Data::Table table;
    for (std::int64_t index = 0; index < size(); ++index) {
        table.push_back({piece(index), index});
    }
    return table;
}

std::string read_whole_file(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        throw ptp::DataError(path, ": cannot be opened: ", std::strerror(errno));
    }
    return {std::istreambuf_iterator<char>(file), {}};
}

std::int64_t fnv1a(std::string_view bytes) {
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const char byte : bytes) {
        hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3U;
    }
    return static_cast<std::int64_t>(hash);
}

}  // namespace subwords
