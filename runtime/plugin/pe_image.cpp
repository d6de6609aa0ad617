#include "plugin/pe_image.hpp"

#include "base/file_error.hpp"
#include "base/input_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace ptp::plugin {

namespace {

constexpr std::string_view kDosMagic = "MZ";
constexpr std::string_view kPeMagic{"PE\0\0", 4};
constexpr std::size_t kPlaceOfHeader = 0x3c;  // position of the header's offset
constexpr std::size_t kDosHeaderSize = 0x40;

// Offsets from the magic "PE".
constexpr std::uint64_t kMachine = 4;
constexpr std::uint64_t kSectionCount = 6;
constexpr std::uint64_t kOptionalSize = 20;
constexpr std::uint64_t kFlags = 22;
constexpr std::uint64_t kOptional = 24;
// Offsets from the optional header of a 64-bit image.
constexpr std::uint64_t kTableCount = 108;
constexpr std::uint64_t kTables = 112;

constexpr std::uint16_t kX86 = 0x8664;
constexpr std::uint16_t kX86Of32Bits = 0x014c;
constexpr std::uint16_t kArm = 0xaa64;
constexpr std::uint16_t kIsDll = 0x2000;
constexpr std::uint16_t kHas64Bits = 0x020b;
constexpr std::uint32_t kIsExecutable = 0x2000'0000;
constexpr std::uint64_t kSectionHeaderSize = 40;
constexpr std::size_t kSectionNameSize = 8;
constexpr std::uint16_t kMaxPeSections = 96;  // the system's own limit
constexpr std::uint64_t kMaxPeSize = std::uint64_t{1} << 31U;
constexpr std::size_t kMaxPeName = 65'536;

std::string pe_machine_name(std::uint16_t machine) {
    switch (machine) {
        case kX86:
            return "x86-64";
        case kX86Of32Bits:
            return "32-bit x86";
        case kArm:
            return "aarch64";
        default:
            return fmt::format("machine {:#x}", machine);
    }
}

std::string shown_beginning(std::string_view content) {
    std::string shown(content.substr(0, 7));
    std::ranges::replace_if(
        shown, [](char c) { return c < 0x20 || c > 0x7e; }, '.');
    return shown;
}

void check_magic(std::string_view content) {
    if (content.empty()) {
        throw UnfinishedFile("is empty");
    }
    if (!content.starts_with(kDosMagic)) {
        const std::string reason =
            fmt::format("is not a DLL: it begins with '{}'", shown_beginning(content));
        // Some linkers write into a file that already has its final size, but is still blank.
        if (content.substr(0, kDosHeaderSize).find_first_not_of('\0') == std::string_view::npos ||
            kDosMagic.starts_with(content)) {
            throw UnfinishedFile(reason);
        }
        throw FileError(reason);
    }
    if (content.size() < kDosHeaderSize) {
        throw UnfinishedFile(
            fmt::format("is cut off: its header alone has {} bytes, the file has {}",
                        kDosHeaderSize, content.size()));
    }
}

void check_promise(std::uint64_t promised, std::uint64_t present) {
    if (promised > present) {
        throw UnfinishedFile(fmt::format(
            "is cut off: its header promises {} bytes, the file has {}", promised, present));
    }
}

}  // namespace

PeImage PeImage::read(const std::filesystem::path& path) {
    const InputFile file(path);
    if (file.size() > kMaxPeSize) {
        throw FileError(fmt::format("has {} bytes, more than {}", file.size(), kMaxPeSize));
    }
    PeImage image;
    image.content_ = file.read(0, file.size());
    check_magic(image.content_);
    const auto header = image.at<std::uint32_t>(kPlaceOfHeader);
    check_promise(header + kOptional + kTables, image.content_.size());
    if (image.bytes(header, kPeMagic.size()) != kPeMagic) {
        throw FileError("is not a DLL but another kind of program for Windows or DOS");
    }
    image.read_headers(header);
    return image;
}

void PeImage::read_headers(std::uint64_t header) {
    const auto machine = at<std::uint16_t>(header + kMachine);
    if (machine != kX86) {
        throw FileError(fmt::format("is built for {}, this host is {}", pe_machine_name(machine),
                                    pe_machine_name(kX86)));
    }
    if ((at<std::uint16_t>(header + kFlags) & kIsDll) == 0) {
        throw FileError("is not a shared library but a program");
    }
    const auto section_count = at<std::uint16_t>(header + kSectionCount);
    const auto table_count = at<std::uint32_t>(header + kOptional + kTableCount);
    if (at<std::uint16_t>(header + kOptional) != kHas64Bits || section_count == 0 ||
        section_count > kMaxPeSections || table_count < 2) {
        throw FileError("is damaged: it has no readable table of sections");
    }
    exports_ = at<PeTable>(header + kOptional + kTables);
    imports_ = at<PeTable>(header + kOptional + kTables + sizeof(PeTable));
    std::uint64_t place = header + kOptional + at<std::uint16_t>(header + kOptionalSize);
    check_promise(place + section_count * kSectionHeaderSize, content_.size());
    for (std::uint16_t i = 0; i < section_count; ++i, place += kSectionHeaderSize) {
        const std::string_view name = bytes(place, kSectionNameSize);
        const auto loaded_size = at<std::uint32_t>(place + 8);
        const auto file_size = at<std::uint32_t>(place + 16);
        PeSection section{.name = std::string(name.substr(0, name.find('\0'))),
                          .address = at<std::uint32_t>(place + 12),
                          .size = std::min(loaded_size, file_size),
                          .offset = at<std::uint32_t>(place + 20),
                          .is_code = (at<std::uint32_t>(place + 36) & kIsExecutable) != 0};
        check_promise(std::uint64_t{section.offset} + section.size, content_.size());
        sections_.push_back(std::move(section));
    }
}

std::string_view PeImage::bytes(std::uint64_t offset, std::uint64_t size) const {
    if (offset > content_.size() || size > content_.size() - offset) {
        throw FileError("is damaged: it refers to a place outside itself");
    }
    return std::string_view(content_).substr(offset, size);
}

std::string PeImage::text(std::uint64_t address) const {
    const std::string_view rest =
        std::string_view(content_).substr(offset_of(address), kMaxPeName + 1);
    const std::size_t end = rest.find('\0');
    if (end == std::string_view::npos) {
        throw FileError("is damaged: it has a name without an end");
    }
    return std::string(rest.substr(0, end));
}

std::uint64_t PeImage::offset_of(std::uint64_t address) const {
    for (const PeSection& section : sections_) {
        if (address >= section.address && address - section.address < section.size) {
            return section.offset + (address - section.address);
        }
    }
    throw FileError("is damaged: it refers to an address that is not loaded");
}

}  // namespace ptp::plugin
