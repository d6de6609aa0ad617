// Keeps each file's content while a task uses it, identified by path, size and time.

#include "idx_cache.hpp"

#include <map>
#include <mutex>
#include <optional>
#include <system_error>
#include <tuple>

namespace {

namespace fs = std::filesystem;

// Identifies the content of files, and how it was read. Both files of a request are included: a
// file without ".gz" may have appeared later.
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
    std::mutex mutex;  // guards `files`; one thread reads for all
    std::map<Content, std::weak_ptr<const IdxFile>> files;
};

// Returns the cache that the tasks of one process share. It does not keep files alive itself.
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
