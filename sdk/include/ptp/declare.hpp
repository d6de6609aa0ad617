// The declarations of a component: ports, globals and statistics, as constants that the compiler
// checks.
//
//   static constexpr std::array ports{
//       ptp::input("inputs", PTP_FLOAT, "B, 1, 32, 32", "Gray images"),
//       ptp::input("masks", PTP_BOOL, "B", "True for samples that count").when("use_masking"),
//       ptp::output("loss", PTP_FLOAT, "", "Mean over the samples").loss()};
//
// The members of the same name in ptp/declarations.h define the meaning.
#pragma once

#include <ptp/abi.h>

#include <array>

namespace ptp {

struct Port {
    ptp_direction direction;
    ptp_element element;
    const char* name;
    const char* shape;
    const char* help;
    uint32_t flags = 0;
    const char* condition = nullptr;
    const char* streams_setting = nullptr;
    const char* numbers = nullptr;
    ptp_purpose use = 0;

    // Declares that an input needs no stream: forward() takes it by pointer, null if there is none.
    constexpr Port optional() const {
        Port port = *this;
        port.flags |= PTP_PORT_OPTIONAL;
        return port;
    }

    // Declares an output of one number that is minimized. The loss of a set is the mean of its
    // batches', weighted by their samples. If a batch's loss is a mean over something else, such as
    // targets that are not masked, declare sum("<port>_weight", ...).hidden() with their number. If
    // that is 0, do not divide: return the sum itself, which is then 0, but still computed from the
    // predictions, so that it has a backward pass.
    constexpr Port loss() const {
        Port port = *this;
        port.flags |= PTP_PORT_LOSS;
        return port;
    }

    // Declares an output with the values of the first input in another shape.
    constexpr Port reshaped() const {
        Port port = *this;
        port.flags |= PTP_PORT_RESHAPED;
        return port;
    }

    // Declares a port that exists only for some settings: forward() takes it by pointer, null if it
    // does not exist.
    constexpr Port when(const char* setting_condition) const {
        Port port = *this;
        port.condition = setting_condition;
        return port;
    }

    // Declares the meaning of the numbers: "log_probabilities if use_logsoftmax; scores"; for an
    // input the accepted ones: "scores|values"; for an output also the name of an input whose
    // meaning it keeps.
    constexpr Port meaning(const char* words) const {
        Port port = *this;
        port.numbers = words;
        return port;
    }

    // Declares what the port is for, PTP_PURPOSE_TARGETS or PTP_PURPOSE_FILES.
    constexpr Port purpose(ptp_purpose one) const {
        Port port = *this;
        port.use = one;
        return port;
    }

    // Declares one port for each item of this setting, a list of strings: forward() takes a
    // ptp::List.
    constexpr Port streams_from(const char* setting) const {
        Port port = *this;
        port.streams_setting = setting;
        return port;
    }

    constexpr bool is_list() const { return streams_setting != nullptr; }
    constexpr bool may_be_absent() const {
        return condition != nullptr || (flags & PTP_PORT_OPTIONAL) != 0;
    }
};

constexpr Port input(const char* name, ptp_element element, const char* shape, const char* help) {
    return {.direction = PTP_INPUT, .element = element, .name = name, .shape = shape, .help = help};
}

constexpr Port output(const char* name, ptp_element element, const char* shape, const char* help) {
    return {
        .direction = PTP_OUTPUT, .element = element, .name = name, .shape = shape, .help = help};
}

struct Global {
    ptp_global_access access;
    const char* name;
    const char* help;
    const char* known_value = nullptr;
    const char* condition = nullptr;
    ptp_purpose use = 0;

    // Declares what the global is for: PTP_PURPOSE_CLASS_COUNT, ...
    constexpr Global purpose(ptp_purpose one) const {
        Global global = *this;
        global.use = one;
        return global;
    }

    // Declares the published value, as a shape's dimension or a formula (ptp/declarations.h), so
    // that sizes are checked early. The host publishes it if the constructor does not.
    constexpr Global value(const char* dimension) const {
        Global global = *this;
        global.known_value = dimension;
        return global;
    }

    constexpr Global when(const char* setting_condition) const {
        Global global = *this;
        global.condition = setting_condition;
        return global;
    }
};

// Declares a global that another component must publish; the constructor reads it by
// Setup::global().
constexpr Global reads(const char* name, const char* help) {
    return {.access = PTP_GLOBAL_READ, .name = name, .help = help};
}

// Declares a global that is read only if the experiment names one for it; see
// Setup::optional_global().
constexpr Global reads_if_named(const char* name, const char* help) {
    return {.access = PTP_GLOBAL_READ_IF_NAMED, .name = name, .help = help};
}

// Declares a global that is read if the experiment names one for it, or if one of this name is
// published; see Setup::optional_global().
constexpr Global reads_if_published(const char* name, const char* help) {
    return {.access = PTP_GLOBAL_READ_IF_PUBLISHED, .name = name, .help = help};
}

// Declares a global that the constructor publishes by Setup::publish().
constexpr Global publishes(const char* name, const char* help) {
    return {.access = PTP_GLOBAL_WRITE, .name = name, .help = help};
}

// Declares a global that is published only if the experiment names one for it.
constexpr Global publishes_if_named(const char* name, const char* help) {
    return {.access = PTP_GLOBAL_WRITE_IF_NAMED, .name = name, .help = help};
}

// A required relation between settings and sizes; the grammar is in ptp/declarations.h, "Formulas".
//
//   static constexpr std::array requirements{
//       ptp::requirement("$top_k <= num_classes", "must be at most the number of classes")};
//
// The host checks it before anything runs, as far as the values are known then; the constructor,
// which knows more, checks what matters again.
struct Requirement {
    const char* relation;
    const char* message;
    const char* condition = nullptr;

    constexpr Requirement when(const char* setting_condition) const {
        Requirement requirement = *this;
        requirement.condition = setting_condition;
        return requirement;
    }
};

// Declares a requirement. `message` continues a sentence about the first setting in the relation.
constexpr Requirement requirement(const char* relation, const char* message) {
    return {.relation = relation, .message = message};
}

struct Statistic {
    ptp_aggregation aggregation;
    const char* name;
    const char* help;
    uint32_t flags = 0;
    int32_t digits = 4;
    const char* weight = nullptr;
    const char* condition = nullptr;

    constexpr Statistic hidden() const { return with(PTP_STATISTIC_HIDDEN); }
    constexpr Statistic integer() const { return with(PTP_STATISTIC_INTEGER).decimals(0); }
    constexpr Statistic spread() const { return with(PTP_STATISTIC_SPREAD); }
    constexpr Statistic set_only() const { return with(PTP_STATISTIC_SET_ONLY); }

    // State which values are better, for what chooses by the statistic, such as the best weights.
    constexpr Statistic larger_is_better() const { return with(PTP_STATISTIC_LARGER_IS_BETTER); }
    constexpr Statistic smaller_is_better() const { return with(PTP_STATISTIC_SMALLER_IS_BETTER); }

    constexpr Statistic decimals(int32_t count) const {
        Statistic statistic = *this;
        statistic.digits = count;
        return statistic;
    }

    // Sets the statistic that is the weight of each batch in the mean; the default weight is the
    // number of samples in the batch. For a computed() statistic the weight only selects the
    // batches that count in its spread: those whose weight is not 0.
    constexpr Statistic weighted_by(const char* statistic_name) const {
        Statistic statistic = *this;
        statistic.weight = statistic_name;
        return statistic;
    }

    constexpr Statistic when(const char* setting_condition) const {
        Statistic statistic = *this;
        statistic.condition = setting_condition;
        return statistic;
    }

private:
    constexpr Statistic with(uint32_t flag) const {
        Statistic statistic = *this;
        statistic.flags |= flag;
        return statistic;
    }

public:
    constexpr bool is_computed() const { return aggregation == PTP_AGGREGATE_COMPUTED; }
    constexpr bool is_set_only() const { return (flags & PTP_STATISTIC_SET_ONLY) != 0; }
};

// Declares a statistic whose value for a set is the weighted mean over its batches.
constexpr Statistic mean(const char* name, const char* help) {
    return {.aggregation = PTP_AGGREGATE_MEAN, .name = name, .help = help};
}

// Declares a statistic whose value for a set is the sum over its batches.
constexpr Statistic sum(const char* name, const char* help) {
    return {.aggregation = PTP_AGGREGATE_SUM, .name = name, .help = help};
}

// Declares a statistic whose value for a set the component computes in aggregate().
constexpr Statistic computed(const char* name, const char* help) {
    return {.aggregation = PTP_AGGREGATE_COMPUTED, .name = name, .help = help};
}

}  // namespace ptp
