// A folder of data that is a level or two too deep, or not deep enough: the error has the one that
// is meant, by the key or the variable that states it.

#include "support/paths.hpp"
#include "support/process.hpp"
#include "support/replaced.hpp"
#include "support/temp_folder.hpp"
#include "tools/small_mnist.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace ptprun_folders_test {

namespace {

using namespace ptp::test::small_mnist;
using ptp::test::replaced;
using Words = std::vector<std::string>;

// A folder with an experiment and data, which is T in errors.
class Folder {
public:
    void write_mnist(const std::string& folder) const {
        temp_.write(folder + "/train-images-idx3-ubyte", images_of_mnist());
        temp_.write(folder + "/train-labels-idx1-ubyte", labels_of_mnist());
    }

    // Returns the error of reading the data of an experiment with these options. The name of the
    // folder may end in T, so that T is replaced in the options alone.
    [[nodiscard]] std::string error(const std::string& experiment, const Words& options) const {
        Words words = {"check", "--data", experiment};
        for (const std::string& option : options) {
            words.push_back(replaced(option, "T/", temp_.path().string() + "/"));
        }
        return replaced(ptp::test::without_excerpts(ptp::test::run_program("ptprun", words).errors),
                        temp_.path().string(), "T");
    }

    // Returns that of the experiment with this folder, and these lines above it.
    [[nodiscard]] std::string error_of(const std::string& folder, const std::string& above = "",
                                       const Words& options = {}) const {
        const std::string text =
            replaced(above + replaced(kMnistExperiment, "FOLDER", folder), "batch_size = 8",
                     "batch_size = 2");  // of the two samples that there are
        return error(temp_.write("e.toml", text).string(), options);
    }

    [[nodiscard]] const ptp::test::TempFolder& temp() const { return temp_; }

private:
    ptp::test::TempFolder temp_;
};

std::string missing(const std::string& place, const std::string& folder) {
    return place + ": error: the task of [training] (MNIST): " + folder +
           "/train-images-idx3-ubyte: no such file, nor train-images-idx3-ubyte.gz; take the four "
           "files of MNIST from https://ossci-datasets.s3.amazonaws.com/mnist/, and set data_folder "
           "to where they are\n    fix: ";
}

}  // namespace

TEST_CASE("folders: two levels above and below the named one are looked at") {
    struct Case {
        const char* data;
        const char* named;
        const char* empty;  // a folder that is there
        const char* meant;
    };
    const Case cases[] = {
        {"data/Mnist/raw", "data", "data/other", "data/Mnist/raw"},
        {"data/raw", "data", "data/other", "data/raw"},
        {"data/", "data/raw", "data/raw", "data"},
        {"data/", "data/a/b/", "data/a/b", "data"},
    };
    for (const Case& c : cases) {
        CAPTURE(c.named);
        const Folder folder;
        folder.write_mnist(c.data);
        folder.temp().write(std::string(c.empty) + "/x", "");
        const std::string path = replaced(std::string("T/") + c.named + "/", "//", "/");
        CHECK(folder.error_of(c.named) == missing("T/e.toml:5:1", path.substr(0, path.size() - 1)) +
                                              "write data_folder = \"" + c.meant + "\"\n");
        CHECK(folder.error_of(c.meant) == "");
    }
}

TEST_CASE("folders: an option names the folder that is meant, too") {
    const Folder folder;
    folder.write_mnist("data/raw");
    const std::string set = "training.task.data_folder=";
    CHECK(folder.error_of("none", "", {"--set", set + "T/data"})
              .ends_with("\n    fix: --set 'training.task.data_folder=\"T/data/raw\"'\n"));
    CHECK(folder.error_of("none", "", {"--set", set + "\"T/data/raw\""}) == "");
}

TEST_CASE("folders: where several have the file, or one is too far, it can be fetched") {
    const Folder folder;
    folder.write_mnist("data/a");
    folder.write_mnist("data/b");
    folder.write_mnist("far/away/from/here");
    const std::string fetch = "ptprun fetch T/e.toml\n";
    CHECK(folder.error_of("data") == missing("T/e.toml:5:1", "T/data") + fetch);
    CHECK(folder.error_of("far") == missing("T/e.toml:5:1", "T/far") + fetch);
}

TEST_CASE("folders: a variable that states the folder is set, without what stands around it") {
    const Folder folder;
    folder.write_mnist("data/raw");
    folder.temp().write("other/raw/x", "");
    const std::string vars = "[vars]\nroot = \"none\"\n";
    const Words set = {"--set", "vars.root=T/data"};
    const Words meant = {"--set", "vars.root=\"T/data/raw\""};
    CHECK(folder.error_of("${root}", vars, set) ==
          missing("T/e.toml:7:1", "T/data") + "--set 'vars.root=\"T/data/raw\"'\n");
    CHECK(folder.error_of("${root}", vars, meant) == "");
    CHECK(folder.error_of("${root}", "[vars]\nroot = \"data\"\n") ==
          missing("T/e.toml:7:1", "T/data") +
              "write root = \"data/raw\" in [vars], at T/e.toml:2:8\n");
    CHECK(folder.error_of("${root}", "[vars]\nroot = \"data/raw\"\n") == "");
    folder.temp().write("data/raw/x/raw/y", "");
    CHECK(folder.error_of("${root}/raw", vars, {"--set", "vars.root=T/data/raw/x"}) ==
          missing("T/e.toml:7:1", "T/data/raw/x/raw") + "--set 'vars.root=\"T/data\"'\n");
    CHECK(folder.error_of("${root}/raw", vars, {"--set", "vars.root=T/data"}) == "");
}

TEST_CASE("folders: the data set's own folder in place of the one that it is in") {
    const Folder folder;
    std::string words;
    for (int i = 0; i < 100; ++i) {
        words += i % 3 == 0 ? "the " : i % 3 == 1 ? "end " : "<unk> ";
    }
    for (const char* part : {"valid", "test"}) {
        folder.temp().write(std::string("wikitext-2/wiki.") + part + ".tokens", words);
    }
    const std::string experiment = (ptp::test::source_dir() / "configs/wikitext/gpt.toml").string();
    CHECK(
        folder.error(experiment, {"--set", "vars.data_folder=T/wikitext-2"})
            .find("T/wikitext-2/wikitext-2/wiki.valid.tokens: no such file; take "
                  "wikitext-2-v1.zip or wikitext-103-v1.zip from https://wikitext.smerity.com/, "
                  "unpack it, and set data_folder to the folder that wikitext-2 or wikitext-103 is "
                  "in\n    fix: --set 'vars.data_folder=\"T\"'\n") != std::string::npos);
    CHECK(folder.error(experiment,
                       {"--set", "vars.data_folder=\"" + folder.temp().path().string() + "\"",
                        "--set", "training.task.batch_size=2"}) == "");
}

}  // namespace ptprun_folders_test
