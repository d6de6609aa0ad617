// All that the builds of mischief.cpp do wrong, and what is said of each.
#pragma once

#include <string>
#include <vector>

namespace ptp::test {

// How long a component may take in a swap. With a sanitizer a process takes several times as long.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr int kTimeLimitSeconds = 20;
#else
inline constexpr int kTimeLimitSeconds = 2;
#endif

struct Mischief {
    std::string name;
    std::string phase_and_reason;
};

const std::vector<Mischief>& mischiefs();

// Those that end the process in which they are tried, or never end.
const std::vector<Mischief>& deadly_mischiefs();

// Those that end or stop the process in which they are loaded.
const std::vector<Mischief>& deadly_when_loaded();

// A build whose manifest, or another text in the file, is another: `left` becomes `right`, which is
// filled up with spaces, so that all stays where it is.
struct Forgery {
    std::string name;
    std::string left;
    std::string right;
    std::string phase_and_reason;
};

const std::vector<Forgery>& forgeries();

}  // namespace ptp::test
