// Observes the other processes for a while and determines the one to blame, and converts reports
// for the store.

#include "distributed/peers.hpp"

#include "base/json.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <string_view>
#include <thread>
#include <utility>

namespace ptp::distributed {

namespace {

constexpr std::chrono::milliseconds kPeerLook{100};

std::string first_line(const std::string& text) {
    return text.substr(0, text.find('\n'));
}

// Returns true also for one without a waiting parent, which is a zombie.
bool has_process_ended(std::int64_t pid) {
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

std::string named(const Peer& peer, std::int64_t size) {
    return fmt::format("rank {} of {} on {}", peer.rank, size, peer.report.host);
}

// The knowledge about the processes, from the first look on.
class Look {
public:
    Look(const Place& place, PeerView& view) : place_(place), view_(view) {
        for (std::int64_t rank = 0; rank < place.size; ++rank) {
            if (rank == place.rank) {
                continue;
            }
            if (auto report = view.read(rank)) {
                const std::uint64_t beats = report->beats;
                peers_.push_back({.rank = rank, .report = std::move(*report), .is_silent = true});
                first_beats_.push_back(beats);
            }
        }
    }

    void again() {
        for (std::size_t i = 0; i < peers_.size(); ++i) {
            Peer& peer = peers_[i];
            if (auto report = view_.read(peer.rank)) {
                peer.is_silent = peer.is_silent && report->beats == first_beats_[i];
                peer.report = std::move(*report);
            }
            peer.has_ended = peer.report.host == place_.host && view_.is_gone(peer.report.pid);
        }
    }

    // Returns whether one has certainly failed, or was ended.
    [[nodiscard]] bool is_clear() const {
        return std::ranges::any_of(peers_, [](const Peer& peer) {
            return peer.report.cause == Cause::kOwn || peer.report.cause == Cause::kHung ||
                   (peer.has_ended && peer.report.cause == Cause::kNone);
        });
    }

    [[nodiscard]] const std::vector<Peer>& peers() const { return peers_; }

private:
    const Place& place_;
    PeerView& view_;
    std::vector<Peer> peers_;
    std::vector<std::uint64_t> first_beats_;
};

}  // namespace

PeerReport report_of(const RankStatus& status) {
    return {.host = status.host,
            .pid = status.pid,
            .beats = status.beats,
            .is_in_collective = !status.collective.empty(),
            .cause = status.cause,
            .error = first_line(status.error),
            .activity = text_of(status)};
}

std::string packed(const PeerReport& report) {
    return ptp::text_of(Json{{"host", report.host},
                             {"pid", report.pid},
                             {"beats", report.beats},
                             {"is_in_collective", report.is_in_collective},
                             {"cause", static_cast<std::uint32_t>(report.cause)},
                             {"error", first_line(report.error)},
                             {"activity", first_line(report.activity)}});
}

std::optional<PeerReport> unpacked(const std::string& text) try {
    const Json json = parsed_json(text).value_or(Json());
    const auto cause = json.at("cause").get<std::uint32_t>();
    if (cause > static_cast<std::uint32_t>(Cause::kHung)) {
        return std::nullopt;
    }
    return PeerReport{.host = json.at("host").get<std::string>(),
                      .pid = json.at("pid").get<std::int64_t>(),
                      .beats = json.at("beats").get<std::uint64_t>(),
                      .is_in_collective = json.at("is_in_collective").get<bool>(),
                      .cause = static_cast<Cause>(cause),
                      .error = json.at("error").get<std::string>(),
                      .activity = json.at("activity").get<std::string>()};
} catch (const Json::exception&) {  // another member, or another type
    return std::nullopt;
}

std::optional<std::string> blamed(const std::vector<Peer>& peers, std::int64_t size) {
    const auto find = [&](auto is_it) -> const Peer* {
        const auto found = std::ranges::find_if(peers, [&](const Peer& peer) {
            return peer.report.cause != Cause::kPeer && is_it(peer);
        });
        return found == peers.end() ? nullptr : &*found;
    };
    if (const auto* peer = find([](const Peer& one) { return one.report.cause == Cause::kOwn; })) {
        return fmt::format("{} has failed: {} ({})", named(*peer, size), peer->report.error,
                           peer->report.activity);
    }
    const auto silent = [size](const Peer& peer) {
        return fmt::format("{} gives no sign of life: it is stopped, or cannot be reached ({})",
                           named(peer, size), peer.report.activity);
    };
    if (const auto* peer = find([](const Peer& one) { return one.report.cause == Cause::kHung; })) {
        return silent(*peer);
    }
    if (const auto* peer = find([](const Peer& one) { return one.has_ended; })) {
        return fmt::format("{} has ended without an error, as if killed ({})", named(*peer, size),
                           peer->report.activity);
    }
    if (const auto* peer = find([](const Peer& one) { return one.is_silent; })) {
        return silent(*peer);
    }
    if (const auto* peer = find([](const Peer& one) { return !one.report.is_in_collective; })) {
        return fmt::format("{} has not come to where the others wait for it ({})",
                           named(*peer, size), peer->report.activity);
    }
    return std::nullopt;
}

bool PeerView::is_gone(std::int64_t pid) {
    return has_process_ended(pid);
}

void PeerView::wait(std::chrono::milliseconds time) {
    std::this_thread::sleep_for(time);
}

std::optional<std::string> find_blamed(const Place& place, PeerView& view,
                                       std::chrono::milliseconds limit) {
    Look look(place, view);
    look.again();
    for (auto passed = kPeerLook; !look.is_clear() && passed <= limit; passed += kPeerLook) {
        view.wait(kPeerLook);
        look.again();
    }
    return blamed(look.peers(), place.size);
}

}  // namespace ptp::distributed
