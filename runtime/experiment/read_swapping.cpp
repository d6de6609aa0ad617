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

// The keys as they are written.
struct Words {
    std::string numbers;
    std::string rehearse;
    Duration time_limit;

    explicit Words(const Swapping& swapping)
        : numbers(swapping.must_keep_numbers ? kSame : kMayChange),
          rehearse(kRehearsals.at(static_cast<std::size_t>(swapping.rehearsal))),
          time_limit(swapping.time_limit) {}

    std::vector<Field> fields() {
        return {{.name = "numbers", .into = &numbers, .choices = {kMayChange, kSame}},
                {.name = "rehearse",
                 .into = &rehearse,
                 .choices = {kRehearsals.begin(), kRehearsals.end()}},
                {.name = "time_limit", .into = &time_limit}};
    }

    void put_into(Swapping& swapping) const {
        const auto* const found = std::ranges::find(kRehearsals, rehearse);
        swapping.must_keep_numbers = numbers == kSame;
        swapping.rehearsal = static_cast<Rehearsal>(found - kRehearsals.begin());
        swapping.time_limit = time_limit;
    }
};

// What has a name that a swap can be allowed for.
std::vector<std::string> names_in(const Experiment& experiment) {
    std::vector<std::string> names;
    for (const ComponentEntry& component : experiment.pipeline.components) {
        names.push_back(component.name);
    }
    names.emplace_back("training");
    if (experiment.validation) {
        names.emplace_back("validation");
    }
    if (experiment.test) {
        names.emplace_back("test");
    }
    return names;
}

void read_components(const Scope& scope, const Value& list, const Experiment& experiment,
                     std::vector<std::string>& components) {
    if (!list.is_list() || !std::ranges::all_of(list.items(), &Value::is_string)) {
        scope.problems.error(list, scope.key("components"), "must be a list of strings");
        return;
    }
    const std::vector<std::string> known = names_in(experiment);
    for (std::size_t i = 0; i < list.items().size(); ++i) {
        const Value& item = list.items()[i];
        const std::string key = fmt::format("{}[{}]", scope.key("components"), i);
        if (std::ranges::find(known, item.as_string()) == known.end()) {
            scope.problems.error(item, key,
                                 "unknown component or section" + hint(item.as_string(), known));
        } else if (std::ranges::find(components, item.as_string()) != components.end()) {
            scope.problems.error(item, key, "is there twice");
        } else {
            components.push_back(item.as_string());
        }
    }
}

}  // namespace

bool Swapping::allows(std::string_view name) const {
    return !components || std::ranges::find(*components, name) != components->end();
}

void read_swapping(const Scope& scope, const Experiment& experiment, Swapping& swapping) {
    Words words(swapping);
    Raw components = nullptr;
    std::vector<Field> fields = words.fields();
    fields.insert(fields.begin(), {.name = "components", .into = &components});
    read_all_fields(scope, fields);
    words.put_into(swapping);
    if (components != nullptr) {
        read_components(scope, *components, experiment, swapping.components.emplace());
    }
    if (swapping.must_keep_numbers && swapping.rehearsal == Rehearsal::kOff) {
        scope.problems.error(*scope.table.find("numbers"), scope.key("numbers"),
                             "numbers are compared in the rehearsal, which is \"off\": must be "
                             "\"may_change\", or rehearse must be \"thread\" or \"process\"");
    }
}

Value tree_of(const Swapping& swapping) {
    Value table;
    if (swapping.components) {
        table.set("components",
                  Value::list({swapping.components->begin(), swapping.components->end()}));
    }
    Value rest = write_fields(Words(swapping).fields());
    for (Member& member : rest.members()) {
        table.members().push_back(std::move(member));
    }
    return table;
}

}  // namespace ptp::experiment
