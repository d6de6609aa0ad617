// The bytes of a shared library that would be loaded, with checked access.
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

// All functions throw FileError for a place that is not in the file.
class ElfImage {
public:
    // Refuses what is not a shared library for this machine, or for a known one, and one that is
    // cut off: the system's own loader would end the process with SIGBUS.
    static ElfImage read(const std::filesystem::path& path, ElfMachine machine = ElfMachine::kHost);

    // "x86_64", as `uname -m` has it.
    [[nodiscard]] const std::string& machine() const { return machine_; }

    [[nodiscard]] const std::vector<Elf64_Phdr>& segments() const { return segments_; }

    [[nodiscard]] std::string_view bytes(std::uint64_t offset, std::uint64_t size) const;

    template <class T>
    [[nodiscard]] T at(std::uint64_t offset) const {
        T value;
        std::memcpy(&value, bytes(offset, sizeof value).data(), sizeof value);
        return value;
    }

    // The NUL-terminated text at `index` of the table of strings at `table`.
    [[nodiscard]] std::string text(std::uint64_t table, std::uint64_t table_size,
                                   std::uint64_t index) const;

    // Where in the file the byte lies that would be loaded at this address.
    [[nodiscard]] std::uint64_t offset_of(std::uint64_t address) const;

private:
    std::string content_;
    std::vector<Elf64_Phdr> segments_;
    std::string machine_;
};

}  // namespace ptp::plugin
