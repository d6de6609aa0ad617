#include "plugin/elf.hpp"

#include "plugin/code_hash.hpp"
#include "plugin/elf_image.hpp"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>

namespace ptp::plugin {

namespace {

// Far beyond what any library needs; with them the time to read a file has a bound.
constexpr std::uint64_t kMaxSymbols = 1'000'000;
constexpr std::uint64_t kMaxNameBytes = std::uint64_t{256} << 20U;  // of all symbols
constexpr std::size_t kMaxNeeded = 1'000;
constexpr std::size_t kMaxNotes = 1'000;
constexpr std::uint64_t kMaxNoteBytes = std::uint64_t{64} << 20U;  // of all notes

// The dynamic section: where the tables that the loader uses are, as addresses.
struct Dynamic {
    std::uint64_t strings = 0;
    std::uint64_t strings_size = 0;
    std::uint64_t symbols = 0;
    std::uint64_t gnu_hash = 0;
    std::uint64_t hash = 0;
    std::vector<std::uint64_t> needed;  // offsets in `strings`
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
                case DT_SYMTAB:
                    found.symbols = entry.d_un.d_ptr;
                    break;
                case DT_GNU_HASH:
                    found.gnu_hash = entry.d_un.d_ptr;
                    break;
                case DT_HASH:
                    found.hash = entry.d_un.d_ptr;
                    break;
                case DT_NEEDED:
                    if (found.needed.size() == kMaxNeeded) {
                        throw FileError("is damaged: it needs too many libraries");
                    }
                    found.needed.push_back(entry.d_un.d_val);
                    break;
                default:
                    break;
            }
        }
    }
    return found;
}

// The number of symbols is nowhere written: it is one more than the last that the hash table lists.
std::uint64_t count_by_gnu_hash(const ElfImage& image, std::uint64_t address) {
    const std::uint64_t table = image.offset_of(address);
    const auto bucket_count = image.at<std::uint32_t>(table);
    const auto first_symbol = image.at<std::uint32_t>(table + 4);
    const auto bloom_words = image.at<std::uint32_t>(table + 8);
    const std::uint64_t buckets = table + 16 + std::uint64_t{bloom_words} * 8;
    const std::uint64_t chains = buckets + std::uint64_t{bucket_count} * 4;
    std::uint64_t last = 0;
    for (std::uint64_t i = 0; i < bucket_count; ++i) {
        last = std::max<std::uint64_t>(last, image.at<std::uint32_t>(buckets + i * 4));
    }
    if (last < first_symbol) {
        return first_symbol;
    }
    while ((image.at<std::uint32_t>(chains + (last - first_symbol) * 4) & 1u) == 0) {
        ++last;
    }
    return last + 1;
}

std::uint64_t count_symbols(const ElfImage& image, const Dynamic& dynamic) {
    if (dynamic.hash != 0) {
        return image.at<std::uint32_t>(image.offset_of(dynamic.hash) + 4);
    }
    return dynamic.gnu_hash != 0 ? count_by_gnu_hash(image, dynamic.gnu_hash) : 0;
}

void read_symbols(const ElfImage& image, const Dynamic& dynamic, ElfFile& out) {
    const std::uint64_t count = count_symbols(image, dynamic);
    if (count > kMaxSymbols) {
        throw FileError("is damaged: its table of symbols is out of all proportion");
    }
    if (count == 0) {
        return;
    }
    const std::uint64_t symbols = image.offset_of(dynamic.symbols);
    const std::uint64_t strings = image.offset_of(dynamic.strings);
    std::uint64_t name_bytes = 0;
    for (std::uint64_t i = 1; i < count; ++i) {
        const auto symbol = image.at<Elf64_Sym>(symbols + i * sizeof(Elf64_Sym));
        const int binding = ELF64_ST_BIND(symbol.st_info);
        if (binding == STB_LOCAL) {
            continue;
        }
        std::string name = image.text(strings, dynamic.strings_size, symbol.st_name);
        name_bytes += name.size();
        if (name_bytes > kMaxNameBytes) {
            throw FileError("is damaged: the names of its symbols are out of all proportion");
        }
        if (symbol.st_shndx == SHN_UNDEF) {
            out.undefined.push_back(std::move(name));
            continue;
        }
        out.unique_symbol_count += binding == STB_GNU_UNIQUE ? 1 : 0;
        out.exported.push_back(std::move(name));
    }
}

std::uint64_t aligned(std::uint64_t value, std::uint64_t alignment) {
    return (value + alignment - 1) / alignment * alignment;
}

void read_notes(const ElfImage& image, const Elf64_Phdr& segment, std::vector<ElfNote>& out) {
    std::uint64_t bytes = 0;
    for (const ElfNote& note : out) {
        bytes += note.owner.size() + note.content.size();
    }
    const std::uint64_t alignment = segment.p_align == 8 ? 8 : 4;
    std::uint64_t at = 0;
    while (segment.p_filesz - at >= sizeof(Elf64_Nhdr)) {
        const auto header = image.at<Elf64_Nhdr>(segment.p_offset + at);
        const std::uint64_t name = at + sizeof(Elf64_Nhdr);
        const std::uint64_t content = aligned(name + header.n_namesz, alignment);
        const std::uint64_t end = content + header.n_descsz;
        if (end > segment.p_filesz) {
            throw FileError("is damaged: a note in it is longer than its place");
        }
        bytes += header.n_namesz + std::uint64_t{header.n_descsz};
        if (out.size() == kMaxNotes || bytes > kMaxNoteBytes) {
            throw FileError("is damaged: its notes are out of all proportion");
        }
        std::string owner(image.bytes(segment.p_offset + name, header.n_namesz));
        if (!owner.empty() && owner.back() == '\0') {
            owner.pop_back();
        }
        out.push_back(
            {.owner = std::move(owner),
             .type = header.n_type,
             .content = std::string(image.bytes(segment.p_offset + content, header.n_descsz)),
             .offset = segment.p_offset + content});
        at = std::min(aligned(end, alignment), std::uint64_t{segment.p_filesz});
    }
}

}  // namespace

bool ElfFile::exports(std::string_view symbol) const {
    return std::ranges::find(exported, symbol) != exported.end();
}

bool ElfFile::needs(std::string_view library_prefix) const {
    return std::ranges::any_of(
        needed, [&](const std::string& name) { return name.starts_with(library_prefix); });
}

ElfFile read_elf(const std::filesystem::path& path) {
    const ElfImage image = ElfImage::read(path);
    ElfFile file;
    for (const Elf64_Phdr& segment : image.segments()) {
        if (segment.p_type == PT_GNU_STACK && (segment.p_flags & PF_X) != 0) {
            file.has_executable_stack = true;
        }
        if (segment.p_type == PT_NOTE) {
            read_notes(image, segment, file.notes);
        }
    }
    const Dynamic dynamic = read_dynamic(image);
    for (const std::uint64_t name : dynamic.needed) {
        file.needed.push_back(
            image.text(image.offset_of(dynamic.strings), dynamic.strings_size, name));
    }
    read_symbols(image, dynamic, file);
    if (std::ranges::find(file.notes, kNoteOwner, &ElfNote::owner) != file.notes.end()) {
        file.code_hash = code_hash(image, {dynamic.strings, dynamic.strings_size});
    }
    return file;
}

}  // namespace ptp::plugin
