#include "commands.hpp"
#include "pipeline/draw.hpp"
#include "prepare.hpp"
#include "run_operand.hpp"
#include "sweep.hpp"

#include <fmt/core.h>

#include <cstdio>

namespace ptp::ptprun {

namespace po = boost::program_options;

namespace {

using Draw = std::string (*)(const pipeline::Plan&);

Draw drawing(const std::string& format) {
    if (format == "text")
        return pipeline::draw_text;
    if (format == "dot")
        return pipeline::draw_dot;
    if (format == "svg")
        return pipeline::draw_svg;
    throw po::error(fmt::format("--format {}: must be text, dot or svg", format));
}

}  // namespace

int draw_command(const Arguments& arguments) {
    const po::variables_map map = parse(arguments, draw_options());
    if (map.count("help") > 0) {
        fmt::print("{}", options_text(draw_options()));
        return 0;
    }
    const Draw draw = drawing(map["format"].as<std::string>());
    config::Diagnostics problems;
    const Request request = subject_request(map, problems);
    refuse_sweep(request);
    const Prepared prepared = prepare(request, problems, pipeline::NeededFiles::ignored);
    const int code = report(problems, prepared.catalog);
    if (prepared.plan)
        fmt::print("{}", draw(*prepared.plan));
    return code;
}

Options draw_options() {
    Options description("Options of draw");
    description.add_options()  //
        ("format", po::value<std::string>()->default_value("text")->value_name("FORMAT"),
         "text, dot (for Graphviz) or svg");
    add_request_options(description);
    return description;
}

}  // namespace ptp::ptprun
