// ptp-find-lr: trains a few batches at rising learning rates, shows the losses, and proposes a
// rate. `ptprun find-lr` starts it.

#include "base/error.hpp"
#include "base/exit_code.hpp"
#include "base/json.hpp"
#include "base/memory.hpp"
#include "base/number.hpp"
#include "base/output_file.hpp"
#include "base/paths.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"
#include "base/toml_reader.hpp"
#include "common/program.hpp"
#include "experiment/load/load.hpp"
#include "host/engine_library.hpp"
#include "host/open_engine.hpp"
#include "host/prepare.hpp"
#include "ptp-find-lr/range_test.hpp"
#include "ptp-report/curve_picture.hpp"
#include "ptp-report/statistics_table.hpp"
#include "ptprun/help.hpp"
#include "ptprun/report.hpp"
#include "ptprun/request_options.hpp"
#include "ptprun/results_folder.hpp"
#include "ptprun/run_operand.hpp"
#include "ptprun/sweep_points.hpp"
#include "ptprun/training_options.hpp"
#include "run/paths.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <string>

namespace ptp::find_lr {

namespace {

using tools::Given;

namespace fs = std::filesystem;

constexpr int kNoSuggestion = 1;
constexpr std::int64_t kUsualEpisodes = 100;
constexpr std::int64_t kMinEpisodes = 20;
constexpr std::int64_t kMaxEpisodes = 100'000;
constexpr std::size_t kPictureLines = 16;
constexpr std::string_view kFrom = "1e-7";
constexpr std::string_view kTo = "10";

// The measurements of a range test.
struct Curve {
    std::vector<double> rates;
    std::vector<double> losses;
};

constexpr std::string_view kKey = "training.optimizer.lr";
constexpr std::string_view kOfNumbers = "0123456789.eE+-_";

[[noreturn]] void refuse(const std::string& why, const std::string& rate) {
    throw tools::UsageError(fmt::format("--write: {}\n    fix: write {} there by hand", why, rate));
}

// Returns the position of a place in a text; npos if it has no such line.
std::size_t position_of(const SourceLocation& place, std::string_view text) {
    std::size_t begin = 0;
    for (int line = 1; line < place.line(); ++line) {
        begin = text.find('\n', begin);
        if (begin == std::string_view::npos) {
            return begin;
        }
        ++begin;
    }
    return begin + static_cast<std::size_t>(place.column()) - 1;
}

// Replaces the number of training.optimizer.lr in the file where it is written, which is returned:
// the experiment's, or one that it includes. Everything else in the file stays. Throws UsageError
// for a rate that is not a number in a file, such as one of --set.
std::string write_rate(const experiment::LoadRequest& request, const std::string& rate) {
    Diagnostics reported_before;
    const auto tree = experiment::load_experiment(request, reported_before);
    const Value* lr = tree ? tree->find_path(kKey) : nullptr;
    if (lr == nullptr) {
        refuse(fmt::format("{} has no {}", request.file.string(), kKey), rate);
    }
    const SourceLocation& place = lr->place();
    if (place.file() == kCommandLine || place.line() == 0) {
        refuse(fmt::format("{} comes from the command line", kKey), rate);
    }
    std::string text = read_text(place.file());
    const std::size_t begin = position_of(place, text);
    std::size_t end = begin < text.size() ? text.find_first_not_of(kOfNumbers, begin) : begin;
    end = std::min(end, text.size());
    if (begin >= end || !read_toml_value(std::string_view(text).substr(begin, end - begin))) {
        refuse(fmt::format("{}: {} is not written as a number", place.text(), kKey), rate);
    }
    replace_file(place.file(), text.replace(begin, end - begin, rate));
    return place.file();
}

double rate_option(const Given& given, const char* name, std::string_view usual) {
    const std::string text = given.has(name) ? given.text(name) : std::string(usual);
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value) ||
        value <= 0) {
        throw tools::UsageError(
            fmt::format("--{} {}: must be a learning rate, such as {}", name, text, usual));
    }
    return value;
}

RateRange range_from(const Given& given) {
    const RateRange range{rate_option(given, "from", kFrom), rate_option(given, "to", kTo),
                          *given.integer("episodes")};
    if (range.from >= range.to) {
        throw tools::UsageError(fmt::format("--from {}: must be below --to, which is {}",
                                            exact_text(range.from), exact_text(range.to)));
    }
    return range;
}

// Reads what the run recorded.
Curve curve_of(const fs::path& run) {
    const auto table = report::read_statistics(run / run::kTrainingTable);
    const auto* rates = table ? table->find("learning_rate") : nullptr;
    const auto* losses = table ? table->find("loss") : nullptr;
    return rates == nullptr || losses == nullptr ? Curve() : Curve{*rates, *losses};
}

// Returns a rate for people: two digits, which is more than a range test can tell.
std::string short_rate(double rate) {
    return fmt::format("{:.2g}", rate);
}

void draw(const Curve& curve, const RateFinding& finding) {
    report::Picture picture;
    picture.height = kPictureLines;
    picture.is_x_log = true;
    picture.is_colored = has_color(STDOUT_FILENO);
    picture.x_name = "lr";
    report::Curve smoothed{.title = "loss, smoothed", .x = {}, .y = finding.smoothed};
    for (std::size_t i = 0; i < finding.smoothed.size(); ++i) {
        smoothed.x.push_back(std::log10(curve.rates[i]));
        picture.x.add(smoothed.x.back());
        picture.y.add(smoothed.y[i]);
    }
    report::print_picture(picture, {smoothed});
}

// Returns whether the lowest loss is at the last rate, so that nothing is known of the best one.
bool still_falls(const RateFinding& finding) {
    return !finding.diverged && finding.lowest && *finding.lowest + 1 == finding.smoothed.size();
}

std::optional<std::size_t> suggested(const RateFinding& finding) {
    return still_falls(finding) ? std::nullopt : finding.steepest;
}

// Returns the command line of this test, or of a training, with an option in place of those of the
// test that are named: what is set or laid over the experiment counts there, too.
std::string line_with(const std::string& option, const Given& given, const char* command,
                      tools::Strings left_out) {
    left_out.emplace_back("run-dir");  // which has this test now
    std::string line = command;
    for (const std::string& word : given.operands()) {
        line += " " + shell_word(word);
    }
    for (const std::string& word : given.options_without(left_out)) {
        line += " " + shell_word(word);
    }
    return line + " " + option;
}

std::string test_with(const std::string& option, const std::string& value, const Given& given) {
    return line_with(fmt::format("--{} {}", option, value), given, "ptprun find-lr", {option});
}

// Returns why there is no suggestion, and the command line to continue with; "" where there is one.
std::string why_none(const Given& given, const Curve& curve, const RateFinding& finding) {
    if (finding.smoothed.empty()) {
        constexpr double kLower = 1000;
        return fmt::format(
            "no suggestion: the loss is not finite, or doubles, at {} already\n  {}\n",
            short_rate(curve.rates[finding.diverged.value_or(0)]),
            std::isfinite(curve.losses.front())
                ? test_with("from", short_rate(curve.rates.front() / kLower), given)
                : "ptprun data " + shell_word(given.operands().front()));
    }
    if (!finding.steepest) {
        const std::int64_t more = std::min(4 * *given.integer("episodes"), kMaxEpisodes);
        return fmt::format(
            "no suggestion: the loss does not fall by more than it scatters; more batches, or "
            "larger ones, scatter less\n  {}\n",
            test_with("episodes", fmt::format("{}", more), given));
    }
    return still_falls(finding)
               ? fmt::format("no suggestion: the loss still falls at the last rate, {}\n  {}\n",
                             short_rate(curve.rates.back()),
                             test_with("to", short_rate(10 * curve.rates.back()), given))
               : "";
}

void show(const Given& given, const Curve& curve, const RateFinding& finding) {
    if (!finding.smoothed.empty()) {
        draw(curve, finding);
    }
    if (finding.diverged && !finding.smoothed.empty()) {
        fmt::print("diverges at {}: the loss is not finite, or twice that of the first batches\n",
                   short_rate(curve.rates[*finding.diverged]));
    }
    if (const std::string why = why_none(given, curve, finding); !why.empty()) {
        fmt::print("{}", why);
        return;
    }
    const std::string rate = short_rate(curve.rates[*finding.steepest]);
    fmt::print("suggestion: {}, where the loss falls fastest; it is lowest at {}\n", rate,
               short_rate(curve.rates[*finding.lowest]));
    constexpr double kClose = 3;
    const double found = curve.rates[*finding.steepest];
    if (finding.diverged && curve.rates[*finding.diverged] < kClose * found) {
        fmt::print("it diverges close above that: a tenth of it, {}, is safer\n",
                   short_rate(found / 10));
    }
    if (!given.has("write")) {
        fmt::print("  {}\n", line_with("--set training.optimizer.lr=" + rate, given, "ptprun",
                                       {"from", "to", "episodes"}));
    }
}

Json json_of_test(const Curve& curve, const RateFinding& finding, const fs::path& run) {
    const auto rate = [&](std::optional<std::size_t> index) {
        return index ? Json(curve.rates[*index]) : Json();
    };
    return {
        {"format", 1},
        {"run", run.string()},
        {"suggestion",
         suggested(finding) ? Json(std::stod(short_rate(curve.rates[*finding.steepest]))) : Json()},
        {"steepest", rate(finding.steepest)},
        {"lowest", rate(finding.lowest)},
        {"diverged", rate(finding.diverged)},
        {"learning_rates", curve.rates},
        {"losses", curve.losses},
        {"smoothed", finding.smoothed}};
}

// Prints the result, writes it beside the run's tables, and into the experiment where that is
// asked for. Returns the exit code.
int conclude(const Given& given, const host::Request& request, const Curve& curve,
             const fs::path& run) {
    const RateFinding finding = read_curve(curve.rates, curve.losses);
    const Json json = json_of_test(curve, finding, run);
    replace_file(run / run::kRangeTestFile, text_of(json, 2) + "\n");
    if (given.has("json")) {
        tools::print(text_of(json) + "\n");
    } else {
        show(given, curve, finding);
        fmt::print("the range test is in {}\n", run.string());
    }
    if (!suggested(finding)) {
        return kNoSuggestion;
    }
    if (given.has("write")) {
        const std::string file =
            write_rate({request.file, request.overrides, home_folder(), {}, request.over},
                       short_rate(curve.rates[*finding.steepest]));
        fmt::print(stderr, "{}: lr is {} now\n", file, short_rate(curve.rates[*finding.steepest]));
    }
    return kDone;
}

int run_find_lr(const Given& given) {
    const RateRange range = range_from(given);
    ptprun::use_threads(given);
    ptprun::require_one_process("ptprun find-lr");
    keep_freed_memory();
    host::Request request = ptprun::request_from(given);
    const ptprun::Subject subject = ptprun::subject_operand(request.file);
    if (subject.run) {
        return ptprun::explain_run(subject, "find-lr");
    }
    request.file = subject.experiment;
    ptprun::refuse_sweep(request);
    if (given.has("seed")) {
        request.overrides.push_back(fmt::format("seed={}", *given.integer("seed")));
    }
    ptprun::add_device(given, request);
    request.change = [range](experiment::Experiment& experiment, Diagnostics&) {
        make_range_test(experiment, range);
    };
    Diagnostics problems;
    // Never destroyed: the program ends.
    static const auto& prepared = *new host::Prepared(host::prepare(request, problems));
    const int code = ptprun::report(problems, prepared.catalog, prepared.overrides);
    if (!prepared.plan || !problems.ok()) {
        return code;
    }
    const fs::path run =
        ptprun::new_results_folder(given.text("run-dir"), prepared.experiment.name);
    engine::RunRequest job{prepared.experiment, *prepared.plan, run};
    job.verbosity = engine::Verbosity::kQuiet;
    job.trial = "a range test of the learning rate";
    job.trial_kind = "find_lr";
    job.command_line = {"ptprun", "find-lr"};
    job.command_line.insert(job.command_line.end(), given.words().begin(), given.words().end());
    const engine::RunResult result = host::run_in_engine(job);
    fs::remove_all(run / run::kCheckpointsFolder);
    const Curve curve = curve_of(run);
    const bool is_told = result.exit_code == kDone || result.exit_code == kDiverged;
    if (!is_told || curve.losses.empty()) {
        return ptprun::report(result, prepared.overrides);
    }
    return conclude(given, request, curve, run);
}

tools::Command find_lr_command() {
    return {
        .summary = "finds a learning rate by a short range test",
        .details =
            "Trains some batches on a copy of the experiment while the learning rate rises, and\n"
            "proposes the rate at which the loss falls fastest. Nothing is written into the\n"
            "experiment without --write. Weight decay, momentum and batch size are as in the\n"
            "experiment; its schedule, warm-up, validations and test are left out.\n",
        .operands = {ptprun::declared_experiment()},
        .options = tools::concat(
            {{{.name = "from",
               .value = "LR",
               .help = fmt::format("first rate (default: {})", kFrom)},
              {.name = "to", .value = "LR", .help = fmt::format("last rate (default: {})", kTo)},
              {.name = "episodes",
               .value = "N",
               .help = "batches, each with a rate of its own",
               .integers =
                   tools::Integers{
                       .min = kMinEpisodes, .max = kMaxEpisodes, .usual = kUsualEpisodes}},
              {.name = "write", .help = "write the suggestion into the experiment's file"},
              {.name = "json", .help = "print rates, losses and the suggestion as JSON"},
              ptprun::run_dir_option("where the test goes; must be empty or not exist (default: "
                                     "runs/NAME/TIME)"),
              {.name = "seed",
               .value = "N",
               .help = "the seed of all that is random",
               .integers = tools::Integers{.min = 0}},
              ptprun::device_option(),
              ptprun::threads_option()},
             ptprun::request_options(),
             {{.name = "version", .help = "print the version"}}}),
        .example = "ptprun find-lr net.toml --episodes 200",
        .keeps_results = true,
        .run = run_find_lr};
}

}  // namespace

int run_program(const tools::Strings& words) {
    const tools::Command command = find_lr_command();
    tools::Command named = command;  // as ptprun names it
    named.name = "find-lr";
    return tools::run_program(
        {"ptp-find-lr", command,
         "0 done, 1 no suggestion, 2 wrong input, 3 plugin, 4 data, 5 training failed",
         ptprun::advice_on_option(named, words)},
        words);
}

}  // namespace ptp::find_lr

int main(int argc, char** argv) {
    ptp::host::leave(ptp::find_lr::run_program({argv + 1, argv + argc}));
}
