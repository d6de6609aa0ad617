// Help, and command lines that are wrong.

#include "pack/support.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace messages_test {

namespace {

using ptp::test::PackUser;
using ptp::test::run_program;

constexpr const char* kOverview = R"(usage: ptp-pack COMMAND ...   plugins as signed packages

  create [DIR]                       packs plugins, experiments and documents
  sign FILE... --key FILE            signs files: FILE.minisig
  verify FILE|NAME...                checks signatures, and contents of packages
  key new|trust|distrust|list [KEY]  makes, trusts and lists keys
  install NAME|FILE...               installs packages, and those that they need
  upgrade [NAME]...                  installs newer versions of packages
  list                               lists the installed packages
  show FILE|NAME...                  shows what a package declares
  search [WORD]                      lists packages of repositories
  remove NAME...                     removes installed packages
  publish DIR --key FILE             makes a folder a repository
  set RUN                            lists the packages with the plugins of a run
  restore RUN|FILE.toml              puts back the plugins that a run has used

ptp-pack help COMMAND: options of a command; ptp-pack --version
exit codes: 0 done, 2 wrong command line or package.toml, 3 does not fit this host or what is
installed, 4 a package, signature or index that cannot be trusted, 5 cannot write or fetch
)";

}  // namespace

TEST_CASE("ptp-pack: the help lists the commands and the exit codes") {
    for (const char* word : {"--help", "-h", "help"}) {
        const auto result = run_program("ptp-pack", {word});
        CHECK(result.output == kOverview);
        CHECK(result.status == 0);
    }
    const auto nothing = run_program("ptp-pack", {});
    CHECK(nothing.output == kOverview);
    CHECK(nothing.status == 2);
    const auto of_list = run_program("ptp-pack", {"help", "list"});
    CHECK(
        of_list.output.find("usage: ptp-pack list [OPTION]...\n\nThis command lists the installed "
                            "packages.\n") == 0);
    CHECK(run_program("ptp-pack", {"list", "--help"}).output == of_list.output);
    CHECK(run_program("ptp-pack", {"--version"}).output.find("ptp-pack ") == 0);
}

TEST_CASE("ptp-pack: a command line that is wrong is refused, with the help to read") {
    struct Case {
        std::vector<std::string> words;
        const char* errors;
    };
    const Case cases[] = {
        {{"isntall"},
         "'isntall' is not a command; did you mean 'install'?\n    help: ptp-pack --help\n"},
        {{"help", "lits"},
         "'lits' is not a command; did you mean 'list'?\n    help: ptp-pack --help\n"},
        {{"list", "--usr"}, "unknown option '--usr'\n    help: ptp-pack help list\n"},
        {{"install"}, "a package is needed\n    help: ptp-pack help install\n"},
        {{"create"},
         "a folder or a plugin is needed: ptp-pack create DIR, or --plugin FILE\n    help: ptp-pack "
         "help create\n"},
        {{"create", "/nowhere"}, "/nowhere: is not a folder\n    help: ptp-pack help create\n"},
        {{"sign", "x"},
         "--key is needed: the secret key to sign with\n    help: ptp-pack help sign\n"},
        {{"key", "make", "x"},
         "'make': must be new, trust, distrust or list\n    help: ptp-pack help key\n"},
        {{"key", "new"}, "key new needs a name\n    help: ptp-pack help key\n"},
        {{"key", "trust"}, "key trust needs a file\n    help: ptp-pack help key\n"},
        {{"key", "list", "x"},
         "'x' is one word too many after 'list'\n    help: ptp-pack help key\n"},
        {{"list", "--keys", "x"}, "unknown option '--keys'\n    help: ptp-pack help list\n"},
        {{"search", "--keys", "/nowhere"},
         "--keys /nowhere: is not a folder\n    help: ptp-pack help search\n"},
        {{"publish", "x", "--key", "k", "--valid-days", "0"},
         "--valid-days 0: must be in [1, 3650]\n    help: ptp-pack help publish\n"},
        {{"install", "Losses"},
         "'Losses' is neither a file NAME.ptpkg nor a package\n    fix: write NAME or NAME=VERSION, such "
         "as my_losses=1.2.0\n"},
    };
    const PackUser user;
    for (const Case& c : cases) {
        CAPTURE(c.errors);
        const auto result = user.run(c.words);
        CHECK(result.errors == std::string("ptp-pack: error: ") + c.errors);
        CHECK(result.output == "");
        CHECK(result.status == 2);
    }
}

TEST_CASE("ptp-pack: names of packages and files that are not there") {
    struct Case {
        std::vector<std::string> words;
        std::string errors;
        int status;
    };
    const PackUser user;
    const std::string folder = user.path().string();
    const Case cases[] = {
        {{"show", "good"}, "ptp-pack: error: no package 'good' is installed\n", 3},
        {{"remove", "good"}, "ptp-pack: error: no package 'good' is installed\n", 3},
        {{"install", folder + "/x.ptpkg"},
         "ptp-pack: error: T/x.ptpkg: there is no such package\n",
         4},
        {{"show", folder + "/x.ptpkg"},
         "ptp-pack: error: cannot read T/x.ptpkg: No such file or directory\n",
         4},
        {{"verify", folder + "/x"},
         "ptp-pack: error: T/x: cannot be opened: No such file or "
         "directory\n",
         4},
        {{"sign", folder + "/x", "--key", folder + "/y"},
         "ptp-pack: error: cannot read T/y: No such file or directory\n",
         4},
        {{"key", "new", folder + "/jane"},
         "ptp-pack: error: T/jane.pub: exists already\n    fix: choose another name: ptp-pack key new "
         "NAME\n",
         2},
        {{"key", "distrust", "0000000000000000"},
         "ptp-pack: error: '0000000000000000' is neither the id of a trusted key nor a file\n    fix: "
         "ptp-pack key list lists the keys\n",
         2},
        {{"key", "new", folder + "/bob", "--password-file", folder + "/none"},
         "ptp-pack: error: cannot read T/none: No such file or directory\n",
         4},
    };
    for (const Case& c : cases) {
        CAPTURE(c.errors);
        const auto result = user.run(c.words);
        CHECK(result.errors == c.errors);
        CHECK(result.status == c.status);
    }
}

}  // namespace messages_test
