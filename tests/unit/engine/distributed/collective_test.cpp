// Tests that the first process acts for all, and that one checkpoint has the states of all.

#include "engine/distributed/collective.hpp"

#include "engine/distributed/packed_state.hpp"
#include "unit/engine/distributed/ranks.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace collective_test {

using ptp::engine::Collective;
using ptp::engine::SavedState;
using ptp::test::run_collectives;

namespace {

using Texts = std::vector<std::string>;

SavedState numbered(std::uint64_t number) {
    SavedState state;
    state.record.set("number", number);
    return state;
}

std::int64_t number_in(const SavedState& state) {
    return ptp::engine::integer_in(state.record, "number");
}

SavedState saved_by(Collective& all) {
    SavedState saved = numbered(all.rank());
    add_ranks(saved, all, "a state", [&] { return numbered(10 * all.rank()); });
    return saved;
}

}  // namespace

TEST_CASE("collective: a single process decides alone, and asks no others") {
    Collective alone;
    Texts done;
    alone.on_first([&] { done.emplace_back("first"); });
    alone.on_others([&] { done.emplace_back("other"); });
    const auto make = [&] {
        done.emplace_back("made");
        return std::string("text");
    };
    CHECK(alone.from_others("a test", make).empty());
    CHECK(done == Texts{"first"});
    CHECK(alone.from_first("a test", make) == "text");
    CHECK(done == Texts{"first", "made"});
    CHECK(alone.name() == "this process");
}

TEST_CASE("collective: the text of the first process is that of all, and it alone has the others") {
    std::mutex mutex;
    std::vector<Texts> known(3);
    run_collectives(3, [&](Collective& all) {
        const auto name = [&] { return all.name(); };
        Texts own = all.from_others("the names", name);
        own.push_back(all.from_first("a name", name));
        all.on_first([&] { own.emplace_back("first"); });
        all.on_others([&] { own.emplace_back("other"); });
        const std::lock_guard<std::mutex> lock(mutex);
        known[all.rank()] = own;
    });
    const std::string first = "rank 0 of 3 on here";
    CHECK(known[0] == Texts{"rank 1 of 3 on here", "rank 2 of 3 on here", first, "first"});
    CHECK(known[1] == Texts{first, "other"});
    CHECK(known[2] == Texts{first, "other"});
}

TEST_CASE("states of ranks: the first process saves those of all, and each finds its own") {
    std::mutex mutex;
    SavedState whole;
    std::vector<std::int64_t> own(3, -1);
    run_collectives(3, [&](Collective& all) {
        const SavedState saved = saved_by(all);
        const std::lock_guard<std::mutex> lock(mutex);
        all.on_first([&] { whole = saved; });
    });
    CHECK(rank_count(whole) == 3);
    CHECK(number_in(whole) == 0);
    CHECK(number_in(part_of_rank(whole, 2)) == 20);
    run_collectives(3, [&](Collective& all) {
        const std::optional<SavedState> found = own_part(whole, all);
        const std::lock_guard<std::mutex> lock(mutex);
        own[all.rank()] = found ? number_in(*found) : -1;
    });
    CHECK(own == std::vector<std::int64_t>{-1, 10, 20});
}

TEST_CASE("states of ranks: another number of processes has no parts of its own") {
    Collective alone;
    const SavedState saved = saved_by(alone);
    CHECK(saved.record == numbered(0).record);
    CHECK(rank_count(saved) == 1);
    std::mutex mutex;
    std::size_t found = 0;
    run_collectives(2, [&](Collective& all) {
        const std::lock_guard<std::mutex> lock(mutex);
        found += own_part(saved, all) ? 1 : 0;
    });
    CHECK(found == 0);
}

}  // namespace collective_test
