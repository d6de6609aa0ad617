// Maps a file into memory and returns views of it, and chooses between this and gzip_blocks().

#include "line_blocks.hpp"

#include <ptp/error.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

namespace ptp::support {

namespace {

namespace fs = std::filesystem;

class OpenFile {
public:
    explicit OpenFile(const fs::path& path)
        : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
        if (descriptor_ < 0) {
            throw DataError(path, ": cannot be opened: ", std::strerror(errno));
        }
    }
    ~OpenFile() { ::close(descriptor_); }
    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;

    [[nodiscard]] int descriptor() const { return descriptor_; }

private:
    int descriptor_;
};

class MappedBlocks : public LineBlocks {
public:
    explicit MappedBlocks(const fs::path& path) {
        const OpenFile file(path);
        struct stat status {};
        if (::fstat(file.descriptor(), &status) != 0) {
            throw DataError(path, ": cannot be read: ", std::strerror(errno));
        }
        size_ = static_cast<std::size_t>(status.st_size);
        if (size_ == 0) {
            return;  // an empty file cannot be mapped
        }
        memory_ = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file.descriptor(), 0);
        if (memory_ == MAP_FAILED) {
            throw DataError(path, ": cannot be mapped into memory: ", std::strerror(errno));
        }
        ::madvise(memory_, size_, MADV_SEQUENTIAL);
        rest_ = {static_cast<const char*>(memory_), size_};
    }

    ~MappedBlocks() override {
        if (size_ > 0) {
            ::munmap(memory_, size_);
        }
    }
    MappedBlocks(const MappedBlocks&) = delete;
    MappedBlocks& operator=(const MappedBlocks&) = delete;

    std::optional<LineBlock> next() override {
        if (rest_.empty()) {
            return std::nullopt;
        }
        const std::size_t end = rest_.find('\n', kLineBlockBytes - 1);
        LineBlock block{.number = number_++, .owned = {}, .mapped = rest_.substr(0, end)};
        if (end != std::string_view::npos) {
            block.mapped = rest_.substr(0, end + 1);
        }
        rest_.remove_prefix(block.mapped.size());
        return block;
    }

private:
    void* memory_ = nullptr;
    std::size_t size_ = 0;
    std::string_view rest_;
    std::int64_t number_ = 0;
};

bool is_gzip(const fs::path& path) {
    std::array<char, 2> begin{};
    std::ifstream(path, std::ios::binary).read(begin.data(), begin.size());
    return begin == std::array{'\x1f', '\x8b'};
}

}  // namespace

std::unique_ptr<LineBlocks> mapped_blocks(const fs::path& file) {
    return std::make_unique<MappedBlocks>(file);
}

std::unique_ptr<LineBlocks> line_blocks(const fs::path& file) {
    std::error_code error;
    if (!fs::exists(file, error)) {
        throw DataError(file, ": no such file");
    }
    if (!fs::is_regular_file(file, error)) {
        throw DataError(file, ": is not a file");
    }
    return is_gzip(file) ? gzip_blocks(file) : mapped_blocks(file);
}

}  // namespace ptp::support
