// Signs arrival and loss in the store, and builds the messages that name missing processes.

#include "engine/distributed/meeting.hpp"

#include "base/error.hpp"
#include "base/explanation.hpp"
#include "base/number.hpp"
#include "engine/distributed/board.hpp"
#include "engine/distributed/rank_store.hpp"

#include <fmt/core.h>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <thread>
#include <vector>

namespace ptp::engine {

namespace {

using std::chrono::milliseconds;
using MeetingClock = std::chrono::steady_clock;

constexpr const char* kHere = "here";         // a process has arrived: its host
constexpr const char* kLost = "lost";         // it has lost another one
constexpr const char* kKnows = "knows";       // it knows which ranks are missing
constexpr const char* kAllHere = "all here";  // set by rank 0: '+' and its host, or '-' and names
constexpr char kYes = '+';
constexpr char kNo = '-';
constexpr milliseconds kStorePatience{1000};   // for one call of the store
constexpr milliseconds kRollCallOfHost{2000};  // until all notice a loss
constexpr milliseconds kRollCallOfHosts{5000};
constexpr milliseconds kRollCallLook{100};
constexpr std::size_t kMaxNamed = 8;

std::string sign_of(const char* what, std::int64_t rank) {
    return fmt::format("{}/{}", what, rank);
}

std::vector<std::string> keys_of_all(const char* what, const distributed::Place& place) {
    std::vector<std::string> keys;
    for (std::int64_t rank = 0; rank < place.size; ++rank) {
        keys.push_back(sign_of(what, rank));
    }
    return keys;
}

std::vector<std::uint8_t> store_bytes(const std::string& text) {
    return {text.begin(), text.end()};
}

std::string store_text(const std::vector<std::uint8_t>& bytes) {
    return {bytes.begin(), bytes.end()};
}

std::string name_of(std::int64_t rank, const std::string& host) {
    return fmt::format("rank {}{}", rank, host.empty() ? "" : " on " + host);
}

// Returns "rank 1, rank 2 and 3 more have not connected".
std::string sentence(const std::vector<std::string>& names, const char* one, const char* several) {
    std::vector<std::string> parts(
        names.begin(),
        names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), kMaxNamed)));
    if (names.size() > kMaxNamed) {
        parts.push_back(fmt::format("{} more", names.size() - kMaxNamed));
    }
    std::string text;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        text += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
    }
    return text + (names.size() == 1 ? one : several);
}

using RankTexts = std::vector<std::optional<std::string>>;

// Returns the ranks without a text.
std::vector<std::int64_t> ranks_without(const RankTexts& texts) {
    std::vector<std::int64_t> ranks;
    for (std::size_t i = 0; i < texts.size(); ++i) {
        if (!texts[i]) {
            ranks.push_back(static_cast<std::int64_t>(i));
        }
    }
    return ranks;
}

// Polls until all have signed, or until the limit; returns nullopt if the store does not answer.
std::optional<std::vector<std::int64_t>> ranks_absent(const Board& board,
                                                      const std::vector<std::string>& keys,
                                                      milliseconds limit) {
    for (const auto deadline = MeetingClock::now() + limit;;) {
        const auto texts = board.read(keys, kStorePatience);
        if (!texts) {
            return std::nullopt;
        }
        std::vector<std::int64_t> ranks = ranks_without(*texts);
        if (ranks.empty() || MeetingClock::now() >= deadline) {
            return ranks;
        }
        std::this_thread::sleep_for(kRollCallLook);
    }
}

WithFix<RunError> missing_error(const distributed::Place& place, const std::string& who,
                                milliseconds limit) {
    return {kPeerLost,
            {fmt::format("rank {} of {} on {}: {} at {}:{} within {} s", place.rank, place.size,
                         place.host, who, place.address, place.port, in_seconds(limit)),
             fmt::format("look at what the other ranks report; each must be started, with the same "
                         "MASTER_ADDR and MASTER_PORT, and reach that address; where they start at "
                         "very different times, set distributed.timeout to more than {} s",
                         kMinConnecting.count())}};
}

std::string not_connected(const std::vector<std::int64_t>& ranks) {
    if (ranks.empty()) {  // they have just arrived, too late
        return "the other ranks have not connected";
    }
    std::vector<std::string> names;
    for (const std::int64_t rank : ranks) {
        names.push_back(name_of(rank, ""));
    }
    return sentence(names, " has not connected", " have not connected");
}

// Called in rank 0: informs the others, and does not end before they know.
void announce_arrivals(const distributed::Place& place, c10d::Store& store, milliseconds limit) {
    bool has_come = true;
    try {
        store.wait(keys_of_all(kHere, place), limit);
    } catch (const std::exception&) {  // the limit is exceeded
        has_come = false;
    }
    if (has_come) {
        store.set(kAllHere, store_bytes(kYes + place.host));
        return;
    }
    auto board = Board::open(place, kStorePatience);
    const auto texts =
        board ? board->read(keys_of_all(kHere, place), kStorePatience) : std::nullopt;
    const std::string who =
        not_connected(texts ? ranks_without(*texts) : std::vector<std::int64_t>());
    if (board && texts && board->put(kAllHere, kNo + who, kStorePatience)) {
        std::vector<std::string> readers;
        for (std::int64_t rank = 1; rank < place.size; ++rank) {
            if (texts->at(static_cast<std::size_t>(rank))) {
                readers.push_back(sign_of(kKnows, rank));
            }
        }
        ranks_absent(*board, readers, kRollCallOfHost);
    }
    throw missing_error(place, who, limit);
}

// Called in the others. Returns the host of rank 0.
std::string wait_for_all(const distributed::Place& place, c10d::Store& store, milliseconds limit) {
    std::string who;
    try {
        who = store_text(store.get(kAllHere));  // waits until it exists
        const bool are_here = who.starts_with(kYes);
        who.erase(0, 1);
        if (are_here) {
            return who;
        }
        store.set(sign_of(kKnows, place.rank), store_bytes(""));
    } catch (const std::exception&) {  // The limit is exceeded, or rank 0 has ended.
        const auto board = Board::open(place, kStorePatience);
        const auto texts =
            board ? board->read(keys_of_all(kHere, place), kStorePatience) : std::nullopt;
        who = texts ? not_connected(ranks_without(*texts)) : "rank 0 does not answer";
    }
    throw missing_error(place, who, limit);
}

}  // namespace

Meeting::Meeting(const distributed::Place& place, milliseconds limit) : place_(place) {
    try {
        store_ = open_store(place, place.is_first(), limit);
        store_->set(sign_of(kHere, place.rank), store_bytes(place.host));
    } catch (const RunError&) {  // The secret cannot be had.
        throw;
    } catch (const CannotListen& error) {
        throw WithFix<RunError>(
            kPeerLost, {fmt::format("rank 0 on {} cannot listen at {}:{} ({})", place.host,
                                    place.address, place.port, error.what()),
                        "choose a MASTER_PORT that no other program uses, and a MASTER_ADDR of "
                        "this machine"});
    } catch (const std::exception& error) {
        const std::string reason = text_of(error);
        if (place.is_first()) {
            throw WithFix<RunError>(
                kPeerLost,
                {fmt::format("rank 0 on {} listens, but cannot connect with itself at {}:{} ({})",
                             place.host, place.address, place.port, reason),
                 "choose a MASTER_ADDR that rank 0 reaches, too"});
        }
        throw missing_error(place, "cannot connect with rank 0 (" + reason + ")", limit);
    }
    if (place.is_first()) {
        announce_arrivals(place, *store_, limit);
    } else {
        host_of_first_ = wait_for_all(place, *store_, limit);
    }
}

std::string Meeting::roll_call() const {
    const std::string lost_first = sentence({name_of(0, host_of_first_)}, " does not answer", "");
    const milliseconds limit = place_.is_one_host() ? kRollCallOfHost : kRollCallOfHosts;
    // A separate connection: the other one may still be waiting for an answer.
    auto board = Board::open(place_, kStorePatience);
    if (!board || !board->put(sign_of(kLost, place_.rank), "", kStorePatience)) {
        return lost_first;
    }
    const auto ranks = ranks_absent(*board, keys_of_all(kLost, place_), limit);
    if (!ranks) {
        return lost_first;
    }
    std::vector<std::string> names;
    for (const std::int64_t rank : *ranks) {
        const auto host = board->read({sign_of(kHere, rank)}, kStorePatience);
        names.push_back(name_of(rank, host && host->front() ? *host->front() : ""));
    }
    board->put(sign_of(kKnows, place_.rank), "", kStorePatience);
    if (place_.is_first()) {  // The store ends with this process.
        std::vector<std::string> readers;
        for (std::int64_t rank = 1; rank < place_.size; ++rank) {
            if (std::ranges::find(*ranks, rank) == ranks->end()) {
                readers.push_back(sign_of(kKnows, rank));
            }
        }
        ranks_absent(*board, readers, limit);
    }
    return names.empty() ? "" : sentence(names, " does not answer", " do not answer");
}

std::string Meeting::cause_of(const std::exception& error) const {
    const std::string missing = roll_call();
    return missing.empty() ? text_of(error) : missing;
}

std::string text_of(const std::exception& error) {
    const auto* const torch = dynamic_cast<const c10::Error*>(&error);
    return torch == nullptr ? error.what() : torch->what_without_backtrace();
}

std::string in_seconds(milliseconds time) {
    return exact_text(static_cast<double>(time.count()) / 1000);
}

}  // namespace ptp::engine
