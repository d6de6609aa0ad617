// `ptprun runs` as a person meets it.

#include "support/paths.hpp"
#include "support/process.hpp"
#include "support/temp_folder.hpp"
#include "tools/finished_run.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace ptprun_runs_test {

namespace {

using ptp::test::ProcessResult;
using ptp::test::ptprun;
using ptp::test::TempFolder;
using ptp::test::write_run;

}  // namespace

TEST_CASE("ptprun runs: lists what differs, filtered and sorted") {
    const TempFolder folder;
    write_run(folder, "a", "0.1", "0.5");
    write_run(folder, "b", "0.01", "0.25");
    write_run(folder, "c", "0.001", "0.75");
    const std::string path = folder.path().string();
    const ProcessResult all = ptprun({"runs", path, "--sort", "loss"});
    require_success(all);
    CHECK(all.output ==
          "run  state  loss  accuracy  epoch  lr     episodes  time\n"
          "b    done   0.25       0.5      1  0.01         10  1.5s\n"
          "a    done    0.5       0.5      1  0.1          10  1.5s\n"
          "c    done   0.75       0.5      1  0.001        10  1.5s\n");
    CHECK(ptprun({"runs", path, "--where", "lr=0.01", "--csv"}).output ==
          "run,state,lr,loss,accuracy,epoch,episodes,time\r\n"
          "b,done,0.01,0.25,0.5,1,10,1.5s\r\n");
    const auto json =
        nlohmann::json::parse(ptprun({"runs", path, "--where", "state=done", "--json"}).output);
    CHECK(json.size() == 3);
    const ProcessResult none = ptprun({"runs", path, "--where", "loss<0.1"});
    CHECK(none.status == 0);
    CHECK(none.output == "");
    CHECK(none.errors == "no run in " + path + " meets --where, of 3 runs\n");
}

TEST_CASE("ptprun runs: a program that reads the table gets all of its columns") {
    const TempFolder folder;
    for (const char* name : {"a", "b"}) {
        write_run(folder, name, "0.1", "0.5");
        std::string more;
        for (int i = 0; i < 100; ++i) {
            more += "setting_" + std::to_string(i) + " = \"" + name + "\"\n";
        }
        folder.write(std::string(name) + "/experiment.toml",
                     more + "long = \"" + std::string(1000, *name) + "\"\n");
    }
    const std::string path = folder.path().string();
    const std::string table = ptprun({"runs", path}).output;
    CHECK(table.starts_with("run  state  loss  accuracy  epoch  setting_0  setting_1  "));
    for (int i = 0; i < 100; ++i) {
        CHECK(table.find("  setting_" + std::to_string(i) + " ") != std::string::npos);
    }
    CHECK(table.find(std::string(1000, 'b')) != std::string::npos);
    CHECK(ptprun({"runs", path, "--csv"}).output.find(std::string(1000, 'b')) != std::string::npos);
}

TEST_CASE("ptprun runs: a narrow terminal gets the columns that fit") {
    const TempFolder folder;
    write_run(folder, "a", "0.1", "0.5");
    const auto said =
        ptp::test::run_program("ptprun", {"runs", folder.path().string()}, {{"COLUMNS", "24"}});
    CHECK(said.output ==
          "run  state  loss  epoch\n"
          "a    done    0.5      1\n"
          "(too narrow for: accuracy, episodes, time)\n");
}

TEST_CASE("ptprun runs: what is asked for is shown, however narrow the terminal is") {
    const TempFolder folder;
    write_run(folder, "a", "0.1", "0.5");
    write_run(folder, "b", "0.01", "0.25");
    const std::string path = folder.path().string();
    const auto narrow = [&](std::vector<std::string> options) {
        options.insert(options.begin(), {"runs", path});
        return ptp::test::run_program("ptprun", options, {{"COLUMNS", "24"}}).output;
    };
    CHECK(narrow({"--sort", "-accuracy", "--where", "lr<1"}) ==
          "run  accuracy  lr\n"
          "a         0.5  0.1\n"
          "b         0.5  0.01\n"
          "(too narrow for: state, loss, epoch, episodes, time)\n");
    CHECK(narrow({"--columns", "seed,lr,accuracy,loss", "--columns", "state"}) ==
          "run  seed  lr    accuracy  loss  state\n"
          "a    1     0.1        0.5   0.5  done\n"
          "b    1     0.01       0.5  0.25  done\n");
    CHECK(narrow({"--columns", "loss", "--sort", "lr", "--csv"}) ==
          "run,loss,lr\r\nb,0.25,0.01\r\na,0.5,0.1\r\n");
}

TEST_CASE("ptprun runs: runs that differ in their seed are a line, with mean and deviation") {
    const TempFolder folder;
    write_run(folder, "a", "0.1", "0.5");
    write_run(folder, "b", "0.01", "0.25");
    write_run(folder, "c", "0.1", "0.75");
    const std::string path = folder.path().string();
    // 0.5 and 0.75: the deviation is 0.125 times the root of 2.
    CHECK(ptprun({"runs", path, "--group-by", "lr", "--sort", "loss"}).output ==
          "lr    n         loss  accuracy  time\n"
          "0.01  1         0.25       0.5  1.5s\n"
          "0.1   2  0.62 ± 0.18   0.5 ± 0  1.5s\n");
    CHECK(ptprun({"runs", path, "--group-by", "experiment", "--columns", "loss", "--csv"}).output ==
          "experiment,n,loss,loss deviation\r\nnet,3,0.5,0.25\r\n");
    folder.write("d/status.json", R"({"state": "failed"})");
    folder.write("d/experiment.toml", "name = \"net\"\n");
    const ProcessResult said = ptprun({"runs", path, "--group-by", "experiment"});
    const std::string pooled =
        "the runs of a group differ in lr, too, and their means are over all of these\n"
        "    fix: --group-by experiment,lr\n";
    CHECK(said.errors ==
          pooled + "1 of the 4 runs is not done; --where state=done leaves it out\n");
    CHECK(ptprun({"runs", path, "--group-by", "experiment", "--where", "state=done"}).errors ==
          pooled);
    CHECK(ptprun({"runs", path, "--group-by", "experiment,lr", "--where", "state=done"}).errors ==
          "");
}

TEST_CASE(
    "ptprun runs: settings in which a group differs are named so that --group-by takes them") {
    const TempFolder folder;
    for (const char* size : {"2", "4"}) {
        write_run(folder, size, "0.1", "0.5");
        folder.write(std::string(size) + "/experiment.toml",
                     "name = \"net\"\n[training.task]\nbatch_size = " + std::string(size) +
                         "\n[validation.task]\nbatch_size = 8\n");
    }
    const std::string path = folder.path().string();
    CHECK(ptprun({"runs", path, "--group-by", "experiment", "--group-by", "state"}).errors ==
          "the runs of a group differ in batch_size, too, and their means are over all of these\n"
          "    fix: --group-by experiment,state,training.task.batch_size\n");
    require_success(
        ptprun({"runs", path, "--group-by", "experiment,state,training.task.batch_size"}));
}

TEST_CASE("ptprun runs: a learning rate that was set while a run trained is shown") {
    const TempFolder folder;
    write_run(folder, "a", "0.1", "0.5");
    write_run(folder, "b", "0.1", "0.25");
    folder.write("b/journal.jsonl",
                 R"({"format": 2, "number": 1, "episode": 120, "command": "learning_rate", )"
                 R"("arguments": {"rate": 0.0005, "group": ""}, "time": "2026-01-31T12:00:00Z"})"
                 "\n");
    const std::string path = folder.path().string();
    CHECK(ptprun({"runs", path, "--columns", "lr,loss"}).output ==
          "run  lr                loss\n"
          "a    0.1                0.5\n"
          "b    0.1, then 0.0005  0.25\n");
    const std::string changed =
        "\nthe learning rate was set to 0.0005 after 120 episodes, by ptprun control\n";
    const std::string run = (folder.path() / "b").string();
    for (const char* key : {"training.optimizer.lr", "optimizer.lr", "lr", "training"}) {
        CAPTURE(key);
        CHECK(ptprun({"explain", run, key}).errors.ends_with(changed));
    }
    CHECK(ptprun({"explain", run}).errors.ends_with(changed));
    CHECK(ptprun({"explain", run, "seed"}).errors.find(changed) == std::string::npos);
}

TEST_CASE("ptprun runs: runs of several experiments are grouped within each") {
    const TempFolder folder;
    write_run(folder, "a", "0.1", "0.5");
    write_run(folder, "b", "0.1", "0.25");
    write_run(folder, "c", "0.1", "0.75");
    folder.write("c/experiment.toml", "name = \"tree\"\n[training.optimizer]\nlr = 0.1\n");
    const std::string path = folder.path().string();
    CHECK(ptprun({"runs", path, "--group-by", "lr", "--columns", "loss"}).output ==
          "experiment  lr   n         loss\n"
          "net         0.1  2  0.38 ± 0.18\n"
          "tree        0.1  1         0.75\n");
    CHECK(ptprun({"runs", path, "--group-by", "lr,experiment", "--columns", "loss", "--csv"})
              .output ==
          "lr,experiment,n,loss,loss deviation\r\n0.1,net,2,0.375,0.1767766952966369\r\n"
          "0.1,tree,1,0.75,\r\n");
}

TEST_CASE("ptprun runs: trials are left out, marked where they are asked for") {
    const TempFolder folder;
    write_run(folder, "a", "0.1", "0.5");
    write_run(folder, "b", "0.1", "0.01");
    folder.write("b/run.json", R"({"trial": "overfit"})");
    const std::string path = folder.path().string();
    const ProcessResult without = ptprun({"runs", path, "--columns", "loss"});
    CHECK(without.output == "run  loss\na     0.5\n");
    CHECK(without.errors ==
          "1 trial run is left out (--overfit, --fast-dev-run, find-lr); --trials lists it too\n");
    const ProcessResult with = ptprun({"runs", path, "--trials", "--csv"});
    CHECK(with.output ==
          "run,state,trial,loss,accuracy,epoch,episodes,time\r\n"
          "a,done,,0.5,0.5,1,10,1.5s\r\n"
          "b,done,overfit,0.01,0.5,1,10,1.5s\r\n");
    CHECK(with.errors == "");
    CHECK(ptprun({"runs", path + "/b", "--columns", "loss"}).output == "run  loss\nb    0.01\n");
    const auto json = nlohmann::json::parse(ptprun({"runs", path, "--trials", "--json"}).output);
    CHECK(json[0]["trial"].is_null());
    CHECK(json[1]["trial"] == "overfit");
}

TEST_CASE("ptprun tag: tags and a note are kept, and runs are found by them") {
    const TempFolder folder;
    write_run(folder, "a", "0.1", "0.5");
    write_run(folder, "b", "0.1", "0.25");
    const std::string path = folder.path().string();
    const std::string a = path + "/a";
    CHECK(ptprun({"tag", a}).output == "tags  \nnote  \n");
    CHECK_FALSE(std::filesystem::exists(folder.path() / "a/tags.json"));
    CHECK(ptprun({"tag", a, "baseline", "for the talk"}).output ==
          "tags  baseline, for the talk\nnote  \n");
    CHECK(ptprun({"tag", path + "/last", "other"}).status == 0);
    const ProcessResult changed = ptprun({"tag", a, "baseline", "good", "--remove", "for the talk",
                                          "--note", "the first that learns"});
    CHECK(changed.output == "tags  baseline, good\nnote  the first that learns\n");
    CHECK(ptprun({"runs", path, "--where", "tags=good", "--columns", "tags,note"}).output ==
          "run  tags           note\na    baseline,good  the first that learns\n");
    CHECK(ptprun({"runs", path, "--where", "tags!=good", "--columns", "tags"}).output ==
          "run  tags\nb    other\n");
    CHECK(ptprun({"runs", path, "--where", "tags=bad"}).output == "");
    const auto json = nlohmann::json::parse(ptprun({"runs", path, "--json"}).output);
    CHECK(json[0]["tags"] == nlohmann::json({"baseline", "good"}));
    CHECK(json[0]["note"] == "the first that learns");
    struct Case {
        std::vector<std::string> arguments;
        std::string errors;
    };
    const std::string help = "\n    help: ptprun help tag\n";
    const Case cases[] = {
        {{"tag"}, "ptprun: error: a run folder is needed\n    fix: ptprun tag RUN" + help},
        {{"tag", a, "a,b"},
         "ptprun: error: 'a,b': a tag must be UTF-8 text without commas and control characters" +
             help},
        {{"tag", a, " a"},
         "ptprun: error: ' a': a tag must not be empty, nor begin or end with a space" + help},
        {{"tag", a, std::string(101, 'x')},
         "ptprun: error: '" + std::string(101, 'x') +
             "': a tag must have at most 100 bytes, this one has 101" + help},
        {{"tag", a, "--remove", "none"},
         "ptprun: error: --remove none: the run has no such tag; it has baseline, good" + help},
    };
    for (const Case& c : cases) {
        const ProcessResult said = ptprun(c.arguments);
        CHECK(said.status == 2);
        CHECK(said.errors == c.errors);
    }
    folder.write("a/tags.json", "{}");
    const ProcessResult broken = ptprun({"tag", a, "x"});
    CHECK(broken.status == 4);
    CHECK(broken.errors ==
          "ptprun: error: " + a + "/tags.json: has no list of tags; correct it, or remove it\n");
}

TEST_CASE("ptprun runs: a thousand runs are listed") {
    const TempFolder folder;
    for (int i = 0; i < 1000; ++i) {
        write_run(folder, "net/" + std::to_string(i), std::to_string(i), "0.5");
    }
    const ProcessResult said = ptprun({"runs", folder.path().string()});
    CHECK(std::ranges::count(said.output, '\n') == 1001);
}

TEST_CASE("ptprun runs: a list is compared with a list") {
    const TempFolder folder;
    write_run(folder, "a", "[0.1, 2]", "0.5");
    const std::string path = folder.path().string();
    CHECK(ptprun({"runs", path, "--where", "lr=[0.1, 2]", "--csv"}).output.find("\na,") !=
          std::string::npos);
    for (const char* asked : {"lr>2", "lr>[0.1, 2]"}) {
        CHECK(ptprun({"runs", path, "--where", asked})
                  .errors.find("    fix: --where 'lr=[0.1, 2]'\n") != std::string::npos);
    }
}

TEST_CASE("ptprun runs: what it cannot do ends with 2") {
    const TempFolder folder;
    write_run(folder, "a", "0.1", "0.5");
    const std::string path = folder.path().string();
    struct Case {
        std::vector<std::string> arguments;
        std::string errors;
    };
    const Case cases[] = {
        {{"runs", "/nowhere"},
         "/nowhere: is not a folder; without a name all in runs are listed\n    fix: ptprun runs"},
        {{"runs", path, "--sort", "wer"}, "--sort: no run has 'wer'; known: loss, accuracy"},
        {{"runs", path, "--where", "lrr<1"}, "--where: no run has 'lrr'; did you mean 'lr'?"},
        {{"runs", path, "--where", "lr"},
         "--where: 'lr' is not of the form KEY<VALUE (or <=, =, !=, >=, >)\n    fix: --where 'lr>0.5', "
         "with the value you mean"},
        {{"runs", path, "--where", "lr<1 and loss<1"},
         "--where: 'lr<1 and loss<1' is more than one condition\n    fix: --where 'lr<1'; "
         "`ptprun runs --csv` or --json has all for another program"},
        {{"runs", path, "--columns", "loss,lrr"},
         "--columns: no run has 'lrr'; did you mean 'lr'?"},
        {{"runs", path, "--sort", "val_acc"},
         "--sort: no run has 'val_acc'; did you mean 'accuracy'?"},
        {{"runs", path, "--sort", "validation.accuracy"},
         "--sort: no run has 'validation.accuracy'; did you mean 'accuracy'?"},
        {{"runs", path, "--sort", "test.accuracy"},
         "--sort: no run has 'test.accuracy'; 'accuracy' is that of the best validation, and other "
         "sets are in the test.csv of each run"},
        {{"runs", path, "--columns", "acc"},
         "--columns: no run has 'acc'; did you mean 'accuracy'?"},
        {{"runs", "--best"}, "unknown option '--best'\n    fix: --sort loss"},
        {{"runs", path, "--where", "lr<1", "--where", "loss<1"}, "--where is given more than once"},
        {{"runs", path, "--json", "--csv"}, "--json and --csv exclude each other"},
        {{"diff", path},
         "two run folders or bundles are needed\n    fix: ptprun diff " + path + " RUN"},
        {{"diff", path, path},
         path + " is not a run folder but holds 1 run: a\n    fix: write " + path + "/last or " +
             path + "/best in its place, or one of them by its name"},
        {{"diff", path, path, "x"},
         "'x' is one word too many after '" + path + "'\n    fix: ptprun diff " + path + " " +
             path},
    };
    for (const Case& c : cases) {
        const ProcessResult said = ptprun(c.arguments);
        CHECK(said.status == 2);
        CHECK(said.errors == "ptprun: error: " + c.errors + "\n    help: ptprun help " +
                                 c.arguments.front() + "\n");
    }
    const TempFolder empty;
    const ProcessResult none = ptprun({"runs", empty.path().string(), "--where", "lr<1"});
    CHECK(none.status == 0);
    CHECK(none.errors == "no runs in " + empty.path().string() + "\n");
}

TEST_CASE("ptprun runs: a table that could not be printed is not a success") {
    const TempFolder folder;
    write_run(folder, "a", "0.1", "0.5");
    const std::string path = folder.path().string();
    const std::string program = (ptp::test::build_dir() / "bin" / "ptprun").string();
    for (const char* option : {"", " --csv", " --json"}) {
        CAPTURE(option);
        const std::string command =
            program + " runs " + path + option + " > /dev/full 2> " + path + "/errors";
        CHECK(std::system(command.c_str()) == 5 << 8);
        CHECK(folder.read("errors") ==
              "ptprun: error: cannot write the standard output: No space left on device\n");
    }
}

TEST_CASE("ptprun: a reader that has gone does not change how a command ends") {
    const TempFolder folder;
    write_run(folder, "a", "0.1", "0.5");
    write_run(folder, "c", "0.2", "0.5");
    const std::string path = folder.path().string();
    const std::string bin = (ptp::test::build_dir() / "bin/").string();
    const std::string bad = folder.write("bad.toml", "seed = \"one\"\n").string();
    struct Case {
        std::string command;
        int status;
    };
    const Case cases[] = {
        {"ptprun runs " + path, 0},         {"ptprun diff " + path + "/a " + path + "/c", 1},
        {"ptprun check " + bad, 2},         {"ptprun help check", 0},
        {"ptp-inspect NoSuchComponent", 3}, {"ptp-import " + path + "/none.yml", 2}};
    for (const Case& c : cases) {
        CAPTURE(c.command);
        const std::string command =
            "bash -c 'exec 3> >(:); wait $!; " + bin + c.command + " >&3 2> " + path + "/errors'";
        CHECK(std::system(command.c_str()) == c.status << 8);
        CHECK(folder.read("errors").find("Broken pipe") == std::string::npos);
    }
}

}  // namespace ptprun_runs_test
