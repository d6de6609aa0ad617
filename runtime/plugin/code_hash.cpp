#include "plugin/code_hash.hpp"

#include "base/sha256.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

namespace ptp::plugin {

namespace {

struct FileRange {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};

FileRange range_of(const Elf64_Phdr& segment) {
    return {segment.p_offset, segment.p_offset + segment.p_filesz};
}

// Where code has segments of its own, as with most linkers, none of these lies in one.
std::vector<FileRange> ranges_to_skip(const ElfImage& image, const NameTable& names) {
    const auto header = image.at<Elf64_Ehdr>(0);
    std::vector<FileRange> ranges = {
        {0, header.e_phoff + std::uint64_t{header.e_phnum} * sizeof(Elf64_Phdr)}};
    for (const Elf64_Phdr& segment : image.segments()) {
        if (segment.p_type == PT_NOTE || segment.p_type == PT_DYNAMIC) {
            ranges.push_back(range_of(segment));
        }
    }
    if (names.address != 0) {
        const std::uint64_t offset = image.offset_of(names.address);
        ranges.push_back({offset, offset + names.size});
    }
    std::ranges::sort(ranges, {}, &FileRange::begin);
    return ranges;
}

}  // namespace

std::string code_hash(const ElfImage& image, const NameTable& names) {
    const std::vector<FileRange> skipped = ranges_to_skip(image, names);
    Sha256 hash;
    for (const Elf64_Phdr& segment : image.segments()) {
        if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) {
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

}  // namespace ptp::plugin
