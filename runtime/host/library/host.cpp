// The functions of <ptp/host.h> on experiments; streams and predictions are in streams.cpp.
// No exception leaves them.

#include <ptp/host.h>

#include "base/exit_code.hpp"
#include "bundle/bundle.hpp"
#include "bundle/installed_models.hpp"
#include "bundle/manifest.hpp"
#include "host/bundle_plugins.hpp"
#include "host/library/experiment.hpp"
#include "host/open_engine.hpp"
#include "run/paths.hpp"
#include "run/resolve.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <filesystem>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>

namespace {

// Compares as integers: a comparison of two enumerations is a warning.
constexpr bool is_same(int result, int code) {
    return result == code;
}

}  // namespace

static_assert(is_same(PTP_RESULT_DONE, ptp::kDone));
static_assert(is_same(PTP_RESULT_CONFIGURATION, ptp::kConfigurationError));
static_assert(is_same(PTP_RESULT_PLUGIN, ptp::kPluginError));
static_assert(is_same(PTP_RESULT_DATA, ptp::kDataError));
static_assert(is_same(PTP_RESULT_TRAINING, ptp::kTrainingError));
static_assert(is_same(PTP_RESULT_DIVERGED, ptp::kDiverged));
static_assert(is_same(PTP_RESULT_STOPPED, ptp::kInterrupted));
static_assert(is_same(PTP_RESULT_MISUSE, ptp::host::kMisuse));

namespace ptp::host {

void list_problems(ptp_experiment& experiment) {
    experiment.problems = experiment.session.problems().sorted();
    experiment.files.clear();
    experiment.listed.clear();
    for (Problem& problem : experiment.problems) {
        experiment.files.push_back(bundle::with_bundles_named(problem.place.file()));
        problem.message = bundle::with_bundles_named(std::move(problem.message));
        problem.fix = bundle::with_bundles_named(std::move(problem.fix));
    }
    for (std::size_t i = 0; i < experiment.problems.size(); ++i) {
        const Problem& problem = experiment.problems[i];
        experiment.listed.push_back(
            {problem.severity == Severity::kWarning ? 1 : 0, experiment.files[i].c_str(),
             static_cast<std::size_t>(problem.place.line()),
             static_cast<std::size_t>(problem.place.column()), problem.key.c_str(),
             problem.value.c_str(), problem.message.c_str(), problem.fix.c_str()});
    }
}

namespace {

thread_local std::string error_without_experiment;
thread_local std::string shown_without_experiment;

using engine::RunResult;

ptp_result check(ptp_experiment* experiment) {
    return call(experiment, [&](Session& session) {
        RunResult result = session.check();
        list_problems(*experiment);
        return result;
    });
}

// Returns whether an option is set that only a later version of the library has.
bool has_unknown_option(const ptp_experiment_options* given) {
    if (given == nullptr || given->struct_size <= sizeof(ptp_experiment_options)) {
        return false;
    }
    const auto* bytes = reinterpret_cast<const unsigned char*>(given);
    return std::any_of(bytes + sizeof(ptp_experiment_options), bytes + given->struct_size,
                       [](unsigned char byte) { return byte != 0; });
}

// Returns the options that the caller's struct_size covers; later ones have their defaults.
ptp_experiment_options options_from(const ptp_experiment_options* given) {
    ptp_experiment_options options = PTP_EXPERIMENT_OPTIONS;
    if (given != nullptr) {
        std::memcpy(&options, given, std::min(given->struct_size, sizeof(options)));
    }
    return options;
}

// Returns the folder of the checkpoint that an option names: "best" and "last" are those of the run
// or bundle, and another name is itself a folder. `why` describes why a run lacks one.
std::filesystem::path checkpoint_of(const std::string& name, const Request& request,
                                    std::string& why) {
    if (!run::is_checkpoint_name(name)) {
        return name;
    }
    const std::filesystem::path run = request.file;
    std::error_code ignored;
    if (request.text || !std::filesystem::is_directory(run, ignored)) {
        why = fmt::format(
            "checkpoint {}: only a run has one of this name; give the folder of a checkpoint",
            name);
        return "";
    }
    std::filesystem::path folder = run / run::kCheckpointsFolder / name;
    if (!std::filesystem::is_directory(folder, ignored)) {
        why = fmt::format("{} has no checkpoint '{}'", run.string(), name);
    }
    return folder;
}

// The purpose of a request.
enum class Use { kExperiment, kResume };

// Returns why the options are refused, "" if they are not.
std::string misuse_of(const ptp_experiment_options* given, Use use) {
    if (given != nullptr && given->struct_size < sizeof(given->struct_size)) {
        return "the options do not state their size: begin with PTP_EXPERIMENT_OPTIONS";
    }
    if (has_unknown_option(given)) {
        return "this libptp does not know an option that is set; install the libptp of the "
               "<ptp/host.h> that the program was compiled with, or leave the option out";
    }
    const ptp_experiment_options options = options_from(given);
    if (use == Use::kResume && (options.run_folder != nullptr || options.checkpoint != nullptr)) {
        return "a run continues in its folder from its newest checkpoint: leave run_folder and "
               "checkpoint NULL";
    }
    return "";
}

// Replaces the name of a run or checkpoint by its path. Returns why there is none, "" if there is.
std::string resolve_subject(Request& request, Use use) {
    const auto found = use == Use::kResume ? run::find_run(request.file, run::this_machine())
                                           : run::find_subject(request.file, run::this_machine());
    if (const auto* unknown = std::get_if<run::UnknownRun>(&found)) {
        return unknown->why;
    }
    request.file = std::get<std::filesystem::path>(found).string();
    return "";
}

bool is_bundle(const std::string& file) {
    std::error_code ignored;  // a file that cannot be looked at is reported when it is opened
    const bool has_bundle_ending =
        std::filesystem::path(file).extension() == bundle::kBundleEnding &&
        std::filesystem::is_regular_file(file, ignored);
    return has_bundle_ending || experiment::is_bundle(file);
}

void open_bundle(Request& request, const ptp_experiment_options& options) {
    request.bundle = std::make_shared<const bundle::OpenedBundle>(request.file);
    request.file = request.bundle->folder().string();
    if (options.checkpoint != nullptr) {
        refuse_checkpoint_option("checkpoint", request.bundle->file().path().string());
    }
    if (options.skips_self_test != 0) {
        bundle::leave_out_samples(request.file);
    }
    if (options.with_plugins != 0) {
        unpack_builds(*request.bundle);
    }
}

ptp_result open(Request request, const ptp_experiment_options* given, ptp_experiment** out,
                Use use = Use::kExperiment) {
    if (std::string misuse = misuse_of(given, use); !misuse.empty()) {
        error_without_experiment = std::move(misuse);
        return PTP_RESULT_MISUSE;
    }
    const ptp_experiment_options options = options_from(given);
    request.overrides.insert(request.overrides.end(), options.set, options.set + options.set_count);
    request.plugins.insert(request.plugins.end(), options.plugins,
                           options.plugins + options.plugin_count);
    const bool may_be_bundle = !request.text && use != Use::kResume;
    if (const auto model = may_be_bundle ? bundle::installed_model(request.file, "", program_path())
                                         : std::nullopt) {
        request.file = model->string();
    }
    std::string why_unknown = request.text ? "" : resolve_subject(request, use);
    if (may_be_bundle && is_bundle(request.file)) {
        open_bundle(request, options);
    } else {
        refuse_bundle_options(request.file, options.skips_self_test != 0,
                              options.with_plugins != 0);
    }
    SessionOptions session{.output = options.output,
                           .handles_signals = options.handles_signals != 0,
                           .is_resumed = use == Use::kResume};
    if (options.run_folder != nullptr) {
        session.run_folder = options.run_folder;
    }
    if (options.checkpoint != nullptr) {
        std::string why;
        session.checkpoint = checkpoint_of(options.checkpoint, request, why);
        why_unknown = why_unknown.empty() ? why : why_unknown;
    }
    session.why_unknown = std::move(why_unknown);
    *out = std::make_unique<ptp_experiment>(std::move(request), std::move(session)).release();
    return check(*out);
}

template <class Work>
ptp_result opened(bool is_allowed, ptp_experiment** out, Work work) noexcept {
    try {
        if (out == nullptr || !is_allowed) {
            error_without_experiment = "an argument is NULL that must not be";
            return PTP_RESULT_MISUSE;
        }
        *out = nullptr;
        return work();
    } catch (const RunError& error) {
        error_without_experiment = in_c(error.what());
        return error.code();
    } catch (const std::exception& error) {
        error_without_experiment = error.what();
        return PTP_RESULT_TRAINING;
    }
}

}  // namespace

std::string in_c(std::string error) {
    constexpr std::pair<std::string_view, std::string_view> kOptions[] = {
        {"fix: --no-self-test", "fix: the option skips_self_test = 1"},
        {"fix: --with-plugins", "fix: the option with_plugins = 1"},
        {"--no-self-test", "skips_self_test"},
        {"--with-plugins", "with_plugins"}};
    for (const auto& [option, name_in_c] : kOptions) {
        for (std::size_t at = error.find(option); at != error.npos; at = error.find(option)) {
            error.replace(at, option.size(), name_in_c);
        }
    }
    return bundle::with_bundles_named(std::move(error));
}

}  // namespace ptp::host

using ptp::host::call;
using ptp::host::refused;
using ptp::host::Request;
using ptp::host::Session;

ptp_result ptp_experiment_open(const char* file, const ptp_experiment_options* options,
                               ptp_experiment** out) {
    return ptp::host::opened(file != nullptr, out, [&] {
        return ptp::host::open({.file = file, .overrides = {}, .plugins = {}}, options, out);
    });
}

ptp_result ptp_experiment_parse(const char* text, const char* name,
                                const ptp_experiment_options* options, ptp_experiment** out) {
    return ptp::host::opened(text != nullptr && name != nullptr, out, [&] {
        return ptp::host::open({.file = name, .overrides = {}, .plugins = {}, .text = text},
                               options, out);
    });
}

ptp_result ptp_experiment_resume(const char* run, const ptp_experiment_options* options,
                                 ptp_experiment** out) {
    return ptp::host::opened(run != nullptr, out, [&] {
        return ptp::host::open({.file = run, .overrides = {}, .plugins = {}}, options, out,
                               ptp::host::Use::kResume);
    });
}

void ptp_experiment_close(ptp_experiment* experiment) {
    delete experiment;
}

ptp_result ptp_experiment_check(ptp_experiment* experiment) {
    return ptp::host::check(experiment);
}

size_t ptp_experiment_problems(const ptp_experiment* experiment, const ptp_problem** out) {
    if (experiment == nullptr) {
        return 0;
    }
    if (out != nullptr) {
        *out = experiment->listed.data();
    }
    return experiment->listed.size();
}

const char* ptp_experiment_error(const ptp_experiment* experiment) {
    const std::string& error =
        experiment == nullptr ? ptp::host::error_without_experiment : experiment->error;
    std::string& shown =
        experiment == nullptr ? ptp::host::shown_without_experiment : experiment->shown_error;
    try {
        shown = error;
    } catch (const std::bad_alloc&) {
        return "memory has run out";
    }
    return shown.c_str();
}

ptp_result ptp_experiment_run(ptp_experiment* experiment) {
    return call(experiment, [](Session& session) { return session.run(); });
}

ptp_result ptp_experiment_step(ptp_experiment* experiment, int32_t* is_running) {
    return call(experiment, [&](Session& session) {
        bool can_follow = false;
        auto result = session.step(can_follow);
        if (is_running != nullptr) {
            *is_running = can_follow ? 1 : 0;
        }
        return result;
    });
}

ptp_result ptp_experiment_save(ptp_experiment* experiment) {
    return call(experiment, [](Session& session) { return session.save(); });
}

void ptp_experiment_stop(ptp_experiment* experiment) {
    if (experiment != nullptr) {
        experiment->session.stop();
    }
}

uint64_t ptp_experiment_episodes(const ptp_experiment* experiment) {
    return experiment == nullptr ? 0 : experiment->session.episodes();
}

const char* ptp_experiment_run_folder(ptp_experiment* experiment) {
    call(experiment, [&](Session& session) {
        experiment->run_folder = session.run_folder().string();
        return ptp::engine::RunResult{};
    });
    return experiment == nullptr ? "" : experiment->run_folder.c_str();
}

ptp_result ptp_experiment_statistic(ptp_experiment* experiment, const char* name, double* out) {
    return call(experiment, [&](Session& session) {
        return name == nullptr || out == nullptr ? refused("the name or the result is NULL")
                                                 : session.measure(name, *out);
    });
}

ptp_result ptp_experiment_statistics(ptp_experiment* experiment, const char* const** out,
                                     size_t* count) {
    return call(experiment, [&](Session& session) {
        if (out == nullptr || count == nullptr) {
            return refused("a result is NULL");
        }
        experiment->statistics.assign(session.statistics());
        *out = experiment->statistics.pointers.data();
        *count = experiment->statistics.pointers.size();
        return *count == 0 ? refused("no episode has run yet") : ptp::engine::RunResult{};
    });
}
