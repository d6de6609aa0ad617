// Observes the other processes for a while and determines the one to blame.

#include "distributed/peers.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <thread>
#include <utility>
#include <vector>

namespace ptp::distributed {

namespace {

constexpr std::chrono::milliseconds kPeerLook{100};

// A process, observed for a while.
struct Peer {
    std::int64_t rank = 0;
    RankStatus status;
    std::uint64_t first_beats = 0;  // at the first look
    bool has_ended = false;         // according to this host's system
};

// Returns whether one has certainly failed, or was ended.
bool is_clear(const Peer& peer) {
    const Cause cause = peer.status.cause;
    return cause == Cause::kOwn || cause == Cause::kHung ||
           (peer.has_ended && cause == Cause::kNone);
}

// Returns a reason to blame this peer, the surest one, with the number of surer reasons; nullopt
// if there is none.
std::optional<std::pair<int, std::string>> reason_for(const Peer& peer) {
    const RankStatus& status = peer.status;
    constexpr const char* kSilent = "gives no sign of life: it is stopped, or cannot be reached";
    if (status.cause == Cause::kPeer) {
        return std::nullopt;
    }
    if (status.cause == Cause::kOwn) {
        return std::pair(0, "has failed: " + status.error.substr(0, status.error.find('\n')));
    }
    if (status.cause == Cause::kHung) {
        return std::pair(1, kSilent);
    }
    if (peer.has_ended) {
        return std::pair(2, "has ended without an error, as if killed");
    }
    if (status.beats == peer.first_beats) {
        return std::pair(3, kSilent);
    }
    if (status.collective.empty()) {
        return std::pair(4, "has not come to where the others wait for it");
    }
    return std::nullopt;
}

std::optional<std::string> blamed(const std::vector<Peer>& peers, std::int64_t size) {
    const Peer* culprit = nullptr;
    std::optional<std::pair<int, std::string>> surest;
    for (const Peer& peer : peers) {
        auto reason = reason_for(peer);
        if (reason && (!surest || reason->first < surest->first)) {
            surest = std::move(reason);
            culprit = &peer;
        }
    }
    return surest ? std::optional(fmt::format("rank {} of {} on {} {} ({})", culprit->rank, size,
                                              culprit->status.host, surest->second,
                                              text_of(culprit->status)))
                  : std::nullopt;
}

}  // namespace

// Returns true also for one without a waiting parent, which is a zombie.
bool PeerView::is_gone(std::int64_t pid) {
    if (kill(static_cast<pid_t>(pid), 0) != 0 && errno == ESRCH) {
        return true;
    }
    std::ifstream file(fmt::format("/proc/{}/stat", pid));
    std::string text;
    std::getline(file, text);
    const std::size_t name_end = text.rfind(") ");
    return name_end != std::string::npos && name_end + 2 < text.size() &&
           (text[name_end + 2] == 'Z' || text[name_end + 2] == 'X');
}

void PeerView::wait(std::chrono::milliseconds time) {
    std::this_thread::sleep_for(time);
}

std::optional<std::string> find_blamed(const Place& place, PeerView& view,
                                       std::chrono::milliseconds limit) {
    std::vector<Peer> peers;
    for (std::int64_t rank = 0; rank < place.size; ++rank) {
        auto status = rank == place.rank ? std::nullopt : view.read(rank);
        if (status) {
            const std::uint64_t beats = status->beats;
            peers.push_back({.rank = rank, .status = *std::move(status), .first_beats = beats});
        }
    }
    for (auto passed = kPeerLook;; passed += kPeerLook) {
        for (Peer& peer : peers) {
            peer.status = view.read(peer.rank).value_or(peer.status);
            peer.has_ended = peer.status.host == place.host && view.is_gone(peer.status.pid);
        }
        if (passed > limit || std::ranges::any_of(peers, is_clear)) {
            return blamed(peers, place.size);
        }
        view.wait(kPeerLook);
    }
}

}  // namespace ptp::distributed
