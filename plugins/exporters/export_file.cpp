// Writes at a known position, and continues a file only if its content is that of the checkpoint.

#include "export_file.hpp"

#include <result_files.hpp>

#include <ptp/error.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>

namespace {

[[noreturn]] void fail(const std::filesystem::path& path, int reason = errno) {
    throw ptp::SystemError(std::errc(reason), "cannot write ", path);
}

using ptp::support::Descriptor;

// Returns -1 if the size is unknown.
int64_t size_of(int file) {
    struct stat status {};
    return fstat(file, &status) == 0 ? int64_t{status.st_size} : -1;
}

// Returns false if the file cannot be truncated: a device.
bool cut(const Descriptor& file, uint64_t size) {
    return ftruncate(file.get(), static_cast<off_t>(size)) == 0;
}

}  // namespace

void ExportFile::require_size(int file) const {
    const int64_t found = size_of(file);
    if (found != static_cast<int64_t>(size_)) {
        throw ptp::DataError(path(), ": has ", found, " bytes, was left with ", size_,
                             ": another program writes it too; set another filename");
    }
}

void ExportFile::write(std::string_view bytes, uint64_t at) {
    const bool is_new = size_ == 0;
    const Descriptor file =
        ptp::support::open_below(folder_, name_, O_WRONLY | (is_new ? O_CREAT | O_TRUNC : 0));
    if (file.get() < 0) {
        fail(path());
    }
    require_size(file.get());
    for (uint64_t done = 0; done < bytes.size();) {
        const ssize_t written = pwrite(file.get(), bytes.data() + done, bytes.size() - done,
                                       static_cast<off_t>(at + done));
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written <= 0) {
            const int reason = errno;
            cut(file, size_);  // half a line would be read as a whole one
            fail(path(), reason);
        }
        done += static_cast<uint64_t>(written);
    }
    size_ = std::max<uint64_t>(size_, at + bytes.size());
}

void ExportFile::sync() const {
    if (size_ == 0) {
        return;
    }
    const Descriptor file = ptp::support::open_below(folder_, name_, O_WRONLY);
    if (file.get() < 0) {
        fail(path());
    }
    require_size(file.get());  // another program may have emptied it
    while (fsync(file.get()) != 0) {
        if (errno != EINTR) {
            fail(path());
        }
    }
}

uint64_t ExportFile::hash_of(std::string_view bytes, uint64_t hash) {
    constexpr uint64_t kPrime = 0x100000001b3;
    for (const char byte : bytes) {
        hash = (hash ^ static_cast<unsigned char>(byte)) * kPrime;
    }
    return hash;
}

uint64_t ExportFile::hash_in_file(const Saved& saved) const {
    const Descriptor file = ptp::support::open_below(folder_, name_, O_RDONLY);
    std::string piece(std::size_t{1} << 16U, '\0');
    uint64_t hash = kFirstHash;
    for (uint64_t done = saved.header_size; done < saved.size;) {
        const ssize_t count =
            pread(file.get(), piece.data(), std::min<uint64_t>(piece.size(), saved.size - done),
                  static_cast<off_t>(done));
        if (count <= 0 && errno != EINTR) {
            throw ptp::DataError("cannot continue with ", path(), ": it cannot be read whole");
        }
        hash = hash_of(std::string_view(piece).substr(
                           0, static_cast<std::size_t>(std::max<ssize_t>(count, 0))),
                       hash);
        done += static_cast<uint64_t>(std::max<ssize_t>(count, 0));
    }
    return hash;
}

// An .npy file of version 1 states the size of its header after its first 8 bytes; other files
// have none.
uint64_t ExportFile::header_size_in_file() const {
    const Descriptor file = ptp::support::open_below(folder_, name_, O_RDONLY);
    std::array<unsigned char, 10> begin{};
    const bool is_npy = pread(file.get(), begin.data(), begin.size(), 0) == ssize_t{begin.size()} &&
                        std::memcmp(begin.data(), "\x93NUMPY", 6) == 0;
    return is_npy ? begin.size() + begin[8] + (uint64_t{begin[9]} << 8U) : 0;
}

bool ExportFile::go_on_after(const Saved& saved) {
    size_ = 0;
    header_size_ = 0;
    hash_ = kFirstHash;
    const Descriptor file = ptp::support::open_below(folder_, name_, O_WRONLY);
    if (file.get() < 0 && errno == ENOENT) {
        return false;
    }
    if (file.get() < 0) {
        fail(path());
    }
    if (size_of(file.get()) < static_cast<int64_t>(saved.size)) {
        throw ptp::DataError("cannot continue with ", path(), ": it has ", size_of(file.get()),
                             " bytes, had ", saved.size, " when the checkpoint was written");
    }
    const uint64_t header_size = saved.hash ? saved.header_size : header_size_in_file();
    const uint64_t hash = hash_in_file({saved.size, header_size});
    if (saved.hash && *saved.hash != hash) {
        throw ptp::DataError(
            "cannot continue with ", path(), ": its first ", saved.size,
            " bytes are not those that were there when the checkpoint was written");
    }
    if (!cut(file, saved.size)) {
        fail(path());
    }
    size_ = saved.size;
    header_size_ = header_size;
    hash_ = hash;
    return true;
}
