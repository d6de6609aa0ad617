#include "base/regular_file.hpp"

#include "base/system_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace ptp {

OpenedFile open_regular(const std::filesystem::path& path) {
    OpenedFile file{.descriptor = system::open_to_read(path)};
    if (file.descriptor < 0) {
        file.reason = errno;
        return file;
    }
    struct stat status {};
    if (::fstat(file.descriptor, &status) == 0 && S_ISREG(status.st_mode)) {
        file.size = static_cast<std::uint64_t>(status.st_size);
        return file;
    }
    ::close(file.descriptor);
    return {.kind = S_ISDIR(status.st_mode) ? "a folder, not a file" : "not a regular file"};
}

std::string OpenedFile::problem() const {
    return kind != nullptr ? std::string("it is ") + kind : std::generic_category().message(reason);
}

}  // namespace ptp
