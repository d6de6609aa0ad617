// ptp-bundle: packs the trained model of a run into one file. `ptprun bundle` starts it.

#include "base/error.hpp"
#include "base/exit_code.hpp"
#include "base/explanation.hpp"
#include "base/output_file.hpp"
#include "base/temporary_path.hpp"
#include "base/text.hpp"
#include "bundle/license.hpp"
#include "common/program.hpp"
#include "distributed/program.hpp"
#include "host/open_engine.hpp"
#include "ptp-bundle/contents.hpp"
#include "ptprun/report.hpp"
#include "ptprun/request_options.hpp"
#include "ptprun/run_operand.hpp"
#include "ptprun/run_warnings.hpp"

#include <fmt/core.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace ptp::bundling {

namespace {

namespace fs = std::filesystem;
using tools::Given;

constexpr std::int64_t kUsualSamples = 3;

// Returns the file to write: NAME.ptpm in the current folder, if none is given.
fs::path output_of(const Given& given, const std::string& name) {
    const std::string named = given.has("output") ? given.text("output") : name + ".ptpm";
    std::error_code unreadable;
    if (named.ends_with('/') || fs::is_directory(named, unreadable)) {
        throw tools::UsageError(
            fmt::format("-o {}: is a folder; name a file\n    fix: -o {}", named,
                        shell_word((fs::path(named) / (name + ".ptpm")).string())));
    }
    if (fs::path(named).extension() != bundle::kBundleEnding) {
        throw tools::UsageError(fmt::format(
            "-o {0}: the name of a bundle ends with {1}\n"
            "    fix: -o {2}",
            named, bundle::kBundleEnding,
            shell_word(fs::path(named).replace_extension(bundle::kBundleEnding).string())));
    }
    std::error_code ignored;  // reported when it is written
    if (!given.has("output") && fs::exists(named, ignored)) {
        throw tools::UsageError(
            fmt::format("{} exists already, and is replaced if it is named\n    fix: -o {}", named,
                        shell_word(named)));
    }
    return tools::output_file(named, "ptpm");
}

// Has ptp-export write the forward stage as ONNX into the folder. Returns its path.
fs::path exported(const Source& source, const fs::path& folder) {
    fs::path file = folder / bundle::kOnnxFile;
    const fs::path output = folder / "output.txt";
    std::vector<std::string> words = {source.run.string(), "-o", file.string(), "--checkpoint",
                                      fs::absolute(source.checkpoint).string()};
    for (const fs::path& plugins : source.plugins) {
        words.insert(words.end(), {"--plugins", plugins.string()});
    }
    const int code = distributed::run({.path = host::program_path().parent_path() / "ptp-export",
                                       .arguments = words,
                                       .output = output});
    if (code != kDone) {
        std::string why = read_text(output);
        why.resize(why.find_last_not_of('\n') + 1);
        throw WithFix<RunError>(static_cast<ExitCode>(code),
                                {"--with onnx: " + why, "leave out --with onnx"});
    }
    return file;
}

// ", with the plugins my_layers, my_losses" for --with-plugins.
std::string with_plugins_text(const Given& given, const Contents& contents) {
    std::vector<std::string> names;
    for (const bundle::NeededPlugin& plugin : contents.manifest.plugins) {
        if (contents.files.contains(bundle::build_path(plugin.name))) {
            names.push_back(plugin.name);
        }
    }
    if (!given.has("with-plugins")) {
        return "";
    }
    return names.empty() ? ", no plugins: all come with ptp"
                         : (names.size() == 1 ? ", with the plugin " : ", with the plugins ") +
                               join(names, ", ");
}

void refuse_wrong_license(const Given& given) {
    if (!given.has("license")) {
        return;
    }
    const std::string license = given.text("license");
    const auto wrong = bundle::wrong_license(license);
    if (!wrong) {
        return;
    }
    std::string command;
    if (!wrong->meant.empty()) {
        command = "ptprun bundle " + shell_word(given.operands().front());
        for (const std::string& word : given.options_without({"license"})) {
            command += " " + shell_word(word);
        }
        command += " --license " + shell_word(wrong->meant);
    }
    throw tools::UsageError(
        Explanation{fmt::format("--license {}: {}", shell_word(license), wrong->reason), command}
            .text());
}

int run_bundle(const Given& given) {
    const std::string& word = given.operands().front();
    const ptprun::Subject subject = ptprun::subject_operand(word);
    if (!subject.run || subject.bundle) {
        throw tools::UsageError(
            fmt::format("{} is {}: a bundle is made of a run\n"
                        "    fix: ptprun bundle RUN -o model.ptpm",
                        word, subject.bundle ? "a bundle already" : "an experiment, not a run"));
    }
    refuse_wrong_license(given);
    const Source source{*subject.run, *ptprun::checkpoint_operand(given, subject),
                        ptprun::paths_from(given, "plugins"), given.has("with-plugins")};
    const Statements statements{given.text("license"), given.text("author"), given.text("summary"),
                                given.texts("parameter")};
    const Samples samples{given.integer("samples").value_or(kUsualSamples), given.has("samples")};
    Diagnostics problems;
    ptprun::warn_of_run(subject, source.checkpoint, problems);
    Pipelines pipelines = pipelines_of(source, problems);
    if (!pipelines.predicting || !problems.ok()) {
        ptprun::show(problems);
        return kConfigurationError;
    }
    const fs::path file = output_of(given, pipelines.prepared.experiment.name);
    Contents contents = contents_of(source, pipelines, statements, samples, problems);
    ptprun::show(problems);
    if (!problems.ok()) {
        return kConfigurationError;
    }
    if (const auto& why = contents.why_no_samples) {
        ptprun::show_warning(
            "stores no samples, so that it cannot test itself where it is used: " + why->reason,
            why->fix);
    }
    std::error_code ignored;  // reported when it is written
    const bool is_replaced = fs::exists(file, ignored);
    const TemporaryPath folder = TemporaryPath::new_folder();
    if (given.has("with")) {
        contents.files.emplace(
            bundle::kOnnxFile,
            bundle::Content{.text = {}, .file = exported(source, folder.path())});
    }
    bundle::write_bundle(file, contents.manifest, contents.files);
    if (given.has("card")) {
        replace_file(tools::output_file(given.text("card"), "md txt"),
                     contents.files.at(bundle::kCardFile).text);
    }
    tools::print(fmt::format("{}: {:.1f} MB, {}, weights of {}{}{}\n", file.string(),
                             static_cast<double>(fs::file_size(file)) / 1e6, contents.manifest.name,
                             ptprun::checkpoint_text(subject, source.checkpoint),
                             with_plugins_text(given, contents),
                             is_replaced ? "; replaces the file that was there" : ""));
    return kDone;
}

tools::Command bundle_command() {
    return {
        .summary = "packs the trained model of a run into one file",
        .details =
            "The file has the experiment, the weights, the vocabularies and other files of its\n"
            "components, a few samples, and the facts about its training; no code, but on demand\n"
            "that of plugins. ptprun predict, process, draw and summary, and load in an\n"
            "experiment, take it in place of the run.\n"
            "Equal runs become equal bytes. ptp-pack sign signs it.\n",
        .operands = {ptprun::declared_run()},
        .options = tools::concat(
            {{{.name = "output,o",
               .value = "FILE.ptpm",
               .help =
                   "write this file, which may exist (default: NAME.ptpm, after the experiment)",
               .completions = {tools::kFiles}},
              ptprun::checkpoint_option(),
              {.name = "samples",
               .value = "N",
               .help = "store N samples with what the model computes of them, which is computed "
                       "again and compared before it is used; 0: none (default: 3)",
               .integers = tools::Integers{.min = 0, .max = 1000}},
              {.name = "parameter",
               .value = "KEY",
               .help = "let users of the model --set this setting of a component, such as "
                       "pipeline.net.dropout, and no others; may be given several times",
               .is_repeatable = true},
              {.name = "license", .value = "SPDX", .help = "the license of the model, such as MIT"},
              {.name = "author", .value = "NAME", .help = "who answers for it"},
              {.name = "summary", .value = "TEXT", .help = "what it is for, in one line"},
              {.name = "with",
               .value = "FORM",
               .help =
                   "have the file hold what ptprun export writes, too: model.onnx, for programs "
                   "that read ONNX",
               .choices = {"onnx"}},
              {.name = "with-plugins",
               .help =
                   "have the file hold the plugins, too, but those that come with ptp; who uses "
                   "the model asks for them, and must trust your signature (ptp-pack sign)"},
              {.name = "card",
               .value = "FILE.md",
               .help = "write the model card, which the bundle has as README.md, to this file too",
               .completions = {tools::kFiles}},
              ptprun::plugins_option()},
             {{.name = "version", .help = "print the version"}}}),
        .example = "ptprun bundle runs/digits/last -o digits.ptpm --license MIT",
        .run = run_bundle};
}

}  // namespace

int run_program(const tools::Strings& words) {
    const tools::Command command = bundle_command();
    return tools::run_program(
        {"ptp-bundle", command, "0 done, 2 wrong input, 3 plugin, 4 data, 5 writing failed"},
        words);
}

}  // namespace ptp::bundling

int main(int argc, char** argv) {
    ptp::host::leave(ptp::bundling::run_program({argv + 1, argv + argc}));
}
