// Reads a shared library of Linux: its segments, its dynamic section, its notes and its hashes.

#include "plugin/library_file.hpp"

#include "base/input_file.hpp"
#include "base/sha256.hpp"

#include <ptp/abi.h>

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string_view>

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

struct Machine {
    std::uint16_t number;
    std::string shown;
    std::string system = {};  // as in `uname -m`; "": ptp is not built for it
};

Machine machine_of(std::uint16_t number) {
    for (const Machine& machine :
         {Machine{EM_X86_64, "x86-64", "x86_64"}, Machine{EM_AARCH64, "aarch64", "aarch64"},
          Machine{EM_RISCV, "RISC-V", "riscv64"}, Machine{EM_PPC64, "ppc64", "ppc64le"},
          Machine{EM_386, "32-bit x86"}, Machine{EM_ARM, "32-bit ARM"}, Machine{EM_S390, "s390"}}) {
        if (machine.number == number) {
            return machine;
        }
    }
    return {number, fmt::format("machine {}", number)};
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

// Assumes the host's byte order: all machines above run little-endian systems.
void check_header(const Elf64_Ehdr& header, ElfMachine machine) {
    const std::string host = machine_of(kHostMachine).shown;
    if (header.e_ident[EI_CLASS] == ELFCLASS32) {
        throw FileError(fmt::format("is built for a 32-bit machine, this host is {}", host));
    }
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB) {
        throw FileError("is an ELF file of another byte order, or damaged");
    }
    const Machine built_for = machine_of(header.e_machine);
    if (machine == ElfMachine::kAny ? built_for.system.empty() : built_for.number != kHostMachine) {
        throw FileError(fmt::format("is built for {}, this host is {}", built_for.shown, host));
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

// Returns a + b, or the largest number on overflow.
std::uint64_t saturating_sum(std::uint64_t a, std::uint64_t b) {
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

// The loadable bytes of a shared library, which are read into memory once, so that a file that
// changes meanwhile is harmless.
class ElfImage : public LibraryImage {
public:
    using LibraryImage::name_in;

    // Throws for anything but a shared library for this machine, or for a known one, and for a
    // truncated file: the system's own loader would end the process with SIGBUS.
    ElfImage(const std::filesystem::path& path, ElfMachine machine) {
        InputFile file(path);
        content_ = file.read(0, sizeof(Elf64_Ehdr));
        check_beginning(std::string_view(ELFMAG, SELFMAG), sizeof(Elf64_Ehdr), "an ELF file");
        const auto header = at<Elf64_Ehdr>(0);
        check_header(header, machine);
        const std::uint64_t table_size = std::uint64_t{header.e_phnum} * sizeof(Elf64_Phdr);
        std::uint64_t end = saturating_sum(header.e_phoff, table_size);
        check_whole(end, file.size());
        check_whole(
            saturating_sum(header.e_shoff, std::uint64_t{header.e_shnum} * header.e_shentsize),
            file.size());
        content_ = file.read(0, end);
        for (std::uint64_t i = 0; i < header.e_phnum; ++i) {
            segments_.push_back(at<Elf64_Phdr>(header.e_phoff + i * sizeof(Elf64_Phdr)));
            end =
                std::max(end, saturating_sum(segments_.back().p_offset, segments_.back().p_filesz));
        }
        check_whole(end, file.size());
        if (end > kMaxSize) {
            throw FileError(fmt::format("has {} bytes to load, more than {}", end, kMaxSize));
        }
        content_ = file.read(0, end);
    }

    [[nodiscard]] const std::vector<Elf64_Phdr>& segments() const { return segments_; }

    // Returns the offset in the file of the byte that is loaded at this address.
    [[nodiscard]] std::uint64_t offset_of(std::uint64_t address) const {
        for (const Elf64_Phdr& segment : segments_) {
            if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
                address - segment.p_vaddr < segment.p_filesz) {
                return segment.p_offset + (address - segment.p_vaddr);
            }
        }
        throw FileError("is damaged: it refers to an address that is not loaded");
    }

private:
    std::vector<Elf64_Phdr> segments_;
};

// The entries of the dynamic section, by which the loader finds its tables.
struct Dynamic {
    std::vector<Elf64_Dyn> entries;

    [[nodiscard]] std::vector<std::uint64_t> all(Elf64_Sxword tag) const {
        std::vector<std::uint64_t> values;
        for (const Elf64_Dyn& entry : entries) {
            if (entry.d_tag == tag) {
                values.push_back(entry.d_un.d_val);
            }
        }
        return values;
    }

    // Returns 0 if there is none.
    [[nodiscard]] std::uint64_t one(Elf64_Sxword tag) const {
        const std::vector<std::uint64_t> values = all(tag);
        return values.empty() ? 0 : values.back();
    }
};

Dynamic read_dynamic(const ElfImage& image) {
    // Far beyond what any library needs; with it the time to read a file has a bound.
    constexpr std::size_t kMaxEntries = 2'000;
    Dynamic found;
    for (const Elf64_Phdr& segment : image.segments()) {
        if (segment.p_type != PT_DYNAMIC) {
            continue;
        }
        for (std::uint64_t at = 0; at + sizeof(Elf64_Dyn) <= segment.p_filesz;
             at += sizeof(Elf64_Dyn)) {
            const auto entry = image.at<Elf64_Dyn>(segment.p_offset + at);
            if (entry.d_tag == DT_NULL) {
                break;
            }
            if (found.entries.size() == kMaxEntries) {
                throw FileError("is damaged: its dynamic section is out of all proportion");
            }
            found.entries.push_back(entry);
        }
    }
    return found;
}

// Returns the parts of a list with ':' between. An empty part is the current folder.
void add_parts(const std::string& list, std::vector<std::string>& parts) {
    std::size_t begin = 0;
    while (begin <= list.size()) {
        const std::size_t end = std::min(list.find(':', begin), list.size());
        parts.push_back(list.substr(begin, end - begin));
        begin = end + 1;
    }
}

struct FileRange {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};

FileRange range_of(const Elf64_Phdr& segment) {
    return {segment.p_offset, segment.p_offset + segment.p_filesz};
}

// Returns the table of names; an empty range if there is none.
FileRange range_of_names(const ElfImage& image, const Dynamic& dynamic) {
    const std::uint64_t address = dynamic.one(DT_STRTAB);
    const std::uint64_t begin = address == 0 ? 0 : image.offset_of(address);
    return {begin, begin + (address == 0 ? 0 : dynamic.one(DT_STRSZ))};
}

// The parts that tools change in a linked file, and the place of the seal.
std::vector<FileRange> ranges_to_skip(const ElfImage& image, const FileRange& names) {
    const auto header = image.at<Elf64_Ehdr>(0);
    std::vector<FileRange> ranges = {
        {0, header.e_phoff + std::uint64_t{header.e_phnum} * sizeof(Elf64_Phdr)}};
    for (const Elf64_Phdr& segment : image.segments()) {
        if (segment.p_type == PT_NOTE || segment.p_type == PT_DYNAMIC) {
            ranges.push_back(range_of(segment));
        }
    }
    ranges.push_back(names);
    std::ranges::sort(ranges, {}, &FileRange::begin);
    return ranges;
}

// Returns the SHA-256 of the segments that are loaded with all of these flags, in 64 digits,
// without the headers of the file, notes, the dynamic section and its table of names.
std::string hash_of_loaded(const ElfImage& image, const FileRange& names, std::uint32_t flags) {
    const std::vector<FileRange> skipped = ranges_to_skip(image, names);
    Sha256 hash;
    for (const Elf64_Phdr& segment : image.segments()) {
        if (segment.p_type != PT_LOAD || (segment.p_flags & flags) != flags) {
            continue;
        }
        const FileRange all = range_of(segment);
        std::uint64_t at = all.begin;
        for (const FileRange& skip : skipped) {
            const std::uint64_t end = std::min(skip.begin, all.end);
            if (end > at) {
                hash.add(image.bytes(at, end - at));
            }
            at = std::max(at, std::min(skip.end, all.end));
        }
        hash.add(image.bytes(at, all.end - at));
    }
    return hash.digits();
}

// Adds what the dynamic section says by names of the table `names`.
void read_names(std::string_view names, const Dynamic& dynamic, LibraryFile& file) {
    const auto name_at = [&](std::uint64_t index) {
        if (index >= names.size()) {
            throw FileError("is damaged: it refers to a name outside its table of names");
        }
        return ElfImage::name_in(names.substr(index, kMaxNameLength + 1));
    };
    for (const std::uint64_t name : dynamic.all(DT_NEEDED)) {
        file.needed.push_back(name_at(name));
    }
    for (const Elf64_Sxword tag : {DT_RPATH, DT_RUNPATH}) {
        for (const std::uint64_t list : dynamic.all(tag)) {
            add_parts(name_at(list), file.run_paths);
        }
    }
    const std::vector<std::uint64_t> flags = dynamic.all(DT_FLAGS);
    file.changes_code =
        !dynamic.all(DT_TEXTREL).empty() ||
        std::ranges::any_of(flags, [](std::uint64_t one) { return (one & DF_TEXTREL) != 0; });
    const std::uint64_t own_name = dynamic.one(DT_SONAME);
    file.own_name = own_name != 0 ? name_at(own_name) : "";
    // The loader knows which symbol the name belongs to.
    const std::string entry = fmt::format("{0}{1}{0}", '\0', PTP_ENTRY_SYMBOL);
    file.has_entry = names.find(entry) != std::string_view::npos;
}

}  // namespace

LibraryFile read_elf(const std::filesystem::path& path, ElfMachine machine) {
    const ElfImage image(path, machine);
    LibraryFile file;
    file.machine = machine_of(image.at<Elf64_Ehdr>(0).e_machine).system;
    file.has_executable_stack = true;
    for (const Elf64_Phdr& segment : image.segments()) {
        if (segment.p_type == PT_GNU_STACK) {
            file.has_executable_stack = (segment.p_flags & PF_X) != 0;
        }
        if (segment.p_type == PT_NOTE) {
            read_notes(image.bytes(segment.p_offset, segment.p_filesz), segment.p_offset,
                       segment.p_align == 8 ? 8 : 4, file.notes);
        }
    }
    const Dynamic dynamic = read_dynamic(image);
    const FileRange range = range_of_names(image, dynamic);
    read_names(image.bytes(range.begin, range.end - range.begin), dynamic, file);
    if (std::ranges::find(file.notes, kNoteOwner, &LibraryNote::owner) != file.notes.end()) {
        file.loaded_hash = hash_of_loaded(image, range, 0);
        file.code_hash = hash_of_loaded(image, range, PF_X);
    }
    return file;
}

}  // namespace ptp::plugin
