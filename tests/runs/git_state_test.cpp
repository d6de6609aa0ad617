// What a run records of the git repository that holds its experiment: never by executing anything
// that the repository configures.

#include "runs/support.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace git_state_test {

namespace fs = std::filesystem;

using ptp::test::ExperimentFolder;
using Json = nlohmann::json;

namespace {

// Runs a script in a folder, with a git that knows no other configuration; $1 is the folder.
bool shell(const fs::path& folder, const std::string& script) {
    const std::string setting =
        "export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=a "
        "GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b; set -e; cd \"$1\"; ";
    std::ofstream(folder.string() + ".sh") << setting << script;
    const std::string file = folder.string() + ".sh";
    const int status =
        std::system(("sh " + file + " " + folder.string() + " >/dev/null 2>&1").c_str());
    fs::remove(file);
    return status == 0;
}

constexpr const char* kCommit =
    "git init -q; echo runs > .gitignore; git add -A; git commit -qm x; ";

// The experiment's folder as a repository with one commit.
class Repository {
public:
    Repository() {
        folder.write({.training = "optimizer = { type = \"Adam\", lr = 0.05 }\n"
                                  "terminal_conditions = { epoch_limit = 1 }\n",
                      .has_validation = false,
                      .has_test = false});
    }

    [[nodiscard]] Json recorded() const {
        REQUIRE(folder.run("runs").status == 0);
        return Json::parse(folder.read("runs/run.json"))["git"];
    }

    [[nodiscard]] std::string head() const {
        REQUIRE(shell(folder.path(), "git rev-parse HEAD > .git/answer"));
        std::string answer = folder.read(".git/answer");
        return answer.substr(0, answer.find('\n'));
    }

    ExperimentFolder folder;
};

bool has_git() {
    if (std::system("git --version >/dev/null 2>&1") == 0) {
        return true;
    }
    MESSAGE("skipped: there is no git");
    return false;
}

}  // namespace

TEST_CASE("git state: it is empty outside of a repository and before the first commit") {
    const Repository outside;
    CHECK(outside.recorded().is_null());
    if (has_git()) {
        const Repository empty;
        REQUIRE(shell(empty.folder.path(), "git init -q"));
        CHECK(empty.recorded().is_null());
    }
}

TEST_CASE("git state: the commit, and whether files differ from it or are unknown to it") {
    if (!has_git()) {
        return;
    }
    for (const auto& [change, is_clean] :
         {std::pair{"true", true}, std::pair{"touch experiment.toml", true},
          std::pair{"echo '# more' >> experiment.toml", false}, std::pair{"touch new", false},
          std::pair{"git rm -q --cached experiment.toml", false}}) {
        CAPTURE(change);
        const Repository repository;
        REQUIRE(shell(repository.folder.path(), std::string(kCommit) + change));
        CHECK(repository.recorded() == Json{{"commit", repository.head()}, {"clean", is_clean}});
    }
}

TEST_CASE("git state: nothing that a repository configures is executed") {
    if (!has_git()) {
        return;
    }
    const Repository repository;
    const fs::path& path = repository.folder.path();
    REQUIRE(shell(path, kCommit));
    REQUIRE(shell(path, R"(
        git init -q inner; cp experiment.toml inner; git -C inner add -A; git -C inner commit -qm x
        echo '*.toml filter=evil diff=evil merge=evil ident' > .git/info/attributes
        printf '#!/bin/sh\ntouch %s/executed\n' "$1" > .git/evil; chmod +x .git/evil
        for hook in post-index-change fsmonitor-watchman pre-auto-gc reference-transaction; do
            cp .git/evil .git/hooks/$hook
        done
        for file in .git/config inner/.git/config; do
            for key in core.fsmonitor core.sshCommand core.pager core.editor core.gitProxy \
                core.askPass credential.helper filter.evil.clean filter.evil.smudge filter.evil.process \
                diff.external diff.evil.textconv diff.evil.command merge.evil.driver gpg.program \
                core.alternateRefsCommand uploadpack.packObjectsHook alias.status; do
                git config -f $file $key "$1/.git/evil"
            done
            git config -f $file filter.evil.required true
            git config -f $file core.hooksPath "$1/.git/hooks"
        done
        printf '[core]\nfsmonitor = %s/.git/evil\n' "$1" > .git/more
        git config -f .git/config includeIf.gitdir:/.path more
        git config -f .git/config include.path more
        touch -d '2001-02-03' experiment.toml inner/experiment.toml
        )"));
    const Json recorded = repository.recorded();
    CHECK_FALSE(repository.folder.has("executed"));
    CHECK(recorded["clean"] == false);  // the inner repository is unknown to the outer one
    // The same does execute something where git itself is asked.
    REQUIRE(shell(path, "git status || true"));
    CHECK(repository.folder.has("executed"));
}

TEST_CASE("git state: a .git file leads to the repository that it names") {
    if (!has_git()) {
        return;
    }
    const Repository repository;
    REQUIRE(shell(repository.folder.path(), kCommit));
    const std::string commit = repository.head();
    REQUIRE(shell(repository.folder.path(),
                  "echo elsewhere >> .git/info/exclude; mkdir elsewhere; mv .git elsewhere/store; "
                  "echo 'gitdir: elsewhere/store' > .git"));
    CHECK(repository.recorded() == Json{{"commit", commit}, {"clean", true}});
}

TEST_CASE("git state: what cannot be read in two seconds, or at all, is unknown, with the reason") {
    if (!has_git()) {
        return;
    }
    struct Case {
        const char* damage;
        const char* problem;
        bool is_commit_known;
    };
    for (const Case& c : {
             Case{"rm .git/config; mkfifo .git/config", "no answer within 2 s", false},
             Case{"mkfifo .git/objects/info/alternates", "no answer within 2 s", true},
             Case{"echo x > .git/index", "failed to read index: ", true},
         }) {
        CAPTURE(c.damage);
        const Repository repository;
        REQUIRE(shell(repository.folder.path(), kCommit));
        const std::string commit = repository.head();
        REQUIRE(shell(repository.folder.path(), c.damage));
        const Json recorded = repository.recorded();
        CHECK(recorded["commit"] == (c.is_commit_known ? commit : "unknown"));
        CHECK(recorded["clean"] == "unknown");
        CHECK(recorded["problem"].get<std::string>().starts_with(c.problem));
        CHECK(repository.folder.read("runs/run.log")
                  .find("the state of git is recorded as unknown: " +
                        recorded["problem"].get<std::string>()) != std::string::npos);
    }
}

}  // namespace git_state_test
