// What a component counts of each set: of training, validation and test.
#pragma once

#include <ptp/state.hpp>

#include <cstdint>
#include <map>

namespace ptp {

// Set is what is counted: one of the types in ptp/state.hpp, most often a struct with state(). (One
// with `Data save() const` and `static Set restored(const Data&)` will do too.)
//
//   void forward(..., const ptp::Step& step) { sets_[step.set()].samples += ...; }
//   std::array<double, 1> aggregate(uint64_t set) { return {sets_[set].samples}; }
//   void reset(uint64_t set) { sets_.reset(set); }
template <class Set>
class BySet {
public:
    // That of a set begins as Set{}.
    Set& operator[](std::uint64_t set) { return sets_[set]; }
    void reset(std::uint64_t set) { sets_[set] = Set{}; }

    // For components with an export_state() of their own.
    [[nodiscard]] Data save() const { return saved(sets_); }
    void restore(const Data& data) { ptp::restore(data, sets_); }

    static constexpr auto state() { return kept(&BySet::sets_); }

private:
    std::map<std::uint64_t, Set> sets_;
};

}  // namespace ptp
