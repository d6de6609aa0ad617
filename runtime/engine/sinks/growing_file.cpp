#include "engine/sinks/growing_file.hpp"

namespace ptp::engine {

namespace {

constexpr std::size_t kMostGathered = 1U << 16U;
constexpr std::chrono::seconds kLongestWait{1};

}  // namespace

GrowingFile::GrowingFile(const std::filesystem::path& path) : file_(OutputFile::create(path)) {}

GrowingFile::GrowingFile(const std::filesystem::path& path, std::uint64_t size)
    : file_(OutputFile::append(path, size)), synced_size_(size) {}

void GrowingFile::add(std::string_view bytes) {
    gathered_ += bytes;
    if (gathered_.size() > kMostGathered ||
        std::chrono::steady_clock::now() - last_flush_ > kLongestWait) {
        flush();
    }
}

void GrowingFile::flush() {
    last_flush_ = std::chrono::steady_clock::now();
    file_.write(gathered_);
    gathered_.clear();
}

void GrowingFile::sync() {
    flush();
    file_.sync();
    synced_size_ = file_.size();
}

}  // namespace ptp::engine
