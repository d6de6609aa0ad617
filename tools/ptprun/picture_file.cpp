// Chooses the format by --format or by the file's name, and writes or prints the picture.
#include "picture_file.hpp"

#include "base/error.hpp"
#include "base/output_file.hpp"
#include "base/text.hpp"
#include "common/output_option.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace ptp::ptprun {

namespace {

constexpr std::array<std::string_view, 5> kFormats = {"text", "dot", "svg", "png", "pdf"};

// Returns "svg" for "picture.svg". Any name can be that of a text file, unless it is that of a
// picture in an unknown format.
std::string format_of(const std::string& file) {
    std::string suffix = std::filesystem::path(file).extension().string();
    if (suffix.empty() || suffix == ".txt") {
        return "text";
    }
    suffix.erase(0, 1);
    if (std::ranges::find(kFormats, suffix) == kFormats.end()) {
        throw UsageError(
            fmt::format("{}: a file name must end with .txt, .dot, .svg, .png or .pdf, or --format "
                        "must be given",
                        file));
    }
    return suffix;
}

std::string drawn(const pipeline::Picture& picture, const std::string& format) {
    if (format == "text") {
        return pipeline::draw_text(picture);
    }
    const std::string dot = pipeline::draw_dot(picture);
    return format == "dot" ? dot : pipeline::render_dot(dot, format);
}

}  // namespace

PictureTarget picture_target(const std::string& format, const Given& given) {
    const std::string file = given.text("output");
    if (!format.empty() && std::ranges::find(kFormats, format) == kFormats.end()) {
        throw UsageError(fmt::format("--format {}: must be {}", format, join(kFormats, ", ")));
    }
    const bool is_named = given.has("output") && file != "-";
    const std::string chosen = !format.empty() ? format : is_named ? format_of(file) : "text";
    return {.format = chosen, .file = is_named ? tools::output_file(file) : ""};
}

void write_picture(const pipeline::Picture& picture, const PictureTarget& target) {
    const bool is_binary = target.format == "png" || target.format == "pdf";
    if (is_binary && target.file.empty() && ::isatty(STDOUT_FILENO) != 0) {
        throw UsageError(
            fmt::format("a {} would go to the terminal; name a file with --output", target.format));
    }
    const std::string content = drawn(picture, target.format);
    if (target.file.empty()) {
        if (std::fwrite(content.data(), 1, content.size(), stdout) < content.size()) {
            throw RunError(kTrainingError, fmt::format("cannot write the standard output: {}",
                                                       std::generic_category().message(errno)));
        }
        return;
    }
    replace_file(target.file, content);
}

}  // namespace ptp::ptprun
