// Reads a DLL: its sections, the tables of its imports and exports, and the note in a section.
// https://learn.microsoft.com/en-us/windows/win32/debug/pe-format

#include "plugin/library_file.hpp"

#include "base/file_error.hpp"
#include "base/input_file.hpp"
#include "base/sha256.hpp"

#include <ptp/abi.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::plugin {

namespace {

struct PeSection {
    std::string name;           // ".text"
    std::uint32_t address = 0;  // relative to the loaded image, as all addresses in it
    std::uint32_t size = 0;     // in the file
    std::uint32_t offset = 0;   // in the file
    bool is_code = false;
};

// A table that the system's loader uses; the size is 0 if there is none.
struct PeTable {
    std::uint32_t address = 0;
    std::uint32_t size = 0;
};

constexpr std::string_view kDosMagic = "MZ";
constexpr std::string_view kPeMagic{"PE\0\0", 4};
constexpr std::size_t kPlaceOfHeader = 0x3c;  // position of the header's offset
constexpr std::size_t kDosHeaderSize = 0x40;

// The offsets from the magic "PE".
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
    return machine == kX86Of32Bits ? "32-bit x86"
           : machine == kArm       ? "aarch64"
                                   : fmt::format("machine {:#x}", machine);
}

// The bytes of a DLL.
class PeImage : public LibraryImage {
public:
    // Throws for anything but a DLL for x86-64, and for a truncated file.
    explicit PeImage(const std::filesystem::path& path) {
        const InputFile file(path);
        if (file.size() > kMaxPeSize) {
            throw FileError(fmt::format("has {} bytes, more than {}", file.size(), kMaxPeSize));
        }
        content_ = file.read(0, file.size());
        check_beginning(kDosMagic, kDosHeaderSize, "a DLL");
        const auto header = at<std::uint32_t>(kPlaceOfHeader);
        check_whole(header + kOptional + kTables, content_.size());
        if (bytes(header, kPeMagic.size()) != kPeMagic) {
            throw FileError("is not a DLL but another kind of program for Windows or DOS");
        }
        read_headers(header);
    }

    [[nodiscard]] const std::vector<PeSection>& sections() const { return sections_; }
    [[nodiscard]] const PeTable& exports() const { return exports_; }
    [[nodiscard]] const PeTable& imports() const { return imports_; }

    // Returns the NUL-terminated text that is loaded at this address.
    [[nodiscard]] std::string text(std::uint64_t address) const {
        return name_in(std::string_view(content_).substr(offset_of(address), kMaxPeName + 1));
    }

    // Returns the offset in the file of the byte that is loaded at this address.
    [[nodiscard]] std::uint64_t offset_of(std::uint64_t address) const {
        for (const PeSection& section : sections_) {
            if (address >= section.address && address - section.address < section.size) {
                return section.offset + (address - section.address);
            }
        }
        throw FileError("is damaged: it refers to an address that is not loaded");
    }

private:
    void read_headers(std::uint64_t header);

    std::vector<PeSection> sections_;
    PeTable exports_;
    PeTable imports_;
};

void PeImage::read_headers(std::uint64_t header) {
    const auto machine = at<std::uint16_t>(header + kMachine);
    if (machine != kX86) {
        throw FileError(
            fmt::format("is built for {}, this host is x86-64", pe_machine_name(machine)));
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
    check_whole(place + section_count * kSectionHeaderSize, content_.size());
    for (std::uint16_t i = 0; i < section_count; ++i, place += kSectionHeaderSize) {
        const std::string_view name = bytes(place, kSectionNameSize);
        const auto loaded_size = at<std::uint32_t>(place + 8);
        const auto file_size = at<std::uint32_t>(place + 16);
        PeSection section{.name = std::string(name.substr(0, name.find('\0'))),
                          .address = at<std::uint32_t>(place + 12),
                          .size = std::min(loaded_size, file_size),
                          .offset = at<std::uint32_t>(place + 20),
                          .is_code = (at<std::uint32_t>(place + 36) & kIsExecutable) != 0};
        check_whole(std::uint64_t{section.offset} + section.size, content_.size());
        sections_.push_back(std::move(section));
    }
}

// Limits far beyond the needs of any library, which bound the time to read a file.
constexpr std::size_t kMaxImports = 1'000;
constexpr std::uint32_t kMaxExports = 65'536;

constexpr std::uint64_t kImportSize = 20;     // of an entry in the table of imports
constexpr std::uint64_t kNameOfImport = 12;   // within an entry
constexpr std::uint64_t kExportedCount = 24;  // in the table of exports
constexpr std::uint64_t kExportedNames = 32;

std::vector<std::string> imported_libraries(const PeImage& image) {
    std::vector<std::string> names;
    if (image.imports().size == 0) {
        return names;
    }
    std::uint64_t at = image.offset_of(image.imports().address);
    while (const auto name = image.at<std::uint32_t>(at + kNameOfImport)) {
        if (names.size() == kMaxImports) {
            throw FileError("is damaged: it needs too many libraries");
        }
        names.push_back(image.text(name));
        at += kImportSize;
    }
    return names;
}

std::vector<std::string> names_in(const PeImage& image) {
    std::vector<std::string> names;
    if (image.exports().size == 0) {
        return names;
    }
    const std::uint64_t table = image.offset_of(image.exports().address);
    const auto count = image.at<std::uint32_t>(table + kExportedCount);
    if (count > kMaxExports) {
        throw FileError("is damaged: it exports too many names");
    }
    if (count == 0) {
        return names;
    }
    const std::uint64_t addresses =
        image.offset_of(image.at<std::uint32_t>(table + kExportedNames));
    for (std::uint64_t i = 0; i < count; ++i) {
        names.push_back(image.text(image.at<std::uint32_t>(addresses + i * sizeof(std::uint32_t))));
    }
    return names;
}

// Returns the SHA-256 of the sections that are loaded as code, in 64 digits.
std::string hash_of_code(const PeImage& image) {
    Sha256 hash;
    for (const PeSection& section : image.sections()) {
        if (section.is_code) {
            hash.add(image.bytes(section.offset, section.size));
        }
    }
    return hash.digits();
}

}  // namespace

LibraryFile read_pe(const std::filesystem::path& path) {
    const PeImage image(path);
    LibraryFile file;
    file.machine = "x86_64";
    file.needed = imported_libraries(image);
    file.has_entry = std::ranges::count(names_in(image), std::string(PTP_ENTRY_SYMBOL)) > 0;
    for (const PeSection& section : image.sections()) {
        if (section.name == kPeNoteSection) {
            constexpr std::uint64_t kAlignment = 4;
            read_notes(image.bytes(section.offset, section.size), section.offset, kAlignment,
                       file.notes);
        }
    }
    if (std::ranges::find(file.notes, kNoteOwner, &LibraryNote::owner) != file.notes.end()) {
        file.code_hash = hash_of_code(image);
    }
    return file;
}

std::vector<std::string> exported_names(const std::filesystem::path& pe_file) {
    return names_in(PeImage(pe_file));
}

}  // namespace ptp::plugin
