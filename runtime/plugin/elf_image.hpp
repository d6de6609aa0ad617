// The loadable bytes of a shared library, with checked access.
#pragma once

#include "plugin/elf.hpp"

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::plugin {

// The image of a file. All functions throw FileError for a position outside of the file.
class ElfImage {
public:
    // Throws for anything but a shared library for this machine, or for a known one, and for a
    // truncated file: the system's own loader would end the process with SIGBUS.
    static ElfImage read(const std::filesystem::path& path, ElfMachine machine = ElfMachine::kHost);

    // Returns the name as in `uname -m`, such as "x86_64".
    [[nodiscard]] const std::string& machine() const { return machine_; }

    [[nodiscard]] const std::vector<Elf64_Phdr>& segments() const { return segments_; }

    [[nodiscard]] std::string_view bytes(std::uint64_t offset, std::uint64_t size) const;

    template <class T>
    [[nodiscard]] T at(std::uint64_t offset) const {
        T value;
        std::memcpy(&value, bytes(offset, sizeof value).data(), sizeof value);
        return value;
    }

    // Returns the NUL-terminated text at `index` of the string table at `table`.
    [[nodiscard]] std::string text(std::uint64_t table, std::uint64_t table_size,
                                   std::uint64_t index) const;

    // Returns the offset in the file of the byte that is loaded at this address.
    [[nodiscard]] std::uint64_t offset_of(std::uint64_t address) const;

private:
    std::string content_;
    std::vector<Elf64_Phdr> segments_;
    std::string machine_;
};

}  // namespace ptp::plugin
