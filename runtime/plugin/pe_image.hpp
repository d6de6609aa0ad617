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
    std::uint32_t address = 0;  // relative to the loaded image, as all addresses in it
    std::uint32_t size = 0;     // in the file
    std::uint32_t offset = 0;   // in the file
    bool is_code = false;
};

// A table that the system's loader uses; the size is 0 if there is none.
struct PeTable {
    std::uint32_t address = 0;
    std::uint32_t size = 0;
};

// The image of a file. All functions throw FileError for a position outside of the file.
class PeImage {
public:
    // Throws for anything but a DLL for x86-64, and for a truncated file.
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

    // Returns the NUL-terminated text that is loaded at this address.
    [[nodiscard]] std::string text(std::uint64_t address) const;

    // Returns the offset in the file of the byte that is loaded at this address.
    [[nodiscard]] std::uint64_t offset_of(std::uint64_t address) const;

private:
    void read_headers(std::uint64_t header);

    std::string content_;
    std::vector<PeSection> sections_;
    PeTable exports_;
    PeTable imports_;
};

}  // namespace ptp::plugin
