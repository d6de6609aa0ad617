#include "base/exit_code.hpp"
#include "commands.hpp"
#include "picture_file.hpp"
#include "prepare.hpp"
#include "run_operand.hpp"
#include "sweep.hpp"

#include <fmt/core.h>
#include <fmt/format.h>

#include <cstdio>

namespace ptp::ptprun {

namespace po = boost::program_options;

namespace {

std::string node_list(const std::vector<pipeline::Node>& nodes) {
    std::vector<std::string> texts;
    for (const pipeline::Node& node : nodes) {
        texts.push_back(fmt::format("{} ({})", node.name, node.component->name));
    }
    return fmt::format("{}", fmt::join(texts, ", "));
}

int check_all(const Request& request) {
    const auto points = points_of(request);
    if (points.empty()) {
        return kConfigurationError;
    }
    const int code = check_sweep(request, points, nullptr);
    if (code == kDone) {
        fmt::print("{}: nothing is wrong with any of {} experiments\n", request.file,
                   points.size());
    }
    return code;
}

std::string verdict(const Diagnostics& problems) {
    const auto warnings = problems.sorted().size() - problems.error_count();
    if (warnings == 0) {
        return "nothing is wrong";
    }
    return fmt::format("no errors, {} warning{}", warnings, warnings == 1 ? "" : "s");
}

// With what is wrong at the components that it is wrong with.
void draw_checked(const Prepared& prepared, const Diagnostics& problems,
                  const PictureTarget& target) {
    write_picture(prepared.plan ? pipeline::picture_of(*prepared.plan)
                                : pipeline::picture_of(prepared.experiment, prepared.catalog,
                                                       home_folder(), problems),
                  target);
}

}  // namespace

int check_command(const Arguments& arguments) {
    const po::variables_map map = parse(arguments, check_options());
    if (map.count("help") > 0) {
        fmt::print("{}", options_text(check_options()));
        return 0;
    }
    const std::string file = map.count("output") > 0 ? map["output"].as<std::string>() : "";
    const PictureTarget target = picture_target("", file);
    Diagnostics problems;
    const Request request = subject_request(map, problems);
    if (is_sweep(request)) {
        return check_all(request);
    }
    const Prepared prepared = prepare(request, problems);
    const int code = report(problems, prepared.catalog, prepared.overrides);
    if (map["draw"].as<bool>() || !file.empty()) {
        draw_checked(prepared, problems, target);
    }
    if (!prepared.plan) {
        return code;
    }
    fmt::print("{}: {}\n", request.file, verdict(problems));
    fmt::print("  name        {}\n", prepared.experiment.name);
    fmt::print("  tasks       {}\n", node_list(prepared.plan->tasks));
    fmt::print("  components  {}\n", node_list(prepared.plan->nodes));
    fmt::print("  streams     {}\n", prepared.plan->streams.size());
    return code;
}

Options check_options() {
    Options description("Options of check");
    description.add_options()                                                               //
        ("draw", po::bool_switch(), "draw the pipeline with its errors at the components")  //
        ("output,o", po::value<std::string>()->value_name("FILE"),
         "write that picture to FILE, in the format of its name: pipeline.svg");
    add_request_options(description);
    return description;
}

}  // namespace ptp::ptprun
