// Opens regular files, and reads them in pieces or as a whole.

#include "base/input_file.hpp"

#include "base/file_error.hpp"
#include "base/system_file.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <system_error>
#include <utility>
#include <vector>

namespace ptp {

namespace {

[[noreturn]] void cannot_read(std::string_view what, int code) {
    const std::string text = fmt::format("{}: {}", what, std::generic_category().message(code));
    if (code == EMFILE || code == ENFILE || code == ENOMEM) {
        throw ResourceError(text);
    }
    throw UnreadableFile(text);
}

}  // namespace

OpenedFile open_regular(const std::filesystem::path& path) {
    OpenedFile file{.descriptor = Descriptor(system::open_to_read(path))};
    if (!file.descriptor.is_open()) {
        file.reason = errno;
        return file;
    }
    struct stat status {};
    if (::fstat(file.descriptor.get(), &status) == 0 && S_ISREG(status.st_mode)) {
        file.size = static_cast<std::uint64_t>(status.st_size);
        return file;
    }
    return {.kind = S_ISDIR(status.st_mode) ? "a folder, not a file" : "not a regular file"};
}

std::string OpenedFile::problem() const {
    return kind != nullptr ? std::string("it is ") + kind : std::generic_category().message(reason);
}

InputFile::InputFile(const std::filesystem::path& path) {
    OpenedFile opened = open_regular(path);
    if (opened.kind != nullptr) {
        throw UnreadableFile(fmt::format("is {}", opened.kind));
    }
    if (!opened.descriptor.is_open()) {
        cannot_read("cannot be opened", opened.reason);
    }
    descriptor_ = std::move(opened.descriptor);
    size_ = opened.size;
}

std::string InputFile::read(std::uint64_t offset, std::uint64_t size) const {
    const std::uint64_t begin = std::min(offset, size_);
    std::string content(std::min(size, size_ - begin), '\0');
    std::uint64_t done = 0;
    while (done < content.size()) {
        const auto got = system::read_at(descriptor_.get(), content.data() + done,
                                         content.size() - done, begin + done);
        if (got < 0) {
            cannot_read("cannot be read", errno);
        }
        if (got == 0) {
            throw UnfinishedFile("became shorter while it was read");
        }
        done += static_cast<std::uint64_t>(got);
    }
    return content;
}

std::string InputFile::read_all(std::uint64_t max_bytes) const {
    std::string content;
    std::vector<char> piece(std::size_t{1} << 16U);
    for (std::ptrdiff_t got = 1; got > 0;) {
        if (size_ > max_bytes || content.size() > max_bytes) {
            throw FileError(fmt::format("is larger than {} MiB", max_bytes >> 20U));
        }
        got = system::read_at(descriptor_.get(), piece.data(), piece.size(), content.size());
        if (got < 0) {
            cannot_read("cannot be read", errno);
        }
        content.append(piece.data(), static_cast<std::size_t>(got));
    }
    return content;
}

std::string read_written(const std::filesystem::path& path) {
    constexpr std::uint64_t kMaxBytes = 64u << 20;
    return InputFile(path).read_all(kMaxBytes);
}

}  // namespace ptp
