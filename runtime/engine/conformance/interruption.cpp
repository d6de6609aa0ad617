#include "engine/conformance/interruption.hpp"

#include "engine/checkpoint/file.hpp"
#include "engine/conformance/lone_trial.hpp"
#include "engine/swap/trial.hpp"
#include "plugin/loader.hpp"

#include <fmt/core.h>

#include <exception>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ptp::engine {

namespace {

namespace fs = std::filesystem;
using Outcomes = std::vector<Outcome>;

constexpr std::uint64_t kSteps = 6;
constexpr std::uint64_t kInterruption = 3;  // before this step

// With what a component can be created and run, found by trying.
struct Attempt {
    std::unique_ptr<LonePipeline> pipeline;
    MadeUpReals reals = MadeUpReals::kLogProbabilities;
};

std::vector<Guess> guesses() {
    const config::Value words = config::Value::list({"a", "b", "c", "d"});
    return {{8, 4, 4}, {8, 4, words}, {32, 4, 4}, {32, 4, words}, {64, 3, 4}, {224, 4, 4}};
}

class InterruptionCheck {
public:
    InterruptionCheck(const plugin::CatalogEntry& entry, const plugin::Component& component,
                      const ptp_component_info& info, fs::path folder)
        : entry_(entry), component_(component), info_(info), folder_(std::move(folder)) {}

    ComponentVerdict verdict();

private:
    using Trial = std::unique_ptr<LoneTrial>;

    bool find_attempt();
    Trial new_trial(const char* name) const;
    Outcomes uninterrupted(const char* name) const;
    Outcomes interrupted() const;
    ComponentVerdict found(Finding finding, std::string reason) const {
        return {component_.name, finding, std::move(reason)};
    }

    const plugin::CatalogEntry& entry_;
    const plugin::Component& component_;
    const ptp_component_info& info_;
    fs::path folder_;
    Attempt attempt_;
    int attempts_ = 0;
    std::string refusal_;  // of the first attempt
};

bool InterruptionCheck::find_attempt() {
    for (const Guess& guess : guesses()) {
        for (const MadeUpReals reals :
             {MadeUpReals::kLogProbabilities, MadeUpReals::kUnitInterval}) {
            try {
                attempt_ = {std::make_unique<LonePipeline>(entry_, component_, guess), reals};
                const std::string folder = fmt::format("attempt {}", ++attempts_);
                static_cast<void>(new_trial(folder.c_str())->step(0));
                return true;
            } catch (const std::exception& error) {
                refusal_ = refusal_.empty() ? error.what() : refusal_;
            }
        }
    }
    return false;
}

InterruptionCheck::Trial InterruptionCheck::new_trial(const char* name) const {
    return std::make_unique<LoneTrial>(*attempt_.pipeline, info_,
                                       LoneTrial::Options{folder_ / name, attempt_.reals});
}

void append(Outcomes& all, Outcomes more) {
    all.insert(all.end(), std::make_move_iterator(more.begin()),
               std::make_move_iterator(more.end()));
}

// What comes of the steps from the interruption on.
Outcomes InterruptionCheck::uninterrupted(const char* name) const {
    const Trial trial = new_trial(name);
    trial->begin_set();
    Outcomes outcomes;
    for (std::uint64_t number = 0; number < kSteps; ++number) {
        Outcomes of_step = trial->step(number);
        if (number >= kInterruption) {
            append(outcomes, std::move(of_step));
        }
    }
    append(outcomes, trial->end());
    return outcomes;
}

// Another instance begins in the folder that the first has left.
Outcomes InterruptionCheck::interrupted() const {
    LoneTrial::Saved saved;
    {
        const Trial first = new_trial("interrupted");
        first->begin_set();
        for (std::uint64_t number = 0; number < kInterruption; ++number) {
            static_cast<void>(first->step(number));
        }
        saved = first->save();
    }
    const Trial second = new_trial("interrupted");
    second->restore(saved);
    Outcomes outcomes;
    for (std::uint64_t number = kInterruption; number < kSteps; ++number) {
        append(outcomes, second->step(number));
    }
    append(outcomes, second->end());
    return outcomes;
}

// The first thing in which they differ; "" if there is none.
std::string first_difference(const Outcomes& left, const Outcomes& right) {
    for (std::size_t i = 0; i < left.size() && i < right.size(); ++i) {
        if (left[i].what != right[i].what || left[i].bits != right[i].bits) {
            return left[i].what;
        }
    }
    return left.size() == right.size() ? "" : "the number of files";
}

ComponentVerdict InterruptionCheck::verdict() {
    if (!find_attempt()) {
        return found(Finding::kNotTried, refusal_);
    }
    const Outcomes whole = uninterrupted("whole");
    std::string what;
    try {
        what = first_difference(whole, interrupted());
    } catch (const std::exception& error) {
        return found(Finding::kFailed,
                     fmt::format("cannot continue after an interruption: {}", error.what()));
    }
    if (what.empty()) {
        return found(Finding::kPassed, "");
    }
    if (const auto other = first_difference(whole, uninterrupted("again")); !other.empty()) {
        return found(
            Finding::kFailed,
            fmt::format("{} differs between two runs from one seed: draw all random numbers from "
                        "the generator of ptp::Setup, libtorch's own, or ptp::Samples, and "
                        "compute without clock and addresses",
                        other));
    }
    return found(Finding::kFailed,
                 fmt::format("{} differs after an interruption: it keeps something from step to "
                             "step that is neither a parameter, nor a buffer, nor in the state "
                             "that it saves: register it with module(), or name it in state()",
                             what));
}

constexpr const char* kVerdictFile = "verdict";

void write(const ComponentVerdict& verdict, const fs::path& file) {
    replace_file(file, fmt::format("{}{}", static_cast<int>(verdict.finding), verdict.reason));
}

ComponentVerdict read(const std::string& component, const fs::path& file) {
    const std::string text = read_text(file);
    return {component, static_cast<Finding>(text.at(0) - '0'), text.substr(1)};
}

}  // namespace

ComponentVerdict check_interruption(const plugin::CatalogEntry& entry,
                                    const plugin::Component& component,
                                    const ptp_component_info& info, const fs::path& folder) {
    return InterruptionCheck(entry, component, info, folder).verdict();
}

void check_components(const CheckRequest& request, CheckResult& result) {
    const plugin::Generation plugin =
        plugin::Loader(request.folder / "copies").load(request.plugin);
    for (const plugin::Component& component : request.plugin.manifest.components) {
        const fs::path folder = request.folder / component.name;
        try {
            try_in_process(TrialLimit(request.time_limit_s), folder, [&] {
                write(check_interruption(request.plugin, component,
                                         *plugin.component(component.name), folder / "trials"),
                      folder / kVerdictFile);
            });
            result.verdicts.push_back(read(component.name, folder / kVerdictFile));
        } catch (const std::exception& error) {  // values that nobody meant for it
            result.verdicts.push_back({component.name, Finding::kNotTried, error.what()});
        }
    }
}

}  // namespace ptp::engine
