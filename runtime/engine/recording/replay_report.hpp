// The report of a replay: what it has compared, the differences, and the times of the calls.

#pragma once

#include "base/value.hpp"
#include "engine/recording/comparison.hpp"

#include <ATen/core/Tensor.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ptp::engine {

class ReplayReport {
public:
    // `on_call` is called with each call before it is made.
    ReplayReport(const std::optional<ReplayTolerance>& tolerance,
                 std::function<void(const std::string&)> on_call)
        : tolerance_(tolerance), on_call_(std::move(on_call)) {}

    // From here on, everything belongs to this repetition, from 1, and to this call: "episode 5
    // (...)".
    void begin_repeat(std::int64_t repeat) { repeat_ = repeat; }
    void begin_call(std::string where) {
        where_ = std::move(where);
        on_call_(where_);
    }
    [[nodiscard]] const std::string& where() const { return where_; }

    // Compares two values; `what` is "the stream 'logits'".
    void compare(const std::string& what, const at::Tensor& recorded, const at::Tensor& now);
    void compare(const std::string& what, const std::vector<std::string>& recorded,
                 const std::vector<std::string>& now);
    void compare(const std::string& what, const Value& recorded, const Value& now);
    // Adds a value that only one of them has.
    void differ(const std::string& what, ValueDifference difference);

    // Adds the duration of a call of this name.
    void add_time(const std::string& call, std::chrono::duration<double> time);

    [[nodiscard]] Value value() const;

private:
    void add(const std::string& what, const std::optional<ValueDifference>& difference);

    std::optional<ReplayTolerance> tolerance_;
    std::function<void(const std::string&)> on_call_;
    std::int64_t repeat_ = 1;
    std::string where_;
    std::uint64_t compared_ = 0;
    std::uint64_t differing_ = 0;
    std::vector<Value> differences_;
    std::map<std::string, std::vector<double>> seconds_;
};

}  // namespace ptp::engine
