#include "git_state.hpp"

#include <boost/process.hpp>

#include <system_error>
#include <vector>

namespace ptp::ptprun {

namespace {

namespace bp = boost::process;

struct Answer {
    bool is_given = false;
    std::string text;
};

Answer ask_git(const std::string& program, const std::string& folder,
               std::vector<std::string> words) {
    words.insert(words.begin(), {"-C", folder});
    Answer answer;
    try {
        bp::ipstream output;
        bp::child git(program, bp::args(words), bp::std_in<bp::null, bp::std_out> output,
                      bp::std_err > bp::null);
        for (std::string line; std::getline(output, line);) {
            answer.text += line + "\n";
        }
        git.wait();
        answer.is_given = git.exit_code() == 0;
    } catch (const std::system_error&) {
        answer.is_given = false;
    }
    return answer;
}

}  // namespace

GitState git_state(const std::filesystem::path& file) {
    const std::string program = bp::search_path("git").string();
    const std::string folder = std::filesystem::absolute(file).parent_path().string();
    if (program.empty()) {
        return {};
    }
    const Answer commit = ask_git(program, folder, {"rev-parse", "HEAD"});
    if (!commit.is_given) {
        return {};
    }
    const Answer changes =
        ask_git(program, folder, {"--no-optional-locks", "status", "--porcelain"});
    return {commit.text.substr(0, commit.text.find('\n')),
            changes.is_given && changes.text.empty()};
}

}  // namespace ptp::ptprun
