#include "base/exit_code.hpp"
#include "commands.hpp"
#include "engine_library.hpp"
#include "picture_file.hpp"
#include "prepare.hpp"
#include "run_operand.hpp"
#include "sweep.hpp"

#include <fmt/core.h>

namespace ptp::ptprun {

namespace po = boost::program_options;

namespace {

std::string text_of(const po::variables_map& map, const char* option) {
    return map.count(option) > 0 ? map[option].as<std::string>() : "";
}

}  // namespace

int draw_command(const Arguments& arguments) {
    const po::variables_map map = parse(arguments, draw_options());
    if (map.count("help") > 0) {
        fmt::print("{}", options_text(draw_options()));
        return kDone;
    }
    const PictureTarget target = picture_target(text_of(map, "format"), text_of(map, "output"));
    const bool is_counted = map["parameters"].as<bool>();
    Diagnostics problems;
    const Request request = subject_request(map, problems);
    refuse_sweep(request);
    const Prepared prepared = prepare(
        request, problems,
        is_counted ? pipeline::NeededFiles::without_weights : pipeline::NeededFiles::ignored);
    const int code = report(problems, prepared.catalog, prepared.overrides);
    if (!prepared.plan) {
        return code;
    }
    engine::RunResult counted;
    if (is_counted) {
        engine::RunRequest count{prepared.experiment, *prepared.plan, {}};
        count.is_counted = true;
        counted = run_in_engine(count);
        if (counted.exit_code != kDone) {
            return report(counted);
        }
    }
    write_picture(pipeline::picture_of(*prepared.plan, counted.parameters), target);
    return code;
}

Options draw_options() {
    Options description("Options of draw");
    description.add_options()  //
        ("format", po::value<std::string>()->value_name("FORMAT"),
         "text (the default), dot (for Graphviz), svg, png or pdf")  //
        ("output,o", po::value<std::string>()->value_name("FILE"),
         "write the picture to FILE, in the format of its name: pipeline.svg")  //
        ("parameters", po::bool_switch(),
         "create the components, and show the number of their parameters; needs the data");
    add_request_options(description);
    return description;
}

}  // namespace ptp::ptprun
