#include "base/exit_code.hpp"
#include "commands.hpp"
#include "control/run_tags.hpp"
#include "prepare.hpp"
#include "run_operand.hpp"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

namespace ptp::ptprun {

namespace po = boost::program_options;

namespace {

using Strings = std::vector<std::string>;

constexpr std::size_t kMaxTags = 1000;

void print_tags(const control::RunTags& tags) {
    fmt::print("tags  {}\nnote  {}\n", fmt::join(tags.tags, ", "), tags.note);
}

void remove_tags(const Strings& unwanted, control::RunTags& tags) {
    for (const std::string& tag : unwanted) {
        if (std::erase(tags.tags, tag) == 0) {
            throw po::error(fmt::format(
                "--remove {}: the run has no such tag; it has {}", tag,
                tags.tags.empty() ? "none" : fmt::format("{}", fmt::join(tags.tags, ", "))));
        }
    }
}

}  // namespace

int tag_command(const Arguments& arguments) {
    const auto [map, words] =
        parse_words(arguments, tag_options(), {1, kMaxTags, "a run folder is needed"});
    if (map.count("help") > 0) {
        fmt::print("{}", options_text(tag_options()));
        return kDone;
    }
    const std::filesystem::path run = run_operand(words.front());
    control::RunTags tags = control::read_run_tags(run);
    for (auto tag = words.begin() + 1; tag != words.end(); ++tag) {
        if (const std::string why = control::refuse_tag(*tag); !why.empty()) {
            throw po::error(fmt::format("'{}': {}", *tag, why));
        }
        if (std::ranges::find(tags.tags, *tag) == tags.tags.end()) {
            tags.tags.push_back(*tag);
        }
    }
    if (map.count("remove") > 0) {
        remove_tags(map["remove"].as<Strings>(), tags);
    }
    if (map.count("note") > 0) {
        tags.note = map["note"].as<std::string>();
    }
    if (words.size() > 1 || map.count("remove") > 0 || map.count("note") > 0) {
        control::write_run_tags(run, tags);
    }
    print_tags(tags);
    return kDone;
}

Options tag_options() {
    Options description("Options of tag; without tags or options it shows those of the run");
    description.add_options()  //
        ("remove", po::value<Strings>()->composing()->value_name("TAG"),
         "take this tag away; may be given several times")  //
        ("note", po::value<std::string>()->value_name("TEXT"),
         "what is to be remembered of the run; \"\" for nothing")  //
        ("help,h", "show this help");
    return description;
}

}  // namespace ptp::ptprun
