// The part of reading a library that ELF and PE share: checked access, unfinished files, notes.

#include "plugin/library_file.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>

namespace ptp::plugin {

namespace {

// Limits far beyond the needs of any library, which bound the time to read a file.
constexpr std::size_t kMaxNotes = 1'000;
constexpr std::uint64_t kMaxNoteBytes = std::uint64_t{64} << 20U;  // of all notes

// The layout of Elf64_Nhdr.
struct NoteHeader {
    std::uint32_t owner_size;
    std::uint32_t content_size;
    std::uint32_t type;
};

std::uint64_t aligned(std::uint64_t value, std::uint64_t alignment) {
    return (value + alignment - 1) / alignment * alignment;
}

}  // namespace

bool LibraryFile::needs(std::string_view library_prefix) const {
    return std::ranges::any_of(
        needed, [&](const std::string& name) { return name.starts_with(library_prefix); });
}

std::string_view LibraryImage::bytes(std::uint64_t offset, std::uint64_t size) const {
    if (offset > content_.size() || size > content_.size() - offset) {
        throw FileError("is damaged: it refers to a place outside itself");
    }
    return std::string_view(content_).substr(offset, size);
}

void LibraryImage::check_whole(std::uint64_t promised, std::uint64_t present) {
    if (promised > present) {
        throw UnfinishedFile(fmt::format(
            "is cut off: its header promises {} bytes, the file has {}", promised, present));
    }
}

void LibraryImage::check_beginning(std::string_view magic, std::size_t header_size,
                                   std::string_view kind) const {
    const std::string_view head = std::string_view(content_).substr(0, header_size);
    if (head.empty()) {
        throw UnfinishedFile("is empty");
    }
    if (!head.starts_with(magic)) {
        std::string beginning(head.substr(0, 7));
        std::ranges::replace_if(
            beginning, [](char c) { return c < 0x20 || c > 0x7e; }, '.');
        const std::string reason = fmt::format("is not {}: it begins with '{}'", kind, beginning);
        // Some linkers write into a file that already has its final size, but is still blank.
        const bool is_blank = head.find_first_not_of('\0') == std::string_view::npos;
        if (is_blank || magic.starts_with(head)) {
            throw UnfinishedFile(reason);
        }
        throw FileError(reason);
    }
    if (head.size() < header_size) {
        throw UnfinishedFile(
            fmt::format("is cut off: its header alone has {} bytes, the file has {}", header_size,
                        head.size()));
    }
}

std::string LibraryImage::name_in(std::string_view bytes) {
    const std::size_t end = bytes.find('\0');
    if (end == std::string_view::npos) {
        throw FileError("is damaged: it has a name without an end");
    }
    return std::string(bytes.substr(0, end));
}

void read_notes(std::string_view bytes, std::uint64_t offset, std::uint64_t alignment,
                std::vector<LibraryNote>& out) {
    std::uint64_t total = 0;
    for (const LibraryNote& note : out) {
        total += note.owner.size() + note.content.size();
    }
    std::uint64_t at = 0;
    while (bytes.size() - at >= sizeof(NoteHeader)) {
        NoteHeader header{};
        std::memcpy(&header, bytes.data() + at, sizeof header);
        const std::uint64_t name = at + sizeof header;
        const std::uint64_t content = aligned(name + header.owner_size, alignment);
        const std::uint64_t end = content + header.content_size;
        if (end > bytes.size()) {
            throw FileError("is damaged: a note in it is longer than its place");
        }
        total += header.owner_size + std::uint64_t{header.content_size};
        if (out.size() == kMaxNotes || total > kMaxNoteBytes) {
            throw FileError("is damaged: its notes are out of all proportion");
        }
        std::string owner(bytes.substr(name, header.owner_size));
        if (!owner.empty() && owner.back() == '\0') {
            owner.pop_back();
        }
        out.push_back({.owner = std::move(owner),
                       .type = header.type,
                       .content = std::string(bytes.substr(content, header.content_size)),
                       .offset = offset + content});
        at = std::min<std::uint64_t>(aligned(end, alignment), bytes.size());
    }
}

}  // namespace ptp::plugin
