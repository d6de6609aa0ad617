// `ptp-fetch fetch ITEMS`, and `list`, which only shows them: what `ptprun fetch` starts. ITEMS is
// a list in JSON; of each file: "url", "path", "sha256", "bytes" (0: not known), and of an archive
// "members", the files to unpack with their paths.

#include "base/error.hpp"
#include "base/exit_code.hpp"
#include "base/explanation.hpp"
#include "base/json.hpp"
#include "base/output_file.hpp"
#include "base/sha256.hpp"
#include "base/terminal.hpp"
#include "common/download.hpp"

#include <fmt/core.h>

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::fetch {

namespace {

// The place of each wanted file, by its name in the archive.
using Members = std::map<std::string, std::filesystem::path>;

namespace fs = std::filesystem;

constexpr std::size_t kPieceBytes = 1U << 20U;

class Archive {
public:
    explicit Archive(const fs::path& path)
        : path_(path), archive_(archive_read_new(), archive_read_free), buffer_(kPieceBytes) {
        archive_read_support_filter_gzip(archive_.get());
        archive_read_support_format_tar(archive_.get());
        archive_read_support_format_zip(archive_.get());
        if (archive_read_open_filename(archive_.get(), path.c_str(), kPieceBytes) != ARCHIVE_OK) {
            refuse();
        }
    }

    // The name of the next entry; "" after the last one.
    std::string next() {
        archive_entry* entry = nullptr;
        const int status = archive_read_next_header(archive_.get(), &entry);
        if (status == ARCHIVE_EOF) {
            return "";
        }
        if (status < ARCHIVE_WARN) {
            refuse();
        }
        const char* const name = archive_entry_pathname(entry);
        return name == nullptr ? "?" : name;
    }

    // The entry's content, in a new file under its name.
    void write(const fs::path& to) {
        const fs::path part = to.string() + ".part";
        fs::create_directories(to.parent_path());
        fs::remove(part);
        OutputFile file = OutputFile::create(part);
        for (;;) {
            const la_ssize_t count =
                archive_read_data(archive_.get(), buffer_.data(), buffer_.size());
            if (count < 0) {
                refuse();
            }
            if (count == 0) {
                break;
            }
            file.write(buffer_.data(), static_cast<std::size_t>(count));
        }
        file.finish();
        fs::rename(part, to);
        sync_folder(to.parent_path());
    }

private:
    [[noreturn]] void refuse() const {
        const char* const why = archive_error_string(archive_.get());
        throw RunError(kDataError, fmt::format("{}: cannot be unpacked: {}", path_.string(),
                                               why == nullptr ? "no reason is known" : why));
    }

    fs::path path_;
    std::unique_ptr<archive, int (*)(archive*)> archive_;
    std::vector<char> buffer_;
};

// Unpacks these alone; each is there whole or not at all. Throws RunError.
void unpack(const fs::path& archive, const Members& members) {
    Members left = members;
    Archive opened(archive);
    for (std::string name = opened.next(); !name.empty() && !left.empty(); name = opened.next()) {
        const auto wanted = left.find(name.starts_with("./") ? name.substr(2) : name);
        if (wanted != left.end()) {
            opened.write(wanted->second);
            left.erase(wanted);
        }
    }
    if (!left.empty()) {
        throw RunError(kDataError,
                       fmt::format("{}: has no file '{}'", archive.string(), left.begin()->first));
    }
}

constexpr const char* kOtherSource = "take the file from elsewhere: --mirror ADDRESS";

struct Item {
    std::string key;  // "training.task.data_folder", which names the file or its folder
    std::string url;
    fs::path path;
    std::string sha256;  // or its first digits
    std::uint64_t bytes = 0;
    Members members;
};

Item item_from(const Json& json) {
    Item item{.key = json.at("key"),
              .url = json.at("url"),
              .path = std::string(json.at("path")),
              .sha256 = json.at("sha256"),
              .bytes = json.at("bytes"),
              .members = {}};
    for (const auto& [name, path] : json.at("members").items()) {
        item.members[name] = std::string(path);
    }
    return item;
}

std::string size_text(std::uint64_t bytes) {
    constexpr double kKilo = 1e3;
    constexpr double kMega = 1e6;
    const auto size = static_cast<double>(bytes);
    return size < kMega ? fmt::format("{:.1f} kB", size / kKilo)
                        : fmt::format("{:.1f} MB", size / kMega);
}

// On a terminal a line that moves; in a pipe there are the first and the last line alone.
class Progress {
public:
    explicit Progress(const Item& item) : item_(item), is_shown_(is_terminal(STDOUT_FILENO)) {}

    void show(std::uint64_t received) {
        const auto now = std::chrono::steady_clock::now();
        if (!is_shown_ || now - last_ < std::chrono::milliseconds(200)) {
            return;
        }
        last_ = now;
        fmt::print("\r  {}{}\033[K", size_text(received),
                   item_.bytes == 0 ? "" : " of " + size_text(item_.bytes));
        std::fflush(stdout);
    }

    void end() const {
        fmt::print("{}", is_shown_ ? "\r\033[K" : "");
        std::fflush(stdout);
    }

private:
    const Item& item_;
    bool is_shown_;
    std::chrono::steady_clock::time_point last_;
};

// The part of a file that has arrived, beside its final place; no other process writes there.
class Part {
public:
    explicit Part(const Item& item) : item_(item), path_(item.path.string() + ".part") {
        std::error_code failure;
        fs::create_directories(item.path.parent_path(), failure);
        lock_ = failure ? -1 : open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        if (lock_ < 0) {
            const int reason = failure ? failure.value() : errno;
            throw WithFix<RunError>(
                code_for_unwritable(reason),
                {fmt::format("cannot write {}: {}", path_.string(),
                             std::generic_category().message(reason)),
                 fmt::format("set {} to a place where you may write", item.key)});
        }
        if (flock(lock_, LOCK_EX | LOCK_NB) != 0) {
            throw RunError(kTrainingError,
                           fmt::format("another process fetches {}", item.path.string()));
        }
        begin_ = fs::file_size(path_);
        begin_ = item.bytes != 0 && begin_ > item.bytes ? 0 : begin_;
    }
    Part(const Part&) = delete;
    Part& operator=(const Part&) = delete;
    // Removes an empty part: a folder that exists has data for `check`.
    ~Part() {
        std::error_code ignored;
        if (fs::exists(path_, ignored) && fs::file_size(path_, ignored) == 0) {
            fs::remove(path_, ignored);
        }
        fs::remove(path_.parent_path(), ignored);  // if it is empty
        close(lock_);
    }

    [[nodiscard]] bool is_continued() const { return begin_ > 0; }

    // Receives what is missing.
    void receive() {
        std::optional<OutputFile> file = OutputFile::append(path_, begin_);
        Progress progress(item_);
        bool is_too_large = false;
        const auto take = [&](long status, std::string_view bytes) {
            if (status != tools::kRestOfFile && begin_ > 0) {  // the server begins at the start
                begin_ = 0;
                file.reset();
                file.emplace(OutputFile::append(path_, 0));
            }
            is_too_large = item_.bytes != 0 && file->size() + bytes.size() > item_.bytes;
            if (!is_too_large) {
                file->write(bytes);
                progress.show(file->size());
            }
            return !is_too_large;
        };
        long status = tools::kWholeFile;
        if (item_.bytes == 0 || begin_ < item_.bytes) {
            status = tools::download({item_.url, "ptprun", begin_, take});
        }
        progress.end();
        file->finish();
        if (status == tools::kNotFound || status == tools::kGone) {
            fs::remove(path_);
            throw WithFix<RunError>(
                kDataError, {fmt::format("cannot fetch {}: the server has no such file", item_.url),
                             kOtherSource});
        }
        if (is_too_large) {
            refuse(fmt::format("has more than the {} bytes that are known", item_.bytes));
        }
    }

    // Starts anew: the existing file was not a part of this one.
    void restart() {
        begin_ = 0;
        receive();
    }

    [[nodiscard]] std::string sha256() const { return sha256_of_file(path_); }

    [[noreturn]] void refuse(const std::string& why) const {
        fs::remove(path_);
        throw WithFix<RunError>(
            kDataError,
            {fmt::format("what {} answers {}; it was removed", item_.url, why), kOtherSource});
    }

    // Takes its final place, or is unpacked.
    void finish() const {
        if (item_.members.empty()) {
            fs::rename(path_, item_.path);
            sync_folder(item_.path.parent_path());
        } else {
            unpack(path_, item_.members);
            fs::remove(path_);
        }
    }

private:
    const Item& item_;
    fs::path path_;
    int lock_ = -1;
    std::uint64_t begin_ = 0;  // that many bytes are there already
};

void show_source(const Item& item) {
    fmt::print("{}{}\n", item.url, item.bytes == 0 ? "" : ", " + size_text(item.bytes));
    std::fflush(stdout);
}

void show_files(const Item& item) {
    if (item.members.empty()) {
        fmt::print("  {}\n", item.path.string());
    }
    for (const auto& [name, path] : item.members) {
        fmt::print("  {}\n", path.string());
    }
}

void fetch(const Item& item) {
    show_source(item);
    Part part(item);
    const bool is_continued = part.is_continued();
    part.receive();
    if (is_continued && !part.sha256().starts_with(item.sha256)) {
        part.restart();
    }
    if (const std::string found = part.sha256(); !found.starts_with(item.sha256)) {
        part.refuse(
            fmt::format("has the SHA-256 {} and not {}, which is known", found, item.sha256));
    }
    part.finish();
    show_files(item);
}

// The advice where the network or the server fails.
Explanation with_advice(const RunError& error) {
    const auto* explained = dynamic_cast<const Explained*>(&error);
    if (explained != nullptr && explained->explanation().fix.empty()) {
        return {explained->explanation().reason,
                fmt::format("the same command continues where this one ended; {}", kOtherSource)};
    }
    return {error.what()};
}

// A standard error that cannot be written does not change how the program ends.
void complain(const std::string& text) {
    static_cast<void>(std::fputs(("ptprun: error: " + text + "\n").c_str(), stderr));
}

int run(int argc, char** argv) {
    try {
        const auto items = parsed_json(argc == 3 ? argv[2] : "");
        for (const Json& json : items.value()) {
            const Item item = item_from(json);
            if (std::string_view(argv[1]) == "fetch") {
                fetch(item);
            } else {
                show_source(item);
                show_files(item);
            }
        }
        return kDone;
    } catch (const RunError& error) {
        complain(with_advice(error).text());
        return error.code();
    } catch (const std::exception& error) {
        complain(error.what());
        return kTrainingError;
    }
}

}  // namespace

}  // namespace ptp::fetch

int main(int argc, char** argv) {
    return ptp::fetch::run(argc, argv);
}
