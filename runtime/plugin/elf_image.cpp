#include "plugin/elf_image.hpp"

#include "base/input_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace ptp::plugin {

namespace {

#if defined(__x86_64__)
constexpr std::uint16_t kHostMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr std::uint16_t kHostMachine = EM_AARCH64;
#elif defined(__riscv) && __riscv_xlen == 64
constexpr std::uint16_t kHostMachine = EM_RISCV;
#elif defined(__powerpc64__)
constexpr std::uint16_t kHostMachine = EM_PPC64;
#else
#error "Plugins are read on 64-bit machines only; add this one's number of <elf.h>"
#endif

constexpr std::uint64_t kMaxSize = std::uint64_t{1} << 31;
constexpr std::uint16_t kMaxSegments = 128;
constexpr std::size_t kMaxNameLength = 65'536;

std::string machine_name(std::uint16_t machine) {
    switch (machine) {
        case EM_X86_64:
            return "x86-64";
        case EM_386:
            return "32-bit x86";
        case EM_AARCH64:
            return "aarch64";
        case EM_ARM:
            return "32-bit ARM";
        case EM_RISCV:
            return "RISC-V";
        case EM_PPC64:
            return "ppc64";
        case EM_S390:
            return "s390";
        default:
            return fmt::format("machine {}", machine);
    }
}

// Returns the name as in `uname -m`; "" for a machine that ptp is not built for.
std::string system_name(std::uint16_t machine) {
    switch (machine) {
        case EM_X86_64:
            return "x86_64";
        case EM_AARCH64:
            return "aarch64";
        case EM_RISCV:
            return "riscv64";
        case EM_PPC64:
            return "ppc64le";
        default:
            return "";
    }
}

std::string_view elf_type_name(std::uint16_t type) {
    switch (type) {
        case ET_REL:
            return "an object file";
        case ET_EXEC:
            return "a program";
        case ET_CORE:
            return "a core dump";
        default:
            return "something else";
    }
}

std::string beginning(std::string_view content) {
    std::string shown(content.substr(0, 7));
    std::ranges::replace_if(
        shown, [](char c) { return c < 0x20 || c > 0x7e; }, '.');
    return shown;
}

// Assumes the host's byte order: all machines above run little-endian systems.
void check_header(std::string_view head, const Elf64_Ehdr& header, ElfMachine machine) {
    const std::string_view magic(ELFMAG, SELFMAG);
    if (!head.starts_with(magic)) {
        const std::string reason =
            fmt::format("is not an ELF file: it begins with '{}'", beginning(head));
        // Some linkers write into a file that already has its final size, but is still blank.
        const bool is_blank = head.find_first_not_of('\0') == std::string_view::npos;
        if (is_blank || magic.starts_with(head)) {
            throw UnfinishedFile(reason);
        }
        throw FileError(reason);
    }
    if (head.size() < sizeof(Elf64_Ehdr)) {
        throw UnfinishedFile(
            fmt::format("is cut off: its header alone has {} bytes, the file has {}",
                        sizeof(Elf64_Ehdr), head.size()));
    }
    if (header.e_ident[EI_CLASS] == ELFCLASS32) {
        throw FileError(fmt::format("is built for a 32-bit machine, this host is {}",
                                    machine_name(kHostMachine)));
    }
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB) {
        throw FileError("is an ELF file of another byte order, or damaged");
    }
    const bool is_readable = machine == ElfMachine::kAny ? !system_name(header.e_machine).empty()
                                                         : header.e_machine == kHostMachine;
    if (!is_readable) {
        throw FileError(fmt::format("is built for {}, this host is {}",
                                    machine_name(header.e_machine), machine_name(kHostMachine)));
    }
    if (header.e_type != ET_DYN) {
        throw FileError(
            fmt::format("is not a shared library but {}", elf_type_name(header.e_type)));
    }
    if (header.e_phentsize != sizeof(Elf64_Phdr) || header.e_phnum == 0 ||
        header.e_phnum > kMaxSegments) {
        throw FileError("is damaged: it has no readable table of segments");
    }
}

void check_promised_size(std::uint64_t promised, std::uint64_t present) {
    if (promised > present) {
        throw UnfinishedFile(fmt::format(
            "is cut off: its header promises {} bytes, the file has {}", promised, present));
    }
}

// Returns a + b, or the largest number on overflow.
std::uint64_t saturating_sum(std::uint64_t a, std::uint64_t b) {
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

}  // namespace

ElfImage ElfImage::read(const std::filesystem::path& path, ElfMachine machine) {
    InputFile file(path);
    const std::string head = file.read(0, sizeof(Elf64_Ehdr));
    if (file.size() == 0) {
        throw UnfinishedFile("is empty");
    }
    Elf64_Ehdr header{};
    std::memcpy(&header, head.data(), std::min(head.size(), sizeof header));
    check_header(head, header, machine);

    const std::uint64_t table_size = std::uint64_t{header.e_phnum} * sizeof(Elf64_Phdr);
    const std::uint64_t table_end = saturating_sum(header.e_phoff, table_size);
    check_promised_size(table_end, file.size());
    check_promised_size(
        saturating_sum(header.e_shoff, std::uint64_t{header.e_shnum} * header.e_shentsize),
        file.size());

    ElfImage image;
    image.machine_ = system_name(header.e_machine);
    image.content_ = file.read(0, table_end);
    std::uint64_t end = table_end;
    for (std::uint64_t i = 0; i < header.e_phnum; ++i) {
        image.segments_.push_back(image.at<Elf64_Phdr>(header.e_phoff + i * sizeof(Elf64_Phdr)));
        const Elf64_Phdr& segment = image.segments_.back();
        end = std::max(end, saturating_sum(segment.p_offset, segment.p_filesz));
    }
    check_promised_size(end, file.size());
    if (end > kMaxSize) {
        throw FileError(fmt::format("has {} bytes to load, more than {}", end, kMaxSize));
    }
    image.content_ = file.read(0, end);
    return image;
}

std::string_view ElfImage::bytes(std::uint64_t offset, std::uint64_t size) const {
    if (offset > content_.size() || size > content_.size() - offset) {
        throw FileError("is damaged: it refers to a place outside itself");
    }
    return std::string_view(content_).substr(offset, size);
}

std::string ElfImage::text(std::uint64_t table, std::uint64_t table_size,
                           std::uint64_t index) const {
    if (index >= table_size) {
        throw FileError("is damaged: it refers to a name outside its table of names");
    }
    const std::string_view rest = bytes(table, table_size).substr(index, kMaxNameLength + 1);
    const std::size_t end = rest.find('\0');
    if (end == std::string_view::npos && rest.size() > kMaxNameLength) {
        throw FileError("is damaged: it has a name without an end");
    }
    if (end == std::string_view::npos) {
        throw FileError("is damaged: its table of names has no end");
    }
    return std::string(rest.substr(0, end));
}

std::uint64_t ElfImage::offset_of(std::uint64_t address) const {
    for (const Elf64_Phdr& segment : segments_) {
        if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
            address - segment.p_vaddr < segment.p_filesz) {
            return segment.p_offset + (address - segment.p_vaddr);
        }
    }
    throw FileError("is damaged: it refers to an address that is not loaded");
}

}  // namespace ptp::plugin
