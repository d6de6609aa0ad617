#include "experiment/read_swapping.hpp"

#include "base/suggest.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

namespace ptp::experiment {

namespace {

constexpr const char* kSame = "same";
constexpr const char* kMayChange = "may_change";
constexpr std::array<const char*, 3> kRehearsals = {"off", "thread", "process"};  // by their number

// The keys as written.
struct Words {
    std::string numbers;
    std::string rehearse;
    Duration time_limit;

    explicit Words(const Swapping& swapping)
        : numbers(swapping.must_keep_numbers ? kSame : kMayChange),
          rehearse(kRehearsals.at(static_cast<std::size_t>(swapping.rehearsal))),
          time_limit(swapping.time_limit) {}

    std::vector<Field> fields(Swapping& swapping) {
        return {{.name = "components",
                 .into = &swapping.components,
                 .help = "that may be swapped, and sections whose tasks may; by default all of "
                         "them, none with []",
                 .is_unique = true},
                {.name = "numbers",
                 .into = &numbers,
                 .help = "same: refuses a swap that changes a bit of the rehearsal's loss or "
                         "gradients",
                 .choices = {kMayChange, kSame}},
                {.name = "rehearse",
                 .into = &rehearse,
                 .help = "one batch before it counts: off, thread, or a process of its own, which "
                         "survives a crash",
                 .choices = {kRehearsals.begin(), kRehearsals.end()}},
                {.name = "time_limit",
                 .into = &time_limit,
                 .help = "for loading a build; for a rehearsal in a process, too"}};
    }

    void put_into(Swapping& swapping) const {
        const auto* const found = std::ranges::find(kRehearsals, rehearse);
        swapping.must_keep_numbers = numbers == kSame;
        swapping.rehearsal = static_cast<Rehearsal>(found - kRehearsals.begin());
        swapping.time_limit = time_limit;
    }
};

// Returns the names for which a swap can be allowed.
std::vector<std::string> names_in(const Experiment& experiment) {
    std::vector<std::string> names;
    for (const ComponentEntry& component : experiment.pipeline.components) {
        names.push_back(component.name);
    }
    for (const Section* section : run_sections(experiment)) {
        names.push_back(section->name);
    }
    return names;
}

void check_components(const Scope& scope, const Experiment& experiment, const Swapping& swapping) {
    const std::vector<std::string> known = names_in(experiment);
    for (std::size_t i = 0; swapping.components && i < swapping.components->size(); ++i) {
        const Value& item = scope.table.find("components")->items()[i];
        if (std::ranges::find(known, item.as_string()) == known.end()) {
            scope.problems.error(item, fmt::format("{}[{}]", scope.key("components"), i),
                                 "unknown component or section" + hint(item.as_string(), known));
        }
    }
}

}  // namespace

bool Swapping::allows(std::string_view name) const {
    return !components || std::ranges::find(*components, name) != components->end();
}

void read_swapping(const Scope& scope, const Experiment& experiment, Swapping& swapping) {
    Words words(swapping);
    read_all_fields(scope, words.fields(swapping));
    words.put_into(swapping);
    check_components(scope, experiment, swapping);
    if (swapping.rehearsal == Rehearsal::kProcess && experiment.device != "cpu") {
        scope.problems.error(
            *scope.table.find("rehearse"), scope.key("rehearse"),
            Explanation{"a process that is forked for a rehearsal cannot use a CUDA device",
                        "rehearse = \"thread\""});
    }
    if (swapping.must_keep_numbers && swapping.rehearsal == Rehearsal::kOff) {
        scope.problems.error(*scope.table.find("numbers"), scope.key("numbers"),
                             "numbers are compared in the rehearsal, which is \"off\": must be "
                             "\"may_change\", or rehearse must be \"thread\" or \"process\"");
    }
}

Value tree_of(const Swapping& swapping) {
    Swapping copy = swapping;
    return write_fields(Words(swapping).fields(copy));
}

}  // namespace ptp::experiment
