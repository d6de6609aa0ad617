#include "config/weights_file.hpp"

#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

using ptp::config::weights_file;

TEST_CASE("weights file: a file is itself, whether it is there or not") {
    const ptp::test::TempFolder folder;
    CHECK(weights_file(folder.path() / "nothing") == folder.path() / "nothing");
    const auto file = folder.write("some.safetensors", "");
    CHECK(weights_file(file) == file);
}

TEST_CASE("weights file: of a checkpoint's folder it is the one in it, of a run's the best one") {
    const ptp::test::TempFolder folder;
    const auto best = folder.path() / "checkpoints" / "best" / "weights.safetensors";
    CHECK(weights_file(folder.path()) == best);
    folder.write("checkpoints/best/weights.safetensors", "");
    CHECK(weights_file(folder.path()) == best);
    const auto own = folder.write("weights.safetensors", "");
    CHECK(weights_file(folder.path()) == own);
}

TEST_CASE("weights file: where averages were evaluated they are taken, unless the file is named") {
    const ptp::test::TempFolder folder;
    const auto raw = folder.write("checkpoints/best/weights.safetensors", "");
    const auto averages = folder.write("checkpoints/best/averages.safetensors", "");
    CHECK(weights_file(folder.path()) == averages);
    CHECK(weights_file(folder.path() / "checkpoints" / "best") == averages);
    CHECK(weights_file(raw) == raw);
}
