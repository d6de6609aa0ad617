// The classes whose scores are explained: by their names, and as they are asked for.

#pragma once

#include "base/value.hpp"
#include "engine/component/frame.hpp"
#include "pipeline/prediction.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ptp::engine {

struct SampleClasses {
    std::int64_t index = 0;  // of the sample
    std::int64_t predicted = 0;
    std::optional<std::int64_t> target = {};  // nullopt: the sample has none
};

// Returns the true class of a sample of the batch in the frame; nullopt where it has none, or one
// that does not count.
std::optional<std::int64_t> true_class(const Frame& frame,
                                       const pipeline::PredictedStream& predicted,
                                       std::int64_t sample, std::int64_t count);

class ExplainedClasses {
public:
    // `global` names the global with the names of the `count` classes; "": it is found.
    ExplainedClasses(const Value& globals, const pipeline::PredictedStream& predicted,
                     std::int64_t count, const std::string& global);

    [[nodiscard]] std::string name(std::int64_t number) const;

    // Returns the class that an option names. Throws RunError.
    [[nodiscard]] std::int64_t number(const std::string& option, const std::string& asked) const;

    // Returns the classes that --target asks for in a sample, one or two: the true class is the
    // second of two. Throws RunError.
    [[nodiscard]] std::vector<std::int64_t> asked(const std::string& target,
                                                  const SampleClasses& sample) const;

private:
    [[nodiscard]] std::optional<std::int64_t> named(const std::string& name) const;

    std::int64_t count_;
    std::optional<std::vector<std::string>> names_;
};

}  // namespace ptp::engine
