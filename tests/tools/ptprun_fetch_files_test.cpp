// Which files `ptprun fetch` knows of the experiments that come with ptp, by the list that does.

#include "support/paths.hpp"
#include "support/process.hpp"
#include "support/temp_folder.hpp"
#include "support/texts.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <vector>

namespace ptprun_fetch_files_test {

using ptp::test::ProcessResult;

TEST_CASE("ptprun fetch: the list that comes with ptp knows the data of the experiments there") {
    const ptp::test::TempFolder home;
    struct Case {
        const char* experiment;
        std::size_t files;
        const char* last;
    };
    const Case cases[] = {
        {"mnist/lenet5.toml", 4, "/data/mnist/t10k-labels-idx1-ubyte.gz\n"},
        {"fashion_mnist/lenet5.toml", 4, "/fashion/t10k-labels-idx1-ubyte.gz\n"},
        {"cifar10/convnet_softmax.toml", 1, "/data/cifar-10/cifar-10-batches-bin/test_batch.bin\n"},
        {"cifar100/convnet_softmax.toml", 1, "/data/cifar-100/cifar-100-binary/train.bin\n"},
        {"wikitext/lstm.toml", 1,
         "/data/language_modeling/wikitext/wikitext-2/wiki.valid.tokens\n"},
        {"clevr/vgg16_lstm.toml", 1, "/data/CLEVR_v1.0/glove.6B.50d.txt\n"},
    };
    for (const Case& c : cases) {
        CAPTURE(c.experiment);
        const std::string file = (ptp::test::source_dir() / "configs" / c.experiment).string();
        const std::string home_folder = home.path().string();
        std::vector<std::string> words{"fetch", file, "--list"};
        if (std::string(c.experiment).starts_with("fashion")) {  // Debian's folder may be there
            words.insert(words.end(), {"--set", "vars.data_folder=" + home_folder + "/fashion"});
        }
        const ProcessResult listed =
            ptp::test::run_program("ptprun", words, {{"HOME", home_folder}});
        CHECK(listed.output.ends_with(c.last));
        std::size_t files = 0;
        for (std::size_t at = listed.output.find("://"); at != std::string::npos;
             at = listed.output.find("://", at + 1)) {
            ++files;
        }
        CHECK(files == c.files);
    }
}

TEST_CASE("ptprun fetch: the list has the files that an experiment reads, without those there") {
    struct Case {
        std::string experiment;
        std::vector<std::string> words;
        std::vector<std::string> there;  // below the home folder
        std::vector<std::string> files;  // that are missing
    };
    const std::string mnist = "data/mnist/";
    const std::string wiki = "data/language_modeling/wikitext/wikitext-2/wiki.";
    const std::string cifar = "data/cifar-10/";
    const auto without = [](const char* section) {
        return std::string(section) + ".task.use_train_data=false";
    };
    const std::vector<Case> cases = {
        {"mnist/lenet5.toml",
         {"--set", without("training"), "--set", without("validation")},
         {mnist + "t10k-labels-idx1-ubyte"},
         {mnist + "t10k-images-idx3-ubyte.gz"}},
        {"wikitext/gpt.toml", {}, {wiki + "test.tokens"}, {wiki + "valid.tokens"}},
        {"wikitext/gpt.toml", {}, {wiki + "test.tokens", wiki + "valid.tokens"}, {}},
        {"wikitext/gpt.toml",
         {"--set", "training.task.vocabulary=true"},
         {wiki + "test.tokens", wiki + "valid.tokens"},
         {wiki + "train.tokens"}},
        {"cifar10/convnet_softmax.toml",
         {},
         {cifar + "data_batch_1.bin", cifar + "cifar-10-batches-bin/data_batch_2.bin",
          cifar + "data_batch_4.bin", cifar + "data_batch_5.bin"},
         {cifar + "cifar-10-batches-bin/data_batch_3.bin",
          cifar + "cifar-10-batches-bin/test_batch.bin"}},
    };
    for (const Case& c : cases) {
        CAPTURE(c.experiment);
        const ptp::test::TempFolder home;
        for (const std::string& file : c.there) {
            home.write(file, "");
        }
        const std::string file = (ptp::test::source_dir() / "configs" / c.experiment).string();
        std::vector<std::string> words{"fetch", file, "--list"};
        words.insert(words.end(), c.words.begin(), c.words.end());
        const ProcessResult listed =
            ptp::test::run_program("ptprun", words, {{"HOME", home.path().string()}});
        CHECK(listed.errors == "");
        std::vector<std::string> files;
        for (const std::string& line : ptp::test::lines_of(listed.output)) {
            if (line.starts_with("  ")) {
                files.push_back(line.substr(3 + home.path().string().size()));
            }
        }
        CHECK(files == c.files);
    }
}

}  // namespace ptprun_fetch_files_test
