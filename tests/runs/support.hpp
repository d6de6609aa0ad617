// Experiments on data made up for the test: 48 training and 16 test images of 28 x 28, reduced to
// the four numbers of 2 x 2, so that a run takes a second.
#pragma once

#include "support/process.hpp"
#include "support/temp_folder.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace ptp::test {

struct Lines {
    std::string training = {};        // below [training]
    std::string validation = {};      // below [validation]
    std::string pipeline = {};        // more components
    std::string source = "features";  // the stream that the model reads
    bool has_validation = true;
    bool has_test = true;
};

class ExperimentFolder {
public:
    // Writes the images and the experiment.
    explicit ExperimentFolder(const Lines& lines = {});

    // Writes experiment.toml anew and returns its path.
    std::filesystem::path write(const Lines& lines = {}) const;

    [[nodiscard]] const std::filesystem::path& path() const { return folder_.path(); }
    [[nodiscard]] std::string run_folder(const std::string& name) const {
        return (folder_.path() / name).string();
    }
    [[nodiscard]] std::string read(const std::filesystem::path& relative) const {
        return folder_.read(relative);
    }
    [[nodiscard]] bool has(const std::filesystem::path& relative) const {
        return std::filesystem::exists(folder_.path() / relative);
    }

    // Runs ptprun on experiment.toml into the run folder `name`.
    [[nodiscard]] ProcessResult run(const std::string& name,
                                    const std::vector<std::string>& more = {}) const;

private:
    TempFolder folder_;
};

// What status.json in a run's folder says, "done: epoch limit of 3 reached (0)"; "" for null.
std::string status_in(const std::filesystem::path& run_folder);

// Returns a training by SGD of that many epochs that nothing ends earlier; `more` are lines of
// [training].
Lines plain(int epochs, const std::string& more = "");

// Continues a run with these values of --set, on one thread.
ProcessResult resume_with(const ExperimentFolder& folder, const std::string& name,
                          const std::vector<std::string>& values);

// The samples that the IndexWitness `file` saw in the passes over a section, in their order; one
// list for each epoch.
std::vector<std::vector<std::int64_t>> samples_seen(const std::string& file,
                                                    const std::string& section);

// The cell of a column in the last row of a table of comma-separated values.
std::string last_value(const std::string& table, const std::string& column);

// The option that finds the plugins of these tests.
std::vector<std::string> with_witness(std::vector<std::string> options = {});

// Errors with the test's own folder as FOLDER, without the lines of source that are shown, so that
// whole texts can be compared.
std::string without_folder(std::string text, const std::filesystem::path& folder);

// Errors without the warnings that have this text, and without the lines below each.
std::string without_warnings(const std::string& errors, const std::string& text);

// Returns whether tests may mount; where this machine lets nobody do so, a message says that the
// test is skipped.
bool can_mount();

// Runs a shell script with /mnt as a disk of its own, whose options of `mount` are `disk`: ptprun
// is its $1, the folder its $2, and after them come `more`. What it prints goes to FOLDER/said.
// Returns its exit code.
int run_on_disk(const ExperimentFolder& folder, const std::string& disk, const std::string& script,
                const std::string& more = "");

}  // namespace ptp::test
