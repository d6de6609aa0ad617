// `ptp-inspect --check` of the plugins that come with ptp, without the data that some of them need.
// With data and all rules it is the test `plugin.NAME.conforms` of each.

#include "support/paths.hpp"
#include "support/process.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <string>

namespace first_party_check_test {

namespace {

using namespace ptp::test;

std::string file_of(const std::string& plugin) {
    return (build_dir() / "lib/ptp/plugins" / (plugin + ".so")).string();
}

}  // namespace

TEST_CASE("ptp-inspect --check: tasks without their data are named, with what to give") {
    const TempFolder temp;  // as a home folder in which there is nothing
    const std::string file = file_of("vision_tasks");
    const auto result = run_program("ptp-inspect", {"--check", file, "--time-limit", "600"},
                                    {{"HOME", temp.path().string()}});
    const std::string shown =
        "         ImageFolder: nothing can be made up for 'data_folder' "
        "(make it, with a folder of JPEG, PNG, TIFF or WebP files for each class)\n"
        "             fix: give 'data_folder' of [ImageFolder] in FILE.toml, and FILE.toml "
        "after --with\n";
    CHECK(result.output.find(shown) != std::string::npos);
    CHECK(temp.read(ptp::test::source_dir() / "docs/authoring/writing.md").find(shown) !=
          std::string::npos);
    CHECK(result.output.find(
              "         MNIST: the task of [training] (MNIST): " + temp.path().string() +
              "/data/mnist/train-images-idx3-ubyte: no such file, nor") != std::string::npos);
    CHECK(result.output.find("             fix: give 'data_folder' of [MNIST] in FILE.toml, and "
                             "FILE.toml after --with\n") != std::string::npos);
    CHECK(result.output.find("  incomplete: ") != std::string::npos);
    CHECK(result.status == 4);
}

}  // namespace first_party_check_test
