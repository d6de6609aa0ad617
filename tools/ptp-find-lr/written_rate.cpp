// Replaces a number in the text of an experiment.

#include "ptp-find-lr/written_rate.hpp"

#include "base/output_file.hpp"
#include "base/toml_reader.hpp"
#include "common/program.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>

namespace ptp::find_lr {

namespace {

constexpr std::string_view kKey = "training.optimizer.lr";
constexpr std::string_view kOfNumbers = "0123456789.eE+-_";

[[noreturn]] void refuse(const std::string& why, const std::string& rate) {
    throw tools::UsageError(fmt::format("--write: {}\n    fix: write {} there by hand", why, rate));
}

// Returns the position of a place in a text; npos if it has no such line.
std::size_t position_of(const SourceLocation& place, std::string_view text) {
    std::size_t begin = 0;
    for (int line = 1; line < place.line(); ++line) {
        begin = text.find('\n', begin);
        if (begin == std::string_view::npos) {
            return begin;
        }
        ++begin;
    }
    return begin + static_cast<std::size_t>(place.column()) - 1;
}

}  // namespace

std::string write_rate(const experiment::LoadRequest& request, const std::string& rate) {
    Diagnostics reported_before;
    const auto tree = experiment::load_experiment(request, reported_before);
    const Value* lr = tree ? tree->find_path(kKey) : nullptr;
    if (lr == nullptr) {
        refuse(fmt::format("{} has no {}", request.file.string(), kKey), rate);
    }
    const SourceLocation& place = lr->place();
    if (place.file() == kCommandLine || place.line() == 0) {
        refuse(fmt::format("{} comes from the command line", kKey), rate);
    }
    std::string text = read_text(place.file());
    const std::size_t begin = position_of(place, text);
    std::size_t end = begin < text.size() ? text.find_first_not_of(kOfNumbers, begin) : begin;
    end = std::min(end, text.size());
    if (begin >= end || !read_toml_value(std::string_view(text).substr(begin, end - begin))) {
        refuse(fmt::format("{}: {} is not written as a number", place.text(), kKey), rate);
    }
    replace_file(place.file(), text.replace(begin, end - begin, rate));
    return place.file();
}

}  // namespace ptp::find_lr
