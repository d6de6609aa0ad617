#include "finished_run.hpp"

#include "run/read_run.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace ptp::ptprun {

std::optional<Value> finished_status(const std::filesystem::path& folder) {
    constexpr std::array<std::string_view, 4> kFinished = {"done", "stopped", "failed", "died"};
    const run::Run run = run::read_run(folder, run::this_machine());
    if (std::ranges::find(kFinished, run.state) == kFinished.end()) {
        return std::nullopt;
    }
    Value table = Value::table({{"episode", run.episode}, {"epoch", run.epoch}});
    if (run.seconds) {
        table.set("seconds", *run.seconds);
    }
    if (run.last) {
        table.set(run::kLastMeasured, run::value_of(*run.last));
    }
    if (run.best) {
        table.set(run::kBestMeasured, run::value_of(*run.best));
    }
    table.set("state", run.state);
    if (!run.reason.empty()) {
        table.set("reason", run.reason);
    }
    if (run.exit_code) {
        table.set("exit_code", *run.exit_code);
    }
    return table;
}

}  // namespace ptp::ptprun
