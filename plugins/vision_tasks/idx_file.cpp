// Finds the file, checks its magic number and sizes, and unpacks it.

#include "idx_file.hpp"

#include "whole_gzip.hpp"

#include <ptp/error.hpp>

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace {

namespace fs = std::filesystem;

struct CloseFile {
    void operator()(gzFile file) const { gzclose_r(file); }
};
using File = std::unique_ptr<gzFile_s, CloseFile>;

fs::path find_idx_file(const IdxRequest& request) {
    const fs::path plain = request.folder / request.name;
    const fs::path compressed = request.folder / (request.name + ".gz");
    for (const fs::path& candidate : {plain, compressed}) {
        if (fs::exists(candidate)) {
            return candidate;
        }
    }
    throw ptp::DataError(plain, ": no such file, nor ", compressed.filename(), "; ",
                         request.remedy);
}

// Removes the path, with which zlib's reasons begin.
std::string without_path(const std::string& reason, const fs::path& path) {
    const std::string prefix = path.string() + ": ";
    return reason.starts_with(prefix) ? reason.substr(prefix.size()) : reason;
}

// Also reads plain files. Returns fewer bytes than wanted only at the end of the file.
size_t read_bytes(gzFile file, const fs::path& path, const std::string& remedy, uint8_t* to,
                  size_t wanted) {
    constexpr size_t kMaxAtOnce = size_t{1} << 28;
    size_t read = 0;
    while (read < wanted) {
        const auto length = static_cast<unsigned>(std::min(wanted - read, kMaxAtOnce));
        const int got = gzread(file, to + read, length);
        int code = Z_OK;
        const char* reason = gzerror(file, &code);
        if (got < 0 || (code != Z_OK && code != Z_STREAM_END)) {
            const std::string what =
                code == Z_ERRNO ? std::strerror(errno) : without_path(reason, path);
            throw ptp::DataError(path, ": cannot be read (", what, "), the file is damaged; ",
                                 remedy);
        }
        if (got == 0) {
            break;
        }
        read += static_cast<size_t>(got);
    }
    return read;
}

uint32_t big_endian(const uint8_t* bytes) {
    return uint32_t{bytes[0]} << 24 | uint32_t{bytes[1]} << 16 | uint32_t{bytes[2]} << 8 | bytes[3];
}

size_t header_bytes(const IdxRequest& request) {
    return 4 * (1 + request.rank);
}

// Returns the sizes in the header of the file.
std::vector<int64_t> read_sizes(gzFile file, const fs::path& path, const IdxRequest& request) {
    std::array<uint8_t, size_t{4} * 8> header{};
    const size_t length = header_bytes(request);
    const size_t read = read_bytes(file, path, request.remedy, header.data(), length);
    const auto expected = static_cast<uint32_t>(0x800 + request.rank);  // unsigned bytes
    if (read < length || big_endian(header.data()) != expected) {
        throw ptp::DataError(path, ": is not an idx file of ", request.rank,
                             " dimensions: expected it to begin with the number ", expected,
                             read < length ? ", but it is only " : ", found ",
                             read < length ? std::to_string(read) + " bytes long"
                                           : std::to_string(big_endian(header.data())),
                             "; ", request.remedy);
    }
    std::vector<int64_t> sizes;
    for (size_t i = 1; i <= request.rank; ++i) {
        sizes.push_back(big_endian(header.data() + 4 * i));
    }
    return sizes;
}

size_t count_bytes(const std::vector<int64_t>& sizes, const fs::path& path,
                   const std::string& remedy) {
    constexpr size_t kMaxBytes = size_t{1} << 34;
    size_t count = 1;
    for (const int64_t size : sizes) {
        if (size > 0 && count > kMaxBytes / static_cast<size_t>(size)) {
            throw ptp::DataError(path, ": states sizes of more than 16 GiB, the file is damaged; ",
                                 remedy);
        }
        count *= static_cast<size_t>(size);
    }
    return count;
}

// Returns the maximum size of the content: deflate compresses at most by 1032. For a file without a
// size, such as a pipe, it is that of a first piece.
size_t most_bytes(gzFile file, const fs::path& path) {
    constexpr size_t kMaxRatio = 1032;
    constexpr size_t kPiece = size_t{1} << 20;
    std::error_code error;
    const auto size = fs::file_size(path, error);
    return error ? kPiece : static_cast<size_t>(size) * (gzdirect(file) == 0 ? kMaxRatio : 1);
}

// Reads the data after the header, which has been read, to its end. There is memory for `room`
// bytes of it; it grows as more data arrives.
void read_data(gzFile file, IdxFile& result, size_t room, size_t expected,
               const IdxRequest& request) {
    const size_t header = header_bytes(request);
    size_t read =
        read_bytes(file, result.path, request.remedy, result.content.get() + header, room);
    while (read == room && room < expected) {
        room = std::min(expected, 2 * room);
        auto larger = std::make_unique_for_overwrite<uint8_t[]>(header + room);
        std::copy_n(result.content.get() + header, read, larger.get() + header);
        result.content = std::move(larger);
        read += read_bytes(file, result.path, request.remedy, result.content.get() + header + read,
                           room - read);
    }
    if (read < expected) {
        throw ptp::DataError(result.path, ": ends after ", read, " of ", expected,
                             " bytes of data, the file is damaged; ", request.remedy);
    }
    // Reading one more byte makes zlib verify the checksum at the end.
    uint8_t extra = 0;
    if (read_bytes(file, result.path, request.remedy, &extra, 1) != 0) {
        throw ptp::DataError(result.path, ": is longer than the ", expected,
                             " bytes of data that its header states, the file is damaged; ",
                             request.remedy);
    }
}

}  // namespace

IdxFile read_idx_file(const IdxRequest& request) {
    IdxFile result;
    result.path = find_idx_file(request);
    if (fs::is_directory(result.path)) {
        throw ptp::DataError(result.path, ": is a folder, not a file; ", request.remedy);
    }
    const File file(gzopen(result.path.c_str(), "rb"));
    if (file == nullptr) {
        throw ptp::DataError(result.path, ": cannot be opened: ", std::strerror(errno));
    }
    gzbuffer(file.get(), 1 << 16);
    result.sizes = read_sizes(file.get(), result.path, request);
    const size_t expected = count_bytes(result.sizes, result.path, request.remedy);
    const size_t header = header_bytes(request);

    // Not filled with zeros: a damaged header may state too large a size, whose memory is not used
    // until data is read.
    const size_t room = std::min(expected, most_bytes(file.get(), result.path));
    result.content = std::make_unique_for_overwrite<uint8_t[]>(header + room);
    if (room < expected || !unpack_whole_gzip(result.path, {result.content.get(), header + room})) {
        read_data(file.get(), result, room, expected, request);
    }
    result.bytes = {result.content.get() + header, expected};
    return result;
}
