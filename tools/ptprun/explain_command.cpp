#include "base/exit_code.hpp"
#include "commands.hpp"
#include "experiment/key_record.hpp"
#include "experiment/load/load.hpp"
#include "experiment/load/override.hpp"
#include "prepare.hpp"
#include "reference/explain.hpp"
#include "run_operand.hpp"
#include "show_error.hpp"
#include "sweep.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <filesystem>
#include <variant>

namespace ptp::ptprun {

namespace po = boost::program_options;

namespace {

reference::KeyPath key_from(const po::variables_map& map) {
    if (map.count("key") == 0) {
        return {};
    }
    const std::string& text = map["key"].as<std::string>();
    const auto path = experiment::read_key_path(text);
    if (!path) {
        throw po::error(fmt::format("'{}' is not a key, such as training.optimizer.lr", text));
    }
    return *path;
}

int tell(const reference::Story& story, const std::string& file, bool is_json) {
    if (const auto* none = std::get_if<reference::UnknownKey>(&story)) {
        show({Severity::kError, SourceLocation(file, 0, 0), "", "", none->why});
        return kConfigurationError;
    }
    const auto print = [is_json](const auto& known) {
        const auto replace = nlohmann::ordered_json::error_handler_t::replace;
        fmt::print("{}", is_json ? story_json(known).dump(2, ' ', false, replace) + "\n"
                                 : provenance_text(known));
    };
    if (const auto* value = std::get_if<reference::ValueProvenance>(&story)) {
        print(*value);
    }
    if (const auto* table = std::get_if<reference::TableProvenance>(&story)) {
        print(*table);
    }
    return kDone;
}

}  // namespace

// What else is wrong with the experiment is for `check`: one asks for the origin of a value because
// something is wrong.
int explain_command(const Arguments& arguments) {
    const po::variables_map map = parse(arguments, explain_options(), {"key"});
    if (map.count("help") > 0) {
        fmt::print("{}", options_text(explain_options()));
        return kDone;
    }
    Diagnostics not_asked_for;
    const Request request = subject_request(map, not_asked_for);
    refuse_sweep(request);
    const reference::KeyPath key = key_from(map);
    Diagnostics problems;
    experiment::Layers layers;
    const auto tree = experiment::load_experiment({request.file, request.overrides, home_folder()},
                                                  problems, &layers);
    if (!tree) {
        return report(problems, {}, request.overrides);
    }
    const experiment::Experiment experiment = experiment::read_experiment(
        *tree, {.default_name = "", .home = home_folder()}, not_asked_for);
    const plugin::Catalog catalog = find_plugins(request, experiment);
    const experiment::KeyRecord keys =
        experiment::possible_keys(*tree, std::filesystem::path(request.file).stem().string());
    return tell(reference::explain(key, layers, {*tree, keys, catalog}), request.file,
                map.count("json") > 0);
}

Options explain_options() {
    Options description("Options of explain");
    description.add_options()("json", "print a JSON object");
    add_request_options(description);
    return description;
}

}  // namespace ptp::ptprun
