#include "result_files.hpp"

#include <ptp/error.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace ptp::support {

namespace {

[[noreturn]] void fail(const std::filesystem::path& path, const std::error_code& reason) {
    throw SystemError("cannot write ", path, ": ", reason.message());
}

// A new file beside `path`, which no other process writes to, on this machine or another one.
struct NewFile {
    std::filesystem::path path;
    int descriptor;
};

NewFile new_file(const std::filesystem::path& path) {
    for (int number = 0;; ++number) {
        const std::filesystem::path name =
            detail::join(path.string(), ".part-", getpid(), "-", number);
        const int descriptor = open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
        if (descriptor >= 0) {
            return {name, descriptor};
        }
        if (errno != EEXIST) {
            fail(path, {errno, std::generic_category()});
        }
    }
}

// Returns 0, or why not all could be written.
int write_all(int descriptor, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t count = write(descriptor, bytes.data(), bytes.size());
        if (count > 0) {
            bytes.remove_prefix(static_cast<std::size_t>(count));
        } else if (count == 0 || errno != EINTR) {
            const int reason = count == 0 ? ENOSPC : errno;
            close(descriptor);
            return reason;
        }
    }
    return close(descriptor) == 0 ? 0 : errno;  // a file system may report a full disk here
}

}  // namespace

void write_file(const std::filesystem::path& path, std::string_view bytes) {
    std::error_code error;
    // The next line reports why it failed, if it did.
    std::filesystem::create_directories(path.parent_path(), error);
    const NewFile unfinished = new_file(path);
    error = {write_all(unfinished.descriptor, bytes), std::generic_category()};
    if (!error) {
        std::filesystem::rename(unfinished.path, path, error);
    }
    if (error) {
        std::error_code ignored;
        std::filesystem::remove(unfinished.path, ignored);
        fail(path, error);
    }
}

std::string result_name(std::string_view section, std::uint64_t episode, std::string_view suffix) {
    std::string number = std::to_string(episode);
    number.insert(0, number.size() < 6 ? 6 - number.size() : 0, '0');
    return std::string(section) + "_" + number + "." + std::string(suffix);
}

std::string csv_cell(const std::string& text, char separator) {
    if (text.find_first_of(std::string("\"\r\n") + separator) == std::string::npos) {
        return text;
    }
    std::string cell = "\"";
    for (const char c : text) {
        cell += c;
        if (c == '"') {
            cell += c;
        }
    }
    return cell + '"';
}

}  // namespace ptp::support
