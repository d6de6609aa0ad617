// Writes and reads the headers of tar archives: POSIX 1003.1-1988, "ustar".

#include "base/tar.hpp"

#include "base/file_error.hpp"
#include "base/input_file.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cassert>
#include <optional>

namespace ptp {

namespace {

constexpr std::size_t kPathBytes = 100;
constexpr std::size_t kSizePlace = 124;
constexpr std::size_t kSizeBytes = 12;
constexpr std::size_t kSumPlace = 148;
constexpr std::size_t kSumBytes = 8;

void put(std::string& header, std::size_t place, std::string_view text) {
    header.replace(place, text.size(), text);
}

bool is_zero(std::string_view bytes) {
    return bytes.find_first_not_of('\0') == std::string_view::npos;
}

// Returns the file that a header describes; nullopt for a header that tar_header() does not make.
std::optional<ArchivedFile> described_by(const std::string& header) {
    ArchivedFile member;
    member.path = header.substr(0, std::min(header.find('\0'), kPathBytes));
    for (const char digit : header.substr(kSizePlace, kSizeBytes - 1)) {
        if (digit < '0' || digit > '7') {
            return std::nullopt;
        }
        member.size = member.size * 8 + static_cast<std::uint64_t>(digit - '0');
    }
    if (member.path.empty() || member.path.size() > kMaxTarPath ||
        header != tar_header(member.path, member.size)) {
        return std::nullopt;
    }
    return member;
}

std::string read_block(const InputFile& file, std::uint64_t offset) {
    std::string block = file.read(offset, kTarBlock);
    if (block.size() != kTarBlock) {
        throw FileError("is cut off");
    }
    return block;
}

// Checks what follows the last file.
void check_end(const InputFile& file, std::uint64_t offset) {
    if (file.size() != offset + tar_end().size()) {
        throw FileError(file.size() < offset + tar_end().size()
                            ? "is cut off"
                            : "has bytes after the end of its archive");
    }
    if (!is_zero(file.read(offset, tar_end().size()))) {
        throw FileError("has an archive without an end");
    }
}

}  // namespace

std::string tar_header(std::string_view path, std::uint64_t size) {
    assert(!path.empty() && path.size() <= kMaxTarPath && size <= kMaxTarFile);
    std::string header(kTarBlock, '\0');
    put(header, 0, path);
    put(header, 100, "0000644");  // its mode
    put(header, 108, "0000000");  // the user
    put(header, 116, "0000000");  // the group
    put(header, kSizePlace, fmt::format("{:011o}", size));
    put(header, 136, "00000000000");  // the time
    put(header, kSumPlace, std::string(kSumBytes, ' '));
    put(header, 156, "0");  // a regular file
    put(header, 257,
        std::string_view("ustar\0"
                         "00",
                         8));
    unsigned sum = 0;
    for (const char byte : header) {
        sum += static_cast<unsigned char>(byte);
    }
    put(header, kSumPlace, fmt::format("{:06o}", sum) + std::string("\0 ", 2));
    return header;
}

std::string tar_padding(std::uint64_t size) {
    return std::string((kTarBlock - size % kTarBlock) % kTarBlock, '\0');
}

std::string tar_end() {
    return std::string(2 * kTarBlock, '\0');
}

bool begins_as_tar(const std::filesystem::path& file, std::string_view first) {
    try {
        const std::string header = InputFile(file).read(0, kTarBlock);
        const auto member =
            header.size() == kTarBlock ? described_by(header) : std::optional<ArchivedFile>();
        return member && member->path == first;
    } catch (const FileError&) {
        return false;
    }
}

std::vector<ArchivedFile> tar_members(const std::filesystem::path& path, std::size_t most) {
    const InputFile file(path);
    std::vector<ArchivedFile> members;
    for (std::uint64_t offset = 0;;) {
        const std::string header = read_block(file, offset);
        if (is_zero(header)) {
            check_end(file, offset);
            return members;
        }
        std::optional<ArchivedFile> member = described_by(header);
        if (!member) {
            throw FileError(
                fmt::format("has a header of another form than ptprun writes, at byte {}", offset));
        }
        if (members.size() == most) {
            throw FileError(fmt::format("has more than {} files", most));
        }
        member->offset = offset + kTarBlock;
        const std::uint64_t room = file.size() - member->offset;
        const std::uint64_t padding = tar_padding(member->size).size();
        if (member->size + padding > room) {
            throw FileError("is cut off");
        }
        offset = member->offset + member->size;
        if (!is_zero(file.read(offset, padding))) {
            throw FileError(fmt::format("has bytes between its files, at byte {}", offset));
        }
        offset += padding;
        members.push_back(*std::move(member));
    }
}

}  // namespace ptp
