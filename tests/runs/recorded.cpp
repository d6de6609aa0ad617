#include "runs/recorded.hpp"

namespace ptp::test {

ProcessResult record(const ExperimentFolder& folder, const std::string& component, int batches,
                     const std::vector<std::string>& more) {
    std::vector<std::string> words = {
        "record",      (folder.path() / "experiment.toml").string(),
        "--component", component,
        "-o",          (folder.path() / (component + ".ptprec")).string(),
        "--episodes",  std::to_string(batches),
        "--run-dir",   folder.run_folder("record_" + component)};
    words.insert(words.end(), more.begin(), more.end());
    return run_program("ptprun", words, {{"OMP_NUM_THREADS", "1"}});
}

ProcessResult replay(const ExperimentFolder& folder, const std::string& component,
                     const std::string& plugin, const std::vector<std::string>& more) {
    std::vector<std::string> words = {"replay", (folder.path() / (component + ".ptprec")).string(),
                                      plugin};
    words.insert(words.end(), more.begin(), more.end());
    return run_program("ptp-inspect", words, {{"OMP_NUM_THREADS", "1"}});
}

}  // namespace ptp::test
