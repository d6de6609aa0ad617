#include "ptp-fetch/unpack.hpp"

#include "base/error.hpp"
#include "base/output_file.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/core.h>

#include <memory>
#include <string_view>
#include <vector>

namespace ptp::fetch {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPieceBytes = 1U << 20U;

class Archive {
public:
    explicit Archive(const fs::path& path)
        : path_(path), archive_(archive_read_new(), archive_read_free), buffer_(kPieceBytes) {
        archive_read_support_filter_gzip(archive_.get());
        archive_read_support_format_tar(archive_.get());
        archive_read_support_format_zip(archive_.get());
        if (archive_read_open_filename(archive_.get(), path.c_str(), kPieceBytes) != ARCHIVE_OK) {
            refuse();
        }
    }

    // The name of the next entry; "" after the last one.
    std::string next() {
        archive_entry* entry = nullptr;
        const int status = archive_read_next_header(archive_.get(), &entry);
        if (status == ARCHIVE_EOF) {
            return "";
        }
        if (status < ARCHIVE_WARN) {
            refuse();
        }
        const char* const name = archive_entry_pathname(entry);
        return name == nullptr ? "?" : name;
    }

    // The entry's content, in a new file under its name.
    void write(const fs::path& to) {
        const fs::path part = to.string() + ".part";
        fs::create_directories(to.parent_path());
        fs::remove(part);
        OutputFile file = OutputFile::create(part);
        for (;;) {
            const la_ssize_t count =
                archive_read_data(archive_.get(), buffer_.data(), buffer_.size());
            if (count < 0) {
                refuse();
            }
            if (count == 0) {
                break;
            }
            file.write(buffer_.data(), static_cast<std::size_t>(count));
        }
        file.finish();
        fs::rename(part, to);
        sync_folder(to.parent_path());
    }

private:
    [[noreturn]] void refuse() const {
        const char* const why = archive_error_string(archive_.get());
        throw RunError(kDataError, fmt::format("{}: cannot be unpacked: {}", path_.string(),
                                               why == nullptr ? "no reason is known" : why));
    }

    fs::path path_;
    std::unique_ptr<archive, int (*)(archive*)> archive_;
    std::vector<char> buffer_;
};

}  // namespace

void unpack(const fs::path& archive, const Members& members) {
    Members left = members;
    Archive opened(archive);
    for (std::string name = opened.next(); !name.empty() && !left.empty(); name = opened.next()) {
        const auto wanted = left.find(name.starts_with("./") ? name.substr(2) : name);
        if (wanted != left.end()) {
            opened.write(wanted->second);
            left.erase(wanted);
        }
    }
    if (!left.empty()) {
        throw RunError(kDataError,
                       fmt::format("{}: has no file '{}'", archive.string(), left.begin()->first));
    }
}

}  // namespace ptp::fetch
