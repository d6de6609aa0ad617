// What `ptp-inspect --check` finds out by running components.

#include "support/paths.hpp"
#include "support/process.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace ptp_inspect_check_test {

namespace {

namespace fs = std::filesystem;
using namespace ptp::test;

fs::path build_of(const std::string& name) {
    return build_dir() / "tests/runs/builds" / name;
}

std::string checked_file() {
    return (build_dir() / "tests/tools/plugins/checked.so").string();
}

// What these rules find, without the plugin's path.
std::string judged(const fs::path& plugin, int status, const std::string& rules,
                   const std::vector<std::string>& further = {}) {
    std::vector<std::string> arguments = {"--check", plugin.string(), "--only", rules};
    arguments.insert(arguments.end(), further.begin(), further.end());
    const auto result = run_program("ptp-inspect", arguments);
    CHECK(result.status == status);
    CHECK(result.errors == "");
    REQUIRE(result.output.starts_with(plugin.string() + "\n"));
    return result.output.substr(plugin.string().size() + 1);
}

const std::string kRuns = "  204  runs                      ";
const std::string kContinues = "  211  interruption              ";
const std::string kFixOfRuns = "         fix: correct what the message names\n";
const std::string kForgotten =
    "output 'OUTPUT' differs after an interruption: it keeps something from step to step that is "
    "neither a parameter, nor a buffer, nor in the state that it saves\n"
    "             fix: register it with module(), or name it in state()\n";

std::string forgotten(const std::string& component, const std::string& output) {
    std::string text = kForgotten;
    text.replace(text.find("OUTPUT"), 6, output);
    return "         " + component + ": " + text;
}

const std::string kBareModel =
    "         BareModel: is a model without parameters\n"
    "             fix: register its layers with register_module() and its tensors with "
    "register_parameter() in module(); if it has nothing to learn it is a PTP_TRANSFORM\n";
const std::string kWrongShape =
    "         WrongShape: plugin 'checked' 0.1.0: 'component' (WrongShape) writes [4, 3] to stream "
    "'outputs', but its port 'outputs' is declared as [B, 4] (B = 4)\n";

constexpr const char* kForgets =
    "computes statistics over a whole set and cannot save what it has counted: a training that is "
    "interrupted and resumed would produce other values; give it state(), or export_state() and "
    "import_state() (ptp.state/1)";

}  // namespace

TEST_CASE("ptp-inspect --check: a component that keeps a count nowhere is found") {
    CHECK(judged(build_of("forgetful/recurrent_forgetful.so"), 3, "204,211") ==
          kRuns + "passed\n" + kContinues + "failed\n" +
              forgotten("RecurrentNetwork", "predictions") + "  refused: 1 passed, 1 failed\n");
    CHECK(judged(build_of("first/recurrent.so"), 0, "204,211") ==
          kRuns + "passed\n" + kContinues + "passed\n  accepted: 2 passed\n");
}

TEST_CASE("ptp-inspect --check: a component that does not give its state is found") {
    CHECK(judged(build_of("shy/shy_1.so"), 3, "204,211") ==
          kRuns + "passed\n" + kContinues +
              "failed\n         Shy: cannot continue after an interruption: 'component' (Shy): is "
              "counting; it gives its state between two epochs\n"
              "         fix: keep what lasts from step to step in parameters, buffers or state()\n"
              "  refused: 1 passed, 1 failed\n");
}

TEST_CASE(
    "ptp-inspect --check: layers that are not registered, an output that is not as declared, "
    "state that shows in evaluation, and what to give to what was not tried") {
    CHECK(
        judged(checked_file(), 3, "204,211") ==
        kRuns + "failed\n" + kBareModel +
            "         not tried: Locked: Locked.code = 4: is wrong (tried first with "
            "code = 4)\n"
            "             fix: give settings of [Locked] that go together in FILE.toml, and "
            "FILE.toml after --with\n"
            "         not tried: Numbers: nothing can be made up for 'file' (write a number into each "
            "line)\n"
            "             fix: give 'file' of [Numbers] in FILE.toml, and FILE.toml after --with\n" +
            kWrongShape + kFixOfRuns + kContinues + "failed\n" +
            forgotten("HandMadeAverage", "outputs") +
            "  refused: 2 failed\n"
            "         not tried: Locked, Numbers; see rule 204 (runs)\n");
}

TEST_CASE("ptp-inspect --check: a rule that needs components states which were not run for it") {
    const ProcessResult result =
        run_program("ptp-inspect", {"--check", checked_file(), "--only", "101,interruption"});
    CHECK(result.output.find("\n" + kRuns + "failed\n") != std::string::npos);
    const std::string tasks = (build_dir() / "lib/ptp/plugins/text_tasks.so").string();
    const TempFolder home;
    const ProcessResult incomplete =
        run_program("ptp-inspect", {"--check", tasks, "--only", "interruption"},
                    {{"HOME", home.path().string()}});
    CHECK(incomplete.status == 4);
    CHECK(incomplete.output.starts_with(tasks + "\n" + kRuns + "not tried\n         CsvTable: "));
    CHECK(incomplete.output.ends_with(
        "\n" + kContinues +
        "passed\n  incomplete: 1 passed, 1 not tried\n"
        "         not tried: CsvTable, TextFolder, TranslationPairs, WikiTextLanguageModeling, "
        "WiLYLanguageIdentification, WiLYNGramLanguageModeling; see rule 204 (runs)\n"));
}

TEST_CASE("ptp-inspect --check --with: components are tried with what is given") {
    const TempFolder temp;
    temp.write("data/numbers.txt", "1\n2\n3\n4\n5\n");
    const auto with = temp.write("with.toml", R"([[Locked]]
code = 1234

[[Locked]]
code = 1234
globals = { offset = 7 }

[Numbers]
file = "data/numbers.txt"
)");
    CHECK(judged(checked_file(), 3, "runs,interruption", {"--with", with.string()}) ==
          kRuns + "failed\n" + kBareModel + kWrongShape + kFixOfRuns + kContinues + "failed\n" +
              forgotten("HandMadeAverage", "outputs") + "  refused: 2 failed\n");
}

TEST_CASE("ptp-inspect --check --with: a relative name means the same file") {
    const TempFolder temp;
    temp.write("data/numbers.txt", "1\n2\n3\n4\n5\n");
    const fs::path with =
        temp.write("with.toml", "[Numbers]\nfile = \"data/numbers.txt\"\n[Locked]\ncode = 1234\n");
    CHECK(judged(checked_file(), 3, "204", {"--with", fs::relative(with).string()}) ==
          kRuns + "failed\n" + kBareModel + kWrongShape + kFixOfRuns + "  refused: 1 failed\n");
}

TEST_CASE("ptp-inspect --check --with: what does not run with settings that are given is wrong") {
    const TempFolder temp;
    const std::string with = temp.write("with.toml", R"([Locked]
code = 3
[Numbers]
file = "nowhere.txt"
)")
                                 .string();
    CHECK(judged(checked_file(), 3, "204", {"--with", with}) ==
          kRuns + "failed\n" + kBareModel + "         Locked (" + with + ":1:1): " + with +
              ":2:8: Locked.code = 3: is wrong\n         Numbers (" + with +
              ":3:1): the task of [training] (Numbers): " + (temp.path() / "nowhere.txt").string() +
              ": cannot be opened\n" + kWrongShape + kFixOfRuns + "  refused: 1 failed\n");
}

TEST_CASE("ptp-inspect --check --with: mistakes of the file are shown with their places") {
    const TempFolder temp;
    const auto refused = [&](const std::string& text) {
        const std::string with = temp.write("with.toml", text).string();
        const ProcessResult result =
            run_program("ptp-inspect", {"--check", checked_file(), "--with", with});
        CHECK(result.status == 2);
        CHECK(result.output == "");
        const std::string errors = ptp::test::without_excerpts(result.errors);
        REQUIRE(errors.starts_with(with));
        return errors.substr(with.size());
    };
    CHECK(refused("[Loked]\n") ==
          ":1:2: error: Loked: is not a component that is checked; did you mean 'Locked'?\n");
    CHECK(refused("Locked = 3\n") ==
          ":1:10: error: Locked = 3: must be a table of settings, as in [Locked]\n");
    CHECK(refused("[Locked]\ncdoe = 3\n") ==
          ":2:1: error: Locked.cdoe: unknown setting; did you mean 'code'?\n");
    CHECK(refused("[Locked]\ncode = true\n") ==
          ":2:8: error: Locked.code = true: must be an integer, not a boolean\n");
    CHECK(refused("[Locked]\nglobals = { ofset = 3 }\n") ==
          ":2:13: error: Locked.globals.ofset: Locked has no global of this name; did you mean "
          "'offset'?\n");
    CHECK(refused("[Locked]\nstreams = { outputs = false }\n") ==
          ":2:13: error: Locked.streams.outputs: Locked has no optional input of this name\n");
    CHECK(
        run_program("ptp-inspect", {"--check", checked_file(), "--with", "nowhere.toml"}).errors ==
        "nowhere.toml: error: cannot be opened: No such file or directory\n");
}

TEST_CASE("ptp-inspect --check --with: what is not a file is refused, and not waited for") {
    const TempFolder temp;
    const std::string pipe = (temp.path() / "pipe").string();
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    const auto refused = [](const std::string& with) {
        const ProcessResult result =
            run_program("ptp-inspect", {"--check", checked_file(), "--with", with});
        CHECK(result.status == 2);
        return result.errors;
    };
    CHECK(refused(pipe) == pipe + ": error: is not a regular file\n");
    CHECK(refused("/dev/zero") == "/dev/zero: error: is not a regular file\n");
    CHECK(refused(temp.path().string()) ==
          temp.path().string() + ": error: is a folder, not a file\n");
    const std::string large = temp.write("large.toml", "").string();
    fs::resize_file(large, (64u << 20) + 1);
    CHECK(refused(large) == large + ": error: is larger than 64 MiB\n");
}

TEST_CASE("ptp-inspect --check, ptp-manifest: statistics that cannot be saved are refused") {
    const std::string file = (build_dir() / "tests/swap/forgets_counts/mischief.so").string();
    CHECK(judged(file, 3, "abilities") ==
          "  203  abilities                 failed\n         Hits: " + std::string(kForgets) +
              "\n         fix: give the component the function that is named\n"
              "  refused: 1 failed\n");
    const TempFolder temp;
    const auto described = run_program("ptp-manifest", {file, (temp.path() / "x.S").string()});
    CHECK(described.status == 3);
    CHECK(described.errors == file + ": Hits: " + kForgets + "\n");
}

TEST_CASE("ptp-inspect rules: all rules with their numbers and names") {
    const ProcessResult text = run_program("ptp-inspect", {"rules"});
    CHECK(text.status == 0);
    CHECK(text.output.starts_with(
        "101  plugin-file               the file is whole, has a valid and sealed manifest, and is "
        "built for this host\n"));
    CHECK(text.output.find("\n209  gradients                 gradients of the outputs reach every "
                           "trained parameter\n") != std::string::npos);
    const auto rules =
        nlohmann::json::parse(run_program("ptp-inspect", {"rules", "--json"}).output);
    REQUIRE(rules.size() == 33);
    CHECK(rules[0]["kind"] == "static");
    CHECK(rules[30]["kind"] == "dynamic");
    for (std::size_t i = 1; i < rules.size(); ++i) {
        CAPTURE(rules[i]["name"]);
        CHECK(rules[i - 1]["number"] < rules[i]["number"]);
        CHECK(rules[i]["reason"] != "");
        CHECK(rules[i]["fix"] != "");
    }
}

}  // namespace ptp_inspect_check_test
