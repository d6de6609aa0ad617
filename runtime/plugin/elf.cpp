// Reads a shared library of Linux: its segments, its dynamic section, its notes and its hashes.

#include "plugin/library_file.hpp"

#include "base/input_file.hpp"
#include "base/sha256.hpp"

#include <ptp/abi.h>

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <optional>
#include <string_view>

namespace ptp::plugin {

namespace {

// The loadable bytes of a shared library, which are read into memory once, so that a file that
// changes meanwhile is harmless.
class ElfImage : public LibraryImage {
public:
    // Throws for anything but a shared library for this machine, or for a known one, and for a
    // truncated file: the system's own loader would end the process with SIGBUS.
    static ElfImage read(const std::filesystem::path& path, ElfMachine machine);

    // Returns the name as in `uname -m`, such as "x86_64".
    [[nodiscard]] const std::string& machine() const { return machine_; }

    [[nodiscard]] const std::vector<Elf64_Phdr>& segments() const { return segments_; }

    // Returns the NUL-terminated text at `index` of the string table at `table`.
    [[nodiscard]] std::string text(std::uint64_t table, std::uint64_t table_size,
                                   std::uint64_t index) const;

    // Returns the offset in the file of the byte that is loaded at this address.
    [[nodiscard]] std::uint64_t offset_of(std::uint64_t address) const;

private:
    static void check_header(std::string_view head, const Elf64_Ehdr& header, ElfMachine machine);

    std::vector<Elf64_Phdr> segments_;
    std::string machine_;
};

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

// Assumes the host's byte order: all machines above run little-endian systems.
void ElfImage::check_header(std::string_view head, const Elf64_Ehdr& header, ElfMachine machine) {
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

// Returns a + b, or the largest number on overflow.
std::uint64_t saturating_sum(std::uint64_t a, std::uint64_t b) {
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

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
    check_promise(table_end, file.size());
    check_promise(
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
    check_promise(end, file.size());
    if (end > kMaxSize) {
        throw FileError(fmt::format("has {} bytes to load, more than {}", end, kMaxSize));
    }
    image.content_ = file.read(0, end);
    return image;
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

// Far beyond what any library needs; with them the time to read a file has a bound.
constexpr std::size_t kMaxNeeded = 1'000;

// The dynamic section: where the tables that the loader uses are, as addresses.
struct Dynamic {
    std::uint64_t strings = 0;
    std::uint64_t strings_size = 0;
    std::vector<std::uint64_t> needed;  // offsets in `strings`, as the next two
    std::vector<std::uint64_t> run_paths;
    std::optional<std::uint64_t> own_name;
    bool changes_code = false;
};

Dynamic read_dynamic(const ElfImage& image) {
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
            switch (entry.d_tag) {
                case DT_STRTAB:
                    found.strings = entry.d_un.d_ptr;
                    break;
                case DT_STRSZ:
                    found.strings_size = entry.d_un.d_val;
                    break;
                case DT_NEEDED:
                    if (found.needed.size() == kMaxNeeded) {
                        throw FileError("is damaged: it needs too many libraries");
                    }
                    found.needed.push_back(entry.d_un.d_val);
                    break;
                case DT_RPATH:
                case DT_RUNPATH:
                    found.run_paths.push_back(entry.d_un.d_val);
                    break;
                case DT_TEXTREL:
                    found.changes_code = true;
                    break;
                case DT_FLAGS:
                    found.changes_code |= (entry.d_un.d_val & DF_TEXTREL) != 0;
                    break;
                case DT_SONAME:
                    found.own_name = entry.d_un.d_val;
                    break;
                default:
                    break;
            }
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

// Returns whether the table of names has this one. The loader knows which symbol it belongs to.
bool has_name(const ElfImage& image, const Dynamic& dynamic, std::string_view name) {
    if (dynamic.strings == 0) {
        return false;
    }
    const std::string whole = fmt::format("{0}{1}{0}", '\0', name);
    return image.bytes(image.offset_of(dynamic.strings), dynamic.strings_size).find(whole) !=
           std::string_view::npos;
}

struct FileRange {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};

FileRange range_of(const Elf64_Phdr& segment) {
    return {segment.p_offset, segment.p_offset + segment.p_filesz};
}

// The parts that tools change in a linked file, and the place of the seal.
std::vector<FileRange> ranges_to_skip(const ElfImage& image, const Dynamic& names) {
    const auto header = image.at<Elf64_Ehdr>(0);
    std::vector<FileRange> ranges = {
        {0, header.e_phoff + std::uint64_t{header.e_phnum} * sizeof(Elf64_Phdr)}};
    for (const Elf64_Phdr& segment : image.segments()) {
        if (segment.p_type == PT_NOTE || segment.p_type == PT_DYNAMIC) {
            ranges.push_back(range_of(segment));
        }
    }
    if (names.strings != 0) {
        const std::uint64_t offset = image.offset_of(names.strings);
        ranges.push_back({offset, offset + names.strings_size});
    }
    std::ranges::sort(ranges, {}, &FileRange::begin);
    return ranges;
}

// Returns the SHA-256 of the segments that are loaded with all of these flags, in 64 digits,
// without the headers of the file, notes, the dynamic section and its table of names.
std::string hash_of_loaded(const ElfImage& image, const Dynamic& names, std::uint32_t flags) {
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

}  // namespace

LibraryFile read_elf(const std::filesystem::path& path, ElfMachine machine) {
    const ElfImage image = ElfImage::read(path, machine);
    LibraryFile file;
    file.machine = image.machine();
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
    const auto text = [&](std::uint64_t name) {
        return image.text(image.offset_of(dynamic.strings), dynamic.strings_size, name);
    };
    std::ranges::transform(dynamic.needed, std::back_inserter(file.needed), text);
    for (const std::uint64_t list : dynamic.run_paths) {
        add_parts(text(list), file.run_paths);
    }
    file.changes_code = dynamic.changes_code;
    file.own_name = dynamic.own_name ? text(*dynamic.own_name) : "";
    file.has_entry = has_name(image, dynamic, PTP_ENTRY_SYMBOL);
    if (std::ranges::find(file.notes, kNoteOwner, &LibraryNote::owner) != file.notes.end()) {
        file.loaded_hash = hash_of_loaded(image, dynamic, 0);
        file.code_hash = hash_of_loaded(image, dynamic, PF_X);
    }
    return file;
}

}  // namespace ptp::plugin
