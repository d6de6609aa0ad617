// The first half of commands that compute with trained weights on data of their own: the run, its
// checkpoint, the samples, and the pipeline that takes them.

#pragma once

#include "base/diagnostics.hpp"
#include "commands.hpp"
#include "engine/request.hpp"
#include "host/prepare.hpp"
#include "predict_data.hpp"

#include <optional>
#include <string>

namespace ptp::ptprun {

inline constexpr const char* kPredict = "predict";

// Returns "weights of runs/net/20260131_120000, epoch 7 (best)"; of a checkpoint that is not the
// run's, its folder. An experiment without a checkpoint has those that it loads.
std::string text_of_weights(const Job& job);

// A command line with the options RUN, --data, --text, --section, --checkpoint, --stream, --device
// and those of request_options(). Prints all problems with it. Throws UsageError.
class PreparedJob {
public:
    // `command` is its name: "predict". `json_lines` (optional) are the data, in place of options.
    PreparedJob(std::string command, const Given& given, JsonLines* json_lines = nullptr);
    PreparedJob(const PreparedJob&) = delete;
    PreparedJob& operator=(const PreparedJob&) = delete;

    // Returns whether there were no errors; otherwise exit_code() is that of the command.
    [[nodiscard]] bool is_ready() const { return made_.prepared.plan && problems_.ok(); }
    [[nodiscard]] int exit_code() const;

    [[nodiscard]] const Job& job() const { return job_; }
    // Returns what the engine is asked about.
    [[nodiscard]] engine::SectionRequest request() const {
        return {{experiment(), plan(), job_.checkpoint}, *made_.prediction, section()};
    }

    // Returns the items of the next lines of the standard input, or those of the last ones without
    // those that `refusal`, an error of the task, names: see engine::PredictRequest::next_items.
    // `recorded` are the globals of the run.
    std::optional<engine::PredictGroup> next_items(const std::string& refusal,
                                                   const Value& recorded);

    // Prints the engine's error with advice about the data and with fixes that can be typed, and
    // returns the exit code.
    [[nodiscard]] int report(engine::RunResult result) const;

private:
    host::PreparedPrediction prepared();
    [[nodiscard]] const experiment::Experiment& experiment() const {
        return made_.prepared.experiment;
    }
    [[nodiscard]] const pipeline::Plan& plan() const { return *made_.prepared.plan; }
    [[nodiscard]] const std::string& section() const { return made_.prepared.processed.front(); }

    std::string command_;
    const Given& given_;
    Job job_;
    Diagnostics problems_;
    host::PreparedPrediction made_;
};

}  // namespace ptp::ptprun
