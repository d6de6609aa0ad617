// [records]: the statistics that a run writes besides the CSV files, with a table for each sink.

#pragma once

#include "experiment/records/json_lines.hpp"
#include "experiment/records/tensorboard.hpp"

#include <optional>
#include <tuple>

namespace ptp::experiment {

template <class... Sinks>
struct RecordsOf {
    std::tuple<std::optional<Sinks>...> sinks = {};  // absent: not written

    template <class Sink>
    [[nodiscard]] std::optional<Sink>& get() {
        return std::get<std::optional<Sink>>(sinks);
    }
    template <class Sink>
    [[nodiscard]] const std::optional<Sink>& get() const {
        return std::get<std::optional<Sink>>(sinks);
    }

    // Calls `use` with the options of each sink that is written.
    void for_each(const auto& use) const {
        std::apply([&](const auto&... all) { ((all ? use(*all) : void()), ...); }, sinks);
    }
};

// The list of sinks. Their writers are in engine/output.
using Records = RecordsOf<JsonLines, TensorBoard>;

}  // namespace ptp::experiment
