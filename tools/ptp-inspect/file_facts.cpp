#include "file_facts.hpp"

#include "plugin/elf_image.hpp"

#include <elf.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace ptp::inspect {

namespace {

using plugin::ElfImage;

constexpr std::size_t kMaxEntries = 100000;  // of a dynamic section

std::vector<Elf64_Dyn> dynamic_entries(const ElfImage& image) {
    std::vector<Elf64_Dyn> entries;
    for (const Elf64_Phdr& segment : image.segments()) {
        if (segment.p_type != PT_DYNAMIC) {
            continue;
        }
        for (std::uint64_t at = 0;
             at + sizeof(Elf64_Dyn) <= segment.p_filesz && entries.size() < kMaxEntries;
             at += sizeof(Elf64_Dyn)) {
            const auto entry = image.at<Elf64_Dyn>(segment.p_offset + at);
            if (entry.d_tag == DT_NULL) {
                break;
            }
            entries.push_back(entry);
        }
    }
    return entries;
}

// A file without a word about it gets an executable one.
bool asks_for_executable_stack(const ElfImage& image) {
    for (const Elf64_Phdr& segment : image.segments()) {
        if (segment.p_type == PT_GNU_STACK) {
            return (segment.p_flags & PF_X) != 0;
        }
    }
    return true;
}

}  // namespace

FileFacts read_file_facts(const std::filesystem::path& library) {
    const ElfImage image = ElfImage::read(library);
    const std::vector<Elf64_Dyn> entries = dynamic_entries(image);
    FileFacts facts;
    facts.has_executable_stack = asks_for_executable_stack(image);
    facts.changes_code = std::ranges::any_of(entries, [](const Elf64_Dyn& entry) {
        return entry.d_tag == DT_TEXTREL ||
               (entry.d_tag == DT_FLAGS && (entry.d_un.d_val & DF_TEXTREL) != 0);
    });
    return facts;
}

}  // namespace ptp::inspect
