// `ptprun draw` and `ptprun check --draw` as a person meets them.

#include "support/paths.hpp"
#include "support/process.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

namespace ptprun_draw_test {

namespace {

namespace fs = std::filesystem;
using ptp::test::ProcessResult;
using ptp::test::TempFolder;

std::string experiment(const char* name) {
    return (ptp::test::source_dir() / "configs" / name).string();
}

ProcessResult run(const std::vector<std::string>& arguments) {
    return ptp::test::run_program("ptprun", arguments);
}

// Runs ptprun in a folder with this text as its standard input.
ProcessResult piped(const TempFolder& folder, const std::string& text, const std::string& words) {
    folder.write("text", text);
    const std::string program = (ptp::test::build_dir() / "bin/ptprun").string();
    return ptp::test::run_program("/bin/sh", {"-c", "cd '" + folder.path().string() + "' && '" +
                                                        program + "' " + words + " <text"});
}

}  // namespace

TEST_CASE("ptprun draw: the name of the file says the format") {
    const TempFolder folder;
    struct Case {
        const char* file;
        const char* beginning;
    };
    for (const Case& c : {Case{"a.svg", "<?xml"}, Case{"a.png", "\x89PNG"}, Case{"a.pdf", "%PDF"},
                          Case{"a.dot", "digraph"}, Case{"a.txt", "task  pre"}}) {
        CAPTURE(c.file);
        const fs::path file = folder.path() / c.file;
        const auto drawn =
            run({"draw", experiment("fashion_mnist/lenet5.toml"), "-o", file.string()});
        CHECK(drawn.errors == "");
        CHECK(drawn.status == 0);
        CHECK(drawn.output == "");
        CHECK(folder.read(c.file).starts_with(c.beginning));
    }
}

TEST_CASE("ptprun draw: a file name without a folder is one of the current folder") {
    const TempFolder folder;
    const fs::path before = fs::current_path();
    fs::current_path(folder.path());
    const auto drawn = run({"draw", experiment("fashion_mnist/lenet5.toml"), "-o", "a.svg"});
    fs::current_path(before);
    CHECK(drawn.errors == "");
    CHECK(drawn.status == 0);
    CHECK(folder.read("a.svg").starts_with("<?xml"));
}

TEST_CASE("ptprun draw: an unknown format is refused, and an unknown file name too") {
    const std::string lenet = experiment("fashion_mnist/lenet5.toml");
    const auto format = run({"draw", lenet, "--format", "bmp"});
    CHECK(format.status == 2);
    CHECK(format.errors.find("--format bmp: must be text, dot, svg, png, pdf") !=
          std::string::npos);
    const auto name = run({"draw", lenet, "-o", "picture.jpeg"});
    CHECK(name.status == 2);
    CHECK(name.errors.find(
              "picture.jpeg: a file name must end with .txt, .dot, .svg, .png or .pdf, "
              "or --format must be given\n    fix: -o picture.png\n") != std::string::npos);
}

TEST_CASE("ptprun draw: a file that cannot be written is refused before anything is read") {
    const TempFolder folder;
    const std::string taken = folder.write("taken", "").string();
    const auto drawn = run({"draw", "/nowhere/experiment.toml", "-o", taken + "/a.svg"});
    CHECK(drawn.status == 2);
    CHECK(drawn.errors == "ptprun: error: -o " + taken + "/a.svg: no such folder: " + taken +
                              "\n    help: ptprun help draw\n");
}

// Both are pipelines of two trained nets with masks that many components read.
TEST_CASE(
    "ptprun draw: the largest experiment has a box for each component and few lines for masks") {
    const auto drawn =
        run({"draw", experiment("mnist/vf_2lenet5_2losses.toml"), "--format", "dot"});
    REQUIRE(drawn.status == 0);
    const auto boxes = [&](const char* what) {
        std::size_t found = 0;
        for (std::size_t i = drawn.output.find(what); i != std::string::npos;
             i = drawn.output.find(what, i + 1)) {
            ++found;
        }
        return found;
    };
    CHECK(boxes("\n    \"component ") > 15);
    CHECK(drawn.output.find("\"tasks\" -> \"component image_viewer\" [label=") ==
          std::string::npos);
}

TEST_CASE("ptprun check --draw: marks the component that is wrong") {
    const std::string lenet = experiment("fashion_mnist/lenet5.toml");
    const auto checked = run({"check", "--draw", lenet, "--set", "pipeline.lenet5.color=3"});
    CHECK(checked.status == 2);
    CHECK(checked.output.find("^ error: color = 3: ") == std::string::npos);
    CHECK(checked.output.find("^ error: color: unknown setting") != std::string::npos);
    const TempFolder folder;
    const fs::path file = folder.path() / "wrong.svg";
    const auto drawn =
        run({"check", "--draw", "-o", file.string(), lenet, "--set", "pipeline.lenet5.color=3"});
    CHECK(drawn.status == 2);
    CHECK(folder.read("wrong.svg").find("error: color: unknown setting") != std::string::npos);
    const auto good = run({"check", "--draw", lenet});
    CHECK(good.output.find("  1  forward  lenet5") != std::string::npos);
}

TEST_CASE(
    "ptprun draw, check, explain: - is an experiment from the standard input, in this folder") {
    const TempFolder folder;
    const std::string lenet = experiment("fashion_mnist/lenet5.toml");
    const std::string text = "include = \"" + lenet + "\"\n";
    const std::string wrong = text + "[pipeline.lenet5]\ncolor = 3\n";
    const ProcessResult checked = piped(folder, wrong, "check -");
    CHECK(checked.errors.starts_with("-:3:1: error: pipeline.lenet5.color: unknown setting"));
    CHECK(checked.status == 2);
    const ProcessResult explained = piped(folder, wrong, "explain - pipeline.lenet5.color");
    CHECK(explained.output.find("-:3:9") != std::string::npos);
    CHECK(explained.status == 0);
    const ProcessResult drawn = piped(folder, text, "draw -");
    CHECK(drawn.errors == "");
    CHECK(drawn.output == run({"draw", lenet}).output);
    CHECK(drawn.status == 0);
    const ProcessResult refused = piped(folder, text, "draw - --with-plugins");
    CHECK(refused.errors ==
          "ptprun: error: --with-plugins: is of bundles, and - is none: it has no plugins that a "
          "signature would be needed for\n    fix: leave out --with-plugins\n");
    CHECK(refused.status == 2);
    const ProcessResult processed = piped(folder, text, "process -");
    CHECK(processed.errors == "ptprun: error: -: no such run\n    help: ptprun help process\n");
    CHECK(processed.status == 2);
}

TEST_CASE("ptprun draw, check: --stdin-filename is the file whose text the standard input is") {
    const TempFolder folder;
    const std::string lenet = experiment("fashion_mnist/lenet5.toml");
    folder.write("base.toml", "include = \"" + lenet + "\"\n");
    folder.write("layer.toml", "seed = 9\n");
    fs::create_directory(folder.path() / "nets");
    const std::string text = "include = \"../base.toml\"\n";
    const ProcessResult checked =
        piped(folder, text + "[pipeline.lenet5]\ncolor = 3\n",
              "check - --stdin-filename nets/wide.toml --over layer.toml");
    CHECK(checked.errors.starts_with(
        "nets/wide.toml:3:1: error: pipeline.lenet5.color: unknown setting"));
    CHECK(checked.status == 2);
    const ProcessResult drawn = piped(folder, text, "draw - --stdin-filename nets/wide.toml");
    CHECK(drawn.errors == "");
    CHECK(drawn.output == run({"draw", lenet}).output);
    CHECK(drawn.status == 0);
    const ProcessResult refused =
        piped(folder, text, "draw base.toml --stdin-filename nets/wide.toml");
    CHECK(
        refused.errors ==
        "ptprun: error: --stdin-filename names an experiment from the standard input, and base.toml is read "
        "where it is\n"
        "    fix: leave out --stdin-filename, or write - in place of base.toml\n"
        "    help: ptprun help draw\n");
    CHECK(refused.status == 2);
}

}  // namespace ptprun_draw_test
