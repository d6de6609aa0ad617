#include "export_file.hpp"

#include <ptp/error.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <system_error>

namespace {

[[noreturn]] void fail(const std::filesystem::path& path, int reason = errno) {
    throw ptp::SystemError("cannot write ", path, ": ", std::generic_category().message(reason));
}

// Closed when it goes.
class Descriptor {
public:
    Descriptor(const std::filesystem::path& path, int flags)
        : number_(open(path.c_str(), flags | O_CLOEXEC, 0644)) {}
    ~Descriptor() {
        if (number_ >= 0) {
            close(number_);
        }
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;

    bool is_open() const { return number_ >= 0; }
    int number() const { return number_; }

    // -1 if it cannot be known.
    int64_t size() const {
        struct stat status {};
        return fstat(number_, &status) == 0 ? int64_t{status.st_size} : -1;
    }

    // False if it cannot be made shorter: a device.
    bool cut(uint64_t size) const { return ftruncate(number_, static_cast<off_t>(size)) == 0; }

private:
    int number_;
};

}  // namespace

void ExportFile::write(std::string_view bytes, uint64_t at) {
    const bool is_new = size_ == 0;
    if (is_new) {
        std::error_code said_below;
        std::filesystem::create_directories(path_.parent_path(), said_below);
    }
    const Descriptor file(path_, O_WRONLY | (is_new ? O_CREAT | O_TRUNC : 0));
    if (!file.is_open()) {
        fail(path_);
    }
    const int64_t found = file.size();
    if (found != static_cast<int64_t>(size_)) {
        throw ptp::DataError(path_, ": has ", found, " bytes, was left with ", size_,
                             ": another program writes it too; set another filename");
    }
    for (uint64_t done = 0; done < bytes.size();) {
        const ssize_t written = pwrite(file.number(), bytes.data() + done, bytes.size() - done,
                                       static_cast<off_t>(at + done));
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written <= 0) {
            const int reason = errno;
            file.cut(size_);  // half a line would be read as a whole one
            fail(path_, reason);
        }
        done += static_cast<uint64_t>(written);
    }
    size_ = std::max<uint64_t>(size_, at + bytes.size());
}

void ExportFile::sync() const {
    if (size_ == 0) {
        return;
    }
    const Descriptor file(path_, O_WRONLY);
    if (!file.is_open() || fsync(file.number()) != 0) {
        fail(path_);
    }
}

bool ExportFile::go_on_after(uint64_t size) {
    size_ = 0;
    const Descriptor file(path_, O_WRONLY);
    if (!file.is_open() && errno == ENOENT) {
        return false;
    }
    if (!file.is_open()) {
        fail(path_);
    }
    if (file.size() < static_cast<int64_t>(size)) {
        throw ptp::DataError("cannot continue with ", path_, ": it has ", file.size(),
                             " bytes, had ", size, " when the checkpoint was written");
    }
    if (!file.cut(size)) {
        fail(path_);
    }
    size_ = size;
    return true;
}
