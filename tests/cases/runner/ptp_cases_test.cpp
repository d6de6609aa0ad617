#include "support/paths.hpp"
#include "support/process.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace ptp_cases_test {

namespace {

// What the runner answers to a file of this text. Starting it takes most of a second.
ptp::test::ProcessResult run(const std::string& text) {
    const ptp::test::TempFolder folder;
    const auto file = folder.write("c.toml", text);
    return ptp::test::run_program(
        (ptp::test::build_dir() / "bin/ptp-cases").string(),
        {"--plugins", (ptp::test::build_dir() / "lib/ptp/plugins").string(), file.string()});
}

const std::string kHuber =
    "source = \"hand\"\n"
    "component = \"HuberLoss\"\n"
    "[all]\n"
    "inputs.predictions = [[1.0, 0.0]]\n"
    "inputs.targets = [[1.0, 0.5]]\n";

struct Differing {
    std::string keys;     // of the case, after its name
    std::string message;  // "@2": the place of the second of its keys' lines
};

// Each case fails with its message, at its place.
void check(const std::vector<Differing>& cases) {
    std::string text = kHuber;
    std::string expected;
    for (std::size_t i = 0; i < cases.size(); ++i) {
        const auto line = std::ranges::count(text, '\n') + 1;
        const std::string name = "case " + std::to_string(i);
        std::string message = cases[i].message;
        if (const auto at = message.find('@'); at != std::string::npos) {
            const auto keys_line = line + 1 + (message[at + 1] - '0');
            message.replace(at, 2, "c.toml:" + std::to_string(keys_line));
        }
        expected += "c.toml:" + std::to_string(line) + ":1: " + name + ": " + message + "\n";
        text += "[[case]]\nname = \"" + name + "\"\n" + cases[i].keys + "\n";
    }
    const std::string count = std::to_string(cases.size());
    const auto result = run(text);
    CHECK(result.output == expected + "c.toml: " + count + " cases, " + count + " failed\n");
    CHECK(result.errors.empty());
    CHECK(result.status == 1);
}

}  // namespace

TEST_CASE("ptp-cases: a wrong command line is refused in a sentence, and help names all options") {
    const auto ptp_cases = [](const std::vector<std::string>& words) {
        return ptp::test::run_program((ptp::test::build_dir() / "bin/ptp-cases").string(), words);
    };
    const std::string help = "\n    help: ptp-cases --help\n";
    CHECK(ptp_cases({}).errors ==
          "ptp-cases: error: a file with cases is needed\n    fix: ptp-cases FILE" + help);
    const auto unknown = ptp_cases({"--plugns", "x", "c.toml"});
    CHECK(unknown.errors ==
          "ptp-cases: error: unknown option '--plugns'; did you mean '--plugins'?" + help);
    CHECK(unknown.status == 2);
    const auto helped = ptp_cases({"--help"});
    CHECK(helped.status == 0);
    for (
        const char* text :
        {"usage: ptp-cases FILE... [OPTION]...\n", "  --plugin FILE", "  --plugins DIR",
         "exit codes: 0 all as expected, 1 not, 2 wrong command line, file of cases or plugin\n"}) {
        CHECK_MESSAGE(helped.output.find(text) != std::string::npos, text, helped.output);
    }
}

TEST_CASE("ptp-cases: a device that is none, or is not there, is refused") {
    const auto with_device = [](const std::string& device) {
        return ptp::test::run_program((ptp::test::build_dir() / "bin/ptp-cases").string(),
                                      {"--device", device, "c.toml"});
    };
    const auto wrong = with_device("gpu");
    CHECK(wrong.status == 2);
    CHECK(wrong.errors ==
          "ptp-cases: error: --device gpu: must be cpu, cuda or cuda:N\n"
          "    help: ptp-cases --help\n");
    if (std::filesystem::exists("/dev/nvidiactl")) {
        MESSAGE("the rest is skipped: this machine may have a CUDA device");
        return;
    }
    const auto missing = with_device("cuda");
    CHECK(missing.status == 2);
    CHECK(missing.errors ==
          "ptp-cases: error: --device cuda:0: libtorch finds no CUDA device here\n"
          "    help: ptp-cases --help\n");
}

TEST_CASE("ptp-cases: a case that is as expected passes") {
    const auto result = run(kHuber +
                            "[[case]]\n"
                            "name = \"one\"\n"
                            "expect.outputs.loss = 0.0625\n"
                            "expect.collected.loss_weight = 2.0\n"
                            "expect.gradients.predictions = [[0.0, -0.25]]");
    CHECK(result.output == "c.toml: 1 cases, 0 failed\n");
    CHECK(result.status == 0);
}

TEST_CASE("ptp-cases: a case that differs is reported with index, value and expectation") {
    check({{"expect.outputs.loss = 0.25\ntolerance.relative = 1e-3",
            "loss = 0.0625, expected 0.25 (differs by 0.188, 0.00025 is allowed)"},
           {"expect.outputs.loss = 0.25\ntolerance = { absolute = 0.1, cuda = { absolute = 1.0 } }",
            "loss = 0.0625, expected 0.25 (differs by 0.188, 0.1 is allowed)"},
           {"expect.gradients.predictions = [[0.0, 0.25]]",
            "gradients.predictions[0, 1] = -0.25, expected 0.25 (differs by 0.5, 0 is allowed)"},
           {"expect.gradients.predictions = [0.0, 0.25]",
            "gradients.predictions has the shape [1, 2], expected [2]"},
           {"expect.outputs.loss = 1", "loss is float32, expected integers"},
           {"expect.outputs.loss = { values = 0.0625, dtype = \"float64\" }",
            "loss is float32, expected float64"},
           {"expect.outputs.losses = 1.0", "no output 'losses'"},
           {"expect.outputs = {}", "output 'loss' has no expected value"},
           {"expect.shapes.loss = [1]", "loss has the shape [], expected [1]"},
           {"expect.collected.loss_weight = nan", "collected.loss_weight = 2, expected nan"},
           {"expect.collected = {}", "collected.loss_weight = 2, expected nothing"},
           {"expect.log = [\"x\"]", "log has 0 items, expected 1"},
           {"expect.published.x = 1", "published.x is missing, expected 1"}});
}

TEST_CASE("ptp-cases: earlier cases are compared to the last bit") {
    const auto result = run(kHuber +
                            "[[case]]\n"
                            "name = \"one\"\n"
                            "expect.outputs.loss = 0.0625\n"
                            "[[case]]\n"
                            "name = \"two\"\n"
                            "inputs.targets = [[1.0, 0.25]]\n"
                            "expect.same_as = \"one\"\n"
                            "[[case]]\n"
                            "name = \"three\"\n"
                            "expect.differs_from = \"one\"\n");
    CHECK(result.output ==
          "c.toml:9:1: two: loss = 0.015625, expected 0.0625 (differs by 0.0469, 0 is allowed)\n"
          "c.toml:13:1: three: the outputs are those of 'one'\n"
          "c.toml: 3 cases, 2 failed\n");
}

TEST_CASE("ptp-cases: a refusal must have its text and its kind") {
    const std::string wide = "inputs.targets = [[1.0, 0.5, 0.0]]\n";
    const std::string text = "targets has the sizes [1, 3], must have [1, 2], as predictions has";
    check({{"refused.data = \"x\"", "was not refused, expected { data = \"x\" }"},
           {wide + "refused.data = \"x\"",
            "refused = { data = \"" + text + "\" }, expected { data = \"x\" }"},
           {wide + "refused.config = \"" + text + "\"",
            "refused = { data = \"" + text + "\" }, expected { config = \"" + text + "\" }"},
           {wide + "expect.outputs.loss = 1.0", "could not run: " + text}});
}

TEST_CASE("ptp-cases: what cannot be run is reported at its case") {
    check(
        {{"inputs.mask = [true]\nexpect = {}",
          "could not run: HuberLoss has no input 'mask'; it has 'targets', 'predictions'"},
         {"settings.dleta = 1\nexpect = {}", "could not run: unknown setting 'dleta'"},
         {"expect.same_as = \"x\"",
          "could not run: no case or step before this one has the name 'x'"},
         {"inputs.targets = { formula = \"sines\" }\nexpect = {}",
          "could not run: @1:18: the formula needs a shape here"},
         {"inputs.targets = { values = [1.0], shape = [2] }\nexpect = {}",
          "could not run: @1:18: 1 numbers do not make the shape [2]"},
         {"inputs.targets = { values = [1.0], replaced = [{ at = [1], value = 2.0 }] }\n"
          "expect = {}",
          "could not run: @1:48: at = [1]: the tensor has no such element"},
         {"counting = true", "could not run: counting: differentiate must name inputs"},
         {"parameters.w = 1.0\nexpect = {}", "could not run: HuberLoss has no ptp.parameters/1"}});
}

TEST_CASE("ptp-cases: a component that no plugin has is reported with its place") {
    const auto result =
        run("source = \"x\"\ncomponent = \"HuberLos\"\n[[case]]\nname = \"a\"\nexpect = {}");
    CHECK(result.status == 2);
    CHECK(result.errors ==
          "c.toml:2:13: component = \"HuberLos\": no plugin has it; did you mean 'HuberLoss'?\n");
}

TEST_CASE("ptp-cases: where no plugin was named, how to name one is") {
    const ptp::test::TempFolder folder;
    const auto file =
        folder.write("c.toml", kHuber + "[[case]]\nname = \"a\"\nexpect.shapes.loss = []\n");
    const auto result = ptp::test::run_program("ptp-cases", {file.string()});
    CHECK(result.status == 2);
    CHECK(result.errors ==
          "c.toml:2:13: component = \"HuberLoss\": no plugin has it\n"
          "    fix: name its file, --plugin FILE, or a folder with plugins, --plugins DIR\n");
}

TEST_CASE("ptp-cases: a file that is wrong is not run") {
    const auto result = run(kHuber + "[[case]]\nname = \"one\"\nexpects = {}");
    CHECK(result.status == 2);
    CHECK(result.output.empty());
    CHECK(result.errors ==
          "c.toml:6:1: case[0]: expects nothing: must have expect, refused, counting or step\n"
          "c.toml:8:1: case[0].expects: unknown key; did you mean 'expect'?\n");
}

TEST_CASE("ptp-cases: relative paths of settings are relative to the case file") {
    const ptp::test::TempFolder folder;
    folder.write("words/list.csv", "word,index\nyes,0\nno,1\n");
    const auto file = folder.write("c.toml",
                                   "source = \"hand\"\n"
                                   "component = \"LabelIndexer\"\n"
                                   "[[case]]\n"
                                   "name = \"a list beside it\"\n"
                                   "settings.data_folder = \"words\"\n"
                                   "settings.word_mappings_file = \"list.csv\"\n"
                                   "inputs.inputs = [\"no\", \"yes\"]\n"
                                   "expect.outputs.outputs = [1, 0]\n");
    const auto result = ptp::test::run_program(
        (ptp::test::build_dir() / "bin/ptp-cases").string(),
        {"--plugins", (ptp::test::build_dir() / "lib/ptp/plugins").string(), file.string()});
    CHECK(result.output == "c.toml: 1 cases, 0 failed\n");
    CHECK(result.errors == "");
}

TEST_CASE("ptp-cases: samples of a task, and their number, are compared") {
    const auto result = run(
        "source = \"hand\"\n"
        "component = \"DummyLanguageIdentification\"\n"
        "[[case]]\n"
        "name = \"its size\"\n"
        "expect.size = 3\n"
        "[[case]]\n"
        "name = \"its samples\"\n"
        "samples = [1]\n"
        "expect.outputs = { inputs = [\"Give it to me\"], targets = [1], labels = [\"ENGLISH\"] }\n");
    CHECK(result.output ==
          "c.toml:3:1: its size: size = 4, expected 3\n"
          "c.toml:6:1: its samples: targets[0] = 0, expected 1\n"
          "c.toml: 2 cases, 2 failed\n");
    CHECK(
        run(kHuber + "[[case]]\nname = \"none\"\nsamples = [0]\nexpect.size = 1\n").output ==
        "c.toml:6:1: none: could not run: HuberLoss has no ptp.task/1\nc.toml: 1 cases, 1 failed\n");
}

TEST_CASE("ptp-cases: sentences may be empty, the first one too") {
    const auto result =
        run("source = \"hand\"\n"
            "component = \"SentenceTokenizer\"\n"
            "[[case]]\n"
            "name = \"joined\"\n"
            "settings.detokenize = true\n"
            "inputs.inputs = [[], [\"a\", \"b\"], []]\n"
            "expect.outputs.outputs = [\"\", \"a b\", \"\"]\n");
    CHECK(result.output == "c.toml: 1 cases, 0 failed\n");
}

TEST_CASE("ptp-cases: what has no gradient can be expected, and is reported where it has one") {
    check({{"differentiate = [\"predictions\"]\nexpect.no_gradients = [\"predictions\"]",
            "gradients.predictions is there, expected none"},
           {"differentiate = [\"predictions\"]\nexpect.no_gradients = [\"targets\"]",
            "no parameter or differentiated input 'targets'"}});
}

TEST_CASE("ptp-cases: a library with a protobuf of its own keeps it, in case after case") {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    MESSAGE("skipped: sanitizers refuse RTLD_DEEPBIND");
#else
    const std::string one =
        "[[case]]\n"
        "settings.model_file = \"" +
        (ptp::test::source_dir() / "tests/golden/sentence_pieces.model").string() +
        "\"\n"
        "inputs.inputs = { strings = [\"a\"] }\n"
        "expect.outputs.outputs = [[\"▁a\"]]\n";
    const auto result = run("source = \"hand\"\ncomponent = \"SentencePieceTokenizer\"\n" + one +
                            "name = \"one\"\n" + one + "name = \"two\"\n");
    CHECK(result.output == "c.toml: 2 cases, 0 failed\n");
    CHECK(result.status == 0);
#endif
}

}  // namespace ptp_cases_test
