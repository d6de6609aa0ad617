// Signs arrival and loss in the store, and builds the messages that name missing processes.

#include "engine/distributed/meeting.hpp"

#include "base/error.hpp"
#include "base/explanation.hpp"
#include "base/number.hpp"
#include "base/ranges.hpp"
#include "base/text.hpp"

#include <fmt/core.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace ptp::engine {

namespace {

using std::chrono::milliseconds;
using Ranks = std::vector<std::int64_t>;

constexpr const char* kHere = "here";         // a process has arrived: its host
constexpr const char* kLost = "lost";         // it has lost another one
constexpr const char* kKnows = "knows";       // it knows which ranks are missing
constexpr const char* kAllHere = "all here";  // set by rank 0: '+' and its host, or '-' and names
constexpr char kYes = '+';
constexpr char kNo = '-';
constexpr milliseconds kRollCallOfHost{2000};  // until all notice a loss
constexpr milliseconds kRollCallOfHosts{5000};
constexpr std::size_t kMaxNamed = 8;

std::string sign_of(const char* what, std::int64_t rank) {
    return fmt::format("{}/{}", what, rank);
}

Ranks all_ranks(const distributed::Place& place) {
    Ranks ranks;
    for (std::int64_t rank = 0; rank < place.size; ++rank) {
        ranks.push_back(rank);
    }
    return ranks;
}

// Returns the ranks that have not signed within the limit, nullopt if the store does not answer.
std::optional<Ranks> ranks_without(const char* sign, const Ranks& ranks, RankStore& store,
                                   milliseconds limit = {}) {
    const std::vector<std::string> keys =
        transformed(ranks, [&](const std::int64_t rank) { return sign_of(sign, rank); });
    const auto texts = store.read(keys, limit);
    if (!texts) {
        return std::nullopt;
    }
    Ranks absent;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        if (!texts->at(i)) {
            absent.push_back(ranks[i]);
        }
    }
    return absent;
}

// Waits in rank 0, with which the store ends, until all but these know which ranks are missing.
void wait_for_readers(const distributed::Place& place, const Ranks& absent, RankStore& store,
                      milliseconds limit) {
    Ranks readers = all_ranks(place);
    std::erase_if(readers, [&](std::int64_t rank) {
        return rank == 0 || std::ranges::count(absent, rank) > 0;
    });
    static_cast<void>(ranks_without(kKnows, readers, store, limit));
}

std::string name_of(std::int64_t rank, const std::string& host) {
    return fmt::format("rank {}{}", rank, host.empty() ? "" : " on " + host);
}

// Returns "rank 1, rank 2 and 3 more have not connected".
std::string sentence(std::vector<std::string> names, const char* one, const char* several) {
    const char* const verb = names.size() == 1 ? one : several;
    if (names.size() > kMaxNamed) {
        const std::size_t more = names.size() - kMaxNamed;
        names.resize(kMaxNamed);
        names.push_back(fmt::format("{} more", more));
    }
    const std::string last = names.back();
    names.pop_back();
    return join(names, ", ") + (names.empty() ? "" : " and ") + last + verb;
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

std::string not_connected(const Ranks& ranks) {
    if (ranks.empty()) {  // they have just arrived, too late
        return "the other ranks have not connected";
    }
    const std::vector<std::string> names =
        transformed(ranks, [](const std::int64_t rank) { return name_of(rank, ""); });
    return sentence(names, " has not connected", " have not connected");
}

// Called in rank 0: informs the others, and does not end before they know.
void announce_arrivals(const distributed::Place& place, RankStore& store, milliseconds limit) {
    const auto absent = ranks_without(kHere, all_ranks(place), store, limit);
    if (absent && absent->empty() && store.put(kAllHere, kYes + place.host)) {
        return;
    }
    const std::string who = not_connected(absent.value_or(Ranks()));
    if (absent && store.put(kAllHere, kNo + who)) {
        wait_for_readers(place, *absent, store, kRollCallOfHost);
    }
    throw missing_error(place, who, limit);
}

// Called in the others. Returns the host of rank 0.
std::string wait_for_all(const distributed::Place& place, RankStore& store, milliseconds limit) {
    const auto announced = store.read({kAllHere}, limit);
    std::string who;
    if (announced && announced->front()) {
        who = announced->front()->substr(1);
        if (announced->front()->starts_with(kYes)) {
            return who;
        }
        store.put(sign_of(kKnows, place.rank), "");
    } else {  // The limit is exceeded, or rank 0 has ended.
        const auto absent = ranks_without(kHere, all_ranks(place), store);
        who = absent ? not_connected(*absent) : "rank 0 does not answer";
    }
    throw missing_error(place, who, limit);
}

}  // namespace

Meeting::Meeting(const distributed::Place& place, milliseconds limit) : place_(place) {
    try {
        store_ = RankStore::open(place, place.is_first(), limit);
    } catch (const RunError&) {  // The secret cannot be had.
        throw;
    } catch (const CannotListen& error) {
        throw WithFix<RunError>(
            kPeerLost, {fmt::format("rank 0 on {} cannot listen at {}:{} ({})", place.host,
                                    place.address, place.port, error.what()),
                        "choose a MASTER_PORT that no other program uses, and a MASTER_ADDR of "
                        "this machine"});
    } catch (const std::exception& error) {
        if (place.is_first()) {
            throw WithFix<RunError>(
                kPeerLost,
                {fmt::format("rank 0 on {} listens, but cannot connect with itself at {}:{} ({})",
                             place.host, place.address, place.port, error.what()),
                 "choose a MASTER_ADDR that rank 0 reaches, too"});
        }
        throw missing_error(place, fmt::format("cannot connect with rank 0 ({})", error.what()),
                            limit);
    }
    store_->put(sign_of(kHere, place.rank), place.host);
    if (place.is_first()) {
        announce_arrivals(place, *store_, limit);
    } else {
        host_of_first_ = wait_for_all(place, *store_, limit);
    }
}

std::string Meeting::roll_call() const {
    const std::string lost_first = name_of(0, host_of_first_) + " does not answer";
    const milliseconds limit = place_.is_one_host() ? kRollCallOfHost : kRollCallOfHosts;
    const auto store = store_->another();  // the first one may still be waiting for an answer
    if (!store->put(sign_of(kLost, place_.rank), "")) {
        return lost_first;
    }
    const auto absent = ranks_without(kLost, all_ranks(place_), *store, limit);
    if (!absent) {
        return lost_first;
    }
    std::vector<std::string> names;
    for (const std::int64_t rank : *absent) {
        const auto host = store->read({sign_of(kHere, rank)});
        names.push_back(name_of(rank, host && host->front() ? *host->front() : ""));
    }
    store->put(sign_of(kKnows, place_.rank), "");
    if (place_.is_first()) {
        wait_for_readers(place_, *absent, *store, limit);
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
