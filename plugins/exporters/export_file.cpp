#include "export_file.hpp"

#include <result_files.hpp>

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
    explicit Descriptor(int number) : number_(number) {}
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
    const Descriptor file(
        ptp::support::open_below(folder_, name_, O_WRONLY | (is_new ? O_CREAT | O_TRUNC : 0)));
    if (!file.is_open()) {
        fail(path());
    }
    const int64_t found = file.size();
    if (found != static_cast<int64_t>(size_)) {
        throw ptp::DataError(path(), ": has ", found, " bytes, was left with ", size_,
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
    const Descriptor file(ptp::support::open_below(folder_, name_, O_WRONLY));
    if (!file.is_open()) {
        fail(path());
    }
    while (fsync(file.number()) != 0) {
        if (errno != EINTR) {
            fail(path());
        }
    }
}

bool ExportFile::go_on_after(uint64_t size) {
    size_ = 0;
    const Descriptor file(ptp::support::open_below(folder_, name_, O_WRONLY));
    if (!file.is_open() && errno == ENOENT) {
        return false;
    }
    if (!file.is_open()) {
        fail(path());
    }
    if (file.size() < static_cast<int64_t>(size)) {
        throw ptp::DataError("cannot continue with ", path(), ": it has ", file.size(),
                             " bytes, had ", size, " when the checkpoint was written");
    }
    if (!file.cut(size)) {
        fail(path());
    }
    size_ = size;
    return true;
}
