#include "run_operand.hpp"

#include "base/exit_code.hpp"
#include "run/read_run.hpp"
#include "run/resolve.hpp"
#include "run_plugins.hpp"
#include "show_error.hpp"

#include <fmt/core.h>

#include <system_error>
#include <utility>
#include <variant>

namespace ptp::ptprun {

namespace fs = std::filesystem;
namespace po = boost::program_options;

namespace {

using Resolved = std::variant<fs::path, run::UnknownRun>;

fs::path path_or_throw(Resolved found) {
    if (const auto* unknown = std::get_if<run::UnknownRun>(&found)) {
        throw po::error(unknown->why);
    }
    return std::get<fs::path>(std::move(found));
}

}  // namespace

fs::path run_operand(const std::string& word) {
    return path_or_throw(run::find_run(word, run::this_machine()));
}

fs::path folder_operand(const std::string& word) {
    return path_or_throw(run::resolve(word, run::this_machine()));
}

Subject subject_operand(const std::string& word) {
    const fs::path path = folder_operand(word);
    std::error_code ignored;  // what cannot be looked at is reported by who opens it
    if (!fs::is_directory(path, ignored)) {
        return {path.string(), std::nullopt};
    }
    fs::path run = run_operand(path.string());
    return {(run / "experiment.toml").string(), std::move(run)};
}

std::optional<fs::path> checkpoint_operand(const po::variables_map& map, const Subject& subject) {
    const std::string asked =
        map.count("checkpoint") > 0 ? map["checkpoint"].as<std::string>() : "best";
    const bool is_name = asked == "best" || asked == "last";
    if (is_name && !subject.run) {
        if (map.count("checkpoint") > 0) {
            throw po::error(
                fmt::format("--checkpoint {}: only a run has one of this name; give "
                            "the folder of a checkpoint",
                            asked));
        }
        return std::nullopt;
    }
    const fs::path folder = is_name ? *subject.run / "checkpoints" / asked : fs::path(asked);
    if (!fs::is_directory(folder)) {
        throw po::error(
            fmt::format("--checkpoint {}: there is no folder {}", asked, folder.string()));
    }
    return folder;
}

Request subject_request(const po::variables_map& map, Diagnostics& problems) {
    Request request = request_from(map);
    const Subject subject = subject_operand(request.file);
    request.file = subject.experiment;
    if (subject.run) {
        request.run_plugins = plugins_of(*subject.run, *subject.run / "checkpoints" / "last",
                                         problems, request.plugins);
        request.uses_search_path = true;
    }
    return request;
}

int explain_run(const fs::path& run) {
    const std::string name = run.string();
    const run::Run what = run::read_run(run, run::this_machine());
    show_error(
        fmt::format("{} is the folder of a run ({}), not an experiment\n"
                    "    fix: ptprun resume {} continues it, or trains it longer\n"
                    "         ptprun {} trains its experiment from scratch\n"
                    "         ptprun process {} measures its weights on a data set\n"
                    "         ptprun predict {} --data FOLDER predicts for files or folders",
                    name, what.state, name, (run / "experiment.toml").string(), name, name));
    return kConfigurationError;
}

}  // namespace ptp::ptprun
