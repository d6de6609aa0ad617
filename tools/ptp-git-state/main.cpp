// ptp-git-state FOLDER: prints the state of the git repository that contains a folder.
//
//   commit HEX          of HEAD
//   clean | changed     whether files differ from that commit, or are unknown to it
//   problem TEXT        why one of the two cannot be read
//
// It prints nothing outside of a repository and before the first commit.
//
// Repositories cannot be trusted. libgit2 executes no program that a repository configures: neither
// core.fsmonitor nor hooks, filters, textconv or the programs for remotes and passwords. Other
// dangers of reading (endless files, pipes instead of files, exhausted memory) affect only this
// process, which ptprun ends after a time limit.

#include <git2.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <string>

namespace {

constexpr int kUsage = 2;

void limit_resources() {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // sanitizers reserve much more
    const rlimit memory = {rlim_t{1} << 30U, rlim_t{1} << 30U};
    setrlimit(RLIMIT_DATA, &memory);
#endif
}

// Prints the reason that libgit2 reports, on one line.
int print_problem() {
    const git_error* const error = git_error_last();
    std::string text = error != nullptr ? error->message : "the repository cannot be read";
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c >= 0 && c < ' '; }, ' ');
    std::printf("problem %s\n", text.c_str());
    return 0;
}

int stop_at_first(const char*, unsigned int, void* is_changed) {
    *static_cast<bool*>(is_changed) = true;
    return 1;
}

int print_state(const char* folder) {
    git_repository* repository = nullptr;
    const int opened = git_repository_open_ext(&repository, folder, 0, nullptr);
    if (opened != 0) {
        if (opened != GIT_ENOTFOUND) {
            return print_problem();
        }
        std::puts("none");  // or not readable for this user
        return 0;
    }
    git_oid commit{};
    const int named = git_reference_name_to_id(&commit, repository, "HEAD");
    if (named != 0) {
        return named == GIT_ENOTFOUND ? 0 : print_problem();
    }
    std::array<char, GIT_OID_HEXSZ + 1> digits{};
    git_oid_tostr(digits.data(), digits.size(), &commit);
    std::printf("commit %s\n", digits.data());
    std::fflush(stdout);  // prints this even if the following takes too long

    git_status_options options = GIT_STATUS_OPTIONS_INIT;
    options.flags = GIT_STATUS_OPT_INCLUDE_UNTRACKED;
    bool is_changed = false;
    const int compared = git_status_foreach_ext(repository, &options, stop_at_first, &is_changed);
    if (compared != 0 && !is_changed) {
        return print_problem();
    }
    std::puts(is_changed ? "changed" : "clean");
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fputs("usage: ptp-git-state FOLDER\n", stderr);
        return kUsage;
    }
    limit_resources();
    if (git_libgit2_init() < 0) {
        return print_problem();
    }
    return print_state(argv[1]);
}
