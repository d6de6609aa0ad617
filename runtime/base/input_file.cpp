#include "base/input_file.hpp"

#include "base/file_error.hpp"
#include "base/output_file.hpp"
#include "base/regular_file.hpp"
#include "base/system_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <system_error>

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

InputFile::InputFile(const std::filesystem::path& path) {
    const OpenedFile opened = open_regular(path);
    if (opened.kind != nullptr) {
        throw UnreadableFile(fmt::format("is {}", opened.kind));
    }
    if (opened.descriptor < 0) {
        cannot_read("cannot be opened", opened.reason);
    }
    descriptor_ = opened.descriptor;
    size_ = opened.size;
}

InputFile::~InputFile() {
    ::close(descriptor_);
}

std::string InputFile::read(std::uint64_t offset, std::uint64_t size) const {
    const std::uint64_t begin = std::min(offset, size_);
    std::string content(std::min(size, size_ - begin), '\0');
    std::uint64_t done = 0;
    while (done < content.size()) {
        const auto got = system::read_at(descriptor_, content.data() + done, content.size() - done,
                                         begin + done);
        if (got < 0 && errno != EINTR) {
            cannot_read("cannot be read", errno);
        }
        if (got == 0) {
            throw UnfinishedFile("became shorter while it was read");
        }
        done += got > 0 ? static_cast<std::uint64_t>(got) : 0;
    }
    return content;
}

std::string read_written(const std::filesystem::path& path) {
    constexpr std::uint64_t kMaxBytes = 64u << 20;
    const InputFile file(path);
    if (file.size() > kMaxBytes) {
        throw FileError("is larger than 64 MiB");
    }
    return file.size() == 0 ? read_text(path) : file.read(0, file.size());  // /proc tells no size
}

}  // namespace ptp
