// A plan as a picture.

#pragma once

#include "pipeline/plan.hpp"

#include <string>

namespace ptp::pipeline {

// An aligned listing in the order of execution: each component with what it reads and writes.
std::string draw_text(const Plan& plan);

// For Graphviz.
std::string draw_dot(const Plan& plan);

// A picture of its own: components as boxes, streams between them, top to bottom.
std::string draw_svg(const Plan& plan);

}  // namespace ptp::pipeline
