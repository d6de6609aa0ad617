#include "ask_run.hpp"
#include "base/exit_code.hpp"
#include "base/text.hpp"
#include "commands.hpp"
#include "prepare.hpp"

#include <fmt/core.h>

#include <filesystem>

namespace ptp::ptprun {

namespace fs = std::filesystem;
namespace po = boost::program_options;

namespace {

constexpr std::size_t kMaxFiles = 1000;

// The training may run in another folder.
std::string absolute_path(const std::string& file) {
    std::error_code error;
    if (!fs::exists(file, error)) {
        throw po::error(fmt::format("{}: there is no such file", file));
    }
    if (!fs::is_regular_file(file, error)) {
        throw po::error(fmt::format("{}: is not a file", file));
    }
    const std::string path = fs::absolute(file).lexically_normal().string();
    if (!is_utf8(path)) {
        throw po::error(fmt::format("{}: a name that is not UTF-8 cannot be sent", file));
    }
    return path;
}

}  // namespace

int swap_command(const Arguments& arguments) {
    const auto [map, words] = parse_words(
        arguments, swap_options(), {2, 1 + kMaxFiles, "a run folder and a plugin file are needed"});
    if (map.count("help") > 0) {
        fmt::print("{}", options_text(swap_options()));
        return kDone;
    }
    std::vector<Value> files;
    for (std::size_t i = 1; i < words.size(); ++i) {
        files.emplace_back(absolute_path(words[i]));
    }
    control::Request request{"swap", {}};
    request.arguments.set("files", Value::list(std::move(files)));
    request.arguments.set("dry_run", map.count("dry-run") > 0);
    return ask_run(words.front(), request, map);
}

Options swap_options() {
    Options description("Options of swap");
    description.add_options()("dry-run", "only find out whether it would work");
    add_asking_options(description);
    return description;
}

}  // namespace ptp::ptprun
