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

std::uint64_t number_of(const std::vector<Elf64_Dyn>& entries, std::int64_t tag) {
    for (const Elf64_Dyn& entry : entries) {
        if (entry.d_tag == tag) {
            return entry.d_un.d_val;
        }
    }
    return 0;
}

void add_parts(const std::string& list, std::vector<std::string>& parts) {
    std::size_t begin = 0;
    while (begin <= list.size()) {
        const std::size_t end = std::min(list.find(':', begin), list.size());
        parts.push_back(list.substr(begin, end - begin));
        begin = end + 1;
    }
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
    const std::uint64_t size = number_of(entries, DT_STRSZ);
    for (const Elf64_Dyn& entry : entries) {
        const auto text = [&] {
            return image.text(image.offset_of(number_of(entries, DT_STRTAB)), size,
                              entry.d_un.d_val);
        };
        if (entry.d_tag == DT_NEEDED) {
            facts.needed.push_back(text());
        } else if (entry.d_tag == DT_RPATH || entry.d_tag == DT_RUNPATH) {
            add_parts(text(), facts.run_paths);
        } else if (entry.d_tag == DT_TEXTREL ||
                   (entry.d_tag == DT_FLAGS && (entry.d_un.d_val & DF_TEXTREL) != 0)) {
            facts.changes_code = true;
        }
    }
    return facts;
}

}  // namespace ptp::inspect
