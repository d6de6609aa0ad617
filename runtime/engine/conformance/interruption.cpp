#include "engine/conformance/interruption.hpp"

#include <fmt/core.h>

#include <cstdint>
#include <exception>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

namespace ptp::engine {

namespace {

namespace fs = std::filesystem;
using Outcomes = std::vector<Outcome>;

constexpr std::uint64_t kSteps = 6;         // of training; then one of evaluation
constexpr std::uint64_t kInterruption = 3;  // before this step

void append(Outcomes& all, Outcomes more) {
    all.insert(all.end(), std::make_move_iterator(more.begin()),
               std::make_move_iterator(more.end()));
}

class Comparison {
public:
    Comparison(const Attempt& attempt, const ptp_component_info& info, fs::path folder)
        : attempt_(attempt), info_(info), folder_(std::move(folder)) {}

    [[nodiscard]] std::string problem() const;

private:
    using Trial = std::unique_ptr<LoneTrial>;

    [[nodiscard]] Trial new_trial(const char* name) const {
        return std::make_unique<LoneTrial>(*attempt_.pipeline, info_,
                                           LoneTrial::Options{folder_ / name, attempt_.reals});
    }

    // What comes of the steps from the interruption on.
    static Outcomes rest(LoneTrial& trial) {
        Outcomes outcomes;
        for (std::uint64_t number = kInterruption; number < kSteps; ++number) {
            append(outcomes, trial.step(number));
        }
        append(outcomes, trial.evaluation(kSteps));
        append(outcomes, trial.end());
        return outcomes;
    }

    static void begin(LoneTrial& trial) {
        trial.begin_set();
        for (std::uint64_t number = 0; number < kInterruption; ++number) {
            static_cast<void>(trial.step(number));
        }
    }

    [[nodiscard]] Outcomes uninterrupted(const char* name) const {
        const Trial trial = new_trial(name);
        begin(*trial);
        return rest(*trial);
    }

    // Another instance begins in the folder that the first has left.
    [[nodiscard]] Outcomes interrupted() const {
        LoneTrial::Saved saved;
        {
            const Trial first = new_trial("interrupted");
            begin(*first);
            saved = first->save();
        }
        const Trial second = new_trial("interrupted");
        second->restore(saved);
        return rest(*second);
    }

    const Attempt& attempt_;
    const ptp_component_info& info_;
    fs::path folder_;
};

// The first thing in which they differ; "" if there is none.
std::string first_difference(const Outcomes& left, const Outcomes& right) {
    for (std::size_t i = 0; i < left.size() && i < right.size(); ++i) {
        if (left[i].what != right[i].what || left[i].bits != right[i].bits) {
            return left[i].what;
        }
    }
    return left.size() == right.size() ? "" : "the number of files";
}

std::string Comparison::problem() const {
    const Outcomes whole = uninterrupted("whole");
    std::string what;
    try {
        what = first_difference(whole, interrupted());
    } catch (const std::exception& error) {
        return fmt::format("cannot continue after an interruption: {}", error.what());
    }
    if (what.empty()) {
        return "";
    }
    if (const auto other = first_difference(whole, uninterrupted("again")); !other.empty()) {
        return fmt::format(
            "{} differs between two runs from one seed: draw all random numbers from the generator "
            "of "
            "ptp::Setup, libtorch's own, or ptp::Samples, and compute without clock and addresses",
            other);
    }
    return fmt::format(
        "{} differs after an interruption: it keeps something from step to step that is neither a "
        "parameter, nor a buffer, nor in the state that it saves: register it with module(), or "
        "name it "
        "in state()",
        what);
}

}  // namespace

std::string interruption_problem(const Attempt& attempt, const ptp_component_info& info,
                                 const fs::path& folder) {
    return Comparison(attempt, info, folder).problem();
}

}  // namespace ptp::engine
