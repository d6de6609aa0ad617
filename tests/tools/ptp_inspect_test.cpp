#include "support/paths.hpp"
#include "support/process.hpp"
#include "support/temp_folder.hpp"
#include "support/texts.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace ptp_inspect_test {

namespace {

using ptp::test::has;
using ptp::test::ProcessResult;
using ptp::test::run_program;

std::string folder() {
    return (ptp::test::build_dir() / "tests/plugins/good").string();
}

ProcessResult inspect(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--plugins", folder()});
    return run_program("ptp-inspect", arguments);
}

// The line about libraries, from the JSON of one plugin; "" if it needs none.
std::string needs_line(const ProcessResult& as_json) {
    const auto report = nlohmann::json::parse(as_json.output);
    std::string line;
    for (const auto& library : report["plugins"][0]["libraries"]) {
        line += (line.empty() ? "  needs " : ", ") + library.get<std::string>();
    }
    return line.empty() ? "" : line + "\n";
}

}  // namespace

TEST_CASE("ptp-inspect: all plugins at a glance, and what was not taken") {
    const ptp::test::TempFolder temp;
    const std::string text = temp.write("x.so", "hello world").string();
    const ProcessResult result = inspect({"--plugins", temp.path().string()});
    CHECK(result.status == 0);
    CHECK(has(result.output, "good 1.2.3  " + folder() + "/good.so\n" +
                                 "  GoodTask       task       Ten pictures of nothing\n"
                                 "  GoodModel      model      Gives back what it is given\n"
                                 "  GoodStatistic  statistic  Measures nothing\n"));
    CHECK(has(result.output,
              "\nnot taken\n  " + text + ": is not an ELF file: it begins with 'hello w'\n"));
    CHECK_FALSE(has(result.output, "\x1b"));
}

TEST_CASE("ptp-inspect: all about a component") {
    const ProcessResult result = inspect({"GoodModel"});
    CHECK(result.status == 0);
    CHECK(result.output ==
          R"(GoodModel  model of good 1.2.3
  Gives back what it is given

  streams
    in   features     [B,input_size]       float  A row for each sample
    in   further      [B,*]                float  What extra_streams names (optional; one for each name in extra_streams)
    out  predictions  [B,prediction_size]  float  Log-probability of each class (if cell = LSTM)
    [...] is a shape: B the samples of a batch, * any size, a name the same size wherever it is,
    $NAME the setting, $a|b the setting a if it is written and else b, n^2 two sizes, x[1:] the
    sizes of x from the second on, ... any shape.
  settings
    cell                     LSTM | GRU      = "LSTM"          Kind of the recurrent cell
    dropout                  real            = 0.5     [0, 1)  Chance of dropping a unit while training
    extra_streams            list of string  = []              Names of further inputs
    optimizer                table                             An optimizer inside the model
    optimizer.learning_rate  real            required  (0, 1]  Step of the inner optimizer
  globals
    reads if named  input_size       Length of a row
    reads           prediction_size  Number of classes

  A model that exists to be described.
  Its second line.
)");
}

TEST_CASE("ptp-inspect: what writes globals, and statistics") {
    CHECK(has(inspect({"GoodTask"}).output,
              "  settings\n    resize_image  list of integer, or one  [1, inf), length [1, 2]"
              "  Height and width in pixels\n"
              "  globals\n    writes  image_height  = $resize_image[0]|28"
              "  Height of the pictures in pixels\n"));
    CHECK(has(inspect({"GoodTask"}).output,
              "\n  besides, ptp writes the stream 'indices': the number of each sample\n"));
    CHECK(has(inspect({"GoodStatistic"}).output,
              "  streams\n    in  stream  any  What is measured\n"
              "  statistics\n"
              "    samples   sum, hidden                               Number of samples\n"
              "    accuracy  mean over samples, with min, max and std  Share of right "
              "answers\n"));
}

TEST_CASE("ptp-inspect: a plugin by its name, its file, and with its type") {
    const std::string by_name = inspect({"good"}).output;
    CHECK(by_name.starts_with(
        "good 1.2.3  " + folder() +
        "/good.so\n"
        "  ABI 1.6, without libtorch, a C compiler\n"
        "  license Apache-2.0, by Jane \"JD\" Doe <jane@example.org>; others, "
        "https://example.org/good\n" +
        needs_line(inspect({"good", "--json"})) + "\nGoodTask  task of good 1.2.3\n"));
    CHECK(run_program("ptp-inspect", {folder() + "/good.so"}).output == by_name);
    CHECK(inspect({"good/GoodModel"}).output == inspect({"GoodModel"}).output);
    CHECK(inspect({"GoodTask", "GoodModel"}).output ==
          inspect({"GoodTask"}).output + "\n" + inspect({"GoodModel"}).output);
}

TEST_CASE("ptp-inspect: the libraries that a plugin's file needs, as text and as JSON") {
    const std::string line = needs_line(run_program("ptp-inspect", {"losses", "--json"}));
    CHECK(has(line, " libstdc++.so.6, "));
    CHECK(has(run_program("ptp-inspect", {"losses"}).output, "\n" + line + "\n"));
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // which all files need
    CHECK(needs_line(inspect({"good", "--json"})) == "");
#endif
}

TEST_CASE("ptp-inspect: all unknown names are listed, with what was probably meant") {
    const ProcessResult result = inspect({"GodModel", "good", "good/GoodTsk"});
    CHECK(result.status == 3);
    CHECK(result.output == "");
    CHECK(result.errors ==
          "ptp-inspect: error: unknown plugin or component 'GodModel'; did you mean 'GoodModel'?\n"
          "ptp-inspect: error: unknown plugin or component 'good/GoodTsk'; did you mean "
          "'good/GoodTask'?\n");
}

TEST_CASE(
    "ptp-inspect: words of other programs lead to a component of that purpose, or an option") {
    const auto said = [](const std::string& word) {
        const ProcessResult result = run_program("ptp-inspect", {word});
        CHECK(result.status == 3);
        return result.errors;
    };
    CHECK(said("MSE") ==
          "ptp-inspect: error: unknown plugin or component 'MSE'; did you mean 'MSELoss'?\n"
          "    fix: ptp-inspect MSELoss\n");
    CHECK(said("F1Score") ==
          "ptp-inspect: error: unknown plugin or component 'F1Score'; did you mean "
          "'MultiLabelStatistics' or 'PrecisionRecallStatistics'?\n"
          "    fix: ptp-inspect MultiLabelStatistics PrecisionRecallStatistics\n");
    CHECK(said("check") ==
          "ptp-inspect: error: 'check' is neither a plugin nor a component\n"
          "    fix: ptp-inspect --check FILE.so\n");
    CHECK(said("list") ==
          "ptp-inspect: error: 'list' is neither a plugin nor a component\n    fix: ptp-inspect\n");
}

TEST_CASE("ptp-inspect: parts of a training are named, with where their options are shown") {
    const ProcessResult result = inspect({"SGD"});
    CHECK(result.status == 3);
    CHECK(
        result.errors ==
        "ptp-inspect: error: 'SGD' is an optimizer of [training], and no plugin or component\n"
        "    fix: write optimizer = { type = \"SGD\", lr = 0.01, momentum = 0.9 } in [training]; docs/reference.md "
        "has its options, and ptprun explain EXPERIMENT.toml training.optimizer shows those of an "
        "experiment\n");
    CHECK(inspect({"StepLR"}).errors.find("'StepLR' is a scheduler of [training]") !=
          std::string::npos);
    CHECK(inspect({"RandomSampler"}).errors.find("write sampler = { type = \"RandomSampler\" }") !=
          std::string::npos);
}

TEST_CASE("ptp-inspect: of very many names the first are said, and how to see the others") {
    const ProcessResult result = inspect({"Xylophone"});
    CHECK(result.status == 3);
    CHECK(
        result.errors.starts_with("ptp-inspect: error: unknown plugin or component 'Xylophone'; "
                                  "known: augmentations, ColorJitter, "));
    CHECK(result.errors.ends_with(" more; without a name ptp-inspect lists all\n"));
}

TEST_CASE("ptp-inspect: runs, experiments and folders are named, with what shows them") {
    const ptp::test::TempFolder temp;
    const std::string run = (temp.path() / "run").string();
    temp.write("run/status.json", "{}");
    temp.write("run/experiment.toml", "");
    temp.write("a b/c.txt", "");
    const auto errors = [&](const std::string& name) { return inspect({name}).errors; };
    const auto of_run = [](const std::string& name) {
        return "ptp-inspect: error: '" + name +
               "' is a run, and no plugin or component; its network, its results and its settings can "
               "be shown\n    fix: ptprun summary " +
               name + "\n         ptprun runs " + name + "\n         ptprun explain " + name + "\n";
    };
    CHECK(errors(run) == of_run(run));
    CHECK(errors("runs/net/last") == of_run("runs/net/last"));
    CHECK(
        errors("net.toml") ==
        "ptp-inspect: error: 'net.toml' is an experiment, and no plugin or component; it can "
        "be checked, and its network be shown\n    fix: ptprun check net.toml\n         ptprun summary "
        "net.toml\n");
    const std::string folder = (temp.path() / "a b").string();
    CHECK(errors(folder) ==
          "ptp-inspect: error: '" + folder +
              "' is a folder, whose plugins can be listed\n    fix: ptp-inspect --plugins '" +
              folder + "'\n");
}

TEST_CASE("ptp-inspect: a file that is not a plugin is refused with the reason") {
    const ptp::test::TempFolder temp;
    const std::string empty = temp.write("x.so", "").string();
    const ProcessResult result = inspect({empty});
    CHECK(result.status == 3);
    CHECK(result.errors == "ptp-inspect: error: " + empty + ": is empty\n");
    CHECK(inspect({"/nowhere/x.so"}).errors ==
          "ptp-inspect: error: /nowhere/x.so: cannot be opened: No such file or directory\n");
    CHECK(inspect({"./nowhere"}).errors ==
          "ptp-inspect: error: ./nowhere: cannot be opened: No such file or directory\n");
}

TEST_CASE("ptp-inspect: a path names a file, and what is not a file is refused at once") {
    const ptp::test::TempFolder temp;
    const std::string pipe = (temp.path() / "pipe").string();
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    const ProcessResult result = inspect({pipe});
    CHECK(result.status == 3);
    CHECK(result.errors == "ptp-inspect: error: " + pipe + ": is not a regular file\n");
    const std::string text = temp.write("README.md", "# A text, and not a plugin\n").string();
    CHECK(inspect({text}).errors ==
          "ptp-inspect: error: " + text + ": is not an ELF file: it begins with '# A tex'\n");
    CHECK(inspect({temp.path().string()}).errors ==
          "ptp-inspect: error: '" + temp.path().string() +
              "' is a folder, whose plugins can be listed\n    fix: ptp-inspect --plugins " +
              temp.path().string() + "\n");
}

TEST_CASE("ptp-inspect: JSON of plugins, components and rejected files") {
    const ptp::test::TempFolder temp;
    temp.write("x.so", "");
    const auto all =
        nlohmann::json::parse(inspect({"--json", "--plugins", temp.path().string()}).output);
    REQUIRE(all["rejected"].size() == 1);
    CHECK(all["rejected"][0]["reason"] == "is empty");
    const auto one = nlohmann::json::parse(inspect({"--json", "good", "GoodTask"}).output);
    REQUIRE(one["plugins"].size() == 1);
    CHECK(one["plugins"][0]["path"] == folder() + "/good.so");
    CHECK(one["plugins"][0]["components"].size() == 3);
    REQUIRE(one["components"].size() == 1);
    CHECK(one["components"][0]["plugin"] == "good");
    CHECK(one["components"][0]["kind"] == "task");
}

TEST_CASE("ptp-inspect: Markdown is the same on every machine") {
    const std::string text = inspect({"--markdown", "GoodModel"}).output;
    CHECK(
        text.starts_with("# Components\n\n### GoodModel\n\nA model of the plugin `good`. Gives "
                         "back what it is given.\n"));
    CHECK(has(text, "| `cell` | LSTM \\| GRU | `\"LSTM\"` |  | Kind of the recurrent cell |\n"));
    CHECK(has(text,
              "| in | `further` | `[B,*]` | float | What extra\\_streams names "
              "(optional; one for each name in extra\\_streams) |\n"));
    CHECK_FALSE(has(text, folder()));
}

TEST_CASE("ptp-inspect: Markdown of a plugin begins with its components, by kind") {
    const std::string text = inspect({"--markdown", "good"}).output;
    CHECK(text.starts_with(
        "# Components\n\nWritten by `ptp-inspect --markdown`, from the declarations of the plugins.\n\n"
        "| kind | component | plugin |  |\n| --- | --- | --- | --- |\n"
        "| task | [GoodTask](#goodtask) | `good` | Ten pictures of nothing |\n"
        "| model | [GoodModel](#goodmodel) | `good` | Gives back what it is given |\n"
        "| statistic | [GoodStatistic](#goodstatistic) | `good` | Measures nothing |\n\n"
        "## good 1.2.3\n"));
}

TEST_CASE("ptp-inspect: the search path comes from the environment too") {
    const ProcessResult result =
        run_program("ptp-inspect", {"GoodTask"}, {{"PTP_PLUGIN_PATH", "/nowhere:" + folder()}});
    CHECK(result.status == 0);
    CHECK(result.output.starts_with("GoodTask  task of good 1.2.3\n"));
}

TEST_CASE("ptp-inspect: wrong command lines") {
    const struct {
        std::vector<std::string> arguments;
        const char* expected;
    } cases[] = {
        {{"--jso"}, "unknown option '--jso'; did you mean '--json'?"},
        {{"--json", "--markdown"}, "--json and --markdown exclude each other"},
        {{"--check", "x.so", "--markdown"}, "--check and --markdown exclude each other"},
        {{"--only", "204"}, "--only is for --check"},
        {{"--seed", "3"}, "--seed is for --check"},
        {{"--check", "x.so", "--plugins", "x"}, "--check and --plugins exclude each other"},
        {{"--time-limit", "3"}, "--time-limit is for --check"},
        {{"--with", "x.toml"}, "--with is for --check"},
        {{"--check"}, "--check needs the files of plugins"},
        {{"--check", "x.so", "--time-limit", "0"}, "--time-limit 0: must be in [1, 86400]"},
        {{"--time-limit", "soon"}, "--time-limit soon: must be an integer"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.expected);
        const ProcessResult result = run_program("ptp-inspect", c.arguments);
        CHECK(result.status == 2);
        CHECK(result.errors == "ptp-inspect: error: " + std::string(c.expected) +
                                   "\n    help: ptp-inspect --help\n");
    }
}

TEST_CASE("ptp-inspect: a listing that could not be printed is not a success") {
    const ptp::test::TempFolder folder;
    const std::string program = (ptp::test::build_dir() / "bin" / "ptp-inspect").string();
    const std::string errors = (folder.path() / "errors").string();
    for (const char* option : {"", " --json", " --markdown", " --help"}) {
        CAPTURE(option);
        CHECK(std::system((program + option + " > /dev/full 2> " + errors).c_str()) == 5 << 8);
        CHECK(folder.read("errors") ==
              "ptp-inspect: error: cannot write the standard output: No space left on device\n");
    }
}

TEST_CASE("ptp-inspect: help and version") {
    CHECK(run_program("ptp-inspect", {"--help"}).output.starts_with("usage: ptp-inspect "));
    CHECK(run_program("ptp-inspect", {"--version"}).output == "ptp-inspect 0.1.0\n");
}

}  // namespace ptp_inspect_test
