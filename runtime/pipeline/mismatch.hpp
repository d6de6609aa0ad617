// The messages for sizes that disagree, and how to fix them.

#pragma once

#include "base/diagnostics.hpp"
#include "pipeline/shapes.hpp"
#include "pipeline/size_table.hpp"
#include "pipeline/wiring.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace ptp::pipeline {

// "[B, 1, image_height = 28, *]".
std::string shape_text(const SizeTable& sizes, const SourcedShape& shape);

// A port that writes or reads a stream.
struct StreamEnd {
    const Draft* draft = nullptr;
    std::string port;
    const SourcedShape* shape = nullptr;
    bool is_reader = false;
    std::string streams_setting = {};  // lists the streams of the port, if a setting does
};

struct Mismatch {
    const Assembly& assembly;
    const Shapes& shapes;
    int stream = -1;
    StreamEnd first;
    StreamEnd second;
    std::vector<std::size_t> differing;  // dimensions; empty: not even their number is the same
};

// Returns the reported fix, or "".
std::string report_mismatch(const Mismatch& mismatch, Diagnostics& problems);

// Two sections that publish different sizes.
struct GlobalConflict {
    std::string global;
    Size first;
    Size second;
};

// `fixes`: those of the mismatches.
void report_globals(const Draft& draft, const std::vector<GlobalConflict>& conflicts,
                    const std::vector<std::string>& fixes, Diagnostics& problems);

// size_fix.cpp: the change of a setting that makes sizes agree.

// A size that should be another one.
struct WantedSize {
    SizeSource source;
    std::int64_t wanted = 0;
};

// Separates the setting of a task in a fix from the other sections that need the same.
inline constexpr const char* kSameIn = ", and the same in ";

// "set training.task.resize_image = [32, 32]"; "" if no single setting decides all these sizes.
std::string setting_fix(const Assembly& assembly, const std::vector<WantedSize>& sizes);

// The setting that states how many dimensions the input has, such as `num_targets_dims`, where the
// input has `count` with another number, and all that depend on it then fit their streams: "set
// pipeline.loss.num_targets_dims = 2"; else "".
std::string count_fix(const Shapes& shapes, const Draft& draft, const Binding& input,
                      std::int64_t count);

}  // namespace ptp::pipeline
