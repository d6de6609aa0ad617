#include "runs/live_run.hpp"

#include "support/paths.hpp"
#include "support/process.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>
#include <utility>

namespace fs = std::filesystem;

namespace ptp::test {

namespace {

std::vector<std::string> live_arguments(const ExperimentFolder& folder, const std::string& run,
                                        const std::vector<std::string>& options) {
    std::vector<std::string> arguments = {(folder.path() / "experiment.toml").string(), "--run-dir",
                                          run, "--quiet", "--paused"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return with_installed(folder, std::move(arguments));
}

std::string file_text(const fs::path& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
}

std::set<std::string> live_result_files(const fs::path& run) {
    std::set<std::string> files;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(run)) {
        const std::string name = fs::relative(entry.path(), run).string();
        if (entry.is_regular_file() &&
            (name.starts_with("checkpoints/") || name.ends_with(".csv"))) {
            files.insert(name);
        }
    }
    return files;
}

// status.json is written again and again, and its state changes last.
bool has_ended(const fs::path& run) {
    const auto status = nlohmann::json::parse(file_text(run / "status.json"), nullptr, false);
    return status.is_object() && status.contains("state") && status["state"] != "running";
}

}  // namespace

fs::path recurrent_build(const std::string& build) {
    return build_dir() / "tests" / "runs" / "builds" / build /
           (build == "first" ? "recurrent.so" : "recurrent_" + build + ".so");
}

Lines with_recurrent(int epochs) {
    return {.training =
                "optimizer = { type = \"Adam\", lr = 0.01, groups = { net = { lr = 0.02 } } }\n"
                "terminal_conditions = { epoch_limit = " +
                std::to_string(epochs) +
                ", early_stop_validations = 100000, loss_stop_threshold = 0.0 }\n",
            .pipeline =
                "[pipeline.encoder]\ntype = \"RecurrentNetwork\"\n"
                "streams = { inputs = \"features\", predictions = \"encoded\" }\n"
                "globals = { prediction_size = \"num_classes\" }\n",
            .source = "encoded"};
}

fs::path install(const ExperimentFolder& folder, const std::string& build) {
    const fs::path file = folder.path() / "installed" / "recurrent.so";
    fs::create_directories(file.parent_path());
    fs::copy_file(recurrent_build(build), file, fs::copy_options::overwrite_existing);
    return file;
}

std::vector<std::string> with_installed(const ExperimentFolder& folder,
                                        std::vector<std::string> options) {
    options.insert(options.end(), {"--plugins", (folder.path() / "installed").string()});
    return options;
}

void replay(const ExperimentFolder& folder, const std::string& run, const std::string& name) {
    const ProcessResult again =
        ptprun({"replay", folder.run_folder(run), "--run-dir", folder.run_folder(name)});
    CHECK(without_warnings(again.errors, "best checkpoint reset") == "");
    REQUIRE(again.status == 0);
}

void check_replayed(const ExperimentFolder& folder) {
    replay(folder, "run", "again");
    check_same_bits(folder, "run", "again");
}

std::string without_hashes(const std::string& text, const fs::path& folder) {
    return std::regex_replace(without_folder(text, folder), std::regex("[0-9a-f]{16}"), "HASH");
}

void check_same_bits(const ExperimentFolder& folder, const std::string& left,
                     const std::string& right) {
    const std::set<std::string> files = live_result_files(folder.path() / left);
    CHECK(files.size() > 8);
    CHECK(live_result_files(folder.path() / right) == files);
    for (const std::string& file : files) {
        CAPTURE(file);
        CHECK((folder.read(fs::path(left) / file) == folder.read(fs::path(right) / file)));
    }
}

std::vector<double> losses(const ExperimentFolder& folder, const std::string& name) {
    std::istringstream in(folder.read(fs::path(name) / "training.csv"));
    std::vector<double> all;
    std::string line;
    REQUIRE(std::getline(in, line));
    REQUIRE(line.starts_with("episode,epoch,loss,"));
    while (std::getline(in, line)) {
        std::istringstream row(line);
        std::string cell;
        for (int i = 0; i < 3; ++i) {
            std::getline(row, cell, ',');
        }
        all.push_back(std::stod(cell));
    }
    return all;
}

std::string log_of(const ExperimentFolder& folder, const std::string& name) {
    const std::string text = folder.read(fs::path(name) / "run.log");
    return std::regex_replace(text, std::regex(R"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+ )"), "");
}

std::string without_numbers(const std::string& text) {
    const std::string hashless = std::regex_replace(text, std::regex("[0-9a-f]{64}"), "HASH");
    const std::string numberless =
        std::regex_replace(hashless, std::regex(R"(\b\d+(\.\d+)*(e-\d+)?\b)"), "N");
    return std::regex_replace(numberless, std::regex(R"(\bN episode\b)"), "N episodes");
}

LiveRun::LiveRun(const ExperimentFolder& folder, const std::string& name,
                 const std::vector<std::string>& options,
                 const std::map<std::string, std::string>& environment)
    : LiveRun(folder.run_folder(name), live_arguments(folder, folder.run_folder(name), options),
              environment) {}

LiveRun LiveRun::replay(const ExperimentFolder& folder, const std::string& run,
                        const std::string& name) {
    const std::string path = folder.run_folder(name);
    return {path, {"replay", folder.run_folder(run), "--run-dir", path, "--quiet", "--paused"}};
}

LiveRun LiveRun::resume(const ExperimentFolder& folder, const std::string& name,
                        const std::vector<std::string>& options) {
    const std::string path = folder.run_folder(name);
    std::vector<std::string> arguments = {"resume", path, "--quiet", "--paused"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return {path, arguments};
}

LiveRun::LiveRun(std::string run, const std::vector<std::string>& arguments,
                 const std::map<std::string, std::string>& environment)
    : run_(std::move(run)), process_(arguments, environment) {
    // Of an earlier process of the run there may be a status too.
    const auto is_live = [this] {
        const std::string reply = control({"status", "--json"}).output;
        return reply.find("\"state\":\"paused\"") != std::string::npos ||
               reply.find("\"state\":\"running\"") != std::string::npos;
    };
    while (!fs::exists(fs::path(run_) / "control.sock") || !is_live()) {
        REQUIRE(process_.read_for(20));
    }
}

ProcessResult LiveRun::control(const std::vector<std::string>& words) const {
    std::vector<std::string> arguments = {"control", run_};
    arguments.insert(arguments.end(), words.begin(), words.end());
    return ptprun(arguments);
}

ProcessResult LiveRun::swap(const std::vector<std::string>& words) const {
    std::vector<std::string> arguments = {"swap", run_};
    arguments.insert(arguments.end(), words.begin(), words.end());
    return ptprun(arguments);
}

std::string LiveRun::done(const std::vector<std::string>& words) const {
    const ProcessResult result = control(words);
    require_success(result);
    return result.output;
}

std::uint64_t LiveRun::episode() const {
    const auto reply = nlohmann::json::parse(done({"status", "--json"}));
    return reply.at("result").at("episode").get<std::uint64_t>();
}

void LiveRun::finish() {
    done({"continue"});
    REQUIRE(end_with(0) == 0);
}

void LiveRun::go_on_for(std::uint64_t episodes) const {
    done({"continue", std::to_string(episodes)});
    std::string state = "running";
    while (state == "running") {
        const auto reply = nlohmann::json::parse(done({"status", "--json"}));
        state = reply.at("result").at("state").get<std::string>();
    }
    REQUIRE(state == "paused");
}

bool LiveRun::wait_for_log(const std::string& text, int count) const {
    for (;;) {
        const bool is_over = has_ended(run_);
        const std::string log = file_text(fs::path(run_) / "run.log");
        int found = 0;
        for (std::size_t at = log.find(text); at != std::string::npos;
             at = log.find(text, at + text.size())) {
            ++found;
        }
        if (found >= count || is_over) {
            return found >= count;
        }
    }
}

}  // namespace ptp::test
