// Runs work in a child process, which may crash or exceed a time limit.

#pragma once

#include "base/explanation.hpp"
#include "base/shared_memory.hpp"
#include "base/value.hpp"
#include "engine/swap/trial.hpp"

#include <c10/util/FunctionRef.h>

#include <array>
#include <filesystem>
#include <optional>
#include <string>

namespace ptp::solo {

// A text shared by a process and its children: the last text of a child remains when it crashes.
class SharedText {
public:
    // Truncates long texts. One thread at a time.
    void set(const std::string& text);

    [[nodiscard]] std::string get() const;

private:
    SharedMemory<std::array<char, 4096>> memory_;
};

struct ChildResult {
    Value value = {};                     // the table that the work has returned
    std::optional<Explanation> end = {};  // how the process ended otherwise
    bool is_late = false;                 // it exceeded the limit
};

// Does the work in a child process, whose memory is a copy. The folder, which is made, gets the
// report of a crash. Texts of the result that are not UTF-8 lose their other characters.
ChildResult run_in_child(engine::TrialLimit limit, const std::filesystem::path& folder,
                         c10::function_ref<Value()> work);

}  // namespace ptp::solo
