#include "whole_gzip.hpp"

#include <libdeflate.h>

#include <cstddef>
#include <cstdio>
#include <memory>
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

// The whole file; nothing if it is not an ordinary one, or one of more than 1 GiB.
std::span<uint8_t> packed_bytes(const fs::path& path, std::unique_ptr<uint8_t[]>& memory) {
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
    memory = std::make_unique_for_overwrite<uint8_t[]>(size);
    std::setvbuf(file.get(), nullptr, _IONBF, 0);
    return {memory.get(), std::fread(memory.get(), 1, size, file.get())};
}

}  // namespace

bool unpack_whole_gzip(const fs::path& path, std::span<uint8_t> to) {
    if (path.extension() != ".gz") {
        return false;
    }
    std::unique_ptr<uint8_t[]> memory;
    const std::span<uint8_t> packed = packed_bytes(path, memory);
    const std::unique_ptr<libdeflate_decompressor, FreeDecompressor> decompressor(
        libdeflate_alloc_decompressor());
    if (packed.empty() || decompressor == nullptr) {
        return false;
    }
    std::size_t read = 0;
    std::size_t written = 0;
    const libdeflate_result result = libdeflate_gzip_decompress_ex(
        decompressor.get(), packed.data(), packed.size(), to.data(), to.size(), &read, &written);
    return result == LIBDEFLATE_SUCCESS && read == packed.size() && written == to.size();
}
