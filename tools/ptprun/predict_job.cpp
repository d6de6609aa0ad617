// Chooses the section whose task reads the new data, and changes its settings to read them.

#include "predict_job.hpp"

#include "base/error.hpp"
#include "base/exit_code.hpp"
#include "base/ranges.hpp"
#include "base/text.hpp"
#include "host/section_names.hpp"
#include "pipeline/task_data.hpp"
#include "report.hpp"
#include "request_options.hpp"
#include "run_operand.hpp"
#include "run_warnings.hpp"
#include "training_options.hpp"
#include "unread_settings.hpp"
#include "whole_fixes.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>
#include <utility>

namespace ptp::ptprun {

namespace fs = std::filesystem;

namespace {

Job job_from(const std::string& command, const Given& given, JsonLines* json_lines) {
    require_one_process("ptprun " + command);
    Job job;
    job.name = given.operands().front();
    job.subject = subject_operand(job.name);
    job.checkpoint = checkpoint_operand(given, job.subject);
    apply_bundle_options(given, job.subject);
    job.section = given.text("section");
    job.words = given.texts("data");
    job.texts = given.texts("text");
    job.is_continued = given.has("continue");
    job.json_lines = json_lines;
    if (job.words.empty() && job.texts.empty() && json_lines == nullptr) {
        const auto words = transformed(given.options_without({"section"}), shell_word);
        throw UsageError(Explanation{
            command == kPredict ? "--data or --text is needed: files, a folder or the "
                                  "name of a section, or a text"
                                : "--data is needed: files, a folder or the name of a "
                                  "section",
            job.section.empty()
                ? ""
                : fmt::format("ptprun {} {}{}{} --data {}", command, shell_word(job.name),
                              words.empty() ? "" : " ", join(words, " "), shell_word(job.section))}
                             .text());
    }
    return job;
}

// Returns whether a section is predicted, and not files.
bool is_section(const Job& job, const experiment::Experiment& experiment) {
    constexpr std::array<std::string_view, 3> kCommon = {"training", "validation", "test"};
    if (job.words.size() != 1) {
        return false;
    }
    const std::string& word = job.words.front();
    return (contains(kCommon, word) || !host::sections_named(word, experiment).empty());
}

// A section with the task of [training], which itself stays as it is: the other components take
// from it what follows from its targets and classes.
void predict_beside_training(Job& job, experiment::Experiment& experiment) {
    experiment.test = experiment::Section(experiment.training);
    experiment.test->name = "test";
    job.section = experiment.test->name;
    job.written = experiment.training.name;
}

// Reports what --set has for the task of the section where the data that are predicted take its
// place.
void refuse_replaced(const experiment::TaskEntry& asked, const experiment::TaskEntry& task,
                     const std::string& section, const Job& job, const std::string& option,
                     Diagnostics& problems) {
    for (const Member& setting : asked.settings.members()) {
        const Value* now = task.settings.find(setting.key);
        if (setting.value.place().file() == kCommandLine &&
            (now == nullptr || *now != setting.value)) {
            const std::string asked_for = job.written.empty() ? job.section : job.written;
            problems.error(
                setting.value.place(),
                fmt::format("{}.task.{}", asked_for.empty() ? section : asked_for, setting.key),
                Explanation{
                    fmt::format("has no effect: {} has what is predicted", option),
                    asked_for.empty() ? "leave it out" : "leave it out; --data " + asked_for});
        }
    }
}

// Sets the data of the section's task. A section that the experiment does not have is reported
// later.
void set_data(Job& job, experiment::Experiment& experiment, const plugin::Catalog& catalog,
              Diagnostics& problems) {
    Strings names = job.section.empty() ? Strings{host::default_section(experiment)}
                                        : host::sections_named(job.section, experiment);
    const experiment::Experiment written = experiment;  // without a section that is added here
    if (names == Strings{experiment.training.name}) {
        predict_beside_training(job, experiment);
        names = {job.section};
    }
    const auto sections = experiment::all_sections(experiment);
    const auto section =
        std::ranges::find(sections, names.empty() ? "" : names.front(), &experiment::Section::name);
    if (names.size() != 1 || section == sections.end()) {
        return;
    }
    const auto data = data_of(job, written, **section, catalog, problems);
    for (const fs::path& file : data.files) {
        const std::string drawn = pipeline::drawn_in_training(experiment.training, file, catalog);
        if (!drawn.empty() && job.note.empty() && job.json_lines == nullptr) {
            job.note = fmt::format(
                "{} is data of the training, which drew {}: how well the model predicts these says "
                "nothing about new data\n",
                job.copy ? "the standard input" : file.string(), drawn);
        }
    }
    if (!job.unread.empty()) {
        return;
    }
    job.texts = data.texts;
    const experiment::TaskEntry asked = (*section)->task;
    if (problems.ok() && data.files.size() == 1 && job.json_lines == nullptr) {
        job.scores = pipeline::give_with_targets(**section, data.files.front(),
                                                 recorded_globals(job), catalog);
    }
    if (problems.ok() && !job.scores.is_scored) {
        pipeline::give_unlabeled(**section, data, catalog, problems);
        if (!data.texts.empty()) {
            (*section)->task.batch_size = 1;  // so that what is written of a text has no padding
        }
    }
    refuse_replaced(asked, (*section)->task, (*section)->name, job, data.option, problems);
}

// Takes the word as the name of a section. Refuses one that the experiment does not have, and
// advises "./NAME" if a file or folder has this name.
void choose_section(Job& job, const experiment::Experiment& experiment) {
    const std::string word = std::exchange(job.words, {}).front();
    std::error_code ignored;
    const bool is_path = fs::exists(word, ignored);
    if (host::sections_named(word, experiment).empty()) {
        throw UsageError(
            fmt::format("--data {0}: the experiment has no such section, {1}; known: {2}{3}", word,
                        is_path ? "and in the current folder is something of this name"
                                : "and here is no file or folder of this name",
                        join(host::section_names(experiment), ", "),
                        is_path ? "\n    fix: --data " + shell_word("./" + word) : ""));
    }
    if (is_path) {
        job.note = fmt::format(
            "--data {0} is the section of the experiment; the {1} of this name is --data ./{0}\n",
            word, fs::is_directory(word, ignored) ? "folder" : "file");
    }
    job.section = word;
}

// Returns whether a value, or one within it, is the name of this file.
bool names_file(const Value& value, const fs::path& file) {
    std::error_code ignored;  // what is no path names no file
    const auto is_item = [&](const Value& item) { return names_file(item, file); };
    const auto is_member = [&](const Member& member) { return names_file(member.value, file); };
    return value.is_string()  ? fs::equivalent(value.as_string(), file, ignored)
           : value.is_table() ? std::ranges::any_of(value.members(), is_member)
                              : value.is_list() && std::ranges::any_of(value.items(), is_item);
}

// Refuses an output that is a file with data of the experiment, which would be lost.
void require_no_data(const fs::path& output, const experiment::Experiment& experiment) {
    std::error_code ignored;  // one that is not there is no data
    if (!fs::is_regular_file(output, ignored)) {
        return;
    }
    for (const experiment::Section* section : experiment::all_sections(experiment)) {
        for (const Member& setting : section->task.settings.members()) {
            if (names_file(setting.value, output)) {
                throw UsageError(
                    fmt::format("-o {}: these are data of the training, {}.task.{}, which would be "
                                "lost\n    fix: name another file",
                                output.string(), section->name, setting.key));
            }
        }
    }
}

// Chooses the section, and sets the data of its task.
void adapt(Job& job, const fs::path& output, host::Request& request) {
    request.change = [](experiment::Experiment& experiment, Diagnostics&) {
        host::allow_missing_inputs(experiment);
    };
    request.adapt = [&job, output, &request](experiment::Experiment& experiment,
                                             const plugin::Catalog& catalog,
                                             Diagnostics& problems) {
        require_no_data(output, experiment);
        if (!is_section(job, experiment)) {
            set_data(job, experiment, catalog, problems);
        } else if (job.section.empty()) {
            choose_section(job, experiment);
            request.section_option = "--data";
        } else {
            throw UsageError(
                fmt::format("--section goes with files and folders; --data {0} is the section "
                            "itself, and --data ./{0} a folder or file of this name",
                            job.words.front()));
        }
        if (!job.section.empty()) {
            request.processed = {job.section};
        }
    };
}

}  // namespace

std::string text_of_weights(const Job& job) {
    return job.checkpoint
               ? fmt::format("weights of {}\n", checkpoint_text(job.subject, *job.checkpoint))
               : "";
}

namespace {

// Refuses samples that the task cannot read, and advises which task can. Takes what was prepared
// with the task as it is.
[[noreturn]] void refuse_samples(const Job& job, const host::Prepared& prepared) {
    const std::string advice =
        prepared.plan && !prepared.processed.empty()
            ? pipeline::unlabeled_advice(*prepared.plan, prepared.processed.front(),
                                         prepared.catalog)
            : "";
    throw UsageError(job.unread + advice + (has_fix(advice) ? "" : "\n    fix: " + job.unread_fix));
}

}  // namespace

namespace {

// Returns whether a file begins with bytes that no text has, as those of images and archives do.
bool is_binary(const std::string& file) {
    constexpr std::string_view kOfTexts = "\t\n\v\f\r\x1b";
    std::error_code ignored;  // what cannot be looked at is none
    if (!fs::is_regular_file(file, ignored)) {
        return false;
    }
    std::array<char, 4096> begin{};
    std::ifstream in(file, std::ios::binary);
    in.read(begin.data(), begin.size());
    const std::string_view bytes(begin.data(), static_cast<std::size_t>(in.gcount()));
    return std::ranges::any_of(bytes, [&](char byte) {
        return static_cast<unsigned char>(byte) < 0x20 && kOfTexts.find(byte) == kOfTexts.npos;
    });
}

// Returns advice for a file that is something else than the table that the section's task reads.
std::string columns_advice(const Job& job, const experiment::Section& section,
                           const plugin::Catalog& catalog) {
    const Strings columns = pipeline::input_columns(section, recorded_globals(job), catalog);
    return fmt::format(
        "\n    {}, the task of [{}], reads a table with the columns {}\n"
        "    fix: --data FILE.csv",
        section.task.type, section.name, join(columns, ", "));
}

}  // namespace

PreparedJob::PreparedJob(std::string command, const Given& given, JsonLines* json_lines)
    : command_(std::move(command)),
      given_(given),
      job_(job_from(command_, given, json_lines)),
      made_(prepared()) {
    show(with_whole_fixes(command_, given, problems_));
}

host::PreparedPrediction PreparedJob::prepared() {
    host::Request request = request_from(given_, job_.subject.experiment);
    add_device(given_, request);
    request.processed = Strings();
    adapt(job_, given_.text("output"), request);
    const host::TrainedWeights weights{job_.subject.run, job_.checkpoint};
    host::PreparedPrediction made = host::prepare_prediction(
        request, weights, given_.texts("stream"), weights.files(), problems_);
    if (!job_.unread.empty()) {
        refuse_samples(job_, made.prepared);
    }
    warn_of_run(job_.subject, job_.checkpoint, problems_);
    refuse_unread(request.overrides, made.prepared, job_.written, problems_);
    return made;
}

int PreparedJob::exit_code() const {
    return host::exit_code_for(problems_, made_.prepared.catalog);
}

std::optional<engine::PredictGroup> PreparedJob::next_items(const std::string& refusal,
                                                            const Value& recorded) {
    JsonLines& lines = *job_.json_lines;
    const fs::path& folder = job_.copy->path();
    if (refusal.empty() ? !lines.read_next(true) : !lines.refuse(refusal, job_.items, folder)) {
        return std::nullopt;
    }
    engine::PredictGroup group;
    if (lines.lines.empty()) {
        return group;
    }
    for (const fs::directory_entry& made : fs::directory_iterator(folder)) {
        fs::remove_all(made.path());  // of the lines before
    }
    const experiment::Section& read = *experiment::find_section(experiment(), section());
    try {
        job_.items = read_items(lines, read, recorded, made_.prepared.catalog, folder);
        group = {job_.items.items,
                 pipeline::samples_setting(read, job_.items.data, made_.prepared.catalog)};
    } catch (const NoGoodItem& none) {
        group.items = none.items;
    }
    return group;
}

int PreparedJob::report(engine::RunResult result) const {
    const experiment::Section* read = experiment::find_section(experiment(), section());
    const bool is_fixed = has_fix(result.error) && read != nullptr &&
                          pipeline::reads_table(*read, made_.prepared.catalog);
    if (result.exit_code == kDataError && !job_.words.empty() && !is_fixed &&
        job_.words != Strings{kStandardInput}) {
        const std::string advice =
            pipeline::unlabeled_advice(plan(), section(), made_.prepared.catalog);
        const bool is_other = read != nullptr && !has_fix(advice) &&
                              pipeline::reads_table(*read, made_.prepared.catalog) &&
                              std::ranges::any_of(job_.words, is_binary);
        result.error += is_other ? columns_advice(job_, *read, made_.prepared.catalog) : advice;
    }
    if (job_.copy) {
        name_copies(job_, result.error);
    }
    complete_options(result, command_, given_,
                     {job_.subject, plan(), job_.written.empty() ? section() : job_.written});
    return ptprun::report(result);
}

}  // namespace ptp::ptprun
