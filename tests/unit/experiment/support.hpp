// Experiments in a temporary folder, and what is said about them.

#pragma once

#include "base/diagnostics.hpp"
#include "base/value.hpp"
#include "experiment/experiment.hpp"
#include "experiment/load/load.hpp"
#include "support/temp_folder.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ptp::experiment::test {

// Loads files below a folder; its problems name the files relative to that folder.
class Loader {
public:
    // Writes the file that load() reads.
    explicit Loader(const std::string& text) { write("x.toml", text); }

    void write(const std::string& name, const std::string& text) { folder_.write(name, text); }
    std::optional<Value> load(const std::vector<std::string>& overrides = {});
    // Loads and reads; what load() and read_experiment() had to say is in problems().
    Experiment read(const std::vector<std::string>& overrides = {});

    [[nodiscard]] std::string folder() const { return folder_.path().string(); }
    [[nodiscard]] std::string problems() const;

private:
    ptp::test::TempFolder folder_;
    Diagnostics problems_;
};

// All problems of loading this text; "" when there are none.
std::string problems_of_loading(const std::string& text,
                                const std::vector<std::string>& overrides = {});

// All problems of loading and reading this text.
std::string problems_of(const std::string& text, const std::vector<std::string>& overrides = {});

// The tree of this text, which has no problems.
Value tree(const std::string& text, const std::vector<std::string>& overrides = {});

// The text with its one occurrence of `what` replaced.
std::string replaced(std::string text, const std::string& what, const std::string& by);

// As little as an experiment can have.
inline constexpr const char* kSmallest =
    "[training.task]\ntype = 'MNIST'\nbatch_size = 8\n"
    "[training.optimizer]\ntype = 'Adam'\n[pipeline.net]\ntype = 'LeNet5'\n";

// A valid experiment that uses most keys.
extern const char* const kExample;

// A part of the example, what stands there instead, and the problems that this makes.
struct Change {
    const char* what;
    const char* by;
    std::string message;
};
void check_changes(const std::vector<Change>& changes);

// An experiment that must be without problems.
Experiment read_valid(const std::string& text);

}  // namespace ptp::experiment::test
