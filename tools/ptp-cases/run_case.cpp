// Compares what a step does with what its case expects.

#include "ptp-cases/run_case.hpp"

#include "base/toml_writer.hpp"

#include <torch/types.h>
#include <torch/utils.h>

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <stdexcept>

namespace ptp::cases {

namespace {

const char* refusal_name(Refusal as) {
    return as == Refusal::kConfig ? "config" : as == Refusal::kData ? "data" : "internal";
}

// Compares each expected value with the one that is found by its name. If all must be expected, a
// found one without an expected value differs, too.
template <class Found, class T, class Compare>
Difference each(const char* what, const Found& found, const Map<T>& expected, bool is_all,
                Compare compare) {
    for (const auto& entry : expected) {
        const auto one = found.find(entry.key);
        if (one == found.end()) {
            return fmt::format("no {} '{}'", what, entry.key);
        }
        if (Difference difference = compare(entry.key, one->second, entry.value)) {
            return difference;
        }
    }
    for (const auto& [name, value] : found) {
        if (is_all && std::ranges::count(expected, name, &schema::Entry<T>::key) == 0) {
            return fmt::format("{} '{}' has no expected value", what, name);
        }
    }
    return std::nullopt;
}

testing::Slots slots_of(const Tensors& tensors) {
    return {tensors.begin(), tensors.end()};
}

Difference output_difference(const Outcome& found, const Outcome& expected) {
    for (const auto& [name, slot] : expected.outputs) {
        if (!found.outputs.contains(name)) {
            return "no output '" + name + "'";
        }
        if (Difference one = difference(name, found.outputs.at(name).tensor(), slot.tensor())) {
            return one;
        }
    }
    return std::nullopt;
}

// Compares the results of a step with its expectations.
class Check {
public:
    Check(const Step& step, const Outcome& outcome, testing::Component& component,
          const std::map<std::string, Outcome>& earlier)
        : step_(step),
          expect_(*step.expect),
          outcome_(outcome),
          component_(component),
          earlier_(earlier) {}

    Difference first() {
        for (const auto check : {&Check::size, &Check::values, &Check::shapes, &Check::statistics,
                                 &Check::no_gradients, &Check::gradients, &Check::log,
                                 &Check::published, &Check::same, &Check::different}) {
            if (Difference found = (this->*check)()) {
                return found;
            }
        }
        return std::nullopt;
    }

private:
    Difference size() {
        return !expect_.size || component_.size() == *expect_.size
                   ? Difference()
                   : fmt::format("size = {}, expected {}", component_.size(), *expect_.size);
    }

    // The values that a key of the expectation is about, and the word for one of them.
    struct Found {
        const char* what;
        testing::Slots values;
        bool is_all = false;
        std::string prefix = {};
    };

    Found found_of(const std::string& key) {
        if (key == "outputs" || key == "shapes") {
            return {"output", outcome_.outputs, key == "outputs"};
        }
        if (key.starts_with("parameter")) {
            return {"parameter", slots_of(component_.parameters()), key == "parameter_shapes"};
        }
        return {"buffer", slots_of(component_.buffers()), key == "buffer_shapes"};
    }

    Difference value_difference(const Found& found, const Map<StreamSpec>& expected) {
        return each(found.what, found.values, expected, found.is_all,
                    [&](const std::string& name, const testing::Slot& value, const auto& wanted) {
                        return difference(found.prefix + name, value, wanted, step_.tolerance);
                    });
    }

    Difference values() {
        for (const char* key : {"outputs", "gradients", "parameters", "buffers"}) {
            const auto expected = expect_.values.find(key);
            if (expected == expect_.values.end()) {
                continue;
            }
            if (Difference one = key == std::string("gradients")
                                     ? gradient_difference(expected->second)
                                     : value_difference(found_of(key), expected->second)) {
                return one;
            }
        }
        return std::nullopt;
    }

    // Requires all gradients that are not asked for by another key.
    Difference gradient_difference(const Map<StreamSpec>& expected) {
        if (Difference one = value_difference({.what = "input or parameter",
                                               .values = slots_of(outcome_.gradients),
                                               .prefix = "gradients."},
                                              expected)) {
            return one;
        }
        Tensors rest = outcome_.gradients;
        for (const auto* names : {&step_.differentiated, &expect_.no_gradients}) {
            for (const std::string& name : *names) {
                rest.erase(name);
            }
        }
        for (const auto& entry : expected) {
            rest.erase(entry.key);
        }
        return rest.empty()
                   ? Difference()
                   : fmt::format("gradient of '{}' has no expected value", rest.begin()->first);
    }

    Difference shapes() {
        for (const auto& [key, expected] : expect_.shapes) {
            const Found found = found_of(key);
            if (Difference one = each(
                    found.what, found.values, expected, found.is_all,
                    [](const std::string& name, const testing::Slot& value, const Shape& shape) {
                        return difference(name, value.tensor().sizes(), shape);
                    })) {
                return one;
            }
        }
        return std::nullopt;
    }

    Difference statistics() {
        const auto set = static_cast<std::uint64_t>(step_.set);
        for (const auto& [key, expected] : expect_.statistics) {
            const auto found =
                key == "collected" ? component_.collect(set) : component_.aggregate(set);
            if (Difference one = difference(key, found, expected, step_.tolerance)) {
                return one;
            }
        }
        return std::nullopt;
    }

    Difference no_gradients() {
        for (const std::string& name : expect_.no_gradients) {
            const auto found = outcome_.gradients.find(name);
            if (found == outcome_.gradients.end()) {
                return "no parameter or differentiated input '" + name + "'";
            }
            if (found->second.defined()) {
                return "gradients." + name + " is there, expected none";
            }
        }
        return std::nullopt;
    }

    // Checks that all are finite, and that none is 0 everywhere, where that is expected.
    Difference gradients() {
        for (const auto& [name, gradient] : outcome_.gradients) {
            if (!expect_.finite_gradients.empty() &&
                (!gradient.defined() || !gradient.isfinite().all().item<bool>())) {
                return "gradients." + name + " is not finite";
            }
            if (expect_.all_parameters_have_gradients &&
                (!gradient.defined() || gradient.abs().sum().item<double>() == 0)) {
                return "gradients." + name + " is 0 everywhere";
            }
        }
        return std::nullopt;
    }

    Difference log() {
        return expect_.log ? difference("log", component_.log_lines(), *expect_.log) : std::nullopt;
    }

    Difference published() {
        const Data all = data_of(expect_.published);
        for (const Data::Member& wanted : all.as_table()) {
            const auto found = component_.published().find(wanted.key);
            if (found == component_.published().end()) {
                return fmt::format("published.{} is missing, expected {}", wanted.key,
                                   wanted.value.toml());
            }
            if (found->second != wanted.value) {
                return fmt::format("published.{} = {}, expected {}", wanted.key,
                                   found->second.toml(), wanted.value.toml());
            }
        }
        return std::nullopt;
    }

    const Outcome& named(const std::string& name) {
        const auto found = earlier_.find(name);
        if (found == earlier_.end()) {
            throw std::logic_error("no case or step before this one has the name '" + name + "'");
        }
        return found->second;
    }

    Difference same() {
        if (expect_.same_as.empty()) {
            return std::nullopt;
        }
        const Outcome& other = named(expect_.same_as);
        if (Difference one = output_difference(outcome_, other)) {
            return one;
        }
        for (const auto& [name, gradient] : other.gradients) {
            const auto own = outcome_.gradients.find(name);
            if (own == outcome_.gradients.end()) {
                return "no gradient of '" + name + "'";
            }
            if (Difference one = difference("gradients." + name, own->second, gradient)) {
                return one;
            }
        }
        Map<double> statistics;
        for (const auto& [name, value] : other.collected) {
            statistics.push_back({.key = name, .key_place = {}, .value = value, .place = {}});
        }
        return difference("collected", outcome_.collected, statistics, {});
    }

    Difference different() {
        if (!expect_.differs_from.empty() &&
            !output_difference(outcome_, named(expect_.differs_from))) {
            return fmt::format("the outputs are those of '{}'", expect_.differs_from);
        }
        if (!expect_.state_of.empty() && named(expect_.state_of).state != outcome_.state) {
            return fmt::format("the state is not that of '{}'", expect_.state_of);
        }
        return std::nullopt;
    }

    const Step& step_;
    const Expectation& expect_;
    const Outcome& outcome_;
    testing::Component& component_;
    const std::map<std::string, Outcome>& earlier_;
};

// Returns the problem with the refusal of an action; nullopt if it is as expected.
Difference refusal_difference(const Refused& refused, const std::function<void()>& action) {
    const auto compare = [&](Refusal as, const std::string& text) -> Difference {
        const bool is_text =
            refused.is_part ? text.find(refused.text) != std::string::npos : text == refused.text;
        if (is_text && as == refused.as) {
            return std::nullopt;
        }
        return fmt::format("refused = {{ {} = {} }}, expected {{ {} = {} }}", refusal_name(as),
                           inline_toml(text), refusal_name(refused.as), inline_toml(refused.text));
    };
    try {
        action();
    } catch (const ConfigError& error) {
        return compare(Refusal::kConfig, error.what());
    } catch (const DataError& error) {
        return compare(Refusal::kData, error.what());
    } catch (const std::runtime_error& error) {
        return compare(Refusal::kInternal, error.what());
    }
    return fmt::format("was not refused, expected {{ {} = {} }}", refusal_name(refused.as),
                       inline_toml(refused.text));
}

}  // namespace

Difference CaseRunner::run_step(const Case& one, const Step& step,
                                std::optional<Instance>& instance) {
    Outcome outcome;
    const auto act = [&] {
        if (!instance) {
            instance.emplace(plugin_, type_, one, device_);
        }
        outcome = instance->run(step);
    };
    Difference found;
    if (step.refused) {
        found = refusal_difference(*step.refused, act);
    } else if (one.has_counting) {
        instance.emplace(plugin_, type_, one, device_);
        found = counting_difference(*instance, step);
    } else {
        act();
        found = step.expect ? Check(step, outcome, instance->component(), outcomes_).first()
                            : std::nullopt;
    }
    if (!step.name.empty()) {
        outcomes_[step.name] = outcome;
    }
    return found;
}

std::vector<std::string> CaseRunner::run(const Case& one) {
    std::vector<std::string> problems;
    std::optional<Instance> instance;
    for (const Step& step : one.steps) {
        const std::string where =
            fmt::format("{}: {}{}: ", step.place.text(), one.name,
                        step.name.empty() || step.name == one.name ? "" : ", " + step.name);
        try {
            if (const Difference found = run_step(one, step, instance)) {
                problems.push_back(where + *found);
            }
        } catch (const std::exception& error) {
            problems.push_back(where + "could not run: " + error.what());
            return problems;  // later steps of the case need this one
        }
    }
    return problems;
}

}  // namespace ptp::cases
