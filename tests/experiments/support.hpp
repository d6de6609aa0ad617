// Experiments that are wrong in one way each: a good one with one piece of its text replaced.

#pragma once

#include "pipeline/assemble.hpp"

#include <span>
#include <string>

namespace ptp::test {

struct WrongExperiment {
    const char* what;  // is wrong
    const char* from;  // of the good experiment; "" replaces it all
    const char* to;
    const char* problems;  // everything that is said, to the letter
};

// Checks each with the plugins of the build, and that `from` stands in the good experiment once.
// The file is "e.toml"; $PLUGINS in `problems` stands for the folder of the plugins, and
// $FIND_PLUGINS for how other plugins are found.
void check_all(std::span<const WrongExperiment> experiments);

// What is said of an experiment with this text.
std::string problems_of(const std::string& text,
                        pipeline::NeededFiles files = pipeline::NeededFiles::kChecked);

// A piece of the good experiment that is wrong, and the fix as it is typed.
struct Mistake {
    const char* what;
    const char* from;      // of the good experiment
    const char* to;        // what somebody has written in its place
    const char* problems;  // everything that is said
    const char* wrong;     // what the fix replaces, in that experiment
    const char* typed;     // what it says to write there
};

// Checks what is said of it, and that nothing is wrong after the fix.
void check_typed(const Mistake& mistake);

// Returns the text with its first `from` replaced, which must be there.
std::string replaced(std::string text, const std::string& from, const std::string& to);

// Returns an experiment with which nothing is wrong.
std::string good_experiment();

// Returns an experiment without losses whose model 'net' makes predictions of images with these
// layers, "layers = [...]".
std::string experiment_of_layers(const std::string& layers);

// The exit code of a program, and what it printed.
struct Said {
    int code = -1;
    std::string out;
    std::string err;
};

// Runs ptprun in a folder with the good experiment as good.toml, a wrong one as wrong.toml, and
// parts of one as small.toml and smaller.toml.
Said ptprun(const std::string& arguments);

}  // namespace ptp::test
