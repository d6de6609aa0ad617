// The destination and format of a picture of a pipeline.

#pragma once

#include "commands.hpp"
#include "pipeline/draw/draw.hpp"

#include <filesystem>
#include <string>

namespace ptp::ptprun {

// The format is "text", "dot", or one of Graphviz's: "svg", "png" or "pdf".
struct PictureTarget {
    std::string format = "text";
    std::filesystem::path file = {};  // "": the standard output
};

// Returns the target by --output and the format; if that is "", it follows from the file's name,
// and is text by default. Throws UsageError, also for a file that cannot be written.
PictureTarget picture_target(const std::string& format, const Given& given);

// Writes the picture. Throws pipeline::GraphvizError, RunError if the file cannot be written, and
// UsageError for pixels that would go to a terminal.
void write_picture(const pipeline::Picture& picture, const PictureTarget& target);

}  // namespace ptp::ptprun
