// Models that began with the weights of others: their bundles name them through all generations.

#include "base/sha256.hpp"
#include "bundle/bundle.hpp"
#include "run/checkpoint_record.hpp"
#include "runs/bundled.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace bundle_lineage_test {

namespace fs = std::filesystem;

using ptp::bundle::BundleFile;
using ptp::bundle::BundleManifest;
using namespace ptp::test;

namespace {

// A run, T/run, whose bundle T/model.ptpm a second run, T/second, began with; with that a third.
class Generations {
public:
    Generations() {
        train("second", {"--set", "pipeline.load=" + first_.model(), "--set", "seed=8"});
        train("third", {"--set", "pipeline.net.load=" + path("second"), "--set", "seed=9"});
    }

    void train(const std::string& name, const std::vector<std::string>& words) const {
        CHECK(warnings_of(name, words) == "");
    }

    // Trains, and returns the warnings.
    [[nodiscard]] std::string warnings_of(const std::string& name,
                                          std::vector<std::string> words) const {
        words.insert(words.begin(), {path("experiment.toml"), "--run-dir", path(name), "--quiet"});
        const ProcessResult result = ptprun(words);
        REQUIRE(result.status == 0);
        return first_.shown(result.errors);
    }

    // Replaces a text in a file.
    void change(const std::string& name, const std::string& from, const std::string& to) const {
        std::string content = content_of(path(name));
        const std::size_t at = content.find(from);
        REQUIRE(at != std::string::npos);
        ptp::test::write_content(path(name), content.replace(at, from.size(), to));
    }

    // Bundles a run that began with one model, whose history is not known; returns its name.
    [[nodiscard]] std::string only_parent(const std::string& run,
                                          const std::string& weights_sha256) const {
        const BundleManifest manifest = BundleFile(bundle(run, run + ".ptpm")).manifest();
        CHECK(manifest.lineage.parents.size() == 1);
        REQUIRE(manifest.ancestors.size() == 1);
        CHECK(manifest.ancestors[0].weights_sha256 == weights_sha256);
        CHECK(manifest.ancestors[0].training == ptp::bundle::Lineage());
        CHECK(manifest.ancestors[0].data.empty());
        return manifest.ancestors[0].name;
    }

    [[nodiscard]] std::string bundle(const std::string& run, const std::string& name) const {
        require_success(ptprun({"bundle", path(run), "-o", path(name), "--card", path("card.md")}));
        return path(name);
    }

    // Removes what the third run began with.
    void forget() const {
        fs::remove_all(path("run"));
        fs::remove_all(path("second"));
        fs::remove(first_.model());
    }

    [[nodiscard]] std::string path(const std::string& name) const {
        return (first_.path() / name).string();
    }
    [[nodiscard]] std::string hash_of(const std::string& run) const {
        return ptp::sha256_of_file(first_.path() / run / "checkpoints/best/weights.safetensors");
    }
    [[nodiscard]] std::int64_t epoch_of(const std::string& run) const {
        return ptp::run::read_checkpoint_record(first_.path() / run / "checkpoints/best")
            .measured.epoch;
    }
    [[nodiscard]] const Bundled& first() const { return first_; }

private:
    Bundled first_;
};

}  // namespace

TEST_CASE("lineage: a bundle names a bundle and a run that its training came of, which are gone") {
    const Generations made;
    const std::string hash = made.hash_of("run").substr(0, 16);
    const std::string file = ptp::sha256_of_file(made.first().model()).substr(0, 16);
    const std::string second = made.hash_of("second").substr(0, 16);
    const std::int64_t epochs[] = {made.epoch_of("run"), made.epoch_of("second")};
    require_success(ptprun({"resume", made.path("third"), "--set",
                            "training.terminal_conditions.epoch_limit=4", "--quiet"}));
    made.forget();
    const std::string third = made.bundle("third", "third.ptpm");
    const std::string page = run_program("ptp-inspect", {third}).output;
    const auto data = [](const std::string& indent) {
        return fmt::format(
            "{0}data training: 48 samples\n{0}data validation: 16 samples\n{0}data test: 16 "
            "samples\n",
            indent);
    };
    const std::string tree = fmt::format(
        "  began with  pipeline.net of second: run second, epoch {}, seed 8, weights sha256 {}\n{}"
        "                began with model.ptpm: run run, epoch {}, seed 7, file sha256 {}, weights "
        "sha256 {}\n{}  measured",
        epochs[1], second, data(std::string(16, ' ')), epochs[0], file, hash,
        data(std::string(18, ' ')));
    CHECK_MESSAGE(page.find(tree) != std::string::npos, page);
    CHECK(run_program("ptp-pack", {"show", third}).output == page);
    const std::string card = content_of(made.path("card.md"));
    CHECK_MESSAGE(card.find(fmt::format("- began with the weights of pipeline.net of second: run "
                                        "second, epoch {}, seed 8, weights sha256 {}\n"
                                        "  - data training: 48 samples\n",
                                        epochs[1], second)) != std::string::npos,
                  card);
    CHECK(content_of(made.bundle("third", "again.ptpm")) == content_of(third));
}

TEST_CASE("lineage: the data are those that the sampler draws, and a hash that is absent has why") {
    const Generations made;
    const auto page_of = [&](const std::string& name, const std::string& sampler) {
        made.train(name, {"--set", "training.sampler=" + sampler});
        return run_program("ptp-inspect", {made.bundle(name, name + ".ptpm")}).output;
    };
    const auto check_training = [](const std::string& page, const std::string& text) {
        const std::string line = "  data        training: " + text + "\n";
        CHECK_MESSAGE(page.find(line) != std::string::npos, page);
    };
    check_training(page_of("subset", R"({ type = "SubsetRandomSampler", indices = [0, 20] })"),
                   "20 of 48 samples");
    const std::string card = content_of(made.path("card.md"));
    CHECK_MESSAGE(
        card.find("- training: 20 of 48 samples; its task names no file\n") != std::string::npos,
        card);
    const std::string manifest = content_of(made.path("subset.ptpm")).substr(0, 8192);
    CHECK_MESSAGE(
        manifest.find("[[data]]\nsection = \"training\"\nsamples = 20\ntask_samples = "
                      "48\nno_sha256 = \"its task names no file\"\n") != std::string::npos,
        manifest);
    CHECK(manifest.find("format = 2\n") != std::string::npos);  // that of its data's keys
    check_training(page_of("fewer", R"({ type = "RandomSampler", samples = 12 })"),
                   "48 samples, 12 in an epoch");
    const std::string split = R"({ type = "RandomSplitSampler", share = [0.0, 0.5] })";
    check_training(page_of("split", split), "24 of 48 samples");
}

TEST_CASE("lineage: a model that begins with a file of weights names the file") {
    const Generations made;
    const fs::path weights = made.path("taken.safetensors");
    fs::copy_file(made.first().path() / "run/checkpoints/best/weights.safetensors", weights);
    made.train("of_file", {"--set", "pipeline.load=" + weights.string()});
    fs::remove(weights);
    const BundleManifest manifest = BundleFile(made.bundle("of_file", "of_file.ptpm")).manifest();
    REQUIRE(manifest.ancestors.size() == 1);
    CHECK(manifest.ancestors[0].name == "taken.safetensors");
    CHECK(manifest.ancestors[0].weights_sha256 == made.hash_of("run"));
    CHECK(manifest.ancestors[0].training == ptp::bundle::Lineage());
    CHECK(manifest.lineage.parents == std::vector<ptp::bundle::Parent>{{made.hash_of("run"), ""}});
}

TEST_CASE("lineage: exported weights carry theirs to what begins with them") {
    const Generations made;
    const std::string weights = made.path("net.safetensors");
    REQUIRE(ptprun({"export", made.path("second"), "-o", weights}).status == 0);
    const std::string of_bundle = made.path("of_bundle.safetensors");
    REQUIRE(ptprun({"export", made.bundle("second", "second.ptpm"), "-o", of_bundle}).status == 0);
    CHECK(content_of(of_bundle) == content_of(weights));
    made.train("fourth", {"--set", "pipeline.load=" + weights});
    const std::string hash = ptp::sha256_of_file(weights);
    made.forget();
    fs::remove(weights);
    const BundleManifest manifest = BundleFile(made.bundle("fourth", "fourth.ptpm")).manifest();
    REQUIRE(manifest.ancestors.size() == 2);
    CHECK(manifest.ancestors[0].name == "net.safetensors");
    CHECK(manifest.ancestors[0].weights_sha256 == hash);
    CHECK(manifest.ancestors[0].training.run == "second");
    CHECK(manifest.ancestors[0].training.seed == 8);
    CHECK(manifest.ancestors[1].name == "model.ptpm");
}

TEST_CASE("lineage: of exported weights with a history that is none, hash and name are recorded") {
    const Generations made;
    const std::string weights = made.path("net.safetensors");
    const auto check = [&](const std::string& run, const char* from, const char* to,
                           const std::string& reason) {
        REQUIRE(ptprun({"export", made.path("second"), "-o", weights}).status == 0);
        made.change("net.safetensors", from, to);
        CHECK(made.warnings_of(run, {"--set", "pipeline.load=" + weights}) ==
              "warning: of 'net.safetensors', with whose weights the training begins, hash and "
              "name are recorded, and no history: T/net.safetensors/ptp.lineage: " +
                  reason + "\n");
        CHECK(made.only_parent(run, ptp::sha256_of_file(weights)) == "net.safetensors");
    };
    check("newer", R"(\"format\":2)", R"(\"format\":3)",
          "written by format 3; this ptprun reads up to 2");
    check(
        "unknown", R"(\"is_clean\")", R"(\"is_known\")",
        "is_known: unknown key; known: run, experiment_sha256, commit, is_clean, seed, epoch, episode, format, "
        "parents, data, ancestors");
    check("negative", R"(\"samples\":48)", R"(\"samples\":-8)",
          "data.samples = -8: must be in [0, inf)");
    check(
        "lines", R"(\"run\":\"second)", R"(\"run\":\"\\nabc)",
        "ancestors: must have hashes of 64 hexadecimal digits, and texts of one line of at most 300 bytes "
        "without control characters");
}

TEST_CASE("lineage: of a run whose run.json is damaged or newer, hash and name are recorded") {
    const Generations made;
    const std::string began =
        "warning: of 'second', with whose weights the training begins, hash and name are recorded, "
        "and no history: T/second/run.json";
    const std::vector<std::string> words = {"--set", "pipeline.load=" + made.path("second")};
    made.change("second/run.json", "\"format\": 2", "\"format\": 9");
    CHECK(made.warnings_of("of_newer", words) ==
          began + ": written by format 9; this ptprun reads up to 2\n");
    CHECK(made.only_parent("of_newer", made.hash_of("second")) == "second");
    ptp::test::write_content(made.path("second/run.json"), "{");
    CHECK(
        made.warnings_of("of_damaged", words) ==
        began +
            " is not the record of a run; no other file records with which plugins and which experiment the run began\n");
    CHECK(made.only_parent("of_damaged", made.hash_of("second")) == "second");
}

TEST_CASE("lineage: the name of a run with a line break becomes one line") {
    const Generations made;
    fs::rename(made.path("second"), made.path("a\nb"));
    made.train("fifth", {"--set", "pipeline.load=" + made.path("a\nb")});
    const BundleManifest manifest = BundleFile(made.bundle("fifth", "fifth.ptpm")).manifest();
    REQUIRE(manifest.ancestors.size() == 2);
    CHECK(manifest.ancestors[0].name == "a b");
    CHECK(manifest.ancestors[0].training.run == "a b");
}

TEST_CASE("lineage: weights that a run has not recorded as its beginning are not stated as such") {
    const Generations made;
    const std::string record = content_of(made.path("third/run.json"));
    auto table = nlohmann::ordered_json::parse(record);
    table.erase("lineage");
    ptp::test::write_content(made.path("third/run.json"), table.dump());
    const ProcessResult result =
        ptprun({"bundle", made.path("third"), "-o", made.path("third.ptpm")});
    CHECK(result.status == 0);
    CHECK(made.first().shown(result.errors) ==
          "T/third/run.json: warning: does not record with which weights the training "
          "began, and the bundle names none\n    fix: train it again: ptprun EXPERIMENT.toml\n");
    const BundleManifest manifest = BundleFile(made.path("third.ptpm")).manifest();
    CHECK(manifest.lineage.parents.empty());
    CHECK(manifest.ancestors.empty());
}

TEST_CASE("lineage: what a parent has become since does not count") {
    const Generations made;
    const std::string before = made.hash_of("second");
    const std::string weights = made.path("second/checkpoints/best/weights.safetensors");
    ptp::test::write_content(weights, content_of(weights) + " ");
    const BundleManifest manifest = BundleFile(made.bundle("third", "third.ptpm")).manifest();
    CHECK(manifest.lineage.parents == std::vector<ptp::bundle::Parent>{{before, "pipeline.net"}});
}

TEST_CASE("lineage: ptprun diff says which of two is the other's parent") {
    const Generations made;
    const std::string second = made.bundle("second", "second.ptpm");
    const std::string third = made.bundle("third", "third.ptpm");
    const auto first_line = [&](const std::string& left, const std::string& right) {
        const ProcessResult result = ptprun({"diff", left, right});
        CHECK(result.errors == "");
        return made.first().shown(result.output.substr(0, result.output.find('\n')));
    };
    const std::string& first = made.first().model();
    CHECK(first_line(first, second) == "T/second.ptpm began with the weights of T/model.ptpm");
    CHECK(first_line(second, first) == "T/second.ptpm began with the weights of T/model.ptpm");
    CHECK(first_line(made.path("run"), made.path("second")) ==
          "T/second began with the weights of T/run");
    CHECK(first_line(third, made.path("run")) == "T/third.ptpm descends from T/run");
    CHECK(first_line(second, second).starts_with("settings: same"));
}

}  // namespace bundle_lineage_test
