// Counts of a component for each set: training, validation and test.
#pragma once

#include <ptp/state.hpp>

#include <cstdint>
#include <map>

namespace ptp {

// The counts of each set. Set is the type of the counts: one of the types in ptp/state.hpp, usually
// a struct with state(). (A type with `Data save() const` and `static Set restored(const Data&)`
// works too.)
//
//   void forward(..., const ptp::Step& step) { sets_[step.set()].samples += ...; }
//   std::array<double, 1> aggregate(uint64_t set) { return {sets_[set].samples}; }
//   void reset(uint64_t set) { sets_.reset(set); }
template <class Set>
class BySet {
public:
    // Returns the counts of a set, initially Set{}.
    Set& operator[](std::uint64_t set) { return sets_[set]; }
    void reset(std::uint64_t set) { sets_[set] = Set{}; }

    // Convert the counts to data and back, for components with their own export_state().
    [[nodiscard]] Data save() const { return saved(sets_); }
    void restore(const Data& data) { ptp::restore(data, sets_); }

    static constexpr auto state() { return kept(&BySet::sets_); }

private:
    std::map<std::uint64_t, Set> sets_;
};

}  // namespace ptp
