// `ptprun report` and `ptprun plot` as a person meets them; report_in_browser.py opens the pages.

#include "support/process.hpp"
#include "support/report_data.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace ptprun_report_test {

namespace {

using namespace ptp::test;

void write_run(const TempFolder& folder, const std::string& rows) {
    folder.write("net/experiment.toml", "name = \"net\"\n");
    folder.write("net/status.json",
                 R"({"format": 2, "state": "done", "episode": 3, "epoch": 1, "seconds": 1.5})");
    folder.write("net/run.json", R"({"format": 2, "experiment": "net", "plugins": []})");
    folder.write("net/training.csv", "episode,epoch,loss\n" + rows);
}

}  // namespace

TEST_CASE("ptprun report: one file, whose policy allows its own script and style alone") {
    const TempFolder folder;
    write_run(folder, "0,1,0.5\n1,1,0.25\n");
    const std::string run = (folder.path() / "net").string();
    const std::string file = (folder.path() / "net.html").string();
    const ProcessResult result = ptprun({"report", run, "-o", file});
    require_success(result);
    CHECK(result.output.starts_with("report of " + run + " in " + file + " (0."));
    const std::string page = content_of(file);
    CHECK(page.starts_with("<!DOCTYPE html>"));
    CHECK(page.find("default-src 'none'; script-src 'sha256-") != std::string::npos);
    CHECK(page.find("unsafe") == std::string::npos);
    CHECK(page.ends_with("</script>\n</body>\n</html>\n"));
}

TEST_CASE("ptprun report: a damaged table is shown up to the damage, and the fix is named") {
    const TempFolder folder;
    write_run(folder, "0,1,0.5\n1,0.25\n2,1,0.125\n");
    const std::string run = (folder.path() / "net").string();
    const ProcessResult result =
        ptprun({"report", run, "-o", (folder.path() / "net.html").string()});
    CHECK(result.status == 0);
    CHECK(
        result.errors ==
        "ptprun: warning: " + run +
            "/training.csv:3: has not the 3 cells of the first line; the report ends before it; a "
            "resume writes what came after the last checkpoint again\n    fix: ptprun resume " +
            run + "\n");
}

TEST_CASE("ptprun report: values of layers and events are shown up to the damage") {
    const TempFolder folder;
    write_run(folder, "0,1,0.5\n");
    const std::string run = (folder.path() / "net").string();
    const auto errors = [&] {
        const ProcessResult result =
            ptprun({"report", run, "-o", (folder.path() / "net.html").string()});
        CHECK(result.status == 0);
        return result.errors;
    };
    const std::string header = "kind,name,episode,epoch,mean,zeros\n";
    const std::string row = "operation,net.1.relu,0,1,0.5,nan\n";
    const std::string event =
        R"({"format":1,"event":"rollback","episode":1,"epoch":1,"details":{"to_episode":0},"time":"t"})"
        "\n";
    folder.write("net/layers.csv", header + row);
    folder.write("net/events.jsonl", event);
    CHECK(errors() == "");
    folder.write("net/layers.csv", header + row + "operation,net.1.relu\n");
    CHECK(errors() ==
          "ptprun: warning: " + run +
              "/layers.csv:3: is no row of values of layers; the report ends before it; a "
              "resume writes what came after the last checkpoint again\n    fix: ptprun resume " +
              run + "\n");
    folder.write("net/layers.csv", header + row);
    folder.write("net/events.jsonl", event + "{}\n");
    CHECK(errors() == "ptprun: warning: " + run +
                          "/events.jsonl:2: 'event' must be a string, and is missing\n");
}

TEST_CASE("ptprun report: what was done is listed by its episode and time, in plain words") {
    const TempFolder folder;
    write_run(folder, "0,1,0.5\n1,1,0.25\n");
    folder.write("net/journal.jsonl",
                 R"({"format":2,"number":1,"episode":1,"command":"set",)"
                 R"("arguments":{"values":["training.optimizer.lr=0.5","seed=2"]},"time":"t2"})"
                 "\n"
                 R"({"format":2,"number":2,"episode":1,"command":"learning_rate",)"
                 R"("arguments":{"rate":0.25,"component":"net"},"time":"t3"})"
                 "\n"
                 R"({"format":2,"number":3,"episode":1,"command":"betas",)"
                 R"("arguments":{"values":[0.5,1]},"time":"t5"})"
                 "\n"
                 R"({"format":2,"number":4,"episode":1,"command":"tag",)"
                 R"("arguments":{"tags":["a","b"],"component":"net"},"time":"t6"})"
                 "\n");
    folder.write(
        "net/events.jsonl",
        R"({"format":1,"event":"skip","episode":1,"epoch":1,"details":{},"time":"t1"})"
        "\n"
        R"({"format":1,"event":"rollback","episode":0,"epoch":1,"details":{"to_episode":0},"time":"t4"})"
        "\n");
    const std::string page = (folder.path() / "net.html").string();
    const ProcessResult result = ptprun({"report", (folder.path() / "net").string(), "-o", page});
    CHECK(result.errors == "");
    CHECK(
        data_of(page).find(
            R"("events":[)"
            R"({"episode":0,"what":"rollback","details":"back to episode 0","time":"t4"},)"
            R"({"episode":1,"what":"skip","details":"","time":"t1"},)"
            R"({"episode":1,"what":"set","details":"training.optimizer.lr=0.5, seed=2","time":"t2"},)"
            R"({"episode":1,"what":"learning_rate","details":"rate = 0.25; component = net","time":"t3"},)"
            R"({"episode":1,"what":"betas","details":"values = [0.5,1]","time":"t5"},)"
            R"({"episode":1,"what":"tag","details":"tags = [\"a\",\"b\"]; component = net","time":"t6"}])") !=
        std::string::npos);
}

TEST_CASE("ptprun report: tables of maps that are too large are left out with a note") {
    const TempFolder folder;
    write_run(folder, "0,1,0.5\n");
    const std::string maps = "net/explanations/episode_0000000001/";
    folder.write(maps + "explanations.json",
                 R"({"format":1,"section":"test","samples":[{"index":0,"maps":[)"
                 R"({"method":"saliency","numbers":"0.npy"}]}]})");
    folder.write(maps + "0.npy", "");
    std::filesystem::resize_file(folder.path() / maps / "0.npy", (64U << 20U) + 1);  // holes
    const std::string page = (folder.path() / "net.html").string();
    const ProcessResult result = ptprun({"report", (folder.path() / "net").string(), "-o", page});
    CHECK(result.errors == "");
    CHECK(data_of(page).find(R"("note":"tables of numbers beyond 64 MiB are left out")") !=
          std::string::npos);
}

TEST_CASE("ptprun report: errors of standardized numbers are in their own unit") {
    const TempFolder folder;
    write_run(folder, "0,1,0.5\n");
    const std::string header =
        R"({"__metadata__":{"format":"2","section":"test","episode":"1","epoch":"1","classes":"[]",)"
        R"("left_out":"{}","judged":"[{\"loss\":\"mse\",\"type\":\"MSELoss\",\"targets\":\"t\",)"
        R"(\"predictions\":\"p\",\"is_classes\":false,\"means\":[200.0],\"deviations\":[100.0]}]"},)"
        R"("index":{"dtype":"I64","shape":[2],"data_offsets":[0,16]},)"
        R"("stream/p":{"dtype":"F32","shape":[2,1],"data_offsets":[16,24]},)"
        R"("stream/t":{"dtype":"F32","shape":[2,1],"data_offsets":[24,32]},)"
        R"("a.index":{"dtype":"F32","shape":[2],"data_offsets":[32,40]}})";
    const std::uint64_t size = header.size();
    const std::int64_t indices[] = {3, 5};
    const float numbers[] = {0.5F, 1, 0, 1, 8, 9};  // predicted, true, a.index
    std::string bytes(reinterpret_cast<const char*>(&size), sizeof(size));
    bytes += header;
    bytes.append(reinterpret_cast<const char*>(indices), sizeof(indices));
    bytes.append(reinterpret_cast<const char*>(numbers), sizeof(numbers));
    folder.write("net/samples/test_000001.safetensors", bytes);
    const std::string file = (folder.path() / "net.html").string();
    const ProcessResult result = ptprun({"report", (folder.path() / "net").string(), "-o", file});
    CHECK(result.errors == "");
    const std::string page = data_of(file);
    // 100 * 0.5 = 50 and 0: their mean is 25.
    CHECK(page.find("\"mae\":25.0") != std::string::npos);
    CHECK(page.find("\"predicted0\":[250,300]") != std::string::npos);
    // The page has the numbers of the samples under the name that the component has chosen.
    CHECK(page.find("\"index\":[3,5]") != std::string::npos);
    CHECK(page.find("\"a.index\":[8,9]") != std::string::npos);
}

TEST_CASE("ptprun report: a run without vectors has nothing for a projector, and a fix") {
    const TempFolder folder;
    write_run(folder, "0,1,0.5\n");
    const std::string run = (folder.path() / "net").string();
    const ProcessResult result = ptprun({"report", run, "-o", (folder.path() / "net.html").string(),
                                         "--projector", (folder.path() / "vectors").string()});
    CHECK(result.status == 4);
    CHECK(result.errors ==
          "ptprun: warning: " + run +
              ": no vectors are written: its models look nothing up in an embedding, and it has no "
              "vectors of samples\n"
              "    fix: train with --set 'records.sample_values.streams=[\"STREAM\"]'\n");
}

TEST_CASE("ptprun report: a folder without a run is refused, and no file is written") {
    const TempFolder folder;
    std::filesystem::create_directory(folder.path() / "empty");
    const std::filesystem::path file = folder.path() / "net.html";
    const ProcessResult result =
        ptprun({"report", (folder.path() / "empty").string(), "-o", file.string()});
    CHECK(result.status == 2);
    CHECK(result.errors.find("empty") != std::string::npos);
    CHECK_FALSE(std::filesystem::exists(file));
}

TEST_CASE("ptprun report: a file of another type is refused") {
    const ProcessResult result = ptprun({"report", "runs/net", "-o", "my net.pdf"});
    CHECK(result.status == 2);
    CHECK(result.errors ==
          "ptprun: error: -o my net.pdf: a report is HTML, which a browser prints as PDF\n"
          "    fix: -o 'my net.html'\n"
          "    help: ptprun help report\n");
}

TEST_CASE("ptprun plot: a straight line is drawn from corner to corner") {
    const TempFolder folder;
    write_run(folder, "0,1,0\n1,1,1\n2,1,2\n");
    const std::string run = (folder.path() / "net").string();
    const ProcessResult result = ptp::test::run_program(
        "ptprun", {"plot", run, "loss", "--height", "3"}, {{"COLUMNS", "21"}});
    CHECK(result.status == 0);
    // 20 dots in 10 characters and 12 dots in 3 lines: both ends are corners.
    CHECK(result.output ==
          "training\n"
          "        2       ⢀⡠⠔⠊\n"
          "             ⣀⠤⠊⠁\n"
          "        0 ⡠⠔⠊\n"
          "  episode 0        2\n\n");
}

TEST_CASE("ptprun plot: an unknown statistic is refused with those that there are") {
    const TempFolder folder;
    write_run(folder, "0,1,0.5\n");
    const ProcessResult result = ptprun({"plot", (folder.path() / "net").string(), "los"});
    CHECK(result.status == 2);
    CHECK(result.errors ==
          "ptprun: error: no run has a statistic 'los'; did you mean 'loss'?\n"
          "    help: ptprun help plot\n");
    for (const char* const set : {"val_loss", "validation.loss"}) {
        CHECK(ptprun({"plot", (folder.path() / "net").string(), set}).errors ==
              "ptprun: error: no run has a statistic '" + std::string(set) +
                  "'; did you mean 'loss'?\n    help: ptprun help plot\n");
    }
    CHECK(ptprun({"plot", (folder.path() / "net").string(), "speed"}).errors ==
          "ptprun: error: no run has a statistic 'speed'\n    fix: name one of loss\n"
          "    help: ptprun help plot\n");
    CHECK(ptprun({"plot"}).errors ==
          "ptprun: error: run folders are needed\n    fix: ptprun plot RUN\n"
          "    help: ptprun help plot\n");
    const std::string net = (folder.path() / "net").string();
    CHECK(ptprun({"plot", net, "loss", "-o", "a.png"}).errors ==
          "ptprun: error: unknown option '-o'\n    fix: ptprun report " + net +
              " -o curves.html\n    help: ptprun help plot\n");
    const ProcessResult no_set =
        ptprun({"plot", (folder.path() / "net").string(), "loss", "--set", "test"});
    CHECK(no_set.status == 2);
    CHECK(no_set.errors ==
          "ptprun: error: --set test: no such set has 'loss'\n"
          "    fix: --set training\n"
          "    help: ptprun help plot\n");
}

TEST_CASE("ptprun plot: without a statistic all are listed, and one before the run is moved") {
    const TempFolder folder;
    write_run(folder, "0,1,0.5\n");
    const std::string run = (folder.path() / "net").string();
    const ProcessResult listed = ptprun({"plot", run});
    CHECK(listed.status == 0);
    CHECK(listed.output == "loss  training\n");
    const ProcessResult turned = ptprun({"plot", "loss", run, "--log"});
    CHECK(turned.status == 2);
    CHECK(turned.errors ==
          "ptprun: error: 'loss' is not a run: the statistic is the last word\n"
          "    fix: ptprun plot " +
              run +
              " loss --log\n"
              "    help: ptprun help plot\n");
}

}  // namespace ptprun_report_test
