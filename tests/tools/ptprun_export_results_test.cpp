// Exported files in other programs: TorchScript in one with libtorch alone, ONNX in --verify.

#include "export_support.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <string>

namespace ptprun_export_results_test {

namespace fs = std::filesystem;
using ptp::test::ProcessResult;
using ptp::test::exports::Dots;
using ptp::test::exports::Strings;

TEST_CASE("export: a program with libtorch alone runs TorchScript on batches of other sizes") {
    Dots dots;
    dots.write_model("SizesOfBatch", "");
    require_success(dots.run_export(dots.file(), {"--plugins", Dots::plugins()}, "net.pt"));
    // The outputs are the 48 numbers of each sample.
    std::string row;
    for (int i = 0; i < 48; ++i) {
        row += fmt::format("{}{:.9g}", i == 0 ? "" : " ", static_cast<float>(i) / 48);
    }
    const std::string program = (ptp::test::build_dir() / "tests/script_program").string();
    for (const int batch : {1, 2, 7, 64}) {
        std::string rows;
        for (int i = 0; i < batch; ++i) {
            rows += row + "\n";
        }
        const ProcessResult shown = ptp::test::run_program(
            program, {dots.path("net.pt"), std::to_string(batch), "3", "4", "4"});
        CHECK(shown.errors == "");
        CHECK(shown.output == rows);
    }
}

TEST_CASE("export: TorchScript of trained layers runs with libtorch alone") {
    Dots dots;
    dots.train();
    REQUIRE(dots.run_export(dots.run(), {}, "net.pt").status == 0);
    const std::string program = (ptp::test::build_dir() / "tests/script_program").string();
    const auto rows = [&](const char* batch) {
        return ptp::test::run_program(program, {dots.path("net.pt"), batch, "3", "4", "4"}).output;
    };
    const std::string one = rows("1");
    CHECK(std::ranges::count(one, ' ') == 1);
    CHECK(rows("3") == one + one + one);
}

TEST_CASE("export: a component that cannot be traced writes its operators itself") {
    Dots dots;
    require_success(dots.export_model("WritesItself"));
    CHECK(dots.onnx().operators == Strings{"Flatten", "Sub", "Mul", "Add", "Identity"});
    CHECK(dots.onnx().outputs == Strings{"outputs 1:[batch, 48]"});
    // TorchScript has libtorch's operations alone.
    CHECK(dots.run_export(dots.file(), {"--plugins", Dots::plugins()}, "net.pt").errors ==
          "ptprun: error: cannot export 'net' (WritesItself): it fills memory of its own, which an "
          "exported graph does not see\n");
}

TEST_CASE("export: mistakes of a component that writes itself are refused with its plugin") {
    Dots dots;
    const std::string begin = "ptprun: error: plugin 'exported' 1.0.0: 'net' (";
    CHECK(dots.export_model("WritesOtherPort").errors ==
          begin + "WritesOtherPort): its onnx() reads 'images', which is no port of it\n");
    CHECK(dots.export_model("ReadsNoWeight").errors ==
          begin + "ReadsNoWeight): its onnx() reads 'scale', which is no tensor of it\n");
    CHECK(dots.export_model("WritesNoName").errors ==
          begin +
              "WritesNoName): its onnx() fails in a call of the host: std::invalid_argument: a "
              "name is NULL\n");
    const ProcessResult result = dots.export_model("WritesNothing");
    CHECK(result.errors == begin + "WritesNothing): its onnx() writes no output 'outputs'\n");
    CHECK(result.status == 3);
}

namespace {

// A program in place of Python's interpreter, which has ONNX Runtime, prints a line and ends with
// this exit code.
ptp::test::ProcessResult verified_by(const Dots& dots, int code) {
    dots.folder().write("python",
                        fmt::format("#!/bin/sh\n[ $# = 1 ] && exit 0\n"
                                    "echo '  predictions: largest difference 3.0e-07, another "
                                    "largest score in 0 of 8'\nexit {}\n",
                                    code));
    fs::permissions(dots.path("python"), fs::perms::owner_all);
    return ptp::test::run_program(
        "ptprun", {"export", dots.run(), "-o", dots.path("net.onnx"), "--verify", "--samples", "5"},
        {{"PTP_PYTHON", dots.path("python")}});
}

}  // namespace

TEST_CASE("export: --verify prints the largest difference of each output, and what it means") {
    Dots dots;
    dots.train();
    const std::string written = dots.path("net.onnx") +
                                ": written\n  in   inputs [batch, 3, 4, 4]\n  out  predictions "
                                "[batch, 2]\n  samples go in as the task, ImageFolder, prepares "
                                "them: by resize_image\n    its metadata ptp.before.toml has these "
                                "settings\n";
    const std::string line =
        "  predictions: largest difference 3.0e-07, another largest score in 0 of 8\n";
    // Batches of 1 and 8 are the first that have 5 samples.
    const auto equal = verified_by(dots, 0);
    CHECK(equal.errors == "");
    CHECK(equal.output == written + line + "  verified in ONNX Runtime on 2 batches\n");
    CHECK(equal.status == 0);
    const auto different = verified_by(dots, 3);
    CHECK(different.output == written + line + "  ONNX Runtime computes something else\n");
    CHECK(different.status == 5);
    const auto unreadable = verified_by(dots, 1);
    CHECK(unreadable.output ==
          written + line + "  not verified: ONNX Runtime cannot run the file\n");
    CHECK(unreadable.status == 5);
}

TEST_CASE("export: --verify without ONNX Runtime is refused, and writes nothing") {
    Dots dots;
    dots.train();
    dots.folder().write("python", "#!/bin/sh\necho \"No module named 'onnxruntime'\"\nexit 1\n");
    fs::permissions(dots.path("python"), fs::perms::owner_all);
    const auto verified_in = [&](const std::string& python) {
        return ptp::test::run_program(
            "ptprun", {"export", dots.run(), "-o", dots.path("net.onnx"), "--verify"},
            {{"PTP_PYTHON", python}, {"LC_ALL", "C"}});
    };
    const std::string other =
        "name an interpreter that has onnxruntime and numpy in PTP_PYTHON; without --verify the "
        "file is written all the same\n";
    const std::string python = dots.path("python");
    const auto missing = verified_in(python);
    CHECK(missing.errors == "ptp-export: error: --verify: the file cannot be compared in " +
                                python + ": No module named 'onnxruntime'\n    fix: " + python +
                                " -m venv ~/onnx && ~/onnx/bin/pip install onnxruntime numpy && "
                                "export PTP_PYTHON=~/onnx/bin/python\n         or " +
                                other);
    CHECK(missing.output == "");
    CHECK(missing.status == 2);
    const auto nothing = verified_in("no-python");
    CHECK(nothing.errors ==
          "ptp-export: error: --verify: the file cannot be compared in no-python: /usr/bin/env: "
          "'no-python': No such file or directory\n    fix: " +
              other);
    CHECK(nothing.status == 2);
    CHECK(!fs::exists(dots.path("net.onnx")));
}

}  // namespace ptprun_export_results_test
