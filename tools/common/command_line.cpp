#include "common/command_line.hpp"

#include "base/suggest.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>

namespace ptp::tools {

namespace po = boost::program_options;

namespace {

constexpr int kExactNames =
    po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;

// "--seed N"; "--quiet" where there is no value.
std::string usage_of(const po::option_description& option) {
    const std::string name = option.format_name();  // "-j [ --jobs ]" where it has a letter too
    const std::string long_name = option.long_name().empty() ? name : "--" + option.long_name();
    return option.semantic()->max_tokens() == 0
               ? long_name
               : fmt::format("{} {}", long_name, option.semantic()->name());
}

std::string unknown_text(const std::string& name, const CommandLine& line) {
    std::vector<std::string> known;
    for (const auto& option : line.options.options()) {
        known.push_back("--" + option->long_name());
    }
    const std::string advice = line.advice ? line.advice(name) : "";
    const auto begins = [&](const std::string& option) { return option.starts_with(name); };
    auto meant = nearest(name, known);
    if (std::ranges::count_if(known, begins) == 1) {
        meant = *std::ranges::find_if(known, begins);
    }
    if (!advice.empty()) {
        meant.reset();
    }
    return fmt::format("unknown option '{}'{}{}", name,
                       meant ? fmt::format("; did you mean '{}'?", *meant) : "", advice);
}

std::string syntax_text(const po::invalid_command_line_syntax& error, const CommandLine& line) {
    const std::string name = error.get_option_name();
    const auto dashes = std::min(name.find_first_not_of('-'), name.size());
    const po::option_description* option = line.options.find_nothrow(name.substr(dashes), false);
    switch (error.kind()) {
        case po::invalid_syntax::missing_parameter:
        case po::invalid_syntax::empty_adjacent_parameter:
            return fmt::format("{} needs a value{}", name,
                               option == nullptr ? "" : ": " + usage_of(*option));
        case po::invalid_syntax::extra_parameter:
            return fmt::format("{} takes no value", name);
        default:
            return error.what();
    }
}

std::string wanted_text(const po::option_description* option) {
    const po::value_semantic* semantic = option == nullptr ? nullptr : option->semantic().get();
    const bool is_integer = dynamic_cast<const po::typed_value<int>*>(semantic) != nullptr ||
                            dynamic_cast<const po::typed_value<std::int64_t>*>(semantic) != nullptr;
    return is_integer ? "must be an integer" : "is not a value of this option";
}

std::string value_text(const po::error_with_option_name& error, const po::parsed_options& parsed,
                       const CommandLine& line) {
    const std::string name = error.get_option_name();  // "--seed"
    const std::string key = name.substr(std::min(name.find_first_not_of('-'), name.size()));
    const auto given = std::ranges::find(parsed.options, key, &po::option::string_key);
    const std::string value =
        given == parsed.options.end() || given->value.empty() ? "" : " " + given->value.front();
    return fmt::format("{}{}: {}", name, value, wanted_text(line.options.find_nothrow(key, false)));
}

po::parsed_options split(const CommandLine& line) {
    try {
        return po::command_line_parser(line.arguments)
            .options(line.options)
            .positional(line.positions)
            .style(kExactNames)
            .run();
    } catch (const po::unknown_option& error) {
        const std::string name = error.get_option_name();  // "--epochs=5" as a whole
        throw po::error(unknown_text(name.substr(0, name.find('=')), line));
    } catch (const po::invalid_command_line_syntax& error) {
        throw po::error(syntax_text(error, line));
    }
}

}  // namespace

po::variables_map read(const CommandLine& line) {
    const po::parsed_options parsed = split(line);
    po::variables_map map;
    try {
        po::store(parsed, map);
        po::notify(map);
    } catch (const po::multiple_occurrences& error) {
        throw po::error(fmt::format("{} is given more than once", error.get_option_name()));
    } catch (const po::validation_error& error) {
        throw po::error(value_text(error, parsed, line));
    }
    return map;
}

}  // namespace ptp::tools
