// Where a picture of a pipeline goes, and in which format.

#pragma once

#include "commands.hpp"
#include "pipeline/draw/picture.hpp"

#include <filesystem>
#include <string>

namespace ptp::ptprun {

// "text", "dot", or a format of Graphviz's: "svg", "png" or "pdf".
struct PictureTarget {
    std::string format = "text";
    std::filesystem::path file = {};  // "": the standard output
};

// From --output, and from the format, "" if it is not given: then it is taken from the file's name,
// else text. Throws UsageError, for a file that cannot be written too.
PictureTarget picture_target(const std::string& format, const Given& given);

// Throws pipeline::GraphvizError, RunError if the file cannot be written, and
// UsageError for pixels that would go to a terminal.
void write_picture(const pipeline::Picture& picture, const PictureTarget& target);

}  // namespace ptp::ptprun
