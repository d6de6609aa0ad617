#include "swap/swapped_run.hpp"

#include "base/error.hpp"
#include "control/client.hpp"
#include "support/paths.hpp"
#include "support/replaced.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <optional>
#include <regex>
#include <utility>

namespace fs = std::filesystem;

namespace ptp::test {

namespace {

constexpr const char* kGoesOn = "\n    the training continues with the running build";

std::vector<std::string> arguments(const ExperimentFolder& folder, const std::string& name,
                                   const std::string& gate, const std::string& build = "none",
                                   const std::vector<std::string>& options = {}) {
    const std::string plugins = (build_dir() / "tests/swap/plugins").string();
    std::vector<std::string> words = {(folder.path() / "experiment.toml").string(),
                                      "--run-dir",
                                      folder.run_folder(name),
                                      "--plugins",
                                      plugins,
                                      "--plugins",
                                      mischief(build).parent_path().string(),
                                      "--set",
                                      "pipeline.gate.file=\"" + gate + "\""};
    words.insert(words.end(), options.begin(), options.end());
    return words;
}

// The gate's other end, so that neither end waits for the other to be opened.
int open_gate(const ExperimentFolder& folder, const std::string& name) {
    const std::string file = folder.run_folder(name) + ".gate";
    REQUIRE(mkfifo(file.c_str(), 0600) == 0);
    const int gate = open(file.c_str(), O_RDWR | O_CLOEXEC);
    REQUIRE(gate >= 0);
    return gate;
}

}  // namespace

fs::path mischief(const std::string& what) {
    return build_dir() / "tests/swap" / what / "mischief.so";
}

void write_mischief(const ExperimentFolder& folder, int episodes, const std::string& swap) {
    std::ofstream(folder.path() / "experiment.toml")
        << "name = \"tiny\"\nseed = 5\n[training]\noptimizer = { type = \"Adam\", lr = 0.01 }\n"
           "weight_average = { decay = 0.9 }\naccumulate = 3\n"
           "terminal_conditions = { episode_limit = "
        << episodes
        << " }\n[training.task]\ntype = \"Points\"\nbatch_size = 4\n"
           "[pipeline.gate]\ntype = \"Gate\"\nfile = \"\"\n"
           "[pipeline.net]\ntype = \"Net\"\ndropout = 0.125\n"
           "[pipeline.loss]\ntype = \"Loss\"\n"
           "[pipeline.hits]\ntype = \"Hits\"\n"
           "[pipeline.tally]\ntype = \"Tally\"\n"
           "[checkpoint]\nevery_episodes = 70\n"
           "[records.json_lines]\nevery_episodes = 3\n"
        << swap;
}

ProcessResult train_undisturbed(const ExperimentFolder& folder, const std::string& name,
                                const std::string& build) {
    return ptprun(arguments(folder, name, "/dev/zero", build));
}

SwappedRun::SwappedRun(const ExperimentFolder& folder, const std::string& name,
                       const std::string& build, const std::vector<std::string>& options)
    : folder_(folder),
      run_(folder.run_folder(name)),
      gate_(open_gate(folder, name)),
      process_(arguments(folder, name, run_ + ".gate", build, options)) {
    for (;;) {
        try {
            const control::Client client(run_, std::chrono::seconds(1));
            return;
        } catch (const RunError&) {
            REQUIRE(process_.read_for(10));
        }
    }
}

SwappedRun::~SwappedRun() {
    close(gate_);
}

void SwappedRun::let_pass(int episodes) {
    const std::string bytes(static_cast<std::size_t>(episodes), '.');
    REQUIRE(write(gate_, bytes.data(), bytes.size()) == episodes);
    passed_ += episodes;
}

std::future<control::Reply> SwappedRun::ask(const std::vector<fs::path>& files,
                                            bool is_dry_run) const {
    std::vector<Value> names;
    for (const fs::path& file : files) {
        names.emplace_back(file.string());
    }
    control::Request request{
        "swap", Value::table({{"files", Value::list(std::move(names))}, {"dry_run", is_dry_run}})};
    return std::async(std::launch::async, [run = run_, request = std::move(request)] {
        return control::Client(run, std::nullopt).ask(request);
    });
}

control::Reply SwappedRun::wait_for(std::future<control::Reply> reply) {
    std::chrono::milliseconds patience(4);
    while (reply.wait_for(patience) != std::future_status::ready) {
        let_pass(1);
        patience = std::min(patience * 2, std::chrono::milliseconds(250));
    }
    return reply.get();
}

std::string SwappedRun::refusal(const std::vector<fs::path>& files) {
    return refusal_in(wait_for(ask(files)));
}

std::string SwappedRun::refusal_in(const control::Reply& reply) const {
    std::string text = reply.message;
    CHECK_FALSE(reply.is_ok);
    CHECK(reply.exit_code() == kPluginError);
    REQUIRE(text.find(kGoesOn) != std::string::npos);
    const std::size_t line = text.find(kGoesOn);
    text.erase(line, text.find('\n', line + 1) - line);
    text = replaced(text, build_dir().string(), "BUILD");
    text = without_folder(text, folder_.path());
    text.resize(text.find_last_not_of('\n') + 1);
    static const std::regex kCopy("FOLDER/[a-z]+/plugins/[a-z_]+\\.[0-9]+\\.[0-9a-f]+\\.so");
    return std::regex_replace(text, kCopy, "COPY");
}

int SwappedRun::finish() {
    let_pass(10'000);
    return process_.end_with(0);
}

}  // namespace ptp::test
