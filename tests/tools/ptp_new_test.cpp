// ptp-new: what it writes and what it refuses. That the projects build and pass their tests is
// tested by tests/install/new_plugin.sh.

#include "support/process.hpp"
#include "support/replaced.hpp"
#include "support/temp_folder.hpp"
#include "support/texts.hpp"

#include <doctest/doctest.h>
#include <sys/resource.h>

#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace ptp_new_test {

namespace {

namespace fs = std::filesystem;
using namespace ptp::test;

// In a folder of its own, `temp`/NAME.
ProcessResult make(const TempFolder& temp, const std::string& kind, const std::string& name,
                   std::vector<std::string> options = {}) {
    options.insert(options.begin(), {kind, name, "--into", (temp.path() / name).string()});
    return run_program("ptp-new", options);
}

std::set<std::string> files_in(const fs::path& folder) {
    std::set<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        if (!entry.is_directory()) {
            names.insert(entry.path().lexically_relative(folder).string());
        }
    }
    return names;
}

constexpr const char* kHelp = "    help: ptp-new --help\n";

}  // namespace

TEST_CASE("ptp-new: a project of each kind has the same files, and none of the template's names") {
    const std::set<std::string> all = {".github/workflows/test.yml",
                                       ".gitignore",
                                       "CMakeLists.txt",
                                       "LICENSE",
                                       "README.md",
                                       "experiment.toml",
                                       "points.csv",
                                       "test.sh",
                                       "tests/my_thing.toml",
                                       "my_thing.cpp"};
    const std::pair<const char*, const char*> kinds[] = {
        {"task", "PTP_TASK"},           {"model", "PTP_MODEL"},
        {"loss", "PTP_LOSS"},           {"transform", "PTP_TRANSFORM"},
        {"statistic", "PTP_STATISTIC"}, {"publisher", "PTP_PUBLISHER"},
        {"viewer", "PTP_VIEWER"}};
    for (const auto& [kind, constant] : kinds) {
        CAPTURE(kind);
        const TempFolder temp;
        require_success(make(temp, kind, "my_thing"));
        std::set<std::string> expected = all;
        if (kind == std::string("task")) {  // makes its samples itself
            expected.erase("points.csv");
        }
        CHECK(files_in(temp.path() / "my_thing") == expected);
        for (const std::string& file : expected) {
            CAPTURE(file);
            const std::string text = temp.read("my_thing/" + file);
            CHECK_FALSE(has(text, "my_plugin"));
            CHECK_FALSE(has(text, "my_component"));
            CHECK_FALSE(has(text, "MyComponent"));
            CHECK_FALSE(has(text, "@KIND@"));
        }
        const std::string code = temp.read("my_thing/my_thing.cpp");
        CHECK(has(code, std::string("ptp_kind kind = ") + constant));
        CHECK(has(code, "PTP_PLUGIN(\"my_thing\", \"0.1.0\", MyThing);\n"));
        CHECK(has(temp.read("my_thing/experiment.toml"), "\"my_thing/MyThing\""));
        const auto mode = fs::status(temp.path() / "my_thing/test.sh").permissions();
        CHECK((mode & fs::perms::owner_exec) != fs::perms::none);
    }
}

TEST_CASE("ptp-new: prints what it has made, and what to type next") {
    const TempFolder temp;
    const std::string folder = (temp.path() / "my_loss").string();
    const ProcessResult result = make(temp, "loss", "my_loss");
    CHECK(result.output.starts_with("made " + folder +
                                    ": the loss MyLoss, a test and an experiment\nnext: cd " +
                                    folder + " && CMAKE_PREFIX_PATH="));
    CHECK(result.output.ends_with(" ./test.sh\n"));
}

TEST_CASE("ptp-new: what to type next is quoted where a shell would take it apart") {
    const TempFolder temp;
    fs::create_directory(temp.path() / "it's here");
    const std::string folder = (temp.path() / "it's here").string();
    const ProcessResult result =
        ptp::test::run_program("ptp-new", {"loss", "my_loss", "--into", folder + "/my_loss"});
    CHECK(result.status == 0);
    const std::string quoted = temp.path().string() + "/it'\\''s here/my_loss'";
    CHECK(has(result.output, "\nnext: cd '" + quoted + " && "));
}

TEST_CASE("ptp-new: author, homepage, license and the component's name are what was asked for") {
    const TempFolder temp;
    REQUIRE(make(temp, "model", "net",
                 {"--component", "DeepNet", "--license", "MIT", "--author",
                  "Jane \"JD\" Doe <jane@example.org>; others", "--homepage",
                  "https://example.org/net"})
                .status == 0);
    const std::string build = temp.read("net/CMakeLists.txt");
    CHECK(has(build,
              "  LICENSE MIT\n"
              "  AUTHOR \"Jane \\\"JD\\\" Doe <jane@example.org>; others\"\n"
              "  HOMEPAGE \"https://example.org/net\"\n"
              "  SOURCES\n    net.cpp)\n"));
    CHECK(has(temp.read("net/LICENSE"), " Jane \"JD\" Doe <jane@example.org>; others\n"));
    CHECK(has(temp.read("net/net.cpp"), "class DeepNet {"));
    CHECK(has(temp.read("net/tests/net.toml"), "component = \"net/DeepNet\"\n"));
}

TEST_CASE("ptp-new: what is not known is left out") {
    const TempFolder temp;
    REQUIRE(make(temp, "viewer", "lens", {"--license", "none"}).status == 0);
    CHECK(has(temp.read("lens/CMakeLists.txt"), "ptp_add_plugin(lens\n  SOURCES\n"));
    CHECK_FALSE(fs::exists(temp.path() / "lens/LICENSE"));
    REQUIRE(make(temp, "viewer", "glass", {"--license", "BSD-3-Clause"}).status == 0);
    CHECK(has(temp.read("glass/LICENSE"), ", the authors of glass\n"));
}

TEST_CASE("ptp-new: a name that cannot be one is refused with one that can") {
    const struct {
        std::vector<std::string> arguments;
        std::string message;
    } cases[] = {
        {{"loss", "HuberLoss"},
         "'HuberLoss' cannot be the name of a plugin: it must be a lower-case letter, then "
         "lower-case letters, digits and '_'\n    fix: ptp-new loss huber_loss --into T/made\n"},
        {{"loss", "my-loss.v2"},
         "'my-loss.v2' cannot be the name of a plugin: it must be a lower-case letter, then "
         "lower-case letters, digits and '_'\n    fix: ptp-new loss my_loss_v2 --into T/made\n"},
        {{"loss", "../up"},
         "'../up' cannot be the name of a plugin: it must be a lower-case letter, then "
         "lower-case letters, digits and '_'\n    fix: ptp-new loss up --into T/made\n"},
        {{"loss", "42"},
         "'42' cannot be the name of a plugin: it must be a lower-case letter, then lower-case "
         "letters, digits and '_'\n"},
        {{"loss", "test"},
         "'test' cannot be the name of a plugin: CMake has a target of this name\n"
         "    fix: ptp-new loss my_test --into T/made\n"},
        {{"loss", "config"},
         "'Config' cannot be the name of a component: a part of its class has this name\n"
         "    fix: ptp-new loss config --component MyConfig --into T/made\n"},
        {{"loss", "fine", "--component", "not_fine"},
         "'not_fine' cannot be the name of a component: it must be an upper-case letter, then "
         "letters, digits and '_'\n    fix: ptp-new loss fine --component NotFine --into T/made\n"},
        {{"loss", std::string(65, 'a')},
         "'" + std::string(65, 'a') +
             "' cannot be the name of a plugin: it must have at most 64 letters, has 65\n"},
        {{"loss", "fine", "--author", "two\nlines"}, "--author: must be one line of text\n"},
        {{"loss", "fine", "--license", "WTFPL"},
         "--license WTFPL: must be Apache-2.0, BSD-3-Clause, MIT or none\n"},
        {{"loss"},
         "a kind of component and the name of the plugin are needed\n    fix: ptp-new loss NAME "
         "--into T/made\n"},
        {{"los", "fine"},
         "unknown kind 'los'; did you mean 'loss'?\n    fix: ptp-new loss fine --into T/made\n"},
        {{"statistics", "fine"},
         "unknown kind 'statistics'; did you mean 'statistic'?\n    fix: ptp-new statistic fine --into T/made\n"},
        {{"Dataset", "fine"},
         "unknown kind 'Dataset'; did you mean 'task'?\n    fix: ptp-new task fine --into T/made\n"},
        {{"metrics", "fine"},
         "unknown kind 'metrics'; did you mean 'statistic'?\n    fix: ptp-new statistic fine --into T/made\n"},
        {{"optimizer", "fine"},
         "'optimizer': a plugin cannot have one; its kinds are task, model, loss, transform, "
         "statistic, publisher, viewer\n    fix: take one of ptp: [training.optimizer] in docs/reference.md\n"},
        {{"zebra", "fine"},
         "unknown kind 'zebra'; known: task, model, loss, transform, statistic, publisher, viewer\n"},
    };
    for (const auto& one : cases) {
        CAPTURE(one.message);
        const TempFolder temp;
        std::vector<std::string> arguments = one.arguments;
        arguments.insert(arguments.end(), {"--into", (temp.path() / "made").string()});
        const ProcessResult result = run_program("ptp-new", arguments);
        CHECK(result.status == 2);
        CHECK(result.output == "");
        CHECK(replaced(result.errors, temp.path().string(), "T") ==
              "ptp-new: error: " + one.message + kHelp);
        CHECK(fs::is_empty(temp.path()));
    }
}

TEST_CASE(
    "ptp-new: a folder that exists is left as it is, and one in a folder that does not is refused") {
    const TempFolder temp;
    temp.write("my_loss/notes.txt", "mine");
    const std::string folder = (temp.path() / "my_loss").string();
    const ProcessResult result = make(temp, "loss", "my_loss");
    CHECK(result.status == 2);
    CHECK(result.errors ==
          "ptp-new: error: " + folder + ": exists\n    fix: name another folder: --into FOLDER\n");
    CHECK(files_in(folder) == std::set<std::string>{"notes.txt"});

    const fs::path deep = temp.path() / "a/b/my_loss";
    CHECK(run_program("ptp-new", {"loss", "my_loss", "--into", deep.string()}).errors ==
          "ptp-new: error: " + deep.string() + ": there is no folder " +
              deep.parent_path().string() + "\n    fix: mkdir -p " + deep.parent_path().string() +
              "\n");
}

TEST_CASE("ptp-new: a plugin of a name that is taken is refused, with the file that has it") {
    const TempFolder temp;
    const ProcessResult result = make(temp, "loss", "losses");
    CHECK(result.status == 2);
    CHECK(result.errors.starts_with("ptp-new: error: there is a plugin 'losses' already: /"));
    CHECK(result.errors.ends_with(
        "/lib/ptp/plugins/losses.so\n    fix: choose another name; of two plugins of one name "
        "ptprun takes the first that it finds\n"));
    CHECK(fs::is_empty(temp.path()));
}

TEST_CASE("ptp-new: a file that cannot be written whole is an error, and nothing is left") {
    const TempFolder temp;
    const std::string folder = (temp.path() / "my_thing").string();
    const ProcessResult result =
        run_program("ptp-new", {"loss", "my_thing", "--into", folder}, {}, {{RLIMIT_FSIZE, 300}});
    CHECK(result.status == 5);
    CHECK(result.errors.starts_with("ptp-new: error: cannot write " + folder));
    CHECK(result.errors.ends_with(": File too large\n"));
    CHECK(fs::is_empty(temp.path()));
}

TEST_CASE("ptp-new: --help explains it, --version is the version, and neither needs a kind") {
    const ProcessResult help = run_program("ptp-new", {"--help"});
    CHECK(help.status == 0);
    CHECK(help.output.starts_with(
        "usage: ptp-new KIND NAME [OPTION]...\n\nptp-new makes a project: a plugin with one "
        "component, its test and an experiment.\nKIND is task, model, loss, transform, statistic, "
        "publisher, viewer.\n"));
    CHECK(run_program("ptp-new", {"--version"}).output == "ptp-new 0.1.0\n");
}

}  // namespace ptp_new_test
