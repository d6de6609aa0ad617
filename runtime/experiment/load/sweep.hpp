// Several values for one key from the command line: `--set lr=0.1,0.01`.
//
// A value that is TOML as a whole is one value: `[1, 2]`, `"a,b"`. One that is not, and has commas
// outside of quotes and brackets, is a list of the values between the commas.

#pragma once

#include "base/diagnostics.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace ptp::experiment {

// The overrides, "key=value", that one expands to: itself alone unless it has several values.
// Reports a value that is empty. `index` is the override's position among all, from 0 on.
std::vector<std::string> alternatives(const std::string& text, std::size_t index,
                                      Diagnostics& problems);

bool has_alternatives(const std::vector<std::string>& overrides);

// One experiment of a sweep.
struct SweepPoint {
    std::vector<std::string> overrides;  // one for each of the sweep's, in their order
    std::string label;                   // of what is swept: "lr=0.1 seed=2"; "" for no sweep
};

// What a point is called by: the last part of the key, or all of it where another of the keys that
// vary ends alike.
std::string short_key(const std::string& key, const std::vector<std::string>& all);

// All combinations, the last override varying first. More than 10000 are reported, as is a key that
// two of the overrides set.
std::vector<SweepPoint> sweep_points(const std::vector<std::string>& overrides,
                                     Diagnostics& problems);

// The label as the name of a file: "lr=0.1_seed=2", at most 100 bytes.
std::string file_name(const SweepPoint& point);

}  // namespace ptp::experiment
