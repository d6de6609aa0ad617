#include "idx_cache.hpp"

#include <map>
#include <mutex>
#include <optional>
#include <system_error>
#include <tuple>
#include <utility>

namespace {

namespace fs = std::filesystem;

// Which content of which file, read as what. Both files that a request can mean count: a file
// without ".gz" may have appeared since.
struct Stamp {
    std::uintmax_t size = 0;
    fs::file_time_type time;

    auto operator<=>(const Stamp&) const = default;
};
using Content = std::tuple<fs::path, size_t, std::optional<Stamp>, std::optional<Stamp>>;

std::optional<Stamp> stamp_of(const fs::path& path) {
    std::error_code error;
    const Stamp stamp{fs::file_size(path, error), fs::last_write_time(path, error)};
    return error ? std::nullopt : std::optional(stamp);
}

Content content_of(const IdxRequest& request) {
    const fs::path plain = fs::absolute(request.folder / request.name);
    fs::path compressed = plain;
    compressed += ".gz";
    return {plain, request.rank, stamp_of(plain), stamp_of(compressed)};
}

struct Cache {
    std::mutex mutex;  // guards `files`, and lets one thread read a file that several want
    std::map<Content, std::weak_ptr<const IdxFile>> files;
};

// The tasks of one process share it, and have nothing else in common. It keeps no file by itself.
Cache& cache() {
    static Cache the_cache;
    return the_cache;
}

}  // namespace

std::shared_ptr<const IdxFile> shared_idx_file(const IdxRequest& request) {
    Cache& known = cache();
    const std::lock_guard<std::mutex> lock(known.mutex);
    std::erase_if(known.files, [](const auto& file) { return file.second.expired(); });
    std::weak_ptr<const IdxFile>& file = known.files[content_of(request)];
    std::shared_ptr<const IdxFile> result = file.lock();
    if (result == nullptr) {
        result = std::make_shared<const IdxFile>(read_idx_file(request));
        file = result;
    }
    return result;
}
