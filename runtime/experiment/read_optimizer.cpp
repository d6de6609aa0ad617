// Reads the tables `optimizer` and `scheduler` of [training], writes `optimizer`, and warns of
// options without an effect. The types are in experiment/optimizer and experiment/schedule.

#include "base/toml_reader.hpp"
#include "base/toml_writer.hpp"
#include "experiment/readers.hpp"
#include "schema/check_value.hpp"
#include "schema/one_of.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace ptp::experiment {

namespace {

// Selects the options that a parameter group may replace.
struct GroupFields {
    std::vector<Field> operator()(auto& one) const {
        std::vector<Field> fields = of(one);
        for (Field& field : fields) {
            field.is_required = false;
        }
        return fields;
    }

private:
    static std::vector<Field> of(auto& one) {
        if constexpr (requires { one.group_fields(); }) {
            return one.group_fields();
        } else {
            return one.fields();
        }
    }
};

Field frozen_field(ParameterGroup& group) {
    return {.name = "frozen",
            .into = &group.is_frozen,
            .help = "trains nothing of the component; all else continues as in training"};
}

// The momentum of an optimizer, which a schedule may change, and its key.
struct Momentum {
    std::string_view key = {};
    double value = 0;
    bool is_default = true;
    bool is_nesterov = false;  // requires a momentum, which is therefore in use
};

std::optional<Momentum> momentum_of(optimizer::Any any) {
    return std::visit(
        []<class O>(O& one) -> std::optional<Momentum> {
            if constexpr (optimizer::kHasMomentum<O>) {
                const void* const option = &one.momentum_option();
                Momentum momentum{.value = one.momentum_option()};
                for (const Field& field : one.fields()) {
                    const bool is_it = std::visit(
                        [&](const auto* into) { return static_cast<const void*>(into) == option; },
                        field.into);
                    momentum.key = is_it ? field.name : momentum.key;
                }
                momentum.is_default = momentum.value == O().momentum_option();
                if constexpr (requires { one.nesterov; }) {
                    momentum.is_nesterov = one.nesterov;
                }
                return momentum;
            } else {
                return std::nullopt;
            }
        },
        any);
}

void check_cycled_momentum(const Scope& scope, const optimizer::Any& optimizer,
                           schedule::CycledMomentum& cycled) {
    const bool has_momentum = momentum_of(optimizer).has_value();
    if (scope.table.find("cycle_momentum") == nullptr) {
        cycled.is_on = has_momentum;
    } else if (cycled.is_on && !has_momentum) {
        report(scope, {"cycle_momentum",
                       fmt::format("not with {}, which has no momentum", name_of(optimizer))});
    }
}

}  // namespace

void read_optimizer(const Scope& scope, Optimization& optimization) {
    Map<RawTable> groups;
    const auto read = schema::read_one_of<optimizer::Any>(
        scope, "the kind of optimizer",
        {{.name = "groups",
          .into = &groups,
          .help = "options of single components, by their names"}});
    if (!read) {
        return;
    }
    optimization.optimizer = *read;
    for (const auto& entry : groups) {
        ParameterGroup group{entry.key, entry.key_place, *read};
        const Scope table = scope.at(*scope.table.find("groups"), "groups");
        schema::read_as_one_of(group.options, table.at(*entry.value.table, entry.key),
                               {frozen_field(group)}, GroupFields());
        optimization.groups.push_back(std::move(group));
    }
}

Value write_optimizer(const Optimization& optimization) {
    Value table = schema::write_one_of(optimization.optimizer);
    if (optimization.groups.empty()) {
        return table;
    }
    Value groups;
    for (ParameterGroup group : optimization.groups) {
        std::vector<Field> fields =
            std::visit([](auto& one) { return GroupFields()(one); }, group.options);
        fields.push_back(frozen_field(group));
        groups.set(group.component, write_fields(fields));
    }
    table.set("groups", std::move(groups));
    return table;
}

namespace {

// Reports the highest rate of PyTorch's OneCycleLR, which is the optimizer's here. Returns the
// table without it; nullopt where there is none.
std::optional<Value> without_highest_rate(const Scope& scope, double lr) {
    const Value* type = scope.table.find("type");
    const Value* highest = scope.table.find("max_lr");
    if (type == nullptr || *type != Value(std::string(schedule::OneCycleLr::kName)) ||
        highest == nullptr || !highest->is_number()) {
        return std::nullopt;
    }
    Value others = scope.table;
    others.erase("max_lr");
    const std::string rate = inline_toml(*highest);
    const std::string typed = schema::typed_value(highest->place(), "training.optimizer.lr", rate);
    const bool is_table_typed = scope.table.place().file() == kCommandLine;
    const std::string fix =
        is_table_typed
            ? schema::typed_value(highest->place(), scope.path, inline_toml(others)) + " " + typed
        : highest->place().file() == kCommandLine
            ? typed
            : typed + " in training.optimizer, and leave out max_lr";
    scope.problems.error(
        *highest, scope.key("max_lr"),
        Explanation{
            fmt::format("unknown key: the rate rises to the optimizer's lr, which is {}", lr),
            fix});
    return others;
}

// Reports required keys that are missing, with the values of the type's example. Returns the table
// with them; nullopt where none is missing, or where a key is unknown, which may be meant.
template <class One>
std::optional<Value> completed_as(const Scope& scope) {
    One one;
    const std::vector<Field> fields = one.fields();
    const bool is_known = std::ranges::all_of(scope.table.members(), [&](const Member& member) {
        return member.key == "type" ||
               std::ranges::find(fields, member.key, &Field::name) != fields.end();
    });
    const auto example = read_toml_value(One::kExample);
    Value whole = scope.table;
    std::vector<schema::Key> missing;
    for (const Field& field : fields) {
        const Value* const value = example->find(field.name);
        if (field.is_required && value != nullptr && scope.table.find(field.name) == nullptr) {
            missing.push_back(schema::key_of(field));
            whole.set(std::string(field.name), *value);
        }
    }
    if (!is_known || missing.empty()) {
        return std::nullopt;
    }
    const SourceLocation& place = scope.table.find("type")->place();
    for (const schema::Key& key : missing) {
        const std::string path = scope.key(key.name);
        scope.problems.error(
            scope.table.place(), path,
            Explanation{
                fmt::format("required, but missing: {} ({})", expected_text(key), key.help),
                place.file() == kCommandLine
                    ? schema::typed_value(place, scope.path, inline_toml(whole))
                    : schema::typed_value(place, path, inline_toml(*whole.find(key.name)))});
    }
    return whole;
}

std::optional<Value> completed(const Scope& scope) {
    const Value* const type = scope.table.find("type");
    std::optional<Value> whole;
    const auto look_at = [&]<class One>(std::type_identity<One>) {
        if (type != nullptr && *type == Value(std::string(One::kName))) {
            whole = completed_as<One>(scope);
        }
    };
    [&]<class... Types>(std::type_identity<std::variant<Types...>>) {
        (look_at(std::type_identity<Types>()), ...);
    }(std::type_identity<schedule::Any>());
    return whole;
}

}  // namespace

void read_scheduler(const Scope& scope, Optimization& optimization) {
    if (const auto whole = completed(scope)) {
        read_scheduler({*whole, scope.path, scope.options, scope.problems}, optimization);
        return;
    }
    if (const auto others = without_highest_rate(scope, optimizer::lr_of(optimization.optimizer))) {
        read_scheduler({*others, scope.path, scope.options, scope.problems}, optimization);
        return;
    }
    optimization.scheduler =
        schema::read_one_of<schedule::Any>(scope, "how the learning rate changes");
    if (!optimization.scheduler) {
        return;
    }
    if (auto* cycled = cycled_momentum_of(*optimization.scheduler)) {
        check_cycled_momentum(scope, optimization.optimizer, *cycled);
    }
    const double lr = optimizer::lr_of(optimization.optimizer);
    std::visit(
        [&](const auto& one) {
            if constexpr (requires { one.problem_beside(lr); }) {
                if (const auto problem = one.problem_beside(lr)) {
                    report(scope, *problem);
                }
            }
        },
        *optimization.scheduler);
}

namespace {

// Warns about learning rates of 0. A schedule may raise a rate from there.
void warn_of_no_rate(const Scope& training, const Optimization& optimization) {
    const auto has_rate = [](const ParameterGroup& group) {
        return optimizer::lr_of(group.options) > 0;
    };
    const bool is_without = !optimization.scheduler &&
                            optimizer::lr_of(optimization.optimizer) == 0 &&
                            std::ranges::none_of(optimization.groups, has_rate);
    const Value* lr = training.table.find_path("optimizer.lr");
    if (is_without && lr != nullptr) {
        training.problems.warning(lr->place(), training.key("optimizer") + ".lr",
                                  Explanation{"is 0, so that no weight changes", "set 0.001"});
    }
}

}  // namespace

// Ignores values that equal the defaults: the record of a run contains them.
void warn_of_unused_options(const Scope& training, const Optimization& optimization) {
    if (!training.options.section.empty()) {
        return;  // nothing is trained
    }
    warn_of_no_rate(training, optimization);
    if (!optimization.scheduler) {
        return;
    }
    const bool is_idle = std::visit([]<class O>(const O&) { return optimizer::kUsesRateOnce<O>; },
                                    optimization.optimizer);
    if (is_idle) {
        training.problems.warning(
            training.table.find("scheduler")->place(), training.key("scheduler"),
            fmt::format("has no effect: {} uses the learning rate for its first step alone",
                        name_of(optimization.optimizer)));
    }
    const schedule::CycledMomentum* cycled = cycled_momentum_of(*optimization.scheduler);
    const auto warn = [&](const std::string& path, const optimizer::Any& options) {
        const auto momentum = momentum_of(options);
        if (cycled == nullptr || !cycled->is_on || !momentum || momentum->is_nesterov ||
            momentum->is_default) {
            return;
        }
        const std::string key = fmt::format("{}.{}", path, momentum->key);
        const Value* value = training.table.find_path(key);
        training.problems.warning(
            value == nullptr ? training.table.place() : value->place(),
            fmt::format("{}.{}", training.path, key),
            fmt::format("{} takes {} between {} and {} instead; cycle_momentum = false keeps this",
                        name_of(*optimization.scheduler),
                        momentum->key == "betas" ? "the first of them" : "one", cycled->base,
                        cycled->max));
    };
    warn("optimizer", optimization.optimizer);
    const auto own = momentum_of(optimization.optimizer);
    for (const ParameterGroup& group : optimization.groups) {
        const auto momentum = momentum_of(group.options);
        if (own && momentum && own->value != momentum->value) {
            warn("optimizer.groups." + group.component, group.options);
        }
    }
}

}  // namespace ptp::experiment
