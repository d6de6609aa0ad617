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

void write_all(const std::filesystem::path& path, std::string_view bytes) {
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    bool is_written = file >= 0;
    for (std::size_t done = 0; is_written && done < bytes.size();) {
        const ssize_t count = write(file, bytes.data() + done, bytes.size() - done);
        is_written = count > 0 || (count < 0 && errno == EINTR);
        done += count > 0 ? static_cast<std::size_t>(count) : 0;
    }
    int reason = errno;
    if (file >= 0 && close(file) != 0 && is_written) {  // a file system may report a full disk here
        is_written = false;
        reason = errno;
    }
    if (!is_written) {
        std::error_code ignored;
        std::filesystem::remove(path, ignored);
        fail(path, {reason, std::generic_category()});
    }
}

}  // namespace

void write_file(const std::filesystem::path& path, std::string_view bytes) {
    std::error_code error;
    // The next line reports why it failed, if it did.
    std::filesystem::create_directories(path.parent_path(), error);
    const std::filesystem::path unfinished = path.string() + ".part";
    write_all(unfinished, bytes);
    std::filesystem::rename(unfinished, path, error);
    if (error) {
        std::error_code ignored;
        std::filesystem::remove(unfinished, ignored);
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
