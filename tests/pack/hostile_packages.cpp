#include "pack/hostile_packages.hpp"

#include "base/sha256.hpp"
#include "pack/support.hpp"
#include "ptp-pack/archive.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/core.h>

#include <stdexcept>

namespace ptp::test {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kBlock = 512;

void put(std::string& header, std::size_t at, std::string_view text) {
    header.replace(at, text.size(), text);
}

// POSIX.1-1988, with the "ustar" of 2001: all numbers are octal.
std::string header_of(const TarEntry& entry) {
    std::string header(kBlock, '\0');
    put(header, 0, std::string_view(entry.path).substr(0, 100));
    put(header, 100, "0000644");
    put(header, 108, "0000000");
    put(header, 116, "0000000");
    put(header, 124,
        fmt::format("{:011o}", static_cast<long>(entry.content.size()) + entry.extra_size));
    put(header, 136, "00000000000");
    put(header, 148, "        ");
    header[156] = entry.type;
    put(header, 157, entry.link);
    put(header, 257, std::string_view("ustar\00000", 8));
    unsigned sum = 0;
    for (const char c : header) {
        sum += static_cast<unsigned char>(c);
    }
    put(header, 148, fmt::format("{:06o}", sum));
    header[154] = '\0';
    return header;
}

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

std::string tar_of(const std::vector<TarEntry>& entries) {
    std::string tar;
    for (const TarEntry& entry : entries) {
        tar += header_of(entry) + entry.content;
        tar.resize((tar.size() + kBlock - 1) / kBlock * kBlock);
    }
    return tar + std::string(2 * kBlock, '\0');
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
