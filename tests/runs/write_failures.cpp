#include "runs/write_failures.hpp"

#include "support/paths.hpp"
#include "support/texts.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <set>

namespace fs = std::filesystem;

namespace ptp::test {

bool can_refuse_writes() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    MESSAGE("skipped: with a sanitizer no other library can stand before the program's own");
    return false;
#else
    return true;
#endif
}

std::map<std::string, std::string> refusing(const Refused& refused) {
    std::map<std::string, std::string> environment = {
        {"OMP_NUM_THREADS", "1"},
        {"LD_PRELOAD", (build_dir() / "tests/write_failures.so").string()},
        {"PTP_TEST_FAIL", refused.files},
        {"PTP_TEST_FAIL_ROOM", std::to_string(refused.room)},
        {"PTP_TEST_FAIL_WITH", std::to_string(refused.reason)}};
    if (refused.times > 0) {
        environment["PTP_TEST_FAIL_TIMES"] = std::to_string(refused.times);
    }
    if (!refused.at.empty()) {
        environment["PTP_TEST_FAIL_AT"] = refused.at;
    }
    if (!refused.written_in.empty()) {
        environment["PTP_TEST_WRITTEN"] = refused.written_in;
    }
    return environment;
}

ProcessResult run_refused(const std::vector<std::string>& arguments, const Refused& refused) {
    return run_program("ptprun", arguments, refusing(refused));
}

ProcessResult run_whole(const std::vector<std::string>& arguments) {
    return run_program("ptprun", arguments, {{"OMP_NUM_THREADS", "1"}});
}

std::vector<std::string> files_written(const ExperimentFolder& folder, const std::string& name,
                                       const std::vector<std::string>& arguments) {
    const fs::path list = folder.path() / "written";
    fs::remove(list);
    require_success(run_refused(arguments, {.files = "", .written_in = list.string()}));
    const std::string begin = folder.run_folder(name) + "/";
    std::set<std::string> files;
    for (const std::string& line : lines_of(folder.read("written"))) {
        if (line.starts_with(begin)) {
            files.insert(line.substr(begin.size()));
        }
    }
    return {files.begin(), files.end()};
}

std::string cut_line(const std::string& text) {
    return text.substr(text.rfind('\n') + 1);
}

bool has_whole_checkpoints(const fs::path& run) {
    std::error_code none;
    for (const fs::directory_entry& entry : fs::directory_iterator(run / "checkpoints", none)) {
        const std::string check =
            "cd " + entry.path().string() + " && sha256sum --quiet -c SHA256SUMS >/dev/null 2>&1";
        if (entry.path().extension() != ".new" && entry.path().extension() != ".old" &&
            std::system(check.c_str()) != 0) {
            return false;
        }
    }
    return true;
}

}  // namespace ptp::test
