#pragma once

#include "experiment/samplers/both.hpp"
#include "experiment/samplers/weighted_random_sampler.hpp"
#include "schema/one_of.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::experiment {

// The source of the class of each sample.
struct Classes {
    // The name of a stream of the task, or of a transform after it that treats each sample
    // separately; unused if `labels` are given.
    std::string label_stream = "targets";
    std::optional<schema::NumberList<std::int64_t>> labels = {};

    std::vector<schema::Field> fields() {
        return {
            {.name = "label_stream",
             .into = &label_stream,
             .help = "the stream with the classes: of the task, or of a transform behind it that "
                     "treats each sample by itself"},
            {.name = "labels",
             .into = &labels,
             .help = "the class of each sample, or \"task\": the classes that the task states",
             .choices = {std::string(kFromTask)},
             .expected = "a list of integers, a string of them, the name of a file, or "
                         "\"task\""}};
    }

    [[nodiscard]] std::vector<schema::KeyProblem> problems(const Value& table) const {
        if (table.find("label_stream") != nullptr && table.find("labels") != nullptr) {
            return {{"label_stream", "is not used beside 'labels'; give one of them"}};
        }
        return {};
    }
};

struct ClassBalancedSampler : Classes {
    static constexpr std::string_view kName = "ClassBalancedSampler";
    static constexpr std::string_view kHelp = "as many samples of each class, with replacement";

    std::optional<std::int64_t> samples = {};  // per epoch; absent: the number of samples

    std::vector<schema::Field> fields() {
        return both(Classes::fields(), {Weights::samples_field(samples)});
    }
};

}  // namespace ptp::experiment
