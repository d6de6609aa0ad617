// The layout of a process's state in mapped memory, and its writers and readers.

#include "distributed/rank_state.hpp"

#include "base/descriptor.hpp"
#include "base/error.hpp"
#include "base/file_error.hpp"
#include "base/input_file.hpp"
#include "base/system_file.hpp"
#include "base/text.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
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

// [any] Readers in other processes see each part as it is at the moment.
template <class Part>
void set(Part& part, auto value) {
    static_assert(std::atomic_ref<Part>::is_always_lock_free);
    std::atomic_ref(part).store(static_cast<Part>(value));
}

}  // namespace

// The content of the file. All processes that read it run the same build: the magic number changes
// with the layout.
struct RankState::Layout {
    std::uint64_t magic = 0;
    std::int64_t pid = 0;
    std::uint64_t beats = 0;
    std::uint32_t phase = 0;
    std::uint32_t cause = 0;
    std::int64_t episode = 0;
    std::uint64_t collective_count = 0;
    std::uint32_t is_in_component = 0;
    std::uint32_t is_in_collective = 0;
    Name host{};
    Name component{};
    Name collective{};
    std::array<char, kErrorBytes> error{};
};

static_assert(sizeof(RankState::Layout) <= 4096);

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
    set(layout_->magic, kMagic);
}

RankState::~RankState() {
    munmap(layout_, sizeof(Layout));
}

void RankState::beat() {
    ++std::atomic_ref(layout_->beats);
}

void RankState::enter(Phase phase) {
    set(layout_->phase, phase);
}

void RankState::begin_episode(std::int64_t number) {
    set(layout_->episode, number);
}

void RankState::enter_component(std::string_view name) {
    write_text(layout_->component, name);
    set(layout_->is_in_component, 1);
}

void RankState::leave_component() {
    set(layout_->is_in_component, 0);
}

void RankState::enter_collective(std::string_view name) {
    write_text(layout_->collective, name);
    ++std::atomic_ref(layout_->collective_count);
    set(layout_->is_in_collective, 1);
}

void RankState::leave_collective() {
    set(layout_->is_in_collective, 0);
}

void RankState::fail(Cause cause, std::string_view error) {
    if (layout_->cause == static_cast<std::uint32_t>(Cause::kNone)) {
        write_text(layout_->error, error);  // first: readers of the cause report it
        set(layout_->cause, cause);
    }
}

void note_hung(const std::filesystem::path& file) {
    const auto status = read_rank_state(file);
    if (status && status->cause == Cause::kNone) {
        const Descriptor written(system::open_to_write(file));
        const auto hung = static_cast<std::uint32_t>(Cause::kHung);
        static_cast<void>(
            pwrite(written.get(), &hung, sizeof(hung), offsetof(RankState::Layout, cause)));
    }
}

std::string rank_state_bytes(const std::filesystem::path& file) try {
    return InputFile(file).read(0, sizeof(RankState::Layout));
} catch (const FileError&) {
    return "";
}

std::optional<RankStatus> rank_status(std::string_view bytes) {
    RankState::Layout layout;
    if (bytes.size() != sizeof(layout)) {
        return std::nullopt;
    }
    std::memcpy(&layout, bytes.data(), sizeof(layout));
    if (layout.magic != kMagic) {
        return std::nullopt;
    }
    RankStatus status = {.pid = layout.pid,
                         .host = read_text_of(layout.host),
                         .beats = layout.beats,
                         .phase = static_cast<Phase>(layout.phase),
                         .episode = layout.episode,
                         .collective_count = layout.collective_count,
                         .last_component = read_text_of(layout.component),
                         .last_collective = read_text_of(layout.collective),
                         .cause = static_cast<Cause>(layout.cause),
                         .error = read_text_of(layout.error)};
    status.component = layout.is_in_component != 0 ? status.last_component : "";
    status.collective = layout.is_in_collective != 0 ? status.last_collective : "";
    return status;
}

std::optional<RankStatus> read_rank_state(const std::filesystem::path& file) {
    const auto first = rank_status(rank_state_bytes(file));
    // The error is written before its cause: a second look has all of it.
    return first && first->cause != Cause::kNone ? rank_status(rank_state_bytes(file)) : first;
}

std::string text_of(const RankStatus& status) {
    constexpr std::array<std::string_view, 7> kPhases = {
        "starting", "joining the others", "training", "validating", "saving", "swapping", "ending"};
    const auto phase = static_cast<std::size_t>(status.phase);
    std::string text = fmt::format(
        "{}, episode {}", phase < kPhases.size() ? kPhases[phase] : "unknown", status.episode);
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
