#include "runs/search_support.hpp"

#include <filesystem>

namespace ptp::test {

std::vector<std::string> four_trials(const std::vector<std::string>& more) {
    std::vector<std::string> words = {
        "--trials", "4", "--halving", "2", "--space", "training.optimizer.lr=log_uniform:1e-4,0.1"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

ProcessResult search(const ExperimentFolder& folder, const std::string& name,
                     const std::vector<std::string>& more) {
    std::vector<std::string> words = {"search", (folder.path() / "experiment.toml").string(),
                                      "--run-dir", folder.run_folder(name)};
    words.insert(words.end(), more.begin(), more.end());
    return run_program("ptprun", words, {{"OMP_NUM_THREADS", "1"}});
}

std::vector<std::string> worker_words(const ExperimentFolder& folder, const std::string& name,
                                      const std::vector<std::string>& more) {
    std::vector<std::string> words = {"search", (folder.path() / "experiment.toml").string(),
                                      "--share", "--run-dir", folder.run_folder(name)};
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

nlohmann::json results_in(const ExperimentFolder& folder, const std::string& name) {
    nlohmann::json results;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path() / name)) {
        const std::string file = entry.path().filename().string();
        if (file.find(".rung") != std::string::npos && file.ends_with(".json")) {
            results[file] = nlohmann::json::parse(folder.read(std::filesystem::path(name) / file));
            results[file].erase("seconds");
        }
    }
    return results;
}

std::string run_at_place(const ExperimentFolder& folder, const std::string& name,
                         std::size_t trial) {
    return nlohmann::json::parse(folder.read(name + "/search.json"))["trials"][trial]["run"];
}

}  // namespace ptp::test
