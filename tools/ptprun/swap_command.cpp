// `ptprun swap`: sends the paths of newer plugin files to a running training.
#include "ask_run.hpp"
#include "base/exit_code.hpp"
#include "base/text.hpp"
#include "commands.hpp"
#include "control/command.hpp"
#include "run_operand.hpp"

#include <fmt/core.h>

#include <filesystem>

namespace ptp::ptprun {

namespace fs = std::filesystem;
namespace {

constexpr std::size_t kMaxFiles = 1000;

// Returns an absolute path, because the training may run in another folder.
std::string absolute_path(const std::string& file) {
    std::error_code error;
    if (!fs::exists(file, error)) {
        throw UsageError(fmt::format("{}: no such file", file));
    }
    if (!fs::is_regular_file(file, error)) {
        throw UsageError(fmt::format("{}: is not a file", file));
    }
    const std::string path = fs::absolute(file).lexically_normal().string();
    if (!is_utf8(path)) {
        throw UsageError(fmt::format("{}: a name that is not UTF-8 cannot be sent", file));
    }
    return path;
}

int run_swap(const Given& given) {
    const Strings& words = given.operands();
    std::vector<Value> files;
    for (std::size_t i = 1; i < words.size(); ++i) {
        files.emplace_back(absolute_path(words[i]));
    }
    control::Request request{std::string(control::Swap::kName), {}};
    request.arguments.set("files", Value::list(std::move(files)));
    request.arguments.set("dry_run", given.has("dry-run"));
    return ask_run(words.front(), request, given);
}

}  // namespace

Command swap_command() {
    return {
        .name = "swap",
        .summary = "exchanges plugins of a running training",
        .operands = {declared_run(),
                     {.name = "PLUGIN-FILE",
                      .what = "a plugin file",
                      .max = kMaxFiles,
                      .completions = {tools::kFiles}}},
        .options = tools::concat(
            {{{.name = "dry-run", .help = "check whether the swap would work, without doing it"}},
             asking_options()}),
        .example = "ptprun swap runs/net/20260131_120000 build/my_plugin.so --dry-run",
        .run = run_swap};
}

}  // namespace ptp::ptprun
