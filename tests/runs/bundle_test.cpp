// A run that is packed into one file, and what takes that file in place of the run.

#include "runs/bundled.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>

namespace bundle_test {

namespace fs = std::filesystem;

using namespace ptp::test;

TEST_CASE("bundle: it predicts with the bits of the run") {
    const Bundled bundled;
    const ProcessResult of_run = ptprun({"predict", bundled.run(), "--data", "test"});
    REQUIRE(of_run.status == 0);
    bundled.hide_run();
    const ProcessResult of_bundle = ptprun({"predict", bundled.model(), "--data", "test"});
    CHECK(of_bundle.status == 0);
    CHECK(of_bundle.output == of_run.output);
    CHECK(bundled.shown(of_bundle.errors).starts_with("weights of T/model.ptpm, epoch "));
}

TEST_CASE("bundle: it is processed, drawn, summarized and checked like the run") {
    const Bundled bundled;
    const fs::path one = bundled.path() / "one";
    const fs::path other = bundled.path() / "other";
    REQUIRE(ptprun({"process", bundled.run(), "--run-dir", one.string()}).status == 0);
    const ProcessResult drawn = ptprun({"draw", bundled.run()});
    REQUIRE(drawn.status == 0);
    bundled.hide_run();
    require_success(ptprun({"process", bundled.model(), "--run-dir", other.string()}));
    CHECK(content_of(other / "test.csv") == content_of(one / "test.csv"));
    CHECK(ptprun({"draw", bundled.model()}).output == drawn.output);
    CHECK(ptprun({"summary", bundled.model()}).status == 0);
    CHECK(ptprun({"check", bundled.model()}).status == 0);
}

TEST_CASE("bundle: it names the weights, and replaces a file only where it is named") {
    const Bundled bundled;
    const std::string weights = "tiny, weights of " + bundled.run() + ", epoch ";
    const ProcessResult again = ptprun({"bundle", bundled.run(), "-o", bundled.model()});
    CHECK(again.output.find(weights) != std::string::npos);
    CHECK(again.output.ends_with(" (best); replaces the file that was there\n"));
    const fs::path folder = fs::current_path();
    fs::current_path(bundled.path());
    CHECK(ptprun({"bundle", bundled.run()}).status == 0);
    const ProcessResult refused = ptprun({"bundle", bundled.run()});
    const std::string experiment = bundled.run() + "/experiment.toml";
    std::string text = content_of(experiment);
    write_content(experiment, text.replace(text.find("tiny"), 4, "my net"));
    fs::copy("tiny.ptpm", "my net.ptpm");
    const ProcessResult quoted = ptprun({"bundle", bundled.run()});
    fs::current_path(folder);
    CHECK(quoted.errors ==
          "ptp-bundle: error: my net.ptpm exists already, and is replaced if it is named\n"
          "    fix: -o 'my net.ptpm'\n"
          "    help: ptp-bundle --help\n");
    CHECK(refused.errors ==
          "ptp-bundle: error: tiny.ptpm exists already, and is replaced if it is named\n"
          "    fix: -o tiny.ptpm\n"
          "    help: ptp-bundle --help\n");
}

TEST_CASE("bundle: the same run becomes the same bytes, which tar lists") {
    const Bundled bundled;
    const std::string again = (bundled.path() / "again.ptpm").string();
    REQUIRE(ptprun({"bundle", bundled.run(), "-o", again, "--license", "MIT", "--summary",
                    "Four numbers"})
                .status == 0);
    CHECK(content_of(again) == content_of(bundled.model()));
    CHECK(std::system(("tar tf " + again + " >" + again + ".list").c_str()) == 0);
    CHECK(content_of(again + ".list").starts_with("manifest.toml\n"));
}

TEST_CASE("bundle: a license that SPDX does not list is refused, with the nearest") {
    const Bundled bundled;
    const auto refusal = [&](const std::string& license) {
        return bundled.shown(
            ptprun({"bundle", bundled.run(), "-o", "x.ptpm", "--license", license}).errors);
    };
    const std::string list =
        ": must be an identifier of the SPDX license list, such as MIT, or several, such as Apache-2.0 "
        "OR MIT";
    const std::string help = "\n    help: ptp-bundle --help\n";
    CHECK(refusal("GPL v3") == "ptp-bundle: error: --license 'GPL v3'" + list +
                                   "\n    fix: ptprun bundle " + bundled.shown(bundled.run()) +
                                   " -o x.ptpm --license GPL-3.0-or-later" + help);
    CHECK(refusal("do what you want") == "ptp-bundle: error: --license 'do what you want'" + list +
                                             "; a license of your own is LicenseRef-NAME" + help);
}

TEST_CASE("bundle: ptp-inspect and ptp-pack show and verify it") {
    const Bundled bundled;
    const ProcessResult inspected = run_program("ptp-inspect", {bundled.model()});
    CHECK(inspected.status == 0);
    CHECK(inspected.output.find("  license     MIT\n") != std::string::npos);
    CHECK(inspected.output.find("  measured    test: loss ") != std::string::npos);
    CHECK(run_program("ptp-pack", {"show", bundled.model()}).output == inspected.output);
    const ProcessResult verified =
        run_program("ptp-pack", {"verify", bundled.model(), "--allow-unsigned"});
    CHECK(verified.errors == "");
    CHECK(bundled.shown(verified.output).starts_with("T/model.ptpm: unsigned: "));
    CHECK(content_of(bundled.card()).find("| test | loss | ") != std::string::npos);
    CHECK(content_of(bundled.card()).find("- of the model: MIT\n") != std::string::npos);
}

TEST_CASE("bundle: an experiment trains from its weights") {
    const Bundled bundled;
    const std::string experiment = (bundled.path() / "experiment.toml").string();
    const auto trained = [&](const std::string& from, const std::string& name) {
        const ProcessResult result = ptprun({experiment, "--set", "pipeline.load=\"" + from + "\"",
                                             "--run-dir", (bundled.path() / name).string()});
        CHECK(result.status == 0);
        return content_of(bundled.path() / name / "training.csv");
    };
    CHECK(trained(bundled.model(), "of_bundle") == trained(bundled.run(), "of_run"));
}

TEST_CASE("bundle: it differs from its run in nothing that was trained") {
    const Bundled bundled;
    const ProcessResult same = ptprun({"diff", bundled.model(), bundled.model()});
    require_success(same);
    const ProcessResult result = ptprun({"diff", bundled.run(), bundled.model()});
    CHECK(result.errors == "");
    CHECK(result.output.find("settings: same\nplugins: same\n") != std::string::npos);
}

TEST_CASE("bundle: a damaged one is refused before anything is computed") {
    const Bundled bundled;
    const std::string good = content_of(bundled.model());
    write_content(bundled.model(), good.substr(0, good.size() - 600));
    ProcessResult result = ptprun({"predict", bundled.model(), "--data", "test"});
    CHECK(result.status == 4);
    CHECK(bundled.shown(result.errors) ==
          "ptprun: error: T/model.ptpm: is not a bundle, or is damaged: is cut off\n");
    std::string flipped = good;
    flipped[good.size() - 1024 - 512] = static_cast<char>(flipped[good.size() - 1024 - 512] ^ 1);
    write_content(bundled.model(), flipped);
    result = ptprun({"predict", bundled.model(), "--data", "test"});
    CHECK(result.status == 4);
    CHECK(result.errors.find("weights.safetensors: has changed since it was written") !=
          std::string::npos);
    CHECK(run_program("ptp-pack", {"verify", bundled.model(), "--allow-unsigned"}).status == 4);
}

TEST_CASE("bundle: a plugin that is not installed is named") {
    const Bundled bundled;
    const std::string good = content_of(bundled.model());
    const std::size_t at = good.find("name = \"losses\"");
    REQUIRE(at != std::string::npos);
    std::string other = good;
    other.replace(at, 15, "name = \"xosses\"");
    write_content(bundled.model(), other);
    const ProcessResult result = ptprun({"predict", bundled.model(), "--data", "test"});
    CHECK(result.status == 2);
    CHECK(
        bundled.shown(result.errors) ==
        "T/model.ptpm: error: needs the plugin 'xosses' 0.1.0, which is not installed; a repository "
        "may have it, or a folder\n"
        "    fix: ptp-pack install xosses\n"
        "         ptprun predict T/model.ptpm --data test --plugins DIR\n");
}

TEST_CASE("bundle: only weights that the test set was measured with have its numbers") {
    const ExperimentFolder folder;
    REQUIRE(folder.run("run").status == 0);
    const fs::path checkpoints = folder.path() / "run/checkpoints";
    const fs::path last = fs::canonical(checkpoints / "last");
    const auto card_of_last = [&] {
        const std::string card = (folder.path() / "card.md").string();
        CHECK(ptprun({"bundle", folder.run_folder("run"), "--checkpoint", "last", "-o",
                      (folder.path() / "last.ptpm").string(), "--card", card})
                  .status == 0);
        return content_of(card);
    };
    const char* const warning = "- No test set was measured";
    CHECK(card_of_last().find("| test | loss | ") != std::string::npos);  // the best ones
    // Others are the best: the same folder with a weight changed.
    const fs::path best = checkpoints / "episode_0000009999";
    fs::copy(last, best);
    std::string weights = content_of(best / "weights.safetensors");
    weights.back() = static_cast<char>(weights.back() ^ 1);
    write_content(best / "weights.safetensors", weights);
    fs::remove(checkpoints / "best");
    fs::create_directory_symlink(best.filename(), checkpoints / "best");
    const std::string card = card_of_last();
    CHECK(card.find("| test | loss | ") == std::string::npos);
    CHECK(card.find(warning) != std::string::npos);
}

TEST_CASE("bundle: its folder goes, so that no facts of its data are recorded there") {
    const Bundled bundled;
    const ProcessResult result = ptprun({"data", bundled.model(), "--record"});
    CHECK(result.status == 2);
    CHECK(bundled.shown(result.errors) ==
          "ptp-data: error: --record: 'T/model.ptpm' is a bundle, which stays as it is\n"
          "    fix: ptprun data T/model.ptpm --json >data.json\n"
          "    help: ptp-data --help\n");
}

TEST_CASE("bundle: commands for runs and experiments say what it is") {
    const Bundled bundled;
    const ProcessResult trained = ptprun({bundled.model()});
    CHECK(trained.status == 2);
    CHECK(
        bundled.shown(trained.errors) ==
        "ptprun: error: T/model.ptpm is a bundle with a trained model, not an experiment: it predicts "
        "for files and folders, and an experiment with load = \"T/model.ptpm\" in [pipeline] begins "
        "with its weights\n"
        "    fix: ptprun predict T/model.ptpm --data FOLDER\n");
    const ProcessResult resumed = ptprun({"resume", bundled.model()});
    CHECK(resumed.status == 2);
    CHECK(bundled.shown(resumed.errors) ==
          "ptprun: error: T/model.ptpm is a bundle with a trained model, not a run folder\n"
          "    help: ptprun help resume\n");
    const ProcessResult again = ptprun({"bundle", bundled.model()});
    CHECK(again.status == 2);
    CHECK(bundled.shown(again.errors)
              .find("T/model.ptpm is a bundle already: a bundle is made of a run\n"
                    "    fix: ptprun bundle RUN -o model.ptpm\n") != std::string::npos);
    const ProcessResult named = ptprun({"bundle", bundled.run(), "-o", "model.tar"});
    CHECK(named.status == 2);
    CHECK(named.errors.find("-o model.tar: the name of a bundle ends with .ptpm\n"
                            "    fix: -o model.ptpm\n") != std::string::npos);
}

}  // namespace bundle_test
