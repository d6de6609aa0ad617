#include "engine/pretrained/zip_file.hpp"

#include "base/error.hpp"

#include <fmt/core.h>
#include <zip.h>

namespace ptp::engine {

void ZipFile::Discard::operator()(zip* archive) const {
    zip_discard(archive);
}

void ZipFile::refuse(const std::string& problem) const {
    throw RunError(kDataError, fmt::format("{}: {}", path_.string(), problem));
}

ZipFile::ZipFile(const std::filesystem::path& path) : path_(path) {
    int code = 0;
    archive_.reset(zip_open(path.c_str(), ZIP_RDONLY, &code));
    if (archive_ == nullptr) {
        zip_error_t error;
        zip_error_init_with_code(&error, code);
        const std::string reason = zip_error_strerror(&error);
        zip_error_fini(&error);
        refuse("is damaged or not whole: " + reason);
    }
    const std::uint64_t file_size = std::filesystem::file_size(path);
    const auto count = static_cast<std::uint64_t>(zip_get_num_entries(archive_.get(), 0));
    constexpr zip_uint64_t kNeeded =
        ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD;
    for (std::uint64_t i = 0; i < count; ++i) {
        zip_stat_t found;
        if (zip_stat_index(archive_.get(), i, 0, &found) != 0 ||
            (found.valid & kNeeded) != kNeeded) {
            refuse("is damaged: its list of entries cannot be read");
        }
        const bool is_plain = found.comp_method == ZIP_CM_STORE;
        if (is_plain && (found.size != found.comp_size || found.size > file_size)) {
            refuse(fmt::format("is damaged: '{}' has an impossible size", found.name));
        }
        if (!entries_.emplace(found.name, Entry{i, found.size, is_plain}).second) {
            refuse(fmt::format("is damaged: '{}' is in it twice", found.name));
        }
    }
}

void ZipFile::read(const Entry& entry, void* to) const {
    if (!entry.is_plain) {
        refuse("what is in it is compressed, which PyTorch never does");
    }
    zip_file_t* file = zip_fopen_index(archive_.get(), entry.number, 0);
    if (file == nullptr) {
        refuse(fmt::format("is damaged: {}", zip_strerror(archive_.get())));
    }
    std::uint64_t done = 0;
    zip_int64_t count = 0;
    while (done < entry.size &&
           (count = zip_fread(file, static_cast<char*>(to) + done, entry.size - done)) > 0) {
        done += static_cast<std::uint64_t>(count);
    }
    // The checksum is compared when the end is read.
    char beyond = 0;
    const bool is_whole = done == entry.size && zip_fread(file, &beyond, 1) == 0;
    const std::string reason = zip_file_strerror(file);
    zip_fclose(file);
    if (!is_whole) {
        refuse("is damaged: " + reason);
    }
}

}  // namespace ptp::engine
