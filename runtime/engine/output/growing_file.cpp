#include "engine/output/growing_file.hpp"

#include "base/error.hpp"

#include <fmt/core.h>

#include <utility>

namespace ptp::engine {

namespace {

constexpr std::size_t kMaxGathered = 1U << 16U;
constexpr std::size_t kMaxWaiting = std::size_t{1} << 26U;  // 64 MiB: images can be large
constexpr std::chrono::seconds kMaxWait{1};

}  // namespace

GrowingFile::GrowingFile(std::filesystem::path path) : path_(std::move(path)) {
    open();
}

GrowingFile::GrowingFile(const std::filesystem::path& path, std::uint64_t size,
                         const std::string& sha256)
    : path_(path), synced_size_(size), synced_hash_(sha256) {
    if (size > 0 || std::filesystem::exists(std::filesystem::symlink_status(path))) {
        file_.emplace(OutputFile::append(path, size, sha256));
        file_->keep_hash();
    } else {
        open();
    }
}

void GrowingFile::open() {
    std::error_code error;
    std::filesystem::create_directories(path_.parent_path(), error);
    if (error && is_lack_of_room(error.value())) {
        problem_ = error;
        return;
    }
    if (std::optional<OutputFile> made = OutputFile::create_if_room(path_, problem_)) {
        file_.emplace(std::move(*made));
        file_->keep_hash();
    }
}

void GrowingFile::add(std::string_view bytes) {
    gathered_ += bytes;
    if ((gathered_.size() > kMaxGathered && !problem_) ||
        std::chrono::steady_clock::now() - last_flush_ > kMaxWait) {
        flush();
    }
}

void GrowingFile::flush() {
    last_flush_ = std::chrono::steady_clock::now();
    problem_.clear();
    if (!file_) {
        open();
    }
    if (file_) {
        gathered_.erase(0, file_->write_some(gathered_, problem_));
    }
    if (gathered_.size() > kMaxWaiting) {
        throw RunError(kTrainingError,
                       fmt::format("cannot write {}: {}", path_.string(), problem_.message()));
    }
}

void GrowingFile::sync() {
    flush();
    if (file_) {
        file_->sync();
        synced_size_ = file_->size();
        synced_hash_ = file_->hash();
    }
}

}  // namespace ptp::engine
