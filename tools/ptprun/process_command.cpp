#include "base/exit_code.hpp"
#include "checkpoint_check.hpp"
#include "commands.hpp"
#include "console_options.hpp"
#include "engine_library.hpp"
#include "prepare.hpp"
#include "run_operand.hpp"
#include "run_plugins.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>

namespace ptp::ptprun {

namespace fs = std::filesystem;
namespace po = boost::program_options;

namespace {

using Strings = std::vector<std::string>;

// Whether the task can read samples without targets.
bool takes_unlabeled(const pipeline::Node& task) {
    return std::ranges::any_of(task.component->settings, &plugin::Setting::takes_unlabeled);
}

engine::ProcessRequest engine_request(const po::variables_map& map, const Prepared& prepared,
                                      const Subject& subject) {
    engine::ProcessRequest request{prepared.experiment, *prepared.plan,
                                   prepared.processed,  checkpoint_operand(map, subject),
                                   std::nullopt,        {}};
    if (map.count("run-dir") > 0) {
        request.folder = map["run-dir"].as<std::string>();
    }
    request.parent =
        subject.run ? *subject.run / "processed" : fs::path("processed") / prepared.experiment.name;
    apply_console_options(map, request);
    return request;
}

}  // namespace

Options process_options() {
    Options description("Options of process");
    description.add_options()  //
        ("section", po::value<Strings>()->composing()->value_name("NAME"),
         "training, validation or test; may be given several times (default: test, else "
         "validation)")  //
        ("checkpoint", po::value<std::string>()->value_name("NAME"),
         "best (the default) or last of the run, or the folder of a checkpoint")  //
        ("run-dir", po::value<std::string>()->value_name("DIR"),
         "where the results go; must be empty or not exist (default: RUN/processed/TIME, or "
         "processed/NAME/TIME)")  //
        ("device", po::value<std::string>()->value_name("NAME"), "cpu, cuda or cuda:N");
    add_console_options(description);
    add_request_options(description);
    return description;
}

int process_command(const Arguments& arguments) {
    const po::variables_map map =
        parse(arguments, process_options(), {}, "a run folder or an experiment file");
    if (map.count("help") > 0) {
        fmt::print("{}", options_text(process_options()));
        return kDone;
    }
    check_console_options(map);
    const Subject subject = subject_operand(map["experiment"].as<std::string>());
    const std::optional<fs::path> checkpoint = checkpoint_operand(map, subject);
    Request request = request_from(map);
    request.file = subject.experiment;
    add_device(map, request);
    request.processed = map.count("section") > 0 ? map["section"].as<Strings>() : Strings();
    Diagnostics problems;
    if (subject.run) {
        const auto checkpoint = checkpoint_operand(map, subject);
        request.run_plugins = plugins_of(*subject.run, checkpoint.value_or(""), problems);
        request.uses_search_path = true;  // for what the run did not have, such as exporters
    }
    // A run has its weights, whatever it once began with.
    const Prepared prepared = prepare(
        request, problems,
        checkpoint ? pipeline::NeededFiles::without_weights : pipeline::NeededFiles::checked);
    if (checkpoint && prepared.plan) {
        check_checkpoint(*checkpoint, *prepared.plan, problems);
    }
    const int code = report(problems, prepared.catalog, prepared.overrides);
    if (!prepared.plan || !problems.ok()) {
        return code;
    }
    engine::RunResult result = process_in_engine(engine_request(map, prepared, subject));
    const bool may_lack_targets =
        subject.run && std::ranges::any_of(prepared.plan->tasks, takes_unlabeled);
    if (result.exit_code == kDataError && may_lack_targets) {
        result.error += fmt::format(
            "\n    fix: if these samples have no targets: ptprun predict {} --data FOLDER",
            subject.run->string());
    }
    return report(result, request.overrides);
}

}  // namespace ptp::ptprun
