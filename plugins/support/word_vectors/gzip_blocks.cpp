// Unpacks a file with zlib. The part after the last whole line of a block begins the next block.

#include "line_blocks.hpp"

#include <ptp/error.hpp>

#include <zlib.h>

#include <cerrno>
#include <cstring>

namespace ptp::support {

namespace {

// The maximum length of a line; a file with a longer one does not consist of lines.
constexpr std::size_t kMaxLineBytes = std::size_t{64} << 20U;

class GzipBlocks : public LineBlocks {
public:
    explicit GzipBlocks(const std::filesystem::path& path)
        : path_(path), file_(gzopen(path.c_str(), "rb")) {
        if (file_ == nullptr) {
            throw DataError(path, ": cannot be opened: ", std::strerror(errno));
        }
        constexpr unsigned kBufferBytes = 1U << 18U;
        gzbuffer(file_, kBufferBytes);
    }

    ~GzipBlocks() override { gzclose(file_); }
    GzipBlocks(const GzipBlocks&) = delete;
    GzipBlocks& operator=(const GzipBlocks&) = delete;

    std::optional<LineBlock> next() override {
        LineBlock block{.number = number_, .owned = std::move(begun_line_), .mapped = {}};
        begun_line_.clear();
        while (!is_at_end_) {
            const std::size_t searched = block.owned.size();
            unpack_into(block.owned);
            const std::size_t end = block.owned.rfind('\n');
            if (is_at_end_ || (end != std::string::npos && end >= searched)) {
                begun_line_ = is_at_end_ ? "" : block.owned.substr(end + 1);
                block.owned.resize(block.owned.size() - begun_line_.size());
                break;
            }
            if (block.owned.size() > kMaxLineBytes) {
                throw DataError(path_, ": has a line of more than ", kMaxLineBytes >> 20U, " MB");
            }
        }
        if (block.owned.empty()) {
            return std::nullopt;
        }
        ++number_;
        return block;
    }

private:
    // Appends the next bytes.
    void unpack_into(std::string& text) {
        const std::size_t before = text.size();
        text.resize(before + kLineBlockBytes);
        const int read =
            gzread(file_, text.data() + before, static_cast<unsigned>(kLineBlockBytes));
        text.resize(before + static_cast<std::size_t>(read < 0 ? 0 : read));
        if (read == static_cast<int>(kLineBlockBytes)) {
            return;
        }
        int error = Z_OK;
        const char* message = gzerror(file_, &error);
        if (error != Z_OK) {
            throw DataError(path_, ": is not a whole gzip file: ",
                            error == Z_BUF_ERROR ? "it ends too early" : after_path(message));
        }
        is_at_end_ = true;
    }

    // Removes the path, with which zlib's messages begin.
    [[nodiscard]] const char* after_path(const char* message) const {
        const std::string prefix = path_.string() + ": ";
        return std::strncmp(message, prefix.c_str(), prefix.size()) == 0 ? message + prefix.size()
                                                                         : message;
    }

    std::filesystem::path path_;
    gzFile file_;
    std::string begun_line_;  // unpacked, but without its end
    std::int64_t number_ = 0;
    bool is_at_end_ = false;
};

}  // namespace

std::unique_ptr<LineBlocks> gzip_blocks(const std::filesystem::path& file) {
    return std::make_unique<GzipBlocks>(file);
}

}  // namespace ptp::support
