#include "plugin/elf.hpp"

#include "base/sha256.hpp"
#include "plugin/elf_image.hpp"

#include <ptp/abi.h>

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>

namespace ptp::plugin {

namespace {

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

// Returns whether the table of names has this one. The loader knows the symbol that it belongs to.
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

// SHA-256 of the segments that are loaded with all of these flags, in 64 digits. Of a segment these
// are left out: the headers of the file, notes, the dynamic section and its table of names.
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

ElfFile read_elf(const std::filesystem::path& path, ElfMachine machine) {
    const ElfImage image = ElfImage::read(path, machine);
    ElfFile file;
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
    if (std::ranges::find(file.notes, kNoteOwner, &ElfNote::owner) != file.notes.end()) {
        file.loaded_hash = hash_of_loaded(image, dynamic, 0);
        file.code_hash = hash_of_loaded(image, dynamic, PF_X);
    }
    return file;
}

}  // namespace ptp::plugin
