#include "pack/hostile_packages.hpp"

#include "base/sha256.hpp"
#include "pack/support.hpp"
#include "ptp-pack/archive.hpp"

#include <archive.h>
#include <archive_entry.h>

#include <stdexcept>

namespace ptp::test {

namespace fs = std::filesystem;

namespace {

la_ssize_t append_to_text(archive* /*writer*/, void* text, const void* bytes, std::size_t size) {
    static_cast<std::string*>(text)->append(static_cast<const char*>(bytes), size);
    return static_cast<la_ssize_t>(size);
}

}  // namespace

void Parts::add(const std::string& path, const std::string& content) {
    manifest.files.push_back({path, sha256(content), static_cast<std::int64_t>(content.size())});
    entries.push_back({path, content});
}

Parts parts_of(const fs::path& package) {
    const TempFolder temp;
    pack::PackageFile file(package, package.string());
    Parts parts{file.manifest(), {}};
    file.unpack([&](const pack::PackedFile& one) { return temp.path() / one.path; });
    for (const pack::PackedFile& one : parts.manifest.files) {
        parts.entries.push_back({one.path, temp.read(one.path)});
    }
    return parts;
}

std::string tar_of(const Parts& parts) {
    std::vector<TarEntry> entries = {{pack::kManifestFile, pack::text_of(parts.manifest)}};
    entries.insert(entries.end(), parts.entries.begin(), parts.entries.end());
    return tar_of(entries);
}

std::string compressed(const std::string& bytes) {
    std::string text;
    archive* const writer = archive_write_new();
    archive_write_set_format_raw(writer);
    archive_write_add_filter_zstd(writer);
    archive_write_set_bytes_in_last_block(writer, 1);
    archive_entry* const entry = archive_entry_new();
    archive_entry_set_pathname(entry, "x");
    archive_entry_set_filetype(entry, AE_IFREG);
    const bool is_done =
        archive_write_open(writer, &text, nullptr, append_to_text, nullptr) == ARCHIVE_OK &&
        archive_write_header(writer, entry) == ARCHIVE_OK &&
        archive_write_data(writer, bytes.data(), bytes.size()) ==
            static_cast<la_ssize_t>(bytes.size()) &&
        archive_write_close(writer) == ARCHIVE_OK;
    archive_entry_free(entry);
    archive_write_free(writer);
    if (!is_done) {
        throw std::runtime_error("libarchive cannot compress");
    }
    return text;
}

}  // namespace ptp::test
