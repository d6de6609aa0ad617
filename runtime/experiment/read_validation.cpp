// Reads [validation] as one set or as named sets, [process] and its sections, and the choice of the
// set that judges.

#include "base/ranges.hpp"
#include "base/suggest.hpp"
#include "base/text.hpp"
#include "experiment/familiar_names.hpp"
#include "experiment/readers.hpp"
#include "schema/check_value.hpp"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace ptp::experiment {

namespace {

// The keys of one section, which cannot be names of sections below it.
constexpr std::array<std::string_view, 4> kSectionKeys = {"task", "dataloader", "sampler",
                                                          "batch_limit"};
constexpr std::array<std::string_view, 3> kOwnTables = {"training", "validation", "test"};

bool has_task(const Value& value) {
    return value.is_table() && value.find("task") != nullptr;
}

// Returns whether the table is [validation.NAME], ... rather than a set itself.
bool has_named_sets(const Value& validation) {
    return validation.find("task") == nullptr &&
           std::ranges::any_of(validation.members(),
                               [](const Member& member) { return has_task(member.value); });
}

// Checks the name of a section, and reports an invalid one.
bool is_section_name(const Scope& scope, const Member& member) {
    if (!is_snake_case(member.key)) {
        scope.problems.error(member.key_place, scope.key(member.key),
                             "the name of a section must be in snake_case, as hard_samples");
        return false;
    }
    constexpr std::string_view kBatches = "_batches";  // part of a table name of `ptprun process`
    if (member.key.ends_with(kBatches)) {
        const std::string other = member.key.substr(0, member.key.size() - kBatches.size());
        scope.problems.error(
            member.key_place, scope.key(member.key),
            Explanation{fmt::format("the name of a section cannot end in {}: {}.csv is the table "
                                    "with the batches of a section '{}'",
                                    kBatches, member.key, other),
                        fmt::format("give it another name, such as {}_samples", other)});
        return false;
    }
    return true;
}

void read_named_sets(const Scope& scope, const std::vector<const Member*>& members,
                     Experiment& experiment) {
    for (const Member* member : members) {
        const std::string key = scope.key(member->key);
        if (contains(kSectionKeys, member->key)) {
            scope.problems.error(
                member->key_place, key,
                Explanation{"belongs to one set, and [validation] has several",
                            fmt::format("write it as {}.NAME.{}", scope.path, member->key)});
        } else if (!member->value.is_table()) {
            scope.problems.error(
                member->value, key,
                fmt::format("unknown key; a validation set must be a table, not {}",
                            type_name(member->value.type())));
        } else if (is_section_name(scope, *member)) {
            read_section(scope.at(member->value, member->key),
                         experiment.other_validations.emplace_back());
        }
    }
}

// Rejects named sets beside an unnamed one.
void refuse_named_sets(const Scope& scope) {
    for (const Member& member : scope.table.members()) {
        if (has_task(member.value)) {
            scope.problems.error(member.key_place, scope.key(member.key),
                                 Explanation{"[validation] is a set itself, with a task of its own",
                                             "give that set a name too: [validation.NAME.task]"});
        }
    }
}

// Returns "hard" for "validation.hard".
std::string set_name(const Section& set) {
    return set.name.substr(set.name.find('.') + 1);
}

std::vector<std::string> names_of(const std::vector<Section>& sets) {
    return transformed(sets, set_name);
}

// Finds the set that [training] names, if any.
class JudgeFinder {
public:
    JudgeFinder(const Scope& root, Training& training, std::vector<std::string> names)
        : root_(root), training_(training), names_(std::move(names)) {}

    // Returns "" after reporting an error.
    std::string find() {
        if (training_.judge) {
            return of_statistic(*training_.judge);
        }
        if (!training_.judging_set.empty()) {
            return of_name();
        }
        if (names_.size() == 1) {
            return names_.front();
        }
        root_.problems.error(
            root_.table.find("validation")->place(), "training.judge",
            Explanation{fmt::format("must be given: there are {} validation sets, {}, and one of "
                                    "them judges which weights are the best",
                                    names_.size(), joined(names_)),
                        fmt::format("write judge = \"{0}\" below [training], to go by the loss of "
                                    "[validation.{0}], or judge = {{ statistic = \"{0}.NAME\", "
                                    "better = \"larger\" }}",
                                    names_.front())});
        return "";
    }

private:
    bool is_known(const std::string& name) const { return contains(names_, name); }

    // Handles judge = { statistic = "hard.accuracy", ... }.
    std::string of_statistic(Judge& judge) {
        const std::string written = judge.statistic;
        const std::size_t dot = written.find('.');
        const std::string set = written.substr(0, dot);
        if (dot != std::string::npos && is_known(set)) {
            judge.statistic = written.substr(dot + 1);
            training_.judging_set = set;
            return set;
        }
        if (names_.size() == 1) {
            return names_.front();
        }
        const std::string meant = dot == std::string::npos ? "" : hint(set, names_);
        root_.problems.error(
            Value(written).at(judge.place), "training.judge.statistic",
            Explanation{
                fmt::format("must begin with the name of a validation set{}",
                            meant.empty() ? ", " + joined(names_, "or") : meant),
                fmt::format("write \"{}.{}\"", nearest(set, names_).value_or(names_.front()),
                            dot == std::string::npos ? written : written.substr(dot + 1))});
        return "";
    }

    // Handles judge = "hard".
    std::string of_name() const {
        const std::string& name = training_.judging_set;
        if (is_known(name)) {
            return name;
        }
        const std::string set = name.substr(0, name.find('.'));
        if (is_known(set)) {
            const std::string better = usual_direction(name.substr(set.size() + 1));
            refuse_name("is a statistic, and which values are better is not given",
                        fmt::format("write judge = {{ statistic = \"{}\", better = \"{}\" }}{}",
                                    name, better.empty() ? "larger" : better,
                                    better.empty() ? ", or better = \"smaller\"" : ""));
        } else {
            refuse_name("unknown validation set" + hint(name, names_), "");
        }
        return "";
    }

    void refuse_name(std::string what, std::string fix) const {
        root_.problems.error(Value(training_.judging_set).at(training_.judging_place),
                             "training.judge", Explanation{std::move(what), std::move(fix)});
    }

    const Scope& root_;
    Training& training_;
    const std::vector<std::string> names_;
};

}  // namespace

// Reads the validation. The online worker needs partial validations; for the offline one they are
// optional.
void read_validation(const Scope& scope, Experiment& experiment) {
    constexpr std::int64_t kDefaultOnlineInterval = 100;
    const bool is_online = experiment.training.worker == Worker::kOnline;
    std::int64_t interval = is_online ? kDefaultOnlineInterval : -1;
    const Field interval_field = {
        .name = "partial_validation_interval",
        .into = &interval,
        .help =
            "episodes from one validation of one batch, always the same, to the "
            "next; -1: none, by default with the offline worker"};
    if (has_named_sets(scope.table)) {
        read_named_sets(scope, read_fields(scope, {interval_field}), experiment);
    } else {
        refuse_named_sets(scope);
        read_section(scope, experiment.validation.emplace(), {interval_field});
    }
    const bool is_valid = interval >= 1 || (interval == -1 && !is_online);
    if (!is_valid) {
        scope.problems.error(*scope.table.find("partial_validation_interval"),
                             scope.key("partial_validation_interval"),
                             is_online ? "must be at least 1 with the online worker"
                                       : "must be -1 (none) or at least 1");
    }
    experiment.partial_validation_interval = std::max<std::int64_t>(interval, 0);
}

void read_processed(const Scope& scope, Experiment& experiment) {
    for (const Member& member : scope.table.members()) {
        if (!member.value.is_table() || !is_section_name(scope, member)) {
            continue;
        }
        if (contains(kOwnTables, member.key)) {
            scope.problems.error(
                member.key_place, scope.key(member.key),
                fmt::format("is the name of the table [{}]; give it another", member.key));
            continue;
        }
        read_section(scope.at(member.value, member.key), experiment.processed.emplace_back());
    }
}

namespace {

// Returns the advice for a name of a monitored value in another program: "val_loss",
// "val_accuracy".
std::string advice_on_monitor(const Training& training) {
    const std::string name = statistic_of(training.judging_set);
    if (name == "loss") {
        return "remove judge: without it the loss of [validation] judges";
    }
    const std::string better = usual_direction(name);
    return "to go by a statistic, " +
           schema::typed_value(training.judging_place, "training.judge",
                               fmt::format("{{ statistic = \"{}\", better = \"{}\" }}", name,
                                           better.empty() ? "larger" : better)) +
           (better.empty() ? ", or better = \"smaller\"" : "");
}

}  // namespace

void choose_judge(const Scope& root, Experiment& experiment) {
    Training& training = experiment.training;
    std::vector<Section>& sets = experiment.other_validations;
    if (sets.empty()) {
        if (!training.judging_set.empty()) {
            root.problems.error(Value(training.judging_set).at(training.judging_place),
                                "training.judge",
                                Explanation{"names a validation set, and there is none with a name",
                                            advice_on_monitor(training)});
        }
        return;
    }
    const std::string name = JudgeFinder(root, training, names_of(sets)).find();
    auto chosen = std::ranges::find(sets, name, set_name);
    chosen = chosen == sets.end() ? sets.begin() : chosen;
    experiment.validation = std::move(*chosen);
    sets.erase(chosen);
}

}  // namespace ptp::experiment
