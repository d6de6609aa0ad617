// The bytes of a DLL, with checked access.
#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::plugin {

struct PeSection {
    std::string name;           // ".text"
    std::uint32_t address = 0;  // from the beginning of the loaded image, as all addresses in it
    std::uint32_t size = 0;     // of what is in the file
    std::uint32_t offset = 0;   // in the file
    bool is_code = false;
};

// A table that the system's loader uses; the size is 0 where there is none.
struct PeTable {
    std::uint32_t address = 0;
    std::uint32_t size = 0;
};

// All functions throw FileError for a place that is not in the file.
class PeImage {
public:
    // Refuses what is not a DLL for x86-64, and one that is cut off.
    static PeImage read(const std::filesystem::path& path);

    [[nodiscard]] const std::vector<PeSection>& sections() const { return sections_; }
    [[nodiscard]] const PeTable& exports() const { return exports_; }
    [[nodiscard]] const PeTable& imports() const { return imports_; }

    [[nodiscard]] std::string_view bytes(std::uint64_t offset, std::uint64_t size) const;

    template <class T>
    [[nodiscard]] T at(std::uint64_t offset) const {
        T value;
        std::memcpy(&value, bytes(offset, sizeof value).data(), sizeof value);
        return value;
    }

    // The NUL-terminated text that would be loaded at this address.
    [[nodiscard]] std::string text(std::uint64_t address) const;

    // Where in the file the byte lies that would be loaded at this address.
    [[nodiscard]] std::uint64_t offset_of(std::uint64_t address) const;

private:
    void read_headers(std::uint64_t header);

    std::string content_;
    std::vector<PeSection> sections_;
    PeTable exports_;
    PeTable imports_;
};

}  // namespace ptp::plugin
