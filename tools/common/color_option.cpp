#include "common/color_option.hpp"

#include "base/terminal.hpp"
#include "common/environment.hpp"

#include <fmt/core.h>
#include <boost/program_options/errors.hpp>

#include <string_view>
#include <utility>

namespace ptp::tools {

namespace {

constexpr std::string_view kOption = "--color";

void use(const std::string& choice) {
    if (choice != "auto" && choice != "always" && choice != "never") {
        throw boost::program_options::error(
            fmt::format("{} {}: must be auto, always or never", kOption, choice));
    }
    set_variable(kColorVariable, choice);
}

}  // namespace

void take_color_option(std::vector<std::string>& arguments) {
    std::vector<std::string> rest;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string& word = arguments[i];
        if (word == kOption) {
            if (++i == arguments.size()) {
                throw boost::program_options::error("--color needs a value: auto, always or never");
            }
            use(arguments[i]);
        } else if (word.starts_with(std::string(kOption) + "=")) {
            use(word.substr(kOption.size() + 1));
        } else {
            rest.push_back(word);
        }
    }
    arguments = std::move(rest);
}

}  // namespace ptp::tools
