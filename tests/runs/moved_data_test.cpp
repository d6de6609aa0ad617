// Commands on a run or a bundle whose data are elsewhere: its record stays as it is, and the fix is
// the command line with the data's new place.

#include "runs/bundled.hpp"
#include "runs/predictions.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace moved_data_test {

using namespace ptp::test;

namespace {

// A run and its bundle, whose table was moved from FOLDER/old.csv to FOLDER/moved/old.csv; there is
// a file of a similar name.
class Moved {
public:
    Moved() {
        const auto file = folder_.write("old.csv", "km,kind\n1,new\n90,old\n2,new\n80,old\n");
        const std::string task =
            "type = \"Table\"\nbatch_size = 2\nfeatures = \"*\"\nlabel = \"kind\"\nfile = \"" +
            file.string() + "\"\n";
        const std::string experiment = training(1) + task + "[validation.task]\n" + task +
                                       "[pipeline.net]\ntype = \"FeedForwardNetwork\"\nglobals = { "
                                       "prediction_size = \"num_classes\" }\n[pipeline.loss]\n"
                                       "type = \"NLLLoss\"\n";
        const std::string file_name = folder_.write("experiment.toml", experiment).string();
        // The training warns that validation has its samples.
        REQUIRE(ptprun({file_name, "--run-dir", path("run")}).status == 0);
        REQUIRE(
            ptprun({"bundle", path("run"), "-o", path("run.ptpm"), "--license", "MIT"}).status ==
            0);
        std::filesystem::create_directory(folder_.path() / "moved");
        std::filesystem::rename(file, folder_.path() / "moved/old.csv");
        folder_.write("odd.csv", "other\n");
    }

    [[nodiscard]] std::string path(const std::string& name) const {
        return (folder_.path() / name).string();
    }

    // The error, with FOLDER.
    [[nodiscard]] std::string refusal(const std::vector<std::string>& command) const {
        const ProcessResult result = ptprun(command);
        CHECK(result.status == 4);
        return replaced(result.errors, folder_.path().string(), "FOLDER");
    }

    // Follows the fix in a shell.
    void follow(const std::string& error) const {
        const std::string fix = "    fix: ptprun ";
        const std::size_t begin = error.find(fix);
        REQUIRE(begin != std::string::npos);
        const std::size_t at = begin + fix.size();
        std::string command = error.substr(at, error.find('\n', at) - at);
        command = replaced(command, "=FILE", "=FOLDER/moved/old.csv");
        command = replaced(command, "FOLDER", folder_.path().string());
        CAPTURE(command);
        CHECK(std::system(
                  ((build_dir() / "bin/ptprun").string() + " " + command + " > /dev/null 2>&1")
                      .c_str()) == 0);
    }

private:
    TempFolder folder_;
};

// The message, without a file of a similar name, which is other data.
std::string missing(const std::string& key) {
    return ": error: " + key + ": no such file or folder: FOLDER/old.csv\n";
}

}  // namespace

TEST_CASE("moved data: process and export of a run or a bundle name the file by --set") {
    const Moved moved;
    const std::string set = " --set validation.task.file=FILE\n";
    for (const char* name : {"run", "run.ptpm"}) {
        CAPTURE(name);
        const std::string model = moved.path(name);
        const std::string error = moved.refusal({"process", model, "--quiet"});
        CHECK(error.find(missing("validation.task.file")) != std::string::npos);
        CHECK(error.ends_with(std::string("    fix: ptprun process FOLDER/") + name + " --quiet" +
                              set));
        moved.follow(error);
        const std::string other = moved.refusal({"export", model, "-o", moved.path("m.onnx")});
        CHECK(other.find(missing("validation.task.file")) != std::string::npos);
        CHECK(other.find(std::string("    fix: ptprun export FOLDER/") + name) !=
              std::string::npos);
        CHECK(other.ends_with(set));
        moved.follow(other);
    }
}

TEST_CASE("moved data: several sections have one fix together") {
    const Moved moved;
    const std::string sets = " --set training.task.file=FILE --set validation.task.file=FILE\n";
    const std::string error =
        moved.refusal({"process", moved.path("run.ptpm"), "--section", "training", "--section",
                       "validation", "--run-dir", moved.path("out")});
    CHECK(error.find(missing("training.task.file")) != std::string::npos);
    CHECK(error.find(missing("validation.task.file")) != std::string::npos);
    CHECK(error.find(sets) != std::string::npos);
    moved.follow(error);
    CHECK(moved.refusal({"check", moved.path("run.ptpm")}).find("    fix:" + sets) !=
          std::string::npos);
}

TEST_CASE("moved data: the table of the training is not needed, whose columns the checkpoint has") {
    const TempFolder folder;
    const std::string table = folder.write("a.csv", "km,kind\n1,new\n90,old\n2,new\n").string();
    const std::string tested = folder.write("b.csv", "km,kind\n3,new\n80,old\n").string();
    const std::string columns =
        "type = \"Table\"\nbatch_size = 2\nfeatures = \"*\"\nlabel = \"kind\"\nfile = \"";
    const std::string file =
        folder
            .write("e.toml", training(1) + columns + table + "\"\n[test.task]\n" + columns +
                                 tested + "\"\ntraining_file = \"" + table +
                                 "\"\n[pipeline.net]\ntype = \"FeedForwardNetwork\"\nglobals = { "
                                 "prediction_size = \"num_classes\" }\n[pipeline.loss]\ntype = "
                                 "\"NLLLoss\"\n")
            .string();
    const auto path = [&](const std::string& name) { return (folder.path() / name).string(); };
    REQUIRE(ptprun({file, "--run-dir", path("run")}).status == 0);
    REQUIRE(ptprun({"bundle", path("run"), "-o", path("run.ptpm"), "--license", "MIT"}).status ==
            0);
    // The file of the training prepares the columns, and nothing is measured on it.
    const ProcessResult named =
        ptprun({"process", path("run"), "--quiet", "--run-dir", path("named"), "--set",
                "test.task.training_file=\"" + table + "\""});
    CHECK_MESSAGE(named.status == 0, named.errors);
    CHECK(named.errors == "");
    std::filesystem::remove(table);
    for (const std::string& model : {path("run"), path("run.ptpm")}) {
        const ProcessResult processed =
            ptprun({"process", model, "--quiet", "--run-dir", model + ".out"});
        CHECK_MESSAGE(processed.status == 0, processed.errors);
        CHECK(processed.errors == "");
        const ProcessResult exported = ptprun({"export", model, "-o", path("m.onnx")});
        CHECK_MESSAGE(exported.status == 0, exported.errors);
        CHECK(exported.errors == "");
    }
    // The task's own table is.
    std::filesystem::remove(tested);
    const std::string error = ptprun({"process", path("run"), "--quiet"}).errors;
    CHECK_MESSAGE(error.ends_with(path("run") + " --quiet --set test.task.file=FILE\n"), error);
    CHECK(error.find("training_file") == std::string::npos);
}

}  // namespace moved_data_test
