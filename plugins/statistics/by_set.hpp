// What a statistic has collected of each set, and the form in which that moves to another instance.
#pragma once

#include <ptp/component.hpp>

#include <cstdint>
#include <map>

namespace measures {

// A Set has `ptp::Data save() const` and `static Set restored(const ptp::Data&)`, which throws
// ConfigError for what save() did not give.
template <class Set>
class BySet {
public:
    // That of a set begins empty.
    Set& operator[](uint64_t set) { return sets_[set]; }
    void reset(uint64_t set) { sets_[set] = {}; }

    [[nodiscard]] ptp::Data save() const {
        ptp::Data::List saved;
        for (const auto& [number, set] : sets_) {
            saved.push_back(ptp::Data::List{number, set.save()});
        }
        return saved;
    }
    void restore(const ptp::Data& saved) {
        sets_.clear();
        for (const ptp::Data& pair : saved.as_list()) {
            const ptp::Data::List& parts = pair.as_list();
            sets_[static_cast<uint64_t>(parts.at(0).as_integer())] = Set::restored(parts.at(1));
        }
    }

private:
    std::map<uint64_t, Set> sets_;
};

}  // namespace measures
