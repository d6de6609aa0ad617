#include "base/output_file.hpp"
#include "base/sha256.hpp"
#include "ptp-pack/archive.hpp"
#include "ptp-pack/refuse.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <system_error>

namespace ptp::pack {

namespace {

namespace fs = std::filesystem;

// The callbacks of libarchive. An exception must not pass through it, so it is stored here.
struct ArchiveOutput {
    OutputFile file;
    std::exception_ptr failure;
};

la_ssize_t write_to_output(archive* /*writer*/, void* data, const void* bytes, std::size_t size) {
    auto& output = *static_cast<ArchiveOutput*>(data);
    try {
        output.file.write(bytes, size);
    } catch (...) {
        output.failure = std::current_exception();
        return -1;
    }
    return static_cast<la_ssize_t>(size);
}

class ArchiveWriter {
public:
    explicit ArchiveWriter(const fs::path& path)
        : output_{OutputFile::create(path), nullptr},
          writer_(archive_write_new(), archive_write_free) {
        require(archive_write_set_format_pax_restricted(writer_.get()));
        require(archive_write_add_filter_zstd(writer_.get()));
        require(archive_write_set_options(writer_.get(), "zstd:compression-level=15"));
        require(archive_write_set_bytes_in_last_block(writer_.get(), 1));
        require(archive_write_open(writer_.get(), &output_, nullptr, write_to_output, nullptr));
    }

    void add(const std::string& path, std::string_view content) {
        constexpr int kReadable = 0644;
        const std::unique_ptr<archive_entry, void (*)(archive_entry*)> entry(archive_entry_new(),
                                                                             archive_entry_free);
        archive_entry_set_pathname(entry.get(), path.c_str());
        archive_entry_set_size(entry.get(), static_cast<la_int64_t>(content.size()));
        archive_entry_set_filetype(entry.get(), AE_IFREG);
        archive_entry_set_perm(entry.get(), kReadable);
        archive_entry_set_mtime(entry.get(), 0, 0);
        require(archive_write_header(writer_.get(), entry.get()));
        const la_ssize_t written =
            archive_write_data(writer_.get(), content.data(), content.size());
        if (written != static_cast<la_ssize_t>(content.size())) {
            fail();
        }
    }

    void finish() {
        require(archive_write_close(writer_.get()));
        output_.file.finish();
    }

private:
    void require(int status) {
        if (status != ARCHIVE_OK) {
            fail();
        }
    }

    [[noreturn]] void fail() {
        if (output_.failure) {
            std::rethrow_exception(output_.failure);
        }
        const char* const why = archive_error_string(writer_.get());
        refuse(kTrainingError, {fmt::format("cannot write {}: {}", output_.file.path().string(),
                                            why == nullptr ? "libarchive has failed" : why)});
    }

    ArchiveOutput output_;
    std::unique_ptr<archive, int (*)(archive*)> writer_;
};

void write_to(const fs::path& path, const PackageManifest& manifest,
              const std::vector<ContentFile>& contents) {
    ArchiveWriter writer(path);
    writer.add(kManifestFile, text_of(manifest));
    for (std::size_t i = 0; i < contents.size(); ++i) {
        const std::string content = read_text(contents[i].source);
        if (sha256(content) != manifest.files[i].sha256) {
            refuse(kDataError,
                   {fmt::format("{}: has changed while it was packed", contents[i].source.string()),
                    "try again when nothing writes to it"});
        }
        writer.add(contents[i].path, content);
    }
    writer.finish();
}

// Rejects what ptp-pack install would reject, by the same limits.
void require_readable(const fs::path& made, const std::string& shown) {
    try {
        const PackageFile package(made, shown);
    } catch (const RunError& error) {
        refuse(kDataError, {error.what(), kSmallerPackage});
    }
}

}  // namespace

void write_package(const fs::path& file, const PackageManifest& manifest,
                   const std::vector<ContentFile>& contents) {
    const fs::path made = file.string() + ".new";
    std::error_code error;
    fs::remove(made, error);
    try {
        write_to(made, manifest, contents);
        require_readable(made, file.string());
        fs::rename(made, file, error);
        if (error) {
            refuse(kTrainingError,
                   {fmt::format("cannot write {}: {}", file.string(), error.message())});
        }
    } catch (...) {
        fs::remove(made, error);
        throw;
    }
    sync_folder(file.parent_path());
}

}  // namespace ptp::pack
