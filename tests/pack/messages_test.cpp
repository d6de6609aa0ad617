// Help, and command lines that are wrong.

#include "pack/support.hpp"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace messages_test {

namespace {

namespace fs = std::filesystem;
using ptp::test::PackUser;
using ptp::test::run_program;

constexpr const char* kOverview = R"(usage: ptp-pack COMMAND ...   plugins as signed packages

  create [DIR]                       packs plugins, experiments and documents
  sign FILE... --key FILE            signs files: FILE.minisig
  verify FILE|NAME...                checks signatures, and contents of packages
  key new|trust|distrust|list [KEY]  makes, trusts and lists keys
  install NAME|FILE...               installs packages and models
  upgrade [NAME]...                  installs newer versions of packages
  list                               lists the installed packages and models
  show FILE|NAME...                  shows what a package declares
  search [WORD]                      lists packages and models of repositories
  remove NAME...                     removes installed packages and models
  publish DIR --key FILE             makes a folder a repository
  set RUN                            lists the packages with the plugins of a run
  restore RUN|FILE.toml              puts back the plugins that a run has used
  unpack MODEL.ptpm --to FOLDER      writes the plugins in a bundle to a folder
  completion bash|zsh|fish           prints a script for completion in the shell

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
                            "packages and models.\n") == 0);
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
        {{"install"},
         "a package or a model is needed\n    fix: ptp-pack install NAME\n    help: ptp-pack help "
         "install\n"},
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
         "'Losses' is neither a file, NAME.ptpkg or NAME.ptpm, nor the name of a package or model\n    fix: write a name of lower-case "
         "letters, digits and '_': NAME, or NAME=VERSION of a package\n"},
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

TEST_CASE("ptp-pack: an address of another kind is not taken for a folder") {
    const PackUser user;
    const auto result = user.run({"search", "--repository", "ftp://example.org/ptp"});
    CHECK(result.errors ==
          "ptp-pack: error: ftp://example.org/ptp: is an address of an unknown kind, ftp://\n"
          "    fix: name a folder, or an address that begins with https://\n");
    CHECK(result.output == "");
    CHECK(result.status == 2);
}

TEST_CASE("ptp-pack: without a home there is no folder for packages and keys") {
    const PackUser user;
    const std::map<std::string, std::string> nowhere = {
        {"HOME", ""}, {"XDG_DATA_HOME", ""}, {"XDG_CONFIG_HOME", ""}};
    CHECK(user.run({"list"}, nowhere).output ==
          "no packages: there is no folder for them, as HOME is not set\n");
    const auto remove = user.run({"remove", "good"}, nowhere);
    CHECK(remove.errors ==
          "ptp-pack: error: cannot make the folder of packages '': HOME is not set\n"
          "    fix: name a folder that you can write: --into FOLDER\n");
    CHECK(remove.status == 5);
    const auto trust = user.run({"key", "trust", (user.path() / "jane.pub").string()}, nowhere);
    CHECK(trust.errors ==
          "ptp-pack: error: there is no folder for keys: HOME is not set\n"
          "    fix: set HOME or XDG_CONFIG_HOME to an absolute path\n");
    CHECK(trust.status == 2);
}

TEST_CASE("ptp-pack: without a home no file of the current folder is taken for the user's") {
    const PackUser user;
    const fs::path file = user.pack({});
    const std::string id = ptp::test::id_of_key(user.path() / "jane.pub");
    user.publish();
    for (const char* folder : {"trusted_keys", "config/trusted_keys"}) {
        user.temp().write(std::string(folder) + "/jane.pub", user.temp().read("jane.pub"));
    }
    user.temp().write("good/manifest.toml", "= =");
    const fs::path before = fs::current_path();
    for (const char* home : {"", "config"}) {
        CAPTURE(home);
        const std::map<std::string, std::string> nowhere = {{"HOME", home},
                                                            {"XDG_DATA_HOME", home},
                                                            {"XDG_CONFIG_HOME", home},
                                                            {"XDG_STATE_HOME", home}};
        fs::current_path(user.path());
        const auto verified = user.run({"verify", file.string()}, nowhere);
        const auto shown = user.run({"show", "good"}, nowhere);
        const auto searched = user.run({"search", "--repository", "made", "--keys", "."}, nowhere);
        fs::current_path(before);
        CHECK(verified.errors ==
              "ptp-pack: error: " + ptp::test::replaced(file.string(), user.path().string(), "T") +
                  ": is signed with the key " + id +
                  ", which is not trusted\n    fix: compare the key with its "
                  "owner's, then: ptp-pack key trust FILE.pub\n");
        CHECK(verified.status == 4);
        CHECK(shown.errors.find("= =") == std::string::npos);
        CHECK(shown.status != 0);
        CHECK(searched.errors ==
              "ptp-pack: error: there is no folder to remember the numbers of indexes: HOME is not "
              "set\n    fix: set HOME or XDG_STATE_HOME to an absolute path\n");
        CHECK(searched.status == 2);
        CHECK_FALSE(fs::exists(user.path() / "repositories"));
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
    user.temp().write("taken.key", "\n");
    user.temp().write("folder.ptpkg/x", "");
    user.temp().write("large.ptpkg", "");
    std::filesystem::resize_file(user.path() / "large.ptpkg", std::uintmax_t{3} << 30U);
    const Case cases[] = {
        {{"show", "good"}, "ptp-pack: error: no package 'good' is installed\n", 3},
        {{"remove", "good"}, "ptp-pack: error: no package 'good' is installed\n", 3},
        {{"upgrade", "good"}, "ptp-pack: error: no package 'good' is installed\n", 3},
        {{"verify", "good"}, "ptp-pack: error: no package 'good' is installed\n", 3},
        {{"install", folder + "/x.ptpkg"},
         "ptp-pack: error: T/x.ptpkg: there is no such package\n",
         4},
        {{"show", folder + "/x.ptpkg"},
         "ptp-pack: error: cannot read T/x.ptpkg: No such file or directory\n",
         4},
        {{"verify", folder + "/x"},
         "ptp-pack: error: T/x: cannot be opened: No such file or directory\n",
         4},
        {{"sign", folder + "/x", "--key", folder + "/y"},
         "ptp-pack: error: T/y: there is no such secret key\n    fix: ptp-pack key new T/y\n",
         4},
        {{"sign", folder + "/x", "--key", folder + "/jane"},
         "ptp-pack: error: T/jane: there is no such secret key\n    fix: --key T/jane.key\n",
         4},
        {{"key", "new", folder + "/jane"},
         "ptp-pack: error: T/jane.pub: exists already\n    fix: choose another name: ptp-pack key new "
         "NAME\n",
         2},
        {{"key", "new", folder + "/taken"},
         "ptp-pack: error: cannot write T/taken.key: File exists\n    fix: choose another name: "
         "ptp-pack key new NAME\n",
         5},
        {{"key", "new", folder + "/eve", "--password-file", folder + "/taken.key"},
         "ptp-pack: error: T/taken.key: its first line, the password, is empty\n",
         2},
        {{"sign", folder + "/taken.key", "--key", folder + "/jane.key", "--comment", "a\nb"},
         "ptp-pack: error: --comment: must be one line without control characters\n    help: ptp-pack "
         "help sign\n",
         2},
        {{"show", folder + "/large.ptpkg"},
         "ptp-pack: error: T/large.ptpkg: has more than 2 GiB\n",
         4},
        {{"show", folder + "/folder.ptpkg"},
         "ptp-pack: error: cannot read T/folder.ptpkg: it is a folder, not a file\n",
         4},
        {{"key", "distrust", "0000000000000000"},
         "ptp-pack: error: '0000000000000000' is neither the id of a trusted key, as the list has "
         "them, nor a file\n    fix: ptp-pack key list\n",
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

TEST_CASE("ptp-pack: what is not a file is refused, and not waited for") {
    const PackUser user;
    const std::string pipe = (user.path() / "pipe.ptpkg").string();
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    const auto refused = [&](const std::vector<std::string>& words) {
        const auto result = user.run(words);
        CHECK(result.status > 0);
        return result.errors;
    };
    const std::string key = (user.path() / "jane.key").string();
    const std::string not_read =
        "ptp-pack: error: cannot read T/pipe.ptpkg: it is not a regular file\n";
    CHECK(refused({"show", pipe}) == not_read);
    CHECK(refused({"verify", pipe}) == "ptp-pack: error: T/pipe.ptpkg: is not a regular file\n");
    CHECK(refused({"install", pipe}) == "ptp-pack: error: T/pipe.ptpkg: is not a regular file\n");
    CHECK(refused({"create", user.path().string(), "--plugin", pipe}) ==
          "ptp-pack: error: T/pipe.ptpkg: is not a regular file\n");
    CHECK(refused({"sign", key, "--key", pipe}) == not_read);
    CHECK(refused({"sign", pipe, "--key", key}) ==
          "ptp-pack: error: T/pipe.ptpkg: is not a regular file\n");
    CHECK(refused({"key", "trust", pipe}) == not_read);
    CHECK(refused({"verify", user.path().string()}) ==
          "ptp-pack: error: T: is a folder, not a file\n");
}

TEST_CASE("ptp-pack: a plugin is not a package") {
    const PackUser user;
    const auto result = user.run({"install", "build/good.so"});
    CHECK(result.errors ==
          "ptp-pack: error: build/good.so: is a plugin, not a package\n"
          "    fix: make a package of it: ptp-pack create --plugin build/good.so\n");
    CHECK(result.status == 2);
}

TEST_CASE("ptp-pack: a key pair that cannot be written whole is not made") {
    const PackUser user;
    const std::string eve = (user.path() / "eve").string();
    const auto result = user.run({"key", "new", eve}, {}, {{RLIMIT_FSIZE, 200}});
    CHECK(result.errors == "ptp-pack: error: cannot write T/eve.key: File too large\n");
    CHECK(result.status == 5);
    CHECK_FALSE(fs::exists(eve + ".key"));
    CHECK(user.run({"key", "new", (user.path() / "nowhere/eve").string()}).errors ==
          "ptp-pack: error: cannot write T/nowhere/eve.key: No such file or directory\n");
    fs::create_directories(eve + ".pub.new/x");
    const auto half = user.run({"key", "new", eve});
    CHECK(half.errors == "ptp-pack: error: cannot write T/eve.pub.new: Directory not empty\n");
    CHECK(half.status == 5);
    CHECK_FALSE(fs::exists(eve + ".key"));
    CHECK_FALSE(fs::exists(eve + ".pub"));
    fs::remove_all(eve + ".pub.new");
    CHECK(user.run({"key", "new", eve}).status == 0);
}

TEST_CASE("ptp-pack: a new key pair takes the place of nothing") {
    struct Case {
        std::string taken;
        std::string other;
        std::string errors;
        int status;
    };
    const PackUser user;
    const std::string fix = "\n    fix: choose another name: ptp-pack key new NAME\n";
    const Case cases[] = {
        {"lone.key", "lone.pub", "cannot write T/lone.key: File exists", 5},
        {"other.pub", "other.key", "T/other.pub: exists already", 2},
    };
    for (const Case& c : cases) {
        CAPTURE(c.taken);
        user.temp().write(c.taken, "of before\n");
        const auto result = user.run({"key", "new", (user.path() / c.taken).replace_extension()});
        CHECK(result.errors == "ptp-pack: error: " + c.errors + fix);
        CHECK(result.status == c.status);
        CHECK(user.temp().read(c.taken) == "of before\n");
        CHECK_FALSE(fs::exists(user.path() / c.other));
    }
    fs::create_symlink("nowhere", user.path() / "link.pub");
    CHECK(user.run({"key", "new", (user.path() / "link").string()}).errors ==
          "ptp-pack: error: T/link.pub: exists already" + fix);
    CHECK(fs::is_symlink(user.path() / "link.pub"));
    CHECK_FALSE(fs::exists(user.path() / "link.key"));
}

TEST_CASE("ptp-pack: the shell completes commands, options, their values and operands") {
    struct Case {
        std::vector<std::string> words;
        const char* completions;
    };
    const Case cases[] = {
        {{"in"}, "install\n"},
        {{"help", "re"}, "remove\nrestore\n"},
        {{"key", ""}, "new\ntrust\ndistrust\nlist\n"},
        {{"key", "new", ""}, ":files\n"},
        {{"install", "--al"},
         "--allow-expired\n--allow-unsigned\n--allow-downgrade\n--allow-other-key\n"},
        {{"install", "--into", ""}, ":folders\n"},
        {{"install", "a", "--color", "al"}, "always\n"},
        {{"list", ""}, ""},
        {{"nothing", ""}, ""},
    };
    for (const Case& c : cases) {
        CAPTURE(c.completions);
        std::vector<std::string> words = {"completion", "--words"};
        words.insert(words.end(), c.words.begin(), c.words.end());
        CHECK(run_program("ptp-pack", words).output == c.completions);
    }
    const std::string script = run_program("ptp-pack", {"completion", "bash"}).output;
    CHECK(script.find("complete -F _ptp-pack ptp-pack\n") != std::string::npos);
    CHECK(script.find("ptprun") == std::string::npos);
}

}  // namespace messages_test
