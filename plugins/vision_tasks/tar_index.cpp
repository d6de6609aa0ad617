// Reads headers of tar files (POSIX ustar, with GNU's and pax' long names), and members by their
// places.

#include "tar_index.hpp"

#include <ptp/error.hpp>

#include <fcntl.h>
#include <fnmatch.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

namespace {

namespace fs = std::filesystem;

constexpr uint64_t kBlock = 512;
constexpr size_t kMaxOpenShards = 256;
constexpr uint64_t kMaxMemberBytes = uint64_t{1} << 30;

// Returns all names that a pattern with ranges such as {00..12} represents.
std::vector<std::string> expanded(const std::string& pattern) {
    const size_t open = pattern.find('{');
    const size_t dots = pattern.find("..", open);
    const size_t close = pattern.find('}', dots);
    if (open == std::string::npos || dots == std::string::npos || close == std::string::npos) {
        return {pattern};
    }
    const std::string first = pattern.substr(open + 1, dots - open - 1);
    const std::string last = pattern.substr(dots + 2, close - dots - 2);
    uint64_t from = 0;
    uint64_t to = 0;
    const auto read = [](const std::string& text, uint64_t& number) {
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        return error == std::errc() && end == text.data() + text.size();
    };
    constexpr uint64_t kMaxRange = 1'000'000;
    if (!read(first, from) || !read(last, to) || from > to || to - from > kMaxRange) {
        throw ptp::ConfigError("shards: '", pattern, "': {", first, "..", last,
                               "} must be a range of numbers, such as {000..099}");
    }
    std::vector<std::string> names;
    for (uint64_t number = from; number <= to; ++number) {
        std::string digits = std::to_string(number);
        digits.insert(0, first.size() - std::min(first.size(), digits.size()), '0');
        for (const std::string& rest : expanded(pattern.substr(close + 1))) {
            names.push_back(pattern.substr(0, open) + digits + rest);
        }
    }
    return names;
}

// Returns the number in octal digits, or in base 256 as GNU writes large ones.
std::optional<uint64_t> header_number(std::string_view field) {
    uint64_t number = 0;
    if ((static_cast<unsigned char>(field[0]) & 0x80U) != 0) {
        for (const char c : field.substr(1)) {
            number = number << 8U | static_cast<unsigned char>(c);
        }
        return number;
    }
    field = field.substr(0, std::min(field.find('\0'), field.size()));
    for (const char c : field) {
        if (c != ' ' && (c < '0' || c > '7')) {
            return std::nullopt;
        }
        number = c == ' ' ? number : number * 8 + static_cast<uint64_t>(c - '0');
    }
    return number;
}

bool has_right_checksum(const std::string& header) {
    uint64_t sum = 0;
    for (size_t i = 0; i < kBlock; ++i) {  // its own field counts as blanks
        sum += i >= 148 && i < 156 ? ' ' : static_cast<unsigned char>(header[i]);
    }
    return header_number(std::string_view(header).substr(148, 8)) == sum;
}

std::string text_field(const std::string& header, size_t at, size_t size) {
    const std::string field = header.substr(at, size);
    return field.substr(0, field.find('\0'));
}

// Returns the value of "path" of a pax header: records "LENGTH KEY=VALUE\n".
std::string pax_path(std::string_view records) {
    while (!records.empty()) {
        size_t length = 0;
        std::from_chars(records.data(), records.data() + records.size(), length);
        const size_t blank = records.find(' ');
        if (length == 0 || length > records.size() || blank >= length) {
            break;
        }
        const std::string_view record = records.substr(blank + 1, length - blank - 2);
        if (record.starts_with("path=")) {
            return std::string(record.substr(5));
        }
        records.remove_prefix(length);
    }
    return "";
}

// Closes a file that was opened for one use.
class OpenedShard {
public:
    OpenedShard(const fs::path& path, int kept)
        : file_(kept >= 0 ? kept : open(path.c_str(), O_RDONLY | O_CLOEXEC)), is_own_(kept < 0) {
        if (file_ < 0) {
            throw ptp::DataError(path, ": cannot be opened: ", std::strerror(errno));
        }
    }
    ~OpenedShard() {
        if (is_own_) {
            close(file_);
        }
    }
    OpenedShard(const OpenedShard&) = delete;
    OpenedShard& operator=(const OpenedShard&) = delete;

    [[nodiscard]] int file() const { return file_; }

private:
    int file_;
    bool is_own_;
};

}  // namespace

std::vector<fs::path> find_shards(const fs::path& folder,
                                  const std::vector<std::string>& patterns) {
    std::error_code error;
    std::vector<std::string> names;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
        names.push_back(entry->path().filename().string());
    }
    if (error) {
        throw ptp::DataError(folder, ": cannot be read as a folder: ", error.message());
    }
    std::ranges::sort(names);
    std::vector<fs::path> shards;
    std::string problems;
    for (const std::string& pattern : patterns) {
        for (const std::string& one : expanded(pattern)) {
            const size_t before = shards.size();
            for (const std::string& name : names) {
                if (fnmatch(one.c_str(), name.c_str(), FNM_PERIOD) == 0) {
                    shards.push_back(folder / name);
                }
            }
            if (shards.size() == before) {
                problems += (problems.empty() ? "" : "\n") + (folder / one).string() +
                            ": no such shard, and `shards` names it";
            }
        }
    }
    if (!problems.empty()) {
        throw ptp::DataError(problems);
    }
    return shards;
}

TarShards::TarShards(std::vector<fs::path> paths) : paths_(std::move(paths)) {
    if (paths_.size() <= kMaxOpenShards) {
        for (const fs::path& path : paths_) {
            files_.push_back(open(path.c_str(), O_RDONLY | O_CLOEXEC));  // tried again if it fails
        }
    }
}

TarShards::~TarShards() {
    for (const int file : files_) {
        if (file >= 0) {
            close(file);
        }
    }
}

std::string TarShards::read_at(uint32_t shard, int file, uint64_t offset, uint64_t size) const {
    std::string bytes(size, '\0');
    uint64_t done = 0;
    while (done < size) {
        const ssize_t count =
            pread(file, bytes.data() + done, size - done, static_cast<off_t>(offset + done));
        if (count < 0 && errno != EINTR) {
            throw ptp::DataError(paths_[shard], ": cannot be read: ", std::strerror(errno));
        }
        if (count == 0) {
            throw ptp::DataError(paths_[shard], ": at byte ", offset + done, ": the file ends, ",
                                 size - done, " more bytes are expected");
        }
        done += count > 0 ? static_cast<uint64_t>(count) : 0;
    }
    return bytes;
}

std::vector<TarMember> TarShards::members(uint32_t shard) const {
    const OpenedShard opened(paths_[shard], files_.empty() ? -1 : files_[shard]);
    struct stat status {};
    fstat(opened.file(), &status);
    const auto end = static_cast<uint64_t>(status.st_size);
    std::vector<TarMember> members;
    std::string long_name;
    for (uint64_t at = 0; at < end;) {
        const std::string header = read_at(shard, opened.file(), at, kBlock);
        if (header == std::string(kBlock, '\0')) {
            break;
        }
        const auto size = header_number(std::string_view(header).substr(124, 12));
        if (!size || !has_right_checksum(header)) {
            throw ptp::DataError(paths_[shard], ": at byte ", at,
                                 ": is no header of a tar file, or a damaged one");
        }
        const std::string prefix = header.compare(257, 5, "ustar") == 0 && header[263] == '0'
                                       ? text_field(header, 345, 155)
                                       : "";
        std::string name = (prefix.empty() ? "" : prefix + "/") + text_field(header, 0, 100);
        if (*size > end - at - kBlock || *size > kMaxMemberBytes) {
            throw ptp::DataError(paths_[shard], ": at byte ", at, ": '", name, "' has ", *size,
                                 " bytes, and the file ends before, or they are more than ",
                                 kMaxMemberBytes);
        }
        const uint64_t content = at + kBlock;
        const char type = header[156];
        if (type == 'L' || type == 'x') {
            const std::string text = read_at(shard, opened.file(), content, *size);
            long_name = type == 'L' ? text.substr(0, text.find('\0')) : pax_path(text);
        } else if (type == '0' || type == '\0') {
            members.push_back({long_name.empty() ? std::move(name) : std::move(long_name),
                               {shard, static_cast<uint32_t>(*size), content}});
            long_name.clear();
        } else {
            long_name.clear();
        }
        at = content + (*size + kBlock - 1) / kBlock * kBlock;
    }
    return members;
}

void TarShards::read(const TarPlace& place, std::string& content) const {
    const OpenedShard opened(paths_[place.shard], files_.empty() ? -1 : files_[place.shard]);
    content = read_at(place.shard, opened.file(), place.offset, place.size);
}
