// The fixes of `ptprun predict` for new rows of a table: each is the whole command, and works.

#include "runs/predictions.hpp"
#include "support/replaced.hpp"

#include <doctest/doctest.h>

#include <sstream>
#include <string>
#include <vector>

namespace predict_fixes_test {

using namespace ptp::test;

namespace {

// A run that tells kinds of cars by a number, a category and a date.
class Cars {
public:
    Cars() {
        const auto file = folder_.write("cars.csv",
                                        "km,fuel,sold,kind\n1,gas,2024-01-01,new\n"
                                        "90,oil,2011-02-03,old\n2,oil,2023-05-06,new\n"
                                        "80,gas,2012-07-08,old\n");
        train_run(folder_,
                  training(1) +
                      "type = \"Table\"\nbatch_size = 2\nfeatures = [\"km\", \"fuel\", \"sold\"]\n"
                      "columns = { fuel = \"category\" }\nlabel = \"kind\"\nfile = \"" +
                      file.string() +
                      "\"\n[pipeline.net]\ntype = \"FeedForwardNetwork\"\nglobals = { "
                      "prediction_size = \"num_classes\" }\n[pipeline.loss]\ntype = \"NLLLoss\"\n");
    }

    [[nodiscard]] std::string run() const { return (folder_.path() / "run").string(); }
    [[nodiscard]] std::string new_file() const { return (folder_.path() / "new.csv").string(); }

    // The run as a bundle, with options of its own.
    [[nodiscard]] std::string bundle(std::vector<std::string> options = {}) const {
        const std::string file = (folder_.path() / "run.ptpm").string();
        options.insert(options.begin(), {"bundle", run(), "-o", file, "--license", "MIT"});
        REQUIRE(ptprun(options).status == 0);
        return file;
    }

    // The error for this table, from the column on, and with RUN and NEW.
    std::string refusal(const std::string& text) { return refusal(text, run()); }
    std::string refusal(const std::string& text, const std::string& model) {
        return refusal_of(text, {"predict", model, "--data", new_file(), "--quiet"});
    }
    std::string refusal_of(const std::string& text, const std::vector<std::string>& command) {
        folder_.write("new.csv", text);
        const ProcessResult result = ptprun(command);
        CHECK(result.status != 0);
        return shown(result.errors);
    }

    // The error of any command, with RUN and NEW; new.csv has one row.
    std::string said(const std::vector<std::string>& command) {
        folder_.write("new.csv", "km,fuel,sold\n3,gas,2024-01-02\n");
        std::string text = ptprun(command).errors;
        for (const auto& [path, name] : {std::pair(new_file(), "NEW"), std::pair(run(), "RUN")}) {
            for (auto at = text.find(path); at != std::string::npos; at = text.find(path)) {
                text.replace(at, path.size(), name);
            }
        }
        return text;
    }

    // Follows the fix in a shell that knows `ptprun`; returns the number of rows that it predicts.
    std::size_t rows_of_fix(const std::string& error) const {
        const std::string words = "ptprun predict ";
        const std::size_t begin = error.find(words);
        REQUIRE(begin != std::string::npos);
        const std::size_t at = begin + words.size();
        const std::string command = error.substr(at, error.find('\n', at) - at);
        const std::string with_file = replaced(command, "NEW", new_file());
        return rows_of(ptp::test::predicted_from("", replaced(with_file, "RUN", run()))).size();
    }

private:
    // Leaves out the place in the experiment and its excerpt.
    [[nodiscard]] std::string shown(const std::string& errors) const {
        std::istringstream lines(errors);
        std::string text;
        for (std::string line; std::getline(lines, line);) {
            const std::size_t error = line.find(": error: ");
            const std::size_t file = line.find(new_file());
            if (error != std::string::npos) {
                line = line.substr(file);
            }
            if (line.find(" | ") == std::string::npos) {
                text += line + "\n";
            }
        }
        return replaced(replaced(text, new_file(), "NEW"), run(), "RUN");
    }

    TempFolder folder_;
};

}  // namespace

TEST_CASE("predict: a fix for new rows of a table is a whole command that works") {
    Cars cars;
    const std::string fix = "    fix: ";
    const std::string command = "ptprun predict RUN --data NEW --quiet --set 'training.task.";
    const auto check = [&](const std::string& text, const std::string& error) {
        const std::string found = cars.refusal(text);
        CHECK(found == error);
        CHECK(cars.rows_of_fix(found) == 1);
    };
    check("km,fuel,sold\n1,coal,2024-01-01\n",
          "NEW:2: column 'fuel' = 'coal': is not a category of the training's rows\n" + fix +
              "add rows with it to the training, or let it be zeros: " + command +
              "columns={ fuel = { type = \"category\", unknown = \"zeros\" } }'\n");
    check("km,fuel,sold\n,gas,2024-01-01\n",
          "NEW:2: column 'km' = '': has no value\n" + fix +
              "fill the cell, or remove the row; or have it replaced: " + command +
              "columns={ fuel = \"category\", km = { missing = \"mean\" } }'\n");
    check("km,fuel,sold\nNA,gas,2024-01-01\n",
          "NEW:2: column 'km' = 'NA': is not a number\n" + fix +
              "write a number; or, if such cells have no value, have them replaced: " + command +
              "missing_values=[\"NA\"]' --set 'training.task.columns={ fuel = \"category\", km = { "
              "missing = \"mean\" } }'\n");
    // One fix for all columns, and one that keeps what the user has set already.
    const std::string both =
        "columns={ fuel = { type = \"category\", unknown = \"zeros\" }, km = { missing = \"mean\" } }'";
    check("km,fuel,sold\n,coal,2024-01-01\n",
          "NEW:2: column 'km' = '': has no value\n    NEW:2: column 'fuel' = 'coal': is not a "
          "category of the training's rows\n" +
              fix + "fill the cell, or remove the row; or have it replaced: " + command + both +
              "\n");
    const std::string own = "training.task.columns={ fuel = { unknown = \"zeros\" } }";
    const std::string next = cars.refusal_of(
        "km,fuel,sold\n,coal,2024-01-01\n",
        {"predict", cars.run(), "--data", cars.new_file(), "--quiet", "--set", own});
    CHECK(next == "NEW:2: column 'km' = '': has no value\n" + fix +
                      "fill the cell, or remove the row; or have it replaced: " + command +
                      "columns={ fuel = { unknown = \"zeros\" }, km = { missing = \"mean\" } }'\n");
    CHECK(cars.rows_of_fix(next) == 1);
    check("km,Fuel,sold\n1,gas,2024-01-01\n",
          "NEW: has no column 'fuel', which the training has as a feature; it has 'km', 'Fuel', "
          "'sold'\n" +
              fix + command + "features=[\"km\", \"Fuel\", \"sold\"]'\n");
    check("km;fuel;sold\n1;gas;2024-01-01\n",
          "NEW has one column: its first line, 'km;fuel;sold', has no comma\n" + fix + command +
              "separator=\"semicolon\"'\n");
    CHECK(cars.refusal("km,fuel,sold\n1,gas,\n") ==
          "NEW:2: column 'sold' = '': has no value\n" + fix +
              "fill the cell, or remove the row; a date has no mean and no zero\n");
    CHECK(cars.refusal("km,fuel\n1,gas\n") ==
          "NEW: has no column 'sold', which the training has as a feature; it has 'km', 'fuel'\n" +
              fix +
              "add what is missing; or, if it has another name there, write that in its place: " +
              command + "features=[\"km\", \"fuel\", \"sold\"]'\n");
}

TEST_CASE("predict: the fixes for a bundle name no setting that it keeps") {
    Cars cars;
    const std::string renamed = "km,fuel,bought\n1,gas,2024-01-01\n";
    const std::string problem =
        "NEW: has no column 'sold', which the training has as a feature; it has 'km', 'fuel', "
        "'bought'\n    fix: add what is missing";
    CHECK(cars.refusal(renamed, cars.bundle()) ==
          problem + "; training.task.features is no parameter of the bundle\n");
    CHECK(cars.refusal("km,Fuel,sold\n1,gas,2024-01-01\n", cars.bundle()) ==
          "NEW: has no column 'fuel', which the training has as a feature; it has 'km', 'Fuel', "
          "'sold'\n    fix: write the data as those of the training; training.task.features is no "
          "parameter of the bundle\n");
    const std::string declared =
        cars.refusal(renamed, cars.bundle({"--parameter", "training.task.features"}));
    CHECK(declared.starts_with(problem + "; or, if it is 'bought' there, write that in its place: "
                                         "ptprun predict RUN.ptpm --data NEW"));
    CHECK(cars.refusal("km;fuel;sold\n1;gas;2024-01-01\n", cars.bundle()) ==
          "NEW has one column: its first line, 'km;fuel;sold', has no comma\n    fix: ptprun "
          "predict RUN.ptpm --data NEW --quiet --set 'training.task.separator=\"semicolon\"'\n");
}

TEST_CASE("predict: where one feature is missing and one column is left, it is taken for it") {
    Cars cars;
    const std::string error = cars.refusal("km,petrol,sold\n1,gas,2024-01-01\n");
    CHECK(error ==
          "NEW: has no column 'fuel', which the training has as a feature; it has 'km', 'petrol', "
          "'sold'\n    fix: add what is missing; or, if it is 'petrol' there, write that in its "
          "place: ptprun predict RUN --data NEW --quiet --set "
          "'training.task.features=[\"km\", \"petrol\", \"sold\"]'\n");
    CHECK(cars.rows_of_fix(error) == 1);
}

TEST_CASE("process: what a table lacks has one fix, and not that of samples without targets") {
    Cars cars;
    const std::string set = "training.task.file=" + cars.new_file();
    CHECK(cars.refusal_of("km,fuel,kind\n1,gas,new\n",
                          {"process", cars.run(), "--section", "training", "--set", set}) ==
          "NEW, which has 'km', 'fuel', 'kind'\n    fix: name one of these\n");
}

TEST_CASE("predict: a missing file is no text where the task reads numbers") {
    const Cars cars;
    CHECK(
        ptprun({"predict", cars.run(), "--data", "none.csv"}).errors ==
        "--data: error: none.csv: no such file or folder, and no such section; known: training\n");
}

TEST_CASE("process: data of its own belong to predict, and keys of the training to none") {
    const Cars cars;
    CHECK(ptprun({"process", cars.run(), "--data", "my new.csv"}).errors ==
          "ptprun: error: unknown option '--data'\n    fix: ptprun predict " + cars.run() +
              " --data 'my new.csv'\n    help: ptprun help process\n");
    // predict writes to the screen, or by --output.
    CHECK(ptprun({"process", cars.run(), "--data", "new.csv", "--run-dir", "out"}).errors ==
          "ptprun: error: unknown option '--data'\n    fix: ptprun predict " + cars.run() +
              " --data new.csv\n    help: ptprun help process\n");
    CHECK(ptp::test::without_excerpts(
              ptprun({"process", cars.run(), "--section", "training", "--set", "lr=1"}).errors) ==
          "--set: error: training.optimizer.lr: has no effect: nothing is trained here\n"
          "    fix: ptprun process " +
              cars.run() + " --section training\n");
    const std::string without = "    fix: ptprun process " + cars.run() + "\n";
    CHECK(ptp::test::without_excerpts(
              ptprun({"process", cars.run(), "--set", "lr=1", "--set", "training.accumulate=2"})
                  .errors) ==
          "--set: error: training.optimizer.lr: has no effect: nothing is trained here\n" +
              without +
              "--set: error: training.accumulate: has no effect: nothing is trained here\n" +
              without + "2 errors\n");
}

TEST_CASE("predict fixes: a file before its run, and options of other programs, can be typed") {
    Cars cars;
    const std::string help = "    help: ptprun help predict\n";
    const std::string turned = cars.said({"predict", cars.new_file(), cars.run()});
    CHECK(turned ==
          "ptprun: error: 'RUN' is one word too many after 'NEW'\n"
          "    fix: ptprun predict RUN --data NEW\n" +
              help);
    CHECK(cars.rows_of_fix(turned) == 1);
    CHECK(cars.said({"predict", cars.new_file(), cars.run(), "--json", "-o", "my out.jsonl"}) ==
          "ptprun: error: 'RUN' is one word too many after 'NEW'\n"
          "    fix: ptprun predict RUN --json -o 'my out.jsonl' --data NEW\n" +
              help);
    CHECK(cars.said({"predict", cars.run(), "--input", cars.new_file()}) ==
          "ptprun: error: unknown option '--input'\n    fix: --data NEW\n" + help);
    CHECK(cars.said({"predict", cars.run(), "--input", "my photo.png"}) ==
          "ptprun: error: unknown option '--input'\n    fix: --data 'my photo.png'\n" + help);
    CHECK(cars.said({"predict", cars.run(), "--data", cars.new_file(), "--batch-size", "8"}) ==
          "ptprun: error: unknown option '--batch-size'\n"
          "    fix: leave it out: it changes no prediction\n" +
              help);
    CHECK(cars.said({"process", cars.run(), "validation"}) ==
          "ptprun: error: 'validation' is one word too many after 'RUN'\n"
          "    fix: ptprun process RUN --section validation\n"
          "    help: ptprun help process\n");
}

TEST_CASE("predict fixes: a run in place of an experiment has the command with its experiment") {
    Cars cars;
    for (const char* command : {"cv", "search"}) {
        CHECK(cars.said({command, cars.run()})
                  .starts_with("ptprun: error: RUN is the folder of a run (done), not an "
                               "experiment: begin with its experiment, continue it, train its "
                               "experiment from scratch, measure its weights on a data set or "
                               "predict for files or folders\n    fix: ptprun " +
                               std::string(command) + " RUN/experiment.toml\n"));
    }
    CHECK(cars.said({"sweep", cars.run(), "--set", "lr=0.1,0.01"}) ==
          "ptprun: error: 'sweep' is not a command\n"
          "    fix: ptprun RUN/experiment.toml --set lr=0.1,0.01\n");
}

TEST_CASE("predict fixes: a folder in place of a table, or of a checkpoint, has what is in it") {
    Cars cars;
    CHECK(
        cars.said({"predict", cars.run(), "--data", cars.run()}) ==
        "--data: error: RUN: is a folder, and Table reads a table, with the columns km, fuel, sold\n"
        "    fix: ptprun predict RUN --data RUN/training.csv\n");
    const std::string of_all = cars.run() + "/checkpoints";
    CHECK(cars.said({"predict", cars.run(), "--data", cars.new_file(), "--checkpoint", of_all}) ==
          "ptprun: error: --checkpoint RUN/checkpoints: is no checkpoint, but a folder of some\n"
          "    fix: ptprun predict RUN --data NEW --checkpoint best\n"
          "    help: ptprun help predict\n");
}

TEST_CASE("predict fixes: a bundle that is to be a folder has a name in it") {
    Cars cars;
    const auto refused = [&](const std::vector<std::string>& more) {
        std::vector<std::string> words = {"bundle", cars.run()};
        words.insert(words.end(), more.begin(), more.end());
        return cars.said(words);
    };
    CHECK(refused({"-o", cars.run() + "/"}) ==
          "ptp-bundle: error: -o RUN/: is a folder; name a file\n    fix: -o RUN/experiment.ptpm\n"
          "    help: ptp-bundle --help\n");
}

}  // namespace predict_fixes_test
