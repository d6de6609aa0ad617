// A file to which rows are appended, and which a resumed run continues.

#include "engine/output/sink.hpp"

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

std::uint64_t saved_number(const Value& saved, const char* name) {
    const Value* value = saved.find(name);
    if (value == nullptr || !value->is_integer() || value->as_integer() < 0) {
        throw RunError(kDataError, std::string("the saved state has no usable '") + name + "'");
    }
    return static_cast<std::uint64_t>(value->as_integer());
}

void SinkWithFile::sync() {
    if (file_) {
        file_->sync();
    }
}

Value SinkWithFile::save() const {
    return Value::table({{"size", file_ ? file_->synced_size() : restored_size_},
                         {"sha256", file_ ? file_->synced_hash() : restored_hash_}});
}

// States of older runs have no hash.
void SinkWithFile::continue_file(const Value& saved) {
    restored_size_ = saved.members().empty() ? 0 : saved_number(saved, "size");
    const Value* hash = saved.find("sha256");
    restored_hash_ = hash != nullptr && hash->is_string() ? hash->as_string() : "";
    file_.emplace(path_, restored_size_, restored_hash_);
}

}  // namespace ptp::engine
