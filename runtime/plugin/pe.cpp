#include "plugin/pe.hpp"

#include "base/sha256.hpp"
#include "plugin/pe_image.hpp"

#include <ptp/abi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace ptp::plugin {

namespace {

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
    const PeImage image = PeImage::read(path);
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
    return names_in(PeImage::read(pe_file));
}

}  // namespace ptp::plugin
