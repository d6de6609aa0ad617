// A run that is packed into one file.
#pragma once

#include "runs/predictions.hpp"
#include "runs/support.hpp"
#include "support/replaced.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace ptp::test {

inline void write_content(const std::filesystem::path& file, const std::string& content) {
    std::ofstream(file, std::ios::binary) << content;
}

// A trained run in the folder `run`, and its bundle model.ptpm.
class Bundled {
public:
    explicit Bundled(const std::vector<std::string>& more = {}) {
        folder_.write();
        const ProcessResult trained = folder_.run("run");
        REQUIRE(trained.status == 0);
        std::vector<std::string> words = {"bundle",    run(), "-o",        model(),
                                          "--license", "MIT", "--summary", "Four numbers",
                                          "--card",    card()};
        words.insert(words.end(), more.begin(), more.end());
        const ProcessResult bundled = ptprun(words);
        require_success(bundled);
        CHECK(bundled.output.starts_with(model() + ": 0.0 MB, "));
    }

    [[nodiscard]] const std::filesystem::path& path() const { return folder_.path(); }
    [[nodiscard]] std::string run() const { return folder_.run_folder("run"); }
    [[nodiscard]] std::string model() const { return (path() / "model.ptpm").string(); }
    [[nodiscard]] std::string card() const { return (path() / "card.md").string(); }

    // The run is elsewhere: nothing but the bundle is there.
    void hide_run() const { std::filesystem::rename(run(), path() / "hidden"); }

    // Errors with the test's folder as T.
    [[nodiscard]] std::string shown(const std::string& text) const {
        return replaced(text, path().string(), "T");
    }

private:
    ExperimentFolder folder_;
};

}  // namespace ptp::test
