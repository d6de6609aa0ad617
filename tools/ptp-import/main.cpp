// ptp-import: converts an experiment of PyTorchPipe to one of ptp; see `ptp-import --help`.

#include "base/error.hpp"
#include "base/explanation.hpp"
#include "base/output_file.hpp"
#include "base/ranges.hpp"
#include "base/text.hpp"
#include "base/toml_writer.hpp"
#include "common/command.hpp"
#include "common/program.hpp"
#include "common/render.hpp"
#include "conversions.hpp"
#include "plugin/search_path.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace ptp::importer {

namespace {

namespace fs = std::filesystem;
using tools::Given;

constexpr std::size_t kMaxFiles = 1000;
constexpr int kLeftOut = 1;

void show(const Diagnostics& problems) {
    const std::string text =
        tools::rendered(problems, "ptp-import", {}, tools::style_for(STDERR_FILENO));
    static_cast<void>(std::fputs(text.c_str(), stderr));
}

plugin::Catalog find_components(const Given& given) {
    const std::vector<std::string> named = given.texts("plugins");
    const std::vector<fs::path> folders(named.begin(), named.end());
    return plugin::scan(plugin::search_folders(plugin::search_path_here(folders)));
}

std::string header(const std::vector<fs::path>& files, const std::string& remarks) {
    const std::vector<std::string> names =
        transformed(files, [](const fs::path& file) { return file.filename().string(); });
    return fmt::format("# Made by ptp-import from {}.\n{}\n", join(names, ", "), remarks);
}

// Refuses to replace a file that has another text, which may have been corrected by hand.
void require_no_other_text(const fs::path& file, const std::string& text) {
    std::error_code ignored;
    if (fs::is_regular_file(file, ignored) && fs::file_size(file, ignored) > 0 &&
        read_text(file) != text) {
        throw WithFix<RunError>(
            kConfigurationError,
            {fmt::format("-o {}: there is such a file, which differs from what would be written",
                         file.string()),
             "name another file with -o, and compare the two; or delete this one"});
    }
}

int run_import(const Given& given) {
    const auto output = given.has("output") && given.text("output") != "-"
                            ? std::optional(tools::output_file(given.text("output"), "toml"))
                            : std::nullopt;
    const plugin::Catalog catalog = find_components(given);
    YamlFiles files;
    files.roots.assign(given.operands().begin(), given.operands().end());
    for (const fs::path& file : files.roots) {
        if (file.extension() == ".toml") {
            throw tools::UsageError(
                Explanation{file.string() + " is TOML: an experiment of ptp, which needs no import",
                            "ptprun check " + file.string()}
                    .text());
        }
    }
    if (given.has("configs")) {
        files.folder = given.text("configs");
    }
    ImportRequest request{
        .files = std::move(files), .catalog = catalog, .home = plugin::environment_text("HOME")};
    request.worker = given.text("worker");
    if (given.has("pipeline")) {
        request.pipeline = given.text("pipeline");
    }
    Report report;
    if (catalog.plugins.empty()) {
        report.problems.warning(
            {}, "",
            Explanation{"there are no plugins: what components have is not compared",
                        "name the folder of the plugins: --plugins FOLDER"});
    }
    const auto experiment = import_experiment(request, report);
    static_cast<void>(std::fputs(report.notes().c_str(), stderr));
    show(report.problems);
    if (!experiment) {
        return kConfigurationError;
    }
    const std::string text = header(request.files.roots, report.remarks) + to_toml(*experiment);
    if (output) {
        require_no_other_text(*output, text);
        replace_file(*output, text);
    } else {
        tools::print(text);
    }
    if (!report.problems.ok()) {
        fmt::print(stderr, "{} is written, and ptprun check refuses it until this is corrected\n",
                   output ? output->string() : "the experiment");
        return kConfigurationError;
    }
    return report.is_whole ? int{kDone} : kLeftOut;
}

tools::Command import_command() {
    return {
        .summary = "turns an experiment of PyTorchPipe into one of ptp, and prints it as TOML",
        .details =
            "Several files are as after PyTorchPipe's --config: the first counts most. What is\n"
            "called otherwise is noted; what has no counterpart is left out, with a warning that\n"
            "names file, line, reason and what to use. What is then wrong is reported as by\n"
            "ptprun check.\n",
        .operands = {{.name = "FILE.yml",
                      .what = "a file of PyTorchPipe",
                      .max = kMaxFiles,
                      .completions = {tools::kFiles}}},
        .options = {{.name = "output,o",
                     .value = "FILE.toml",
                     .help = "write the experiment to FILE.toml",
                     .completions = {tools::kFiles}},
                    {.name = "configs",
                     .value = "FOLDER",
                     .help = "what default_configs begins in; by default the nearest folder above "
                             "the file that has the included one",
                     .completions = {tools::kFolders}},
                    {.name = "worker",
                     .value = "WORKER",
                     .help = "offline or online, as ptp-offline-trainer and ptp-online-trainer; by "
                             "default online only where there is no epoch_limit",
                     .choices = {"offline", "online"}},
                    {.name = "pipeline",
                     .value = "NAME",
                     .help = "the section with the pipeline, as PyTorchPipe's --pipeline"},
                    {.name = "plugins",
                     .value = "FOLDER",
                     .help = "look here first for the components; may be repeated",
                     .completions = {tools::kFolders},
                     .is_repeatable = true},
                    {.name = "version", .help = "print the version"}},
        .example = "ptp-import configs/mnist/mnist_classification_lenet5.yml -o lenet5.toml",
        .run = run_import};
}

constexpr const char* kExitCodes =
    "0 all was converted, 1 something was left out or counts otherwise, 2 wrong command\nline, a "
    "file that cannot be read, or an experiment that ptprun refuses (written all the same, as\nwith "
    "1), 5 cannot write";

}  // namespace

}  // namespace ptp::importer

int main(int argc, char** argv) {
    const ptp::tools::Command command = ptp::importer::import_command();
    return ptp::tools::run_program({"ptp-import", command, ptp::importer::kExitCodes},
                                   {argv + 1, argv + argc});
}
