// Texts in an exported file: where the weights come from, and which components are before and after
// the graph.

#pragma once

#include "engine/export_request.hpp"
#include "pipeline/plan.hpp"
#include "ptp-export/onnx_file.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace ptp::onnx {

struct Origin {
    const pipeline::Plan& plan;
    std::string experiment;  // its name
    std::string section;     // whose samples were traced
    std::string run = {};    // the name of its folder, of a bundle that of its training; "": none
    std::optional<std::filesystem::path> checkpoint = {};
};

// Adds the metadata of `docs/using-a-model.md`.
void add_texts(const engine::ForwardGraph& graph, const Origin& origin, OnnxFile& file);

// Returns how samples are prepared that the graph reads, for those who run it elsewhere, and where
// the settings and globals of that are; "" if the task prepares nothing.
std::string preparation_text(const engine::ForwardGraph& graph, const Origin& origin,
                             const std::string& settings_place, const std::string& globals_place);

}  // namespace ptp::onnx
