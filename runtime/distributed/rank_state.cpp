// The layout of a process's state in mapped memory, and its writers and readers.

#include "distributed/rank_state.hpp"

#include "base/descriptor.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <new>
#include <system_error>

namespace ptp::distributed {

namespace {

constexpr std::uint64_t kMagic = 0x3165746174735450;  // "PTstate1" as bytes
constexpr std::size_t kNameBytes = 128;
constexpr std::size_t kErrorBytes = 2048;

using Name = std::array<char, kNameBytes>;

// Truncates to whole characters; the rest is zeros.
template <std::size_t N>
void write_text(std::array<char, N>& into, std::string_view text) {
    std::size_t size = std::min(text.size(), N - 1);
    while (size < text.size() && size > 0 &&
           (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80) {
        --size;
    }
    std::memcpy(into.data(), text.data(), size);
    into[size] = '\0';
}

template <std::size_t N>
std::string read_text_of(const std::array<char, N>& from) {
    const std::size_t size = strnlen(from.data(), N);
    std::string text(from.data(), size);
    return is_plain(text) ? text : "";
}

}  // namespace

// All processes that read it run the same build: the magic number changes with the layout.
struct RankState::Layout {
    std::atomic<std::uint64_t> magic = 0;
    std::atomic<std::int64_t> pid = 0;
    std::atomic<std::uint64_t> beats = 0;
    std::atomic<std::uint32_t> phase = 0;
    std::atomic<std::uint32_t> cause = 0;
    std::atomic<std::int64_t> episode = 0;
    std::atomic<std::uint64_t> collective_count = 0;
    std::atomic<std::uint32_t> is_in_component = 0;
    std::atomic<std::uint32_t> is_in_collective = 0;
    Name host{};
    Name component{};
    Name collective{};
    std::array<char, kErrorBytes> error{};
};

static_assert(sizeof(RankState::Layout) <= 4096);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

std::string_view to_string(Phase phase) {
    constexpr std::array<std::string_view, 7> kNames = {
        "starting", "joining the others", "training", "validating", "saving", "swapping", "ending"};
    const auto number = static_cast<std::size_t>(phase);
    return number < kNames.size() ? kNames[number] : "unknown";
}

RankState::RankState(const std::filesystem::path& file, std::string_view host) : layout_(nullptr) {
    const auto refuse = [&file](int reason) {
        throw RunError(kTrainingError, fmt::format("cannot write {}: {}", file.string(),
                                                   std::generic_category().message(reason)));
    };
    unlink(file.c_str());  // a reader of the old one keeps it
    const Descriptor descriptor(open(file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
    if (!descriptor.is_open()) {
        refuse(errno);
    }
    // Allocates the blocks, so that a full disk later does not end the process by SIGBUS.
    if (const int reason = posix_fallocate(descriptor.get(), 0, sizeof(Layout)); reason != 0) {
        refuse(reason);
    }
    void* const memory =
        mmap(nullptr, sizeof(Layout), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor.get(), 0);
    if (memory == MAP_FAILED) {
        refuse(errno);
    }
    layout_ = new (memory) Layout;
    layout_->pid = getpid();
    write_text(layout_->host, host);
    layout_->magic.store(kMagic, std::memory_order_release);
}

RankState::~RankState() {
    munmap(layout_, sizeof(Layout));
}

void RankState::beat() {
    layout_->beats.fetch_add(1, std::memory_order_relaxed);
}

void RankState::enter(Phase phase) {
    layout_->phase.store(static_cast<std::uint32_t>(phase), std::memory_order_relaxed);
}

void RankState::begin_episode(std::int64_t number) {
    layout_->episode.store(number, std::memory_order_relaxed);
}

void RankState::enter_component(std::string_view name) {
    write_text(layout_->component, name);
    layout_->is_in_component.store(1, std::memory_order_relaxed);
}

void RankState::leave_component() {
    layout_->is_in_component.store(0, std::memory_order_relaxed);
}

void RankState::enter_collective(std::string_view name) {
    write_text(layout_->collective, name);
    layout_->collective_count.fetch_add(1, std::memory_order_relaxed);
    layout_->is_in_collective.store(1, std::memory_order_relaxed);
}

void RankState::leave_collective() {
    layout_->is_in_collective.store(0, std::memory_order_relaxed);
}

void RankState::fail(Cause cause, std::string_view error) {
    if (layout_->cause != static_cast<std::uint32_t>(Cause::kNone)) {
        return;
    }
    write_text(layout_->error, error);  // first: readers of the cause report it
    layout_->cause = static_cast<std::uint32_t>(cause);
}

namespace {

// The mapped file of a process; nullptr if there is none.
class Mapped {
public:
    Mapped(const std::filesystem::path& file, bool is_written) {
        const Descriptor descriptor(
            open(file.c_str(), (is_written ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NOFOLLOW));
        struct stat about {};
        if (!descriptor.is_open() || fstat(descriptor.get(), &about) != 0 ||
            about.st_size < static_cast<off_t>(sizeof(RankState::Layout))) {
            return;
        }
        memory_ =
            mmap(nullptr, sizeof(RankState::Layout),
                 is_written ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, descriptor.get(), 0);
    }
    ~Mapped() {
        if (memory_ != MAP_FAILED) {
            munmap(memory_, sizeof(RankState::Layout));
        }
    }
    Mapped(const Mapped&) = delete;
    Mapped& operator=(const Mapped&) = delete;

    [[nodiscard]] RankState::Layout* layout() const {
        auto* const layout = static_cast<RankState::Layout*>(memory_);
        const bool is_one =
            memory_ != MAP_FAILED && layout->magic.load(std::memory_order_acquire) == kMagic;
        return is_one ? layout : nullptr;
    }

private:
    void* memory_ = MAP_FAILED;
};

}  // namespace

void note_hung(const std::filesystem::path& file) {
    const Mapped mapped(file, true);
    if (RankState::Layout* const layout = mapped.layout()) {
        auto none = static_cast<std::uint32_t>(Cause::kNone);
        layout->cause.compare_exchange_strong(none, static_cast<std::uint32_t>(Cause::kHung));
    }
}

std::optional<RankStatus> read_rank_state(const std::filesystem::path& file) {
    const Mapped mapped(file, false);
    const RankState::Layout* const layout = mapped.layout();
    if (layout == nullptr) {
        return std::nullopt;
    }
    RankStatus status;
    status.pid = layout->pid;
    status.host = read_text_of(layout->host);
    status.beats = layout->beats;
    status.phase = static_cast<Phase>(layout->phase.load());
    status.episode = layout->episode;
    status.collective_count = layout->collective_count;
    status.last_component = read_text_of(layout->component);
    status.last_collective = read_text_of(layout->collective);
    status.component = layout->is_in_component != 0 ? status.last_component : "";
    status.collective = layout->is_in_collective != 0 ? status.last_collective : "";
    status.cause = static_cast<Cause>(layout->cause.load());
    status.error = read_text_of(layout->error);
    return status;
}

std::string text_of(const RankStatus& status) {
    std::string text = fmt::format("{}, episode {}", to_string(status.phase), status.episode);
    if (!status.component.empty()) {
        text += fmt::format(", in component {}", status.component);
    } else if (!status.last_component.empty()) {
        text += fmt::format(", last component {}", status.last_component);
    }
    if (!status.last_collective.empty()) {
        text +=
            fmt::format(", {} collective {} (number {})", status.collective.empty() ? "last" : "in",
                        status.last_collective, status.collective_count);
    }
    return text;
}

}  // namespace ptp::distributed
