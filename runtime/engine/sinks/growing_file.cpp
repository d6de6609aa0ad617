#include "engine/sinks/growing_file.hpp"

namespace ptp::engine {

namespace {

constexpr std::size_t kMaxGathered = 1U << 16U;
constexpr std::size_t kMaxWaiting = std::size_t{1} << 26U;  // 64 MiB: images can be large
constexpr std::chrono::seconds kMaxWait{1};

}  // namespace

GrowingFile::GrowingFile(const std::filesystem::path& path) : file_(OutputFile::create(path)) {}

GrowingFile::GrowingFile(const std::filesystem::path& path, std::uint64_t size)
    : file_(OutputFile::append(path, size)), synced_size_(size) {}

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
    gathered_.erase(0, file_.write_some(gathered_, problem_));
    if (gathered_.size() > kMaxWaiting) {
        file_.refuse(problem_);
    }
}

void GrowingFile::sync() {
    flush();
    file_.sync();
    synced_size_ = file_.size();
}

}  // namespace ptp::engine
