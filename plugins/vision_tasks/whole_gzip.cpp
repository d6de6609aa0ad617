// Reads the whole file, and unpacks it with libdeflate into memory of its own pages.

#include "whole_gzip.hpp"

#include <ptp/error.hpp>

#include <sys/mman.h>

#include <libdeflate.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <optional>
#include <system_error>

namespace {

namespace fs = std::filesystem;

struct CloseStream {
    void operator()(std::FILE* file) const { std::fclose(file); }
};
struct FreeDecompressor {
    void operator()(libdeflate_decompressor* decompressor) const {
        libdeflate_free_decompressor(decompressor);
    }
};

// Memory that is returned to the system when it is freed: in a heap, large blocks stay with the
// process.
class Pages {
public:
    explicit Pages(std::size_t bytes)
        : begin_(
              ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)),
          bytes_(bytes) {}
    ~Pages() {
        if (begin_ != MAP_FAILED) {
            ::munmap(begin_, bytes_);
        }
    }
    Pages(const Pages&) = delete;
    Pages& operator=(const Pages&) = delete;

    // Returns an empty span if the system has no memory left.
    std::span<uint8_t> bytes() const {
        return {static_cast<uint8_t*>(begin_), begin_ != MAP_FAILED ? bytes_ : 0};
    }

private:
    void* begin_;
    std::size_t bytes_;
};

// Returns the whole file; empty if it is not a regular file, or is larger than 1 GiB.
std::span<const uint8_t> packed_bytes(const fs::path& path, std::optional<Pages>& memory) {
    constexpr std::uintmax_t kMaxBytes = std::uintmax_t{1} << 30U;
    std::error_code error;
    const std::uintmax_t size = fs::is_regular_file(path, error) ? fs::file_size(path, error) : 0;
    if (error || size == 0 || size > kMaxBytes) {
        return {};
    }
    const std::unique_ptr<std::FILE, CloseStream> file(std::fopen(path.c_str(), "rb"));
    if (file == nullptr) {
        return {};
    }
    std::setvbuf(file.get(), nullptr, _IONBF, 0);
    const std::span<uint8_t> bytes = memory.emplace(size).bytes();
    return bytes.first(std::fread(bytes.data(), 1, bytes.size(), file.get()));
}

}  // namespace

bool unpack_whole_gzip(const fs::path& path, std::span<uint8_t> to) {
    if (path.extension() != ".gz") {
        return false;
    }
    std::optional<Pages> memory;
    const std::span<const uint8_t> packed = packed_bytes(path, memory);
    const std::unique_ptr<libdeflate_decompressor, FreeDecompressor> decompressor(
        libdeflate_alloc_decompressor());
    if (packed.empty() || decompressor == nullptr) {
        return false;
    }
    std::size_t read = 0;
    std::size_t written = 0;
    const libdeflate_result result = libdeflate_gzip_decompress_ex(
        decompressor.get(), packed.data(), packed.size(), to.data(), to.size(), &read, &written);
    const bool is_whole = result == LIBDEFLATE_SUCCESS && written == to.size();
    const std::span<const uint8_t> rest = packed.subspan(is_whole ? read : packed.size());
    const bool is_padded = std::ranges::all_of(rest, [](uint8_t byte) { return byte == 0; });
    const bool has_member = rest.size() > 1 && rest[0] == 0x1f && rest[1] == 0x8b;
    if (!is_padded && !has_member) {
        throw ptp::DataError(path, ": has ", rest.size(),
                             " bytes behind the end of its data, the file is damaged");
    }
    return is_whole && is_padded;
}
