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

using Tensors = std::map<std::string, at::Tensor>;

// Compares the results of a step with its expectations.
class Check {
public:
    Check(const Step& step, const Outcome& outcome, testing::Component& component,
          const std::map<std::string, Outcome>& earlier)
        : step_(step),
          expect_(step.expect),
          set_(static_cast<std::uint64_t>(step.set)),
          outcome_(outcome),
          component_(component),
          earlier_(earlier) {}

    Difference first() {
        for (const auto check :
             {&Check::size, &Check::outputs, &Check::shapes, &Check::collected, &Check::aggregated,
              &Check::gradients, &Check::no_gradients, &Check::finite_gradients,
              &Check::nonzero_gradients, &Check::log, &Check::published, &Check::parameters,
              &Check::buffers, &Check::parameter_shapes, &Check::buffer_shapes, &Check::same,
              &Check::different, &Check::state}) {
            if (Difference found = (this->*check)()) {
                return found;
            }
        }
        return std::nullopt;
    }

private:
    Difference size() {
        if (!expect_.size || component_.size() == *expect_.size) {
            return std::nullopt;
        }
        return fmt::format("size = {}, expected {}", component_.size(), *expect_.size);
    }

    // Compares each expected value with the one that is found by its name.
    template <class Found, class Expected, class Compare>
    static Difference each(const char* what, const Found& found, const Expected& expected,
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
        return std::nullopt;
    }

    template <class Found, class Expected>
    static Difference unexpected(const char* what, const Found& found, const Expected& expected) {
        for (const auto& [name, value] : found) {
            const auto is_it = [&](const auto& entry) { return entry.key == name; };
            if (std::ranges::none_of(expected, is_it)) {
                return fmt::format("{} '{}' has no expected value", what, name);
            }
        }
        return std::nullopt;
    }

    Difference outputs() {
        if (!expect_.outputs) {
            return std::nullopt;
        }
        const Difference one = each("output", outcome_.outputs, *expect_.outputs,
                                    [&](const auto& name, const auto& found, const auto& expected) {
                                        return difference(name, found, expected, step_.tolerance);
                                    });
        return one ? one : unexpected("output", outcome_.outputs, *expect_.outputs);
    }

    Difference shapes() {
        return each("output", outcome_.outputs, expect_.shapes,
                    [](const auto& name, const auto& found, const Shape& expected) {
                        return difference(name, found.tensor().sizes(), expected);
                    });
    }

    Difference collected() {
        return expect_.collected ? difference("collected", component_.collect(set_),
                                              *expect_.collected, step_.tolerance)
                                 : std::nullopt;
    }

    Difference aggregated() {
        return expect_.aggregated ? difference("aggregated", component_.aggregate(set_),
                                               *expect_.aggregated, step_.tolerance)
                                  : std::nullopt;
    }

    Difference gradients() {
        if (!expect_.gradients) {
            return std::nullopt;
        }
        const Difference one =
            each("input or parameter", outcome_.gradients, *expect_.gradients,
                 [&](const auto& name, const auto& found, const auto& expected) {
                     return difference("gradients." + name, found, expected, step_.tolerance);
                 });
        Tensors rest = outcome_.gradients;
        for (const auto* names : {&step_.differentiated, &expect_.no_gradients}) {
            for (const std::string& name : *names) {
                rest.erase(name);
            }
        }
        return one ? one : unexpected("gradient of", rest, *expect_.gradients);
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

    Difference finite_gradients() {
        if (expect_.finite_gradients.empty()) {
            return std::nullopt;
        }
        for (const auto& [name, gradient] : outcome_.gradients) {
            if (!gradient.defined() || !gradient.isfinite().all().item<bool>()) {
                return "gradients." + name + " is not finite";
            }
        }
        return std::nullopt;
    }

    Difference nonzero_gradients() {
        if (!expect_.all_parameters_have_gradients) {
            return std::nullopt;
        }
        for (const auto& [name, gradient] : outcome_.gradients) {
            if (!gradient.defined() || gradient.abs().sum().item<double>() == 0) {
                return "gradients." + name + " is 0 everywhere";
            }
        }
        return std::nullopt;
    }

    Difference log() {
        return expect_.log ? difference("log", component_.log_lines(), *expect_.log) : std::nullopt;
    }

    Difference published() {
        if (!expect_.published) {
            return std::nullopt;
        }
        for (const Member& member : expect_.published->members()) {
            const auto found = component_.published().find(member.key);
            const std::string wanted = inline_toml(member.value);
            if (found == component_.published().end()) {
                return fmt::format("published.{} is missing, expected {}", member.key, wanted);
            }
            if (found->second != data_of(member.value)) {
                return fmt::format("published.{} = {}, expected {}", member.key,
                                   found->second.toml(), wanted);
            }
        }
        return std::nullopt;
    }

    Difference values_of(const char* what, const Tensors& tensors,
                         const Map<TensorSpec>& expected) {
        return each(what, tensors, expected,
                    [&](const auto& name, const auto& found, const auto& value) {
                        return difference(name, found, value, step_.tolerance);
                    });
    }

    Difference parameters() {
        return expect_.parameters.empty()
                   ? std::nullopt
                   : values_of("parameter", component_.parameters(), expect_.parameters);
    }

    Difference buffers() {
        return expect_.buffers.empty() ? std::nullopt
                                       : values_of("buffer", component_.buffers(), expect_.buffers);
    }

    static Difference shapes_of(const char* what, const Tensors& tensors,
                                const Map<Shape>& expected) {
        const Difference one = each(what, tensors, expected,
                                    [](const auto& name, const auto& found, const Shape& shape) {
                                        return difference(name, found.sizes(), shape);
                                    });
        return one ? one : unexpected(what, tensors, expected);
    }

    Difference parameter_shapes() {
        return expect_.parameter_shapes
                   ? shapes_of("parameter", component_.parameters(), *expect_.parameter_shapes)
                   : std::nullopt;
    }

    Difference buffer_shapes() {
        return expect_.buffer_shapes
                   ? shapes_of("buffer", component_.buffers(), *expect_.buffer_shapes)
                   : std::nullopt;
    }

    const Outcome& named(const std::string& name) {
        const auto found = earlier_.find(name);
        if (found == earlier_.end()) {
            throw std::logic_error("no case or step before this one has the name '" + name + "'");
        }
        return found->second;
    }

    static Difference output_difference(const Outcome& found, const Outcome& expected) {
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
        if (!other.collected) {
            return std::nullopt;
        }
        Map<double> statistics;
        for (const auto& [name, value] : *other.collected) {
            statistics.push_back({.key = name, .key_place = {}, .value = value, .place = {}});
        }
        return difference("collected", outcome_.collected.value_or(testing::Component::Numbers{}),
                          statistics, {});
    }

    Difference different() {
        if (expect_.differs_from.empty() ||
            output_difference(outcome_, named(expect_.differs_from))) {
            return std::nullopt;
        }
        return fmt::format("the outputs are those of '{}'", expect_.differs_from);
    }

    Difference state() {
        if (expect_.state_of.empty() || named(expect_.state_of).state == outcome_.state) {
            return std::nullopt;
        }
        return fmt::format("the state is not that of '{}'", expect_.state_of);
    }

    const Step& step_;
    const Expectation& expect_;
    const std::uint64_t set_;
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
        found = Check(step, outcome, instance->component(), outcomes_).first();
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
